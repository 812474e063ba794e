"""What a model's size sets: steps of a turn, tokens of a reply, how much output it reads, what it is spared.

Parameters are what the engine tells; nothing is changed for a model whose engine tells none. What the user
has set stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path

from tripletick.config.config import Config
from tripletick.models.model import ModelInfo

BILLION = 1_000_000_000
EXAMPLE_CONTEXT = 4096
"""Tokens of a context in which no example is shown, nor in a smaller one: it takes 700 of them, a reply up to
2048, and too little is left for files and results."""


@dataclass(frozen=True, slots=True)
class SizeLimits:
    """One row: models of fewer parameters than `below`, and none of the rows above."""

    below: float
    steps: int
    clip: int
    """The most characters of one output that the model is sent."""
    small: bool = False
    """It makes no plans unasked, and is not told how to ask the user."""
    example: bool = False
    """It follows an example and no description."""
    reply: float = inf
    """The most tokens of one reply, where the setting allows as many; one of this size that writes more has
    lost its way. Larger models have the setting's alone."""


SIZES = (
    SizeLimits(BILLION, 15, 4000, small=True, example=True, reply=2048),
    SizeLimits(4 * BILLION, 15, 4000, small=True, reply=3072),
    SizeLimits(10 * BILLION, 25, 8000, reply=8192),
    SizeLimits(20 * BILLION, 30, 12000),
    SizeLimits(inf, 40, 16000),
)
UNTOLD = SizeLimits(inf, 25, 12000)


def find_limits(about: ModelInfo | None) -> SizeLimits:
    """Give the row of a model."""
    if about is None or not about.parameters:
        return UNTOLD
    return next(size for size in SIZES if about.parameters < size.below)


def choose_limits(config: Config, about: ModelInfo | None) -> SizeLimits:
    """Give the row that sets steps and output: the same for all where the trial of that is off."""
    return find_limits(about) if config.trial.sizes else UNTOLD


def choose_max_steps(config: Config, about: ModelInfo | None, shipped: Path) -> int:
    """Give the most steps of a turn: what the user has set, else what the size allows."""
    own, usual = config.agent.max_steps, type(config.agent)().max_steps
    ours = own == usual and _is_default(config, "agent.max_steps", shipped)
    return choose_limits(config, about).steps if ours else own


def choose_max_output(config: Config, about: ModelInfo | None, shipped: Path) -> int:
    """Give the most tokens of a reply in the same way; reasoning has a bound of its own."""
    own, usual = config.model.output, type(config.model)().output
    ours = own == usual and _is_default(config, "model.output", shipped) and not (about and about.thinks)
    return int(min(own, choose_limits(config, about).reply)) if ours else own


def _is_default(config: Config, key: str, shipped: Path) -> bool:
    return config.where.get(key, str(shipped)).startswith(str(shipped))


def wants_example(config: Config, about: ModelInfo | None, context: int) -> bool:
    """Tell whether the model is shown an example, in a context of so many tokens."""
    wanted = {"off": False, "auto": find_limits(about).example, "on": True}[config.model.example]
    return wanted and context > EXAMPLE_CONTEXT


def wants_plan(config: Config, about: ModelInfo | None) -> bool:
    """Tell whether the model makes plans that nobody has asked for by the planner's name."""
    return config.trial.small_plans or not find_limits(about).small
