"""The system calls that a block may not make freely where it shares the machine's namespaces (tier 2).

Adds to seccomp.py: no sockets but pairs, no shared memory or queues by number, no limits of other processes.
What changes modes, owners and times is asked for (confine.py answers), since Landlock does not cover it.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterable

from tripletick.sandbox.seccomp import (
    ALLOW,
    ARCHITECTURE_AT,
    ARCHITECTURES,
    EQUAL,
    LOAD,
    NUMBER_AT,
    RETURN,
    Bits,
    Check,
    Only,
    Step,
    decide,
    on_call,
    refuse_all,
)

ASK = 0x7FC00000
"""SECCOMP_RET_USER_NOTIF."""
FILTERING = {"x86_64": 317, "aarch64": 277}
"""seccomp(2), which has no name in the C library."""

Asked = tuple[str, int | None, int | None, int | None, int]

REFUSED = {
    "socket": (41, 198, errno.ENETUNREACH),
    "shmget": (29, 194, errno.ENOSYS),
    "shmat": (30, 196, errno.ENOSYS),
    "shmctl": (31, 195, errno.ENOSYS),
    "semget": (64, 190, errno.ENOSYS),
    "semop": (65, 193, errno.ENOSYS),
    "semctl": (66, 191, errno.ENOSYS),
    "semtimedop": (220, 192, errno.ENOSYS),
    "msgget": (68, 186, errno.ENOSYS),
    "msgsnd": (69, 189, errno.ENOSYS),
    "msgrcv": (70, 188, errno.ENOSYS),
    "msgctl": (71, 187, errno.ENOSYS),
    "mq_open": (240, 180, errno.ENOSYS),
    "mq_unlink": (241, 181, errno.ENOSYS),
    "setxattr": (188, 5, errno.EOPNOTSUPP),
    "lsetxattr": (189, 6, errno.EOPNOTSUPP),
    "fsetxattr": (190, 7, errno.EOPNOTSUPP),
    "removexattr": (197, 14, errno.EOPNOTSUPP),
    "lremovexattr": (198, 15, errno.EOPNOTSUPP),
    "fremovexattr": (199, 16, errno.EOPNOTSUPP),
    "setxattrat": (463, 463, errno.ENOSYS),
    "removexattrat": (466, 466, errno.ENOSYS),
    "file_setattr": (469, 469, errno.ENOSYS),
    "utime": (132, None, errno.ENOSYS),
    "utimes": (235, None, errno.ENOSYS),
    "futimesat": (261, None, errno.ENOSYS),
}
"""Name: number on x86_64, on aarch64, what it gives. The C library changes times by utimensat alone."""
TERMINAL = (
    *range(0x5401, 0x540C),
    *(0x540E, 0x540F, 0x5410, 0x5413, 0x5414, 0x541B, 0x5421, 0x5422, 0x5429),
    *(0x5450, 0x5451, 0x5452, 0x5460, 0x802C542A, 0x402C542B, 0x402C542C, 0x402C542D),
)
"""TC* and TIOC* of ioctl_tty(2) that look, or set one's own; FIO* for pipes and blocking."""
LOOKING = (0x1, 0x2, 0x80086601, 0x80087601, 0x801C581F, 0xC020660B)
"""FIBMAP, FIGETBSZ, FS_IOC_GETFLAGS, FS_IOC_GETVERSION, FS_IOC_FSGETXATTR, FS_IOC_FIEMAP."""
CLONING = (0x40049409, 0x4020940D)
"""FICLONE and FICLONERANGE, into a file that is open for writing."""
PROCESS, GROUP, IO_PROCESS, IO_GROUP = 0, 1, 1, 2
"""PRIO_PROCESS and PRIO_PGRP of setpriority(2), IOPRIO_WHO_PROCESS and IOPRIO_WHO_PGRP of ioprio_set(2)."""
CHECKED: dict[str, tuple[int, int, tuple[Check, ...]]] = {
    # A datagram socket can send to any path, also one that came as a pair.
    "socketpair": (53, 199, (Bits(((1, 0b10),)),)),
    # Limits and priorities of itself alone: of a user, 0 stands for whose program it is.
    "prlimit64": (302, 261, (Only(0, (0,)),)),
    "setpriority": (141, 140, (Only(0, (PROCESS, GROUP)), Only(1, (0,)))),
    "ioprio_set": (251, 30, (Only(0, (IO_PROCESS, IO_GROUP)), Only(1, (0,)))),
    "sched_setparam": (142, 118, (Only(0, (0,)),)),
    "sched_setscheduler": (144, 119, (Only(0, (0,)),)),
    "sched_setaffinity": (203, 122, (Only(0, (0,)),)),
    "sched_setattr": (314, 274, (Only(0, (0,)),)),
    # Of what is open for reading alone, others change attributes, and some file systems make or remove trees.
    "ioctl": (16, 29, (Only(1, (*TERMINAL, *LOOKING, *CLONING), errno.ENOTTY),)),
}
"""Name: number on x86_64, on aarch64, what must all hold."""
ASKED: dict[str, tuple[int | None, int | None, Asked]] = {
    "chmod": (90, None, ("mode", None, 0, None, 1)),
    "fchmod": (91, 52, ("mode", 0, None, None, 1)),
    "fchmodat": (268, 53, ("mode", 0, 1, None, 2)),
    "fchmodat2": (452, 452, ("mode", 0, 1, 3, 2)),
    "chown": (92, None, ("owner", None, 0, None, 1)),
    "lchown": (94, None, ("own owner", None, 0, None, 1)),
    "fchown": (93, 55, ("owner", 0, None, None, 1)),
    "fchownat": (260, 54, ("owner", 0, 1, 4, 2)),
    "utimensat": (280, 88, ("times", 0, 1, 3, 2)),
}
"""Name: numbers, then what is changed and which arguments are folder, path, flags and the first new value."""
FORKS = {"clone": (56, 220), "fork": (57, None), "vfork": (58, None)}
"""What makes processes and threads, but for clone3, which seccomp.py denies."""


