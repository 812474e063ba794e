"""A block from its opening fence to its end, and the fence lines of documents that lie between.

Covered: the values that nesting.py works with. Not covered: the rules by which it works.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal as OneOf
from typing import NamedTuple

from tripletick import languages
from tripletick.dialects.fence.info import DOCUMENTS, Info
from tripletick.dialects.fence.lines import Mark, Page, Shape
from tripletick.dialects.fence.literals import LITERALS, Literal

DEEPER = 3
"""Columns that a closing fence may be indented more than its opener."""
How = OneOf["closed", "broken", "doubled", "open", "lost"]


class End(NamedTuple):
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


class Block(NamedTuple):
    """An opening fence and what it says."""

    mark: Mark
    info: Info

    @property
    def document(self) -> bool:
        """True where Markdown may be inside: small models save a README under the tag of a program, too."""
        if self.info.path and (suffix := languages.language_of(self.info.path)):
            return suffix.tag in DOCUMENTS
        return self.info.tag in DOCUMENTS

    def literal(self) -> Literal | None:
        """Give what follows the literals of its program, None for other tags and for parts of files."""
        saved = self.info.tag in ("write", "append") and self.info.path
        language = languages.language_of(self.info.path or "") if saved else None
        kind = LITERALS.get(language.tag if language else self.info.tag)
        return kind() if kind else None

    def closes(self, shape: Shape) -> bool:
        """True for a fence line that can end this block: its character, length and indentation."""
        own = self.mark.shape
        like = shape.char == own.char and shape.run >= own.run
        return like and not shape.listed and shape.width <= own.width + DEEPER


class Leftovers:
    """The fence lines that count in documents of three, and for each how many bare ones from it on have no
    opener."""

    def __init__(self, page: Page, char: str, width: int) -> None:
        shapes = page.shapes
        lines = [line for line in page.marked if _counts(shapes[line], char, width)]
        self.lines = _without_longer_pairs(lines, shapes)
        self.count = [0] * len(self.lines)
        unmatched = 0
        for at in range(len(self.lines) - 1, -1, -1):
            unmatched = unmatched + 1 if shapes[self.lines[at]].ends else max(0, unmatched - 1)
            self.count[at] = unmatched


def _counts(shape: Shape, char: str, width: int) -> bool:
    inside = shape.char == char and shape.width <= width
    return inside and shape.opens and not (shape.listed and shape.bare)


def _without_longer_pairs(lines: list[int], shapes: Mapping[int, Shape]) -> list[int]:
    """Leave out inner fences longer than three with all between them: they close on their own length."""
    if all(shapes[line].run <= 3 for line in lines):
        return lines
    closer: dict[int, int] = {}
    partner: list[int | None] = [None] * len(lines)
    for at in range(len(lines) - 1, -1, -1):
        shape = shapes[lines[at]]
        if shape.run > 3:
            partner[at] = closer.get(shape.run)
            if shape.bare:
                closer[shape.run] = at
    kept, at = [], 0
    while at < len(lines):
        if (other := partner[at]) is not None:
            at = other + 1
        else:
            kept.append(lines[at])
            at += 1
    return kept
