"""One task, done once: put down, worked on by a tripletick of its own, and what it changed made a patch.

The same on this machine and on another one. Which engine it works with, and whether it is done again, is
decided elsewhere (waiting, running).
"""

from __future__ import annotations

import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tripletick import errands
from tripletick.batch.packing import unpack
from tripletick.batch.patching import Before, patch
from tripletick.batch.tasks import Task
from tripletick.errands import Errand, Outcome
from tripletick.errors import UsageError
from tripletick.halting import Halt
from tripletick.installed import module

COMMAND = module("tripletick.batch.leashed")
IN_COPY = ("--yes", "--no-save")
"""A copy is nobody's: what is done in it needs no yes, and there is nothing to undo."""
NAME = "work"
"""Of the folder of a task that brings none."""
USAGE, BROKE = 2, 1
BROKEN = (OSError, tarfile.TarError, UsageError)
"""What may go wrong around a task."""


@dataclass(frozen=True, slots=True)
class Job:
    """A task with all that its program is told."""

    task: Task
    flags: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    """By `section.key`; they stand below the flags."""
    agent: str = ""
    seconds: float | None = None

    def outcome(self, folder: Path, halt: Halt, *more: str) -> Outcome:
        """Have it done in a folder. Raises Halted and OSError."""
        task = self.task
        model = ("--model", task.model) if task.model else ()
        wanted = Errand(
            task.request,
            folder,
            task.agent or self.agent,
            task.seconds or self.seconds,
            self.settings,
        )
        check = ("--check", task.check) if task.check else ()
        return errands.run([*COMMAND, *self.flags, *model, *check, *more], wanted, halt=halt)


@dataclass(frozen=True, slots=True)
class Done:
    """What came of one attempt."""

    outcome: Outcome
    patch: bytes = b""
    machine: str = ""
    """Its name, where it was another one."""


def do(job: Job, start: IO[bytes] | None, room: Path, halt: Halt) -> Done:
    """Do a task in a copy of what `start` holds, below `room`, which is empty; without one in its own folder.

    What goes wrong around it is in the outcome. Raises Halted.
    """
    try:
        if start is None:
            assert job.task.folder
            return Done(job.outcome(job.task.folder, halt))
        top = job.task.folder or job.task.repo
        copy = room / "copy" / (top.name if top and top.name else NAME)
        copy.mkdir(parents=True)
        unpack(start, copy)
        before = Before.of(copy)
        outcome = job.outcome(copy, halt, *IN_COPY)
        return Done(outcome, patch(before, start, copy, room))
    except BROKEN as error:
        return failed(error)


def failed(error: Exception) -> Done:
    """Give the outcome of what broke off around a task; what was asked wrongly is not tried again."""
    said = error.why or error.what if isinstance(error, UsageError) else str(error)
    return Done(Outcome(error=said, exit=USAGE if isinstance(error, UsageError) else BROKE))
