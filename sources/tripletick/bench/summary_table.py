"""What a run came to, by family: how much was solved and what it cost, for a terminal and as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tripletick.bench.attempt import Attempt
from tripletick.bench.stats import wilson_interval

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
BELOW = "From attempts on: averages per task; attempts: failed replies that were repaired or retried"


@dataclass(frozen=True, slots=True)
class FamilyRow:
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


def make_rows(attempts: Sequence[Attempt]) -> list[FamilyRow]:
    """Give a row a family, and one for all."""
    families = dict.fromkeys(attempt.family for attempt in attempts)
    parted = [(family, [one for one in attempts if one.family == family]) for family in families]
    return [_make_row(name, part) for name, part in (*parted, (TOTAL, attempts)) if part]


def format_cells(row: FamilyRow) -> Iterator[str]:
    """Write a row."""
    yield from (row.name, str(row.solved), str(row.of), f"{100 * row.solved / row.of:.0f}")
    yield from (f"{row.attempts:.1f}", f"{row.steps:.1f}", f"{row.seconds:.1f}", f"{row.read:.0f}")
    yield from ("" if row.cached is None else f"{row.cached:.0f}", f"{row.written:.0f}")
    yield from (f"{row.refused:.1f}", f"{row.invented:.1f}")


def _make_row(name: str, part: Sequence[Attempt]) -> FamilyRow:
    cached = [one.cached for one in part if one.cached is not None]
    solved = sum(one.solved for one in part)
    return FamilyRow(
        name,
        solved,
        len(part),
        *wilson_interval(solved, len(part)),
        attempts=_compute_mean([one.attempts for one in part]),
        steps=_compute_mean([one.steps for one in part]),
        seconds=_compute_mean([one.seconds for one in part]),
        read=_compute_mean([one.read for one in part]),
        cached=_compute_mean(cached) if cached else None,
        written=_compute_mean([one.written for one in part]),
        refused=_compute_mean([len(one.refused) for one in part]),
        invented=_compute_mean([one.invented for one in part]),
    )


def _compute_mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 3)
