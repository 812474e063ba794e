"""Takes a snapshot in a thread of its own, so that the user sees how far it has come and can stop it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator
from typing import TypeVar

from tripletick.checkpoint import Checkpoints
from tripletick.events import Looking
from tripletick.messages import Answer

STEP = 2000
"""Files between two events at least; what is shorter is over at once."""
T = TypeVar("T")


def run_with_progress(points: Checkpoints, step: Callable[[], T]) -> Generator[Looking, Answer | None, T]:
    """Take a step of `points`, tell how many files it looks through, and give what it gave.

    Ctrl+C ends the step too; as nothing of it stays then, it can be taken once more.
    """
    came: queue.SimpleQueue[Looking | Callable[[], T]] = queue.SimpleQueue()
    stop, due = threading.Event(), STEP

    def tell(files: int, read: int) -> None:
        nonlocal due
        if stop.is_set():
            raise KeyboardInterrupt
        if (done := files + read) >= due:
            due = done + max(STEP, done // 10)
            came.put(Looking(files, read))

    worker = threading.Thread(target=lambda: came.put(_capture_outcome(step)), name="looking")
    told = False
    with points.report_progress(tell):
        worker.start()
        try:
            while isinstance(now := came.get(), Looking):
                told = True
                yield now
        finally:
            stop.set()
            worker.join()
    if told:
        yield Looking()
    return now()


def _capture_outcome(step: Callable[[], T]) -> Callable[[], T]:
    """Take a step; give what gives its value or raises what it raised."""
    try:
        value = step()
    except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
        raised = error

        def fail() -> T:
            raise raised

        return fail
    return lambda: value
