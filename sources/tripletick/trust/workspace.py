"""What a workspace brings: AGENTS.md, settings, agents and tools, used after a yes to these very files.

They are read once, through the workspace's handle; what was shown and hashed is what is used. Not covered:
how much of AGENTS.md the model is told, and when (wording); what a tool is (tools/own), of which nothing but
the text is looked at here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tripletick.agents.definitions import AUTO, EVERY_LANGUAGE, Agent, parse_agent
from tripletick.config import ini
from tripletick.config.config import Config, SettingValue
from tripletick.errors import ConfigError
from tripletick.events import Ask
from tripletick.languages.registry import LANGUAGES
from tripletick.messages import Answer
from tripletick.paths import PathRefused, Workspace
from tripletick.system.lazy_regex import lazy_regex
from tripletick.trust.answer_store import AnswerStore
from tripletick.trust.settings import Listed, check_model_exists, check_server_model, filter_settings

SETTINGS, AGENTS, WORDS = ".tripletick/config.ini", ".tripletick/agents", "AGENTS.md"
TOOLS = ".tripletick/tools"
LARGEST = 64 << 10
"""Bytes of one file."""
MOST = 20
"""Agents, and files of tools."""
SHOWN = 60
NAME = lazy_regex(r"[a-z][a-z0-9_-]{0,30}")

QUESTION = "This folder brings {what}. Use it?"
WHY = (
    "You have not approved these files as they are now. They can choose an agent and a model, and restrict "
    "the sandbox; AGENTS.md is sent to the model, tools run in the sandbox. n: they are not used, and you "
    "are asked again next time."
)
UNASKED = "{names} of this folder: not used, because not approved yet. To approve: tripletick"
DECLINED = "{names} of this folder: not used, as you chose."
NOT_READ = "{path} is not used: {why}."
TOO_LARGE, NO_TEXT = "it is larger than 64 KiB", "it is not UTF-8"
TAKEN = "{path} is not used: {name} is the name of another agent, or not a plain word."
TAGS = "{path} is not used: it asks for {tags}, which no agent of tripletick has."
TOO_MANY = "{path} is not used: a folder can bring at most {most} agents."
TOO_MANY_FILES = "{path} is not used: a folder can bring at most {most} tool files."
NO_AGENT = "{where}: [agent] name = {value} is ignored; available: {names}."


@dataclass(frozen=True, slots=True)
class TrustBounds:
    """What a workspace may not go beyond: the user's settings, the agents there are, the models listed."""

    base: Config
    agents: Collection[str]
    """The names of agents that are chosen by name."""
    taken: Collection[str]
    """Further names that no agent of a workspace may bear."""
    tags: Collection[str]
    """What its agents may own."""
    listed: Listed


@dataclass(frozen=True, slots=True)
class TrustedContent:
    """What the user said yes to, as far as a workspace may bring it."""

    settings: tuple[SettingValue, ...] = ()
    agents: Mapping[str, Agent] = field(default_factory=dict)
    words: str = ""
    """The text of AGENTS.md."""
    tools: Mapping[str, str] = field(default_factory=dict)
    """The texts of Python files with tools, by path; they run in the box alone."""


NOTHING = TrustedContent()


def load_trusted_content(
    workspace: Workspace, bounds: TrustBounds, memory: AnswerStore, ask: Callable[[Ask], Answer] | None
) -> tuple[TrustedContent, list[str]]:
    """Give what may be used, and lines for the user; `ask` is None where nobody is there."""
    told: list[str] = []
    texts = _read_texts(workspace, told)
    marks = {path: hash_text(text) for path, text in texts.items()}
    trusted, problems = _select_allowed(texts, bounds)
    if not (trusted.settings or trusted.agents or trusted.words.strip() or trusted.tools):
        return NOTHING, [*told, *problems]
    names = ", ".join(texts)
    if not marks.items() <= memory.get_answers(workspace.root).files.items():
        if ask is None:
            return NOTHING, [UNASKED.format(names=names)]
        question = Ask(QUESTION.format(what=", ".join(_describe_files(texts, trusted))), "yn?", WHY)
        if ask(question).choice != "y":
            return NOTHING, [DECLINED.format(names=names)]
        memory.save_answers(workspace.root, files=marks)
    checked, missing = _drop_unavailable(trusted, bounds)
    return checked, [*told, *problems, *missing]


def hash_text(text: str) -> str:
    """Give what a yes to a file is kept by."""
    return hashlib.sha256(text.encode()).hexdigest()


