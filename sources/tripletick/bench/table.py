"""What a run came to, by family: how much was solved and what it cost, for a terminal and as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tripletick.bench.attempt import Attempt
from tripletick.bench.stats import wilson

TOTAL = "all"
COLUMNS = (
    "",
    "solved",
    "of",
    "%",
    "attempts",
    "steps",
    "seconds",
    "read",
    "cached",
    "written",
    "refused",
    "invented",
)
BELOW = "attempts to invented: a task, on average; attempts: failed replies that were mended or tried again"


@dataclass(frozen=True, slots=True)
class Row:
    """A family, or all: tasks solved, and what one took on average."""

    name: str
    solved: int
    of: int
    low: float
    """The true share lies between these with 95 per cent."""
    high: float
    attempts: float
    steps: float
    seconds: float
    read: float
    cached: float | None
    written: float
    refused: float
    invented: float


def rows(attempts: Sequence[Attempt]) -> list[Row]:
    """Give a row a family, and one for all."""
    families = dict.fromkeys(attempt.family for attempt in attempts)
    parted = [(family, [one for one in attempts if one.family == family]) for family in families]
    return [_row(name, part) for name, part in (*parted, (TOTAL, attempts)) if part]


def cells(row: Row) -> Iterator[str]:
    """Write a row."""
    yield from (row.name, str(row.solved), str(row.of), f"{100 * row.solved / row.of:.0f}")
    yield from (f"{row.attempts:.1f}", f"{row.steps:.1f}", f"{row.seconds:.1f}", f"{row.read:.0f}")
    yield from ("" if row.cached is None else f"{row.cached:.0f}", f"{row.written:.0f}")
    yield from (f"{row.refused:.1f}", f"{row.invented:.1f}")


def _row(name: str, part: Sequence[Attempt]) -> Row:
    cached = [one.cached for one in part if one.cached is not None]
    solved = sum(one.solved for one in part)
    return Row(
        name,
        solved,
        len(part),
        *wilson(solved, len(part)),
        attempts=_mean([one.attempts for one in part]),
        steps=_mean([one.steps for one in part]),
        seconds=_mean([one.seconds for one in part]),
        read=_mean([one.read for one in part]),
        cached=_mean(cached) if cached else None,
        written=_mean([one.written for one in part]),
        refused=_mean([len(one.refused) for one in part]),
        invented=_mean([one.invented for one in part]),
    )


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 3)
