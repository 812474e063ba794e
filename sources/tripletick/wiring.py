"""Builds the parts of a session from the config: box, tools, conversation, loop. Engines: engines.py."""

from __future__ import annotations

import difflib
import platform
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tripletick import agents, engines, example, languages, platforms, seats, sizing
from tripletick.agents import Agent, Prompts
from tripletick.approval import Asking, Gate
from tripletick.checkpoint import Checkpoints
from tripletick.config import Config, locate
from tripletick.context import Budget, Conversation
from tripletick.dialects import open_dialect
from tripletick.errors import ConfigError, TripletickError, UsageError
from tripletick.loop import Loop
from tripletick.mcp.servers import Servers, none
from tripletick.models.model import About, Model
from tripletick.paths import Workspace, find_sight
from tripletick.places import Places
from tripletick.replies import Replies
from tripletick.sandbox import open_box
from tripletick.sandbox.box import NOTHING, Box, Grant, Ground, Limits, Mode, untold
from tripletick.sandbox.toolchains import PRIVATE, is_empty_shim, is_system
from tripletick.templates import Templates
from tripletick.tools import tools
from tripletick.tools.tool import Bench, Ledger
from tripletick.trust import Bounds, refused

CLIP = 1200
"""Characters of one output that the model is sent in the smallest context; sizing.py has the most."""
TRAINED = {"embedded:offline": "offline"}
"""Models that know one wording and stumble over another: the folder of prompts that they were trained on.
Of 20 chores the offline model did 15 with its own wording, 11 with that of base."""
WIDEST = ("coder", "file")
"""The agents whose tags together are the most that a workspace's agent may own."""
NO_AGENTS: Mapping[str, Agent] = {}
PROMPT_EXAMPLE = 'echo "a command stands here"'


@dataclass(frozen=True, slots=True)
class Parts:
    """What a loop is built from."""

    config: Config
    places: Places
    workspace: Workspace
    model: Model
    box: Box
    prompts: Prompts
    person: bool = False
    yes: bool = False
    """The person said -y."""
    allowed: bool = True
    """False: the person lets no block run here."""
    mode: Mode = "work"
    """What the person lets blocks do here; the config may say less."""
    dialect: str = "fence"
    about: About | None = None
    """What the engine told of the model."""
    servers: Servers = field(default_factory=none)


def is_trained(config: Config) -> bool:
    """Tell whether the model knows one wording alone: it is asked nothing else, and has no other agents."""
    return config.model.name in TRAINED


def prompts(config: Config, places: Places, brought: Mapping[str, Agent] = NO_AGENTS) -> Prompts:
    """Read the prompts of the personality, or those that the model was trained on; add the workspace's."""
    name = TRAINED.get(config.model.name, config.agent.personality)
    try:
        voice = agents.personality(places.prompts, name)
    except UsageError as error:
        raise locate(config, "agent.personality", error, "base") from error
    shipped = agents.load(places.prompts, *voice)
    if is_trained(config):
        known = {path.stem for folder in voice for path in folder.glob("*.md")}
        kept = {name: agent for name, agent in shipped.agents.items() if name in known}
        shipped = replace(shipped, agents=kept, example="")
    own = {**agents.load_own(places.agents), **brought}
    there = replace(shipped.having(own), own=tuple(own))
    return there.serving() if config.servers else there


def configured_agent(config: Config, prompts: Prompts) -> Agent:
    """Give the agent that the config names. Raises UsageError, with the place where it was set."""
    name = config.agent.name
    try:
        return agents.named(prompts, name)
    except UsageError as error:
        near = difflib.get_close_matches(name, prompts.agents, 1)
        value = next(iter(near), agents.AUTO)
        raise locate(config, "agent.name", error, value, keep=name in prompts.lacking) from error


def bounds(base: Config, settings: Config, places: Places) -> Bounds:
    """Say what a workspace may not go beyond: `base` are the person's files, `settings` with variables and
    flags.
    """
    prompts = agents.load(places.prompts)
    shipped = {**prompts.lacking, **prompts.agents, **agents.load_own(places.agents)}
    files = places.prompts.parent.glob("*/*.md")
    tags = {tag for name in WIDEST for tag in shipped[name].tools}

    def names() -> set[str]:
        try:
            return {model.name for model in engines.listed(settings)}
        except TripletickError:
            return set()

    return Bounds(base, shipped, {"person", *(path.stem for path in files)}, tags, names)


def hidden() -> tuple[Path, ...]:
    """Name what stays out of sight also in what is let in: keys, secrets, the config of programs."""
    return tuple(Path.home() / name for name in PRIVATE)


def closed(path: Path, places: Places) -> str:
    """Say why a path cannot be let in, "" where it can."""
    return refused(path, (*hidden(), *places.private))


def worth_asking(path: Path, places: Places) -> bool:
    """Tell whether the person can be asked to let a path in; what a box shows anyway is not asked for."""
    return not is_system(path) and not closed(path, places)


def limits(config: Config) -> Limits:
    """Give the limits of a block."""
    wanted = config.sandbox
    return Limits(
        timeout=wanted.timeout,
        max_timeout=wanted.max_timeout,
        memory=wanted.memory,
        processes=wanted.processes,
        file=wanted.file,
        disk=wanted.disk,
        output=wanted.output,
    )


def ground(config: Config, places: Places, workspace: Path, notice: Callable[[str], None] = untold) -> Ground:
    """Say where a workspace's box stands."""
    see = tuple(Path(name).expanduser() for name in config.sandbox.see.split(":") if name)
    return Ground(
        workspace,
        places.state,
        _mode(config),
        limits(config),
        places.ours,
        see,
        notice,
        ports=ports(config),
    )


