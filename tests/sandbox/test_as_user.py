"""The tests of this folder once more, by somebody who is not root."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "sources"


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")
@pytest.mark.timeout(300)
def test_all_of_it_holds_for_an_ordinary_user_too():
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    become = ["setpriv", "--reuid=64322", "--regid=64322", "--clear-groups"]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join([str(SOURCES), *libraries])}
    pytest_command = ["/usr/bin/python3", "-m", "pytest", "-p", "no:cacheprovider", "-x", str(HERE)]
    done = subprocess.run(
        [*become, *pytest_command], env=environment, cwd="/tmp", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
