"""One attempt at a task: unpacked, run by its own tripletick process, its changes made into a patch.

The same on this machine and on another one. Which engine it works with, and whether it is done again, is
decided elsewhere (task_queue, runner).
"""

from __future__ import annotations

import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tripletick.batch.packing import unpack_task
from tripletick.batch.patches import CopySnapshot, make_patch
from tripletick.batch.tasks import BatchTask
from tripletick.errors import UsageError
from tripletick.system import job as errands
from tripletick.system.cancellation import CancelToken
from tripletick.system.entry_points import module
from tripletick.system.job import JobOutcome, JobSpec

COMMAND = module("tripletick.batch.task_process")
IN_COPY = ("--yes", "--no-save")
"""A copy is nobody's: what is done in it needs no yes, and there is nothing to undo."""
NAME = "work"
"""Of the folder of a task that brings none."""
USAGE, BROKE = 2, 1
BROKEN = (OSError, tarfile.TarError, UsageError)
"""What may go wrong around a task."""


@dataclass(frozen=True, slots=True)
class BatchJob:
    """A task with all that its program is told."""

    task: BatchTask
    flags: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    """By `section.key`; they stand below the flags."""
    agent: str = ""
    seconds: float | None = None

    def run_program(self, folder: Path, halt: CancelToken, *more: str) -> JobOutcome:
        """Have it done in a folder. Raises Cancelled and OSError."""
        task = self.task
        model = ("--model", task.model) if task.model else ()
        wanted = JobSpec(
            task.request,
            folder,
            task.agent or self.agent,
            task.seconds or self.seconds,
            self.settings,
        )
        check = ("--check", task.check) if task.check else ()
        return errands.run_job([*COMMAND, *self.flags, *model, *check, *more], wanted, halt=halt)


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """What came of one attempt."""

    outcome: JobOutcome
    patch: bytes = b""
    machine: str = ""
    """Its name, where it was another one."""


def run_attempt(job: BatchJob, start: IO[bytes] | None, room: Path, halt: CancelToken) -> AttemptResult:
    """Do a task in a copy of what `start` holds, below `room`, which is empty; without one in its own folder.

    What goes wrong around it is in the outcome. Raises Cancelled.
    """
    try:
        if start is None:
            assert job.task.folder
            return AttemptResult(job.run_program(job.task.folder, halt))
        top = job.task.folder or job.task.repo
        copy = room / "copy" / (top.name if top and top.name else NAME)
        copy.mkdir(parents=True)
        unpack_task(start, copy)
        before = CopySnapshot.from_folder(copy)
        outcome = job.run_program(copy, halt, *IN_COPY)
        return AttemptResult(outcome, make_patch(before, start, copy, room))
    except BROKEN as error:
        return make_failure(error)


def make_failure(error: Exception) -> AttemptResult:
    """Give the outcome of what broke off around a task; what was asked wrongly is not tried again."""
    said = error.why or error.what if isinstance(error, UsageError) else str(error)
    return AttemptResult(JobOutcome(error=said, exit=USAGE if isinstance(error, UsageError) else BROKE))
