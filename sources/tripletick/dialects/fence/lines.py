"""A reply as lines with offsets, and the fence lines among them.

Covered: what ends a line, what is blank, what a run of backticks or tildes at a line's beginning is. Not
covered: what the words after it mean (info.py), which of them belong together (nesting.py).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from tripletick.dialects.thinking import BLANKS, CLOSING, OPENING, Closings

_BREAK = re.compile(r"\r\n|\n|\r")
_RUN = re.compile(r"`{3,}|~{3,}")
_MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?=[" + BLANKS + "])")
TAB = 4


@dataclass(frozen=True, slots=True)
class Mark:
    """A run of three or more fence characters that begins a line."""

    line: int
    char: str
    run: int
    prefix: str
    """What stands before it: blanks, list markers, `>`."""
    after: int
    """The offset in the reply where the run ends."""
    info: str
    """What follows, stripped."""
    listed: bool = False
    quoted: bool = False

    @property
    def bare(self) -> bool:
        return not self.info

    @property
    def width(self) -> int:
        return columns(self.prefix)

    @property
    def opens(self) -> bool:
        """A backtick in the words after backticks makes it a code span."""
        return self.char != "`" or "`" not in self.info


def columns(prefix: str) -> int:
    """Count the columns of blanks and markers; a tab goes on to the next multiple of four."""
    width = 0
    for char in prefix:
        width += TAB - width % TAB if char == "\t" else 1
    return width


def mark_of(line: int, text: str, offset: int, *, markers: bool) -> Mark | None:
    """Read one line as a fence line; with `markers` list markers and `>` may stand before it."""
    at, listed, quoted = 0, False, False
    while True:
        while at < len(text) and text[at] in BLANKS:
            at += 1
        if not markers:
            break
        if text[at : at + 1] == ">":
            at, quoted = at + 1, True
        elif marker := _MARKER.match(text, at):
            at, listed = marker.end(), True
        else:
            break
    run = _RUN.match(text, at)
    if run is None:
        return None
    info = text[run.end() :].strip(BLANKS)
    return Mark(line, run[0][0], len(run[0]), text[:at], offset + run.end(), info, listed, quoted)


class Page:
    """A reply in lines. The beginning of a line may be taken off: then the rest of it is read as a line.

    `cut`: the answer reached its length limit; its last line closes nothing. `prefix`: more may follow, which
    is the same and doubts more.
    """

    def __init__(self, text: str, *, cut: bool = False, prefix: bool = False) -> None:
        self.text, self.cut, self.prefix = text, cut or prefix, prefix
        self.starts, self.ends = [0], []
        for found in _BREAK.finditer(text):
            self.ends.append(found.start())
            self.starts.append(found.end())
        self.ends.append(len(text))
        self.marks: list[Mark] = []
        """Fence lines as they count inside a block, and listed ones, in their order."""
        self.by_line: dict[int, Mark] = {}
        self.closings = Closings()
        self.openings: list[int] = []
        """Lines that hold an opening tag of reasoning."""
        self._index()
        self.lines_of_marks = [mark.line for mark in self.marks]

    def _index(self) -> None:
        thinks = CLOSING.search(self.text) is not None
        runs = "```" in self.text or "~~~" in self.text
        for number in range(len(self)):
            text = self[number] if thinks or runs else ""
            if thinks and CLOSING.search(text):
                self.closings.add(text, self.starts[number])
            if thinks and OPENING.search(text):
                self.openings.append(number)
            if runs and ("```" in text or "~~~" in text):
                self._note(number, text)

    def _note(self, number: int, text: str) -> None:
        mark = mark_of(number, text, self.starts[number], markers=True)
        if mark is not None and not mark.quoted:
            self.marks.append(mark)
            if not mark.listed:
                self.by_line[number] = mark

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, line: int) -> str:
        return self.text[self.starts[line] : self.ends[line]]

    @property
    def last(self) -> int:
        """The line that closes nothing, -1 where the answer was not cut."""
        return len(self) - 1 if self.cut else -1

    def line_at(self, offset: int) -> int:
        """Give the line that holds this offset."""
        return bisect_right(self.starts, offset) - 1

    def marks_after(self, line: int) -> int:
        """Give the position of the first fence line below `line`."""
        return bisect_right(self.lines_of_marks, line)

    def take(self, line: int, offset: int) -> None:
        """Take what stands before `offset` off this line."""
        self.starts[line] = offset


def dedent(text: str, prefix: str, width: int) -> str:
    """Remove the opener's indentation: its exact prefix, else blanks up to its width."""
    if prefix and text.startswith(prefix):
        return text[len(prefix) :]
    at = used = 0
    while at < len(text) and text[at] in BLANKS and used < width:
        used += TAB - used % TAB if text[at] == "\t" else 1
        if used > width:
            break
        at += 1
    return text[at:]
