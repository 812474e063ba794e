"""Agents and prompts are Markdown files: settings between `---` lines, the card below.

A folder beside `base` is a personality: another voice for the same agents, only the files that differ.

Not covered: who gets a request (router), which of an agent's languages are installed (languages).
"""

from __future__ import annotations

import configparser
import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tripletick.agents import templates
from tripletick.agents.templates import Templates
from tripletick.errors import ConfigError, UsageError
from tripletick.system import optional_deps
from tripletick.system.lazy_regex import lazy_regex

SYSTEM = "system"
DIALECTS = {"system-xml": "xml", "system-native": "native"}
PLACES = ("system", "folder")
ALSO = 8
"""The most languages that a request's line names after "also"."""
SUMMARY = "system-summary"
"""The question for a summary, where room is short; {words} in it is how long that may be."""
PLAN, REPLAN = "system-plan", "system-replan"
"""The questions for a plan and for what becomes of the rest of one, with places that planner/words fills."""
COMMIT = "system-commit"
"""The question for the message of a commit, with the place {diff}."""
ROUTE = "system-route"
"""The question who shall do a request, with the places {agents} and {request}."""
EXAMPLE = "system-example"
"""A request that was done, shown before the first one; example.py says what it holds."""
SETTINGS = ("when", "tools", "temperature", "folder", "mode", "needs", "model")
MODES = ("work", "read")
HOTTEST = 2
"""The highest temperature, as that of [model]."""
WRITING = frozenset({"write", "append", "edit"})
"""Tags that an agent cannot own whose blocks only read."""
AUTO = "auto"
"""In the place of a name: each request goes to the agent that it fits."""
EVERY_LANGUAGE = "languages"
"""The word of `tools` that owns every row of the language table."""
OWN = "own"
"""The word of `tools` that owns every tool that is not ours: the user's, of packages, of the folder."""
SERVERS, SERVED = "servers", "mcp"
"""The word of `tools` that owns the servers of the user's, and their tag, where there are any."""
_TAG = lazy_regex(r"(?P<tag>[^()\s]+)(?:\((?P<module>\w+)\))?")
"""A tag of `tools`; one with a module behind it is owned only where that is installed."""
WORDS = frozenset({EVERY_LANGUAGE, OWN, SERVERS})
NOT_USED = "{path} is not used: {why}."


@dataclass(frozen=True, slots=True)
class Agent:
    """One specialist. `tools` are tags in the order of its file; `temperature` None: as configured.

    `folder` False: it is not told what the folder holds. `mode` "read": its blocks change nothing.
    """

    name: str
    card: str
    when: str
    tools: tuple[str, ...] = ()
    temperature: float | None = None
    folder: bool = True
    mode: str = "work"
    needs: tuple[str, ...] = ()
    """Modules without which it is not there …"""
    package: str = ""
    """… and the package that brings them, "" where each is brought by one of its own name."""
    unnamed: frozenset[str] = frozenset()
    """Tags that its line leaves out, because there are too many."""
    model: str = ""
    """The model that it works with, "": that of all others."""
    forms: str = ""
    """How its blocks are begun, told with the card where calls are fences."""
    known_as: str = ""
    """What stands for it where its card has been told; "": its name."""

    @property
    def missing_modules(self) -> tuple[str, ...]:
        """Name the modules that are not there."""
        return tuple(name for name in self.needs if not _is_installed(name))

    @property
    def remedy(self) -> str:
        """Say how what it lacks is installed."""
        return f"Install it: {optional_deps.ask_for(self.package or ' '.join(self.missing_modules))}"

    def list_owned_tags(self, languages: Collection[str]) -> tuple[str, ...]:
        """Give the tags it owns, of which `languages` are those of the language table."""
        named = [tag for tag in self.tools if tag not in WORDS]
        more = [tag for tag in languages if EVERY_LANGUAGE in self.tools and tag not in named]
        return (*named, *more)

    def format_line(self, also: Sequence[str] = ()) -> str:
        """Write the first line of a request: `[coder: bash python; also c go]`."""
        tags = " ".join(tag for tag in self.tools if tag not in WORDS | self.unnamed)
        more = [tag for tag in also if tag not in self.tools] if EVERY_LANGUAGE in self.tools else []
        who = f"{self.name}: {tags}" if tags else self.name
        return f"[{who}{'; also ' + ' '.join(more[:ALSO]) if more else ''}]"