def asked(machine: str) -> dict[int, Asked]:
    """Give the calls that are asked for, by number."""
    first = machine == next(iter(ARCHITECTURES))
    rows = ((one if first else other, how) for one, other, how in ASKED.values())
    return {number: how for number, how in rows if number is not None}


def forks(machine: str) -> list[int]:
    """Give the calls that make processes and threads, by number."""
    column = list(ARCHITECTURES).index(machine)
    return [number for row in FORKS.values() if (number := row[column]) is not None]


def look_at_call(machine: str) -> list[Step]:
    return [
        (LOAD, 0, 0, ARCHITECTURE_AT),
        # The other filter refuses every other architecture.
        (EQUAL, 1, 0, ARCHITECTURES[machine]),
        (RETURN, 0, 0, ALLOW),
        (LOAD, 0, 0, NUMBER_AT),
    ]


def list_steps(machine: str) -> list[Step]:
    column = list(ARCHITECTURES).index(machine)
    steps = look_at_call(machine)
    for error in sorted({row[2] for row in REFUSED.values()}):
        numbers = [row[column] for row in REFUSED.values() if row[2] == error]
        steps += refuse_all([number for number in numbers if number is not None], error)
    for one, other, checks in CHECKED.values():
        # Each but the last goes on to the next in the place of its last step, which allows.
        before = [step for check in checks[:-1] for step in decide(check)[:-1]]
        steps += on_call((one, other)[column], [*before, *decide(checks[-1])])
    return steps + ask_for(asked(machine))


def ask_for(numbers: Iterable[int]) -> list[Step]:
    """End a filter: these calls are asked for, all others allowed."""
    steps = [step for number in numbers for step in on_call(number, [(RETURN, 0, 0, ASK)])]
    return [*steps, (RETURN, 0, 0, ALLOW)]


def written(steps: Iterable[Step]) -> bytes:
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def program(machine: str = "", *, count: bool = False) -> bytes | None:
    """Give the filter for this machine, to be installed with a listener; None for unknown ones. To `count`
    processes, what makes them is asked for too.
    """
    machine = machine or os.uname().machine
    if machine not in ARCHITECTURES:
        return None
    return written([*list_steps(machine)[:-1], *ask_for(forks(machine) if count else ())])


def fork_filter(machine: str = "") -> bytes | None:
    """Give a filter that asks for what makes processes, and for nothing else; None for unknown machines."""
    machine = machine or os.uname().machine
    if machine not in ARCHITECTURES:
        return None
    return written([*look_at_call(machine), *ask_for(forks(machine))])
