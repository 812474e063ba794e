"""Which agent gets a request: the user's choice, else the classifier's, and if unsure the model's.

Not covered: the classifier (router), what a side question is (aside), who takes over in a turn (shift).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tripletick import router
from tripletick.agents import definitions
from tripletick.agents.definitions import Agent, Prompts
from tripletick.config.config import Config
from tripletick.errors import ContextFullError, StreamCutError
from tripletick.events import FREELY, Event, Notice, Prompted, Reply, Routed
from tripletick.mcp import index
from tripletick.models.model import ModelInfo
from tripletick.planner.plan import PLANNER
from tripletick.router.request_parts import RequestPart, is_answer, is_continuation, split_request
from tripletick.session import model_limits
from tripletick.system.lazy_regex import lazy_regex
from tripletick.turn import side_query
from tripletick.turn.handover import RemainingRequest
from tripletick.turn.reply import ReplySource
from tripletick.turn.request_files import concerns_files

TALKS = "casual"
CLASSES = (TALKS, "coder", "file", "web", PLANNER)
RELIEF = ("file", "coder", "web")
"""Who may take a turn over, the one with the fewest tags first."""
LACKING = "This needs the agent {name}, which is not installed; {instead} does what it can. {remedy}"
ANOTHER = "This needs the agent {name}, which is not available with this model; {instead} does what it can."
SPARED = "Planning is off for small models: {who}. To force a plan: @planner …"
ALONE = "{name} handles the request"
BOTH = "{name} begins, then {next} takes over"
UNPLANNED = "The model wrote no plan: {who}."
NO_SERVER = 'No MCP server is configured. Add one: tripletick config set mcp.NAME.command "PROGRAM ARGUMENTS"'
FIRST = "coder"
"""Who is taken to be at work before the first request."""
UNSEEING = (TALKS, "web")
"""Who reads no files …"""
AT_FILES = ("file", "coder")
"""… and who does."""
SERVED = "coder"
"""Who gets a request that names a server."""
INSTEAD: Mapping[str, str] = {PLANNER: "coder"}
"""Who gets a class whose agent is not there, and its follow-ups; all others go to who talks."""
PARTED = frozenset({"coder", "file", "web", PLANNER})
"""Who gets requests that may be for two agents."""
SHOWN = 1500
"""Characters of a request, at each end, by which the model chooses."""
ANSWER = 48
"""Tokens of its choice."""
LEAST = 2_000_000_000
"""Parameters of a model that is asked where the classifier is unsure: one of 135 million gave 28 of 100 such
requests to the right agent, the classifier alone 72 (bench/router_asked.py). One of 1.5 billion, asked about
7 of 100 chores, gave 3 questions to who writes programs, the classifier none.
"""
_MENTION = lazy_regex(r"@([\w-]+)(?:\s+|$)")
_WORD = lazy_regex(r"[\w-]+")


Asked = Callable[[bool], Generator[Event, Reply, "ReplySource | None"]]
"""Opens the model that is asked, None where it is not; it is told whether the classifier is sure."""

Known = Callable[[], Generator[Event, Reply, tuple["ReplySource", ModelInfo | None]]]
"""Opens the model at work, and gives what its engine tells of it."""
Plans = Callable[[], Generator[Event, Reply, bool]]


@dataclass(frozen=True, slots=True)
class AgentChoice:
    """An agent's name and what decided; `confidence` and `sure` are the classifier's."""

    agent: str
    by: str
    confidence: float | None = None
    sure: bool = True
    parts: tuple[RequestPart, ...] = ()
    """Both clauses of a request for two agents, the first one's first."""

    @property
    def names(self) -> tuple[str, ...]:
        """Name who works on it, in their order."""
        both = tuple(part.agent for part in self.parts)
        return (self.agent,) if self.agent == PLANNER else both or (self.agent,)

    @property
    def is_free(self) -> bool:
        """Tell whether nobody named the agent, so that another may take over."""
        return self.by in FREELY


def split_mention(request: str, there: Collection[str]) -> tuple[str, str]:
    """Split `@coder do it` into the agent and the words, ("", request) where no agent is named so."""
    found = _MENTION.match(request)
    if found and found[1] in there and request[found.end() :].strip():
        return found[1], request[found.end() :]
    return "", request


