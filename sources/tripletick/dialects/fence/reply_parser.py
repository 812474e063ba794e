"""A reply read from its first line to its last: what is reasoning, what is a call, what is only text.

Covered: FENCES, rules 2 to 4. Not covered: where a block ends (nesting.py), whether it is a call (taking.py),
what is shown while the reply streams (display.py).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence

from tripletick.dialects.dialect import ParsedReply
from tripletick.dialects.fence.blocks import BlockEnd, FencedBlock
from tripletick.dialects.fence.call_collector import CallCollector, ReplyEvents
from tripletick.dialects.fence.hallucinations import (
    find_turn_token,
    imitates_tool,
    is_leaked_turn,
    is_special_line,
)
from tripletick.dialects.fence.info_string import OUTPUT, parse_info
from tripletick.dialects.fence.lines import FenceMark, ReplyLines, parse_mark
from tripletick.dialects.fence.nesting import BlockEndFinder
from tripletick.dialects.fence.parse_options import ASKS, QUESTION, ParseOptions
from tripletick.dialects.reasoning_tags import (
    BARE_FINAL,
    BLANKS,
    CLOSING,
    HARMONY_END,
    ends_reasoning,
    find_closer,
    find_opening,
    find_outside_spans,
    match_bare_analysis,
    match_channel_header,
)
from tripletick.messages import Finish


class ReplyParser:
    """Goes through one reply; `taking` begins what is taken from it."""

    def __init__(
        self,
        text: str,
        terms: ParseOptions,
        taking: Callable[[ReplyLines, ParseOptions], ReplyEvents] = CallCollector,
    ) -> None:
        self._terms, self._taking = terms, taking
        self._page = ReplyLines(text, cut=terms.is_cut, prefix=terms.prefix)
        self._ends = BlockEndFinder(self._page, terms.owned)
        self._spans = ReplySpans(text)
        self._taken = taking(self._page, terms)
        self._line = 0
        self._written = len(text.rstrip())
        self._asked = self._answered = -1
        """Where the model's question begins and ends."""
        self._reasoned = False
        """Reasoning with both its tags is above."""

    @property
    def is_stopped(self) -> bool:
        """True where nothing that follows can count."""
        return self._taken.cut is not None

    def parse(self) -> ParsedReply:
        """Read the whole reply."""
        self._parse_start()
        lines = len(self._page)
        while self._line < lines:
            self._parse_next()
        self._spans.end_text(len(self._page.text), len(self._page.text))
        return self._build_result()

    def _parse_start(self) -> None:
        text = self._page.text
        start = len(text) - len(text.lstrip(BLANKS + "\r\n"))
        if self._terms.thinking:
            opened = find_opening(self._page[0])
            self._skip_reasoning(
                opened.end() if opened else 0, find_closer(opened[0] if opened else "<think>")
            )
        elif bare := match_bare_analysis(text, start):
            self._skip_to_final(bare.end())
        elif header := match_channel_header(text, start, first=True):
            self._line = self._page.find_line(start)
            self._read_channel(header)

    def _parse_next(self) -> None:
        page, text = self._page, self._page.lines[self._line]
        offset = page.starts[self._line]
        if not text:
            self._line += 1
        elif not is_special_line(text):
            self._read_line(text, offset, plays=False)
        elif opened := find_opening(text):
            self._spans.end_text(offset, offset)
            self._skip_reasoning(offset + opened.end(), find_closer(opened[0]))
        elif header := match_channel_header(
            page.text, offset + len(text) - len(text.lstrip(BLANKS)), first=False
        ):
            self._read_channel(header)
        elif closed := self._find_orphan_closing(text):
            self._mark_all_reasoning(offset + closed.start(), offset + closed.end())
        elif turn := find_turn_token(text):
            self._end_turn(text, turn)
        else:
            self._read_line(text, offset, plays=imitates_tool(text))

    # reasoning

    def _find_orphan_closing(self, text: str) -> re.Match[str] | None:
        if not self._page.closings.tags:
            return None
        closings = find_outside_spans(CLOSING, text)
        found = next((found for found in closings if ends_reasoning(text, *found.span())), None)
        return None if found and self._reasoned and self._is_stray_closing(text, found) else found

    def _is_stray_closing(self, text: str, found: re.Match[str]) -> bool:
        """True for a tag too many, behind reasoning with its end: in a sentence, or with nothing below."""
        if text[found.end() :].strip(BLANKS):
            return False
        last = self._page.ends[self._line] >= self._written and not self._page.cut
        return last or not ends_reasoning(f"{text[: found.end()]} x", *found.span())

    def _mark_all_reasoning(self, start: int, resume: int) -> None:
        """A closing tag without an opening one: all before it was reasoning, and no block in it counts."""
        self._spans.mark_all_reasoning(start, resume)
        self._taken = self._taking(self._page, self._terms)
        self._asked = self._answered = -1
        self._move_to(resume)

    def _skip_reasoning(self, start: int, closer: str) -> None:
        page = self._page
        span = page.closings.find_end(page.text, closer, start, cut=page.cut)
        self._reasoned = True
        self._add_reasoning(start, *(span or self._report_unclosed()))

    def _report_unclosed(self) -> tuple[int, int]:
        self._taken.note_problem("unclosed-think", min(self._line, len(self._page) - 1))
        return len(self._page.text), len(self._page.text)

    def _add_reasoning(self, start: int, stop: int, resume: int) -> None:
        self._spans.add_reasoning(start, stop, resume)
        self._move_to(resume)

    def _move_to(self, offset: int) -> None:
        """Read on at an offset; what is left of its line is read as a line."""
        self._line = self._page.find_line(offset)
        self._page.trim_line(self._line, offset)
        if offset == len(self._page.text):
            self._line = len(self._page)

    def _skip_to_final(self, start: int) -> None:
        stop = self._page.text.find(BARE_FINAL, start)
        self._add_reasoning(
            start, *((stop, stop + len(BARE_FINAL)) if stop >= 0 else self._report_unclosed())
        )

    def _read_channel(self, header: re.Match[str]) -> None:
        """Read only gpt-oss' final channel; what stands in the others is reasoning."""
        self._spans.end_text(header.start(), header.end())
        if header["name"] == "final":
            self._move_to(header.end())
            return
        if "to=" in header["to"]:
            self._taken.note_foreign_call(self._page.find_line(header.start()))
        end = HARMONY_END.search(self._page.text, header.end())
        if end is None:
            self._add_reasoning(header.end(), *self._report_unclosed())
        else:
            begins = end[0] in ("<|start|>", "<|channel|>")
            self._add_reasoning(header.end(), end.start(), end.start() if begins else end.end())

    # lines

    def _end_turn(self, text: str, turn: re.Match[str]) -> None:
        taken, head = self._taken, text[: turn.start()]
        if taken.cut is None and taken.calls and imitates_tool(head):
            taken.cut_invented_result(self._line, head)
        elif taken.cut is None:
            taken.scan_prose(self._line, head, head, 0)
            taken.cut = self._page.starts[self._line] + turn.start()
            if is_leaked_turn(turn[0], self._page.text[taken.cut + len(turn[0]) :]):
                taken.note_problem("leaked-turn", self._line)
        self._line = len(self._page)

    def _read_line(self, text: str, offset: int, *, plays: bool) -> None:
        taken = self._taken
        if plays and taken.cut is None and taken.calls:
            taken.cut_invented_result(self._line, text)
        counts = taken.cut is None
        resume = taken.take_tag_call(self._line, text) if counts else None
        if resume is not None:
            self._answered = offset if self._answered < 0 <= self._asked else self._answered
            self._move_to(resume)
            return
        mark = self._page.get_head_mark(self._line)
        if mark is not None and mark.shape.ends and not (mark.shape.bare or mark.shape.quoted):
            self._move_to(mark.after)  # a fence too many, glued to what ends a turn or begins reasoning
            return
        mark = mark if mark is not None and mark.shape.opens else self._find_trailing_fence(text, offset)
        if mark is not None and not mark.shape.quoted:
            self._read_block(FencedBlock(mark, parse_info(mark.shape.info, self._terms.owned)))
            return
        if counts and mark is not None:
            taken.note_quoted_fence(mark)
        elif counts:
            self._read_prose(text, offset)
        self._line += 1

    def _read_prose(self, text: str, offset: int) -> None:
        if self._asked < 0 and QUESTION in text and (asks := ASKS.match(text)):
            self._asked = offset + asks.end()
        else:
            self._taken.scan_prose(self._line, text, self._page.text, offset)

    def _find_trailing_fence(self, text: str, offset: int) -> FenceMark | None:
        """An opening fence at the end of a prose line counts for an owned tag that a bare fence follows."""
        first = text.find("```")
        if first < 0 or "`" in text[:first] or text.lstrip(BLANKS).startswith((">", "`")):
            return None
        indent = text[: len(text) - len(text.lstrip(BLANKS))]
        mark = parse_mark(self._line, f"{indent}{text[first:]}", offset + first - len(indent), markers=False)
        if mark is None or mark.shape.bare or not mark.shape.opens:
            return None
        block = FencedBlock(mark, parse_info(mark.shape.info, self._terms.owned))
        if block.info.plain or not self._terms.owns_block(block.info):
            return None
        return block.mark if self._has_bare_closer(block) else None

    def _has_bare_closer(self, block: FencedBlock) -> bool:
        page, at = self._page, self._page.find_mark_index(self._line)
        if at == len(page.marked):
            return page.cut
        below = page.shapes[page.marked[at]]
        return below.bare and block.is_closed_by(below)

    # blocks

    def _read_block(self, block: FencedBlock) -> None:
        page, taken, owned = self._page, self._taken, self._terms.owns_block(block.info)
        if taken.cut is None and taken.calls and block.info.tag == OUTPUT and not owned:
            shape = block.mark.shape
            taken.cut_invented_result(self._line, shape.char * shape.run + shape.info)
        end = self._ends.find_end(block, owned=owned)
        opens_nothing = end.how == "broken" or (end.how == "open" and not page.cut and not taken.strict)
        if not block.info.known and opens_nothing:
            self._line += 1  # an opener that nobody knows and that never ends is text
            return
        if span := self._find_reasoning_end(block, end):
            self._mark_all_reasoning(*span)
            return
        if self._answered < 0 <= self._asked:
            self._answered = page.starts[self._line]
        taken.handle_block(block, end, owned=owned)
        self._move_below(end)

    def _move_below(self, end: BlockEnd) -> None:
        if end.how in ("open", "lost"):
            self._line = len(self._page)
        elif end.how == "closed" and end.resume >= 0:
            self._line = end.line
            self._page.trim_line(end.line, end.resume)
        else:
            self._line = end.line + (end.how == "closed")

    def _find_reasoning_end(self, block: FencedBlock, end: BlockEnd) -> tuple[int, int] | None:
        """Find a line in the block that is exactly a closing tag, with no opening tag above it in the
        block; one that was never closed is no file, and there it is enough that the tag begins its line."""
        page = self._page
        if not page.closings.begins:
            return None
        unclosed = end.how in ("broken", "doubled") or (end.how != "closed" and not page.cut)
        tags = page.closings.begins if unclosed else page.closings.exact
        at = bisect_left(tags, (page.ends[block.mark.line], 0)) if tags else 0
        if at == len(tags):
            return None
        limit = page.starts[end.line] if end.line < len(page) and end.how != "lost" else len(page.text)
        opened = bisect_right(page.openings, block.mark.line)
        first_open = page.openings[opened] if opened < len(page.openings) else len(page)
        inside = tags[at][0] < limit and page.find_line(tags[at][0]) <= first_open
        return tags[at] if inside else None

    # the end

    def _build_result(self) -> ParsedReply:
        taken = self._taken
        until = len(self._page.text) if taken.cut is None else taken.cut
        return ParsedReply(
            calls=tuple(taken.calls),
            reasoning=self._spans.join_reasoning(until),
            text=self._spans.join_text(until),
            problems=taken.list_problems(),
            question=self._extract_question(until),
            answer=taken.answer,
        )

    def _extract_question(self, until: int) -> str | None:
        if not 0 <= self._asked <= until:
            return None
        end = until if self._answered < 0 else min(self._answered, until)
        return self._page.text[self._asked : end].strip().removesuffix("</answer>").strip(BLANKS + "\r\n*")


