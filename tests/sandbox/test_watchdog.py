"""Limits: each strikes, and ends the whole block."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tripletick.sandbox import live_probe
from tripletick.sandbox.box import Limits, RunRequest
from tripletick.sandbox.user import create_file
from tripletick.sandbox.watchdog import Watchdog, WatchTarget
from tripletick.system import platforms

MIB = 1 << 20
MARK = f"61.{os.getpid()}"
"""Seconds that sleep here alone: these tests run beside themselves (test_as_user.py)."""


@pytest.fixture(params=["bubblewrap", "none"])
def limited(request, make, limits):
    """Open a place of either tier with other limits."""
    if request.param == "bubblewrap" and not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")
    return lambda **changes: make(request.param, limits=replace(limits, **changes))


def still_runs(mark: str) -> bool:
    files = Path("/proc").glob("[0-9]*/cmdline")
    return any(mark in platforms.read_text(path) for path in files)


def test_the_time_limit_ends_fifty_children_in_sessions_of_their_own(limited):
    _, finished = limited(timeout=1).bash(f"for i in $(seq 50); do setsid sleep {MARK}1 & done; wait")
    assert (finished.struck, finished.status, finished.leftover) == ("timeout", 137, 0)
    assert not still_runs(f"{MARK}1")


def test_a_block_cannot_ask_for_more_time_than_there_is(limited):
    _, finished = limited(max_timeout=0.5).bash("sleep 60", timeout=1000)
    assert finished.struck == "timeout"


def test_a_block_that_closes_its_output_is_ended_too(limited):
    _, finished = limited(timeout=0.5).bash("exec >&- 2>&-; sleep 60")
    assert finished.struck == "timeout"


def test_a_block_that_stops_itself_is_ended_too(limited):
    assert limited(timeout=0.5).bash("kill -STOP $$")[1].struck == "timeout"


def test_the_deadline_holds_while_nobody_reads_the_output(limited):
    run = limited(timeout=0.5).box.run(RunRequest(["bash", "-c", f"echo up; sleep {MARK}2"]))
    # Nothing, where the machine is so slow that its time was over before it said a word.
    assert next(run, "up\n") == "up\n"
    below = platforms.list_descendants(1)
    platforms.wait_for_exit([pid for pid in below if f"{MARK}2" in cmdline(pid)], 20)
    assert not still_runs(f"{MARK}2")
    run.close()


def cmdline(pid: int) -> str:
    return platforms.read_text(Path("/proc", str(pid), "cmdline"))


def test_too_much_output_ends_the_block_and_both_ends_are_kept(limited):
    _, finished = limited(output=MIB, kept=1000).bash("echo first; yes")
    assert finished.struck == "output"
    assert finished.head.startswith(b"first\ny\n")
    assert (len(finished.head), len(finished.tail)) == (1000, 1000)
    assert finished.dropped >= MIB - 2000


@pytest.mark.parametrize(
    "code",
    [
        "b = bytearray(400 << 20); b[::4096] = b'x' * len(b[::4096])",
        "import os; f = os.memfd_create('m')\nfor i in range(400): os.write(f, bytes(1 << 20))",
        "import mmap; m = mmap.mmap(-1, 400 << 20); m[::4096] = b'x' * len(m[::4096])",
        "import os, time\nfor i in range(4):\n if not os.fork(): b = b'x' * (100 << 20); time.sleep(60)",
        "import mmap; m = mmap.mmap(-1, 400 << 20); n = 1 << 20\n"
        "for i in range(400): m[i * n : i * n + n] = bytes(n); m.madvise(4)",
        "import ctypes, os; call = ctypes.CDLL(None).mmap; size = ctypes.c_size_t(4096)\n"
        "for i in range(4):\n f = os.memfd_create('m'); os.write(f, bytes(100 << 20))"
        "; call(None, size, 1, 1, f, ctypes.c_long(0)); os.close(f)",
        "import os, socket; pair = socket.socketpair()\n"
        "for i in range(4):\n f = os.memfd_create('m'); os.write(f, bytes(100 << 20))"
        "; socket.send_fds(pair[0], [b'x'], [f]); os.close(f)",
    ],
    ids=["private", "memfd", "shared", "in children", "let go of", "mapped alone", "under way"],
)
def test_the_memory_limit_strikes(limited, code):
    _, finished = limited(file=1 << 30).python(f"{code}\nimport time; time.sleep(60)")
    assert finished.struck == "memory"


CROWD = (
    "import os, time\nfor i in range(1000): os.memfd_create('m')\n"
    "for i in range(200):\n if not os.fork(): time.sleep(60); os._exit(0)\n"
)


@pytest.mark.parametrize(
    "timeout, code, struck", [(2, "", "timeout"), (20, "b = b'x' * (1 << 30)", "memory")]
)
def test_limits_hold_however_much_there_is_to_look_at(limited, timeout, code, struck):
    code = f"{CROWD}{code}\ntime.sleep(6); print('late', flush=True); time.sleep(60)"
    text, finished = limited(memory=512 << 20).python(code, timeout=timeout)
    assert (text, finished.struck) == ("", struck)


def test_shared_pages_count_once(limited):
    code = (
        "import os, mmap, time; m = mmap.mmap(-1, 150 << 20); m[::4096] = b'x' * len(m[::4096])\n"
        "for i in range(3):\n if not os.fork(): sum(m[::4096]); time.sleep(1); os._exit(0)\n"
        "time.sleep(0.5); print('fine')"
    )
    assert limited().python(code)[0] == "fine\n"


def test_memory_below_the_limit_is_allowed(limited):
    assert limited().python("b = b'x' * (150 << 20); print('fine')")[0] == "fine\n"


def test_no_file_grows_beyond_its_limit(limited):
    place = limited(file=MIB)
    place.bash("head -c 3000000 /dev/zero > big")
    assert (place.workspace / "big").stat().st_size == MIB


@pytest.mark.parametrize("folder", [".", "~"])
def test_many_files_strike_the_disk_limit(limited, folder):
    place = limited(disk=32 * MIB)
    code = f"for i in $(seq 100); do head -c 4000000 /dev/zero > {folder}/f$i; sleep .02; done; sleep 60"
    assert place.bash(code)[1].struck == "disk"


def test_space_that_is_reserved_and_not_written_counts(limited):
    code = "for i in $(seq 20); do fallocate -l 8000000 f$i; done; sleep 60"
    assert limited(disk=64 * MIB).bash(code)[1].struck == "disk"


FILL = "import ctypes, os, socket, time\nlibc, pair = ctypes.CDLL(None), socket.socketpair()\n"
KEEP = "for i in range(20):\n f = os.open(f'f{i}', 66); os.posix_fallocate(f, 0, 8 << 20)"


@pytest.mark.parametrize(
    "before, after",
    [
        ("", "os.close(f)\nos.chmod('.', 0)"),
        ("for i in range(2500): os.mkdir('d'); os.chdir('d')\n", "os.close(f)"),
        (
            "",
            "os.unlink(f'f{i}'); libc.mmap(None, ctypes.c_size_t(9), 1, 1, f, ctypes.c_long(0)); os.close(f)",
        ),
        ("", "os.unlink(f'f{i}'); socket.send_fds(pair[0], [b'x'], [f]); os.close(f)"),
    ],
    ids=["in a closed folder", "too deep", "mapped alone", "under way"],
)
def test_space_that_a_block_has_put_out_of_sight_counts(limited, before, after):
    code = f"{FILL}os.mkdir('own'); os.chdir('own')\n{before}{KEEP}; {after}\ntime.sleep(60)"
    assert limited(disk=64 * MIB).python(code)[1].struck == "disk"


def test_what_others_write_to_the_disk_is_not_the_block_s_doing(make, top):
    watched = WatchTarget(1 << 30, Limits(disk=MIB), 60, (top / "ws",))
    watch = Watchdog(watched, lambda: None)
    (top / "others").write_bytes(bytes(8 * MIB))
    assert not watch._too_much_disk([])


def test_what_others_free_does_not_hide_what_the_block_fills(limited, top):
    others = top / "others"
    others.write_bytes(bytes(64 * MIB))
    code = "echo up; for i in $(seq 20); do head -c 4000000 /dev/zero > f$i; sleep .05; done; sleep 60"
    run = limited(disk=32 * MIB).box.run(RunRequest(["bash", "-c", code]))
    assert next(run) == "up\n"
    others.unlink()
    assert live_probe.drain(run)[1].struck == "disk"


def test_a_block_that_keeps_all_the_processes_that_it_may_have_is_ended(limited):
    place = limited(processes=60)
    _, finished = place.bash(f"for i in $(seq 400); do sleep {MARK}3 & done 2>/dev/null; wait")
    assert finished.struck == "processes"
    assert not still_runs(f"{MARK}3")


def test_memory_in_scratch_folders_is_bounded(make, limits):
    place = make(limits=replace(limits, file=1 << 30))
    text, _ = place.bash(
        "for d in /dev/shm /run /var/tmp; do head -c 200000000 /dev/zero > $d/x 2>/dev/null; done"
        "; cat /dev/shm/x /run/x /var/tmp/x | wc -c"
    )
    assert 0 < int(text) <= limits.memory // 4


def test_what_lies_in_scratch_folders_counts_as_memory(make):
    code = (
        "open('/dev/shm/x', 'wb').write(bytes(30 << 20)); b = b'x' * (235 << 20)\nimport time; time.sleep(60)"
    )
    assert make(limits=Limits(timeout=10, memory=256 * MIB)).python(code)[1].struck == "memory"


def test_a_session_folder_that_outgrew_the_limit_is_emptied(make, limits):
    place = make(limits=replace(limits, disk=128 * MIB, file=128 * MIB))
    for name in "abcd":
        place.bash(f"head -c 50000000 /dev/zero > ~/{name}")
    assert len(list(place.box.home.iterdir())) < 4


def test_what_is_laid_for_a_block_stays_when_the_session_folder_is_emptied(make, limits):
    place = make(limits=replace(limits, disk=128 * MIB, file=128 * MIB))
    texts = []
    for name in "abcd":
        (place.box.home / "tripletick-laid").unlink(missing_ok=True)
        create_file(place.box.home / "tripletick-laid", b"laid")
        texts.append(place.bash(f"cat ~/tripletick-laid; head -c 50000000 /dev/zero > ~/{name}")[0])
    assert texts == ["laid"] * 4 and len(list(place.box.home.iterdir())) < 5
