"""Which blocks of a reply are calls, and what is wrong with the others.

Covered: FENCES, section 3 and what may be told of a block. Not covered: where a block begins and ends.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Protocol

from tripletick.agents.definitions import SERVED
from tripletick.dialects.fence.blocks import BlockEnd, FencedBlock
from tripletick.dialects.fence.content import EMPTY_FILES, TranscriptError, extract_body, is_placeholder
from tripletick.dialects.fence.hallucinations import is_json_call
from tripletick.dialects.fence.info_string import FOREIGN, TOOLS, find_comment_path, parse_info, path_fits_tag
from tripletick.dialects.fence.lines import FenceMark, ReplyLines
from tripletick.dialects.fence.parse_options import ParseOptions
from tripletick.dialects.fence.problem_collector import ProblemCollector, make_block_problem, make_problem
from tripletick.dialects.reasoning_tags import BLANKS
from tripletick.languages import registry
from tripletick.messages import Call, Problem
from tripletick.system.lazy_regex import lazy_regex

ABOVE = 2
"""Lines before a block of which the last that is not blank may name its file."""
LONGEST = 500
"""Characters of such a line that are looked at."""
_WORD = lazy_regex(r"[\w./-]+")
_NAMED = 40
"""Characters of an invented result's first line that are told."""


class ReplyEvents(Protocol):
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

    def note_problem(self, code: str, line: int, **fields: str) -> None:
        """Note a problem of the reply, on a line that counts from 0."""
        ...

    def cut_invented_result(self, line: int, text: str) -> None:
        """End the reply before this line, in which the model plays the tool."""
        ...

    def handle_block(self, block: FencedBlock, end: BlockEnd, *, owned: bool) -> None:
        """Take a block as a call, or note what keeps it from being one."""
        ...

    def take_tag_call(self, line: int, text: str) -> int | None:
        """Take a call in tags that stands on this line; gives the offset behind it, None where there is
        none.
        """
        ...

    def scan_prose(self, line: int, words: str, text: str, offset: int) -> None: ...

    def note_quoted_fence(self, mark: FenceMark) -> None: ...

    def note_foreign_call(self, line: int) -> None: ...

    def list_problems(self) -> tuple[Problem, ...]: ...