def parse_reply(
    answer: str,
    owned: Collection[str],
    finish_reason: Finish = "stop",
    think_prefilled: bool = False,
    prompt_examples: Sequence[str] = (),
) -> ParsedReply:
    """Read a whole answer: a pure function of what it is given."""
    terms = ParseOptions.from_tags(owned, thinking=think_prefilled, examples=prompt_examples)
    return parse_with_options(answer, terms.with_finish(finish_reason))


def parse_with_options(answer: str, terms: ParseOptions) -> ParsedReply:
    """Read a whole answer under terms."""
    return ReplyParser(answer.removeprefix("\ufeff"), terms).parse()


class ReplySpans:
    """Collects the parts of one reply; adding one is cheap however many there are."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._from = 0
        """Where the text goes on that is not reasoning."""
        self._done: list[str] = []
        """Reasoning without an opening tag, complete."""
        self._parts: list[tuple[bool, int, int]] = []
        """What came since: reasoning or not, from, to."""

    def end_text(self, offset: int, resume: int) -> None:
        """End the text at an offset; what follows up to `resume` is a mark of ours and neither."""
        if self._from < offset:
            self._parts.append((False, self._from, offset))
        self._from = resume

    def add_reasoning(self, start: int, stop: int, resume: int) -> None:
        """Note reasoning; text goes on at `resume`."""
        self._parts.append((True, start, stop))
        self._from = resume

    def mark_all_reasoning(self, stop: int, resume: int) -> None:
        """Turn all that came before into one part of reasoning."""
        self.end_text(stop, resume)
        self._done.append("".join(self._text[a:b] for _, a, b in self._parts))
        self._parts = []

    def join_reasoning(self, until: int) -> str | None:
        """Give the reasoning, its parts joined by a blank line."""
        here = (self._text[a:b] for thought, a, b in self._parts if thought and a < until)
        parts = [part.strip() for part in (*self._done, *here)]
        return "\n\n".join(filter(None, parts)) or None

    def join_text(self, until: int) -> str:
        """Give the raw reply without its reasoning, up to where the model played another part."""
        said = [self._text[a : min(b, until)] for thought, a, b in self._parts if not thought and a < until]
        kept = "".join(said)
        if self._done or len(said) < len(self._parts):
            kept = kept.lstrip("\r\n")
        return kept if until == len(self._text) else kept.rstrip()
