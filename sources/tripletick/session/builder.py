"""Builds the parts of a session from the config: sandbox, tools, conversation, loop."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tripletick.agents import definitions
from tripletick.agents.definitions import Agent, Prompts
from tripletick.agents.templates import Templates
from tripletick.checkpoint import Checkpoints
from tripletick.config.config import Config, explain_setting_error
from tripletick.dialects import open_dialect
from tripletick.errors import ConfigError, TripletickError, UsageError
from tripletick.languages import registry
from tripletick.mcp.servers import McpServers, make_empty_servers
from tripletick.models.conversation import Conversation, TokenBudget
from tripletick.models.model import Model, ModelInfo
from tripletick.paths import Workspace, find_home_view
from tripletick.permission import AskPolicy, PermissionGate
from tripletick.sandbox import open_box
from tripletick.sandbox.box import NOTHING, Box, Grant, Limits, Mode, SandboxSpec, ignore_notice
from tripletick.sandbox.toolchains import PRIVATE, is_empty_shim, is_system
from tripletick.session import agent_models, model_limits, model_selection
from tripletick.system import platforms
from tripletick.system.cancellation import CancelToken
from tripletick.system.dirs import AppDirs, expand_user
from tripletick.system.text import find_close_match
from tripletick.tools import load_tools
from tripletick.tools.tool import FileTracker, ToolContext
from tripletick.trust import TrustBounds, find_refusal_reason
from tripletick.turn import one_shot
from tripletick.turn.loop import Loop
from tripletick.turn.reply import ReplySource

CLIP = 1200
"""Characters of one output that the model is sent in the smallest context; sizing.py has the most."""
TRAINED = {"embedded:offline": "offline"}
"""Models that know one wording and stumble over another: the folder of prompts that they were trained on.
Of 20 chores the offline model did 15 with its own wording, 11 with that of base."""
WIDEST = ("coder", "file")
"""The agents whose tags together are the most that a workspace's agent may own."""
NO_AGENTS: Mapping[str, Agent] = {}
PROMPT_EXAMPLE = 'echo "a command stands here"'


def is_trained(config: Config) -> bool:
    """Tell whether the model knows one wording alone: it is asked nothing else, and has no other agents."""
    return config.model.name in TRAINED


def load_prompts(config: Config, places: AppDirs, brought: Mapping[str, Agent] = NO_AGENTS) -> Prompts:
    """Read the prompts of the personality, or those that the model was trained on; add the workspace's."""
    name = TRAINED.get(config.model.name, config.agent.personality)
    try:
        voice = definitions.find_personality_folders(places.prompts, name)
    except UsageError as error:
        raise explain_setting_error(config, "agent.personality", error, "base") from error
    shipped = definitions.load_prompts(places.prompts, *voice)
    if is_trained(config):
        known = {path.stem for folder in voice for path in folder.glob("*.md")}
        kept = {name: agent for name, agent in shipped.agents.items() if name in known}
        shipped = replace(shipped, agents=kept, example="")
    agents, broken = definitions.load_user_agents(places.agents)
    own = {**agents, **brought}
    there = replace(shipped.with_agents(own), own=tuple(own), broken=broken)
    # the one that ships may do what the user's must not
    there = replace(there, agents={name: each for name, each in there.agents.items() if name not in broken})
    return there.with_server_tag() if config.servers else there


def find_configured_agent(config: Config, prompts: Prompts) -> Agent:
    """Give the agent that the config names. Raises UsageError, with the place where it was set."""
    name = config.agent.name
    try:
        return definitions.find_agent(prompts, name)
    except UsageError as error:
        value = find_close_match(name, prompts.agents) or definitions.AUTO
        raise explain_setting_error(
            config, "agent.name", error, value, keep=name in {*prompts.lacking, *prompts.broken}
        ) from error


def make_bounds(base: Config, config: Config, places: AppDirs) -> TrustBounds:
    """Say what a workspace may not go beyond: `base` are the user's files, `settings` with variables and
    flags.
    """
    prompts = definitions.load_prompts(places.prompts)
    own, broken = definitions.load_user_agents(places.agents)
    shipped = {**prompts.lacking, **prompts.agents, **own}
    files = places.prompts.parent.glob("*/*.md")
    tags = {tag for name in WIDEST for tag in shipped[name].tools}

    def names() -> set[str]:
        try:
            return {model.name for model in model_selection.list_models(config)}
        except TripletickError:
            return set()

    return TrustBounds(base, shipped, {"person", *broken, *(path.stem for path in files)}, tags, names)


