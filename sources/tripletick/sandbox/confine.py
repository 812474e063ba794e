"""A program of its own: gives up all but the rights that it is told, for good, and starts a block.

Landlock decides on files, seccomp on system calls; both bind whatever the block starts. Modes, owners and
times of files are outside Landlock: the kernel asks us, and we change them where the block may write. Started
by file as `python -I -S` below our reaper, so it imports nothing of ours, and nothing slow. Arguments: a
descriptor with a JSON object, then the command. Where anything cannot be given up it ends with 125 and runs
nothing.

Facts: landlock(7), seccomp(2), seccomp_unotify(2). The calls of Landlock have one number everywhere.
"""

from __future__ import annotations

import _socket
import ctypes
import errno
import fcntl
import json
import os
import resource
import select
import stat
import struct
import sys
import time
from typing import Any, NoReturn

CREATE_RULESET, ADD_RULE, RESTRICT_SELF, OPENAT2 = 444, 445, 446, 437
VERSION = 1
PATH_BENEATH = 1
FILES = ((1, 0x1FFF), (2, 1 << 13), (3, 1 << 14), (5, 1 << 15), (9, 1 << 16))
"""Version of Landlock, and the rights on files that it brought: all of the first, moving and linking between
folders, truncating, ioctl on devices, connecting to sockets by path."""
PORTS = ((4, 0b11),)
"""Binding and connecting TCP."""
SCOPES = ((6, 0b11),)
"""Abstract sockets and signals of processes outside."""
OF_A_FILE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15 | 1 << 16
"""Execute, write, read, truncate, ioctl, connect; the other rights are those of folders."""
SIZES = ((1, 8), (4, 16), (6, 24))
NO_SYMLINKS = 0x04
SET_SECCOMP, BOUNDING_DROP, NO_NEW_PRIVS, AMBIENT, CLEAR_ALL = 22, 24, 38, 47, 4
FILTER, SET_FILTER, LISTENER = 2, 1, 1 << 3
RECEIVE, SEND = 0xC0502100, 0xC0182101
"""SECCOMP_IOCTL_NOTIF_*; a question is id, thread, flags, then struct seccomp_data; an answer is id, value,
error, flags."""
QUESTION, ANSWER = "=QIIiIQ6Q", "=QqiI"
HERE, NOFOLLOW, EMPTY = -100, 0x100, 0x1000
"""AT_FDCWD, AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH."""
CONTINUE = 1
"""SECCOMP_USER_NOTIF_FLAG_CONTINUE: the kernel makes the call."""
DEATH_SIGNAL, KILLED = 1, 9
LONGEST, TIMES, KEPT_BITS = 4096, 32, 0o1777
UNDER_WAY = 0.005
"""Seconds that allowed processes get to be there before they are counted."""
MOMENT = 0.5
"""Seconds in which what a block leaves behind may still fork."""
CAPABILITIES_3 = 0x20080522
FAMILIES = (1, 2, 10, 16)
SHORT_STEP = 8
NOT_CONFINED = 125
"""As docker(1) and running.py count what has not been started."""

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def since(version: int, table: tuple[tuple[int, int], ...]) -> int:
    """Join the bits that this version knows."""
    bits = 0
    for first, more in table:
        bits |= more if version >= first else 0
    return bits


def landlock_version() -> int:
    """Give the version of Landlock in this kernel, 0 where there is none or it is off."""
    return max(0, int(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION)))


def open_exactly(path: str) -> int:
    """Open for reference only; no link on the way may lead elsewhere."""
    how = struct.pack("=QQQ", os.O_PATH | os.O_CLOEXEC, 0, NO_SYMLINKS)
    return check(
        libc.syscall(OPENAT2, -100, os.fsencode(path), how, ctypes.c_size_t(len(how))), f"open {path}"
    )


