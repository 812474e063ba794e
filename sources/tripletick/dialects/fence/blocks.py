"""A block from its opening fence to its end, and the fence lines of documents that lie between.

Covered: the values that nesting.py works with. Not covered: the rules by which it works.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal as OneOf
from typing import NamedTuple

from tripletick.dialects.fence.info_string import DOCUMENTS, InfoString
from tripletick.dialects.fence.lines import FenceMark, FenceShape, ReplyLines
from tripletick.dialects.fence.literals import LITERALS, LiteralTracker
from tripletick.languages import registry

DEEPER = 3
"""Columns that a closing fence may be indented more than its opener."""
GLUED = 3
"""Characters by which a run is longer that closes one block and opens the next."""
How = OneOf["closed", "broken", "doubled", "open", "lost"]


class BlockEnd(NamedTuple):
    """How a block ended.

    `closed`: the content ends before offset `stop`, reading goes on at offset `resume` of line `line`.
    `broken`: another block begins on `line` before this one was closed. `doubled`: the same, and nothing
    stood between. `open`: no end was found. `lost`: no end can be told, and so nothing below can be either.
    """

    how: How
    line: int
    stop: int = 0
    resume: int = -1
    """-1: at the next line."""
    code: str = ""
    what: str = ""


class FencedBlock(NamedTuple):
    """An opening fence and what it says."""

    mark: FenceMark
    info: InfoString

    @property
    def is_document(self) -> bool:
        """True where Markdown may be inside: small models save a README under the tag of a program, too."""
        if self.info.tag in DOCUMENTS or not self.info.path:
            return self.info.tag in DOCUMENTS
        suffix = registry.detect_language(self.info.path)
        return suffix is not None and suffix.tag in DOCUMENTS

    def make_literal_tracker(self) -> LiteralTracker | None:
        """Give what follows the literals of its program, None for other tags and for parts of files."""
        saved = self.info.tag in ("write", "append") and self.info.path
        language = registry.detect_language(self.info.path or "") if saved else None
        kind = LITERALS.get(language.tag if language else self.info.tag)
        return kind() if kind else None

    def is_closed_by(self, shape: FenceShape) -> bool:
        """True for a fence line that can end this block: its character, length and indentation."""
        own = self.mark.shape
        like = shape.char == own.char and shape.run >= own.run
        return like and not shape.listed and shape.width <= own.width + DEEPER


class InnerFence(NamedTuple):
    """A fence line inside a document."""

    line: int
    ends: bool
    """It ends the innermost block, or begins one."""
    bare: bool
    """Nothing is glued to it."""
    next: bool
    """The end of the document, glued to the beginning of the next block."""
    left: int
    """How many bare ones from it on have no opener."""


def find_inner_fences(page: ReplyLines, char: str, width: int) -> list[InnerFence]:
    """Give the fence lines that count in documents of three, in their order."""
    shapes = page.shapes
    lines = [line for line in page.marked if _is_inner_fence(shapes[line], char, width)]
    kept, glued = _drop_longer_pairs(lines, shapes)
    opened = page.find_trailing_fences() if char == "`" else []
    found: list[InnerFence] = []
    left = 0
    for line in sorted((*kept, *opened), reverse=True) if opened else reversed(kept):
        shape = shapes.get(line)
        ends, next_ = shape is not None and shape.ends, line in glued
        left = (left + 1 if ends else max(0, left - 1)) + next_
        found.append(InnerFence(line, ends, ends and shape is not None and shape.bare, next_, left))
    found.reverse()
    return found


def _is_inner_fence(shape: FenceShape, char: str, width: int) -> bool:
    inside = shape.char == char and shape.width <= width
    return inside and shape.opens and not (shape.listed and shape.bare)


def _drop_longer_pairs(lines: list[int], shapes: Mapping[int, FenceShape]) -> tuple[list[int], set[int]]:
    """Leave out inner fences longer than three with all between them: they close on their own length. A
    tagged one of twice three that nothing closes is an end and a beginning."""
    if all(shapes[line].run <= 3 for line in lines):
        return lines, set()
    closer: dict[int, int] = {}
    partner: list[int | None] = [None] * len(lines)
    for at in range(len(lines) - 1, -1, -1):
        shape = shapes[lines[at]]
        if shape.run > 3:
            partner[at] = closer.get(shape.run)
            if shape.bare:
                closer[shape.run] = at
    kept, glued, at = [], set(), 0
    while at < len(lines):
        if (other := partner[at]) is not None:
            at = other + 1
        else:
            kept.append(lines[at])
            shape = shapes[lines[at]]
            if not shape.ends and shape.run == 3 + GLUED:
                glued.add(lines[at])
            at += 1
    return kept, glued
