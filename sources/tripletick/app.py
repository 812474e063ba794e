"""One session in one folder: requests go in, events come out to log and screen.

The only place where log, screen and loop meet. What is slow or can fail is opened by the first turn, whose
events tell of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tripletick import agents, wiring
from tripletick.checkpoint import Checkpoints
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
    TakenBack,
)
from tripletick.loop import Loop, Turn
from tripletick.messages import Answer, Call
from tripletick.models.model import About
from tripletick.paths import Workspace
from tripletick.places import Places
from tripletick.session import Log

FOLDER_LINE = 120
"""Characters of the line that names the folder's files: about 40 tokens."""
WARMER, HOTTEST = 0.4, 2.0
"""What /retry adds to the temperature, and its limit."""
PERSON = agents.Agent("person", "", "", ("bash",))
BY_HAND = "The person ran this script, not you:\n{script}\n"
UNDONE = "The person undid your work on {requests}.\n{files}"
ANEW = "{name} goes on; it reads the whole conversation anew."

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
    person: bool = False
    """Whether somebody is there to be asked."""
    notices: list[str] = field(default_factory=list)
    """Lines for the person that wait for the next event."""
    loop: Loop | None = None
    about: About | None = None
    """What the engine told of the model at work."""
    asked: tuple[str, str] | None = None
    """The last request, and what was piped in with it."""

    def __post_init__(self) -> None:
        self.notices.extend(self.config.warnings)

    @property
    def prompts(self) -> agents.Prompts:
        """Read the prompts of the personality. Raises ConfigError, UsageError where there is none."""
        return wiring.prompts(self.config, self.places)

    def begin(self) -> Turn:
        """Open what is slow or can fail before the first request. Raises what the parts raise."""
        _named(self.prompts, self.config.agent.name)
        yield from self._opened()

    def turn(self, request: str, *, piped: str = "") -> Turn:
        """Work on one request; `piped` is what came on standard input. Raises what the parts raise when
        opened.
        """
        yield Requested(request)
        agent = _named(self.prompts, self.config.agent.name)
        yield Routed(agent.name, self.chosen_by)
        self.asked = (request, piped)
        yield from self._work(agent, request, piped)

    def retry(self) -> Turn:
        """Ask the last request again, warmer, with the history cut back to before it. Raises UsageError."""
        if self.asked is None:
            raise UsageError("There is nothing to ask again.", "No request has been sent yet.")
        agent = _named(self.prompts, self.config.agent.name)
        usual = self.config.model.temperature if agent.temperature is None else agent.temperature
        yield Requested(self.asked[0])
        yield Routed(agent.name, "retry")
        if self.loop:
            self.loop.replies.talk.take_back()
            yield TakenBack("request")
        yield from self._work(replace(agent, temperature=min(HOTTEST, usual + WARMER)), *self.asked)

    def clear(self) -> Turn:
        """Begin the conversation anew; the files stay as they are."""
        self.asked = None
        if self.loop:
            self.loop.replies.talk.clear()
            self.loop.bench.ledger.known.clear()
        yield TakenBack("start")

    def shell(self, script: str) -> Turn:
        """Run a script of the person's in the box and add what came of it to the conversation."""
        loop = yield from self._opened()
        loop.bench.ledger.begin_turn()
        loop.checkpoints.begin_turn(self.log.id, script)
        try:
            results = yield from loop.act(PERSON, [Call("bash", script)])
            loop.replies.talk.say(BY_HAND.format(script=script) + loop.replies.dialect.feedback(results, ()))
        except KeyboardInterrupt:
            yield Interrupted("")
        finally:
            loop.checkpoints.end_turn()

    def undo(self, turns: int, ask: Callable[[str], bool]) -> Turn:
        """Put the files back as they were before the last turns, and tell the model."""
        done = Checkpoints(self.folder, self.places.state).undo(turns, ask=ask)
        yield Notice(done.text)
        if self.loop and done.requests:
            self.loop.bench.ledger.known.difference_update((*done.restored, *done.removed))
            files = done.text.partition("\n")[2]
            requests = ", ".join(f"“{request}”" for request in done.requests)
            self.loop.replies.talk.say(UNDONE.format(requests=requests, files=files))

    def use_agent(self, name: str) -> None:
        """Give what follows to this agent. Raises UsageError where there is none."""
        _named(self.prompts, name)
        self.config = replace(self.config, agent=replace(self.config.agent, name=name))
        self.chosen_by = "person"

    def use_model(self, name: str) -> Turn:
        """Go on with another model; the old one stays where opening that raises."""
        config = replace(self.config, model=replace(self.config.model, name=name))
        loop = yield from self._open(config)
        if old := self.loop:
            old.replies.talk.introduce_anew(loop.replies.talk.system)
            bench = replace(loop.bench, ledger=old.bench.ledger)
            loop = replace(loop, replies=replace(loop.replies, talk=old.replies.talk), bench=bench)
            old.replies.model.close()
        self.config, self.loop = config, loop
        yield Notice(ANEW.format(name=name))

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
        """Give back what the engine holds, remove the box's folder and finish the log."""
        if self.loop:
            self.loop.replies.model.close()
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

    def _work(self, agent: agents.Agent, request: str, piped: str) -> Turn:
        loop = yield from self._opened()
        names = ""
        wanted = agent.tools and agent.folder and self.config.agent.folder
        if wanted and not loop.replies.talk.introduced:
            names = _folder_line(loop.bench.workspace)
        whole = "\n\n".join(filter(None, (request, piped and self._fenced(loop, piped))))
        yield from loop.turn(agent, whole, folder=names)

    def _opened(self) -> Generator[Event, Reply, Loop]:
        if self.loop is None:
            self.loop = yield from self._open(self.config)
        return self.loop

    def _open(self, config: Config) -> Generator[Event, Reply, Loop]:
        """Build a loop on the model that the config names; folder and box are those of the session."""
        found, old = self.places, self.loop.bench if self.loop else None
        workspace = (
            old.workspace
            if old
            else Workspace(self.folder, ours=found.ours, state=found.private, home=Path.home())
        )
        model = wiring.engine(config, self.notices.append)
        about = model.about()
        window = model.fix(wiring.window(config, about))
        yield Loading(f"{about.engine}:{about.name}", window)
        box = old.box if old else wiring.box(config, found, workspace.root)
        if not old and not box.holds:
            self.notices.append(box.sentence)
        self.about = about
        prompts = wiring.prompts(config, found)
        return wiring.loop(
            wiring.Parts(config, found, workspace, model, box, prompts, self.person), self.log.id, window
        )

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
        f"There is no agent {name!r}.",
        f"There are: {there}.",
        "Choose one: tripletick -a coder, in the chat: /agent coder",
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
