"""Whether a task is a task: not done when it begins, and done by the replies of its solution; a dialogue not
before its last turn.

In this process, with the scripted engine and the real box, so that a whole suite takes a minute.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tripletick import places
from tripletick.app import App
from tripletick.bench.attempt import PROJECT
from tripletick.bench.folders import fill
from tripletick.bench.judging import judge
from tripletick.bench.task import Task
from tripletick.config import Config
from tripletick.events import Answered, Event, GaveUp, Repairing
from tripletick.messages import Answer
from tripletick.sandbox.user import remove
from tripletick.session import Log
from tripletick.trust import Said

NOBODY = Answer(there=False)
DOES_NOTHING = "I have looked at it."
"""The answer of one that has done nothing."""
DONE_AT_START = "it is done before it is begun"
DONE_EARLY = "it is done before its last turn"
NO_REPAIR = "its solution fails nowhere, and it is one that needs repair"


def flaw(task: Task) -> str:
    """Say what is wrong with a task, "" where nothing is. Raises ModelError where the solution is missing."""
    room = Path(tempfile.mkdtemp(prefix="tripletick-"))
    try:
        folder = room / PROJECT
        folder.mkdir()
        fill(folder, task.start)
        if not judge(task, folder, DOES_NOTHING, Config(), _made(room / "before")):
            return DONE_AT_START
        *early, last = _played(task, folder, room)
        if early and not early[-1].why:
            return DONE_EARLY
        if last.why:
            return f"its solution does not solve it: {last.why}"
        return NO_REPAIR if task.repair and not any(turn.failed for turn in (*early, last)) else ""
    finally:
        remove(room)


@dataclass(frozen=True, slots=True)
class _Turn:
    """What a turn of a solution came to: why the task is not done then, whether a reply of it failed."""

    why: str
    failed: bool


def _played(task: Task, folder: Path, room: Path) -> list[_Turn]:
    """Play the solution turn by turn, each judged."""
    turns = []
    for number, events in enumerate(_play(task, folder, room / "state")):
        end = events[-1]
        answer = end.text if isinstance(end, Answered) else end.answer if isinstance(end, GaveUp) else ""
        why = judge(task, folder, answer, Config(), _made(room / f"after-{number}"))
        turns.append(_Turn(why, any(isinstance(event, Repairing) for event in events)))
    return turns


def _play(task: Task, folder: Path, state: Path) -> Iterator[list[Event]]:
    """Give the events of each turn of the solution, played as the agent that the task is for; where any may
    be, as one that has tools.
    """
    agent = "coder" if task.agent == "auto" else task.agent
    plain = Config()
    config = replace(
        plain,
        agent=replace(plain.agent, name=agent),
        model=replace(plain.model, name=f"scripted:{task.solution}", chunk=4096),
    )
    found = replace(places.find(), state=state)
    app = App(
        config, found, folder, Log.open(state, workspace=folder, save=False), said=Said(True, True, (), False)
    )
    try:
        for said in (task.requests[0], *task.further):
            events: list[Event] = []
            app.run(app.turn(said), [events.append], lambda question: NOBODY)
            yield events
    finally:
        app.close()


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
