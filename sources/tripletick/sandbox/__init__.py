"""Where blocks run: the tiers of the sandbox, by name, imported when chosen."""

from __future__ import annotations

from tripletick.errors import ConfigError
from tripletick.sandbox.box import Box, Ground

TIERS = ("auto", "bubblewrap", "none")


def open_box(ground: Ground, tier: str = "auto") -> Box:
    """Open the box of this tier, or tier `none` with the reason where its live probe fails.

    Raises ConfigError for a tier that does not exist.
    """
    if tier not in TIERS:
        raise ConfigError(f"[sandbox] tier = {tier} does not exist", remedy=f"tiers: {', '.join(TIERS)}")
    from tripletick.sandbox.bare import Bare

    if tier == "none":
        return Bare(ground)
    from tripletick.sandbox.bubblewrap import Bubblewrap

    box = Bubblewrap(ground)
    if box.holds:
        return box
    box.close()
    return Bare(ground, box.problem)
