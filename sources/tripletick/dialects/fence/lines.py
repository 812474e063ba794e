"""A reply as lines with offsets, and the fence lines among them.

Covered: what ends a line, what is blank, what a run of backticks or tildes at a line's beginning is. Not
covered: what the words after it mean (info.py), which of them belong together (nesting.py).
"""

# ruff: noqa: RUF001 - full-width signs are what Chinese models write

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate, count
from operator import add
from typing import NamedTuple

from tripletick.dialects.reasoning_tags import BLANKS, CLOSING, FENCE_HEAD, FENCE_RUN, OPENING, ClosingTags
from tripletick.system.lazy_regex import lazy_regex

_BREAK = lazy_regex(r"\r\n|\n|\r")
_PLAIN = lazy_regex(rf"([{BLANKS}]*+)({FENCE_RUN})(.*)", re.DOTALL)
_LISTED = lazy_regex(rf"({FENCE_HEAD})({FENCE_RUN})(.*)", re.DOTALL)
_COMMONMARK = lazy_regex(r" {0,3}(`{3,}+(?!.*`)|~{3,})(.*)")
CONTROL = lazy_regex(
    r"<\||<｜|◁|\[/?(?:THINK|INST|TOOL)|</?(?:end_code|s|eos|end_of_turn|"
    rf"start_of_turn|answer|code|tool_call|function_call)\b|{OPENING.pattern}|{CLOSING.pattern}",
)
_BEHIND = lazy_regex(rf"[^`>]*[^`>{BLANKS}][^`>]*```[a-z][\w+#-]*[{BLANKS}]*$")
TAB = 4
_KNOWN, _SHORT = 1024, 200
"""Lines whose shape is remembered, and how long they may be: a reply has a few fence lines many times."""


class FenceShape(NamedTuple):
    """A run of three or more fence characters that begins a line, as far as the line alone tells it."""

    char: str
    run: int
    prefix: str
    """What stands before it: blanks, list markers, `>`."""
    width: int
    """The columns of that."""
    info: str
    """What follows, stripped."""
    bare: bool
    ends: bool
    """Bare, or nothing follows but a token that ends the turn."""
    opens: bool
    """A backtick in the words after backticks makes it a code span."""
    listed: bool
    quoted: bool
    behind: int
    """Where the run ends in its line."""


class FenceMark(NamedTuple):
    """The same at its place in a reply."""

    line: int
    after: int
    """The offset in the reply where the run ends."""
    shape: FenceShape


def count_columns(prefix: str) -> int:
    """Count the columns of blanks and markers; a tab goes on to the next multiple of four."""
    width = 0
    for char in prefix:
        width += TAB - width % TAB if char == "\t" else 1
    return width


def parse_mark(line: int, text: str, offset: int, *, markers: bool) -> FenceMark | None:
    """Read one line as a fence line; with `markers` list markers and `>` may stand before it."""
    shape = parse_shape(text, markers=markers)
    return FenceMark(line, offset + shape.behind, shape) if shape else None


def parse_shape(text: str, *, markers: bool) -> FenceShape | None:
    """Read one line as a fence line, wherever it stands. A reply has a few lines many times."""
    if "```" not in text and "~~~" not in text:
        return None
    known = markers and len(text) < _SHORT
    return _known_shape(text) if known else _parse_uncached(text, markers=markers)


def _parse_uncached(text: str, *, markers: bool = True) -> FenceShape | None:
    found = (_LISTED if markers else _PLAIN).match(text)
    if found is None:
        return None
    prefix, run, info = found[1], found[2], found[3].strip(BLANKS)
    width, behind = count_columns(prefix) if prefix else 0, found.end(2)
    opens = run[0] != "`" or "`" not in info
    ends = not info or CONTROL.match(info) is not None
    listed, quoted = prefix.strip(BLANKS + ">") != "", ">" in prefix
    return FenceShape(run[0], len(run), prefix, width, info, not info, ends, opens, listed, quoted, behind)


_known_shape = lru_cache(_KNOWN)(_parse_uncached)


def track_open_fence(fence: str, line: str) -> str:
    """Give the run of the fence that is open below this line as Markdown is drawn (CommonMark 4.5), "" where
    none is; `fence` is open above it.
    """
    found = _COMMONMARK.match(line)
    if found and not fence:
        return found[1]
    return "" if found and found[1].startswith(fence) and not found[2].strip() else fence


