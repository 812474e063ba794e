"""How blocks run and end in the box: programs, status, output, background."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tripletick.errors import ConfigError
from tripletick.sandbox.box import Limits, RunRequest
from tripletick.system import platforms

SOURCES = str(Path(__file__).parents[2] / "sources")
pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed")


def test_a_program_runs_in_the_workspace_with_its_status(place):
    text, finished = place.bash("pwd; echo ü > made; exit 7")
    assert text == f"{place.workspace}\n"
    assert (finished.status, finished.struck, finished.leftover) == (7, "", 0)
    assert (place.workspace / "made").read_text() == "ü\n"


def test_the_folder_of_another_session_that_ends_meanwhile_breaks_no_box(place):
    own = place.workspace / ".tripletick"
    own.mkdir()
    if place.workspace.stat().st_uid:
        shutil.chown(own, place.workspace.stat().st_uid)
    # as it is taken away between the look at the folder and the start of the box
    build = place.box._build_launch

    def build_late(*arguments):
        launch = build(*arguments)
        own.rmdir()
        return launch

    place.box._build_launch = build_late
    text, finished = place.bash("echo up")
    assert (text, finished.status) == ("up\n", 0)


def test_a_workspace_that_a_block_has_locked_is_an_ordinary_failure(place, owner):
    place.bash("chmod 000 .")
    assert place.bash("true")[1].status in (0, 125)
    place.workspace.chmod(0o755)


def test_a_background_child_that_keeps_the_output_is_ended_and_counted(place):
    text, finished = place.bash("sleep 61.0417 & sleep 61.0417 & echo done")
    assert (text, finished.status, finished.leftover) == ("done\n", 0, 2)
    assert finished.seconds < 20


def test_a_background_child_gets_a_moment_to_end(place):
    text, finished = place.bash("(sleep 0.1; echo late) & echo early")
    assert (text, finished.leftover) == ("early\nlate\n", 0)


def test_closing_the_generator_kills_everything(place):
    mark = f"61.{os.getpid()}"
    code = f"for i in $(seq 20); do setsid sleep {mark} & done; echo up; wait"
    run = place.box.run(RunRequest(["bash", "-c", code]))
    assert next(run) == "up\n"
    run.close()
    files = Path("/proc").glob("[0-9]*/cmdline")
    assert not any(mark in platforms.read_text(path) for path in files)


def test_nothing_survives_the_death_of_tripletick(place, top):
    code = (
        "from pathlib import Path\nfrom tripletick.sandbox import open_box\n"
        "from tripletick.sandbox.box import RunRequest, SandboxSpec\n"
        f"box = open_box(SandboxSpec(Path('{place.workspace}'), Path('{top}/state2')))\n"
        "run = box.run(RunRequest(['bash', '-c', 'trap \"\" TERM HUP; echo up; sleep 61.07']))\n"
        "for text in run: print(text, flush=True)"
    )
    agent = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": SOURCES}
    )
    with agent:
        assert agent.stdout is not None
        assert agent.stdout.readline() == b"up\n"
        below = platforms.list_descendants(agent.pid)
        agent.send_signal(signal.SIGKILL)
    platforms.wait_for_exit(below, 10)
    assert not {pid for pid in below if "VmSize" in platforms.read_text(Path("/proc", str(pid), "status"))}


def test_output_that_is_not_text_does_no_harm(place):
    text, finished = place.bash(r"printf 'a\0b\xff\xed\xa0\x80\xc3'; sleep .05; printf '\xa9'")
    assert text == "a\0b" + "\ufffd" * 4 + "é"
    assert finished.head == b"a\0b\xff\xed\xa0\x80\xc3\xa9"


def test_output_comes_while_the_program_runs(place):
    run = place.box.run(RunRequest(["bash", "-c", "echo first; read x < <(sleep 60)"]))
    assert next(run) == "first\n"
    run.close()


def test_nobody_types_and_the_report_on_the_end_of_a_block_cannot_be_forged(place):
    text, finished = place.bash("cat; readlink /proc/self/fd/0; echo 7 >&0; true")
    assert text.startswith("/dev/null\n")
    assert finished.leftover == 0


def test_the_kernel_s_own_limits_are_set(make, limits):
    text, _ = make(limits=replace(limits, timeout=10)).bash("ulimit -c; ulimit -n; ulimit -t; ulimit -f")
    seconds = 10 * (os.cpu_count() or 1) + 2
    assert text.split() == ["0", "1024", str(seconds), str(limits.file // 1024)]


@pytest.mark.parametrize(
    "code, status, number", [("kill -SEGV $$", 139, 11), ("exit 3", 3, 0), ("nosuchprogram", 127, 0)]
)
def test_the_status_is_the_one_a_shell_gives(place, code, status, number):
    finished = place.bash(code)[1]
    assert (finished.status, finished.signal) == (status, number)


def test_a_program_that_does_not_exist_is_status_127(place):
    assert place.run(["nosuchprogram"])[1].status == 127


@pytest.mark.parametrize(
    "code",
    [
        "printf 'package main\\nfunc main(){println(1)}' > a.go; go tool compile -p main a.go",
        "printf 'class A{public static void main(String[] a){}}' > A.java; javac A.java && java A",
        "node -e 'console.log(1)'",
        "printf 'int main(){return 0;}' > a.c; gcc a.c && ./a.out",
        "python3 -c 'import ssl, ctypes, sqlite3'",
    ],
    ids=["go", "java", "node", "gcc", "python"],
)
def test_compilers_and_interpreters_work_offline(make, code):
    if not shutil.which(code.split("; ")[-1].split()[0]):
        pytest.skip("not installed")
    place = make(limits=Limits(memory=4 << 30, timeout=50))
    text, finished = place.bash(code)
    assert finished.status == 0, text


def test_python_leaves_no_cache_between_the_files(place):
    (place.workspace / "module.py").write_text("x = 1")
    place.bash("python3 -c 'import module'")
    assert not (place.workspace / "__pycache__").exists()


def test_variables_can_be_added_for_one_run(place):
    assert place.bash("echo $WORD", env={"WORD": "given"})[0] == "given\n"


def test_a_vanished_workspace_is_an_ordinary_failure(place):
    shutil.rmtree(place.workspace)
    assert place.bash("true")[1].status == 125
    place.workspace.mkdir()


def test_an_unknown_tier_is_refused(make):
    with pytest.raises(ConfigError, match=r"bubblewrap, landlock, .*, none"):
        make("landlock2")
