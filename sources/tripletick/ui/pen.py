"""What draws: the Protocol, and the pen for plain lines (no redraw, no colour, words for glyphs).

The pen that knows a terminal's ways is in console.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TextIO

from tripletick.ui.preview import Code, Opened, Piece
from tripletick.ui.safe import encodable

Style = Literal["", "dim", "good", "bad", "warn"]
Mark = Literal["ok", "failed", "skipped", "repair", "agent", "more"]


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

    def status(self, word: Callable[[], str] | None) -> None:
        """Show what `word` gives, again and again, below everything that is drawn; None takes it away."""
        ...

    def ask(self, text: str) -> None:
        """Draw a question; the cursor stays behind it."""
        ...


WORDS: dict[Mark, str] = {
    "ok": "",
    "failed": "",
    "skipped": "",
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

    def status(self, word: Callable[[], str] | None) -> None:
        pass

    def ask(self, text: str) -> None:
        self._write(text)

    def _write(self, text: str) -> None:
        self.stream.write(encodable(text, self.stream.encoding or "utf-8"))
        self.stream.flush()
