"""Long outputs of a session, each with the number by which the user asks for it.

Kept in memory alone, the oldest dropped for new ones: what is to last is in the session's log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

ROOM = 16 << 20
"""Characters of all outputs together."""


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
