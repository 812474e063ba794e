"""Chooses the agent for a request within milliseconds, with a classifier that ships with tripletick."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tripletick.router.agent_matcher import CLOSE, find_closest_agent
from tripletick.router.classifier import CLASSES, load_classifier

__all__ = ["AGENTS", "CLOSE", "AgentGuess", "find_closest_agent", "guess_agent"]

AGENTS, FOLLOW = CLASSES[:-1], CLASSES[-1]


@dataclass(frozen=True, slots=True)
class AgentGuess:
    """`agent` is one of AGENTS, or the one at work; `sure` from the file's threshold of confidence on."""

    agent: str
    confidence: float
    sure: bool


def guess_agent(request: str, history: Sequence[str] = (), among: Collection[str] = ()) -> AgentGuess:
    """Say which agent gets a request; `history` is the agents of the turns before, the last one last, `among`
    those that it can be, () for all.

    What only follows up ("now make it faster") stays with the agent at work.
    """
    probable = load_classifier().predict_probabilities(request)
    follows = probable.pop(FOLLOW)
    if history:
        probable[history[-1]] = probable.get(history[-1], 0.0) + follows
    agent = max(among or probable, key=probable.__getitem__)
    confidence = probable[agent] / sum(probable[one] for one in among or probable)
    return AgentGuess(agent, confidence, confidence >= load_classifier().threshold)
