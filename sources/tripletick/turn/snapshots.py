"""Takes the snapshots around a block in a thread of their own: the user sees the progress and can stop it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator
from contextlib import suppress
from typing import TypeVar

from tripletick.checkpoint import Checkpoints
from tripletick.events import Looking, Notice
from tripletick.messages import Answer
from tripletick.paths import PathRefused
from tripletick.permission import PendingBlock

STEP = 2000
"""Files between two events at least; what is shorter is over at once."""
T = TypeVar("T")


def snapshot_before(block: PendingBlock) -> Generator[Looking | Notice, Answer | None, None]:
    """Take a snapshot, and keep the file that the block is about to save."""
    # What is hidden now is known later under whatever name.
    block.context.workspace.make_hidden_check()
    lines = []
    if block.context.offers:
        root = block.context.workspace.root
        parts = [path.relative_to(root) for path in block.context.grant.write if path.is_relative_to(root)]
        lines.append(block.points.track_paths(map(str, parts)))
    lines += [(yield from run_with_progress(block.points, block.points.snapshot_before_block))]
    if block.call.path:
        with suppress(PathRefused):
            lines.append(
                block.points.back_up_file(block.context.workspace.resolve_path(block.call.path).path)
            )
    yield from (Notice(line) for line in lines if line)


def snapshot_after(block: PendingBlock) -> Generator[Looking | Notice, Answer | None, None]:
    """Take a snapshot, and tell what the user must know of what the block did."""
    lines = yield from run_with_progress(block.points, block.points.snapshot_after_block)
    yield from map(Notice, lines)


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
