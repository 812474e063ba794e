"""A session's extensions: tools and hooks of the user and of packages, tools of the folder.

Looked for when they are first of use; where there are none nothing is imported. What a tool and a hook are,
and how they are loaded, is theirs (tools/own, hooks).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import dataclass, field, replace

from tripletick.agents.definitions import OWN, Agent, Prompts
from tripletick.events import Event, Notice, Reply
from tripletick.hooks import Hooks
from tripletick.session import builder
from tripletick.session.event_pump import Sink
from tripletick.session.workspace import SessionWorkspace
from tripletick.system.entry_points import entry_points
from tripletick.tools.own.toolkit import CustomToolkit, ToolEnvironment, list_tool_files
from tripletick.trust import TrustedContent
from tripletick.turn.loop import Loop

HOOKS, GROUP = "hooks", "tripletick.hooks"
HANDS = Agent("person", "", "", ("bash", OWN))
"""Opens for a planner, whose tasks have tags."""


@dataclass(slots=True)
class Extensions:
    """One session's."""

    workspace: SessionWorkspace
    trusted_content: TrustedContent
    notice: Callable[[str], None]
    """Takes a line for the user."""
    toolkit: CustomToolkit = field(default_factory=CustomToolkit)
    hooks: Hooks = field(default_factory=Hooks)
    _hooked: bool = False

    def add_hook_sink(self, sinks: Sequence[Sink]) -> list[Sink]:
        """Give who sees the events, hooks before all others."""
        self.load_hooks()
        return [self.hooks.notify_event, *sinks]

    def load_hooks(self) -> None:
        """Load the hooks, once."""
        if self._hooked:
            return
        self._hooked = True
        at = self.workspace
        files = list_tool_files(at.places.config / HOOKS)
        packages = entry_points(GROUP, at.untrusted_folder)
        if files or packages:
            from tripletick.hooks.loader import load_hooks

            self.hooks.points = load_hooks(files, packages, self.notice)
            self.hooks.seconds, self.hooks.tell = at.config.hooks.timeout, self.notice

    def equip_agent(self, agent: Agent) -> Agent:
        """Give an agent with what it owns of these tools."""
        return self.toolkit.equip_agent(agent)

    def apply_pre_request(self, words: str, agent: str) -> str:
        """Give the words of a request as the hooks leave them."""
        return self.hooks.apply_pre_request(words, agent)

    def equip_loop(self, loop: Loop, agent: Agent) -> Generator[Event, Reply, Loop]:
        """Load the tools where this is the first agent that owns them; give the loop with what there is."""
        if not self.toolkit.needs_load(agent, loop.tools):
            return loop
        yield from map(Notice, self.load_tools(loop.tools, allowed=loop.gate.asking.allowed))
        return self.extend_loop(loop)

    def load_tools(self, taken: Collection[str], *, allowed: bool) -> list[str]:
        """Load the tools; gives lines for the user. `taken` are the tags of ours, `allowed` says whether
        blocks may run here.
        """
        at = self.workspace
        texts = self.trusted_content.tools if allowed else {}
        box, limits = at.box if texts else None, builder.make_limits(at.config)
        ground = ToolEnvironment(
            at.places.config, at.root.resolve(), box, texts, limits, at.sandbox_spec.halt
        )
        return self.toolkit.load_tools(ground, taken)

    def extend_loop(self, loop: Loop) -> Loop:
        """Give a loop with these tools and hooks."""
        replies = loop.replies.with_tools(self.toolkit.tools) if self.toolkit.tools else loop.replies
        tools = {**loop.tools, **self.toolkit.tools}
        return replace(loop, replies=replies, tools=tools, hooks=self.hooks)

    def extend_prompts(self, prompts: Prompts) -> Prompts:
        """Give the agents with what they own of these tools."""
        agents = {name: self.toolkit.equip_agent(agent) for name, agent in prompts.agents.items()}
        return replace(prompts, agents=agents)
