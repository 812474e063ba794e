"""Users' own tools: from their config folder, from packages, from the workspace.

They are looked for and described when the first agent that owns them opens; where there are none nothing is
imported or started. Not covered: the yes to the workspace's files (trust).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from tripletick.agents.definitions import OWN, WORDS, Agent
from tripletick.messages import Call, Result
from tripletick.sandbox.box import Box, Limits
from tripletick.system.cancellation import CancelToken
from tripletick.system.dirs import abbreviate_home
from tripletick.system.entry_points import EntryPoint, entry_points
from tripletick.tools.tool import Running, Tool, ToolContext

if TYPE_CHECKING:
    from tripletick.tools.own.discovery import CustomTool, ToolSource

GROUP, FOLDER = "tripletick.tools", "tools"
PACKAGE = "package {package}"
UNBOXED = "{names}: not used, because there is no sandbox here to run them in."
TAKE = "The block of these tags holds lines `name = value`, or the one value alone:"
MANY = "More tags: {names}. What one takes tells a ```describe block with its name."
MORE = "… {count} in all, a ```describe block finds them by a word"
ROOM = 480
"""Characters that an agent is told of them, 150 tokens; what takes more is told on demand."""
NAMED = 8
"""How many of them stand in the first line of a request."""
LISTED = 24
DESCRIBE = "describe"
NONE = "failed, no such tag"
THERE = "There are: {tags}"


@dataclass(frozen=True, slots=True)
class ToolEnvironment:
    """Where they are looked for, and what they run with. `texts` are the workspace's files by path, as the
    person said yes to them; they run in the box alone.
    """

    config: Path
    root: Path
    box: Box | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    halt: CancelToken = field(default_factory=CancelToken)


@dataclass(slots=True)
class CustomToolkit:
    """One session's; there is nothing in it until `load` was called."""

    tools: dict[str, Tool] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    """By tag: what it takes and what it does, in a line …"""
    forms: dict[str, str] = field(default_factory=dict)
    """… and how its block is written."""
    loaded: bool = False

    def needs_load(self, agent: Agent, there: Collection[str]) -> bool:
        """Tell whether an agent owns what was not looked for yet; `there` are the tags of ours."""
        named = (tag for tag in agent.tools if tag not in WORDS)
        return not self.loaded and (OWN in agent.tools or any(tag not in there for tag in named))

    def load_tools(self, ground: ToolEnvironment, taken: Collection[str]) -> list[str]:
        """Find and describe them; gives lines for the user. `taken` are the tags of ours."""
        files = list_tool_files(ground.config / FOLDER)
        packages = entry_points(GROUP, ground.root)
        if not (files or packages or ground.texts):
            self.loaded = True
            return []
        from tripletick.tools.own import custom_tool, discovery

        told: list[str] = []
        found: list[CustomTool] = []
        for source in _find_sources(ground, files, packages, told):
            tools, problems = discovery.describe_source(source, ground.limits)
            found += tools
            told += problems
        kept, problems = discovery.choose_tools(found, taken)
        self.tools = {tag: custom_tool.make_tool(own) for tag, own in kept.items()}
        self.told = {tag: discovery.format_line(own) for tag, own in kept.items()}
        self.forms = {tag: discovery.format_usage(own) for tag, own in kept.items()}
        if self._is_too_long(self.told):
            self.tools[DESCRIBE] = Tool(DESCRIBE, "tells what further tags take", self._describe_tags)
        self.loaded = True
        return [*told, *problems]

    def equip_agent(self, agent: Agent) -> Agent:
        """Give an agent with the tags of these that it owns, and what they take on its card."""
        own = [tag for tag in self.told if tag in agent.tools or OWN in agent.tools]
        words = self._format_card(own)
        if not own or words in agent.card:
            return agent
        more = [tag for tag in own if tag not in agent.tools]
        every = [each for tag in agent.tools for each in (more if tag == OWN else [tag])]
        tools = (*every, *[DESCRIBE] * self._is_too_long(own))
        card, unnamed = f"{agent.card}\n{words}", frozenset(own[NAMED:])
        # told again where these tools are others than those that the conversation knows
        known_as = f"{agent.name}+{crc32(words.encode('utf-8', 'replace')):x}"
        return replace(agent, tools=tools, card=card, unnamed=unnamed, known_as=known_as)

    def _is_too_long(self, tags: Collection[str]) -> bool:
        return len("\n".join(self.told[tag] for tag in tags)) > ROOM

    def _format_card(self, tags: Collection[str]) -> str:
        """Word for the card what these tags take, or how that is found out."""
        if not self._is_too_long(tags):
            return "\n".join([TAKE, *(self.told[tag] for tag in tags)])
        names = " ".join(list(tags)[:LISTED])
        return MANY.format(names=names if len(tags) <= LISTED else f"{names} {MORE.format(count=len(tags))}")

    def _describe_tags(self, call: Call, context: ToolContext) -> Running:
        """Tell of the tags that the block names, or that have its words."""
        yield from ()
        words = call.body.casefold().split()
        named = [tag for tag in self.told if tag in words]
        found = named or [
            tag for tag, line in self.told.items() if any(word in line.casefold() for word in words)
        ]
        if not found:
            return Result("failed", NONE, THERE.format(tags=" ".join(self.told))[: context.clip])
        text = "\n\n".join(f"{self.told[tag]}\nIts block holds:\n{self.forms[tag]}" for tag in found)
        return Result("ok", "ok", text[: context.clip])


def list_tool_files(folder: Path) -> list[Path]:
    """Give the modules of a folder of the user's; those that begin with _ are for the others."""
    return [path for path in sorted(folder.glob("*.py")) if not path.name.startswith("_")]


def _find_sources(
    ground: ToolEnvironment, files: list[Path], packages: list[EntryPoint], told: list[str]
) -> Iterator[ToolSource]:
    from tripletick.tools.own.discovery import ToolSource
    from tripletick.tools.own.runners import HostRunner, SandboxRunner

    beside = HostRunner(ground.root, ground.halt)
    for path in files:
        yield ToolSource(abbreviate_home(path), {"file": str(path)}, beside)
    for one in packages:
        ask = {"module": one.module, "attribute": one.attribute}
        yield ToolSource(PACKAGE.format(package=one.package), ask, beside)
    texts = {Path(path).name: text for path, text in ground.texts.items()}
    if texts and not (ground.box and ground.box.holds):
        told.append(UNBOXED.format(names=", ".join(ground.texts)))
        return
    for at in ground.texts:
        name = Path(at).name
        if ground.box and not name.startswith("_"):
            yield ToolSource(at, {"file": name}, SandboxRunner(ground.box, texts))