def list_hidden_paths() -> tuple[Path, ...]:
    """Name what stays out of sight also in what is let in: keys, secrets, the config of programs."""
    return tuple(Path.home() / name for name in PRIVATE)


def explain_refusal(path: Path, places: AppDirs) -> str:
    """Say why a path cannot be let in, "" where it can."""
    return find_refusal_reason(path, (*list_hidden_paths(), *places.private_dirs))


def is_worth_asking(path: Path, places: AppDirs) -> bool:
    """Tell whether the user can be asked to let a path in; what a box shows anyway is not asked for."""
    return not is_system(path) and not explain_refusal(path, places)


def make_limits(config: Config) -> Limits:
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


def make_sandbox_spec(
    config: Config, places: AppDirs, workspace: Path, notice: Callable[[str], None] = ignore_notice
) -> SandboxSpec:
    """Say where a workspace's box stands."""
    see = tuple(expand_user(name) for name in config.sandbox.see.split(":") if name)
    return SandboxSpec(
        workspace,
        places.state,
        _get_mode(config),
        make_limits(config),
        places.protected_paths,
        see,
        notice,
        ports=parse_ports(config),
        network=config.sandbox.mode == "net",
    )


def parse_ports(config: Config) -> frozenset[int]:
    """Give the ports of public hosts that are open besides those of HTTP."""
    return frozenset(map(int, config.sandbox.ports.split()))


def set_mode(config: Config, mode: str) -> Config:
    """Give the config with another mode of the sandbox."""
    return replace(config, sandbox=replace(config.sandbox, mode=mode))


def open_workspace_box(
    config: Config, places: AppDirs, workspace: Path, notice: Callable[[str], None] = ignore_notice
) -> Box:
    """Open the box for a workspace; without one where the user chose that."""
    return open_box_on(make_sandbox_spec(config, places, workspace, notice), config)


def open_box_on(ground: SandboxSpec, config: Config) -> Box:
    """Open a box on this ground. Raises ConfigError for a tier that does not hold."""
    try:
        return open_box(ground, "none" if config.sandbox.mode == "bare" else config.sandbox.tier)
    except ConfigError as error:
        raise explain_setting_error(config, "sandbox.tier", error, "auto", keep=True) from error


def make_program_lookup(workspace: Path) -> Callable[[str], str | None]:
    """Give a look-up on PATH that finds nothing by a relative entry, nor inside the workspace; what lies in
    the home folder is the user's own.
    """
    root = workspace.resolve()
    own = find_home_view(root, Path.home()) is not None

    def look(program: str) -> str | None:
        found = shutil.which(program)
        if not found or not Path(found).is_absolute() or is_empty_shim(found):
            return None
        return found if own or not Path(found).resolve().is_relative_to(root) else None

    return look


def _get_mode(config: Config) -> Mode:
    return "read" if config.sandbox.mode == "read" else "work"


def list_offered_tools(prompts: Prompts, also: Sequence[str]) -> list[str]:
    """Name the tools whose arguments the model is told: those of all agents, so that the front of the prompt
    is the same whoever is at work.
    """
    tags = [tag for agent in prompts.agents.values() for tag in agent.tools]
    saving = ["append"] if "write" in tags else []
    return list(dict.fromkeys((*tags, *saving, *also[: definitions.ALSO])))


