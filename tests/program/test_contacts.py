"""Whom the program contacts: the server that was chosen, and nobody else."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tripletick.models import probes

TOP = Path(__file__).parents[2]
ALONE = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]


def alone_is_possible():
    return shutil.which("unshare") and subprocess.run([*ALONE, "true"], capture_output=True).returncode == 0


@pytest.mark.skipif(not alone_is_possible(), reason="no network namespace can be made here")
def test_task_chat_first_run_models_and_doctor_contact_their_server_and_nobody_else(home):
    command = [*ALONE, sys.executable, "-m", "tests.program.alone", str(home)]
    ended = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=200)
    seen = json.loads(ended.stdout.splitlines()[-1])
    assert seen["contacts"] == [seen["server"]]
    assert seen["without"] == sorted(f"127.0.0.1:{port}" for port in (9, *probes.PORTS))
    assert (seen["lost"], seen["counts"], seen["codes"]) == (0, True, [0, 0])
    asked = ("chat", "chat ahead", "generate", "ps", "show", "tags", "version")
    assert seen["asked"] == [f"/api/{name}" for name in asked]
