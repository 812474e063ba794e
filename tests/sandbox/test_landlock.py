"""What a block that Landlock confines cannot change or reach; each test attacks one property."""

import ctypes
import fcntl
import mmap
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tripletick.sandbox import live_probe
from tripletick.sandbox.box import Grant, RunRequest
from tripletick.sandbox.watchdog import PAUSE
from tripletick.system import platforms
from tripletick.system.platforms import list_descendants, list_names, wait_for_exit

VERSION = ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)
pytestmark = pytest.mark.skipif(VERSION < 6, reason=f"Landlock is version {VERSION} here, 6 is needed")
SOURCES = str(Path(__file__).parents[2] / "sources")


@pytest.fixture
def told():
    return []


@pytest.fixture
def place(make, told):
    opened = make("landlock", notice=told.append)
    assert opened.box.holds, opened.box.sentence
    return opened


@pytest.fixture
def git(top, owner):
    folder = top / "ws/.git"
    (folder / "hooks").mkdir(parents=True)
    (folder / "objects/ab").mkdir(parents=True)
    for name, text in (("config", "mine"), ("HEAD", "ref"), ("hooks/old", "hook"), ("objects/ab/cd", "blob")):
        (folder / name).write_text(text)
    (folder / "objects/ab/cd").chmod(0o444)
    (folder / "link").symlink_to("config")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, owner, -1, follow_symlinks=False)
    return folder


def state_of(folder):
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            path.lstat().st_uid,
            path.is_file() and path.read_bytes(),
        )
        for path in folder.rglob("*")
    }


def test_a_program_runs_in_the_workspace_as_its_owner_without_powers(place, owner):
    text, finished = place.bash("pwd; id -u; grep -E '^(CapEff|NoNewPrivs)' /proc/self/status; exit 3")
    assert text.split() == [str(place.workspace), str(owner), "CapEff:", "0" * 16, "NoNewPrivs:", "1"]
    assert finished.status == 3


@pytest.mark.parametrize("code, status", [("kill -SEGV $$", 139), ("nosuchprogram", 127), ("exec /etc", 126)])
def test_the_status_is_the_one_a_shell_gives(place, code, status):
    assert place.bash(code)[1].status == status


def test_nothing_outside_the_workspace_can_be_written(place):
    outside = place.top / "canary"
    outside.write_text("untouched")
    outside.chmod(0o666)
    place.top.chmod(0o777)
    place.bash(
        f"echo x > {outside}; ln -s {place.top} link; echo x > link/canary; ln {outside} hard; echo x >> hard"
        f"; truncate -s 0 {outside}; mv {outside} .; mv ../ws ../ws2; rm -rf {outside}; touch ../new"
        "; mv ../canary ../other; touch /tmp/new-15"
    )
    assert outside.read_text() == "untouched"
    assert {path.name for path in place.top.iterdir()} <= {"ws", "state", "canary"}
    assert not Path("/tmp/new-15").exists()


@pytest.mark.parametrize(
    "code", ["chmod 600 {0}", "touch -d 2001-01-01 {0}", "chgrp $(id -g) {0}", "ln -s {0} l; chmod 600 l"]
)
def test_modes_and_times_outside_stay_as_they_are(place, owner, code):
    outside = place.top / "canary"
    outside.write_text("x")
    os.chown(outside, owner, -1)
    before = outside.stat()
    place.bash(code.format(outside))
    place.python(f"import os; f = os.open('{outside}', os.O_PATH); os.chmod(f'/proc/self/fd/{{f}}', 0o600)")
    assert (outside.stat().st_mode, outside.stat().st_mtime_ns) == (before.st_mode, before.st_mtime_ns)


