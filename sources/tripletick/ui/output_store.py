"""Long outputs of a session, each with the number by which the user asks for it.

Kept in memory alone, the oldest dropped for new ones: what is to last is in the session's log.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from tripletick.ui.sanitize import apply_carriage_returns, escape_controls
from tripletick.ui.status_line import format_thousands

ROOM = 16 << 20
"""Characters of all outputs together."""

HEAD, TAIL = 12, 8
"""Lines of a result that are shown."""
LONGEST = 1000
"""Characters of one of them."""
NOTHING: Mapping[str, int] = MappingProxyType({})


@dataclass(slots=True)
class OutputStore:
    """Outputs by their numbers; `printed` is what the block at work has printed."""

    room: int = ROOM
    outputs: dict[int, str] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)
    last: int = 0
    filled: int = 0

    def add_printed(self, text: str) -> None:
        """Add to what the block at work prints."""
        self.filled += len(text)
        if self.filled <= self.room:
            self.printed.append(text)

    def start_block(self) -> None:
        """Another block, or the same once more."""
        self.printed.clear()
        self.filled = 0

    def pick_longer(self, text: str) -> str:
        """Give what was printed where the result holds less of it, else the result."""
        printed = "".join(self.printed).rstrip("\n") if self.filled <= self.room else ""
        return max(text, printed, key=len)

    def store_lines(self, lines: Sequence[str]) -> int:
        """Keep lines, and give their number."""
        self.last += 1
        self.outputs[self.last] = "\n".join(lines)
        while sum(map(len, self.outputs.values())) > self.room and len(self.outputs) > 1:
            self.outputs.pop(next(iter(self.outputs)))
        return self.last


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