def _read_texts(workspace: Workspace, told: list[str]) -> dict[str, str]:
    """Read the files by their paths; what cannot be read is left out and told."""
    found: dict[str, str] = {}
    for path in [
        SETTINGS,
        WORDS,
        *_list_files(workspace, AGENTS, ".md"),
        *_list_files(workspace, TOOLS, ".py"),
    ]:
        try:
            entry = workspace.describe_path(path)
            if entry.kind == "missing":
                continue
            data = workspace.read_bytes(path, LARGEST + 1)
            if len(data) > LARGEST:
                raise PathRefused(TOO_LARGE)
            found[path] = data.decode("utf-8-sig").replace("\r\n", "\n")
        except PathRefused as refused:
            told.append(NOT_READ.format(path=path, why=refused))
        except UnicodeError:
            told.append(NOT_READ.format(path=path, why=NO_TEXT))
    return found


def _list_files(workspace: Workspace, folder: str, ending: str) -> list[str]:
    try:
        names = [name for name, kind in workspace.list_kinds(folder).items() if kind == "file"]
    except PathRefused:
        return []
    # one more than may be brought, so that it is told
    return [f"{folder}/{name}" for name in names if name.endswith(ending)][: MOST + 1]


def _select_allowed(texts: Mapping[str, str], bounds: TrustBounds) -> tuple[TrustedContent, list[str]]:
    """Take what a workspace may bring, and tell what it may not; nothing is contacted for it."""
    problems: list[str] = []
    try:
        rows = ini.parse_values(texts.get(SETTINGS, ""), Path(SETTINGS))
        settings, told = filter_settings(bounds.base, [SettingValue(*row) for row in rows])
        problems += told
    except ConfigError as error:
        settings = ()
        problems.append(NOT_READ.format(path=SETTINGS, why=f"{error.why}".rstrip(".")))
    agents: dict[str, Agent] = {}
    for path in texts:
        if path.startswith(f"{AGENTS}/"):
            agent = _parse_agent(path, texts[path], bounds, problems)
            if agent and len(agents) == MOST:
                problems.append(TOO_MANY.format(path=path, most=MOST))
            elif agent:
                agents[agent.name] = agent
    tools = {path: text for path, text in texts.items() if path.startswith(f"{TOOLS}/")}
    for path in [*tools][MOST:]:
        del tools[path]
        problems.append(TOO_MANY_FILES.format(path=path, most=MOST))
    return TrustedContent(settings, agents, texts.get(WORDS, ""), tools), problems


def _parse_agent(path: str, source: str, bounds: TrustBounds, problems: list[str]) -> Agent | None:
    name = path.rpartition("/")[2].removesuffix(".md")
    if not NAME.fullmatch(name) or name in {*bounds.agents, *bounds.taken}:
        problems.append(TAKEN.format(path=path, name=name))
        return None
    try:
        agent = parse_agent(name, source)
    except ConfigError as error:
        problems.append(NOT_READ.format(path=path, why=error.why.rstrip(".")))
        return None
    owned = {*bounds.tags, *(LANGUAGES if EVERY_LANGUAGE in bounds.tags else ())}
    if more := [tag for tag in agent.tools if tag not in owned]:
        problems.append(TAGS.format(path=path, tags=" ".join(more)))
        return None
    return agent


def _drop_unavailable(trusted: TrustedContent, bounds: TrustBounds) -> tuple[TrustedContent, list[str]]:
    """Leave out an agent and a model that there are not."""
    kept, problems = [], []
    names = [AUTO, *bounds.agents, *trusted.agents]
    for given in trusted.settings:
        problem = ""
        if (given.section, given.key) == ("agent", "name") and given.value.strip() not in names:
            problem = NO_AGENT.format(where=given.where, value=given.value, names=", ".join(names))
        elif (given.section, given.key) == ("model", "name"):
            problem = check_model_exists(given, bounds.base, bounds.listed)
        kept += [] if problem else [given]
        problems += [problem] if problem else []
    agents = {name: _drop_missing_model(agent, bounds, problems) for name, agent in trusted.agents.items()}
    return replace(trusted, settings=tuple(kept), agents=agents), problems


def _drop_missing_model(agent: Agent, bounds: TrustBounds, problems: list[str]) -> Agent:
    """Give the agent without a model that the user's server does not have."""
    given = SettingValue("model", "name", agent.model, f"{AGENTS}/{agent.name}.md")
    problem = check_server_model(given, bounds.base, bounds.listed) if agent.model else ""
    problems += [problem] if problem else []
    return replace(agent, model="") if problem else agent


def _describe_files(texts: Mapping[str, str], trusted: TrustedContent) -> Iterator[str]:
    """Name the files, and what they set."""
    sets = ", ".join(f"{each.key} = {each.value}"[:SHOWN] for each in trusted.settings)
    for path, text in texts.items():
        if path == SETTINGS:
            yield f"{path} ({sets or 'no setting that a folder may set'})"
        elif path == WORDS or path in trusted.tools:
            yield f"{path} ({len(text.splitlines())} lines)"
        else:
            agent = trusted.agents.get(path.rpartition("/")[2].removesuffix(".md"))
            what = ", ".join(filter(None, (" ".join(agent.tools) or "no tags", agent.model))) if agent else ""
            yield f"{path} ({what or 'not used'})"