def test_attributes_of_a_file_that_can_only_be_read_stay_as_they_are(place, owner):
    outside = place.top / "tools/file"
    outside.parent.mkdir()
    outside.touch()
    os.chown(outside, owner, -1)
    place.box.allow_reading(outside.parent)
    code = (
        f"import errno, fcntl, os\nf = os.open('{outside}', os.O_RDONLY)\n"
        "flags = int.from_bytes(fcntl.ioctl(f, 0x80086601, bytes(8)), 'little')\n"
        "try: fcntl.ioctl(f, 0x40086602, (flags | 0x40).to_bytes(8, 'little'))\n"
        "except OSError as error: print(errno.errorcode[error.errno])"
    )
    assert place.python(code)[0] == "ENOTTY\n"


def test_modes_and_times_inside_can_be_changed_by_path_folder_and_descriptor(place):
    text, _ = place.python(
        "import os, shutil\nopen('a', 'w').close(); os.mkdir('d'); os.symlink('a', 'l')\n"
        "os.chmod('a', 0o741); print(oct(os.stat('a').st_mode))\n"
        "f = os.open('a', os.O_RDONLY); os.fchmod(f, 0o700); print(oct(os.stat('a').st_mode))\n"
        "os.chmod('a', 0o640, dir_fd=os.open('.', os.O_RDONLY)); print(oct(os.stat('l').st_mode))\n"
        "os.chmod(os.path.abspath('d'), 0o711); print(oct(os.stat('d').st_mode))\n"
        "os.utime('a', (5, 6)); os.utime(f, ns=(7, 8)); print(os.stat('a').st_mtime_ns)\n"
        "os.utime('l', (9, 10), follow_symlinks=False)\n"
        "print(os.lstat('l').st_mtime, os.stat('a').st_mtime_ns)\n"
        "shutil.copy2('a', 'b'); print(os.stat('b').st_mtime_ns); os.chown('a', os.getuid(), -1)"
    )
    modes = ["0o100741", "0o100700", "0o100640", "0o40711"]
    assert text.split() == [*modes, "8", "10.0", "8", "8"]


def test_times_and_names_may_lie_anywhere_in_memory(place):
    text, _ = place.python(
        "import ctypes, mmap, os, struct\nopen('a', 'w').close()\n"
        "pages = mmap.mmap(-1, 3 * mmap.PAGESIZE)\n"
        "start = ctypes.addressof(ctypes.c_char.from_buffer(pages))\n"
        "libc, end = ctypes.CDLL(None), start + 2 * mmap.PAGESIZE\n"
        "libc.mprotect(ctypes.c_void_p(end), mmap.PAGESIZE, 0)\n"
        "across, last = start + mmap.PAGESIZE - 16, end - 2\n"
        "ctypes.memmove(across, struct.pack('4q', 1, 2, 3, 4), 32)\n"
        "ctypes.memmove(last, b'a', 2)\n"
        "print(libc.utimensat(-100, ctypes.c_void_p(last), ctypes.c_void_p(across), 0))\n"
        "print(os.stat('a').st_mtime_ns)\n"
        "print(libc.utimensat(-100, b'a', ctypes.c_void_p(end - 16), 0), os.stat('a').st_mtime_ns)"
    )
    assert text.split() == ["0", "3000000004", "-1", "3000000004"]


def test_a_file_never_gets_setuid_bits_nor_another_owner(place):
    place.bash("cp /bin/true s; chmod 6755 s; chown 12345 s; chmod u+s s; install -m 4755 /bin/true t")
    made = [path for path in place.workspace.iterdir() if not path.name.startswith(".")]
    assert made
    assert all(not path.stat().st_mode & 0o6000 and path.stat().st_uid != 12345 for path in made)


def test_what_is_not_the_system_s_cannot_be_read(place):
    secret = place.top / "secret"
    secret.write_text("CANARY")
    text, _ = place.bash(f"cat {secret}; ls {place.top}; cat ~root/.bashrc /etc/shadow; ls /tmp /home /root")
    assert "CANARY" not in text
    assert text.count("Permission denied") == 7


