"""What a start imports, and when: weights are held by lists of modules, times are in bench/startup.py."""

import os
import socket
import subprocess
import sys

import pytest
from tests.program.test_cli import SCRIPT, environment, run

UNNEEDED = ("argparse", "dataclasses", "pathlib", "typing", "urllib.parse", "tripletick.system.redaction")
FORBIDDEN = ("requests", "rich", "ollama", "pathspec", "httpx", "pydantic", "tripletick.session.session")
UNHELPFUL = ("dataclasses", "inspect", "json", "threading", "tripletick.config.config")
LATER = (
    "tripletick.agents",
    "tripletick.paths",
    "tripletick.permission",
    "tripletick.sandbox",
    "tripletick.session.builder",
    "tripletick.session.session",
    "tripletick.trust",
    "tripletick.turn.loop",
)
UNDRAWN = ("rich.console", "prompt_toolkit", "asyncio", "ssl", "unittest")


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "script.md").write_text(SCRIPT)
    return tmp_path


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["blocks", "--help"]])
def test_a_quick_question_imports_nothing_heavy(home, words):
    code = (
        "import sys; from tripletick.cli import main\ntry: main()\nexcept SystemExit: pass\n"
        f"sys.exit(str([name for name in {FORBIDDEN} if name in sys.modules] or ''))"
    )
    done = run(home, *words, code=code)
    assert (done.stderr, done.stdout.split()[0]) == ("\n", done.stdout.split()[0])


def test_the_version_is_told_without_what_the_rest_needs(home):
    code = (
        "import sys; from tripletick.cli import main; main()\n"
        f"sys.exit(str([name for name in {UNNEEDED} if name in sys.modules] or ''))"
    )
    assert run(home, "--version", code=code).stderr == "\n"


def test_the_help_imports_nothing_that_a_session_needs(home):
    code = (
        "import sys; from tripletick.cli import main\ntry: main()\nexcept SystemExit: pass\n"
        f"sys.exit(str([name for name in {UNHELPFUL} if name in sys.modules] or ''))"
    )
    assert run(home, "--help", code=code).stderr == "\n"


@pytest.mark.parametrize("words", [["-m", "any"], ["-m", "openai:any"], []])
def test_the_session_is_imported_once_the_server_was_asked(home, words):
    os.mkfifo(home / "asked")
    code = (
        "import sys\n"
        f"wait = lambda: open({str(home / 'asked')!r}).read()\n"
        f"see = lambda name, args: name == 'import' and args[0] in {LATER} and wait()\n"
        "sys.addaudithook(see)\n"
        "from tripletick.cli import main; main()"
    )
    with socket.create_server(("127.0.0.1", 0)) as server:
        words = [*words, "--host", f"http://127.0.0.1:{server.getsockname()[1]}", "what is a fence?"]
        command = [sys.executable, "-c", code, *words]
        with subprocess.Popen(command, cwd=home, env=environment(home), stdin=subprocess.DEVNULL) as process:
            server.settimeout(30)
            try:
                with server.accept()[0] as asked:
                    assert asked.recv(1)
            finally:
                process.kill()


def test_a_task_in_a_pipe_imports_neither_what_draws_nor_what_runs_in_the_box(home):
    code = (
        "import sys; from tripletick.cli import main; main()\n"
        f"sys.exit(str([name for name in {UNDRAWN} if name in sys.modules]))"
    )
    done = run(home, "-y", "-m", f"scripted:{home / 'script.md'}", "write hello.py", code=code)
    assert "hello.py" in done.stderr and done.stderr.endswith("\n[]\n")