def ports(config: Config) -> frozenset[int]:
    """Give the ports of public hosts that are open besides those of HTTP."""
    return frozenset(map(int, config.sandbox.ports.split()))


def box(config: Config, places: Places, workspace: Path, notice: Callable[[str], None] = untold) -> Box:
    """Open the box for a workspace; without one where the person chose that."""
    return box_on(ground(config, places, workspace, notice), config)


def box_on(ground: Ground, config: Config) -> Box:
    """Open a box on this ground. Raises ConfigError for a tier that does not hold."""
    try:
        return open_box(ground, "none" if config.sandbox.mode == "bare" else config.sandbox.tier)
    except ConfigError as error:
        raise locate(config, "sandbox.tier", error, "auto", keep=True) from error


def loop(parts: Parts, session: str, context: int) -> Loop:
    """Put a session's loop together; `context` is the window in tokens."""
    config, table = parts.config, tools()
    rows = {tag: row for tag, row in languages.LANGUAGES.items() if row.runs}
    look = outside(parts.workspace.root)
    also = tuple(tag for tag, row in rows.items() if languages.installed(row, look))
    dialect = open_dialect(parts.dialect, table, offered(parts.prompts, also))
    examples = [PROMPT_EXAMPLE, *(tool.example.body for tool in table.values() if tool.example)]
    talk = Conversation(
        _system(parts, dialect.told),
        also,
        index=parts.servers.words(dialect.name),
        templates=_templates(parts),
        fenced=dialect.name == "fence",
    )
    if parts.prompts.example and sizing.wants_example(config, parts.about, context):
        line = next(agent for agent in parts.prompts.agents.values() if agent.tools).line(also)
        talk.example = example.messages(parts.prompts.example, line, dialect, table, talk.templates)
        examples += [call.body for call in example.blocks(parts.prompts.example, table)]
        talk.fenced = False
    replies = Replies(
        parts.model,
        dialect,
        talk,
        Budget(context, config.context.full / 100, config.context.target / 100),
        replace(seats.sampling(config), tools=dialect.schemas),
        tuple(rows),
        tuple(examples),
        parts.prompts.summary,
        parts.prompts.commit,
        thinks=parts.about is not None and parts.about.thinks,
        longest=sizing.reply(config, parts.about, parts.places.shipped_config),
    )
    in_parts = parts.workspace.sight is not None
    checkpoints = Checkpoints(parts.workspace.root, parts.places.turns, in_parts=in_parts)
    return Loop(
        replies,
        table,
        bench(parts, session, context),
        checkpoints,
        max_attempts=config.agent.max_attempts,
        max_steps=sizing.steps(config, parts.about, parts.places.shipped_config),
        person=parts.person,
        gate=Gate(asking(parts)),
    )


def asking(parts: Parts) -> Asking:
    """Say when the person is asked before a block, and what is answered already."""
    wanted, commits = parts.config.sandbox, parts.config.git.commit != "no"
    return Asking(wanted.ask == "always", parts.yes, parts.person, commits, parts.allowed)


def bench(parts: Parts, session: str, context: int) -> Bench:
    """Lay out what tools work with; in mode `net` every block has the network."""
    config, most = parts.config, sizing.budget(parts.config, parts.about).clip
    at_home = parts.workspace.sight is not None
    networks = config.sandbox.mode == "net" and (at_home or parts.mode == "work")
    grant = Grant(network=True) if networks else NOTHING
    return Bench(
        parts.workspace,
        parts.box,
        Ledger(),
        session,
        "read" if parts.mode == "read" else _mode(config),
        offers=at_home and _mode(config) == "work",
        clip=max(CLIP, min(most, context * 2 // 3)),
        limits=limits(config),
        grant=grant,
        web=config.web,
        trial=config.trial,
        servers=parts.servers,
        diff=config.approval.diff and not parts.yes,
    )


def outside(workspace: Path) -> Callable[[str], str | None]:
    """Give a look-up on PATH that finds nothing by a relative entry, nor inside the workspace; what lies in
    the home folder is the user's own.
    """
    root = workspace.resolve()
    own = find_sight(root, Path.home()) is not None

    def look(program: str) -> str | None:
        found = shutil.which(program)
        if not found or not Path(found).is_absolute() or is_empty_shim(found):
            return None
        return found if own or not Path(found).resolve().is_relative_to(root) else None

    return look


def _mode(config: Config) -> Mode:
    return "read" if config.sandbox.mode == "read" else "work"


def offered(prompts: Prompts, also: Sequence[str]) -> list[str]:
    """Name the tools whose arguments the model is told: those of all agents, so that the front of the prompt
    is the same whoever is at work.
    """
    tags = [tag for agent in prompts.agents.values() for tag in agent.tools]
    saving = ["append"] if "write" in tags else []
    return list(dict.fromkeys((*tags, *saving, *also[: agents.ALSO])))


def _templates(parts: Parts) -> Templates:
    said = parts.prompts.templates
    trial = parts.config.trial
    said = said if trial.effects else replace(said, changed="", unchanged="")
    return said if trial.restate else said.unstated()


def _system(parts: Parts, tools: str) -> str:
    python = ".".join(platform.python_version_tuple()[:2])
    system = f"{platforms.system_name()}, bash, python {python}"
    places = {"system": system, "folder": parts.workspace.root.name or "/", "tools": tools}
    opening = parts.prompts.opening(parts.dialect, **places)
    small = parts.dialect != "fence" or sizing.size_of(parts.about).small
    return opening if small else "\n".join(filter(None, (opening, parts.prompts.templates.question)))
