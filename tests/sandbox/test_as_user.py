"""The tests of this folder once more, by somebody who is not root."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent
USER = 64311
"""None of the users of conftest.py, with whom it would share what the kernel counts, nor of another test."""
SOURCES = HERE.parents[1] / "sources"


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")
@pytest.mark.timeout(900)
def test_all_of_it_holds_for_an_ordinary_user_too():
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, USER, USER)
        done = run_again(Path(folder))
    assert done.returncode == 0, done.stdout


def run_again(folder):
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    become = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
    environment = {
        "HOME": str(folder),
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": ":".join([str(SOURCES), *libraries]),
    }
    pytest_command = ["/usr/bin/python3", "-m", "pytest", "-p", "no:cacheprovider", "-x", str(HERE)]
    pytest_command += ["--basetemp", str(folder / "pytest")]
    return subprocess.run(
        [*become, *pytest_command], env=environment, cwd=folder, capture_output=True, text=True
    )
