"""The next task for an engine: the one waiting longest among those it may do now.

Only a few tasks are held; the others stay in the file until there is room. An engine that fails is left alone
for a while, which grows, and a task that failed there goes elsewhere where it can. Nothing here waits: what
time it is is told.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tripletick.batch.tasks import BatchTask

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds; each failure in a row doubles them."""

Pool = tuple[str, ...]
"""The engines that may do a task, by their addresses; "" is the one that the settings name."""


@dataclass(frozen=True, slots=True, order=True)
class BatchSlot:
    """A place at an engine: it does one task at a time."""

    host: str
    number: int


@dataclass(frozen=True, slots=True)
class QueuedTask:
    """A task that waits to be done, for the `attempt`-th time, and not before `due`."""

    task: BatchTask
    attempt: int = 1
    due: float = 0.0
    failed_at: frozenset[str] = frozenset()

    def make_retry(self, host: str, now: float) -> QueuedTask:
        """Give it as it waits for another time."""
        due = now + compute_pause(self.attempt)
        return replace(self, attempt=self.attempt + 1, due=due, failed_at=self.failed_at | {host})


def compute_pause(failures: int) -> float:
    """Give the seconds to leave alone what has failed so often in a row."""
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures - 1, 10))


@dataclass(slots=True)
class HostHealth:
    """How the engines do: those that failed are left alone until their time has come."""

    failures: dict[str, int] = field(default_factory=dict)
    """In a row."""
    until: dict[str, float] = field(default_factory=dict)

    def is_available(self, host: str, now: float) -> bool:
        return self.until.get(host, 0.0) <= now

    def is_in_doubt(self, host: str) -> bool:
        """Tell whether it has failed and not worked since: then one task is enough to see."""
        return bool(self.failures.get(host))

    def record_success(self, host: str) -> None:
        self.failures.pop(host, None)
        self.until.pop(host, None)

    def record_failure(self, host: str, now: float) -> float:
        """Note a failure; gives the seconds that it is left alone."""
        if self.is_available(host, now):
            self.failures[host] = self.failures.get(host, 0) + 1
            self.until[host] = now + compute_pause(self.failures[host])
        return self.until[host] - now


@dataclass(slots=True)
class TaskQueue:
    """Tasks that wait, the longest first; `most` are held, the others stay where they come from."""

    tasks: Iterator[BatchTask]
    most: int
    pool: Callable[[BatchTask], Pool]
    hosts: HostHealth
    one_by_one: bool = False
    """Two tasks in one folder are done one after the other."""
    held: list[QueuedTask] = field(default_factory=list)
    busy: dict[BatchSlot, QueuedTask] = field(default_factory=dict)
    drained: bool = False

    def fill_queue(self) -> None:
        """Hold as many as there is room for."""
        while not self.drained and len(self.held) + len(self.busy) < self.most:
            task = next(self.tasks, None)
            if task is None:
                self.drained = True
            else:
                self.held.append(QueuedTask(task))

    def take_task(self, place: BatchSlot, now: float) -> QueuedTask | None:
        """Give a free place its task; None where there is none for it now."""
        host = place.host
        doubtful = self.hosts.is_in_doubt(host) and any(other.host == host for other in self.busy)
        if doubtful or not self.hosts.is_available(host, now):
            return None
        for at, wanted in enumerate(self.held):
            if wanted.due <= now and self._can_run(wanted, host, now):
                self.busy[place] = self.held.pop(at)
                return wanted
        return None

    def requeue_task(self, place: BatchSlot, wanted: QueuedTask) -> None:
        """Have a task wait again, at the place that its line gives it."""
        del self.busy[place]
        insort(self.held, wanted, key=lambda one: one.task.number)

    def finish_task(self, place: BatchSlot) -> QueuedTask:
        return self.busy.pop(place)

    def seconds_until_due(self, now: float) -> float | None:
        """Give the seconds until something may be begun that may not now; None where nothing waits so."""
        times = [wanted.due for wanted in self.held] + list(self.hosts.until.values())
        later = [time - now for time in times if time > now]
        return min(later) if later and self.held else None

    def _can_run(self, wanted: QueuedTask, host: str, now: float) -> bool:
        pool = self.pool(wanted.task)
        if host not in pool or self._is_folder_busy(wanted.task.folder):
            return False
        others = set(pool) - wanted.failed_at
        return host not in wanted.failed_at or not any(
            self.hosts.is_available(other, now) for other in others
        )

    def _is_folder_busy(self, folder: Path | None) -> bool:
        taken: Collection[Path | None] = (
            [one.task.folder for one in self.busy.values()] if self.one_by_one else ()
        )
        return folder is not None and any(
            other and (folder.is_relative_to(other) or other.is_relative_to(folder)) for other in taken
        )
