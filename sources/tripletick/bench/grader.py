"""Whether a task is done: its checks, applied to the resulting folder and the answer.

Programs of the folder run in a copy of it and in a box, never beside us.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from tripletick.bench.checks import CheckContext, ProgramResult, Run
from tripletick.bench.folders import TaskFolder
from tripletick.bench.task import BenchTask
from tripletick.config.config import Config
from tripletick.errors import UserNeededError
from tripletick.sandbox import open_box
from tripletick.sandbox.box import Box, RunRequest
from tripletick.sandbox.live_probe import drain
from tripletick.session import builder
from tripletick.system import dirs
from tripletick.system.text import describe_os_error

OUTPUT = 1 << 20
"""Bytes that a program may print."""
STDIN = "TRIPLETICK_STDIN"
FED = f'printf %s "${STDIN}" | env -u {STDIN} bash -c "$0" 2>/dev/null; exit "${{PIPESTATUS[1]}}"'
"""Gives a command its standard input, and no file of ours in a place that it can write."""
NO_BOX = "Checks run the generated code, and no sandbox is available."


def grade_task(task: BenchTask, folder: Path, answer: str, config: Config, room: Path) -> str:
    """Say why a task is not done, "" where it is; `room` is a folder for what checks need."""
    try:
        left = TaskFolder(folder)
        with _open_runner(config, left, room) as run:
            scene = CheckContext(left, task.start, answer, run)
            return next(filter(None, (check.find_failure(scene) for check in task.checks)), "")
    except OSError as error:
        return f"the folder cannot be read: {describe_os_error(error)}"


def require_box(config: Config, room: Path) -> None:
    """Raise UserNeededError where no box holds, unless the user chose to have none."""
    with _open_check_box(config, room, room / "none") as box:
        if not box.holds and config.sandbox.mode != "bare":
            raise UserNeededError(NO_BOX, box.sentence, "To see what is missing: tripletick doctor")


@contextmanager
def _open_runner(config: Config, folder: TaskFolder, room: Path) -> Iterator[Run]:
    """Give what runs programs in a copy of the folder; it is made, and the box opened, by the first."""
    with ExitStack() as opened:
        boxes: list[Box] = []

        def run(command: str, stdin: str, seconds: float) -> ProgramResult:
            if not boxes:
                copy = room / folder.root.name
                copy.mkdir()
                folder.copy_files(copy)
                boxes.append(opened.enter_context(_open_check_box(config, room, copy)))
            request = RunRequest(("bash", "-c", FED, command), timeout=seconds, env={STDIN: stdin})
            _, ended = drain(boxes[0].run(request))
            said = (ended.head + ended.tail).decode("utf-8", "replace")
            return ProgramResult(said, ended.status, ended.struck)

        yield run


@cache
def _get_machine_facts() -> dict[str, Any]:
    """Give where boxes keep what they found out of the machine: looking takes longer than running."""
    return {}


@contextmanager
def _open_check_box(config: Config, room: Path, folder: Path) -> Iterator[Box]:
    folder.mkdir(exist_ok=True)
    found = dirs.find_dirs()._replace(state=room / "state")
    ground = builder.make_sandbox_spec(config, found, folder)
    limits = replace(ground.limits, output=OUTPUT, kept=OUTPUT)
    tier = "none" if config.sandbox.mode == "bare" else config.sandbox.tier
    box = open_box(replace(ground, limits=limits, found=_get_machine_facts()), tier)
    try:
        yield box
    finally:
        box.close()
