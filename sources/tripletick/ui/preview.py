"""A reply cut into pieces that can be drawn for good, while it streams.

Prose comes as whole Markdown blocks, code line by line, both safe to draw. It is a preview: what a fence line
means is decided by the dialect's reader when the reply has ended; here it is guessed well enough to be seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tripletick.ui.sanitize import escape_controls

_FENCE = re.compile(r"^(?P<indent>[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)*)(?P<run>`{3,}|~{3,})(?P<info>.*)$")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s")
_DOCUMENTS = frozenset({"markdown", "md", "text", "txt", "rst", "write"})
"""Tags in whose blocks a tagged fence opens an inner one."""


@dataclass(frozen=True, slots=True)
class Prose:
    """One finished Markdown block."""

    text: str


@dataclass(frozen=True, slots=True)
class FenceOpened:
    """A fence began: its tag, and what stands after it (a path)."""

    tag: str
    path: str
    raw: str


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One line inside the fence."""

    text: str
    tag: str


@dataclass(frozen=True, slots=True)
class FenceClosed:
    """The fence's end; `raw` is empty where the reply ended before it."""

    raw: str


Piece = Prose | FenceOpened | CodeLine | FenceClosed


@dataclass(slots=True)
class OpenFence:
    """The fence that is open."""

    run: str
    indent: int
    tag: str
    depth: int = 0

    def is_closed_by(self, line: str) -> bool:
        match = _FENCE.match(line)
        if match is None or match["run"][0] != self.run[0] or len(match["run"]) < len(self.run):
            return False
        bare = not match["info"].strip()
        if not bare:
            self.depth += self.tag in _DOCUMENTS and len(match["run"]) == len(self.run)
            return False
        self.depth -= 1
        return self.depth < 0


@dataclass(slots=True)
class ReplyPreview:
    """Takes the reply as it comes, gives pieces; where the chunks are cut does not matter."""

    line: str = ""
    """What has come of the line that is being written."""
    block: list[str] = field(default_factory=list)
    fence: OpenFence | None = None
    clean: Callable[[str], str] = escape_controls
    """What makes a line safe to draw; what is not drawn needs none."""

    def feed(self, text: str) -> Iterator[Piece]:
        *lines, self.line = (self.line + text).split("\n")
        for line in lines:
            yield from self._read_line(self.clean(line.rstrip("\r")))

    def close(self) -> Iterator[Piece]:
        """The reply has ended: give what is left, and be ready for the next one."""
        if self.line:
            yield from self._read_line(self.clean(self.line.rstrip("\r")))
        yield from self._flush_prose()
        if self.fence:
            yield FenceClosed("")
        self.line, self.fence = "", None

    def _read_line(self, line: str) -> Iterator[Piece]:
        if self.fence:
            yield from self._read_code_line(self.fence, line)
        elif (match := _FENCE.match(line)) and not ("`" in match["run"] and "`" in match["info"]):
            yield from self._flush_prose()
            yield self._open_fence(match, line)
        else:
            yield from self._read_prose_line(line)

    def _open_fence(self, match: re.Match[str], line: str) -> FenceOpened:
        tag, _, path = re.sub(r"[:\s]+", " ", match["info"].strip(), count=1).partition(" ")
        self.fence = OpenFence(match["run"], len(match["indent"]), tag.lower())
        return FenceOpened(tag, path.strip(), line)

    def _read_code_line(self, fence: OpenFence, line: str) -> Iterator[Piece]:
        if fence.is_closed_by(line):
            self.fence = None
            yield FenceClosed(line)
        else:
            blanks = len(line) - len(line.lstrip(" \t"))
            yield CodeLine(line[min(fence.indent, blanks) :], fence.tag)

    def _read_prose_line(self, line: str) -> Iterator[Piece]:
        if _HEADING.match(line):
            yield from self._flush_prose()
            yield Prose(line)
        elif line.strip():
            if self._has_gap() and not (line[0] in " \t" or _ITEM.match(line)):
                yield from self._flush_prose()
            self.block.append(line)
        elif self.block and _ITEM.match(self.block[0]):
            self.block.append("")  # the list may go on after a blank line
        else:
            yield from self._flush_prose()

    def _has_gap(self) -> bool:
        return bool(self.block) and not self.block[-1]

    def _flush_prose(self) -> Iterator[Piece]:
        text = "\n".join(self.block).rstrip()
        self.block.clear()
        if text:
            yield Prose(text)
