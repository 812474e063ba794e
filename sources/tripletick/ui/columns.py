"""Rows of words in columns, safe to be drawn. Widths are counted in characters."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tripletick.ui.safe import visible


def aligned(
    rows: Sequence[Sequence[str]], *, numbered: bool = False, right: Collection[int] = ()
) -> list[str]:
    """Put cells into columns, those of `right` to their right end; a column without any words goes."""
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    return [_line(row, widths, right, f"{number:2} " * numbered) for number, row in enumerate(shown, 1)]


def _line(row: Sequence[str], widths: Sequence[int], right: Collection[int], head: str) -> str:
    cells = (
        cell.rjust(width) if at in right else cell.ljust(width)
        for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        if width
    )
    return (head + "  ".join(cells)).rstrip()
