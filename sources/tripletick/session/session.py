"""One session in one folder: requests go in, events come out to log and screen.

The only place where log, screen and loop meet. What is slow or can fail is opened by the first turn, whose
events tell of it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tripletick.agents import definitions
from tripletick.agents.definitions import Agent
from tripletick.checkpoint import Checkpoints
from tripletick.config.config import Config
from tripletick.dialects import selection
from tripletick.errors import TripletickError, UsageError
from tripletick.event_log.session_log import Record, SessionLog
from tripletick.events import Answered, Event, Loading, Notice, Reply, Requested, Routed, TakenBack
from tripletick.history.history import Past, Written
from tripletick.models.model import HOTTEST, Model, ModelInfo
from tripletick.planner.plan import PLANNER, Plan
from tripletick.router.request_parts import is_continuation
from tripletick.session import (
    agent_models,
    builder,
    git_commit,
    images,
    manual_actions,
    model_selection,
    request_text,
    routing,
)
from tripletick.session.event_pump import Asker, EventPump, Sink
from tripletick.session.extensions import HANDS, Extensions
from tripletick.session.model_lookup import ModelLookup, open_looked_up
from tripletick.session.routing import AgentRouter
from tripletick.session.workspace import SessionWorkspace
from tripletick.system.cancellation import CancelToken
from tripletick.system.dirs import AppDirs
from tripletick.trust import FolderFlags, TrustedContent
from tripletick.turn.loop import Loop, Turn
from tripletick.turn.reply import ReplySource

if TYPE_CHECKING:
    from tripletick.planner.planner import Planner

WARMER = 0.4
"""What /retry adds to the temperature."""
COMMITS_OFF = ("Commits are turned off: [git] commit = no.", "tripletick config set git.commit ask")
NOBODY = Agent("nobody", "", "")


@dataclass(slots=True)
class App:
    """A config, a folder and one conversation over many requests."""

    config: Config
    places: AppDirs
    folder: Path
    log: SessionLog
    chosen_by: str = "config"
    person: bool = False
    """Whether a user is there to be asked."""
    notices: list[str] = field(default_factory=list)
    """Lines for the user that wait for the next event; any thread may add one."""
    folder_flags: FolderFlags = field(default_factory=FolderFlags)
    """What the command line allows in the folder."""
    trusted_content: TrustedContent = field(default_factory=TrustedContent)
    """What the workspace brings, as far as the user trusts it."""
    past: Past | None = None
    """The session that is resumed."""
    verbose: bool = False
    """Errors are shown with their traceback."""
    loop: Loop | None = None
    model_info: ModelInfo | None = None
    """What the engine reports of the model at work."""
    routing: AgentRouter = field(default_factory=AgentRouter)
    plan: Plan = field(default_factory=Plan)
    """The plan of the last request."""
    last_request: tuple[str, str] | None = None
    """The last request, and what was piped in with it."""
    workspace: SessionWorkspace = field(init=False)
    extensions: Extensions = field(init=False)
    written: Written = field(default_factory=Written)
    """What the log holds of the conversation."""
    agent_config: Config = field(init=False)
    """The config as it holds for the agent at work, whose model is open."""
    switch_explained: bool = False
    """The user was told what changing models costs."""
    dialect: selection.DialectChoice = selection.USUAL
    """How the model at work writes its calls."""
    model_error: TripletickError | None = None
    """Why there is no model, found out before the first turn: the server is not asked twice."""
    halt: CancelToken = field(default_factory=CancelToken)
    """Ends what a turn waits for, where it runs in another thread than the one that has it stopped."""
    lookup: ModelLookup | None = None

    def __post_init__(self) -> None:
        self.notices.extend(self.config.warnings)
        self.agent_config = self.config
        told = self.notices.append
        self.workspace = SessionWorkspace(
            self.config, self.places, self.folder, self.folder_flags, self.person, told, halt=self.halt
        )
        self.extensions = Extensions(self.workspace, self.trusted_content, self.notices.append)
        self.routing.servers = tuple(self.config.servers)
        self.routing.plans = routing.make_plan_check(self.config, self._open_for_routing)
        if self.past:
            self.written, self.plan = self.past.written, self.past.plan
            self.last_request = (self.past.asked, "") if self.past.asked else None
            self.routing.worked = list(self.past.worked)

    @property
    def prompts(self) -> definitions.Prompts:
        """Read the prompts of the personality. Raises ConfigError, UsageError where there is none."""
        return self.extensions.extend_prompts(
            builder.load_prompts(self.config, self.places, self.trusted_content.agents)
        )

    def open_session(self) -> Turn:
        """Open what is slow or can fail, and ask what blocks may do here. Raises what the parts raise."""
        (yield from self._ensure_loop(self.find_agent())).replies.read_ahead()

    def handle_request(self, request: str, *, piped: str = "", agent: str = "") -> Turn:
        """Work on one request; `piped` is what came on standard input, `agent` who gets it, "": as ever.
        Raises what the parts raise when opened.
        """
        yield Requested(request)
        free = self.config.agent.name == definitions.AUTO
        mine = not agent and (free or self.config.agent.name == PLANNER)
        if mine and is_continuation(request) and (left := self.plan.reset_failed()).list_pending():
            yield from self._continue_plan(left, agreed=True)
            return
        self.plan = Plan()
        said = None if free else routing.AgentChoice(self.find_agent().name, self.chosen_by)
        words = f"@{agent} {request}" if agent else request
        asked = routing.make_model_opener(self.config, self._open_for_routing)
        chosen, words = yield from self.routing.route_request(words, self.prompts, said, asked, self.folder)
        self.last_request = (words, piped)
        yield from (yield from self._prepare_turn(chosen, words, piped))

    def retry_request(self) -> Turn:
        """Ask the last request again, warmer, with the history cut back to before it. Raises UsageError."""
        if self.last_request is None:
            raise UsageError(
                "There is nothing to retry.", "This conversation has no requests yet.", "Type a request."
            )
        free = self.config.agent.name == definitions.AUTO
        first = self.prompts.agents.get(self.routing.first) if free else None
        agent = first or self.find_agent()
        usual = self.config.model.temperature if agent.temperature is None else agent.temperature
        yield Requested(self.last_request[0])
        yield Routed(agent.name, "retry")
        if self.past:
            yield from self._ensure_loop(agent)
        if self.loop:
            self.loop.conversation.remove_request()
            self.workspace.reset_readable()
            yield TakenBack("request")
        warmer = replace(agent, temperature=min(HOTTEST, usual + WARMER))
        yield from (yield from self._prepare_turn(warmer, *self.last_request))

    def resume_plan(self) -> Turn:
        """Ask whether to go on with the plan that the session had not ended, and do so."""
        if self.plan.list_pending():
            yield from self._continue_plan(self.plan)

    def _continue_plan(self, plan: Plan, *, agreed: bool = False) -> Turn:
        agent = definitions.find_agent(self.prompts, PLANNER)
        yield Routed(agent.name, "resume")
        loop = yield from self._ensure_loop(HANDS)
        request = self.last_request[0] if self.last_request else ""
        loop.begin_request(request)
        with self._open_planner(agent, loop) as planner:
            yield from planner.resume_plan(plan, request, agreed=agreed)

    def clear_conversation(self) -> Turn:
        """Begin the conversation again; the files stay as they are."""
        self.last_request = self.past = None
        self.plan = Plan()
        self.routing.worked = []
        self.workspace.reset_readable()
        if self.loop:
            self.loop.conversation.clear_history()
        yield TakenBack("start")

    def run_script(self, script: str) -> Turn:
        """Run a script of the user's in the box and tell the model."""
        yield from manual_actions.run_script((yield from self._ensure_loop(manual_actions.PERSON)), script)

    def undo_turns(self, turns: int, ask: Callable[[str], bool]) -> Turn:
        """Put the files back as they were before the last turns, and tell the model."""
        done = self.checkpoints.undo(turns, ask=ask)
        yield from manual_actions.report_undo(self.loop, manual_actions.UNDONE, done)

    def redo_turns(self, turns: int, ask: Callable[[str], bool]) -> Turn:
        """Bring back what the last undos took back, and tell the model."""
        done = self.checkpoints.redo(turns, ask=ask)
        yield from manual_actions.report_undo(self.loop, manual_actions.REDONE, done)

    def commit_changes(self, message: str = "") -> Turn:
        """Commit what the turns have changed, after the user's yes. Raises UsageError where that is off."""
        if self.config.git.commit == "no":
            raise UsageError("Nothing was committed.", *COMMITS_OFF)
        yield from git_commit.commit_turns((yield from self._ensure_loop(manual_actions.PERSON)), message)

    @property
    def checkpoints(self) -> Checkpoints:
        """The turns of the folder that is worked in."""
        return self.loop.checkpoints if self.loop else self.workspace.open_checkpoints()

    def use_agent(self, name: str) -> None:
        """Give what follows to this agent, `auto`: to whom it fits. Raises UsageError where there is none."""
        if name != definitions.AUTO:
            definitions.find_agent(self.prompts, name)
        self.config = replace(self.config, agent=replace(self.config.agent, name=name))
        self.chosen_by = "person"

    def use_mode(self, mode: str) -> None:
        """Let blocks do what a mode of the sandbox lets them; what was allowed before is asked again."""
        self.config = builder.set_mode(self.config, mode)
        self.agent_config = builder.set_mode(self.agent_config, mode)
        self.workspace.change_mode(self.config)
        self._rebuild_loop()

    def use_model(self, name: str, host: str | None = None) -> Turn:
        """Go on with another model, of the server at `host`, None for that of before; the old one stays where
        opening that raises.
        """
        config = agent_models.set_chosen_model(self.config, name, host)
        self.loop, self.config = (yield from self._switch_model(config)), config
        self.loop.replies.read_ahead()
        yield Notice(agent_models.ANEW.format(name=name))

    def run_turn(self, turn: Turn, sinks: Sequence[Sink], ask: Asker) -> None:
        """Pull a turn to its end; every event goes to the log and to every sink. What an answered turn has
        changed is committed then, where the user wants that.
        """
        answers: list[Answered] = []

        def note(event: Event) -> None:
            if isinstance(event, Answered) and not (event.receipt and event.receipt.doubt):
                answers.append(event)

        telling = EventPump(self.log, self.notices, self._get_changes, self.verbose)
        hooked = self.extensions.add_hook_sink(sinks)
        telling.run_turn(turn, [*hooked, note], ask)
        if answers and self.config.git.commit == "turn" and self.loop and self.loop.checkpoints.changed:
            telling.run_turn(git_commit.commit_turns(self.loop, asks=False, last=True), hooked, ask)

    def close(self) -> None:
        """Give back what the engine holds, remove the box's folder and finish the log."""
        if self.loop:
            self.loop.close()
        self.workspace.close()
        self.log.close()

    def find_agent(self) -> Agent:
        """Give the agent at work. Raises UsageError where there is none of that name."""
        name = self.config.agent.name
        if name == definitions.AUTO:
            name = self.routing.current_agent
        elif self.chosen_by == "config":
            return builder.find_configured_agent(self.config, self.prompts)
        return definitions.find_agent(self.prompts, name)

    def _open_for_routing(self) -> Generator[Event, Reply, tuple[ReplySource, ModelInfo | None]]:
        """Open the model that may be asked who shall do a request."""
        loop = yield from self._ensure_loop(NOBODY)
        return loop.replies, self.model_info

    def _admit_agent(self, agent: Agent) -> Generator[Event, Reply, Loop]:
        """Let an agent in that takes a turn over."""
        self.routing.worked[-1] = agent.name
        return (yield from self._ensure_loop(agent))

    def _get_changes(self) -> Record | None:
        """Give how the conversation has changed, for the log."""
        if self.loop is None:
            return None
        replies = self.loop.replies
        at_work = {"model": self._name_model(), "dialect": replies.dialect.name}
        return self.written.changes(self.loop.conversation, replies.budget, **at_work)

    def _name_model(self) -> str:
        about = self.model_info
        return self.agent_config.model.name or (f"{about.engine}:{about.name}" if about else "")

    def _prepare_turn(self, agent: Agent, request: str, piped: str) -> Generator[Event, Reply, Turn]:
        """Open what an agent needs for a request; give the turn that works on it."""
        hands = replace(agent, tools=HANDS.tools) if agent.name == PLANNER else agent
        loop = yield from self._ensure_loop(hands)
        agent = agent_models.apply_agent_temperature(self.config, self.extensions.equip_agent(agent))
        loop.begin_request(request)
        files = request_text.format_files(loop, hands, request, folder_line=self.config.agent.folder)
        words = yield from images.attach_images(request, loop, self.model_info)
        words = self.extensions.apply_pre_request(words, agent.name)
        along = [files, piped and request_text.format_piped_input(loop, piped)]
        if hands.tools:
            rules = request_text.format_rules(self.trusted_content.words, loop.replies.budget.window)
            loop.conversation.preface = rules
            yield from self.workspace.ask_to_read(request)
            along.append(request_text.format_readable_paths(self.workspace.take_readable()))
        files = "\n\n".join(filter(None, along))
        if agent.name == PLANNER:
            return self._run_planner(agent, loop, words, files)
        relief, rest = self.routing.list_relief_agents(self.prompts), self.routing.get_rest(self.prompts)
        loop = replace(loop, rest=rest)
        return loop.run_turn(agent, words, files=files, relief=relief, admit=self._admit_agent)

    def _run_planner(self, agent: Agent, loop: Loop, request: str, files: str) -> Turn:
        """Work by a plan; where the model has made none another agent does the request."""
        with self._open_planner(agent, loop) as planner:
            done = yield from planner.run_turn(request, files=files, free=self.routing.choice.is_free)
        if not done and self.last_request:
            # nothing of the attempts is left for the agent to read
            loop.conversation.remove_request()
            yield TakenBack("request")
            other = yield from self.routing.route_without_plan(self.prompts)
            yield from (yield from self._prepare_turn(other, *self.last_request))

    @contextmanager
    def _open_planner(self, agent: Agent, loop: Loop) -> Iterator[Planner]:
        """Give a planner; what its plan has left, and who was at work, is kept."""
        from tripletick.session import plan_workers

        models = agent_models.AgentModels(self.config, self.agent_config)
        with plan_workers.open_planner(agent, loop, self.workspace, self.prompts, models) as planner:
            try:
                yield planner
            finally:
                self.plan = planner.plan
                if planner.last_agent in routing.CLASSES:
                    self.routing.worked[-1:] = [planner.last_agent]

    def _ensure_loop(self, agent: Agent) -> Generator[Event, Reply, Loop]:
        """Give the loop; what blocks may do here is asked before the first agent that has tools."""
        if agent.tools and self.workspace.permission is None:
            yield from self.workspace.ask_permission()
            self._rebuild_loop()
        config = agent_models.config_for_agent(self.config, agent)
        if self.loop is None:
            self.loop = yield from self._open_loop(config)
            if self.past:
                yield from map(
                    Notice, agent_models.resume_session(self.loop, self.past, self.folder, self._name_model())
                )
        elif agent.card and model_selection.needs_reload(self.agent_config, config):
            self.loop = yield from self._switch_model(config)
            told = agent_models.describe_switch(self.config, agent, first=not self.switch_explained)
            yield from map(Notice, told)
            self.switch_explained = True
        if agent.card:
            self.loop = agent_models.with_sampling(self.loop, config)
        equipped = yield from self.extensions.equip_loop(self.loop, agent)
        check = self.config.agent.check or request_text.find_check_command(self.trusted_content.words)
        self.loop = replace(equipped, check=check)
        return self.loop

    def _rebuild_loop(self) -> None:
        """Build the loop anew on its model, where what blocks may do is no longer the same."""
        if old := self.loop:
            self.workspace.open()
            replies = old.replies
            new = self._build_loop(self.agent_config, replies.model, replies.budget.window)
            self.loop = agent_models.carry_over_replies(new, old)

    def _switch_model(self, config: Config) -> Generator[Event, Reply, Loop]:
        """Build a loop on another model, which takes the conversation over."""
        new = yield from self._open_loop(config)
        return agent_models.carry_over_conversation(new, self.loop) if self.loop else new

    def _open_loop(self, config: Config) -> Generator[Event, Reply, Loop]:
        """Build a loop on the model that the config names; folder and box are those of the session."""
        (error, lookup), self.model_error, self.lookup = (self.model_error, self.lookup), None, None
        if error and config.model.name == self.config.model.name:
            raise error
        model, about = open_looked_up(lookup, config, self.notices.append, self.halt)
        window = model.set_context(model_selection.choose_context(config, about))
        model.preload()
        # the box takes longer than the server to answer, and a model that is not there is told at once
        self.workspace.open()
        if self.model_info is None:
            yield from map(Notice, agent_models.list_startup_notices(config, about, self.prompts))
        yield Loading(f"{about.engine}:{about.name}", window)
        self.model_info, self.agent_config = about, config
        # a session that is gone on with keeps its own
        kept = self.past.dialect if self.past and not self.loop else ""
        self.dialect = yield from selection.choose_with_notice(kept or config.agent.dialect, about)
        return self._build_loop(config, model, window)

    def _build_loop(self, config: Config, model: Model, window: int) -> Loop:
        prompts = builder.load_prompts(config, self.places, self.trusted_content.agents)
        made = self.workspace.make_loop_builder(config, model, prompts)
        made = replace(made, dialect=self.dialect.name, about=self.model_info)
        return self.extensions.extend_loop(made.build_loop(self.log.id, window))
