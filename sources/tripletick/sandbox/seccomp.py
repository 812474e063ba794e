"""The system calls that no block may make, as a filter for the kernel (seccomp(2), classic BPF).

Covers what namespaces and mounts do not: kernel parts with a long record of holes, sockets of rare families,
setuid bits on files of the workspace, keys typed into a terminal. Does not look at paths: the kernel shows a
filter numbers, and never what a pointer leads to. ptrace stays allowed, since gdb and LeakSanitizer need it
and a process namespace makes it harmless.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""AUDIT_ARCH_* of linux/audit.h. Another one on the same kernel has other numbers, so it is refused."""
X32 = 0x40000000
"""Calls of the x32 interface begin here: the same calls by other numbers."""

NUMBERS = {
    # name: (x86_64, aarch64); from asm/unistd_64.h and asm-generic/unistd.h
    "open": (2, None),
    "ioctl": (16, 29),
    "shmget": (29, 194),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "clone": (56, 220),
    "mkdir": (83, None),
    "creat": (85, None),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "mknod": (133, None),
    "pivot_root": (155, 41),
    "adjtimex": (159, 171),
    "settimeofday": (164, 170),
    "mount": (165, 40),
    "umount2": (166, 39),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "init_module": (175, 105),
    "delete_module": (176, 106),
    "clock_settime": (227, 112),
    "kexec_load": (246, 104),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "openat": (257, 56),
    "mkdirat": (258, 34),
    "mknodat": (259, 33),
    "fchmodat": (268, 53),
    "unshare": (272, 97),
    "perf_event_open": (298, 241),
    "open_by_handle_at": (304, 265),
    "clock_adjtime": (305, 266),
    "setns": (308, 268),
    "finit_module": (313, 273),
    "kexec_file_load": (320, 294),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "clone3": (435, 435),
    "openat2": (437, 437),
    "mount_setattr": (442, 442),
    "memfd_secret": (447, 447),
    "fchmodat2": (452, 452),
    "open_tree_attr": (467, 467),
}

