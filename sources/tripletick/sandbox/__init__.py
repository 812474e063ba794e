"""Where blocks run: the tiers of the sandbox, by name, imported when chosen.

A tier is a box only after its live probe has passed in this run; else what is left is tier `none`, with why.
"""

from __future__ import annotations

from importlib import import_module

from tripletick import platforms
from tripletick.errors import ConfigError
from tripletick.sandbox.box import Box, Ground, ProbedBox

BOXES = {
    "bubblewrap": "bubblewrap.Bubblewrap",
    "landlock": "landlock.Landlock",
    "seatbelt": "seatbelt.Seatbelt",
    "docker": "container.docker",
    "podman": "container.podman",
}
"""Where what opens them lies below this package."""
TIERS = ("auto", *BOXES, "none")


def open_box(ground: Ground, tier: str = "auto") -> Box:
    """Open the box of this tier, or tier `none` with the reasons where no live probe passes.

    Raises ConfigError for a tier that does not exist.
    """
    return choose_box(ground, tier)[0]


def choose_box(ground: Ground, tier: str = "auto") -> tuple[Box, list[str]]:
    """Open a box as `open_box` does; give also why others were passed over."""
    if tier not in TIERS:
        raise ConfigError(f"[sandbox] tier = {tier} does not exist", remedy=f"tiers: {', '.join(TIERS)}")
    from tripletick.sandbox.bare import CHOSEN, Bare

    problems: list[str] = []
    for name in {"auto": platforms.boxes(), "none": ()}.get(tier, (tier,)):
        box = open_tier(ground, name)
        if box.holds:
            return box, problems
        problems.append(box.problem)
        box.close()
    return Bare(ground, "; ".join(problems) or CHOSEN), problems


def open_tier(ground: Ground, name: str) -> ProbedBox:
    """Open one tier, whether it holds or not."""
    module, _, opener = BOXES[name].partition(".")
    box: ProbedBox = getattr(import_module(f"{__name__}.{module}"), opener)(ground)
    return box