@pytest.mark.parametrize("look", ["env", "cat /proc/self/environ", "cat /proc/[0-9]*/environ"])
def test_no_secret_of_the_environment_is_seen(make, monkeypatch, look):
    monkeypatch.setenv("SOME_KEY", "CANARY-KEY")
    code = "import os, sys; os.environ['LATE'] = 'x'; sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE):
        assert "CANARY-KEY" not in make("landlock").bash(look)[0]


def test_other_processes_cannot_be_signalled_traced_or_limited(place):
    with subprocess.Popen(["sleep", "61.0166"]) as other:
        place.bash(
            f"renice 19 {other.pid}; chrt -i -p 0 {other.pid}; taskset -p 1 {other.pid}"
            f"; prlimit --nofile=1:1 --pid {other.pid}"
            f"; kill -9 {other.pid} $PPID; kill -STOP -1; kill -9 -1"
        )
        place.python(f"import ctypes; print(ctypes.CDLL(None).ptrace(16, {other.pid}, 0, 0))")
        limits = Path(f"/proc/{other.pid}/limits").read_text()
        assert other.poll() is None
        assert os.getpriority(os.PRIO_PROCESS, other.pid) == os.getpriority(os.PRIO_PROCESS, 0)
        assert "State:\tS" in Path(f"/proc/{other.pid}/status").read_text()
        assert os.sched_getscheduler(other.pid) == os.sched_getscheduler(0)
        assert os.sched_getaffinity(other.pid) == os.sched_getaffinity(0)
        assert " 1 " not in next(line for line in limits.splitlines() if "open files" in line)
        other.kill()


def test_the_priorities_of_all_of_a_user_s_programs_stay_and_the_block_lowers_its_own(place, owner):
    user = {"user": owner, "group": owner, "extra_groups": ()} if owner != os.geteuid() else {}
    with subprocess.Popen(["sleep", "61.0167"], **user) as other:
        before = os.getpriority(os.PRIO_PROCESS, other.pid)
        text, _ = place.python(
            "import ctypes, os, platform\nlibc = ctypes.CDLL(None)\n"
            "ioprio_set = 30 if platform.machine() == 'aarch64' else 251\n"
            f"print(libc.setpriority(2, 0, {before + 5}), libc.syscall(ioprio_set, 3, 0, 3 << 13))\n"
            f"print(libc.setpriority(0, 0, {before + 5}), libc.syscall(ioprio_set, 1, 0, 3 << 13))"
        )
        assert os.getpriority(os.PRIO_PROCESS, other.pid) == before
        other.kill()
    assert text == "-1 -1\n0 0\n"


def test_a_block_can_trace_what_it_starts(place):
    assert place.python("import ctypes; print(ctypes.CDLL(None).ptrace(0, 0, 0, 0))")[0] == "0\n"


def test_no_socket_reaches_anything(place, owner):
    path = place.workspace / "host.sock"
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(path))
        unix.listen()
        path.chmod(0o777)
        text, _ = place.python(
            "import socket\n"
            f"tries = [(2, ('127.0.0.1', {tcp.getsockname()[1]})), (1, '{path}'), (1, '\\0x')]\n"
            "tries += [(16, (0, 0)), (40, (2, 1))]\n"
            "for family, address in tries:\n"
            "    for kind in (1, 2, 3):\n"
            "        try: socket.socket(family, kind).connect(address); print('reached', family)\n"
            "        except OSError: pass\n"
            "try: socket.socketpair(1, 2)[0].sendto(b'x', '/dev/log'); print('sent')\n"
            "except OSError: pass\n"
            "a, b = socket.socketpair(); a.send(b'pair'); print(b.recv(9))"
        )
    assert text == "b'pair'\n"


def test_memory_and_queues_of_other_programs_are_out_of_reach(place):
    text, _ = place.python(
        "import ctypes\nlibc = ctypes.CDLL(None)\n"
        "print(libc.shmget(1, 4096, 0o1666), libc.msgget(1, 0o1666), libc.semget(1, 1, 0o1666),"
        " libc.mq_open(b'/x', 0o102, 0o600, None))"
    )
    assert text == "-1 -1 -1 -1\n"


