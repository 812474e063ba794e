"""A batch from its first task to its last: who gets which, what is tried again, and what is recorded.

One thread decides and writes; tasks are done by workers (worker_pool, ray_pool). What is recorded as
done is not done again, in this run or another one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tripletick.batch.progress import BatchProgress, shorten_host
from tripletick.batch.results import HOST_FAILS, RETRIED, Record, ResultsFile
from tripletick.batch.task_attempt import AttemptResult, BatchJob
from tripletick.batch.task_queue import BatchSlot, QueuedTask, TaskQueue
from tripletick.batch.worker_pool import WorkerPool

PAUSED = "{host} failed and is paused for {seconds:.0f} s: {error}"
AGAIN = "{id} is being retried ({attempt} of {most}): {error}"
NEVER, IN_A_ROW = 3, 10
"""Failures in a row that end a batch where no other engine is left; the first where none has ever worked."""
SHORT = 200
"""Characters of an error that are shown."""
Make = Callable[[QueuedTask, BatchSlot], BatchJob]


@dataclass(slots=True)
class BatchRunner:
    """Tasks, places to do them at, and where their ends are written."""

    queue: TaskQueue
    places: Sequence[BatchSlot]
    crew: WorkerPool
    results: ResultsFile
    board: BatchProgress
    make: Make
    """Gives a task all that its program is told, at a place."""
    retries: int = 2
    parallel: int = 1
    say: Callable[[str], None] = field(default=lambda line: None)
    show: Callable[[Record], None] = field(default=lambda told: None)
    """Sees what was recorded."""
    noticed: set[str] = field(default_factory=set)
    """What tasks told besides, each line once."""
    worked: bool = False
    """An engine has answered."""

    def run(self) -> bool:
        """Do all there is; False where no engine is left. Raises what `ResultsFile.add_result` does."""
        try:
            while True:
                self.queue.fill_queue()
                now = time.monotonic()
                self._start_jobs(now)
                if not self.queue.busy and (not self.queue.held or self._is_hopeless()):
                    return not self.queue.held
                # by the same clock: what became due meanwhile is not to be missed
                seconds = self.queue.seconds_until_due(now)
                ended = self.crew.collect_finished(seconds)
                self._record_results([self._finish_attempt(*one) for one in ended])
        finally:
            self.crew.stop()

    def _start_jobs(self, now: float) -> None:
        for place in self.places:
            room = place not in self.queue.busy and len(self.queue.busy) < self.parallel
            if room and (wanted := self.queue.take_task(place, now)):
                self.board.running[place.host] += 1
                self.crew.start_job(place, self.make(wanted, place))

    def _record_results(self, ended: Sequence[Record | None]) -> None:
        """Have those that are final on the disk, all at once, then tell of them."""
        final = [told for told in ended if told]
        if final:
            self.results.sync()
        for told in final:
            self.board.count_result(told)
            self.show(told)

    def _finish_attempt(self, place: BatchSlot, done: AttemptResult) -> Record | None:
        """Decide about a task that has ended: give what is written of it, None where it waits again."""
        now, outcome = time.monotonic(), done.outcome
        self.board.running[place.host] -= 1
        if outcome.status in HOST_FAILS:
            seconds = self.queue.hosts.record_failure(place.host, now)
            host, error = shorten_host(place.host), _shorten_error(outcome.error)
            self.say(PAUSED.format(host=host, seconds=seconds, error=error))
        elif outcome.steps:
            self.worked = True
            self.queue.hosts.record_success(place.host)
        wanted = self.queue.busy[place]
        if outcome.status in RETRIED and wanted.attempt <= self.retries:
            self.board.again += 1
            self.queue.requeue_task(place, again := wanted.make_retry(place.host, now))
            told = {"id": wanted.task.id, "attempt": again.attempt, "most": self.retries + 1}
            self.say(AGAIN.format(**told, error=_shorten_error(outcome.error)))
            return None
        self.queue.finish_task(place)
        for line in outcome.notices:
            if line not in self.noticed:
                self.noticed.add(line)
                self.say(line)
        return self.results.add_result(wanted.task, done, place.host, wanted.attempt)

    def _is_hopeless(self) -> bool:
        """Tell whether all engines that could do what waits have failed so often that it is of no use."""
        most, queue = IN_A_ROW if self.worked else NEVER, self.queue
        asked = {host for wanted in queue.held for host in queue.pool(wanted.task)}
        return all(queue.hosts.failures.get(host, 0) >= most for host in asked)


def _shorten_error(text: str) -> str:
    """Give its first line, but of a traceback the last one."""
    lines = text.strip().splitlines() or ["it crashed"]
    return lines[-1 if lines[0].startswith("Traceback") else 0][:SHORT]
