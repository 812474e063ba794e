"""Two runs over the same trials: which solved more, which took longer, and whether that may be luck.

Only trials that both have done are compared; how many were not is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tripletick.bench.attempt import Attempt
from tripletick.bench.stats import ratio, two_sided

TOTAL = "all"
COLUMNS = ("", "pairs", "both", "only A", "only B", "none", "p")
LIKELY = 0.05
COSTS: Mapping[str, Callable[[Attempt], float]] = {
    "seconds": lambda attempt: attempt.seconds,
    "tokens read": lambda attempt: attempt.read,
    "tokens written": lambda attempt: attempt.written,
}

Pairs = Sequence[tuple[Attempt, Attempt]]


@dataclass(frozen=True, slots=True)
class Split:
    """How many pairs were solved by whom; `p` is McNemar's, the chance of such a split by luck alone."""

    name: str
    both: int
    only_a: int
    only_b: int
    none: int
    p: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What B took against A: the median of the ratios, and the sign test's chance of them by luck alone."""

    name: str
    ratio: float | None
    p: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two runs differ in; the last split is over all families."""

    splits: tuple[Split, ...]
    costs: tuple[Cost, ...]
    missing: int
    """Trials that only one of the runs has done."""


def compared(first: Sequence[Attempt], second: Sequence[Attempt]) -> Comparison:
    """Compare two runs."""
    ours, theirs = ({attempt.key: attempt for attempt in run} for run in (first, second))
    pairs = [(ours[key], theirs[key]) for key in ours if key in theirs]
    families = dict.fromkeys(one.family for one, _ in pairs)
    splits = [_split(family, [pair for pair in pairs if pair[0].family == family]) for family in families]
    return Comparison(
        (*splits, _split(TOTAL, pairs)),
        tuple(_costs(pairs)),
        len(ours.keys() ^ theirs.keys()),
    )


def tell(told: Comparison) -> tuple[list[tuple[str, ...]], list[str]]:
    """Word it for a person: the rows of a table, and the lines below it."""
    rows: list[tuple[str, ...]] = [COLUMNS]
    for split in told.splits:
        counts = (split.both, split.only_a, split.only_b, split.none)
        rows.append((split.name, str(sum(counts)), *map(str, counts), f"{split.p:.3f}"))
    lines = [_verdict(told.splits[-1])]
    for cost in told.costs:
        if cost.ratio is not None:
            lines.append(f"{cost.name}: B takes {cost.ratio:.2f} of A (median of the pairs, p {cost.p:.3f})")
    if told.missing:
        lines.append(f"{told.missing} trials were done in one of the runs alone and are left out")
    return rows, lines


def _verdict(split: Split) -> str:
    if split.p >= LIKELY:
        return "That one solves more may be luck."
    return f"{'A' if split.only_a > split.only_b else 'B'} solves more, and hardly by luck."


def _split(name: str, pairs: Pairs) -> Split:
    kinds = [(one.solved, other.solved) for one, other in pairs]
    only_a, only_b = kinds.count((True, False)), kinds.count((False, True))
    both, none = kinds.count((True, True)), kinds.count((False, False))
    return Split(name, both, only_a, only_b, none, two_sided(only_a, only_b))


def _costs(pairs: Pairs) -> Iterator[Cost]:
    for name, get in COSTS.items():
        yield Cost(name, *ratio([(get(one), get(other)) for one, other in pairs]))