def make_ruleset(version: int) -> tuple[int, int]:
    """Give a new ruleset and the rights on files that it takes away."""
    handled = since(version, FILES)
    size = [size for first, size in SIZES if version >= first][-1]
    wanted = struct.pack("=QQQ", handled, since(version, PORTS), since(version, SCOPES))[:size]
    ruleset = libc.syscall(CREATE_RULESET, wanted, ctypes.c_size_t(size), 0)
    return check(ruleset, "landlock_create_ruleset"), handled


def allow(ruleset: int, path: str, rights: int) -> None:
    """Give back rights below a path; what has gone or is a link gets none."""
    try:
        handle = open_exactly(path)
    except OSError:
        return
    mode = os.fstat(handle).st_mode
    rights &= -1 if stat.S_ISDIR(mode) else OF_A_FILE
    if rights and not stat.S_ISLNK(mode):
        rule = struct.pack("=Qi", rights, handle)
        check(libc.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0), f"landlock_add_rule {path}")
    os.close(handle)


def restrict_files(rules: list[tuple[str, int]]) -> None:
    ruleset, handled = make_ruleset(landlock_version())
    for path, rights in rules:
        allow(ruleset, path, rights & handled)
    check(libc.syscall(RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)


def drop_powers() -> None:
    """Give up every capability, and that a program could bring any back."""
    check(libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    libc.prctl(AMBIENT, CLEAR_ALL, 0, 0, 0)
    number = 0
    while libc.prctl(BOUNDING_DROP, number, 0, 0, 0) == 0:
        number += 1
    header, nothing = struct.pack("=Ii", CAPABILITIES_3, 0), bytes(24)
    check(libc.capset(header, nothing), "capset")


def pack(program: bytes) -> tuple[bytes, Any]:
    """Give a struct sock_fprog, and what it points to."""
    steps = ctypes.create_string_buffer(program, len(program))
    return struct.pack("@HP", len(program) // SHORT_STEP, ctypes.addressof(steps)), steps


def ask(settings: dict[str, Any], to: _socket.socket) -> None:
    """Install the filter that asks; who answers gets its listener."""
    wanted, _steps = pack(bytes.fromhex(settings["asking"]))
    listener = check(libc.syscall(settings["filtering"], SET_FILTER, LISTENER, wanted), "seccomp")
    to.sendmsg([b"+"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", listener))])
    os.close(listener)


def restrict_calls(settings: dict[str, Any], to: _socket.socket) -> None:
    """Install both filters."""
    ask(settings, to)
    wanted, _steps = pack(bytes.fromhex(settings["refusing"]))
    check(libc.prctl(SET_SECCOMP, FILTER, wanted, 0, 0), "seccomp")


def become(user: list[Any] | None, processes: int) -> None:
    if user:
        uid, gid, groups = user
        os.setgroups(groups)
        os.setgid(gid)
        os.setuid(uid)
    if processes:
        hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
        most = processes if hard == resource.RLIM_INFINITY else min(processes, hard)
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def confine(settings: dict[str, Any], to: _socket.socket) -> None:
    """Give up the rest, in an order in which each step may still be made. Raises OSError."""
    os.chdir(settings["folder"])
    restrict_files(settings["rules"])
    restrict_calls(settings, to)
    to.close()
    if any(libc.socket(family, 1, 0) >= 0 for family in FAMILIES):
        raise OSError("sockets can still be made")


def start(command: list[str]) -> NoReturn:
    try:
        os.execvp(command[0], command)
    except OSError as error:
        # A folder of PATH that is closed to us makes a missing program look like a forbidden one.
        paths = [command[0]] if "/" in command[0] else [f"{each}/{command[0]}" for each in os.get_exec_path()]
        status = 126 if any(os.access(path, os.F_OK) for path in paths) else 127
        why = error.strerror if status == 126 else "not found"
        os.write(2, f"{command[0]}: {why}\n".encode(errors="replace"))
        os._exit(status)


def give_up(error: Exception) -> NoReturn:
    os.write(2, f"tripletick: the block could not be confined: {error}\n".encode(errors="replace"))
    os._exit(NOT_CONFINED)


def begin(settings: dict[str, Any], to: _socket.socket, command: list[str]) -> NoReturn:
    try:
        confine(settings, to)
    except (OSError, OverflowError) as error:
        give_up(error)
    # Closed to the block when that is started; ours to close in who answers.
    os.set_inheritable(settings["report"], False)
    os.write(settings["report"], b"+\n")
    start(command)


def locate(thread: int, folder: int | None, path: bytes | None) -> bytes:
    """Give a path to what a thread names, from where we are."""
    here = f"/proc/{thread}/cwd" if folder in (None, HERE) else f"/proc/{thread}/fd/{folder}"
    if not path:
        return here.encode()
    for its, seen in ((b"/proc/self/", b"/proc/%d/"), (b"/proc/thread-self/", b"/proc/%d/")):
        if path.startswith(its):
            return seen % thread + path.removeprefix(its)
    return path if path.startswith(b"/") else here.encode() + b"/" + path


def read(thread: int, address: int, size: int) -> bytes:
    """Read the memory of who asks; up to the end of a page where the next one is not there."""
    handle = os.open(f"/proc/{thread}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(handle, size, address)
    finally:
        os.close(handle)


def signed(number: int) -> int:
    return ctypes.c_int(number).value


def change(kind: str, target: bytes, value: list[int], thread: int) -> None:
    if kind == "mode":
        check(libc.chmod(target, value[0] & KEPT_BITS), "chmod")
    elif kind == "times":
        times = read(thread, value[0], TIMES) if value[0] else None
        if times is not None and len(times) < TIMES:
            raise OSError(errno.EFAULT, "")
        check(libc.utimensat(HERE, target, times, 0), "utimensat")
    else:
        os.chown(target, signed(value[0]), signed(value[1]))


def answer(question: tuple[int, ...], settings: dict[str, Any]) -> None:
    """Do what a block asks for where it may write. Raises OSError with what it gets elsewhere.

    What we change is the file that we have opened and looked at, wherever its name leads by then; its name in
    the block's memory can change meanwhile, and is read once.
    """
    thread, number, values = question[1], question[3], question[6:]
    kind, folder, path, flags, first = settings["asked"][str(number)]
    bits = values[flags] if flags is not None else NOFOLLOW if kind.startswith("own ") else 0
    name = read(thread, values[path], LONGEST).split(b"\0")[0] if path is not None and values[path] else None
    if name == b"" and not bits & EMPTY:
        raise FileNotFoundError(errno.ENOENT, "")
    where = locate(thread, None if folder is None else signed(values[folder]), name)
    handle = os.open(where, os.O_PATH | os.O_CLOEXEC | (os.O_NOFOLLOW if name and bits & NOFOLLOW else 0))
    try:
        opened = f"/proc/self/fd/{handle}"
        real = os.readlink(opened)  # noqa: PTH115 (pathlib takes as long to load as all the rest)
        if not any(f"{real}/".startswith(f"{root}/") for root in settings["writable"]):
            raise PermissionError(errno.EPERM, "")
        change(kind.removeprefix("own "), opened.encode(), list(values[first:]), thread)
    finally:
        os.close(handle)


class Forks:
    """How many processes and threads there may be below one process; counted when so many were allowed."""

    def __init__(self, most: int, above: int) -> None:
        self._most, self._above = most, above
        self._left = 0
        self._allowed: set[int] = set()

    def allow(self, thread: int) -> bool:
        """Tell whether this thread may make one more."""
        self._allowed.discard(thread)
        if self._left <= 0:
            time.sleep(UNDER_WAY)
            # Half, and less what may be under way: a machine under load is slow to do what was allowed.
            running = {each for each in self._allowed if read_stat(each)[:1] == [b"R"]}
            self._left = (self._most - count_below(self._above) - len(running) + 1) // 2
            self._allowed = running
        self._left -= 1
        if self._left >= 0:
            self._allowed.add(thread)
        return self._left >= 0


def read_stat(pid: int | str) -> list[bytes]:
    """Give state, parent and so on of a process (proc_pid_stat(5)); nothing of one that has gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as text:  # noqa: PTH123 (see above)
            return text.read().rpartition(b")")[2].split()
    except OSError:
        return []


def count_below(above: int) -> int:
    """Count the threads of all processes below one, as the kernel does: what nobody waited for is one."""
    below: dict[int, list[tuple[int, int]]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208 (see above)
        if fields := read_stat(name):
            below.setdefault(int(fields[1]), []).append((int(name), max(1, int(fields[17]))))
    total, waiting = 0, [above]
    while waiting:
        for pid, threads in below.get(waiting.pop(), ()):
            total += threads
            waiting.append(pid)
    return total


def judge(question: tuple[int, ...], settings: dict[str, Any], forks: Forks) -> tuple[int, int]:
    """Give error and flags of the answer to one question."""
    if question[3] in settings["forks"]:
        return (0, CONTINUE) if forks.allow(question[1]) else (errno.EAGAIN, 0)
    try:
        answer(question, settings)
    except OSError as error:
        return error.errno or errno.EPERM, 0
    return 0, 0


def serve(listener: int, settings: dict[str, Any], forks: Forks) -> None:
    """Take one question and answer it; who asked may be gone by then."""
    space = bytearray(struct.calcsize(QUESTION))
    try:
        fcntl.ioctl(listener, RECEIVE, space)
    except OSError:
        return
    question = struct.unpack(QUESTION, space)
    failed, flags = judge(question, settings, forks)
    try:
        fcntl.ioctl(listener, SEND, struct.pack(ANSWER, question[0], 0, -failed, flags))
    except OSError:
        return


def watch(child: int, listener: int, settings: dict[str, Any], forks: Forks) -> None:
    """Answer until the child has ended; where forks are asked for, what it leaves gets a moment too."""
    ended, poll = os.pidfd_open(child), select.poll()
    for handle in (ended, listener):
        poll.register(handle, select.POLLIN)
    until, gone = float("inf"), False
    while until > (now := time.monotonic()):
        events = dict(poll.poll(None if until == float("inf") else (until - now) * 1000))
        if ended in events:
            poll.unregister(ended)
            gone = True
            until = time.monotonic() + (MOMENT if settings["forks"] else 0)
        if events.get(listener, 0) & select.POLLIN:
            serve(listener, settings, forks)
        elif listener in events:
            # Nobody is left who could ask.
            poll.unregister(listener)
            settings["forks"] = ()
            until = 0.0 if gone else until


def count(settings: dict[str, Any], to: _socket.socket, command: list[str]) -> NoReturn:
    """Start a command whose forks are asked for, and which keeps all else that it may do."""
    libc.prctl(DEATH_SIGNAL, KILLED, 0, 0, 0)
    check(libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    ask(settings, to)
    to.close()
    start(command)


def main(number: int, command: list[str]) -> NoReturn:
    with open(number, "rb") as given:
        settings = json.load(given)
    ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    confined = "rules" in settings
    if confined:
        become(settings["user"], settings["processes"])
        drop_powers()
    else:
        libc.prctl(DEATH_SIGNAL, KILLED, 0, 0, 0)
    try:
        child = os.fork()
    except OSError as error:
        give_up(error)
    if not child:
        ours.close()
        (begin if confined else count)(settings, theirs, command)
    theirs.close()
    # Above a block is our reaper, whose children all become that the block leaves behind.
    forks = Forks(settings["most"], os.getppid() if confined else os.getpid())
    _, passed, _, _ = ours.recvmsg(1, _socket.CMSG_SPACE(4))
    for _, _, data in passed:
        watch(child, struct.unpack("i", data)[0], settings, forks)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os._exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
