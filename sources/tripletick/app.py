"""One session in one folder: requests go in, events come out to log and screen.

The only place where log, screen and loop meet. What is slow or can fail is opened by the first turn, whose
events tell of it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tripletick import (
    agents,
    attachments,
    byhand,
    engines,
    git_commit,
    pictures,
    routing,
    seats,
    wiring,
    wording,
)
from tripletick.checkpoint import Checkpoints
from tripletick.config import Config
from tripletick.dialects import choosing
from tripletick.dialects.choosing import Chosen
from tripletick.equipping import HANDS, Gear
from tripletick.errors import TripletickError, UsageError
from tripletick.events import Answered, Event, Loading, Notice, Reply, Requested, Routed, TakenBack
from tripletick.library.history import Past, Written
from tripletick.loop import Loop, Turn
from tripletick.models.model import HOTTEST, About, Model
from tripletick.places import Places
from tripletick.planner.plan import PLANNER, Plan
from tripletick.replies import Replies
from tripletick.router.continuing import continues
from tripletick.routing import Routing
from tripletick.session import Log, Record
from tripletick.standing import Standing
from tripletick.telling import Asker, Sink, Telling
from tripletick.trust import Said, Trusted

if TYPE_CHECKING:
    from tripletick.planner.planner import Planner

WARMER = 0.4
"""What /retry adds to the temperature."""
COMMITS_OFF = ("Commits are turned off: [git] commit = no.", "tripletick config set git.commit ask")
NOBODY = agents.Agent("nobody", "", "")


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
    """Lines for the person that wait for the next event; any thread may add one."""
    said: Said = field(default_factory=Said)
    """What the command line says of the folder."""
    brought: Trusted = field(default_factory=Trusted)
    """What the workspace brings, as far as the person said yes to it."""
    past: Past | None = None
    """The session that is gone on with."""
    verbose: bool = False
    """What is raised is told with its traceback."""
    loop: Loop | None = None
    about: About | None = None
    """What the engine told of the model at work."""
    routing: Routing = field(default_factory=Routing)
    plan: Plan = field(default_factory=Plan)
    """The plan of the last request."""
    asked: tuple[str, str] | None = None
    """The last request, and what was piped in with it."""
    standing: Standing = field(init=False)
    gear: Gear = field(init=False)
    written: Written = field(default_factory=Written)
    """What the log holds of the conversation."""
    seat: Config = field(init=False)
    """The config as it holds for the agent at work, whose model is open."""
    reseated: bool = False
    """The person was told what changing models costs."""
    dialect: Chosen = choosing.USUAL
    """How the model at work writes its calls."""
    absent: TripletickError | None = None
    """Why there is no model, found out before the first turn: the server is not asked twice."""

    def __post_init__(self) -> None:
        self.notices.extend(self.config.warnings)
        self.seat = self.config
        self.standing = Standing(
            self.config, self.places, self.folder, self.said, self.person, self.notices.append
        )
        self.gear = Gear(self.standing, self.brought, self.notices.append)
        self.routing.servers = tuple(self.config.servers)
        self.routing.plans = routing.planning(self.config, self._known)
        if self.past:
            self.written, self.plan = self.past.written, self.past.plan
            self.asked = (self.past.asked, "") if self.past.asked else None
            self.routing.worked.extend(self.past.worked)

    @property
    def prompts(self) -> agents.Prompts:
        """Read the prompts of the personality. Raises ConfigError, UsageError where there is none."""
        return self.gear.prompts(wiring.prompts(self.config, self.places, self.brought.agents))

    def begin(self) -> Turn:
        """Open what is slow or can fail, and ask what blocks may do here. Raises what the parts raise."""
        yield from self._opened(self.agent())

    def turn(self, request: str, *, piped: str = "", agent: str = "") -> Turn:
        """Work on one request; `piped` is what came on standard input, `agent` who gets it, "": as ever.
        Raises what the parts raise when opened.
        """
        yield Requested(request)
        free = self.config.agent.name == agents.AUTO
        mine = not agent and (free or self.config.agent.name == PLANNER)
        if mine and continues(request) and (left := self.plan.again()).pending():
            yield from self._go_on(left, agreed=True)
            return
        self.plan = Plan()
        said = None if free else routing.Choice(self.agent().name, self.chosen_by)
        words = f"@{agent} {request}" if agent else request
        asked = routing.asking(self.config, self._known)
        chosen, words = yield from self.routing.route(words, self.prompts, said, asked)
        self.asked = (words, piped)
        yield from self._work(chosen, words, piped)

    def retry(self) -> Turn:
        """Ask the last request again, warmer, with the history cut back to before it. Raises UsageError."""
        if self.asked is None:
            raise UsageError(
                "There is nothing to ask again.", "This conversation has no request yet.", "Type one."
            )
        first = self.prompts.agents.get(self.routing.first) if self.config.agent.name == agents.AUTO else None
        agent = first or self.agent()
        usual = self.config.model.temperature if agent.temperature is None else agent.temperature
        yield Requested(self.asked[0])
        yield Routed(agent.name, "retry")
        if self.past:
            yield from self._opened(agent)
        if self.loop:
            self.loop.replies.talk.take_back()
            self.standing.tell_again()
            yield TakenBack("request")
        yield from self._work(replace(agent, temperature=min(HOTTEST, usual + WARMER)), *self.asked)

    def go_on(self) -> Turn:
        """Ask whether to go on with the plan that the session had not ended, and do so."""
        if self.plan.pending():
            yield from self._go_on(self.plan)

    def _go_on(self, plan: Plan, *, agreed: bool = False) -> Turn:
        agent = agents.named(self.prompts, PLANNER)
        yield Routed(agent.name, "resume")
        loop = yield from self._opened(HANDS)
        self._begin(loop, self.asked[0] if self.asked else "")
        with self._planner(agent, loop) as planner:
            try:
                yield from planner.go_on(plan, self.asked[0] if self.asked else "", agreed=agreed)
            finally:
                self._leave(planner)

    def clear(self) -> Turn:
        """Begin the conversation anew; the files stay as they are."""
        self.asked = self.past = None
        self.plan = Plan()
        self.routing.worked.clear()
        self.standing.tell_again()
        if self.loop:
            self.loop.replies.talk.clear()
            self.loop.bench.ledger.known.clear()
        yield TakenBack("start")

    def shell(self, script: str) -> Turn:
        """Run a script of the person's in the box and tell the model."""
        yield from byhand.run((yield from self._opened(byhand.PERSON)), script)

    def undo(self, turns: int, ask: Callable[[str], bool]) -> Turn:
        """Put the files back as they were before the last turns, and tell the model."""
        yield from byhand.tell(self.loop, byhand.UNDONE, self.checkpoints.undo(turns, ask=ask))

    def redo(self, turns: int, ask: Callable[[str], bool]) -> Turn:
        """Bring back what the last undos took back, and tell the model."""
        yield from byhand.tell(self.loop, byhand.REDONE, self.checkpoints.redo(turns, ask=ask))

    def commit(self, message: str = "") -> Turn:
        """Commit what the turns have changed, after the user's yes. Raises UsageError where that is off."""
        if self.config.git.commit == "no":
            raise UsageError("Nothing was committed.", *COMMITS_OFF)
        loop = yield from self._opened(byhand.PERSON)
        yield from git_commit.commit(loop, message)

    @property
    def checkpoints(self) -> Checkpoints:
        """The turns of the folder that is worked in."""
        return self.loop.checkpoints if self.loop else self.standing.checkpoints()

    def use_agent(self, name: str) -> None:
        """Give what follows to this agent, `auto`: to whom it fits. Raises UsageError where there is none."""
        if name != agents.AUTO:
            agents.named(self.prompts, name)
        self.config = replace(self.config, agent=replace(self.config.agent, name=name))
        self.chosen_by = "person"

    def use_model(self, name: str, host: str | None = None) -> Turn:
        """Go on with another model, of the server at `host`, None for that of before; the old one stays where
        opening that raises.
        """
        config = seats.chosen(self.config, name, host)
        self.loop = yield from self._changed(config)
        self.config = config
        yield Notice(seats.ANEW.format(name=name))

    def run(self, turn: Turn, sinks: Sequence[Sink], ask: Asker) -> None:
        """Pull a turn to its end; every event goes to the log and to every sink. What an answered turn has
        changed is committed then, where the user wants that.
        """
        answers: list[Answered] = []

        def note(event: Event) -> None:
            if isinstance(event, Answered) and not (event.receipt and event.receipt.doubt):
                answers.append(event)

        telling = Telling(self.log, self.notices, self._changes, self.verbose)
        telling.run(turn, [*self.gear.sinks(sinks), note], ask)
        if answers and self.config.git.commit == "turn" and self.loop and self.loop.checkpoints.changed:
            telling.run(git_commit.commit(self.loop, asks=False, last=True), self.gear.sinks(sinks), ask)

    def close(self) -> None:
        """Give back what the engine holds, remove the box's folder and finish the log."""
        if self.loop:
            self.loop.replies.model.close()
        self.standing.close()
        self.log.close()

    def agent(self) -> agents.Agent:
        """Give the agent at work. Raises UsageError where there is none of that name."""
        name = self.config.agent.name
        if name == agents.AUTO:
            name = self.routing.at_work
        elif self.chosen_by == "config":
            return wiring.configured_agent(self.config, self.prompts)
        return agents.named(self.prompts, name)

    def _known(self) -> Generator[Event, Reply, tuple[Replies, About | None]]:
        """Open the model that may be asked who shall do a request."""
        loop = yield from self._opened(NOBODY)
        return loop.replies, self.about

    def _admitted(self, agent: agents.Agent) -> Generator[Event, Reply, Loop]:
        """Let an agent in that takes a turn over."""
        self.routing.worked[-1] = agent.name
        return (yield from self._opened(agent))

    def _changes(self) -> Record | None:
        """Give how the conversation has changed, for the log."""
        if self.loop is None:
            return None
        replies = self.loop.replies
        at_work = {"model": self._model(), "dialect": replies.dialect.name}
        return self.written.changes(replies.talk, replies.budget, **at_work)

    def _model(self) -> str:
        return self.seat.model.name or (f"{self.about.engine}:{self.about.name}" if self.about else "")

    def _work(self, agent: agents.Agent, request: str, piped: str) -> Turn:
        hands = replace(agent, tools=HANDS.tools) if agent.name == PLANNER else agent
        loop = yield from self._opened(hands)
        agent = seats.warmed(self.config, self.gear.kit.equipped(agent))
        self._begin(loop, request)
        talk = loop.replies.talk
        wanted = hands.tools and hands.folder and self.config.agent.folder and not wording.folder_told(talk)
        names = wording.folder_line(loop.bench.workspace, talk.templates, request) if wanted else ""
        shown = attachments.along(request, hands.tools, loop.bench, talk.templates) if hands.folder else ""
        names = "\n\n".join(filter(None, (names, shown)))
        told = self.gear.hooks.request((yield from pictures.taken(request, loop, self.about)), agent.name)
        whole = "\n\n".join(filter(None, (told, piped and wording.piped_in(loop, piped))))
        if hands.tools:
            talk.preface = wording.rules(self.brought.words, loop.replies.budget.window)
            yield from self.standing.let_in(request)
            whole += wording.readable(self.standing.take_readable())
        if agent.name == PLANNER:
            if (yield from self._planned(agent, loop, whole, names)):
                return
            # nothing of the attempts is left for the agent to read
            talk.take_back()
            yield TakenBack("request")
            return (yield from self._work((yield from self.routing.unplanned(self.prompts)), request, piped))
        relief, rest = self.routing.relief(self.prompts), self.routing.next(self.prompts)
        loop = replace(loop, rest=rest)
        yield from loop.turn(agent, whole, files=names, relief=relief, admit=self._admitted)

    def _begin(self, loop: Loop, request: str) -> None:
        """Take back what held for the request before."""
        loop.bench.outside.begin(request)
        loop.bench.ledger.begin_request()
        loop.gate.begin_turn()

    def _planned(
        self, agent: agents.Agent, loop: Loop, request: str, files: str
    ) -> Generator[Event, Reply, bool]:
        """Work by a plan; false where the model has made none and another agent may do the request."""
        with self._planner(agent, loop) as planner:
            try:
                return (yield from planner.turn(request, files=files, free=self.routing.choice.is_free))
            finally:
                self._leave(planner)

    def _leave(self, planner: Planner) -> None:
        """Keep what the plan has left, and who was at work."""
        self.plan = planner.plan
        if planner.at_work in routing.CLASSES:
            self.routing.worked[-1:] = [planner.at_work]

    def _planner(self, agent: agents.Agent, loop: Loop) -> AbstractContextManager[Planner]:
        from tripletick import planning

        models = seats.Seats(self.config, self.seat)
        return planning.opened(agent, loop, self.standing, self.prompts, models)

    def _opened(self, agent: agents.Agent) -> Generator[Event, Reply, Loop]:
        """Give the loop; what blocks may do here is asked before the first agent that has tools."""
        if agent.tools and self.standing.leave is None:
            yield from self.standing.settle()
            if old := self.loop:
                self.standing.open()
                replies = old.replies
                self.loop = seats.moved(self._built(self.seat, replies.model, replies.budget.window), old)
        config = seats.seated(self.config, agent)
        if self.loop is None:
            self.loop = yield from self._open(config)
            if self.past:
                yield from map(Notice, seats.resumed(self.loop, self.past, self.folder, self._model()))
        elif agent.card and seats.another(self.seat, config):
            self.loop = yield from self._changed(config)
            yield from map(Notice, seats.told(self.config, agent, first=not self.reseated))
            self.reseated = True
        if agent.card:
            self.loop = seats.sampled(self.loop, config)
        equipped = yield from self.gear.equip(self.loop, agent)
        check = self.config.agent.check or wording.check_of(self.brought.words)
        self.loop = replace(equipped, check=check)
        return self.loop

    def _changed(self, config: Config) -> Generator[Event, Reply, Loop]:
        """Build a loop on another model, which takes the conversation over."""
        new = yield from self._open(config)
        return seats.taken_over(new, self.loop) if self.loop else new

    def _open(self, config: Config) -> Generator[Event, Reply, Loop]:
        """Build a loop on the model that the config names; folder and box are those of the session."""
        absent, self.absent = self.absent, None
        if absent and config.model.name == self.config.model.name:
            raise absent
        model = engines.engine(config, self.notices.append)
        about = model.about()
        window = model.fix(engines.window(config, about))
        model.preload()
        # the box takes longer than the server to answer, and a model that is not there is told at once
        self.standing.open()
        if self.about is None:
            yield from map(Notice, seats.first_told(config, about, self.prompts))
        yield Loading(f"{about.engine}:{about.name}", window)
        self.about, self.seat = about, config
        # a session that is gone on with keeps its own
        kept = self.past.dialect if self.past and not self.loop else ""
        self.dialect = yield from choosing.chosen(kept or config.agent.dialect, about)
        return self._built(config, model, window)

    def _built(self, config: Config, model: Model, window: int) -> Loop:
        prompts = wiring.prompts(config, self.places, self.brought.agents)
        parts = self.standing.parts(config, model, prompts)
        parts = replace(parts, dialect=self.dialect.name, about=self.about)
        return self.gear.added(wiring.loop(parts, self.log.id, window))
