"""Looks at a running block ten times a second and ends it at its limits.

Covers what no resource limit of the kernel can hold: time, memory, growth of the disk, and the number of
processes where the kernel does not count them, or where a block keeps all that it may have. Output is counted
where it is read (running.py); the size of one file and most often the processes are the kernel's own limits.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tripletick.sandbox.box import Limits, Struck
from tripletick.system import platforms

PAUSE = 0.1
CROWDED = 0.8
"""Seconds that a block may have all its processes."""
BLAMED = 0.25
"""Share of its processes that a block must have to be ended where its user's other programs took the rest."""
UNSEEN = 1 << 62
"""Bytes, more than there are on any disk."""
RARELY = 10
"""Times as long as a dear look took pass until the next."""
SCARCE = 0.05
"""Below this share of available memory the machine starts to thrash."""


@dataclass(frozen=True, slots=True)
class WatchTarget:
    """One running block: its outermost process, its limits, and the folders that it can fill."""

    pid: int
    limits: Limits
    timeout: float
    folders: tuple[Path, ...] = ()
    scratch: tuple[str, ...] = ()
    """Folders in memory (tmpfs), as the block sees them."""
    scratch_size: int = 0
    """What these may take together where their own size does not bound them."""
    count: bool = False
    """Count processes here, because the kernel does not."""
    ceiling: tuple[int, int] | None = None
    """A user, and how many threads of theirs the kernel lets the block make more of, others' counted too."""


def free_space(folders: Sequence[Path]) -> int:
    """Free bytes of the file systems that these folders lie on, each once."""
    free = {}
    for folder in folders:
        try:
            found = os.statvfs(folder)
        except OSError:
            continue
        free[found.f_fsid, found.f_blocks] = found.f_bfree * found.f_frsize
    return sum(free.values())


def bytes_under(folder: str, since: float) -> int:
    """Bytes on disk of the files below `folder` whose inode changed after `since` (seconds of the epoch).

    UNSEEN where a block may have put some out of sight: in a folder that it has closed, too deep for a path.
    """
    total, waiting = 0, [(folder, 0.0)]
    while waiting:
        above, changed = waiting.pop()
        try:
            with os.scandir(above) as entries:
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    total += status.st_blocks * platforms.BLOCK if status.st_ctime >= since else 0
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, status.st_ctime))
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG or (error.errno == errno.EACCES and changed >= since):
                return UNSEEN
    return total


def scratch_bytes(pids: Sequence[int], folders: Sequence[str], *, shared: bool) -> int:
    """Bytes in the box's tmpfs, looked at through one of its processes; `shared`: it is the machine's."""
    for pid in pids:
        try:
            if not shared and Path(f"/proc/{pid}/root").samefile("/"):
                # It has not gone into its box yet.
                continue
            found = [os.statvfs(f"/proc/{pid}/root{folder}") for folder in folders]
        except OSError:
            continue
        return sum((each.f_blocks - each.f_bfree) * each.f_frsize for each in found)
    return 0


