"""The worker pool: a Protocol, and this machine's implementation, one thread per slot."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Protocol

from tripletick.batch.packing import pack_task
from tripletick.batch.task_attempt import BROKEN, AttemptResult, BatchJob, make_failure, run_attempt
from tripletick.batch.task_queue import BatchSlot
from tripletick.history.retention import lock_paths
from tripletick.sandbox.user import Lock, remove
from tripletick.system.cancellation import CancelToken

START = "tripletick-batch-"


class WorkerPool(Protocol):
    """Does one task at a time at each place."""

    def start_job(self, place: BatchSlot, job: BatchJob) -> None:
        """Have a task begun at a place that is free."""
        ...

    def collect_finished(self, seconds: float | None) -> list[tuple[BatchSlot, AttemptResult]]:
        """Give what has ended; waits for it, but at most so many seconds."""
        ...

    def stop(self) -> None:
        """End all that is done."""
        ...


@dataclass(slots=True)
class ThreadWorkerPool:
    """The crew of this machine."""

    parallel: int
    leave_out: Collection[Path] = ()
    """Not part of a copy: what we write ourselves."""
    in_place: bool = False
    _pool: ThreadPoolExecutor = field(init=False)
    _halts: dict[BatchSlot, CancelToken] = field(default_factory=dict)
    _told: SimpleQueue[tuple[BatchSlot, Future[AttemptResult]]] = field(default_factory=SimpleQueue)

    def __post_init__(self) -> None:
        remove_stale_folders()
        self._pool = ThreadPoolExecutor(self.parallel, "task")

    def start_job(self, place: BatchSlot, job: BatchJob) -> None:
        halt = self._halts[place] = CancelToken()
        future = self._pool.submit(self._run_job, job, halt)
        future.add_done_callback(lambda ended: self._told.put((place, ended)))

    def collect_finished(self, seconds: float | None) -> list[tuple[BatchSlot, AttemptResult]]:
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
            halt.cancel()
        self._pool.shutdown(cancel_futures=True)

    def _run_job(self, job: BatchJob, halt: CancelToken) -> AttemptResult:
        if self.in_place and job.task.folder:
            return run_attempt(job, None, job.task.folder, halt)
        try:
            with open_temp_folder() as folder, (folder / "start.tar").open("w+b") as start:
                pack_task(job.task, start, self.leave_out)
                start.seek(0)
                return run_attempt(job, start, folder, halt)
        except BROKEN as error:
            return make_failure(error)


@contextmanager
def open_temp_folder() -> Iterator[Path]:
    """Give an empty folder of its own. Raises OSError."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=START))
        with closing(Lock(folder)) as lock:
            # another program may have swept it before it was locked
            if lock.is_there():
                try:
                    yield folder
                finally:
                    remove(folder)
                return


def remove_stale_folders() -> None:
    """Remove those of ours that nobody holds."""
    for left in Path(tempfile.gettempdir()).glob(f"{START}*"):
        with suppress(OSError):
            ours = left.lstat().st_uid == os.getuid()
            with lock_paths([left] * ours) as free:
                remove(*[left] * (ours and free))
