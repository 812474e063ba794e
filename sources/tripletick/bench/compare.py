"""Two runs over the same trials: which solved more, which took longer, and whether that may be chance.

Only trials that both have done are compared; how many were not is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tripletick.bench.attempt import Attempt
from tripletick.bench.stats import binomial_test, median_ratio

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
class PairSplit:
    """How many pairs were solved by whom; `p` is McNemar's, the chance of such a split by luck alone."""

    name: str
    both: int
    only_a: int
    only_b: int
    none: int
    p: float


@dataclass(frozen=True, slots=True)
class CostRatio:
    """What B took against A: the median of the ratios, and the sign test's chance of them by luck alone."""

    name: str
    ratio: float | None
    p: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two runs differ in; the last split is over all families."""

    splits: tuple[PairSplit, ...]
    costs: tuple[CostRatio, ...]
    missing: int
    """Trials that only one of the runs has done."""


def compare_runs(first: Sequence[Attempt], second: Sequence[Attempt]) -> Comparison:
    """Compare two runs."""
    ours, theirs = ({attempt.key: attempt for attempt in run} for run in (first, second))
    pairs = [(ours[key], theirs[key]) for key in ours if key in theirs]
    families = dict.fromkeys(one.family for one, _ in pairs)
    splits = [
        _count_split(family, [pair for pair in pairs if pair[0].family == family]) for family in families
    ]
    return Comparison(
        (*splits, _count_split(TOTAL, pairs)),
        tuple(_compare_costs(pairs)),
        len(ours.keys() ^ theirs.keys()),
    )


def format_comparison(told: Comparison) -> tuple[list[tuple[str, ...]], list[str]]:
    """Word it for a person: the rows of a table, and the lines below it."""
    rows: list[tuple[str, ...]] = [COLUMNS]
    for split in told.splits:
        counts = (split.both, split.only_a, split.only_b, split.none)
        rows.append((split.name, str(sum(counts)), *map(str, counts), f"{split.p:.3f}"))
    lines = [_format_verdict(told.splits[-1])]
    for cost in told.costs:
        if cost.ratio is not None:
            lines.append(f"{cost.name}: B needs {cost.ratio:.2f} of A (median of pairs, p {cost.p:.3f})")
    if told.missing:
        lines.append(f"{told.missing} trials are in only one of the runs and were skipped")
    return rows, lines


def _format_verdict(split: PairSplit) -> str:
    if split.p >= LIKELY:
        return "The difference may be due to chance."
    return f"{'A' if split.only_a > split.only_b else 'B'} solves more (statistically significant)."


def _count_split(name: str, pairs: Pairs) -> PairSplit:
    kinds = [(one.solved, other.solved) for one, other in pairs]
    only_a, only_b = kinds.count((True, False)), kinds.count((False, True))
    both, none = kinds.count((True, True)), kinds.count((False, False))
    return PairSplit(name, both, only_a, only_b, none, binomial_test(only_a, only_b))


def _compare_costs(pairs: Pairs) -> Iterator[CostRatio]:
    for name, get in COSTS.items():
        yield CostRatio(name, *median_ratio([(get(one), get(other)) for one, other in pairs]))