class Watchdog(threading.Thread):
    """Watches one block; calls `end` once, when a limit has struck."""

    def __init__(self, watched: WatchTarget, end: Callable[[], None]) -> None:
        super().__init__(name="watchdog", daemon=True)
        self.struck: Struck = ""
        self._watched, self._end = watched, end
        self._over = threading.Event()
        self._striking = threading.Lock()
        self._began = time.monotonic()
        self._deadline = self._began + watched.timeout
        self._since = datetime.now(UTC).timestamp() - 1
        self._free = self._last = free_space(watched.folders)
        self._filled = 0
        self._full: float | None = None
        self._grown = watched.limits.disk
        self._before = platforms.read_machine_memory()
        self._shared = self._before.shared
        self._others, self._weighed, self._own = 0, 0.0, 0
        # A look may take its time, since a block can have a lot to look at.
        self._clock = threading.Timer(watched.timeout, self.end_block, ["timeout"])
        self._clock.daemon = True

    def ensure_started(self) -> None:
        """Start, once. Most blocks end before the first look: a thread costs them a millisecond."""
        if self.ident is None:
            self._clock.interval = max(0.0, self._deadline - time.monotonic())
            self._clock.start()
            self.start()

    def run(self) -> None:
        due = self._began + PAUSE
        while not self._over.wait(max(0.0, due - time.monotonic())):
            if reason := self._check_limits():
                self.end_block(reason)
            due = time.monotonic() + PAUSE

    def end_block(self, reason: Struck) -> None:
        """End the block now; the first reason stays."""
        with self._striking:
            if self._over.is_set():
                return
            self.struck = reason
            self._over.set()
            self._end()

    def stop(self) -> None:
        self._over.set()
        self._clock.cancel()
        if self._clock.is_alive():
            self._clock.join()
        if self.is_alive():
            self.join()

    def _check_limits(self) -> Struck:
        pids = platforms.list_descendants(self._watched.pid)
        found = platforms.measure_processes(pids)
        if self._too_many(found.tasks):
            return "processes"
        if self._too_much_memory(pids, found.memory):
            return "memory"
        return "disk" if self._too_much_disk(pids) else ""

    def _too_many(self, tasks: int) -> bool:
        """Tell whether there are more than may be, or for too long just as many."""
        most = self._watched.limits.processes
        if not self._is_full(tasks):
            self._full = None
            return False
        now = time.monotonic()
        self._full = self._full or now
        return now - self._full > CROWDED or (self._watched.count and tasks > most)

    def _is_full(self, tasks: int) -> bool:
        """Tell whether the block gets no more; what its user starts meanwhile takes from its share."""
        most = self._watched.limits.processes
        if tasks >= most:
            return True
        if not self._watched.ceiling or tasks < most * BLAMED:
            return False
        uid, ceiling = self._watched.ceiling
        return platforms.count_threads(uid) >= ceiling

    def _too_much_memory(self, pids: Sequence[int], mapped: int) -> bool:
        size, limit = self._watched.scratch_size, self._watched.limits.memory
        scratch = self._measure_scratch(pids, min(size, limit - mapped))
        if size and scratch > size:
            return True
        used = mapped + scratch
        machine = platforms.read_machine_memory()
        # What others free meanwhile must not stand against what the block takes.
        self._shared = min(self._shared, machine.shared)
        grown = machine.shared - self._shared
        if (
            max(used, mapped + grown) > limit
            and platforms.measure_memory_exactly(pids, scratch, grown, limit) > limit
        ):
            return True
        # A model that fills the machine is not the block's doing: the block's share must outweigh the rest.
        taken = max(used, self._before.available - machine.available)
        return machine.available < machine.total * SCARCE and taken > machine.available

    def _measure_scratch(self, pids: Sequence[int], most: int) -> int:
        """Bytes in the scratch folders; above `most` without what others have in those of the machine. Of
        these, what was there a look before as well: a file that others remove counts on for a moment.
        """
        shared = bool(self._watched.scratch_size)
        found = scratch_bytes(pids[-1:], self._watched.scratch, shared=shared)
        if not shared:
            return found
        last, self._own = self._own, found if found <= most else self._subtract_others(found, most, pids)
        return min(last, self._own)

    def _subtract_others(self, found: int, most: int, pids: Sequence[int]) -> int:
        began = time.monotonic()
        if found - self._others > most or began >= self._weighed:
            self._others = sum(
                platforms.sum_files_of_others(each, self._watched.pid) for each in self._watched.scratch
            )
            # What others freed or took while they were looked at is not the block's.
            found = min(found, scratch_bytes(pids[-1:], self._watched.scratch, shared=True))
            # Others may give up what the block then takes; all processes are looked at, which is not cheap.
            self._weighed = began + RARELY * (time.monotonic() - began)
        return max(0, found - self._others)

    def _too_much_disk(self, pids: Sequence[int]) -> bool:
        limit = self._watched.limits.disk
        free = free_space(self._watched.folders)
        # What others free meanwhile must not stand against what the block fills.
        self._filled += max(0, self._last - free)
        self._last = free
        if self._filled <= self._grown:
            return False
        self._grown = self._filled + limit // 4
        # Others write to the same file system, so what is new is weighed before the block is blamed for it.
        is_full = self._free - free > limit
        if is_full and (
            platforms.count_written_bytes(pids) > limit // 2
            or platforms.has_unseen_files(pids, self._watched.folders)
        ):
            return True
        new = sum(bytes_under(str(folder), self._since) for folder in self._watched.folders)
        return new + platforms.sum_open_files(pids, " (deleted)") > (limit // 2 if is_full else limit)
