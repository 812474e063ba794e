"""Whether a task is a task: not done when it begins, and done by the replies of its solution; a dialogue not
before its last turn.

In this process, with the scripted engine and the real box, so that a whole suite takes a minute.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tripletick.bench.attempt import PROJECT
from tripletick.bench.folders import copy_start_files
from tripletick.bench.grader import grade_task
from tripletick.bench.task import BenchTask
from tripletick.config.config import Config
from tripletick.config.schema import AgentSection, ModelSection
from tripletick.event_log.session_log import SessionLog
from tripletick.events import Answered, Event, GaveUp, Repairing
from tripletick.messages import Answer
from tripletick.sandbox.user import remove
from tripletick.session.session import App
from tripletick.system import dirs
from tripletick.trust import FolderFlags

NOBODY = Answer(there=False)
DOES_NOTHING = "I have looked at it."
"""The answer of one that has done nothing."""
DONE_AT_START = "its checks already pass at the start"
DONE_EARLY = "its checks already pass before the last turn"
NO_REPAIR = "its solution never fails, but it is marked as repair"


def find_flaw(task: BenchTask) -> str:
    """Say what is wrong with a task, "" where nothing is. Raises ModelError where the solution is missing."""
    room = Path(tempfile.mkdtemp(prefix="tripletick-"))
    try:
        folder = room / PROJECT
        folder.mkdir()
        copy_start_files(folder, task.start)
        if not grade_task(task, folder, DOES_NOTHING, Config(), _make_folder(room / "before")):
            return DONE_AT_START
        *early, last = _judge_turns(task, folder, room)
        if early and not early[-1].why:
            return DONE_EARLY
        if last.why:
            return f"its solution does not pass: {last.why}"
        return NO_REPAIR if task.repair and not any(turn.failed for turn in (*early, last)) else ""
    finally:
        remove(room)


@dataclass(frozen=True, slots=True)
class _SolutionTurn:
    """What a turn of a solution came to: why the task is not done then, whether a reply of it failed."""

    why: str
    failed: bool


def _judge_turns(task: BenchTask, folder: Path, room: Path) -> list[_SolutionTurn]:
    """Play the solution turn by turn, each judged."""
    turns = []
    for number, events in enumerate(_play_turns(task, folder, room / "state")):
        end = events[-1]
        answer = end.text if isinstance(end, Answered) else end.answer if isinstance(end, GaveUp) else ""
        why = grade_task(task, folder, answer, Config(), _make_folder(room / f"after-{number}"))
        turns.append(_SolutionTurn(why, any(isinstance(event, Repairing) for event in events)))
    return turns


def _play_turns(task: BenchTask, folder: Path, state: Path) -> Iterator[list[Event]]:
    """Give the events of each turn of the solution, played as the agent that the task is for; where any may
    be, as one that has tools.
    """
    agent = "coder" if task.agent == "auto" else task.agent
    config = Config(
        agent=AgentSection(name=agent), model=ModelSection(name=f"scripted:{task.solution}", chunk=4096)
    )
    found = dirs.find_dirs()._replace(state=state)
    app = App(
        config,
        found,
        folder,
        SessionLog.open(state, workspace=folder, save=False),
        folder_flags=FolderFlags(True, True, (), False),
    )
    try:
        for said in (task.requests[0], *task.further):
            events: list[Event] = []
            app.run_turn(app.handle_request(said), [events.append], lambda question: NOBODY)
            yield events
    finally:
        app.close()


def _make_folder(folder: Path) -> Path:
    folder.mkdir()
    return folder