class BrokenAgent(NamedTuple):
    """A file of the user's that is no agent, and what is wrong with it."""

    path: Path
    error: ConfigError

    def format_line(self) -> str:
        return NOT_USED.format(path=self.path, why=self.error.why.rstrip("."))


@dataclass(frozen=True, slots=True)
class Prompts:
    """What a prompts folder holds. `system` has the places {system} and {folder}."""

    system: str
    agents: Mapping[str, Agent]
    summary: str = ""
    commit: str = ""
    route: str = ""
    plan: str = ""
    replan: str = ""
    example: str = ""
    own: tuple[str, ...] = ()
    """Which of the agents are the user's, not ours."""
    systems: Mapping[str, str] = field(default_factory=dict)
    """The system prompts of other dialects than the default, which may have the place {tools} too."""
    templates: Templates = field(default_factory=Templates)
    lacking: Mapping[str, Agent] = field(default_factory=dict)
    """Agents that are not there, for want of what they need."""
    broken: Mapping[str, BrokenAgent] = field(default_factory=dict)
    """Files of the user's that are no agents, by the names that they would have."""

    def with_agents(self, more: Mapping[str, Agent]) -> Prompts:
        """Give it with more agents, as far as what they need is there."""
        every = {**self.lacking, **self.agents, **more}
        there = {name: agent for name, agent in every.items() if not agent.missing_modules}
        lacking = {name: agent for name, agent in every.items() if name not in there}
        return replace(self, agents=there, lacking=lacking)

    def with_server_tag(self) -> Prompts:
        """Give the tag of servers to the agents that own them."""
        own = {
            name: replace(agent, tools=tuple(SERVED if tag == SERVERS else tag for tag in agent.tools))
            for name, agent in self.agents.items()
        }
        return replace(self, agents=own)

    def format_system_prompt(self, dialect: str = "fence", **places: str) -> str:
        """Fill the places of a dialect's system prompt."""
        return string.Formatter().vformat(self.systems.get(dialect, self.system), (), places)


def load_prompts(base: Path, *overlays: Path) -> Prompts:
    """Read a prompts folder; a file of a later folder takes the place of the one that has its name.

    Raises ConfigError: no such folder, a file that cannot be read or parsed.
    """
    files = {path.stem: path for folder in (base, *overlays) for path in sorted(folder.glob("*.md"))}
    if SYSTEM not in files:
        there = ", ".join(sorted(files)) or "nothing"
        raise ConfigError(
            f"There is no {SYSTEM}.md in {base}.", f"It contains: {there}.", "Reinstall tripletick."
        )
    agents = {
        name: parse_agent(name, _read_text(path))
        for name, path in files.items()
        if not name.startswith(SYSTEM)
    }
    systems = {name: _read_system_prompt(path) for name, path in files.items() if name in (SYSTEM, *DIALECTS)}
    texts = (SUMMARY, COMMIT, ROUTE, PLAN, REPLAN, EXAMPLE)
    summary, draft, route, plan, replan, shown = (
        _read_text(files[name]).strip() if name in files else "" for name in texts
    )
    others = {dialect: systems[name] for name, dialect in DIALECTS.items() if name in systems}
    said = templates.load_templates(base, *overlays)
    asked = Prompts(
        systems[SYSTEM], {}, summary, draft, route, plan, replan, shown, systems=others, templates=said
    )
    return asked.with_agents(agents)


def load_user_agents(folder: Path) -> tuple[dict[str, Agent], dict[str, BrokenAgent]]:
    """Read the user's own agents, none where there is no such folder, and the files that are no agents."""
    agents: dict[str, Agent] = {}
    broken: dict[str, BrokenAgent] = {}
    for path in sorted(folder.glob("*.md")):
        try:
            agents[path.stem] = parse_agent(path.stem, _read_text(path), path)
        except ConfigError as error:
            broken[path.stem] = BrokenAgent(path, error)
    return agents, broken


def find_agent(prompts: Prompts, name: str) -> Agent:
    """Give an agent. Raises UsageError where there is none of that name, and ConfigError where the user's own
    file of it is broken.
    """
    if name in prompts.broken:
        raise prompts.broken[name].error
    if name in prompts.agents:
        return prompts.agents[name]
    if agent := prompts.lacking.get(name):
        raise UsageError(
            f"The agent {name} needs {' '.join(agent.missing_modules)}, which is not installed here.",
            agent.when,
            agent.remedy,
        )
    there = ", ".join(sorted(prompts.agents))
    raise UsageError(
        f"There is no agent {name!r}.",
        f"Available: {there}.",
        "Choose one: tripletick -a coder, in the chat: /agent coder",
    )


