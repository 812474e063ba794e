"""One session in one folder: requests go in, events come out to log and screen.

The only place where log, screen and loop meet. What is slow or can fail is opened by the first turn, whose
events tell of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tripletick import agents, wiring
from tripletick.config import Config
from tripletick.errors import TripletickError, UsageError
from tripletick.events import (
    Ask,
    Event,
    GaveUp,
    Interrupted,
    Loading,
    Notice,
    Reply,
    Requested,
    Routed,
)
from tripletick.loop import Loop, Turn
from tripletick.messages import Answer
from tripletick.paths import Workspace
from tripletick.places import Places
from tripletick.session import Log

FOLDER_LINE = 120
"""Characters of the line that names the folder's files: about 40 tokens."""
PIPED = "standard-input"

Sink = Callable[[Event], None]
Asker = Callable[[Ask], Answer]


@dataclass(slots=True)
class App:
    """A config, a folder and one conversation over many requests."""

    config: Config
    places: Places
    folder: Path
    log: Log
    chosen_by: str = "config"
    notices: list[str] = field(default_factory=list)
    """Lines for the person that wait for the next event."""
    loop: Loop | None = None

    def __post_init__(self) -> None:
        self.notices.extend(self.config.warnings)

    def turn(self, request: str, *, piped: str = "") -> Turn:
        """Work on one request; `piped` is what came on standard input. Raises what the parts raise when
        opened.
        """
        yield Requested(request)
        prompts = agents.load(self.places.prompts)
        agent = _named(prompts, self.config.agent.name)
        yield Routed(agent.name, self.chosen_by)
        if self.loop is None:
            self.loop = yield from self._open(prompts)
        talk, names = self.loop.replies.talk, ""
        if agent.tools and self.config.agent.folder and not talk.introduced:
            names = _folder_line(self.loop.bench.workspace)
        whole = "\n\n".join(filter(None, (request, piped and self._fenced(self.loop, piped))))
        yield from self.loop.turn(agent, whole, folder=names)

    def run(self, turn: Turn, sinks: Sequence[Sink], ask: Asker) -> None:
        """Pull a turn to its end; every event goes to the log and to every sink, what is raised as a
        `GaveUp`.

        Ctrl-C is thrown into the turn, so that it ends as an event too.
        """
        reply: Reply = None
        stopped = False
        while True:
            try:
                event = turn.throw(KeyboardInterrupt) if stopped else turn.send(reply)
            except StopIteration:
                break
            except KeyboardInterrupt:
                event = Interrupted("")
            except TripletickError as error:
                event = GaveUp(
                    error.code, " ".join(filter(None, (error.what, error.why))), error.exit, "", error.remedy
                )
            try:
                self._tell(event, sinks)
                reply, stopped = ask(event) if isinstance(event, Ask) else None, False
            except KeyboardInterrupt:
                stopped = True
        self.log.end_turn()

    def close(self) -> None:
        """Remove the box's folder and finish the log."""
        if self.loop:
            self.loop.bench.box.close()
        self.log.close()

    def _tell(self, event: Event, sinks: Sequence[Sink]) -> None:
        told = [*self.notices, *self.log.notices]
        self.notices.clear()
        self.log.notices.clear()
        for one in (*map(Notice, told), event):
            self.log.write(one)
            for sink in sinks:
                sink(one)

    def _open(self, prompts: agents.Prompts) -> Generator[Event, Reply, Loop]:
        found = self.places
        workspace = Workspace(self.folder, ours=found.ours, state=found.private, home=Path.home())
        model = wiring.engine(self.config, self.notices.append)
        about = model.about()
        window = wiring.window(self.config, about)
        model.fix(window)
        yield Loading(f"{about.engine}:{about.name}", window)
        box = wiring.box(self.config, self.places, workspace.root)
        if not box.holds:
            self.notices.append(box.sentence)
        parts = wiring.Parts(self.config, self.places, workspace, model, box, prompts)
        return wiring.loop(parts, self.log.id, window)

    def _fenced(self, loop: Loop, piped: str) -> str:
        """Put standard input into a fence; what is over a quarter of the context is kept as a file, its ends
        are sent.
        """
        budget = loop.replies.budget
        most = int(budget.window / 4 / budget.rate)
        if len(piped) > most:
            kept = loop.bench.workspace.keep_output(self.log.id, 0, piped.encode("utf-8", "replace"))
            left = f"{len(piped) - most} characters left out"
            gap = f"… {left}; read {kept} …" if kept else f"… {left} …"
            piped = f"{piped[: most // 2]}\n{gap}\n{piped[-most // 2 :]}"
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", piped)), default=0))
        return f"{fence}text\n{piped.rstrip(chr(10))}\n{fence}"


def _named(prompts: agents.Prompts, name: str) -> agents.Agent:
    if name in prompts.agents:
        return prompts.agents[name]
    there = ", ".join(sorted(prompts.agents))
    raise UsageError(
        f"There is no agent {name!r}.", f"There are: {there}.", "Choose one: tripletick -a coder"
    )


def _folder_line(workspace: Workspace) -> str:
    """Name what the folder holds, in one line that small models can afford."""
    names = sorted(name for name in workspace.listdir(".") if not name.startswith("."))
    line, left = "Folder:", len(names)
    for name in names:
        if len(line) + len(name) > FOLDER_LINE:
            return f"{line} … {left} more" if left < len(names) else ""
        line, left = f"{line} {name}", left - 1
    return line if names else "Folder: empty"
