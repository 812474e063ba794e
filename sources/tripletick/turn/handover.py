"""Which agent handles a turn, and whose block makes another agent take over.

A wrong choice of the agent never loses a request: a block of another agent's tool hands the turn over, once.
A request for two agents goes over when the first one has answered.
Not covered: who gets a request (routing), what the user lets blocks do (standing).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from tripletick.agents.definitions import EVERY_LANGUAGE, Agent
from tripletick.events import Answered, GaveUp
from tripletick.messages import Call

SAVING = frozenset({"write", "append"})
"""Whoever owns these owns every block with a path, which one without tags merely shows."""
RUNNING = "bash"
"""Whoever owns this runs programs and changes files; who looks things up on the web does not."""
NOTES = (".md", ".txt", ".csv", ".json")
"""Files in which what was found is kept; they are no program and no page."""


@dataclass(frozen=True, slots=True)
class RemainingRequest:
    """What another agent does of a request once the first one has answered."""

    agent: Agent
    words: str


@dataclass(slots=True)
class Handover:
    """One turn's: the agent at work, and those who may take over from it, the most fitting first."""

    agent: Agent
    relief: Sequence[Agent] = ()
    languages: Collection[str] = ()
    rest: RemainingRequest | None = None
    """Never of an agent that has taken over."""
    ran: bool = False
    """A block of this turn has run. Code that comes after it may well be shown and not meant."""
    before: Agent | None = None
    """Who was at work until the hand-over."""
    new: bool = False
    """The reply at hand has handed over."""
    said: list[str] = field(default_factory=list)
    """What was answered before the rest of the request was handed over …"""
    clause: str = ""
    """… and that rest, until the agent at work is asked for it."""

    def list_handover_tags(self) -> tuple[str, ...]:
        """Give the tags of others that count in the next reply."""
        relief = [self.before] if self.before else self.relief
        tags = {tag for agent in relief for tag in agent.list_owned_tags(self.languages)}
        tags -= set(self.agent.list_owned_tags(self.languages))
        if (self.ran and not self.before and not self.rest) or not self.agent.tools:
            tags -= set(self.languages)
        return tuple(sorted(tags if self.agent.tools else tags - SAVING))

    def switch_agent(self, calls: Iterable[Call]) -> Call | None:
        """Give the first call of another agent's, who is at work from now on; None where there is none."""
        handing = () if self.before else self.list_handover_tags()
        call = next((call for call in calls if call.tool in handing), None)
        self.new = call is not None
        if call:
            self._change_agent(self._find_owner(call.tool))
        return call

    def hand_over_rest(self, answer: str, written: Sequence[str]) -> bool:
        """Have the agent of the rest take over behind an answer; false where nothing is left for it, because
        the files that it is there for are among those that were `written`.
        """
        if not self.rest or any(map(self._is_own_file, written)):
            return False
        self.said.append(answer)
        self.clause, self.ran = self.rest.words, False
        self._change_agent(self.rest.agent)
        return True

    def take_clause(self) -> str:
        """Give what the agent at work is to be asked, once; "" where it has been."""
        clause, self.clause = self.clause, ""
        return clause

    def with_earlier_answers(self, end: Answered | GaveUp) -> Answered | GaveUp:
        """Give an ending with what was answered before it."""
        if isinstance(end, Answered):
            return replace(end, text="\n\n".join((*self.said, end.text)))
        return replace(end, answer="\n\n".join(filter(None, (*self.said, end.answer))))

    def _is_own_file(self, path: str) -> bool:
        tools = self.rest.agent.tools if self.rest else ()
        return RUNNING in tools and not (EVERY_LANGUAGE in tools and path.endswith(NOTES))

    def _change_agent(self, agent: Agent) -> None:
        self.before, self.agent, self.rest = self.agent, agent, None

    def find_acting_agent(self) -> Agent:
        """Give the agent that the blocks of the reply at hand count for: at a hand-over both."""
        if self.before is None:
            return self.agent
        return replace(self.agent, tools=(*self.agent.tools, *self.before.tools))

    def find_runner(self) -> Agent | None:
        """Give the agent that runs code which one without tags merely shows, None where nobody does."""
        able = (agent for agent in self.relief if EVERY_LANGUAGE in agent.tools)
        return None if self.agent.tools else next(able, None)

    def _find_owner(self, tag: str) -> Agent:
        return next(agent for agent in self.relief if tag in agent.list_owned_tags(self.languages))