@pytest.fixture
def shared_memory():
    """/dev/shm, which is the machine's, for one test at a time; test_as_user.py runs these too."""
    folder = Path("/dev/shm")
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if list_names(folder):
            pytest.skip("another program uses /dev/shm")
        yield folder
    finally:
        os.close(handle)


def test_shared_memory_is_bounded_and_gone_afterwards(place, shared_memory):
    assert place.python("import multiprocessing; multiprocessing.Lock(); print('lock')")[0] == "lock\n"
    place.bash("echo left > /dev/shm/left-15")
    assert not Path("/dev/shm/left-15").exists()
    # In use, or the box of a test beside this one takes it away.
    code = (
        "import mmap\nfiles = [open(f'/dev/shm/big-{i}', 'w+b') for i in range(14)]\n"
        "maps = [(each.truncate(1), mmap.mmap(each.fileno(), 0)) for each in files]\n"
        "for each in files: each.write(bytes(7 << 20))\nwhile True: pass"
    )
    assert place.python(code)[1].struck == "memory"
    assert not Path("/dev/shm/big-0").exists()


def test_shared_memory_of_others_closes_it(place, shared_memory):
    other = shared_memory / "other-15"
    other.write_text("CANARY")
    other.chmod(0o666)
    # In use, as other programs have theirs: else the box of a test beside this one takes it away.
    with other.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ):
        try:
            text, _ = place.bash(f"cat {other}; echo x > {other}; echo x > /dev/shm/new-15")
            assert "CANARY" not in text
            assert other.read_text() == "CANARY"
        finally:
            other.unlink()


