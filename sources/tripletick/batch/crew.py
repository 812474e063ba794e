"""Who does the tasks: a Protocol, and the crew of this machine, a thread for each place."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Protocol

from tripletick.batch.packing import pack
from tripletick.batch.rooms import room, sweep
from tripletick.batch.waiting import Place
from tripletick.batch.work import BROKEN, Done, Job, do, failed
from tripletick.halting import Halt


class Crew(Protocol):
    """Does one task at a time at each place."""

    def begin(self, place: Place, job: Job) -> None:
        """Have a task begun at a place that is free."""
        ...

    def ended(self, seconds: float | None) -> list[tuple[Place, Done]]:
        """Give what has ended; waits for it, but at most so many seconds."""
        ...

    def stop(self) -> None:
        """End all that is done."""
        ...


@dataclass(slots=True)
class Threads:
    """The crew of this machine."""

    parallel: int
    leave_out: Collection[Path] = ()
    """Not part of a copy: what we write ourselves."""
    in_place: bool = False
    _pool: ThreadPoolExecutor = field(init=False)
    _halts: dict[Place, Halt] = field(default_factory=dict)
    _told: SimpleQueue[tuple[Place, Future[Done]]] = field(default_factory=SimpleQueue)

    def __post_init__(self) -> None:
        sweep()
        self._pool = ThreadPoolExecutor(self.parallel, "task")

    def begin(self, place: Place, job: Job) -> None:
        halt = self._halts[place] = Halt()
        future = self._pool.submit(self._do, job, halt)
        future.add_done_callback(lambda ended: self._told.put((place, ended)))

    def ended(self, seconds: float | None) -> list[tuple[Place, Done]]:
        try:
            place, future = self._told.get(timeout=seconds)
        except Empty:
            return []
        ended = [(place, future)]
        with suppress(Empty):
            while True:
                ended.append(self._told.get_nowait())
        return [(place, future.result()) for place, future in ended]

    def stop(self) -> None:
        for halt in self._halts.values():
            halt.call()
        self._pool.shutdown(cancel_futures=True)

    def _do(self, job: Job, halt: Halt) -> Done:
        if self.in_place and job.task.folder:
            return do(job, None, job.task.folder, halt)
        try:
            with room() as folder, (folder / "start.tar").open("w+b") as start:
                pack(job.task, start, self.leave_out)
                start.seek(0)
                return do(job, start, folder, halt)
        except BROKEN as error:
            return failed(error)