def decide_agent(
    request: str,
    history: Sequence[str],
    own: Mapping[str, Agent],
    servers: Sequence[str] = (),
    folder: Path | None = None,
) -> AgentChoice:
    """Choose by a server that the request names, else by likeness to the `when` of the user's own agents,
    else by the classifier; what names a file of the folder or is about one is for an agent that reads it.
    """
    if index.find_named_server(request, servers) or (servers and index.wants_servers(request)):
        return AgentChoice(SERVED, "server")
    sentences = {name: agent.when for name, agent in own.items()}
    name, likeness = router.find_closest_agent(request, sentences) if own else ("", 0.0)
    if likeness >= router.CLOSE:
        return AgentChoice(name, "when", likeness)
    worked = [INSTEAD.get(name, name) for name in history]
    if is_answer(request) or (worked and is_continuation(request)):
        return AgentChoice(worked[-1] if worked else TALKS, "router", 1.0)
    guess = router.guess_agent(request, worked)
    if guess.agent in UNSEEING and folder and "://" not in request and concerns_files(request, folder):
        guess = replace(router.guess_agent(request, worked, AT_FILES), sure=True)
    both = split_request(request) if guess.agent in PARTED else ()
    agent = both[0].agent if both and guess.agent != PLANNER else guess.agent
    return AgentChoice(agent, "router", guess.confidence, guess.sure, both)


def can_be_asked(about: ModelInfo, wanted: str) -> bool:
    """Tell whether a model can be asked who does a request, which `[router] ask` wants so often."""
    return about.schemas and (wanted == "always" or not 0 < about.parameters < LEAST)


def make_model_opener(config: Config, known: Known) -> Asked:
    """Give what opens the model that is asked, as far as the config wants it."""

    def asked(sure: bool) -> Generator[Event, Reply, ReplySource | None]:
        from tripletick.session import builder

        wanted = config.router.ask
        if wanted == "never" or (wanted == "unsure" and sure) or builder.is_trained(config):
            return None
        replies, about = yield from known()
        return replies if about and can_be_asked(about, wanted) else None

    return asked


def make_plan_check(config: Config, known: Known) -> Plans:
    """Give what says whether the model makes plans unasked, which its size decides."""

    def plans() -> Generator[Event, Reply, bool]:
        return model_limits.wants_plan(config, (yield from known())[1])

    return plans


def list_candidates(prompts: Prompts) -> dict[str, Agent]:
    """Give the agents that requests are routed to."""
    classes = {name: prompts.agents[name] for name in CLASSES if name in prompts.agents}
    return classes | _get_own_agents(prompts)


def _get_own_agents(prompts: Prompts) -> dict[str, Agent]:
    return {name: prompts.agents[name] for name in prompts.own}


@dataclass(slots=True)
class AgentRouter:
    """Where requests come in, one session's."""

    worked: list[str] = field(default_factory=list)
    """The agents of the requests so far."""
    choice: AgentChoice = AgentChoice("", "config")
    """How the last one was chosen."""
    servers: Sequence[str] = ()
    """The names of the user's MCP servers."""
    plans: Plans | None = None
    """Says whether the model makes plans that nobody has asked for; None: it does."""
    first: str = ""
    """The agent that the last request began with."""
    rest: RequestPart | None = None
    """The clause of the last request that is another agent's, once the first one has done its own."""

    @property
    def current_agent(self) -> str:
        """Name the agent of the last request."""
        return self.worked[-1] if self.worked else FIRST

    def route_request(
        self,
        request: str,
        prompts: Prompts,
        said: AgentChoice | None,
        asked: Asked | None,
        folder: Path | None = None,
    ) -> Generator[Event, Reply, tuple[Agent, str]]:
        """Give the agent of a request, and its words. `said` is whom the user gives all requests, `asked`
        opens the model that may be asked, where one may, `folder` is the one that is worked in. Raises
        UsageError where the agent that the request names is not installed.
        """
        name, words = split_mention(request, {*prompts.broken, *prompts.lacking, *prompts.agents})
        if said and said.agent == PLANNER and self.worked and is_continuation(words):
            # what a plan has left goes on without another plan
            said = None
        if name:
            choice = AgentChoice(definitions.find_agent(prompts, name).name, "mention")
        else:
            own = _get_own_agents(prompts)
            choice = said or decide_agent(request, self.worked, own, self.servers, folder)
        if not self.servers and index.wants_servers(words):
            yield Notice(NO_SERVER)
        if asked and choice.is_free and (replies := (yield from asked(choice.sure))):
            better = yield from ask_model(replies, request, prompts)
            choice = _apply_model_choice(choice, better) if better else choice
        if choice.is_free and choice.agent == PLANNER and self.plans and not (yield from self.plans()):
            choice = replace_planner(choice)
            yield Notice(SPARED.format(who=_format_agents(choice.names)))
        elif len(choice.names) > 1:
            yield Notice(f"{_format_agents(choice.names)}.")
        return (yield from self._begin_request(choice, prompts)), words

    def route_without_plan(self, prompts: Prompts) -> Generator[Event, Reply, Agent]:
        """Give the agent of the last request, of which the model has made no plan."""
        self.worked.pop()
        choice = replace_planner(self.choice)
        yield Notice(UNPLANNED.format(who=_format_agents(choice.names)))
        return (yield from self._begin_request(choice, prompts))

    def _begin_request(self, choice: AgentChoice, prompts: Prompts) -> Generator[Event, Reply, Agent]:
        self.choice = choice
        there = yield from _find_present(choice, prompts)
        self.first = there[0]
        self.rest = choice.parts[1] if len(there) > 1 else None
        self.worked.append(self.first)
        yield Routed(self.first, choice.by, choice.confidence)
        return prompts.agents[self.first]

    def list_relief_agents(self, prompts: Prompts) -> list[Agent]:
        """Give those who may take the turn over, the most fitting first; nobody where the user chose."""
        next_ = (self.rest.agent,) if self.rest else ()
        names = dict.fromkeys((*next_, *(name for name in RELIEF if name in prompts.agents), *prompts.own))
        return [prompts.agents[name] for name in names] if self.choice.is_free else []

    def get_rest(self, prompts: Prompts) -> RemainingRequest | None:
        """Give the agent that the request is for after the first one, with its clause."""
        return RemainingRequest(prompts.agents[self.rest.agent], self.rest.words) if self.rest else None


