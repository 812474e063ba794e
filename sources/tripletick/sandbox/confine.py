"""A program of its own: gives up all but the rights that it is told, for good, and becomes a block.

Landlock decides on files, seccomp on system calls; both bind whatever the block starts. Started by file as
`python -I -S` below our reaper, so it imports nothing of ours. Arguments: a descriptor with a JSON object,
then the command. Where anything cannot be given up it ends with 125 and runs nothing.

Facts: landlock(7), seccomp(2), linux/landlock.h. The calls have the same numbers on every architecture.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import stat
import struct
import sys
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
FILTER = 2
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


def restrict_calls(program: bytes) -> None:
    steps = ctypes.create_string_buffer(program, len(program))
    wanted = struct.pack("@HP", len(program) // SHORT_STEP, ctypes.addressof(steps))
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


def confine(settings: dict[str, Any]) -> None:
    """Give up the rest, in an order in which each step may still be made. Raises OSError."""
    become(settings["user"], settings["processes"])
    drop_powers()
    restrict_files(settings["rules"])
    for program in settings["filters"]:
        restrict_calls(bytes.fromhex(program))
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


def main(number: int, command: list[str]) -> NoReturn:
    with open(number, "rb") as given:
        settings = json.load(given)
    try:
        confine(settings)
    except (OSError, OverflowError) as error:
        os.write(2, f"tripletick: the block could not be confined: {error}\n".encode(errors="replace"))
        os._exit(NOT_CONFINED)
    start(command)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
