"""What draws: the Protocol, and the pen for plain lines (no redraw, no colour, words for glyphs).

The pen that knows a terminal's ways is in console.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TextIO

from tripletick.ui.preview import Code, Opened, Piece
from tripletick.ui.safe import encodable

Style = Literal["", "dim", "good", "bad", "warn"]
Mark = Literal["ok", "failed", "skipped", "runs", "repair", "agent", "more"]


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of a tree, and what hangs below it."""

    text: str
    style: Style = ""
    below: tuple[Branch, ...] = ()


class Pen(Protocol):
    """Puts finished lines on the screen, below what is there."""

    def piece(self, piece: Piece) -> None:
        """Draw a part of the reply."""
        ...

    def line(self, text: str, style: Style = "", *, prose: bool = False) -> None:
        """Draw one line; prose is broken between words."""
        ...

    def mark(self, mark: Mark) -> str:
        """Give the sign for this, with the space after it."""
        ...

    def status(self, word: Callable[[], str] | None, *, at_once: bool = False) -> None:
        """Show what `word` gives, again and again, below everything that is drawn; None takes it away.

        `at_once`: before this returns.
        """
        ...

    def tree(self, title: str, branches: Sequence[Branch]) -> None:
        """Draw lines that hang on others."""
        ...

    def hang(self, branches: Sequence[Branch]) -> None:
        """Show these below the status line, as long as there is one, until others are to be shown."""
        ...

    def ask(self, text: str) -> None:
        """Draw a question; the cursor stays behind it."""
        ...


WORDS: dict[Mark, str] = {
    "ok": "",
    "failed": "",
    "skipped": "",
    "runs": "",
    "repair": "repair ",
    "agent": "agent: ",
    "more": "... ",
}
"""The verdict is in words anyway."""


@dataclass(slots=True)
class PlainPen:
    """Writes lines to a stream, as they are."""

    stream: TextIO

    def piece(self, piece: Piece) -> None:
        if isinstance(piece, Code):
            self.line(piece.text)
        elif isinstance(piece, Opened):
            self.line(piece.raw.strip())
        else:
            self.line(getattr(piece, "raw", None) or getattr(piece, "text", "") + "\n")

    def line(self, text: str, style: Style = "", *, prose: bool = False) -> None:
        self._write(text + "\n")

    def mark(self, mark: Mark) -> str:
        return WORDS[mark]

    def status(self, word: Callable[[], str] | None, *, at_once: bool = False) -> None:
        pass

    def tree(self, title: str, branches: Sequence[Branch]) -> None:
        for line in (title, *indented(branches)):
            self.line(line)

    def hang(self, branches: Sequence[Branch]) -> None:
        pass

    def ask(self, text: str) -> None:
        self._write(text)

    def _write(self, text: str) -> None:
        self.stream.write(encodable(text, self.stream.encoding or "utf-8"))
        self.stream.flush()


def indented(hanging: Iterable[Branch], level: int = 1) -> Iterator[str]:
    """Give a tree as plain lines, two blanks a level."""
    for branch in hanging:
        yield f"{'  ' * level}{branch.text}"
        yield from indented(branch.below, level + 1)
