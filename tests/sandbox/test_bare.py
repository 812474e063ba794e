"""Without a box: a clean environment, limits, and nothing left behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tripletick.sandbox.box import RunRequest
from tripletick.system import platforms

SOURCES = str(Path(__file__).parents[2] / "sources")


@pytest.fixture
def bare(make):
    return make("none")


def test_it_never_claims_to_hold(bare):
    assert (bare.box.name, bare.box.holds) == ("none", False)
    assert bare.box.sentence.startswith("no sandbox: ")


def test_a_program_runs_in_the_workspace_as_its_owner(bare, owner):
    text, finished = bare.bash("pwd; id -u; exit 3")
    assert text == f"{bare.workspace}\n{owner}\n"
    assert finished.status == 3


def test_the_environment_is_clean_and_home_is_the_session_s(bare, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "CANARY")
    text, _ = bare.bash("env; echo $HOME $TMPDIR; touch $HOME/x")
    assert "CANARY" not in text
    assert text.endswith(f"{bare.box.home} {bare.box.home}\n")


@pytest.mark.parametrize("code, status", [("kill -SEGV $$", 139), ("nosuchprogram", 127)])
def test_the_status_is_the_one_a_shell_gives(bare, code, status):
    assert bare.bash(code)[1].status == status


def test_a_program_that_does_not_exist_is_status_127(bare):
    text, finished = bare.run(["nosuchprogram"])
    assert (text, finished.status) == ("nosuchprogram: not found\n", 127)


def test_background_children_are_ended_and_counted(bare):
    _, finished = bare.bash("setsid sleep 61.0144 & (setsid sleep 61.0144 &) ; echo done")
    assert finished.leftover == 2


def test_closing_the_generator_kills_everything(bare):
    mark = f"61.{os.getpid()}"
    code = f"for i in $(seq 20); do setsid sleep {mark} & done; echo up; wait"
    run = bare.box.run(RunRequest(["bash", "-c", code]))
    assert next(run) == "up\n"
    run.close()
    files = Path("/proc").glob("[0-9]*/cmdline")
    assert not any(mark in platforms.read_text(path) for path in files)


def test_a_block_that_kills_what_watches_it_is_not_waited_for(bare, owner):
    if owner != os.geteuid():
        pytest.skip("what watches it is another user's")
    text, finished = bare.bash("echo $$; kill -9 $PPID; exec sleep 61.0166")
    os.kill(int(text), signal.SIGKILL)
    assert finished.status == 137


def test_nothing_survives_the_death_of_tripletick(bare, top):
    code = (
        "from pathlib import Path\nfrom tripletick.sandbox import open_box\n"
        "from tripletick.sandbox.box import RunRequest, SandboxSpec\n"
        f"box = open_box(SandboxSpec(Path('{bare.workspace}'), Path('{top}/state2')), 'none')\n"
        "run = box.run(RunRequest(['bash', '-c', 'trap \"\" TERM HUP; echo up; sleep 61.07']))\n"
        "for text in run: print(text, flush=True)"
    )
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    agent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment)
    with agent:
        assert agent.stdout is not None
        assert agent.stdout.readline() == b"up\n"
        below = platforms.list_descendants(agent.pid)
        agent.send_signal(signal.SIGKILL)
    platforms.wait_for_exit(below, 10)
    assert not {pid for pid in below if "VmSize" in platforms.read_text(Path("/proc", str(pid), "status"))}
