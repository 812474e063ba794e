"""The terminal: a turn as it happens, drawn once and never redrawn, with one status line below it.

Everything goes to stderr but the answer. Where both streams are terminals, the reply on the screen is it.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TextIO, cast

from rich.cells import cell_len

from tripletick.events import Ask, Event
from tripletick.messages import Answer
from tripletick.ui import clipboard, questions
from tripletick.ui.output_store import OutputStore
from tripletick.ui.palette import AUTO, Palette, find_palette
from tripletick.ui.plan_display import PlanDisplay
from tripletick.ui.renderer import PlainRenderer, Renderer
from tripletick.ui.sanitize import escape_controls
from tripletick.ui.status_line import SLOW, StatusLine
from tripletick.ui.turn_display import TurnDisplay

SHOWN, FOLDED = "The model's reasoning is shown.", "The model's reasoning is folded."
NARROW = 16
"""Cells of a column that is broken between words; in fewer the terminal breaks it."""


if TYPE_CHECKING:
    from tripletick.ui.rich_renderer import RichRenderer
    from tripletick.ui.typeahead import TypeAhead


class Terminal:
    """Shows events and asks questions."""

    def __init__(self, teller: TurnDisplay, keys: TextIO | None = None) -> None:
        self.teller, self.keys = teller, keys
        self.planned = PlanDisplay(teller)

    @property
    def has_status_line(self) -> bool:
        """Tell whether a status line can be drawn."""
        return self._rich_renderer is not None

    @property
    def _rich_renderer(self) -> RichRenderer | None:
        """Give the pen of a terminal; None for one of plain lines, which needs nothing of rich."""
        return None if isinstance(self.teller.pen, PlainRenderer) else cast("RichRenderer", self.teller.pen)

    def show_event(self, event: Event) -> None:
        """Draw one event."""
        self.planned.show_event(event)

    def ask_question(self, question: Ask) -> Answer:
        """Ask the user, who is known to be there."""
        self.teller.close()
        shown = not self.teller.quiet
        if self.keys:
            return questions.ask_question(question, self.teller.pen, self.keys, shown=shown)
        with _open_keyboard() as keys:
            return questions.ask_question(question, self.teller.pen, keys, shown=shown)

    def print_text(self, text: str) -> None:
        """Draw lines that are no event: a list, an answer to a command of the chat."""
        self.teller.close()
        self.teller.pen.draw_line(escape_controls(text), prose=True)

    def print_table(self, rows: Iterable[tuple[str, str]]) -> None:
        """Draw rows of two columns; what is too long for the second goes on below it."""
        made = [(escape_controls(left), escape_controls(right)) for left, right in rows]
        width = max((cell_len(left) for left, _ in made), default=0)
        lines = []
        for left, right in made:
            first, *more = self._wrap_text(right, width + 2)
            lines.append(f"{left}{' ' * (width - cell_len(left))}  {first}".rstrip())
            lines += [f"{' ' * width}  {line}" for line in more]
        self.print_text("\n".join(lines))

    def _wrap_text(self, text: str, indent: int) -> list[str]:
        room = self._rich_renderer.console.width - indent if self._rich_renderer else 0
        return self._rich_renderer.wrap_text(text, room) if self._rich_renderer and room >= NARROW else [text]

    def start_chat(self) -> TypeAhead:
        """Number long outputs from now on; give what keeps the keys pressed while the model works."""
        from prompt_toolkit.utils import is_dumb_terminal

        from tripletick.ui.typeahead import TypeAhead

        known = not is_dumb_terminal()
        ahead = TypeAhead(sys.stdin, sys.stderr if known else None, self.toggle_thinking)
        self.teller.shelf, self.teller.typed = OutputStore(), ahead.format_typed
        return ahead

    def toggle_thinking(self) -> str:
        """Show the model's reasoning from now on, or fold it again; gives the words for it.

        While a reply is written, what was folded of its reasoning is drawn with its next piece.
        """
        teller = self.teller
        teller.thinking = not teller.thinking
        teller.wanted = teller.thinking and teller.folded and not teller.thoughts
        return SHOWN if self.teller.thinking else FOLDED

    def show_reasoning(self) -> bool:
        """Draw the last reasoning in full; False where there is none."""
        self.teller.close()
        self.teller.show_reasoning()
        return bool(self.teller.reasoning)

    def list_outputs(self) -> list[int]:
        """Give the numbers of the long outputs that are kept."""
        return list(self.teller.shelf.outputs) if self.teller.shelf else []

    def show_output(self, number: int) -> bool:
        """Draw a long output in full; False where none of that number is kept."""
        text = self.teller.shelf.outputs.get(number) if self.teller.shelf else None
        if text is not None:
            self.teller.close()
            self.teller.pen.draw_line(text)
        return text is not None

    def copy_to_clipboard(self, text: str) -> bool:
        """Send a text to the terminal for its clipboard; False where it is not known to take it."""
        code = clipboard.make_osc52(text, os.environ)
        if code and sys.stderr.isatty():
            self.teller.close()
            sys.stderr.write(code)
            sys.stderr.flush()
            return True
        return False

    def show_diff(self, lines: Iterable[tuple[str, str]]) -> None:
        """Draw the lines of a diff, each with its tone."""
        self.teller.close()
        questions.draw_diff(list(lines), self.teller.pen)

    def show_status(self, word: Callable[[], str] | None) -> None:
        """Show what `word` gives below everything, until None takes it away."""
        self.teller.pen.show_status(word)

    def close(self) -> None:
        """Leave the screen as a shell expects it."""
        self.teller.close()
        if self._rich_renderer:
            self._rich_renderer.close()


def make_page_renderer(theme: str = AUTO) -> Renderer:
    """Give a pen for what is the command's result and goes to the terminal on standard output."""
    if os.environ.get("TERM") == "dumb":
        return PlainRenderer(sys.stdout)
    return _make_rich_renderer(find_palette(theme, os.environ), stderr=False)


def _make_rich_renderer(palette: Palette, *, stderr: bool) -> RichRenderer:
    from rich.console import Console

    from tripletick.ui.rich_renderer import RichRenderer

    return RichRenderer(Console(stderr=stderr, highlight=False), palette)


@contextlib.contextmanager
def _open_keyboard() -> Iterator[TextIO]:
    # a key may send what is not UTF-8, which standard input does not take in most locales
    file = sys.stdin.fileno() if sys.stdin.isatty() else "/dev/tty"
    with open(file, encoding="utf-8", errors="replace", closefd=file == "/dev/tty") as keys:
        yield keys


def open_terminal(
    *,
    thinking: bool = False,
    quiet: bool = False,
    plain: bool = False,
    slow: float = SLOW,
    theme: str = AUTO,
) -> Terminal:
    """Choose the pen for the streams of this process; `slow` seconds without a token are explained."""
    both = sys.stdout.isatty() and sys.stderr.isatty()
    plain = plain or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb"
    palette = find_palette(theme, os.environ)
    pen: Renderer = PlainRenderer(sys.stderr) if plain else _make_rich_renderer(palette, stderr=True)
    answer = sys.stdout if quiet or not both else None
    hold, gauge = not sys.stderr.isatty(), StatusLine(slow=slow)
    return Terminal(TurnDisplay(pen, answer, thinking=thinking, quiet=quiet, hold=hold, gauge=gauge))
