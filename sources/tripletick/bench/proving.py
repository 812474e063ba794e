"""Whether a task is a task: not done when it begins, and done by the replies of its solution.

In this process, with the scripted engine and the real box, so that a whole suite takes a minute.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
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
        events = _play(task, folder, room / "state")
        end = events[-1]
        answer = end.text if isinstance(end, Answered) else end.answer if isinstance(end, GaveUp) else ""
        if why := judge(task, folder, answer, Config(), _made(room / "after")):
            return f"its solution does not solve it: {why}"
        failed = any(isinstance(event, Repairing) for event in events)
        return NO_REPAIR if task.repair and not failed else ""
    finally:
        remove(room)


def _play(task: Task, folder: Path, state: Path) -> list[Event]:
    """Play the solution, as the agent that the task is for; where any may be, as one that has tools."""
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
    events: list[Event] = []
    try:
        app.run(app.turn(task.requests[0]), [events.append], lambda question: NOBODY)
    finally:
        app.close()
    return events


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
