"""Where a block ends: which of the fence lines below an opening one is its own closing line.

Covered: FENCES, rule 6: code never nests, documents do, a closing fence glued to the last line, an answer
that was cut. Not covered: what the block holds (content.py) and whether it is run (taking.py).
"""

# ruff: noqa: RUF001 - full-width signs are what Chinese models write

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence

from tripletick.dialects.fence.blocks import (
    DEEPER,
    GLUED,
    BlockEnd,
    FencedBlock,
    InnerFence,
    find_inner_fences,
)
from tripletick.dialects.fence.info_string import parse_info
from tripletick.dialects.fence.lines import FenceMark, FenceShape, ReplyLines, dedent_line
from tripletick.dialects.fence.literals import LiteralTracker
from tripletick.dialects.reasoning_tags import BLANKS
from tripletick.system.lazy_regex import lazy_regex

_TAG_LIKE = lazy_regex(r"[a-z][a-z0-9_+#-]*(?:[:：]\S+)?$")


class BlockEndFinder:
    """Finds the ends of blocks in one page."""

    def __init__(self, page: ReplyLines, owned: Collection[str]) -> None:
        self._page, self._owned = page, owned
        self._inner: dict[tuple[str, int], tuple[list[int], list[InnerFence]]] = {}
        shapes = map(page.shapes.__getitem__, page.marked)
        self._last_bare = {(one.char, one.run): at for at, one in enumerate(shapes) if one.bare}
        """The last bare fence of each length, by its place among the marked ones."""
        self._hidden = 0
        """Above this line a shell quote that is open hides what is in it."""

    def find_end(self, block: FencedBlock, *, owned: bool) -> BlockEnd:
        """Find the end of a block. `owned` says whether it is a call: only then a cut document is given
        up."""
        if not block.is_document:
            return self._find_code_end(block)
        end = (
            self._find_document_end(block)
            if block.mark.shape.run == 3
            else self._find_long_document_end(block)
        )
        if (
            self._page.cut
            and block.mark.shape.run == 3
            and end.how == "closed"
            and (owned or not self._ends_at_first_fence(block, end.line))
        ):
            return BlockEnd("lost", block.mark.line, code="unclosed")
        return end if end.how != "open" else self._find_glued_end(block) or end

    def _ends_at_first_fence(self, block: FencedBlock, line: int) -> bool:
        """True where a document that is no file ends at its first fence line whatever stands below: there is
        text above that line and none right below it."""
        page = self._page
        if (
            block.info.path
            or line + 1 == page.unfinished_line
            or not self._has_text(line - 1)
            or self._has_text(line + 1)
        ):
            return False
        return page.marked[page.find_mark_index(block.mark.line)] == line

    # code

    def _find_code_end(self, block: FencedBlock) -> BlockEnd:
        page, literal = self._page, block.make_literal_tracker()
        fed = block.mark.line
        seen = False
        for mark in self._find_closers(block):
            if literal is not None:
                self._feed_literal(literal, block, fed + 1, mark.line)
                fed = mark.line
                if literal.name and self._is_hidden(literal, block, mark):
                    seen = True
                    self._feed_literal(literal, block, fed, fed + 1)
                    continue
            if mark.line == page.unfinished_line:
                return BlockEnd("open", mark.line, code="unclosed")
            return self._judge_code_fence(block, mark, literal.name if literal else "")
        if literal is not None:
            self._feed_literal(literal, block, fed + 1, len(page))
            if literal.name and seen and not page.cut:
                return BlockEnd("lost", len(page), code="unfinished-literal", what=literal.name)
        return self._find_glued_end(block) or BlockEnd("open", len(page), code="unclosed")

    def _find_closers(self, block: FencedBlock) -> Iterator[FenceMark]:
        page = self._page
        for at in range(page.find_mark_index(block.mark.line), len(page.marked)):
            if block.is_closed_by(page.shapes[page.marked[at]]):
                yield page.get_mark(page.marked[at])

    def _feed_literal(self, literal: LiteralTracker, block: FencedBlock, start: int, stop: int) -> None:
        prefix, width = block.mark.shape.prefix, block.mark.shape.width
        for line in range(start, stop):
            literal.feed(dedent_line(self._page[line], prefix, width))

    def _is_hidden(self, literal: LiteralTracker, block: FencedBlock, mark: FenceMark) -> bool:
        """True where the open literal makes this fence line content. A shell quote must hold whole pairs of
        them."""
        if not literal.is_quote or mark.line < self._hidden:
            return True
        return not literal.is_in_word and self._has_paired_fences(literal.fork(), block, mark)

    def _has_paired_fences(self, ahead: LiteralTracker, block: FencedBlock, mark: FenceMark) -> bool:
        """Look ahead to the end of the quote: do the fence lines in it pair up?"""
        depth = pairs = 0
        for line in range(mark.line, len(self._page)):
            if (inner := self._page.shapes.get(line)) and not inner.quoted and block.is_closed_by(inner):
                depth = depth + 1 if not inner.bare or not depth else depth - 1
                pairs += 1
            self._feed_literal(ahead, block, line, line + 1)
            if not ahead.is_quote:
                self._hidden = line
                return depth == 0 and pairs % 2 == 0
        if self._page.cut:
            self._hidden = len(self._page)
        return self._page.cut

    def _judge_code_fence(self, block: FencedBlock, mark: FenceMark, literal: str) -> BlockEnd:
        """Judge a fence line in code that no literal hides."""
        page, shape, own = self._page, mark.shape, block.mark.shape
        tagged = self._is_info_string(mark)
        longer = shape.run >= own.run + GLUED
        stop = page.starts[mark.line]
        if literal:
            return BlockEnd("broken", mark.line + shape.bare, code="unfinished-literal", what=literal)
        if not shape.opens and page.text[mark.after] not in BLANKS and not shape.info.startswith("```"):
            return BlockEnd("broken", mark.line, code="unclosed")  # a code span where no program can have one
        if tagged and longer:
            return BlockEnd("closed", mark.line, stop, mark.after - shape.run + own.run)
        if tagged:
            between = page.text[page.ends[block.mark.line] : stop].strip(BLANKS + "\r\n")
            return BlockEnd("broken" if between else "doubled", mark.line, code="unclosed")
        return BlockEnd("closed", mark.line, stop, -1 if shape.bare else mark.after)

    def _is_info_string(self, mark: FenceMark) -> bool:
        """True where the words after a fence are an info string, False where they are prose or a control
        token."""
        if mark.shape.ends or not mark.shape.opens:
            return False
        info = parse_info(mark.shape.info, self._owned)
        if info.known:
            return not (info.plain >= 2 and mark.shape.info[:1].isupper())
        attached = self._page.text[mark.after : mark.after + 1] not in BLANKS
        return attached and bool(_TAG_LIKE.match(mark.shape.info))

    def _find_glued_end(self, block: FencedBlock) -> BlockEnd | None:
        """Accept a closing fence at the end of the last line of code, if nothing else in the rest looks like
        one."""
        page, run = self._page, block.mark.shape.char * block.mark.shape.run
        first = page.text.find(run, page.ends[block.mark.line])
        if page.cut or first < 0:
            return None
        line = page.find_line(first)
        head, end = page.text[page.starts[line] : first], page.ends[line]
        if page.text[first:end].rstrip(BLANKS) != run or run in page.text[end:] or not head.strip(BLANKS):
            return None
        if (literal := block.make_literal_tracker()) is not None:
            self._feed_literal(literal, block, block.mark.line + 1, line)
            if not literal.is_closed_after(
                dedent_line(head, block.mark.shape.prefix, block.mark.shape.width)
            ):
                return None
        return BlockEnd("closed", line, first)

    # documents

    def _find_document_end(self, block: FencedBlock) -> BlockEnd:
        lines, inner = self._find_inner_fences(block)
        depth = 0
        for at in range(bisect_right(lines, block.mark.line), len(inner)):
            fence = inner[at]
            if not (fence.ends or fence.next):
                depth += 1
            elif depth and fence.bare:
                depth -= 1
            elif (ends := self._judge_bare_fence(block, inner, at, depth)) is not None:
                return ends
            else:
                depth += 1
        return BlockEnd("open", len(self._page), code="unclosed")

    def _judge_bare_fence(
        self, block: FencedBlock, inner: Sequence[InnerFence], at: int, depth: int
    ) -> BlockEnd | None:
        """Judge a bare fence at the outer level of a document: its end, None where it opens a block in it."""
        fence = inner[at]
        left, line = fence.left, fence.line
        sure = (
            left == 1
            or fence.next
            or self._ends_at_first_fence(block, line)
            or (left == 2 and self._is_stray_fence(block, inner, at))
        )
        opens = self._opens_block(block, inner, at) if left % 2 and not sure else None
        guess = opens is None and not sure and (block.info.path or left % 2 == 0)
        if depth or guess or (fence.next and left % 2 == 0):
            return BlockEnd("lost", line, code="ambiguous-nesting")
        if opens:
            return None
        return (
            BlockEnd("open", line, code="unclosed")
            if line == self._page.unfinished_line
            else self._close_document(block, line)
        )

    def _close_document(self, block: FencedBlock, line: int) -> BlockEnd:
        """End a document on this line; what is glued to its end is read as a line."""
        start, shape = self._page.starts[line], self._page.shapes[line]
        if shape.bare:
            return BlockEnd("closed", line, start)
        glued = 0 if shape.ends else shape.run - block.mark.shape.run
        return BlockEnd("closed", line, start, start + shape.behind - glued)

    def _find_inner_fences(self, block: FencedBlock) -> tuple[Sequence[int], Sequence[InnerFence]]:
        key = (block.mark.shape.char, block.mark.shape.width + DEEPER)
        if key not in self._inner:
            inner = find_inner_fences(self._page, *key)
            self._inner[key] = [fence.line for fence in inner], inner
        return self._inner[key]

    def _is_stray_fence(self, block: FencedBlock, inner: Sequence[InnerFence], at: int) -> bool:
        """True for the first of two last fences that stand together below a text: the second is one too
        many."""
        lines = self._page.lines
        if at + 2 != len(inner) or not inner[at + 1].ends:
            return False
        if self._has_opener_context(block, inner[at].line):
            return False
        line, other = inner[at].line, inner[at + 1].line
        between = (*lines[line + 1 : other], *lines[other + 1 :])
        return not self._page.cut and not any(text.strip(BLANKS) for text in between)

    def _opens_block(self, block: FencedBlock, inner: Sequence[InnerFence], at: int) -> bool | None:
        """Tell by the lines around a bare fence, and around the next, whether it opens a block; None where
        they tell both or nothing."""
        line, other = inner[at].line, inner[at + 1]
        if not self._has_text(line + 1):
            return False
        follows = other.ends and self._looks_like_opener(block, other.line)
        if self._looks_like_opener(block, line):
            return None if follows or not other.ends else True
        ends = other.ends and self._has_text(other.line - 1) and not self._has_text(other.line + 1)
        return ends if ends != follows else None

    def _looks_like_opener(self, block: FencedBlock, line: int) -> bool:
        """True for a fence with text below it, and what goes before a block above."""
        return self._has_opener_context(block, line) and self._has_text(line + 1)

    def _has_opener_context(self, block: FencedBlock, line: int) -> bool:
        """True for a fence that stands deeper than the document or below a blank line or a heading."""
        above = self._page.lines[line - 1].strip(BLANKS)
        deeper = self._page.shapes[line].width > block.mark.shape.width
        return deeper or not above or above.endswith((":", "：", "*", "#")) or above.startswith("#")

    def _has_text(self, line: int) -> bool:
        """True for a line that is neither blank nor a fence."""
        page = self._page
        return line not in page.shapes and line < len(page.lines) and bool(page.lines[line].strip(BLANKS))

    def _find_long_document_end(self, block: FencedBlock) -> BlockEnd:
        page, depth = self._page, 0
        for at in range(page.find_mark_index(block.mark.line), len(page.marked)):
            line = page.marked[at]
            shape = page.shapes[line]
            own = block.mark.shape.run
            glued = shape.run == own + GLUED and not (shape.ends or depth)
            if not block.is_closed_by(shape) or (shape.run != own and not glued):
                continue
            if glued and not self._has_later_closer(shape, at):
                return self._close_document(block, line)
            if glued:
                continue
            if not shape.ends:
                depth += 1
            elif depth:
                depth -= 1
            elif line != page.unfinished_line:
                return self._close_document(block, line)
        return BlockEnd("open", len(page), code="unclosed")

    def _has_later_closer(self, shape: FenceShape, at: int) -> bool:
        """True where a bare fence of the same length stands below."""
        return self._last_bare.get((shape.char, shape.run), -1) > at