@dataclass(frozen=True, slots=True)
class LoopBuilder:
    """Puts a session's loop together."""

    config: Config
    places: AppDirs
    workspace: Workspace
    model: Model
    box: Box
    prompts: Prompts
    person: bool = False
    yes: bool = False
    """The user said -y."""
    allowed: bool = True
    """False: the user lets no block run here."""
    mode: Mode = "work"
    """What the user lets blocks do here; the config may say less."""
    dialect: str = "fence"
    about: ModelInfo | None = None
    """What the engine told of the model."""
    servers: McpServers = field(default_factory=make_empty_servers)
    halt: CancelToken = field(default_factory=CancelToken)

    def build_loop(self, session: str, window: int) -> Loop:
        """Put a session's loop together; `window` is in tokens."""
        config, table = self.config, load_tools()
        rows = {tag: row for tag, row in registry.LANGUAGES.items() if row.is_runnable}
        look = make_program_lookup(self.workspace.root)
        also = tuple(tag for tag, row in rows.items() if registry.is_installed(row, look))
        dialect = open_dialect(self.dialect, table, list_offered_tools(self.prompts, also))
        examples = [PROMPT_EXAMPLE, *(tool.example.body for tool in table.values() if tool.example)]
        conversation = Conversation(
            self._build_system_prompt(dialect.tools_prompt),
            also,
            index=self.servers.describe_for_dialect(dialect.name),
            templates=self._choose_templates(),
            fenced=dialect.name == "fence",
        )
        if self.prompts.example and model_limits.wants_example(config, self.about, window):
            line = next(agent for agent in self.prompts.agents.values() if agent.tools).format_line(also)
            conversation.example = one_shot.build_messages(
                self.prompts.example, line, dialect, table, conversation.templates
            )
            examples += [call.body for call in one_shot.parse_calls(self.prompts.example, table)]
            conversation.fenced = False
        replies = ReplySource(
            self.model,
            dialect,
            conversation,
            TokenBudget(window, config.context.full / 100, config.context.target / 100),
            replace(agent_models.make_sampling(config), tools=dialect.schemas),
            tuple(rows),
            tuple(examples),
            self.prompts.summary,
            self.prompts.commit,
            thinks=self.about is not None and self.about.thinks,
            longest=model_limits.choose_max_output(config, self.about, self.places.shipped_config),
        )
        in_parts = self.workspace.sight is not None
        checkpoints = Checkpoints(self.workspace.root, self.places.snapshot_base, in_parts=in_parts)
        return Loop(
            replies,
            table,
            self._make_tool_context(session, window),
            checkpoints,
            max_attempts=config.agent.max_attempts,
            max_steps=model_limits.choose_max_steps(config, self.about, self.places.shipped_config),
            person=self.person,
            gate=PermissionGate(self._make_asking()),
        )

    def _make_asking(self) -> AskPolicy:
        """Say when the user is asked before a block, and what is answered already."""
        wanted, commits = self.config.sandbox, self.config.git.commit != "no"
        return AskPolicy(wanted.ask == "always", self.yes, self.person, commits, self.allowed)

    def _make_tool_context(self, session: str, window: int) -> ToolContext:
        """Lay out what tools work with; in mode `net` every block has the network."""
        config, most = self.config, model_limits.choose_limits(self.config, self.about).clip
        at_home = self.workspace.sight is not None
        networks = config.sandbox.mode == "net" and (at_home or self.mode == "work")
        grant = Grant(network=True) if networks else NOTHING
        return ToolContext(
            self.workspace,
            self.box,
            FileTracker(),
            session,
            "read" if self.mode == "read" else _get_mode(config),
            offers=at_home and _get_mode(config) == "work",
            clip=max(CLIP, min(most, window * 2 // 3)),
            limits=make_limits(config),
            grant=grant,
            web=config.web,
            trial=config.trial,
            servers=self.servers,
            halt=self.halt,
            diff=config.approval.diff and not self.yes,
        )

    def _choose_templates(self) -> Templates:
        said = self.prompts.templates
        trial = self.config.trial
        said = said if trial.effects else replace(said, changed="", unchanged="")
        return said if trial.restate else said.without_closings()

    def _build_system_prompt(self, tools: str) -> str:
        python = ".".join(platform.python_version_tuple()[:2])
        system = f"{platforms.get_system_name()}, bash, python {python}"
        places = {"system": system, "folder": self.workspace.root.name or "/", "tools": tools}
        opening = self.prompts.format_system_prompt(self.dialect, **places)
        small = self.dialect != "fence" or model_limits.find_limits(self.about).small
        return opening if small else "\n".join(filter(None, (opening, self.prompts.templates.question)))
