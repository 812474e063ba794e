"""Whom the program contacts: the server that was chosen, and nobody else."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
ALONE = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]


def alone_is_possible():
    return shutil.which("unshare") and subprocess.run([*ALONE, "true"], capture_output=True).returncode == 0


@pytest.mark.skipif(not alone_is_possible(), reason="no network namespace can be made here")
def test_a_task_and_a_chat_contact_their_server_and_nobody_else(home):
    command = [*ALONE, sys.executable, "-m", "tests.program.alone", str(home)]
    ended = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=100)
    seen = json.loads(ended.stdout.splitlines()[-1])
    assert seen["contacts"] == [seen["server"]]
    assert (seen["lost"], seen["counts"]) == (0, True)
    assert seen["asked"] == [f"/api/{name}" for name in ("chat", "generate", "show", "tags", "version")]
