"""Rows of words in columns, safe to be drawn. Widths are counted in cells: 漢 takes two."""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Iterable, Sequence
from typing import TextIO

from rich.cells import cell_len, set_cell_size

from tripletick.ui.sanitize import escape_controls, write_lines

_COLUMN = re.compile(r" {2,}(?=\S)")
"""Where a column begins."""


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


def write_wrapped(stream: TextIO, lines: Iterable[str]) -> None:
    """Write lines for a person; at a terminal the long ones break between words, below their last column."""
    if stream.isatty():
        width = shutil.get_terminal_size().columns
        lines = [part for line in lines for part in wrap_line(escape_controls(line), width)]
    write_lines(stream, lines)


def wrap_line(line: str, width: int) -> list[str]:
    """Break a line between words; a word that is wider than a line stays whole."""
    columns = [found.end() for found in _COLUMN.finditer(line) if found.end() <= width // 2]
    indent, parts = " " * (columns[-1] if columns else 2), list[str]()
    while cell_len(line) > width:
        first = len(line) - len(line.lstrip()) + 1
        room = max(first, len(set_cell_size(line, width + 1)))
        at = line.rfind(" ", first, room)
        if at < 0 and (at := line.find(" ", room)) < 0:
            break
        parts.append(line[:at].rstrip())
        line = indent + line[at:].lstrip()
    return [*parts, line]


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
