"""The pace of this machine at this moment: what the other figures are held against.

A bound in seconds says nothing on another machine, nor on this one when others work on it. So each figure is
measured beside a fixed piece of Python's own work, and scaled to a machine that does that in UNIT.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from tripletick.messages import Chunk

PIECES = 12_500
UNIT = 0.01
"""Seconds in which a machine of the bounds' makes so many pieces: 1.25 million a second."""


def measure_cpu_time(work: Callable[[], object]) -> float:
    """Give the seconds of the processor: other work on the machine does not count."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _create_chunks() -> None:
    for at in range(PIECES):
        Chunk(text="Some words about"[at % 8 :])


def measure_normalized(work: Callable[[], object], rounds: int = 3) -> float:
    """Give the seconds that work takes on the machine of the bounds: its best against the pace beside it."""
    best = float("inf")
    for _ in range(rounds):
        before = measure_cpu_time(_create_chunks)
        seconds = measure_cpu_time(work)
        best = min(best, seconds / min(before, measure_cpu_time(_create_chunks)))
    return best * UNIT


def measure_pace() -> float:
    """Give how many times slower than the machine of the bounds this one is now."""
    return min(measure_cpu_time(_create_chunks) for _ in range(5)) / UNIT
