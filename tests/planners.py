"""A session whose requests become plans: on a scripted model, with a real folder, box, log and crew."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tripletick.config.config import Config
from tripletick.event_log.session_log import SessionLog
from tripletick.events import Ask, Event, InTask, PlanChanged
from tripletick.history import logs
from tripletick.messages import Answer, Task
from tripletick.models.scripted import ScriptedModel
from tripletick.session.session import App
from tripletick.system import dirs
from tripletick.trust import FolderFlags, Permission

REQUEST = "do it all"
NOBODY = Answer(there=False)
WRITES = "```write:{0}.txt\n{0}\n```"


def plan(*tasks: tuple[str, ...]) -> str:
    """Write a plan as models do: id, agent, task, and what it needs."""
    return f"Here it is.\n```json\n{json.dumps({'tasks': _tasks(tasks)})}\n```"


def change(*tasks: tuple[str, ...]) -> str:
    """Write what becomes of a plan, as engines with schemas give it."""
    return json.dumps({"decision": "change", "tasks": _tasks(tasks)})


def to(task: str, *texts: str) -> list[dict[str, str]]:
    """Give the replies of one task, which is told by its text."""
    return [{"to": task, "text": text} for text in texts]


def slow(name: str) -> list[dict[str, Any]]:
    """Give the replies of a task that would take ten minutes, and is done at once when it begins anew."""
    return [{"to": f"make {name}", "text": "I think it over.", "seconds": 600}, *made(name)]


def made(name: str) -> list[dict[str, str]]:
    """Give the replies of a task `make NAME`, which writes NAME.txt."""
    return to(f"make {name}", WRITES.format(name), f"{name} is made.")


def failed(name: str) -> list[dict[str, str]]:
    """Give the replies of a task `make NAME` that gives up, where two failures are the most."""
    return to(f"make {name}", "```bash\nfalse\n```", "```bash\nexit 2\n```")


@dataclass
class Sitting:
    """One session; `play` gives the events of a request."""

    app: App
    answers: list[Answer] = field(default_factory=list)
    asked: list[Ask] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def play(self, *answers: Answer | str, turn: Any = None, stop: str = "") -> list[Any]:
        """Give the events; the person presses Ctrl-C once, when something is heard of the task `stop`."""
        self.answers = [Answer(one) if isinstance(one, str) else one for one in answers]
        self.events, stops = [], [stop]

        def look(event: Event) -> None:
            self.events.append(event)
            if isinstance(event, InTask) and event.task in stops:
                stops.clear()
                raise KeyboardInterrupt

        self.app.run_turn(turn or self.app.handle_request(REQUEST), [look], self._ask)
        return self.events

    def _ask(self, question: Ask) -> Answer:
        self.asked.append(question)
        return self.answers.pop(0) if self.answers else NOBODY

    @property
    def model(self) -> ScriptedModel:
        assert self.app.loop and isinstance(self.app.loop.replies.model, ScriptedModel)
        return self.app.loop.replies.model

    @property
    def tasks(self) -> dict[str, Task]:
        """The plan as it was shown last."""
        shown = [event.tasks for event in self.events if isinstance(event, PlanChanged)]
        return {task.id: task for task in shown[-1]}

    def states(self) -> dict[str, str]:
        return {task.id: task.status for task in self.tasks.values()}

    def told(self) -> str:
        """What the planner was told last."""
        mine = [sent for sent in self.model.asked if REQUEST in sent[1].text]
        return mine[-1][-1].text


@contextmanager
def open_sitting(
    top: Path, *replies: Any, person: bool = False, yes: bool = False, past: str = "", **sections: Any
) -> Iterator[Sitting]:
    """Open a session; a list among the replies counts as so many. `past` names one to go on with."""
    flat = [one for reply in replies for one in (reply if isinstance(reply, list) else [reply])]
    script = top / "script.json"
    script.write_text(json.dumps(flat))
    wanted: dict[str, Any] = {"agent": {"name": "planner", "max_attempts": 2}, **sections}
    wanted["model"] = {"name": f"scripted:{script}", **sections.get("model", {})}
    config = Config()
    for name, values in wanted.items():
        config = replace(config, **{name: replace(getattr(config, name), **values)})
    folder = top / "project"
    folder.mkdir(exist_ok=True)
    found = dirs.find_dirs()._replace(state=top / "state")
    earlier = logs.past(found, past) if past else None
    log = SessionLog.open(found.sessions, workspace=folder, session_id=past or None)
    app = App(config, found, folder, log, person=person, folder_flags=FolderFlags(yes=yes), past=earlier)
    app.workspace.permission = Permission()
    try:
        yield Sitting(app)
    finally:
        app.close()


def _tasks(tasks: tuple[tuple[str, ...], ...]) -> list[dict[str, Any]]:
    return [{"id": id, "agent": agent, "task": text, "needs": needs} for id, agent, text, *needs in tasks]
