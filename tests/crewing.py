"""A crew on a real folder, a real box and a scripted model, and how a plan is run by it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tripletick.agents import definitions
from tripletick.config.config import Config
from tripletick.events import Ask, Event, InTask
from tripletick.messages import Answer, Task
from tripletick.models.model import Model
from tripletick.models.scripted import ScriptedModel, ScriptedReply
from tripletick.planner.plan import Plan
from tripletick.planner.task_runner import TaskRunner
from tripletick.session import builder
from tripletick.session.agent_models import AgentModels
from tripletick.session.plan_workers import PlanWorkers
from tripletick.session.workspace import SessionWorkspace
from tripletick.system import dirs
from tripletick.trust import FolderFlags, Permission

NOBODY = Answer(there=False)
Answerer = Callable[[Ask], Answer]


@dataclass
class Team:
    """A staff with its crew; `events` are those of the last run."""

    folder: Path
    staff: PlanWorkers
    crew: TaskRunner
    notices: list[str]
    events: list[Event] = field(default_factory=list)

    def run(self, *tasks: Task, answer: Answerer = lambda question: NOBODY) -> Mapping[str, Task]:
        """Run a plan to its end; gives its tasks by their ids."""
        self.events.clear()
        return drive(self.crew.run_plan(Plan(tasks)), self.events, answer).index_by_id()

    def of(self, task: str, kind: type[Any]) -> list[Any]:
        """Give the events of this kind that a task had."""
        own = [event.event for event in self.events if isinstance(event, InTask) and event.task == task]
        return [event for event in own if isinstance(event, kind)]


class Seen(list[Event]):
    """Events, each looked at when it comes."""

    def __init__(self, look: Callable[[Event], object]) -> None:
        super().__init__()
        self.look = look

    def append(self, event: Event) -> None:
        self.look(event)
        super().append(event)


def drive(running: Generator[Event, Any, Plan], events: list[Event], answer: Answerer) -> Plan:
    """Pull a crew to the end of its plan; `events` gets what happens."""
    reply: Answer | None = None
    while True:
        try:
            event = running.send(reply)
        except StopIteration as end:
            plan: Plan = end.value
            return plan
        events.append(event)
        reply = answer(event) if isinstance(event, Ask) else None


def to(task: str, *texts: str, seconds: float = 0.0) -> list[ScriptedReply]:
    """Give the replies of one task, whose text they are told by."""
    return [ScriptedReply(text, to=task, seconds=seconds) for text in texts]


@contextmanager
def open_team(top: Path, model: Model, *, person: bool = False, **sections: dict[str, Any]) -> Iterator[Team]:
    """Open a session's loop and a crew on it; keyword arguments are settings by section."""
    config = Config()
    for name, values in sections.items():
        config = replace(config, **{name: replace(getattr(config, name), **values)})
    folder, notices = top / "project", list[str]()
    folder.mkdir(exist_ok=True)
    found = dirs.find_dirs()._replace(state=top / "state")
    workspace = SessionWorkspace(config, found, folder, FolderFlags(), person, notices.append)
    workspace.permission = Permission()
    prompts = definitions.load_prompts(found.prompts)
    window = model.set_context(8192)
    made = builder.LoopBuilder(config, found, workspace.workspace, model, workspace.box, prompts, person)
    staff = PlanWorkers(
        made.build_loop("test", window), workspace, prompts.agents, AgentModels(config, config)
    )
    staff.loop.checkpoints.begin_turn("test", "the plan")
    wanted = config.planner
    yield Team(folder, staff, TaskRunner(staff.make_context, wanted.parallel, wanted.task_timeout), notices)
    staff.close()
    workspace.close()


def scripted(*replies: ScriptedReply | str | list[ScriptedReply]) -> ScriptedModel:
    """Open a script; a list of replies counts as so many."""
    flat = [one for reply in replies for one in (reply if isinstance(reply, list) else [reply])]
    return ScriptedModel(*flat)
