"""A reply read from its first line to its last: what is reasoning, what is a call, what is only text.

Covered: FENCES, rules 2 to 4. Not covered: where a block ends (nesting.py), whether it is a call (taking.py),
what is shown while the reply streams (display.py).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence

from tripletick.dialects.dialect import Reading
from tripletick.dialects.fence.blocks import Block, End
from tripletick.dialects.fence.info import OUTPUT, read_info
from tripletick.dialects.fence.invention import leaks, odd, plays_tool, turn_at
from tripletick.dialects.fence.lines import Mark, Page, mark_of
from tripletick.dialects.fence.nesting import Ends
from tripletick.dialects.fence.spans import Spans
from tripletick.dialects.fence.taking import Takes, Taking
from tripletick.dialects.fence.terms import ASKS, QUESTION, Terms
from tripletick.dialects.thinking import (
    BARE_FINAL,
    BLANKS,
    CLOSING,
    HARMONY_END,
    bare_analysis,
    closer_of,
    ends_thought,
    harmony_at,
    opening_at,
    outside_spans,
)
from tripletick.messages import Finish


class Walk:
    """Goes through one reply; `taking` begins what is taken from it."""

    def __init__(self, text: str, terms: Terms, taking: Callable[[Page, Terms], Takes] = Taking) -> None:
        self._terms, self._taking = terms, taking
        self._page = Page(text, cut=terms.cut, prefix=terms.prefix)
        self._ends = Ends(self._page, terms.owned)
        self._spans = Spans(text)
        self._taken = taking(self._page, terms)
        self._line = 0
        self._written = len(text.rstrip())
        self._asked = self._answered = -1
        """Where the model's question begins and ends."""
        self._reasoned = False
        """Reasoning with both its tags is above."""

    @property
    def stopped(self) -> bool:
        """True where nothing that follows can count."""
        return self._taken.cut is not None

    def read(self) -> Reading:
        """Read the whole reply."""
        self._begin()
        lines = len(self._page)
        while self._line < lines:
            self._step()
        self._spans.text_until(len(self._page.text), len(self._page.text))
        return self._reading()

    def _begin(self) -> None:
        text = self._page.text
        start = len(text) - len(text.lstrip(BLANKS + "\r\n"))
        if self._terms.thinking:
            opened = opening_at(self._page[0])
            self._reason(opened.end() if opened else 0, closer_of(opened[0] if opened else "<think>"))
        elif bare := bare_analysis(text, start):
            self._until_final(bare.end())
        elif header := harmony_at(text, start, first=True):
            self._line = self._page.line_at(start)
            self._channel(header)

    def _step(self) -> None:
        page, text = self._page, self._page.lines[self._line]
        offset = page.starts[self._line]
        if not text:
            self._line += 1
        elif not odd(text):
            self._read_line(text, offset, plays=False)
        elif opened := opening_at(text):
            self._spans.text_until(offset, offset)
            self._reason(offset + opened.end(), closer_of(opened[0]))
        elif header := harmony_at(page.text, offset + len(text) - len(text.lstrip(BLANKS)), first=False):
            self._channel(header)
        elif closed := self._orphan(text):
            self._was_reasoning(offset + closed.start(), offset + closed.end())
        elif turn := turn_at(text):
            self._end_turn(text, turn)
        else:
            self._read_line(text, offset, plays=plays_tool(text))

    # reasoning

    def _orphan(self, text: str) -> re.Match[str] | None:
        if not self._page.closings.tags:
            return None
        closings = outside_spans(CLOSING, text)
        found = next((found for found in closings if ends_thought(text, *found.span())), None)
        return None if found and self._reasoned and self._stray(text, found) else found

    def _stray(self, text: str, found: re.Match[str]) -> bool:
        """True for a tag too many, behind reasoning with its end: in a sentence, or with nothing below."""
        if text[found.end() :].strip(BLANKS):
            return False
        last = self._page.ends[self._line] >= self._written and not self._page.cut
        return last or not ends_thought(f"{text[: found.end()]} x", *found.span())

    def _was_reasoning(self, start: int, resume: int) -> None:
        """A closing tag without an opening one: all before it was reasoning, and no block in it counts."""
        self._spans.all_was_thought(start, resume)
        self._taken = self._taking(self._page, self._terms)
        self._asked = self._answered = -1
        self._go_to(resume)

    def _reason(self, start: int, closer: str) -> None:
        page = self._page
        span = page.closings.end_of(page.text, closer, start, cut=page.cut)
        self._reasoned = True
        self._thought(start, *(span or self._never()))

    def _never(self) -> tuple[int, int]:
        self._taken.problem("unclosed-think", min(self._line, len(self._page) - 1))
        return len(self._page.text), len(self._page.text)

    def _thought(self, start: int, stop: int, resume: int) -> None:
        self._spans.thought(start, stop, resume)
        self._go_to(resume)

    def _go_to(self, offset: int) -> None:
        """Read on at an offset; what is left of its line is read as a line."""
        self._line = self._page.line_at(offset)
        self._page.take(self._line, offset)
        if offset == len(self._page.text):
            self._line = len(self._page)

    def _until_final(self, start: int) -> None:
        stop = self._page.text.find(BARE_FINAL, start)
        self._thought(start, *((stop, stop + len(BARE_FINAL)) if stop >= 0 else self._never()))

    def _channel(self, header: re.Match[str]) -> None:
        """Read only gpt-oss' final channel; what stands in the others is reasoning."""
        self._spans.text_until(header.start(), header.end())
        if header["name"] == "final":
            self._go_to(header.end())
            return
        if "to=" in header["to"]:
            self._taken.foreign(self._page.line_at(header.start()))
        end = HARMONY_END.search(self._page.text, header.end())
        if end is None:
            self._thought(header.end(), *self._never())
        else:
            begins = end[0] in ("<|start|>", "<|channel|>")
            self._thought(header.end(), end.start(), end.start() if begins else end.end())

    # lines

    def _end_turn(self, text: str, turn: re.Match[str]) -> None:
        taken, head = self._taken, text[: turn.start()]
        if taken.cut is None and taken.calls and plays_tool(head):
            taken.invented(self._line, head)
        elif taken.cut is None:
            taken.prose(self._line, head, head, 0)
            taken.cut = self._page.starts[self._line] + turn.start()
            if leaks(turn[0], self._page.text[taken.cut + len(turn[0]) :]):
                taken.problem("leaked-turn", self._line)
        self._line = len(self._page)

    def _read_line(self, text: str, offset: int, *, plays: bool) -> None:
        taken = self._taken
        if plays and taken.cut is None and taken.calls:
            taken.invented(self._line, text)
        counts = taken.cut is None
        resume = taken.element(self._line, text) if counts else None
        if resume is not None:
            self._answered = offset if self._answered < 0 <= self._asked else self._answered
            self._go_to(resume)
            return
        mark = self._page.head(self._line)
        if mark is not None and mark.shape.ends and not (mark.shape.bare or mark.shape.quoted):
            self._go_to(mark.after)  # a fence too many, glued to what ends a turn or begins reasoning
            return
        mark = mark if mark is not None and mark.shape.opens else self._after_prose(text, offset)
        if mark is not None and not mark.shape.quoted:
            self._read_block(Block(mark, read_info(mark.shape.info, self._terms.owned)))
            return
        if counts and mark is not None:
            taken.quoted(mark)
        elif counts:
            self._prose(text, offset)
        self._line += 1

    def _prose(self, text: str, offset: int) -> None:
        if self._asked < 0 and QUESTION in text and (asks := ASKS.match(text)):
            self._asked = offset + asks.end()
        else:
            self._taken.prose(self._line, text, self._page.text, offset)

    def _after_prose(self, text: str, offset: int) -> Mark | None:
        """An opening fence at the end of a prose line counts for an owned tag that a bare fence follows."""
        first = text.find("```")
        if first < 0 or "`" in text[:first] or text.lstrip(BLANKS).startswith((">", "`")):
            return None
        indent = text[: len(text) - len(text.lstrip(BLANKS))]
        mark = mark_of(self._line, f"{indent}{text[first:]}", offset + first - len(indent), markers=False)
        if mark is None or mark.shape.bare or not mark.shape.opens:
            return None
        block = Block(mark, read_info(mark.shape.info, self._terms.owned))
        if block.info.plain or not self._terms.owns(block.info):
            return None
        return block.mark if self._bare_follows(block) else None

    def _bare_follows(self, block: Block) -> bool:
        page, at = self._page, self._page.marks_after(self._line)
        if at == len(page.marked):
            return page.cut
        below = page.shapes[page.marked[at]]
        return below.bare and block.closes(below)

    # blocks

    def _read_block(self, block: Block) -> None:
        page, taken, owned = self._page, self._taken, self._terms.owns(block.info)
        if taken.cut is None and taken.calls and block.info.tag == OUTPUT and not owned:
            shape = block.mark.shape
            taken.invented(self._line, shape.char * shape.run + shape.info)
        end = self._ends.end_of(block, owned=owned)
        opens_nothing = end.how == "broken" or (end.how == "open" and not page.cut and not taken.strict)
        if not block.info.known and opens_nothing:
            self._line += 1  # an opener that nobody knows and that never ends is text
            return
        if span := self._closes_reasoning(block, end):
            self._was_reasoning(*span)
            return
        if self._answered < 0 <= self._asked:
            self._answered = page.starts[self._line]
        taken.judge(block, end, owned=owned)
        self._go_below(end)

    def _go_below(self, end: End) -> None:
        if end.how in ("open", "lost"):
            self._line = len(self._page)
        elif end.how == "closed" and end.resume >= 0:
            self._line = end.line
            self._page.take(end.line, end.resume)
        else:
            self._line = end.line + (end.how == "closed")

    def _closes_reasoning(self, block: Block, end: End) -> tuple[int, int] | None:
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
        inside = tags[at][0] < limit and page.line_at(tags[at][0]) <= first_open
        return tags[at] if inside else None

    # the end

    def _reading(self) -> Reading:
        taken = self._taken
        until = len(self._page.text) if taken.cut is None else taken.cut
        return Reading(
            calls=tuple(taken.calls),
            reasoning=self._spans.reasoning(until),
            text=self._spans.history(until),
            problems=taken.problems(),
            question=self._question(until),
            answer=taken.answer,
        )

    def _question(self, until: int) -> str | None:
        if not 0 <= self._asked <= until:
            return None
        end = until if self._answered < 0 else min(self._answered, until)
        return self._page.text[self._asked : end].strip().removesuffix("</answer>").strip(BLANKS + "\r\n*")


def read(
    answer: str,
    owned: Collection[str],
    finish_reason: Finish = "stop",
    think_prefilled: bool = False,
    prompt_examples: Sequence[str] = (),
) -> Reading:
    """Read a whole answer: a pure function of what it is given."""
    terms = Terms.of(owned, thinking=think_prefilled, examples=prompt_examples)
    return read_with(answer, terms.ended(finish_reason))


def read_with(answer: str, terms: Terms) -> Reading:
    """Read a whole answer under terms."""
    return Walk(answer.removeprefix("\ufeff"), terms).read()
