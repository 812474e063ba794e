"""Fork bombs of the machine's root, who has no limit of the kernel's; all of it below a cgroup of 700."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.sandbox.conftest import drain
from tests.sandbox.test_landlock import VERSION
from tests.threats.cage import PROCESSES, counted

from tripletick.sandbox import open_box
from tripletick.sandbox.box import Limits, RunRequest, SandboxSpec
from tripletick.sandbox.process_limit import JOIN, is_exempt, open_group, own_groups

SOURCES = str(Path(__file__).parents[2] / "sources")
WITHOUT = (
    "mount --make-rprivate / && for at in $(awk '$3 ~ /^cgroup/ {print $2}' /proc/mounts | tac);"
    ' do umount -l "$at"; done && exec "$@"'
)
"""A machine whose cgroups we do not see, as in most containers."""
RUN = """
import json, sys
from pathlib import Path
from tripletick.sandbox import open_box
from tripletick.sandbox.box import Limits, RunRequest, SandboxSpec
from tripletick.sandbox.live_probe import drain
top, tier, *code = sys.argv[1:]
spec = SandboxSpec(Path(top, "ws"), Path(top, "state"), limits=Limits(timeout=30, processes=100))
box = open_box(spec, tier)
ends = [drain(box.run(RunRequest(["bash", "-c", each]))) for each in code]
box.close()
print(json.dumps([box.name, box.sentence, [[text, end.status, end.struck] for text, end in ends]]))
"""
COUNT = """python3 -c '
import os, signal
made = 0
try:
    while made < 600:
        if not os.fork(): signal.pause()
        made += 1
except OSError: pass
print("made", made)'"""
FOREVER = """python3 -c '
import os
while True:
    try: os.fork()
    except OSError: pass'"""
DYING = ":(){ :|:& };:; true"
THREADS = """python3 -c '
import threading
stop, made = threading.Event(), 0
try:
    while made < 600: threading.Thread(target=stop.wait, daemon=True).start(); made += 1
except RuntimeError: pass
print("made", made, flush=True); stop.set()'"""
ORDINARY = "echo mine > made; chmod 700 made; seq 150 | xargs -n 1 true; (sleep 0.1; echo late) & cat root"


@pytest.fixture(params=["bubblewrap", "landlock"])
def tier(request):
    if request.param == "bubblewrap" and not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")
    if request.param == "landlock" and VERSION < 6:
        pytest.skip(f"Landlock is version {VERSION} here, 6 is needed")
    return request.param


@pytest.fixture(params=["cgroup", "no cgroup"])
def bounded(request, top, owner, tier):
    """Run blocks one after the other as root; give how they ended, and how often the outer bound was hit."""
    (top / "ws/root").write_text("read\n")
    with counted("bombs") as groups:
        if os.geteuid() or not groups:
            pytest.skip("only root can make the cgroup around this test")
        joined = ["/bin/sh", "-c", JOIN, "sh", str(groups[0] / "cgroup.procs")]
        hiding = ["unshare", "-m", "sh", "-c", WITHOUT, "sh"] if request.param == "no cgroup" else []

        def run(*code: str):
            words = [*joined, *hiding, sys.executable, "-c", RUN, str(top), tier, *code]
            env = {**os.environ, "PYTHONPATH": SOURCES}
            said = subprocess.run(words, env=env, check=True, capture_output=True, timeout=200).stdout
            name, sentence, ends = json.loads(said)
            assert name == tier, sentence
            assert (groups[0] / "pids.events").read_text().split() == ["max", "0"], PROCESSES
            assert not [*groups[0].glob("tripletick.*")]
            return ends

        yield run


def test_a_block_of_root_gets_no_more_processes_than_are_set(bounded):
    for text, status, struck in bounded(COUNT, THREADS):
        made = int(text.split("made")[1].split()[0])
        # the kernel counts an ordinary user's: those that the block before left to be reaped make room
        # and the watchdog, which counts the block's own, may still strike one that has made more than 100
        ends = [(0, ""), (137, "processes")] if made > 100 else [(0, "")]
        assert 80 < made < 110 and (status, struck) in ends, text