def _format_agents(names: Sequence[str]) -> str:
    """Say who does a request: one agent, or two after each other."""
    return BOTH.format(name=names[0], next=names[1]) if len(names) > 1 else ALONE.format(name=names[0])


def replace_planner(choice: AgentChoice) -> AgentChoice:
    """Give a request that would have become a plan to who begins with it."""
    return replace(choice, agent=choice.parts[0].agent if choice.parts else INSTEAD[PLANNER])


def _apply_model_choice(choice: AgentChoice, name: str) -> AgentChoice:
    """Take the model's word; the clauses stand where it names one of their agents, or the planner."""
    both = choice.parts if name in (PLANNER, *(part.agent for part in choice.parts)) else ()
    agent = both[0].agent if both and name != PLANNER else name
    return replace(choice, agent=agent, by="model", parts=both)


def _find_present(choice: AgentChoice, prompts: Prompts) -> Generator[Event, Reply, list[str]]:
    """Name who works on it and is there; where nobody is, who does instead. Who is missing is said. Raises
    ConfigError where the user's file of one is broken.
    """
    for name in choice.names:
        if name in prompts.broken:
            raise prompts.broken[name].error
    there = [name for name in choice.names if name in prompts.agents]
    for name in choice.names:
        if name not in prompts.agents:
            there = there or [INSTEAD.get(name, TALKS)]
            lacking = prompts.lacking.get(name)
            words, remedy = (LACKING, lacking.remedy) if lacking else (ANOTHER, "")
            yield Notice(words.format(name=name, instead=there[0], remedy=remedy))
    return there


def ask_model(replies: ReplySource, request: str, prompts: Prompts) -> Generator[Event, Reply, str]:
    """Have the model at work choose; "" where there is no room for the question or it names nobody."""
    there = list_candidates(prompts)
    lines = "\n".join(f"{name}: {agent.when}" for name, agent in there.items())
    question = prompts.route.replace("{agents}", lines).replace("{request}", _shorten_request(request))
    asked = side_query.append_question(replies.conversation.build_messages(), question)
    if replies.budget.count_left(asked) < ANSWER:
        return ""
    yield Prompted(replies.budget.estimate_tokens(asked))
    sampling = replace(
        replies.sampling, output=ANSWER, temperature=0.0, think=False, schema=_build_schema(list(there))
    )
    try:
        said = yield from side_query.ask_question(
            replies.model, replies.dialect, asked, sampling, replies.budget
        )
    except (ContextFullError, StreamCutError):
        # the request itself makes room or asks again
        return ""
    return _parse_choice(said.text, there)


def _build_schema(names: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"agent": {"type": "string", "enum": names}},
        "required": ["agent"],
        "additionalProperties": False,
    }


def _parse_choice(text: str, there: Mapping[str, Agent]) -> str:
    try:
        told = json.loads(text)
        name = told.get("agent") if isinstance(told, dict) else told
    except ValueError:
        # an engine without schemas; one name among the words is clear enough
        found = {word for word in _WORD.findall(text.lower()) if word in there}
        name = found.pop() if len(found) == 1 else ""
    return name if isinstance(name, str) and name in there else ""


def _shorten_request(request: str) -> str:
    return request if len(request) <= 2 * SHOWN else f"{request[:SHOWN]}\n…\n{request[-SHOWN:]}"