class CallCollector:
    """What has been taken from a reply since the last reasoning that had no opening tag."""

    def __init__(self, page: ReplyLines, terms: ParseOptions) -> None:
        self._page, self._terms = page, terms
        self.remarks = ProblemCollector(terms.tags, terms.owns_block)
        self.calls: list[Call] = []
        self.cut: int | None = None
        self.answer: str | None = None
        self.strict = False
        self._written: set[tuple[object, ...]] = set()
        self._ended = False
        """A malformed owned block ended the list."""

    def note_problem(self, code: str, line: int, **fields: str) -> None:
        """Note a problem of the reply, on a line that counts from 0."""
        self.remarks.add(make_problem(code, line + 1, self._terms.tags, **fields))

    def cut_invented_result(self, line: int, text: str) -> None:
        """End the reply before this line, in which the model plays the tool."""
        self.cut = self._page.starts[line]
        what = re.split(r"(?<=[:\uff1a\]])", text.strip(BLANKS + "#*_-> "), maxsplit=1)[0]
        self.note_problem("invented-result", line, what=what[:_NAMED].strip("*_ "))

    def take_tag_call(self, line: int, text: str) -> int | None:
        return None

    def scan_prose(self, line: int, words: str, text: str, offset: int) -> None:
        self.remarks.check_line(line, words, text, offset)

    def note_quoted_fence(self, mark: FenceMark) -> None:
        self.remarks.note_quoted_call(mark, parse_info(mark.shape.info, self._terms.owned))

    def note_foreign_call(self, line: int) -> None:
        self.remarks.note_foreign_call(line)

    def list_problems(self) -> tuple[Problem, ...]:
        return self.remarks.list_problems(acted=bool(self.calls))

    def handle_block(self, block: FencedBlock, end: BlockEnd, *, owned: bool) -> None:
        """Take a block as a call, or note what keeps it from being one."""
        if self.cut is not None or end.how == "doubled":
            return
        if end.how == "closed" and owned:
            if not self._ended:
                self._accept_block(block, end)
        elif end.how == "closed":
            self._note_unowned(block, end)
        elif owned or (end.how != "broken" and self._contains_call(block)):
            if not self._ended:
                form = (
                    "cut" if self._terms.is_cut else "document" if self._holds_fences(block, end) else "text"
                )
                self.remarks.add(
                    make_block_problem(end.code, block, self._terms.tags, form=form, what=end.what)
                )
            self._ended = True
        elif end.how == "lost":
            self.remarks.note_unowned_block(block)

    def _holds_fences(self, block: FencedBlock, end: BlockEnd) -> bool:
        """True for a document with fences in it that has no end."""
        below = self._page.find_mark_index(block.mark.line)
        return block.is_document and end.how == "open" and below < len(self._page.marked)

    def _contains_call(self, block: FencedBlock) -> bool:
        """True where a fence below would be a call if this block had an end."""
        page = self._page
        below = range(page.find_mark_index(block.mark.line), len(page.marked))
        return any(self._opens_call(page.marked[at]) for at in below)

    def _opens_call(self, line: int) -> bool:
        """True for a fence line that opens a call where no block is around it."""
        words = self._page.shapes[line].info
        return bool(words) and self._terms.owns_block(parse_info(words, self._terms.owned))

    def _note_unowned(self, block: FencedBlock, end: BlockEnd) -> None:
        page, info = self._page, block.info
        content = page.text[min(page.ends[block.mark.line], end.stop) : end.stop]
        if info.tag in FOREIGN or is_json_call(content):
            self.remarks.note_foreign_call(block.mark.line)
            return
        for at in range(page.find_mark_index(block.mark.line), len(page.marked)):
            if (line := page.marked[at]) >= end.line:
                break
            if self._opens_call(line):
                self.remarks.note_nested_call(line)
        self.remarks.note_unowned_block(block, content)

    def _accept_block(self, block: FencedBlock, end: BlockEnd) -> None:
        tags = self._terms.tags
        try:
            body = extract_body(self._page, block, end)
        except TranscriptError as wrong:
            self.remarks.add(make_block_problem("transcript", block, tags, form=wrong.form))
            self._ended = True
            return
        call = self._make_call(block, body)
        if code := self._find_refusal(call, block):
            self.remarks.add(make_block_problem(code, block, tags))
        else:
            self.calls.append(call)
            self._written.add(make_call_key(call))

    def _make_call(self, block: FencedBlock, body: str) -> Call:
        call = _build_call(block, body)
        return call if call.path or call.tool in TOOLS else replace(call, meant=self._find_meant_path(block))

    def _find_meant_path(self, block: FencedBlock) -> str:
        """Give the one path on the line before a block that its tag fits."""
        above = range(block.mark.line - 1, max(-1, block.mark.line - 1 - ABOVE), -1)
        line = next((line for at in above if (line := self._page.lines[at].strip(BLANKS))), "")
        words = {word.rstrip(".:") for word in _WORD.findall(line[:LONGEST])}
        fitting = [word for word in words if path_fits_tag(block.info.tag, word)]
        return fitting[0] if len(fitting) == 1 else ""

    def _find_refusal(self, call: Call, block: FencedBlock) -> str:
        """Give the code of a block that holds nothing to do, "" for one that does."""
        code = find_idle_code(call, self._terms)
        if code == "empty" and block.info.plain:
            return "inline"
        return code or ("repeat" if make_call_key(call) in self._written else "")


def find_idle_code(call: Call, terms: ParseOptions) -> str:
    """Give the code of a call that holds nothing to do, "" for one that does."""
    if not call.body.strip(BLANKS + "\n"):
        # a function may take nothing, and so may a server's, which its words name
        foreign = bool(call.args) if call.tool == SERVED else call.tool not in TOOLS
        function = not call.path and foreign and call.tool not in registry.load_table().languages
        return "" if function or (call.path and EMPTY_FILES.match(call.path)) else "empty"
    if is_placeholder(call.tool, call.body):
        return "placeholder"
    return "prompt-example" if call.body.strip() in terms.examples else ""


def _build_call(block: FencedBlock, body: str) -> Call:
    info = block.info
    named = None if info.path or info.tag in TOOLS else find_comment_path(info.tag, body)
    if info.tag == "read" and info.path and not body.strip():
        return Call("read", info.path, None, info.args, block.mark.line + 1)
    return Call(info.tag, body, info.path or named, info.args, block.mark.line + 1, timid=named is not None)


def make_call_key(call: Call) -> tuple[object, ...]:
    """Give what makes two calls the same."""
    return call.tool, call.body, call.path, call.args
