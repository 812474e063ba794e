"""A session on a real box with a scripted model; nothing here patches anything."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from tests.programs import find_known

from tripletick.config.config import Config
from tripletick.events import Ask, Event
from tripletick.messages import Answer
from tripletick.models.scripted import ScriptedModel
from tripletick.paths import Workspace
from tripletick.session import builder, mcp_setup
from tripletick.system import dirs

T = TypeVar("T")
NOBODY = Answer(there=False)


@dataclass
class Session:
    """One conversation in one folder; `play` gives the events of a turn."""

    folder: Path
    state: Path
    model: ScriptedModel
    settings: Config
    window: int = 8192
    answers: list[Answer] = field(default_factory=list)
    dialect: str = "fence"

    def __post_init__(self) -> None:
        found = dirs.find_dirs()._replace(state=self.state)
        self.prompts = builder.load_prompts(self.settings, found)
        self.model.set_context(self.window)
        ground = builder.make_sandbox_spec(self.settings, found, self.folder)
        ground = replace(ground, found=find_known(self.settings.sandbox))
        box = builder.open_box_on(ground, self.settings)
        made = builder.LoopBuilder(
            self.settings,
            found,
            Workspace(self.folder),
            self.model,
            box,
            self.prompts,
            bool(self.answers),
            dialect=self.dialect,
            about=self.model.get_info(),
            servers=mcp_setup.build_servers(self.settings, found, self.folder),
        )
        self.loop = made.build_loop("test", self.window)

    def play(self, request: str = "do it", agent: str = "coder") -> list[Event]:
        self.loop.context.outside.begin_request(request)
        turn = self.loop.run_turn(self.prompts.agents[agent], request)
        events: list[Event] = []
        answer: Answer | None = None
        while True:
            try:
                event = turn.send(answer)
            except StopIteration:
                return events
            events.append(event)
            answer = (self.answers.pop(0) if self.answers else NOBODY) if isinstance(event, Ask) else None


def kinds(events: list[Event]) -> list[str]:
    """Name the events in their order, pieces of output once, pieces of text and counts not at all."""
    names = [type(event).__name__ for event in events]
    return [
        name for name, _ in groupby(names) if name not in ("Changed", "Prompted", "Text", "Thought", "Usage")
    ]


def last(events: list[Event], kind: type[T]) -> T:
    """Give the last event of a kind."""
    return next(event for event in reversed(events) if isinstance(event, kind))
