"""Keeps parallel tasks out of each other's files.

A file tool takes the lock of its path, any other block that may write the one of the workspace, what only
reads none; a block has its lock from its first question to its last snapshot, so that what has changed is
told of the right task. Each waits for one lock at a time in the order of asking: there is no deadlock.
Not covered: other programs, and what a reader sees while somebody writes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from tripletick.events import Ask
from tripletick.messages import Answer, Result
from tripletick.paths import PathRefused
from tripletick.permission import PendingBlock
from tripletick.permission.questions import Working
from tripletick.sandbox.box import ignore_notice
from tripletick.system.cancellation import CancelToken
from tripletick.turn.execution import BlockLocks

ALL = "."
"""The workspace as a whole."""
WRITING = "/"
"""Beside the locks of paths, and no path of the workspace: whose writing was not recorded yet."""


@dataclass(frozen=True, slots=True, eq=False)
class _Claim:
    """What somebody holds or waits for."""

    path: str

    def conflicts_with(self, other: _Claim) -> bool:
        """Tell whether the two cannot be held at once: one is the other, or a folder that holds it."""
        if WRITING in (self.path, other.path):
            return self.path == other.path
        return (
            ALL in (self.path, other.path)
            or _is_within(self.path, other.path)
            or _is_within(other.path, self.path)
        )


def _is_within(path: str, folder: str) -> bool:
    # some file systems take both cases for the same name
    return f"{path}/".casefold().startswith(f"{folder}/".casefold())


class PathLocks:
    """The locks of one workspace, for all tasks of a plan."""

    def __init__(self) -> None:
        self._claims: list[_Claim] = []
        self._changed = threading.Condition()

    @contextmanager
    def hold(self, path: str, halt: CancelToken) -> Iterator[None]:
        """Have the lock of a path, relative to the workspace, while this is open. Raises Halted."""
        claim = _Claim(path)
        with self._changed:
            self._claims.append(claim)
        try:
            with halt.on_cancel(self._wake_waiting), self._changed:
                self._changed.wait_for(lambda: halt.due or self._is_free(claim))
            yield
        finally:
            with self._changed:
                self._claims.remove(claim)
                self._changed.notify_all()

    def _is_free(self, claim: _Claim) -> bool:
        """Tell whether nobody who came earlier holds or wants what bars it."""
        earlier = self._claims[: self._claims.index(claim)]
        return not any(one.conflicts_with(claim) for one in earlier)

    def _wake_waiting(self) -> None:
        with self._changed:
            self._changed.notify_all()


@dataclass(slots=True)
class TaskLocks(BlockLocks):
    """What the blocks of one task hold while they run."""

    locks: PathLocks
    halt: CancelToken
    notice: Callable[[str], None] = ignore_notice
    """Takes a line for the user, from any thread."""
    _takes_turns: bool = False
    """True while a block holds one path alone, and WRITING except while the user is asked."""
    _turn: ExitStack = field(default_factory=ExitStack)

    @contextmanager
    def hold(self, block: PendingBlock) -> Iterator[None]:
        """Keep others from writing where a block does, until its last snapshot. Raises Cancelled."""
        while (path := _find_claimed_path(block)) is not None:
            with self.locks.hold(path, self.halt):
                # while it waited somebody may have moved a folder, or put a link in its place
                if path != _find_claimed_path(block):
                    continue
                try:
                    self._takes_turns = path != ALL
                    self._begin_turn()
                    yield
                    return
                finally:
                    self._takes_turns = False
                    self._turn.close()
                    # what was broken off is recorded before somebody else writes
                    for line in block.points.snapshot_after_block():
                        self.notice(line)
        yield

    def drive(self, running: Working) -> Working:
        """Let those who write other files in between only while the user is asked: until the answer a file
        tool has written nothing, and what it writes then is recorded before anybody else's.
        """
        answer: Answer | None = None
        try:
            while True:
                event = running.send(answer)
                if isinstance(event, Ask):
                    self._turn.close()
                    answer = yield event
                    self._begin_turn()
                else:
                    answer = yield event
        except StopIteration as end:
            result: Result = end.value
            return result
        finally:
            running.close()

    def _begin_turn(self) -> None:
        if self._takes_turns:
            self._turn.enter_context(self.locks.hold(WRITING, self.halt))


def _find_claimed_path(block: PendingBlock) -> str | None:
    """Give the path that a block must have for itself, None where it only reads."""
    # in the home folder a block begins as one that reads, and may write once the user lets it
    if not block.tool.writes or (block.context.mode == "read" and not block.context.offers):
        return None
    if not block.tool.one_file:
        return ALL
    try:
        return block.context.workspace.resolve_path(block.call.path or "", writing=True).path
    except PathRefused:
        # it will be refused once more, unless somebody changes what is in its way
        return ALL
