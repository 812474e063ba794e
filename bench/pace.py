"""The pace of this machine at this moment: what the other figures are held against.

A bound in seconds says nothing on another machine, nor on this one when others work on it. So each figure is
measured beside a fixed piece of Python's own work, and reckoned as on a machine that does that in UNIT.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from tripletick.messages import Chunk

PIECES = 12_500
UNIT = 0.01
"""Seconds in which a machine of the bounds' makes so many pieces: 1.25 million a second."""


def spent(work: Callable[[], object]) -> float:
    """Give the seconds of the processor: other work on the machine does not count."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _pieces() -> None:
    for at in range(PIECES):
        Chunk(text="Some words about"[at % 8 :])


def reckoned(work: Callable[[], object], rounds: int = 3) -> float:
    """Give the seconds that work takes on the machine of the bounds: its best against the pace beside it."""
    best = float("inf")
    for _ in range(rounds):
        before = spent(_pieces)
        seconds = spent(work)
        best = min(best, seconds / min(before, spent(_pieces)))
    return best * UNIT


def pace() -> float:
    """Give how many times slower than the machine of the bounds this one is now."""
    return min(spent(_pieces) for _ in range(5)) / UNIT
