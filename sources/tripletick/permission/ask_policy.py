"""What the user has said before the first block: flags, settings, and the answer for the folder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AskPolicy:
    """When to ask, and what is answered already."""

    always: bool = False
    """`[sandbox] ask = always`: every block is asked for."""
    yes: bool = False
    """`-y`: risky commands are a yes where a box holds; nothing else is."""
    person: bool = False
    """Whether somebody is there; without one every question is a no."""
    commits: bool = True
    """False for `[git] commit = no`: blocks commit nothing."""
    allowed: bool = True
    """False where the user lets no block run in this folder."""
