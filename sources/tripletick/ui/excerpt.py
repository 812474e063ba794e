"""What is shown of an output: its head and tail, and how many lines lie between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from tripletick.ui.sanitize import apply_carriage_returns, escape_controls
from tripletick.ui.status_line import format_thousands

HEAD, TAIL = 12, 8
"""Lines of a result that are shown."""
LONGEST = 1000
"""Characters of one of them."""
NOTHING: Mapping[str, int] = MappingProxyType({})


def make_excerpt(
    text: str, more: str, keep: Callable[[Sequence[str]], str], left_out: Mapping[str, int] = NOTHING
) -> list[str]:
    """Give the lines that are shown, none of a blank text; `keep` takes a long one, and gives how it is shown
    in full. `left_out`: lines of the text that stand for others, each with how many.
    """
    lines = escape_controls(apply_carriage_returns(text.replace("\r\n", "\n"))).rstrip("\n").split("\n")
    if not any(lines):
        return []
    if len(lines) <= HEAD + TAIL + 1:
        return [_clip_line(line, more) for line in lines]
    shown = [_clip_line(line, more) for line in (*lines[:HEAD], *lines[-TAIL:])]
    between = lines[HEAD:-TAIL]
    count = len(between) + sum(
        many - 1 for line, many in left_out.items() if escape_controls(line) in between
    )
    gap = f"{more}{format_thousands(count)} lines{keep(lines)}"
    return [*shown[:HEAD], gap, *shown[HEAD:]]


def _clip_line(line: str, more: str) -> str:
    return f"{line[:LONGEST]}{more}" if len(line) > LONGEST else line