def test_fork_bombs_of_root_are_ended_and_the_next_block_runs(bounded):
    forever, dying, after = bounded(FOREVER, DYING, "echo after")
    assert forever[2] == "processes"
    assert dying[2] in ("", "processes")
    assert after == ["after\n", 0, ""]


def test_what_root_does_ordinarily_goes_on_under_the_count(bounded, top):
    [(text, status, struck)] = bounded(ORDINARY)
    assert (text, status, struck) == ("read\nlate\n", 0, "")
    made = (top / "ws/made").stat()
    assert (made.st_uid, made.st_mode & 0o777) == ((top / "ws").stat().st_uid, 0o700)


def test_nothing_of_the_cgroups_is_left(bounded):
    # What is left is looked for after each run, where no other test's may be.
    assert bounded(DYING)


@pytest.fixture
def second_version():
    """Give a cgroup of version 2, whose controllers may all be the other version's."""
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    place = next((Path(row[1], f"test.{os.getpid()}") for row in mounts if row[2] == "cgroup2"), None)
    try:
        assert place
        place.mkdir()
    except (OSError, AssertionError):
        pytest.skip("no cgroup of version 2 can be made here")
    yield place
    for folder in (*place.glob("*/"), place):
        folder.rmdir()


def test_one_block_after_another_joins_a_cgroup_of_version_2(second_version):
    def join(file: Path, *words: str) -> list[str]:
        return ["/bin/sh", "-c", JOIN, "sh", str(file), *words]

    for name in ("first", "second"):
        (second_version / name).mkdir()
        file = open_group(second_version, second_version / name)
        words = join(second_version / "cgroup.procs", *join(file, "cat", "/proc/self/cgroup"))
        said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        assert f"0::/{second_version.name}/{name}\n" in said


@pytest.mark.parametrize(
    ("table", "exempt"),
    [("0 0 4294967295", True), ("", True), ("0 1000 1", False), ("0 100000 65536", False)],
)
def test_root_of_a_user_namespace_is_bound_by_the_kernel_s_own_limit(table, exempt):
    assert is_exempt(table) is exempt


@pytest.mark.parametrize(
    ("joined", "mounted", "places"),
    [
        ("8:pids:/a", "30 29 0:5 / /sys/fs/cgroup/pids rw - cgroup c rw,pids", ["/sys/fs/cgroup/pids/a"]),
        ("8:pids:/docker/x", "30 29 0:5 /docker/x /c rw - cgroup c rw,pids", ["/c"]),
        ("0::/u/s", "30 29 0:5 / /sys/fs/cgroup rw - cgroup2 c rw", ["/sys/fs/cgroup/u/s"]),
        ("1:cpu:/", "30 29 0:5 / /c rw - cgroup c rw,cpu", []),
    ],
)
def test_our_own_cgroup_is_found_wherever_it_is_mounted(tmp_path, joined, mounted, places):
    (tmp_path / "cgroup").write_text(f"{joined}\n")
    (tmp_path / "mountinfo").write_text(f"{mounted}\n")
    assert [str(each) for each in own_groups(tmp_path)] == places


@pytest.fixture
def ordinary(top, owner, tier):
    """Give a box, in whose folder an ordinary user's blocks run, whose processes the kernel itself bounds."""
    if tier != "landlock" or not owner:
        pytest.skip("only an ordinary user's Landlock shares the count with the user's other programs")
    box = open_box(SandboxSpec(top / "ws", top / "state", limits=Limits(timeout=30, processes=80)), tier)
    yield box
    box.close()


def test_a_fork_bomb_is_ended_where_the_user_starts_programs_meanwhile(ordinary, top, owner):
    code = f"echo ready; until [ -e go ]; do sleep 0.05; done; {FOREVER}"
    run = ordinary.run(RunRequest(["bash", "-c", code]))
    assert next(run) == "ready\n"
    user = {} if owner == os.geteuid() else {"user": owner, "group": owner, "extra_groups": ()}
    others = [subprocess.Popen(["sleep", "60"], **user) for _ in range(30)]
    try:
        (top / "ws/go").touch()
        assert drain(run)[1].struck == "processes"
    finally:
        for each in others:
            each.kill()
            each.wait()
