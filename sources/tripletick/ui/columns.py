"""Rows of words in columns, safe to be drawn. Widths are counted in cells: 漢 takes two."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.cells import cell_len

from tripletick.ui.sanitize import escape_controls


def align_rows(
    rows: Sequence[Sequence[str]], *, numbered: bool = False, right: Collection[int] = ()
) -> list[str]:
    """Put cells into columns, those of `right` to their right end; a column without any words goes."""
    shown = [[escape_controls(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*shown, strict=True)]
    return [_format_row(row, widths, right, f"{number:2} " * numbered) for number, row in enumerate(shown, 1)]


def pick_fitting_line(lines: Sequence[str], width: int) -> str:
    """Give the first of the lines that takes at most so many cells, else the last."""
    return next((line for line in lines if cell_len(line) <= width), lines[-1])


def _format_row(row: Sequence[str], widths: Sequence[int], right: Collection[int], head: str) -> str:
    cells = (
        _pad_cell(cell, width, right=at in right)
        for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        if width
    )
    return (head + "  ".join(cells)).rstrip()


def _pad_cell(cell: str, width: int, *, right: bool) -> str:
    blanks = " " * (width - cell_len(cell))
    return blanks + cell if right else cell + blanks
