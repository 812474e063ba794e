"""The figures of a comparison: exact tests and an interval, by their definitions and without a library.

`binomial_test` is two-sided with one half, as in the tests of McNemar (1947) and of signs (Dixon and
Mood 1946), `wilson_interval` is the score interval of a share (Wilson 1927).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, sqrt
from statistics import median

NINETY_FIVE = 1.959964
"""Standard deviations to either side that hold 95 per cent."""


def binomial_test(few: int, many: int) -> float:
    """Give the chance of a split that uneven or more, where each of all falls to either side alike."""
    count, least = few + many, min(few, many)
    ways = sum(comb(count, k) for k in range(least + 1))
    return min(1.0, 2 * ways / (1 << count))


def wilson_interval(solved: int, of: int) -> tuple[float, float]:
    """Give the interval that holds the true share with 95 per cent; all of it where nothing was tried."""
    if not of:
        return 0.0, 1.0
    share, z = solved / of, NINETY_FIVE
    middle = share + z * z / (2 * of)
    half = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    low, high = (middle - half) / (1 + z * z / of), (middle + half) / (1 + z * z / of)
    return max(0.0, low), min(1.0, high)


def median_ratio(pairs: Sequence[tuple[float, float]]) -> tuple[float | None, float]:
    """Give the median of second to first, None without any, and the chance that they differ by luck alone."""
    usable = [(first, second) for first, second in pairs if first > 0 and second > 0]
    more = sum(second > first for first, second in usable)
    less = sum(second < first for first, second in usable)
    middle = median(second / first for first, second in usable) if usable else None
    return middle, binomial_test(less, more)