def find_personality_folders(base: Path, name: str) -> tuple[Path, ...]:
    """Give the folders that lie over `base` for this personality. Raises UsageError where there is none."""
    there = {path.name: path for path in sorted(base.parent.iterdir()) if any(path.glob("*.md"))}
    if name not in there:
        raise UsageError(
            f"There is no personality {name!r}.",
            f"Available: {', '.join(there)}.",
            "tripletick config set agent.personality base",
        )
    return () if name == base.name else (there[name],)


def parse_agent(name: str, source: str, path: Path | None = None) -> Agent:
    """Split settings from card; `path` is where it stands. Raises ConfigError, naming what is wrong."""
    source = source.removeprefix("\ufeff")
    head, closed, rest = source.removeprefix("---\n").partition("\n---\n")
    card, _, forms = rest.partition("\n---\n")
    try:
        if not source.startswith("---\n") or not closed or not card.strip():
            raise ValueError("expected settings between two lines of ---, then the card")
        settings = _parse_settings(head)
        values = dict(settings)
        if unknown := values.keys() - set(SETTINGS):
            raise ValueError(f"unknown setting {', '.join(sorted(unknown))}; known: {', '.join(SETTINGS)}")
        if not values.get("when"):
            raise ValueError("`when` is missing: one sentence on what this agent is for")
        tools = tuple(_parse_tags(values.get("tools", "")))
        folder = settings.getboolean("folder", True)
        mode = values.get("mode", MODES[0])
        package, _, needs = values.get("needs", "").rpartition(":")
        if mode not in MODES:
            raise ValueError(f"`mode` must be {' or '.join(MODES)}, not {mode!r}")
        if mode == "read" and (writing := WRITING.intersection(tools)):
            raise ValueError(f"with `mode = read` it cannot own {', '.join(sorted(writing))}")
        return Agent(
            name,
            card.strip(),
            values["when"],
            tools,
            _parse_temperature(values.get("temperature", "")),
            folder,
            mode,
            tuple(needs.split()),
            package.strip(),
            model=values.get("model", "").strip(),
            forms=forms.strip(),
        )
    except (configparser.Error, ValueError) as error:
        raise ConfigError(
            f"Agent {name} cannot be read.", " ".join(str(error).split()), f"Fix {path or f'{name}.md'}."
        ) from error


@lru_cache(maxsize=128)
def _parse_settings(head: str) -> configparser.SectionProxy:
    """Read the settings of an agent's file. All files are read at each request, for the user may mend them
    meanwhile, and this is what takes its time.
    """
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string("[agent]\n" + head)
    return parser["agent"]


def _read_system_prompt(path: Path) -> str:
    """Read a system prompt. Raises ConfigError where it has a place that nobody fills."""
    text, known = _read_text(path).rstrip("\n"), [*PLACES, *(("tools",) if path.stem != SYSTEM else ())]
    if wrong := {place for _, place, _, _ in _parse_places(text, path) if place is not None}.difference(
        known
    ):
        are = " and ".join(f"{{{place}}}" for place in known)
        raise ConfigError(f"{path} has an unknown place {{{wrong.pop()}}}.", f"Known: {are}.")
    return text


def _parse_temperature(written: str) -> float | None:
    if not written:
        return None
    if not 0 <= float(written) <= HOTTEST:
        raise ValueError(f"`temperature` must be from 0 to {HOTTEST}, not {written}")
    return float(written)


def _is_installed(module: str) -> bool:
    """Tell whether a module is there; of a name with dots the package is imported to find out."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _parse_tags(written: str) -> Iterator[str]:
    for word in written.split():
        found = _TAG.fullmatch(word)
        if found is None:
            raise ValueError(f"{word} is not a tag")
        if not found["module"] or _is_installed(found["module"]):
            yield found["tag"]


def _read_text(path: Path) -> str:
    """Read a file as editors write it, with or without a byte order mark."""
    try:
        return path.read_text("utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeError) as error:
        raise ConfigError(
            f"{path} cannot be read.", str(error), "Fix the file, or reinstall tripletick."
        ) from error


def _parse_places(text: str, path: Path) -> list[tuple[str, str | None, str | None, str | None]]:
    try:
        return list(string.Formatter().parse(text))
    except ValueError as error:
        why = f"{error}; write a literal brace twice"
        raise ConfigError(f"{path} cannot be read.", why, "Fix the file.") from error