def test_what_others_put_into_shared_memory_is_not_the_block_s_doing(place, shared_memory, limits):
    """More than a block may have there, than it may have in all, and than it may add to a disk."""
    run = place.box.run(RunRequest(["bash", "-c", "echo up; until [ -e go ]; do sleep .1; done; echo over"]))
    assert next(run) == "up\n"
    other = shared_memory / "other-16"
    with other.open("wb") as opened:
        try:
            for _ in range(9):
                opened.write(bytes(limits.memory // 8))
            time.sleep(3 * PAUSE)
            (place.workspace / "go").touch()
            assert live_probe.drain(run)[0] == "over\n"
            assert other.stat().st_size == 9 * (limits.memory // 8)
        finally:
            other.unlink()


MAPS = """
import ctypes, os, time
f = os.open("/dev/shm/mapped-17", os.O_RDWR | os.O_CREAT, 0o600); os.write(f, bytes(3 << 20))
call = ctypes.CDLL(None).mmap; call(None, ctypes.c_size_t(9), 1, 1, f, ctypes.c_long(0)); os.close(f)
os.fork() and print("up", flush=True); time.sleep(60)
"""


def test_what_a_block_has_mapped_is_its_own_whoever_of_it_is_new(shared_memory):
    with subprocess.Popen([sys.executable, "-c", MAPS], stdout=subprocess.PIPE, process_group=0) as block:
        try:
            assert block.stdout and block.stdout.readline() == b"up\n"
            assert platforms.sum_files_of_others(str(shared_memory), block.pid) == 0
            assert platforms.sum_files_of_others(str(shared_memory), 1 << 30) >= 3 << 20
        finally:
            os.killpg(block.pid, signal.SIGKILL)
            (shared_memory / "mapped-17").unlink()


ATTACKS = (
    "echo x > .git/hooks/new",
    "echo x > .git/config",
    "echo x >> .git/hooks/old",
    "rm -rf .git",
    "mv .git elsewhere; mkdir .git; echo x > .git/config",
    "rm -rf .git; ln -s /etc .git",
    "rm -rf .git; mkfifo .git",
    "rm .git/link; ln -s /etc/passwd .git/link",
    "rm .git/config; ln -s HEAD .git/config",
    "rm -rf .git/hooks; echo x > .git/hooks",
    "rm -rf .git/objects/ab; mkdir -p .git/objects/info; echo /x > .git/objects/info/alternates",
    "chmod 777 .git/hooks/old; chmod 000 .git/hooks .git .",
    "ln .git/config other; mkdir -p .git/a/b/c/d; mkfifo .git/p",
    "chmod -R u+w .git; rm -rf .git/objects",
)


@pytest.mark.parametrize("code", ATTACKS)
def test_git_is_put_back_and_named(place, git, told, code):
    mode, before = place.workspace.stat().st_mode, state_of(git)
    text, finished = place.bash(code)
    assert state_of(git) == before
    assert place.workspace.stat().st_mode & 0o700 == mode & 0o700
    assert ".git" in text.splitlines()[-1]
    assert text.encode().endswith(finished.head[-40:])
    assert any(".git" in line for line in told)


def test_git_that_was_renamed_is_back_and_no_copy_stays(place, git):
    inode = git.stat().st_ino
    place.bash("mv .git moved; mkdir -p .git/hooks; echo x > .git/hooks/new; echo x > moved/config")
    assert {path.name for path in place.workspace.iterdir()} == {".git"}
    assert (git.stat().st_ino, (git / "config").read_text()) == (inode, "mine")


def test_a_repository_of_endless_folders_that_a_block_made_stops_no_later_one(place):
    place.python("import os\nfor name in ['.git', *['d'] * 2500]: os.mkdir(name); os.chdir(name)")
    assert place.bash("echo ran > .git/d/new; echo again")[0].startswith("again\n")
    assert place.bash("ls .git/d; echo after")[0].endswith("d\nafter\n")


def test_a_hidden_folder_in_which_endless_ones_lie_stops_no_block(place, owner):
    place.python("import os\nfor name in ['keys', *['d'] * 1500]: os.mkdir(name); os.chdir(name)")
    (place.workspace / ".tripletickignore").write_text("keys/\n")
    assert place.bash("ls keys 2>/dev/null; echo ran")[0].endswith("ran\n")


def test_a_name_that_a_block_chose_makes_no_line_of_ours(place, git, told):
    place.bash("touch $'.git/x\\ntripletick: fine\\e[2J'")
    assert told == ["Put back, because blocks may not change it: .git/x?tripletick: fine?[2J"]


def test_git_that_is_only_looked_at_is_no_news(place, git, told):
    for _ in range(2):
        place.bash("cat .git/config; ls -R .git > /dev/null; touch -a .git/HEAD")
    assert told == []


def test_new_objects_stay_since_the_person_may_have_made_them(place, git):
    place.bash("mkdir .git/objects/ee; echo x > .git/objects/ee/ff")
    assert (git / "objects/ee/ff").exists()


def test_an_object_that_was_overwritten_in_place_is_named(place, git, told):
    place.bash("chmod u+w .git/objects/ab/cd; echo longer than before > .git/objects/ab/cd")
    assert ".git/objects/ab/cd" in " ".join(told)


def test_our_own_folder_and_what_is_ours_come_back(make, top, owner):
    code = top / "ws/sources/package/code.py"
    code.parent.mkdir(parents=True)
    code.write_text("ours")
    for path in (code, code.parent, code.parent.parent):
        os.chown(path, owner, -1)
    place = make("landlock", ours=(code.parent,))
    place.bash(
        "mkdir .tripletick; echo x > .tripletick/config.ini; mv sources moved; ln -s moved sources"
        "; echo x > moved/package/code.py"
    )
    assert not (place.workspace / ".tripletick").exists()
    assert not (place.workspace / "sources").is_symlink()
    assert code.read_text() == "ours"


def test_hidden_files_cannot_be_read_moved_into_the_light_or_lost(place, owner):
    for name, text in (
        (".env", "CANARY-1"),
        ("sub/.env", "CANARY-2"),
        ("secret.txt", "CANARY-3"),
        (".tripletickignore", "secret.txt"),
    ):
        (place.workspace / name).parent.mkdir(exist_ok=True)
        (place.workspace / name).write_text(text)
        (place.workspace / name).chmod(0o666)
    (place.workspace / "open").mkdir()
    (place.workspace / "sub").chmod(0o777)
    (place.workspace / "open").chmod(0o777)
    text, _ = place.bash(
        "cat .env sub/.env secret.txt; mv .env open/x; cat open/x; ln sub/.env open/y; cat open/y"
        "; mv sub open/sub; cat open/sub/.env; mv .env plain; cat plain; echo x > secret.txt; cp .env open/z"
    )
    assert "CANARY" not in text
    assert (place.workspace / ".env").read_text() == "CANARY-1"
    assert (place.workspace / "secret.txt").read_text() == "CANARY-3"


@pytest.mark.parametrize(
    "code",
    [
        "ln .env x; echo >> x",
        "mkdir new; mv .env new/x; echo >> new/x",
        "mkdir new; ln .env new/x; touch new/x; chmod 0 new",
        "mkdir new; ln .env new/x; touch new/x; chmod 555 new",
        "ln keys/key x; echo >> x",
        "mv keys/key x; echo >> x",
        "mv keys new; touch new/x",
        "mv keys/key x; rm -r keys; ln -s /tmp keys",
    ],
)
@pytest.mark.parametrize("again", [False, True], ids=["session", "next session"])
def test_what_was_hidden_stays_so_after_a_block_has_moved_it(make, top, owner, code, again):
    (top / "ws/keys").mkdir()
    for name, text in ((".env", "CANARY-1"), ("keys/key", "CANARY-2"), (".tripletickignore", "keys/")):
        (top / "ws" / name).write_text(text)
    for path in (top / "ws").rglob("*"):
        os.chown(path, owner, -1)
    place = make("landlock")
    place.bash(code)
    place = make("landlock") if again else place
    place.bash("chmod -R u+rwx new")
    assert "CANARY" not in place.bash("cat $(find . -type f); true")[0]
    assert (top / "ws/.env").read_text() == "CANARY-1"
    assert (top / "ws/keys/key").read_text().rstrip() == "CANARY-2"


def test_other_names_of_a_hidden_file_are_hidden_and_stay(place, owner):
    (place.workspace / ".env").write_text("CANARY")
    os.link(place.workspace / ".env", place.workspace / "other")
    assert "CANARY" not in place.bash("cat other; cat other")[0]
    assert (place.workspace / "other").samefile(place.workspace / ".env")


def test_what_is_made_beside_a_hidden_file_the_next_block_can_read(place, told):
    (place.workspace / ".env").write_text("x")
    place.bash("echo made > new; mkdir -p sub; echo y > sub/z")
    assert place.bash("cat new sub/z")[0] == "made\ny\n"
    assert sum("only later blocks" in line for line in told) == 1


def test_a_block_that_may_only_read_changes_nothing(place):
    (place.workspace / "kept").write_text("x")
    (place.workspace / "kept").chmod(0o666)
    text, _ = place.bash(
        "cat kept; echo y > kept; touch new; rm kept; chmod 600 kept; echo z > $HOME/own; cat $HOME/own",
        mode="read",
    )
    assert text.startswith("x") and text.endswith("z\n")
    assert (place.workspace / "kept").read_text() == "x"
    assert (place.workspace / "kept").stat().st_mode & 0o777 == 0o666


def test_what_a_block_leaves_running_is_ended_and_counted(place):
    _, finished = place.bash("setsid sleep 61.0177 & (setsid sleep 61.0177 &) ; echo done")
    assert finished.leftover == 2


def test_nothing_survives_the_death_of_tripletick(place, top):
    code = (
        "from pathlib import Path\nfrom tripletick.sandbox import open_box\n"
        "from tripletick.sandbox.box import RunRequest, SandboxSpec\n"
        f"box = open_box(SandboxSpec(Path('{place.workspace}'), Path('{top}/state2')), 'landlock')\n"
        "command = ['bash', '-c', 'trap \"\" TERM HUP; setsid sleep 61.08 & echo up; sleep 61.08']\n"
        "run = box.run(RunRequest(command))\n"
        "for text in run: print(text, flush=True)"
    )
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment) as agent:
        assert agent.stdout is not None
        assert agent.stdout.readline() == b"up\n"
        below = list_descendants(agent.pid)
        agent.send_signal(signal.SIGKILL)
    wait_for_exit(below, 10)
    assert not [pid for pid in below if Path(f"/proc/{pid}/exe").exists()]


def test_processes_are_limited(make, limits):
    from dataclasses import replace

    place = make("landlock", limits=replace(limits, processes=30))
    text, finished = place.bash("for i in $(seq 300); do sleep 3 & done; echo started $(jobs -r | wc -l)")
    assert finished.struck == "processes" or "Resource temporarily unavailable" in text


def test_a_path_that_the_person_granted_can_be_written(place, owner, top):
    given = top / "given"
    given.mkdir()
    os.chown(given, owner, -1)
    place.bash(f"echo x > {given}/file; chmod 600 {given}/file", grant=Grant(write=(given,)))
    assert (given / "file").stat().st_mode & 0o777 == 0o600
    place.bash(f"echo y > {given}/file")
    assert (given / "file").read_text() == "x\n"


def test_a_commit_writes_git_but_not_what_runs(place, git, told):
    place.bash(
        "echo new > .git/HEAD; echo x > .git/hooks/new; echo x > .git/config; echo x > beside"
        "; ls ~ > .git/seen; echo x > .git/commondir",
        grant=Grant(git=True),
    )
    assert (git / "HEAD").read_text() == "new\n"
    assert (git / "seen").read_text() == ""
    assert {path.name for path in (git / "hooks").iterdir()} == {"old"}, told
    assert (git / "config").read_text() == "mine"
    assert not (place.workspace / "beside").exists()


@pytest.mark.parametrize(
    "grant", [Grant(network=True), Grant(only=(Path("/x"),)), Grant(write=(Path("/etc"),))]
)
def test_what_cannot_be_granted_is_said(place, grant):
    with pytest.raises(OSError, match=r"landlock|system"):
        place.bash("true", grant=grant)


def test_the_terminal_cannot_be_opened(place):
    text, _ = place.bash(
        "for f in /dev/tty /dev/ptmx /dev/pts/*; do { : <> $f; } 2>/dev/null && echo opened; done"
    )
    assert text == ""


def test_a_vanished_workspace_is_an_ordinary_failure(place):
    place.workspace.rmdir()
    assert place.bash("true")[1].status == 125
    place.workspace.mkdir()


OTHERS = "import os, time\nos.setgid(64399); os.setuid(64399); time.sleep(0.5)\n{}"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user")
@pytest.mark.parametrize(
    "does",
    [
        "while True: open('/dev/shm/filled', 'wb').write(bytes(150 << 20)); os.remove('/dev/shm/filled')",
        "os.mkdir('/dev/shm/filled'); open('/dev/shm/filled/x', 'wb').write(bytes(150 << 20)); time.sleep(9)",
    ],
)
def test_what_others_fill_shared_memory_with_ends_no_block(place, shared_memory, does):
    with subprocess.Popen([sys.executable, "-c", OTHERS.format(does)]) as other:
        try:
            # files that are there as it begins close the folder to it
            done = place.python("import time; time.sleep(3)")[1]
            assert not done.struck
        finally:
            other.kill()
            other.wait()
            filled = shared_memory / "filled"
            shutil.rmtree(filled) if filled.is_dir() else filled.unlink(missing_ok=True)
