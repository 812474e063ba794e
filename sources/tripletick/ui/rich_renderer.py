"""The pen for a terminal: colours, Markdown, and one status line below everything that is drawn.

The only module that knows rich. What is drawn is decided in teller.py.
"""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.console import COLOR_SYSTEMS, Console, RenderableType
from rich.segment import Segment
from rich.style import Style as RichStyle
from rich.text import Text
from rich.theme import Theme
from rich.tree import Tree

from tripletick.ui.palette import PALETTES, Palette
from tripletick.ui.preview import CodeLine, FenceOpened, Piece, Prose
from tripletick.ui.renderer import WORDS, Mark, Style, TreeBranch
from tripletick.ui.sanitize import escape_controls, make_encodable

if TYPE_CHECKING:
    from markdown_it.token import Token

SIGNS: dict[Mark, str] = {
    "ok": "✓ ",
    "failed": "✗ ",
    "skipped": "- ",
    "runs": "▸ ",
    "repair": "↻ ",
    "agent": "→ ",
    "more": "… ",
}
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
ASCII_SPINNER = "|/-\\"
PULSE = 0.1
"""Seconds between two pictures of the status line."""
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(?P<text>.*)$")


@dataclass(slots=True)
class RichRenderer:
    """Draws on a terminal: colours, Markdown, and the status line, which a thread keeps moving."""

    console: Console
    palette: Palette = PALETTES["dark"]
    lock: threading.Lock = field(default_factory=threading.Lock)
    below: Callable[[], str] | None = None
    newest: Callable[[], str] = str
    drawn: str | None = None
    """What the status line shows behind its sign, None where it is not on the screen …"""
    under: tuple[TreeBranch, ...] = ()
    """… and what hangs below it there."""
    width: int = 0
    """How wide the terminal was then."""
    last: str = ""
    """What the last line was: of the `reply`, another `line`, nothing yet."""
    hanging: tuple[TreeBranch, ...] = ()
    """What is to hang below the status line."""
    stopped: threading.Event = field(default_factory=threading.Event)
    pulse: threading.Thread | None = None

    def draw_piece(self, piece: Piece) -> None:
        if isinstance(piece, Prose):
            self._print_drawing(self._render_markdown(piece.text), "reply", apart=bool(self.last))
        elif isinstance(piece, FenceOpened):
            title = " ".join(filter(None, (piece.tag, piece.path))) or "text"
            self._print_drawing(Text(f"  {title}", "bold"), "reply", apart=bool(self.last))
        elif isinstance(piece, CodeLine):
            self._print_drawing(self._highlight_code(piece), "reply")

    def draw_line(self, text: str, style: Style = "", *, prose: bool = False) -> None:
        if prose:
            text = "\n".join(hung for line in text.split("\n") for hung in self._wrap_indented(line))
        self._print_drawing(Text(text, self.palette.lines[style]), "line", apart=self.last == "reply")

    def wrap_text(self, text: str, width: int) -> list[str]:
        """Break a text between words into lines of so many cells."""
        return [line.plain.rstrip() for line in Text(text).wrap(self.console, width)] or [""]

    def _wrap_indented(self, line: str) -> Iterator[str]:
        """Break a line between words; what goes on below it stands where its words began."""
        at = len(line) - len(line.lstrip(" -")) if line.startswith(" ") else 0
        first, *rest = self.wrap_text(line[at:], max(at, self.console.width - at))
        yield line[:at] + first
        yield from (" " * at + more for more in rest)

    def format_mark(self, mark: Mark) -> str:
        return SIGNS[mark] if self._is_utf8() else WORDS[mark]

    def show_status(
        self, word: Callable[[], str] | None, *, newest: Callable[[], str] = str, at_once: bool = False
    ) -> None:
        with self.lock:
            self.below, self.newest = word, newest
            if word is None:
                self._write_text(self._clear_status())
                return
            if at_once:
                self._write_text(self._draw_status(self._spinner_frames[0], self._word_status(word())))
            if self.pulse is None:
                self.stopped.clear()
                self.pulse = threading.Thread(target=self._animate_status, daemon=True)
                self.pulse.start()

    def draw_tree(self, title: str, branches: Sequence[TreeBranch]) -> None:
        self._print_drawing(
            _build_tree(branches, Text(title, "bold"), self.palette), "line", apart=self.last == "reply"
        )

    def show_below_status(self, branches: Sequence[TreeBranch]) -> None:
        with self.lock:
            self.hanging = tuple(branches)

    def draw_question(self, text: str) -> None:
        self.show_status(None)
        self._write_text("\n" * (self.last == "reply") + text)
        self.last = "line"

    def close(self) -> None:
        """Take the status line away and end its thread."""
        self.show_status(None)
        self.stopped.set()
        if pulse := self.pulse:
            pulse.join()
            self.pulse = None

    def _animate_status(self) -> None:
        for sign in itertools.cycle(self._spinner_frames):
            if self.stopped.wait(PULSE):
                return
            with self.lock:
                if self.below is None:
                    self.pulse = None
                    return
                self._write_text(self._draw_status(sign, self._word_status(self.below())))

    def _word_status(self, text: str) -> str:
        """Put as much of the end of what is newest behind a text as fits beside the sign."""
        text, newest = text.expandtabs(1), self.newest().expandtabs(1)
        room = self.console.width - 1 - cell_len(f"- {text}  ")
        while newest and cell_len(newest) > room:
            newest = newest[1:]
        return "  ".join(filter(None, (text, newest.strip())))

    def _draw_status(self, sign: str, text: str) -> str:
        """Draw the sign, and behind it what has changed since; the cursor waits at the line's beginning.

        There it stays when the window is made narrower, and all that the line then takes can be wiped out.
        """
        width = max(1, self.console.width - 1)
        if (self.drawn, self.under, self.width) == (text, self.hanging, width):
            return f"\r\x1b[2m{sign}\x1b[0m\r"
        same = self.drawn is not None and (self.under, self.width) == (self.hanging, width)
        self.drawn, self.under, self.width = text, self.hanging, width
        whole = f"{sign} {text}"
        fits = set_cell_size(whole, width) if cell_len(whole) > width else whole
        if same and self.hanging:
            return f"\r\x1b[2m{fits}\x1b[0m\x1b[K\r"
        lines = [f"\n{line}" for line in self._render_branches()]
        back = f"\x1b[{len(lines)}A" if lines else ""
        return f"\r\x1b[2m{fits}\x1b[0m\x1b[J{''.join(lines)}\r{back}"

    def _render_branches(self) -> list[str]:
        """Render what hangs below the status line, a line a branch, on at most half of the screen."""
        if not self.hanging:
            return []
        lines = list(self._render_lines(_build_tree(self.hanging, None, self.palette, crop=True)))
        room = max(1, self.console.height // 2)
        more = [f"{self.format_mark('more')}{len(lines) - room + 1} more"] if len(lines) > room else []
        return lines[: room - len(more)] + more

    def _clear_status(self) -> str:
        drawn, self.drawn = self.drawn, None
        return "" if drawn is None else "\r\x1b[J"

    def _print_drawing(self, drawing: RenderableType, kind: str, *, apart: bool = False) -> None:
        lines = [*[""] * apart, *self._render_lines(drawing)]
        with self.lock:
            self.last = kind
            self._write_text(self._clear_status() + "".join(line + "\n" for line in lines))

    def _render_lines(self, drawing: RenderableType) -> Iterator[str]:
        """Render to lines, none padded, no empty ones around; the terminal wraps what is no prose."""
        options = self.console.options
        if isinstance(drawing, Text):
            options = options.update(no_wrap=True, overflow="ignore")
        with self.console.use_theme(Theme(self.palette.markdown)):
            rendered = list(self.console.render(drawing, options))
        lines = [_trim_line(line) for line in Segment.split_lines(rendered)]
        for line in lines if isinstance(drawing, Text) else _strip_blank_lines(lines):
            # Markdown makes characters of entities: &#x202e; steers as what it stands for does
            yield "".join(self._apply_style(escape_controls(text), style) for text, style in line)

    def _apply_style(self, text: str, style: RichStyle | None) -> str:
        colours = COLOR_SYSTEMS.get(self.console.color_system or "")
        if style and self.console.no_color:
            style = style.without_color
        return style.render(text, color_system=colours) if style else text

    def _render_markdown(self, text: str) -> RenderableType:
        from rich.markdown import Markdown

        if heading := _HEADING.match(text):
            words = _strip_closing_hashes(heading["text"])
            text = f"**{words}**" if words else ""
        drawing = Markdown("", code_theme=self.palette.code, hyperlinks=False)
        drawing.parsed = _parse_markdown(text)
        return drawing

    def _highlight_code(self, code: CodeLine) -> Text:
        from rich.syntax import Syntax

        syntax = Syntax("", code.tag or "text", theme=self.palette.code, background_color="default")
        line = syntax.highlight(code.text)
        # a lexer fills tabs up with blanks, and ends the line
        line.remove_suffix("\n")
        return Text("    ").append_text(line) if code.text else Text("")

    @property
    def _spinner_frames(self) -> str:
        return SPINNER if self._is_utf8() else ASCII_SPINNER

    def _is_utf8(self) -> bool:
        return self.console.encoding.lower().startswith("utf")

    def _write_text(self, text: str) -> None:
        if text:
            self.console.file.write(make_encodable(text, self.console.encoding))
            self.console.file.flush()


def _build_tree(
    branches: Sequence[TreeBranch], title: Text | None, palette: Palette, *, crop: bool = False
) -> RenderableType:
    """Build rich's tree; `crop`: no branch takes more than a line."""
    tree = Tree(title or "", hide_root=title is None, guide_style="dim")

    def add(to: Tree, more: Sequence[TreeBranch]) -> None:
        for one in more:
            style = palette.lines[one.style]
            text = Text(one.text, style, no_wrap=crop, overflow="crop" if crop else "fold")
            add(to.add(text), one.below)

    add(tree, branches)
    return tree


Line = list[tuple[str, RichStyle | None]]


def _strip_blank_lines(lines: list[Line]) -> list[Line]:
    full = [number for number, line in enumerate(lines) if line]
    return lines[full[0] : full[-1] + 1] if full else []


def _trim_line(line: list[Segment]) -> Line:
    parts = [(segment.text, segment.style) for segment in line if not segment.control]
    while parts and not parts[-1][0].rstrip(" "):
        parts.pop()
    if parts:
        parts[-1] = (parts[-1][0].rstrip(" "), parts[-1][1])
    return parts


def _strip_closing_hashes(text: str) -> str:
    """Take off the signs that close a heading; those of a word such as C# are its own."""
    text = text.rstrip()
    bare = text.rstrip("#")
    return bare.rstrip() if bare != bare.rstrip() or not bare else text


def _parse_markdown(text: str) -> list[Token]:
    """Read Markdown so that nothing of it is lost: tags, the ends of lines, and definitions of links, whose
    uses may stand in another block.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    tokens = parser.disable(["autolink", "reference"]).parse(text)
    for child in (child for token in tokens for child in token.children or ()):
        if child.type == "softbreak":
            child.type = "hardbreak"
    return tokens