ABSENT = ("io_uring_setup", "io_uring_enter", "io_uring_register", "clone3", "openat2", "memfd_secret")
"""Told that they do not exist: programs then take the older call, whose arguments a filter can see, or whose
memory the watchdog can."""
FORBIDDEN = (
    *("add_key", "request_key", "keyctl", "bpf", "perf_event_open", "userfaultfd"),
    *("mount", "umount2", "pivot_root", "fsopen", "fsconfig", "fsmount", "fspick"),
    *("move_mount", "open_tree", "open_tree_attr", "mount_setattr", "setns", "open_by_handle_at"),
    *("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot"),
    *("swapon", "swapoff", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime"),
)

NAMESPACES = 0x7E020000
"""CLONE_NEW* of linux/sched.h. CLONE_NEWTIME is a signal number to clone, and a flag to unshare alone."""
NEWTIME = 0x80
CREATE = 0o100 | 0o20000000
"""O_CREAT, and the bit that makes O_TMPFILE more than O_DIRECTORY: without these the mode is no argument."""
SETID = 0o6000
FAMILIES = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, AF_NETLINK."""
SEGMENT = 256 << 10
"""Bytes of shared memory by number, which no process shows that has let go of it. There are 4096 at most, so
they stay together under a gigabyte; databases take a few bytes to tell whether they run."""
TYPING = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX put characters into a terminal's input."""


@dataclass(frozen=True, slots=True)
class Bits:
    """Refuse the call where each of these arguments has one of these bits."""

    masks: tuple[tuple[int, int], ...]
    error: int = errno.EPERM


@dataclass(frozen=True, slots=True)
class Never:
    """Refuse the call where this argument is one of `values`."""

    argument: int
    values: tuple[int, ...]
    error: int = errno.EPERM


@dataclass(frozen=True, slots=True)
class Only:
    """Refuse the call where this argument is none of `values`."""

    argument: int
    values: tuple[int, ...]
    error: int = errno.EPERM


@dataclass(frozen=True, slots=True)
class AtMost:
    """Refuse the call where this argument, of 64 bits, is larger."""

    argument: int
    most: int
    error: int = errno.EINVAL


Check = Bits | Never | Only | AtMost

CHECKS: dict[str, Check] = {
    "shmget": AtMost(1, SEGMENT),
    "clone": Bits(((0, NAMESPACES),)),
    "unshare": Bits(((0, NAMESPACES | NEWTIME),)),
    "ioctl": Never(1, TYPING),
    "socket": Only(0, FAMILIES, errno.EAFNOSUPPORT),
    "socketpair": Only(0, FAMILIES, errno.EAFNOSUPPORT),
    "chmod": Bits(((1, SETID),)),
    "fchmod": Bits(((1, SETID),)),
    "fchmodat": Bits(((2, SETID),)),
    "fchmodat2": Bits(((2, SETID),)),
    "creat": Bits(((1, SETID),)),
    "mkdir": Bits(((1, SETID),)),
    "mkdirat": Bits(((2, SETID),)),
    "mknod": Bits(((1, SETID),)),
    "mknodat": Bits(((2, SETID),)),
    "open": Bits(((1, CREATE), (2, SETID))),
    "openat": Bits(((2, CREATE), (3, SETID))),
}

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""BPF_LD|W|ABS, BPF_JMP|JEQ|K, JGE, JSET, BPF_RET|K."""
ALLOW, ERROR, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16
"""Offsets in struct seccomp_data. Of most arguments the low 32 bits are enough: the kernel takes int, or
flags that lie in these."""

Step = tuple[int, int, int, int]
"""Code, jump if true, jump if false (both counted in steps left out), value."""


def argument(number: int) -> Step:
    return LOAD, 0, 0, ARGUMENTS_AT + 8 * number


def decide(check: Check) -> list[Step]:
    """Give the steps that judge the arguments of one call; each way through them ends in a return."""
    refuse, allow = (RETURN, 0, 0, ERROR | check.error), (RETURN, 0, 0, ALLOW)
    if isinstance(check, Bits):
        pairs = list(enumerate(reversed(check.masks)))
        steps = [(argument(at), (ANY_BIT, 0, 2 * left + 1, mask)) for left, (at, mask) in reversed(pairs)]
        return [step for pair in steps for step in pair] + [refuse, allow]
    if isinstance(check, AtMost):
        low, high = argument(check.argument), (LOAD, 0, 0, ARGUMENTS_AT + 8 * check.argument + 4)
        return [high, (EQUAL, 0, 2, 0), low, (AT_LEAST, 0, 1, check.most + 1), refuse, allow]
    last = len(check.values) - 1
    same = [(EQUAL, last - place + 1, 0, value) for place, value in enumerate(check.values)]
    ends = [allow, refuse] if isinstance(check, Never) else [refuse, allow]
    return [argument(check.argument), *same, *ends]


def refuse_all(numbers: list[int], error: int) -> list[Step]:
    """Give one return for many calls; the last of them jumps over it when it does not fit."""
    last = len(numbers) - 1
    same = [(EQUAL, last - place, int(place == last), number) for place, number in enumerate(sorted(numbers))]
    return [*same, (RETURN, 0, 0, ERROR | error)]


def on_call(number: int, steps: list[Step]) -> list[Step]:
    return [(EQUAL, 0, len(steps), number), *steps]


def list_steps(architecture: int, numbers: Mapping[str, int]) -> list[Step]:
    steps: list[Step] = [
        (LOAD, 0, 0, ARCHITECTURE_AT),
        (EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER_AT),
        (AT_LEAST, 0, 1, X32),
        (RETURN, 0, 0, ERROR | errno.ENOSYS),
    ]
    for names, error in ((FORBIDDEN, errno.EPERM), (ABSENT, errno.ENOSYS)):
        steps += refuse_all([numbers[name] for name in names if name in numbers], error)
    for name, check in CHECKS.items():
        if name in numbers:
            steps += on_call(numbers[name], decide(check))
    return [*steps, (RETURN, 0, 0, ALLOW)]


def program(machine: str = "") -> bytes | None:
    """Give the filter for this machine (os.uname), an array of struct sock_filter; None for unknown ones."""
    machine = machine or os.uname().machine
    if machine not in ARCHITECTURES:
        return None
    column = list(ARCHITECTURES).index(machine)
    numbers = {name: row[column] for name, row in NUMBERS.items()}
    known = {name: number for name, number in numbers.items() if number is not None}
    return b"".join(struct.pack("=HBBI", *step) for step in list_steps(ARCHITECTURES[machine], known))
