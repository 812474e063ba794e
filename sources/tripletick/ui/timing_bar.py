"""A turn as one bar: each part as wide as it took long, with its name in it; below it seconds and percent.

Signs that every terminal and file has, no colour. Not covered: what the parts are and how they are measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

WIDEST, NARROW = 100, 24
"""Cells of a bar at most; with fewer there is none."""


def draw_timing(parts: Mapping[str, float], told: str, width: int) -> list[str]:
    """Draw the parts, which have seconds, in their order; `told` says the whole in words."""
    taken = {name: seconds for name, seconds in parts.items() if seconds > 0}
    words = [
        f"{name} {seconds:.2f} s {percent}%"
        for (name, seconds), percent in zip(
            taken.items(), split_proportionally(list(taken.values()), 100), strict=True
        )
    ]
    bar = [_draw_bar(taken, min(width, WIDEST) - 2)] if taken and width >= NARROW else []
    return [told, *bar, *_wrap_words(words, width)]


def _wrap_words(words: Iterable[str], width: int) -> Iterator[str]:
    """Put words behind each other, as many in a row as have room."""
    row = ""
    for word in words:
        if row and len(row) + len(word) + 2 >= width:
            yield row
            row = word
        else:
            row = f"{row}  {word}" if row else word
    if row:
        yield row


def split_proportionally(values: Sequence[float], whole: int) -> list[int]:
    """Part a whole number by values, so that the parts add up to it: the largest rests are rounded up."""
    total = sum(values) or 1.0
    exact = [whole * value / total for value in values]
    found = [int(share) for share in exact]
    by_rest = sorted(range(len(values)), key=lambda at: found[at] - exact[at])
    for at in by_rest[: whole - sum(found)]:
        found[at] += 1
    return found


def _draw_bar(parts: Mapping[str, float], width: int) -> str:
    cells = split_proportionally(list(parts.values()), width)
    return "|" + "".join(_draw_cell(name, cell) for name, cell in zip(parts, cells, strict=True))


def _draw_cell(name: str, width: int) -> str:
    """Draw one part; its name as far as there is room for it."""
    return f"{name[: width - 1]:=<{width - 1}}|" if width > 1 else "|" * width