class ReplyLines:
    """A reply in lines. The beginning of a line may be taken off: then the rest of it is read as a line.

    `cut`: the answer reached its length limit; its last line closes nothing. `prefix`: more may follow, which
    is the same and doubts more.
    """

    def __init__(self, text: str, *, cut: bool = False, prefix: bool = False) -> None:
        self.text, self.cut, self.prefix = text, cut or prefix, prefix
        self.lines, self.starts, self.ends = _split_lines(text)
        self.shapes: dict[int, FenceShape] = {}
        """Fence lines by their number."""
        self.marked: list[int] = []
        """Those that count inside a block, and listed ones, in their order."""
        self._behind: list[int] | None = None
        self._taken: dict[int, FenceMark | None] = {}
        """Lines whose beginning was taken off."""
        self.closings = ClosingTags()
        self.openings: list[int] = []
        """Lines that hold an opening tag of reasoning."""
        if "```" in text or "~~~" in text:
            self._find_marks()
        if CLOSING.search(text):
            self._find_tags()

    def _find_marks(self) -> None:
        for number, text in enumerate(self.lines):
            if shape := parse_shape(text, markers=True):
                self.shapes[number] = shape
                if not shape.quoted:
                    self.marked.append(number)

    def _find_tags(self) -> None:
        """Find the tags around reasoning; an opening one alone closes nothing."""
        self.openings = self._find_lines_with(OPENING)
        for number in sorted({*self.openings, *self._find_lines_with(CLOSING)}):
            self.closings.add_line(self.lines[number], self.starts[number])

    def _find_lines_with(self, pattern: re.Pattern[str]) -> list[int]:
        return list(dict.fromkeys(self.find_line(found.start()) for found in pattern.finditer(self.text)))

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, line: int) -> str:
        return self.lines[line]

    @property
    def unfinished_line(self) -> int:
        """The line that closes nothing, -1 where the answer was not cut."""
        return len(self) - 1 if self.cut else -1

    def find_line(self, offset: int) -> int:
        """Give the line that holds this offset."""
        return bisect_right(self.starts, offset) - 1

    def find_trailing_fences(self) -> list[int]:
        """Give the lines that end in a fence with one word behind it: `- Example: ```python`."""
        if self._behind is None:
            held = (at for at, text in enumerate(self.lines) if "```" in text and at not in self.shapes)
            self._behind = [at for at in held if _BEHIND.match(self.lines[at])]
        return self._behind

    def find_mark_index(self, line: int) -> int:
        """Give the position of the first fence line below `line`."""
        return bisect_right(self.marked, line)

    def get_mark(self, line: int) -> FenceMark:
        """Give a fence line as it counts inside a block."""
        shape = self.shapes[line]
        return FenceMark(line, self.starts[line] + shape.behind, shape)

    def get_head_mark(self, line: int) -> FenceMark | None:
        """Give a line's fence as it counts outside a block, None where it has none."""
        if line in self._taken:
            return self._taken[line]
        shape = self.shapes.get(line)
        return FenceMark(line, self.starts[line] + shape.behind, shape) if shape else None

    def trim_line(self, line: int, offset: int) -> None:
        """Take what stands before `offset` off this line."""
        self.starts[line] = offset
        self.lines[line] = self.text[offset : self.ends[line]]
        self._taken[line] = parse_mark(line, self.lines[line], offset, markers=True)


def _split_lines(text: str) -> tuple[list[str], list[int], list[int]]:
    """Give the lines, and the offsets where each begins and ends."""
    if "\r" in text:
        breaks = [found.span() for found in _BREAK.finditer(text)]
        starts, ends = [0, *(stop for _, stop in breaks)], [*(start for start, _ in breaks), len(text)]
        return [text[start:end] for start, end in zip(starts, ends, strict=True)], starts, ends
    lines = text.split("\n")
    ends = list(map(add, accumulate(map(len, lines)), count()))
    return lines, [0, *(end + 1 for end in ends[:-1])], ends


def dedent_line(text: str, prefix: str, width: int) -> str:
    """Remove the opener's indentation: its exact prefix, else blanks up to its width."""
    if not prefix:
        return text
    if text.startswith(prefix):
        return text[len(prefix) :]
    at = used = 0
    while at < len(text) and text[at] in BLANKS and used < width:
        used += TAB - used % TAB if text[at] == "\t" else 1
        if used > width:
            break
        at += 1
    return text[at:]
