"""Which blocks of a reply are calls, and what is wrong with the others.

Covered: FENCES, section 3 and what may be told of a block. Not covered: where a block begins and ends.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Protocol

from tripletick import languages
from tripletick.agents import SERVED
from tripletick.dialects.fence.blocks import Block, End
from tripletick.dialects.fence.content import EMPTY_FILES, TranscriptError, body_of, is_placeholder
from tripletick.dialects.fence.info import FOREIGN, TOOLS, comment_path, read_info, word_fits
from tripletick.dialects.fence.invention import call_shape
from tripletick.dialects.fence.lines import Mark, Page
from tripletick.dialects.fence.problems import block_problem, problem
from tripletick.dialects.fence.remarks import Remarks
from tripletick.dialects.fence.terms import Terms
from tripletick.dialects.thinking import BLANKS
from tripletick.messages import Call, Problem

ABOVE = 2
"""Lines before a block of which the last that is not blank may name its file."""
LONGEST = 500
"""Characters of such a line that are looked at."""
_WORD = re.compile(r"[\w./-]+")
_NAMED = 40
"""Characters of an invented result's first line that are told."""


class Takes(Protocol):
    """What a walk through a reply tells of its parts; what is a call is decided here."""

    cut: int | None
    """The offset at which the model began to play the tool or the person."""
    calls: list[Call]
    strict: bool
    """What stands below a fence that never ends is in doubt, also where nobody knows its tag."""

    @property
    def answer(self) -> str | None:
        """The words that are the answer, where they are marked."""
        ...

    def problem(self, code: str, line: int, **fields: str) -> None:
        """Note a problem of the reply, on a line that counts from 0."""
        ...

    def invented(self, line: int, text: str) -> None:
        """End the reply before this line, in which the model plays the tool."""
        ...

    def judge(self, block: Block, end: End, *, owned: bool) -> None:
        """Take a block as a call, or note what keeps it from being one."""
        ...

    def element(self, line: int, text: str) -> int | None:
        """Take a call in tags that stands on this line; gives the offset behind it, None where there is
        none.
        """
        ...

    def prose(self, line: int, words: str, text: str, offset: int) -> None: ...

    def quoted(self, mark: Mark) -> None: ...

    def foreign(self, line: int) -> None: ...

    def problems(self) -> tuple[Problem, ...]: ...


