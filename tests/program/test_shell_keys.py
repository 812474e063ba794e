"""Completion and keys in real shells: models behind -m, and keys that ask about the last failed command."""

import json
import os
import shutil
import sys

import pexpect
import pytest
from tests.bad_server import BadServer, answer
from tests.program.test_cli import run
from tests.terminal import Terminal

TAGS = answer(200, json.dumps({"models": [{"name": "alpha:7b"}, {"name": "alpha:14b"}, {"name": "beta:1b"}]}))
STARTED = {
    "bash": ("--noprofile", "--rcfile", "{script}", "-i"),
    "zsh": ("-f", "-i"),
    "fish": ("--no-config", "-i"),
}
EXPLAIN, MEND = "\x1be", "\x1bm"
SHOWS = """#!/bin/sh
[ "$1" = completion ] && exec {python} -P -m tripletick.cli "$@"
printf 'asked: %s\\n' "$1"
"""


@pytest.fixture
def home(tmp_path):
    for name in ("project", "bin"):
        (tmp_path / name).mkdir()
    program = tmp_path / "bin" / "tripletick"
    program.write_text(SHOWS.format(python=sys.executable))
    program.chmod(0o755)
    return tmp_path


@pytest.fixture
def shell(home, request):
    """A shell at its prompt with a script of ours read, and the screen that it draws on."""
    opened = []

    def start(name, *words, host=""):
        if not shutil.which(name):
            pytest.skip(f"{name} is not installed")
        script = home / "script"
        script.write_text(run(home, "completion", name, *words).stdout + "PS1='> '\n" * (name == "bash"))
        env = {"HOME": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "TERM": "xterm-256color"}
        env |= {"LANG": "C.UTF-8", "TRIPLETICK_HOST": host}
        typed = [word.format(script=script) for word in STARTED[name]]
        program: pexpect.spawn[bytes] = pexpect.spawn(
            shutil.which(name), typed, cwd=str(home / "project"), env=env, timeout=60
        )
        program.setwinsize(30, 100)
        opened.append(program)
        terminal = Terminal(program)
        if name != "bash":
            terminal.type(f"source {script}; echo re''ady\r").wait("ready")
        return terminal

    yield start
    for program in opened:
        program.close(force=True)


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_a_key_explains_the_last_failed_command_and_another_one_has_it_mended(shell, name):
    terminal = shell(name, "--keys")
    terminal.type("ls 'it is' no''where || sh -c 'exit 7'\r").wait("nowhere").type("echo fi''ne\r").wait(
        "fine"
    )
    command = "`ls 'it is' no''where || sh -c 'exit 7'` fails with exit code 7."
    terminal.type(EXPLAIN).wait(f"asked: {command} Explain why")
    terminal.type(MEND).wait(f"asked: {command} Find out why and fix it.")


def test_without_a_failed_command_the_keys_ask_nothing(shell):
    terminal = shell("bash", "--keys").wait(">")
    terminal.type(f"{EXPLAIN}echo no''thing\r").wait("nothing")
    assert "asked:" not in terminal.text()


def test_bash_completes_a_servers_models_with_the_colon_in_their_names(shell):
    with BadServer({"/api/tags": [TAGS]}) as server:
        terminal = shell("bash", host=server.url).wait(">")
        terminal.type("tripletick -m be\t").wait("tripletick -m beta:1b")
        terminal.type("\x15tripletick -m alpha:1\t").wait("tripletick -m alpha:14b")
        terminal.type("\x15tripletick models use alpha:7\t").wait("tripletick models use alpha:7b")


def test_the_models_are_named_for_a_completion_and_none_where_no_server_answers(home):
    with BadServer({"/api/tags": [TAGS]}) as server:
        told = run(home, "completion", "models", TRIPLETICK_HOST=server.url)
    assert (told.stdout.splitlines()[-3:], told.stderr) == (["alpha:7b", "alpha:14b", "beta:1b"], "")
    none = run(home, "completion", "models", TRIPLETICK_HOST="127.0.0.1:9")
    assert (none.returncode, none.stdout, none.stderr) == (0, "", "")


def test_a_name_that_a_shell_would_run_is_not_named(home):
    names = ["a$(touch${IFS}made):latest", "b;touch made", "c`touch made`", "plain:1b"]
    tags = answer(200, json.dumps({"models": [{"name": name} for name in names]}))
    with BadServer({"/api/tags": [tags]}) as server:
        assert run(home, "completion", "models", TRIPLETICK_HOST=server.url).stdout == "plain:1b\n"


def test_the_shell_is_that_of_the_user_where_none_is_named(home):
    assert run(home, "completion", SHELL="/bin/fish").stdout == run(home, "completion", "fish").stdout
    assert "zsh" in run(home, "completion", "--keys", SHELL="/usr/bin/zsh").stdout
    assert run(home, "completion", "--keys", SHELL="/bin/tcsh").returncode == 2


def test_an_agent_of_the_users_own_is_completed(home):
    own = home / ".config" / "tripletick" / "agents"
    own.mkdir(parents=True)
    (own / "auditor.md").write_text("---\nwhen = Audits.\ntools = bash\n---\nYou audit.\n")
    assert "auditor" in run(home, "completion", "bash").stdout
