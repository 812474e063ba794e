"""A block from its opening fence to its end, and the fence lines of documents that lie between.

Covered: the values that nesting.py works with. Not covered: the rules by which it works.
"""

# ruff: noqa: RUF001 - full-width signs are what Chinese models write

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal as OneOf

from tripletick import languages
from tripletick.dialects.fence.info import DOCUMENTS, Info
from tripletick.dialects.fence.lines import Mark, Page
from tripletick.dialects.fence.literals import LITERALS, Literal

DEEPER = 3
"""Columns that a closing fence may be indented more than its opener."""
How = OneOf["closed", "broken", "doubled", "open", "lost"]
CONTROL = re.compile(
    r"<\||<｜|◁|\[/?(?:THINK|INST|TOOL)|</?(?:think|thinking|thought|reasoning|end_code|s|eos|end_of_turn|"
    r"start_of_turn|answer|code|tool_call|function_call)\b"
)


@dataclass(frozen=True, slots=True)
class End:
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


@dataclass(frozen=True, slots=True)
class Block:
    """An opening fence and what it says."""

    mark: Mark
    info: Info

    @property
    def document(self) -> bool:
        """True where Markdown may be inside."""
        if self.info.tag in DOCUMENTS:
            return True
        language = languages.LANGUAGES.get(self.info.tag)
        suffix = languages.language_of(self.info.path or "")
        return not (language and language.runs) and bool(suffix and suffix.tag in DOCUMENTS)

    def literal(self) -> Literal | None:
        """Give what follows the literals of its program, None for other tags and for parts of files."""
        saved = self.info.tag in ("write", "append") and self.info.path
        language = languages.language_of(self.info.path or "") if saved else None
        kind = LITERALS.get(language.tag if language else self.info.tag)
        return kind() if kind else None

    def closes(self, mark: Mark) -> bool:
        """True for a fence line that can end this block: its character, length and indentation."""
        return (
            mark.char == self.mark.char
            and mark.run >= self.mark.run
            and not mark.listed
            and mark.width <= self.mark.width + DEEPER
        )


class Leftovers:
    """The fence lines that count in documents of three, and for each how many bare ones from it on have no
    opener."""

    def __init__(self, page: Page, char: str, width: int) -> None:
        marks = [
            m
            for m in page.marks
            if m.char == char and m.width <= width and m.opens and not (m.listed and m.bare)
        ]
        self.marks = _without_longer_pairs(marks)
        self.lines = [mark.line for mark in self.marks]
        self.count = [0] * len(self.marks)
        unmatched = 0
        for at in range(len(self.marks) - 1, -1, -1):
            unmatched = unmatched + 1 if is_bare(self.marks[at]) else max(0, unmatched - 1)
            self.count[at] = unmatched


def is_bare(mark: Mark) -> bool:
    return mark.bare or bool(CONTROL.match(mark.info))


def _without_longer_pairs(marks: list[Mark]) -> list[Mark]:
    """Leave out inner fences longer than three with all between them: they close on their own length."""
    closer: dict[int, int] = {}
    partner: list[int | None] = [None] * len(marks)
    for at in range(len(marks) - 1, -1, -1):
        mark = marks[at]
        if mark.run > 3:
            partner[at] = closer.get(mark.run)
            if mark.bare:
                closer[mark.run] = at
    kept, at = [], 0
    while at < len(marks):
        if (other := partner[at]) is not None:
            at = other + 1
        else:
            kept.append(marks[at])
            at += 1
    return kept
