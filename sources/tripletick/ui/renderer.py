"""What draws: the Protocol, and the pen for plain lines (no redraw, no colour, words for glyphs).

The pen that knows a terminal's ways is in console.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TextIO

from tripletick.ui.preview import CodeLine, FenceOpened, Piece
from tripletick.ui.sanitize import make_encodable

Style = Literal["", "dim", "good", "bad", "warn"]
Mark = Literal["ok", "failed", "skipped", "runs", "repair", "agent", "more"]


@dataclass(frozen=True, slots=True)
class TreeBranch:
    """One line of a tree, and what hangs below it."""

    text: str
    style: Style = ""
    below: tuple[TreeBranch, ...] = ()


class Renderer(Protocol):
    """Puts finished lines on the screen, below what is there."""

    def draw_piece(self, piece: Piece) -> None:
        """Draw a part of the reply."""
        ...

    def draw_line(self, text: str, style: Style = "", *, prose: bool = False) -> None:
        """Draw one line; prose is broken between words."""
        ...

    def format_mark(self, mark: Mark) -> str:
        """Give the sign for this, with the space after it."""
        ...

    def show_status(
        self, word: Callable[[], str] | None, *, newest: Callable[[], str] = str, at_once: bool = False
    ) -> None:
        """Show what `word` gives, again and again, below everything that is drawn; None takes it away.

        `newest`: stands behind it, as much of its end as there is room for; `at_once`: before this returns.
        """
        ...

    def draw_tree(self, title: str, branches: Sequence[TreeBranch]) -> None:
        """Draw lines that hang on others."""
        ...

    def show_below_status(self, branches: Sequence[TreeBranch]) -> None:
        """Show these below the status line, as long as there is one, until others are to be shown."""
        ...

    def draw_question(self, text: str) -> None:
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
class PlainRenderer:
    """Writes lines to a stream, as they are."""

    stream: TextIO

    def draw_piece(self, piece: Piece) -> None:
        if isinstance(piece, CodeLine):
            self.draw_line(piece.text)
        elif isinstance(piece, FenceOpened):
            self.draw_line(piece.raw.strip())
        else:
            self.draw_line(getattr(piece, "raw", None) or getattr(piece, "text", "") + "\n")

    def draw_line(self, text: str, style: Style = "", *, prose: bool = False) -> None:
        self._write_text(text + "\n")

    def format_mark(self, mark: Mark) -> str:
        return WORDS[mark]

    def show_status(
        self, word: Callable[[], str] | None, *, newest: Callable[[], str] = str, at_once: bool = False
    ) -> None:
        pass

    def draw_tree(self, title: str, branches: Sequence[TreeBranch]) -> None:
        for line in (title, *indent_branches(branches)):
            self.draw_line(line)

    def show_below_status(self, branches: Sequence[TreeBranch]) -> None:
        pass

    def draw_question(self, text: str) -> None:
        self._write_text(text)

    def _write_text(self, text: str) -> None:
        self.stream.write(make_encodable(text, self.stream.encoding or "utf-8"))
        self.stream.flush()


def indent_branches(hanging: Iterable[TreeBranch], level: int = 1) -> Iterator[str]:
    """Give a tree as plain lines, two blanks a level."""
    for branch in hanging:
        yield f"{'  ' * level}{branch.text}"
        yield from indent_branches(branch.below, level + 1)
