"""The sandbox that blocks run in: its tiers by name, each imported and probed when it is chosen."""

from __future__ import annotations

from importlib import import_module

from tripletick.errors import ConfigError
from tripletick.sandbox.box import Box, ProbedBox, SandboxSpec
from tripletick.sandbox.remedies import find_remedy
from tripletick.system import platforms

BOXES = {
    "bubblewrap": "bubblewrap.Bubblewrap",
    "landlock": "landlock.Landlock",
    "seatbelt": "seatbelt.Seatbelt",
    "docker": "container.docker",
    "podman": "container.podman",
}
"""Where what opens them lies below this package."""
LESSER = "sandbox: using {name}, because a stronger tier does not work: {why}"
SAID = "lesser box"
"""Marks a ground on which that was told."""
ANOTHER = "To see which tiers work: tripletick doctor"
TIERS = ("auto", *BOXES, "none")


def open_box(ground: SandboxSpec, tier: str = "auto") -> Box:
    """Open the box of this tier; of `auto` the best that holds, or tier `none` with the reasons where none
    does. Why it is not the best is told once.

    Raises ConfigError for a tier that does not exist, or that was chosen and does not hold.
    """
    box, problems = choose_box(ground, tier)
    if tier in BOXES and not box.holds:
        box.close()
        why = "; ".join(problems)
        raise ConfigError(f"[sandbox] tier = {tier} does not work here.", why, find_remedy(why) or ANOTHER)
    if box.holds and problems:
        line = LESSER.format(name=box.name, why="; ".join(problems))
        ground.lookup_cached(SAID, lambda: ground.notice(line))
    return box


def choose_box(ground: SandboxSpec, tier: str = "auto") -> tuple[Box, list[str]]:
    """Open a box as `open_box` does; give also why others were passed over."""
    if tier not in TIERS:
        raise ConfigError(f"There is no sandbox tier {tier!r}.", remedy=f"Tiers: {', '.join(TIERS)}")
    from tripletick.sandbox.bare import CHOSEN, UnsandboxedBox

    problems: list[str] = []
    for name in {"auto": platforms.list_sandbox_tiers(), "none": ()}.get(tier, (tier,)):
        box = open_tier(ground, name)
        if box.holds:
            return box, problems
        problems.append(box.problem)
        box.close()
    return UnsandboxedBox(ground, "; ".join(problems) or CHOSEN), problems


def open_tier(ground: SandboxSpec, name: str) -> ProbedBox:
    """Open one tier, whether it holds or not."""
    module, _, opener = BOXES[name].partition(".")
    box: ProbedBox = getattr(import_module(f"{__name__}.{module}"), opener)(ground)
    return box
