"""Who is at work in a turn, and whose block makes another agent take over.

A wrong choice of the agent never loses a request: a block of another agent's tool hands the turn over, once.
Not covered: who gets a request (routing), what the person lets blocks do (standing).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from tripletick.agents import EVERY_LANGUAGE, Agent
from tripletick.messages import Call

SAVING = frozenset({"write", "append"})
"""Whoever owns these owns every block with a path, which one without tags merely shows."""


@dataclass(slots=True)
class Shift:
    """One turn's: the agent at work, and those who may take over from it, the most fitting first."""

    agent: Agent
    relief: Sequence[Agent] = ()
    languages: Collection[str] = ()
    ran: bool = False
    """A block of this turn has run. Code that comes after it may well be shown and not meant."""
    before: Agent | None = None
    """Who was at work until the hand-over."""
    new: bool = False
    """The reply at hand has handed over."""

    def handing(self) -> tuple[str, ...]:
        """Give the tags of others that count in the next reply."""
        if self.before:
            return ()
        tags = {tag for agent in self.relief for tag in agent.owned(self.languages)}
        tags -= set(self.agent.owned(self.languages))
        if self.ran or not self.agent.tools:
            tags -= set(self.languages)
        return tuple(sorted(tags if self.agent.tools else tags - SAVING))

    def over(self, calls: Iterable[Call]) -> Call | None:
        """Give the first call of another agent's, who is at work from now on; None where there is none."""
        handing = self.handing()
        call = next((call for call in calls if call.tool in handing), None)
        self.new = call is not None
        if call:
            self.before, self.agent = self.agent, self._owner(call.tool)
        return call

    def acting(self) -> Agent:
        """Give the agent that the blocks of the reply at hand count for: at a hand-over both."""
        if self.before is None:
            return self.agent
        return replace(self.agent, tools=(*self.agent.tools, *self.before.tools))

    def runner(self) -> Agent | None:
        """Give the agent that runs code which one without tags merely shows, None where nobody does."""
        able = (agent for agent in self.relief if EVERY_LANGUAGE in agent.tools)
        return None if self.agent.tools else next(able, None)

    def _owner(self, tag: str) -> Agent:
        return next(agent for agent in self.relief if tag in agent.owned(self.languages))
