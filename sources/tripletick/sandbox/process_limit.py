"""Who counts the processes of a block: the kernel's limit exempts the machine's root (setrlimit(2)).

A cgroup of its own counts them there, below the one that we run in, so that no outer limit is left; where
none can be made, each fork is asked for (confine.py). Where that cannot be either, the watchdog alone looks.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tripletick.sandbox import blocked_syscalls
from tripletick.sandbox.box import SandboxSpec
from tripletick.sandbox.user import User
from tripletick.system import platforms

SENTENCE = "; root's processes are counted ten times a second, not on every fork"
"""What the tier says where the watchdog alone counts."""
CONFINE = Path(__file__).with_name("confine.py")
OUTER = 1
"""Processes in a block's cgroup that are not its own: bubblewrap or our reaper."""
JOIN = 'echo 0 > "$1" && shift && exec "$@"'
"""A thread that moves itself, and no other, waits for nobody: a process takes up to 9 ms more."""
PREFIX = "tripletick."
MEMBERS, TASKS, THREADS, MOST = "cgroup.procs", "tasks", "cgroup.threads", "pids.max"
"""Threads are listed in TASKS by version 1, in THREADS by version 2, which lists nothing else for a threaded
cgroup."""
KIND, ENABLED = "cgroup.type", "cgroup.subtree_control"
PAUSES = (0.0002, 0.0005, 0.001, 0.002, 0.005, *[0.01] * 200)
"""Seconds: the kernel takes a process out of its cgroup a moment after its end was told, 0.3 ms here."""
numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Counting:
    """What holds the number of processes. As shipped: the kernel's own limit of them."""

    exempt: bool = False
    """The kernel's limit does not bind who blocks run as."""
    place: Path | None = None
    """The cgroup in which each block gets one of its own."""
    asks: bool = False
    """Each fork can be asked for."""

    @property
    def at_fork(self) -> bool:
        """Each fork is asked for."""
        return self.exempt and self.place is None and self.asks

    @property
    def watched(self) -> bool:
        """The watchdog has to look: the kernel does not refuse all that is too many."""
        return self.exempt and self.place is None

    def group(self, most: int) -> tuple[Path, int] | None:
        """Give the cgroup to make one of so many processes in, where there is one."""
        return (self.place, most) if self.place else None

    def ask(self, most: int) -> bytes:
        """Word for confine.py that forks are asked for."""
        return json.dumps(self.settings(most)).encode()

    def settings(self, most: int) -> dict[str, object]:
        machine = os.uname().machine
        return {
            "asking": (blocked_syscalls.fork_filter() or b"").hex(),
            "filtering": blocked_syscalls.FILTERING[machine],
            "forks": blocked_syscalls.forks(machine) if self.at_fork else (),
            "most": most,
        }

    @property
    def sentence(self) -> str:
        return SENTENCE if self.exempt and self.place is None and not self.asks else ""


def find_counting(ground: SandboxSpec, user: User) -> Counting:
    """See what this machine has for the blocks of this user."""
    if not user.is_root or not is_exempt(platforms.read_text(Path("/proc/self/uid_map"))):
        return Counting()
    return Counting(
        True, ground.lookup_cached("cgroup", find_place), blocked_syscalls.fork_filter() is not None
    )


def is_exempt(uid_map: str) -> bool:
    """Tell whether our root is the machine's: in a user namespace of its own it is any user."""
    rows = [line.split() for line in uid_map.splitlines()]
    return not rows or any(row[:2] == ["0", "0"] for row in rows)


def find_place() -> Path | None:
    """Give the cgroup that we run in, where cgroups below it count; tried with a real one."""
    for folder in own_groups():
        sweep(folder)
        with contextlib.suppress(OSError), group_in(folder, 9) as words:
            if not subprocess.run([*words, "/bin/true"], check=False, stderr=subprocess.DEVNULL).returncode:
                return folder
    return None


def own_groups(proc: Path = Path("/proc/self")) -> Iterator[Path]:
    """Give our own cgroups that may count processes: version 1 with that controller, then version 2."""
    joined = [line.split(":", 2) for line in platforms.read_text(proc / "cgroup").splitlines()]
    paths = {name: path for _, names, path in joined for name in names.split(",")}
    for line in platforms.read_text(proc / "mountinfo").splitlines():
        fields, _, rest = line.partition(" - ")
        kind, _, options = rest.split(" ", 2)
        name = "pids" if kind == "cgroup" and "pids" in options.split(",") else ""
        if name in paths and (name or kind == "cgroup2"):
            root, at = fields.split(" ")[3:5]
            inside = os.path.relpath(paths[name], root)
            # Without a namespace of cgroups the path is the machine's, and the mount begins at ours.
            yield Path(at) if inside.startswith("..") else Path(at, inside)


@contextlib.contextmanager
def group_in(place: Path, most: int) -> Iterator[Sequence[str]]:
    """Make a cgroup of so many processes; give the words that start a command in it. Nothing of it is left.

    Raises OSError where it cannot be made.
    """
    group = place / f"{PREFIX}{os.getpid()}.{next(numbers)}"
    group.mkdir()
    try:
        joined = open_group(place, group)
        if not (group / MOST).exists():
            (place / ENABLED).write_text("+pids")
        (group / MOST).write_text(str(most))
        yield "/bin/sh", "-c", JOIN, "sh", str(joined)
    finally:
        end(group)


def open_group(place: Path, group: Path) -> Path:
    """Give the file by which a program joins a new cgroup.

    In version 2 each below one that has processes must be made threaded; until then nothing may join it
    ("domain invalid", Documentation/admin-guide/cgroup-v2.rst).
    """
    if (place / KIND).exists():
        (group / KIND).write_text("threaded")
        return group / THREADS
    return next(path for name in (TASKS, MEMBERS) if (path := group / name).exists())


def end(group: Path) -> None:
    """End what is left in it, which can no longer fork, and remove it."""
    for pause in PAUSES:
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        with contextlib.suppress(OSError):
            (group / MOST).write_text("0")
        for word in "\n".join(platforms.read_text(group / name) for name in (MEMBERS, THREADS)).split():
            platforms.send_signal(int(word), signal.SIGKILL)
        time.sleep(pause)


def sweep(place: Path) -> None:
    """Remove the empty cgroups of those who were killed."""
    for name in platforms.list_names(place):
        pid = name.removeprefix(PREFIX).partition(".")[0]
        if name.startswith(PREFIX) and not Path("/proc", pid).exists():
            with contextlib.suppress(OSError):
                (place / name).rmdir()