class Taking:
    """What has been taken from a reply since the last reasoning that had no opening tag."""

    def __init__(self, page: Page, terms: Terms) -> None:
        self._page, self._terms = page, terms
        self.remarks = Remarks(terms.tags, terms.owns)
        self.calls: list[Call] = []
        self.cut: int | None = None
        self.answer: str | None = None
        self.strict = False
        self._written: set[tuple[object, ...]] = set()
        self._ended = False
        """A malformed owned block ended the list."""

    def problem(self, code: str, line: int, **fields: str) -> None:
        """Note a problem of the reply, on a line that counts from 0."""
        self.remarks.add(problem(code, line + 1, self._terms.tags, **fields))

    def invented(self, line: int, text: str) -> None:
        """End the reply before this line, in which the model plays the tool."""
        self.cut = self._page.starts[line]
        what = re.split(r"(?<=[:\uff1a\]])", text.strip(BLANKS + "#*_-> "), maxsplit=1)[0]
        self.problem("invented-result", line, what=what[:_NAMED].strip("*_ "))

    def element(self, line: int, text: str) -> int | None:
        return None

    def prose(self, line: int, words: str, text: str, offset: int) -> None:
        self.remarks.line(line, words, text, offset)

    def quoted(self, mark: Mark) -> None:
        self.remarks.quoted(mark, read_info(mark.shape.info, self._terms.owned))

    def foreign(self, line: int) -> None:
        self.remarks.foreign(line)

    def problems(self) -> tuple[Problem, ...]:
        return self.remarks.all(acted=bool(self.calls))

    def judge(self, block: Block, end: End, *, owned: bool) -> None:
        """Take a block as a call, or note what keeps it from being one."""
        if self.cut is not None or end.how == "doubled":
            return
        if end.how == "closed" and owned:
            if not self._ended:
                self._accept(block, end)
        elif end.how == "closed":
            self._unowned(block, end)
        elif owned or (end.how != "broken" and self._swallows(block)):
            if not self._ended:
                form = "cut" if self._terms.cut else "document" if self._holds_fences(block, end) else "text"
                self.remarks.add(block_problem(end.code, block, self._terms.tags, form=form, what=end.what))
            self._ended = True
        elif end.how == "lost":
            self.remarks.unowned(block)

    def _holds_fences(self, block: Block, end: End) -> bool:
        """True for a document with fences in it that has no end."""
        below = self._page.marks_after(block.mark.line)
        return block.document and end.how == "open" and below < len(self._page.marked)

    def _swallows(self, block: Block) -> bool:
        """True where a fence below would be a call if this block had an end."""
        page = self._page
        below = range(page.marks_after(block.mark.line), len(page.marked))
        return any(self._would_be(page.marked[at]) for at in below)

    def _would_be(self, line: int) -> bool:
        """True for a fence line that opens a call where no block is around it."""
        words = self._page.shapes[line].info
        return bool(words) and self._terms.owns(read_info(words, self._terms.owned))

    def _unowned(self, block: Block, end: End) -> None:
        page, info = self._page, block.info
        content = page.text[min(page.ends[block.mark.line], end.stop) : end.stop]
        if info.tag in FOREIGN or call_shape(content):
            self.remarks.foreign(block.mark.line)
            return
        for at in range(page.marks_after(block.mark.line), len(page.marked)):
            if (line := page.marked[at]) >= end.line:
                break
            if self._would_be(line):
                self.remarks.nested(line)
        self.remarks.unowned(block)

    def _accept(self, block: Block, end: End) -> None:
        tags = self._terms.tags
        try:
            body = body_of(self._page, block, end)
        except TranscriptError as wrong:
            self.remarks.add(block_problem("transcript", block, tags, form=wrong.form))
            self._ended = True
            return
        call = self._call(block, body)
        if code := self._refused(call, block):
            self.remarks.add(block_problem(code, block, tags))
        else:
            self.calls.append(call)
            self._written.add(same_as(call))

    def _call(self, block: Block, body: str) -> Call:
        call = _call(block, body)
        return call if call.path or call.tool in TOOLS else replace(call, meant=self._meant(block))

    def _meant(self, block: Block) -> str:
        """Give the one path on the line before a block that its tag fits."""
        above = range(block.mark.line - 1, max(-1, block.mark.line - 1 - ABOVE), -1)
        line = next((line for at in above if (line := self._page.lines[at].strip(BLANKS))), "")
        words = {word.rstrip(".:") for word in _WORD.findall(line[:LONGEST])}
        fitting = [word for word in words if word_fits(block.info.tag, word)]
        return fitting[0] if len(fitting) == 1 else ""

    def _refused(self, call: Call, block: Block) -> str:
        """Give the code of a block that holds nothing to do, "" for one that does."""
        code = idle(call, self._terms)
        if code == "empty" and block.info.plain:
            return "inline"
        return code or ("repeat" if same_as(call) in self._written else "")


def idle(call: Call, terms: Terms) -> str:
    """Give the code of a call that holds nothing to do, "" for one that does."""
    if not call.body.strip(BLANKS + "\n"):
        # a function may take nothing, and so may a server's, which its words name
        foreign = bool(call.args) if call.tool == SERVED else call.tool not in TOOLS
        function = not call.path and foreign and call.tool not in languages.table().languages
        return "" if function or (call.path and EMPTY_FILES.match(call.path)) else "empty"
    if is_placeholder(call.tool, call.body):
        return "placeholder"
    return "prompt-example" if call.body.strip() in terms.examples else ""


def _call(block: Block, body: str) -> Call:
    info = block.info
    named = None if info.path or info.tag in TOOLS else comment_path(info.tag, body)
    if info.tag == "read" and info.path and not body.strip():
        return Call("read", info.path, None, info.args, block.mark.line + 1)
    return Call(info.tag, body, info.path or named, info.args, block.mark.line + 1, timid=named is not None)


def same_as(call: Call) -> tuple[object, ...]:
    """Give what makes two calls the same."""
    return call.tool, call.body, call.path, call.args
