"""One passage of reasoning while it streams: what of it is shown, and where it ends.

Covered: the marks in the text, judged by the same rules as in the reading. Not covered: where a passage
begins, and the channels of gpt-oss (display.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tripletick.dialects.reasoning_tags import (
    BLANKS,
    CLOSING,
    TAGS,
    ends_reasoning,
    find_closer,
    find_opening,
    find_outside_spans,
    is_at_line_start,
)
from tripletick.system.lazy_regex import lazy_regex

BREAK = lazy_regex(r"[\r\n]")


def list_prefixes(words: Iterable[str]) -> frozenset[str]:
    """Give all that a word may have begun with, in lower case."""
    return frozenset(word[:end].lower() for word in words for end in range(len(word) + 1))


_OPENING, _CLOSING = list_prefixes(TAGS), list_prefixes(TAGS.values())
_LONGEST = 32
"""Characters, more than any sign has that ends reasoning."""


class ReasoningStream:
    """Takes reasoning in pieces. A line that holds a closing tag is shown once it can be judged."""

    def __init__(self, closer: str, *, may_open: bool = False) -> None:
        self._closer = closer
        self._may_open = may_open
        """Its opening tag may still come, though the template has written it."""
        self._shown: list[str] = []
        self._held: list[str] = []
        """The line at hand: what was shown of it, and what was not."""
        self._tagged = False
        """A closing tag is in what is held."""
        self._opened = True
        """It began on the line at hand."""
        self._doubt: list[str] | None = None
        """What came behind the first tag that may have ended it."""
        self.rest: str | None = None
        """What follows the passage, once it has ended."""

    def feed(self, text: str) -> Iterator[str]:
        """Yield what may be shown."""
        if self._doubt is None and not (self._held or self._tagged or self._may_open):
            said, text = self._skip_plain_lines(text)
            if said:
                yield said
            if self.rest is not None:
                return
        while text and self.rest is None:
            end = BREAK.search(text)
            at = end.end() if end else len(text)
            self._held.append(text[:at])
            text = text[at:]
            yield from self._judge_line() if end else self._show_unfinished_line()
        if text and self.rest is not None:
            self.rest += text

    def close(self, *, cut: bool) -> Iterator[str]:
        """The reply has ended: a tag that may have been a word ends the passage now, unless more was to
        come."""
        if self._held or self._shown:
            yield from self._judge_line()
        if self.rest is None and self._doubt is not None and not cut:
            self.rest = "".join(self._doubt)

    def _skip_plain_lines(self, text: str) -> tuple[str, str]:
        """Take off the lines before the first that holds a closing tag, and what stands before that tag where
        it surely ends the passage: most do, and are not searched for once more.
        """
        found = CLOSING.search(text)
        stop = found.start() if found else len(text)
        at = max(text.rfind("\n", 0, stop), text.rfind("\r", 0, stop)) + 1
        if at:
            self._shown.clear()
            self._opened = False
        if found and found[0].lower() == self._closer and not self._shown:
            end = BREAK.search(text, found.end())
            line = text[at : end.start()] if end else "`"
            if "`" not in line and ends_reasoning(line, stop - at, found.end() - at, opened=self._opened):
                self.rest = text[found.end() :]
                return text[:stop], ""
        return text[:at], text[at:]

    def _show_unfinished_line(self) -> Iterator[str]:
        """Show what can be told of a line that goes on."""
        if self._tagged or self._doubt is not None:
            return
        held = "".join(self._held)
        if self._may_open and held.strip(BLANKS).lower() in _OPENING:
            return
        held = self._strip_opening_tag(held)
        found = CLOSING.search(held)
        if found and found[0].lower() == self._closer and is_at_line_start("".join(self._shown), held, found):
            yield from self._end_at_tag(held, found)
            return
        self._tagged = found is not None
        keep = len(held) if found else count_overlap(held, _CLOSING)
        self._held = [held[len(held) - keep :]] if keep else []
        if said := held[: len(held) - keep]:
            self._shown.append(said)
            yield said

    def _strip_opening_tag(self, line: str) -> str:
        opened = find_opening(line) if self._may_open else None
        self._may_open = False
        if opened is None:
            return line
        self._closer = find_closer(opened[0])
        return line[opened.end() :]

    def _judge_line(self) -> Iterator[str]:
        """Judge a line that has ended."""
        held, shown = "".join(self._held), "".join(self._shown)
        if self._may_open:
            held = self._strip_opening_tag(held)
        line, known = f"{shown}{held}", self._doubt is not None
        opened = find_opening(line) if known else None
        if self._doubt is not None and opened and find_closer(opened[0]) == self._closer:
            self.rest = "".join((*self._doubt, line))
            return
        body = line.rstrip("\r\n")
        for found in find_outside_spans(CLOSING, body):
            own, sure = (
                found[0].lower() == self._closer,
                ends_reasoning(body, *found.span(), opened=self._opened),
            )
            if own and sure:
                yield from self._end_at_tag(line, found, len(shown))
                return
            if self._doubt is None and (own or sure):
                self._doubt = [line[found.end() :]]
        if known and self._doubt is not None:
            self._doubt.append(line)
        self._shown, self._held, self._tagged, self._opened = [], [], False, False
        if held:
            yield held

    def _end_at_tag(self, line: str, found: re.Match[str], shown: int = 0) -> Iterator[str]:
        if said := line[shown : found.start()]:
            yield said
        self.rest = line[found.end() :]


def count_overlap(text: str, begun: frozenset[str]) -> int:
    """Length of the longest end of `text` that begins a sign; `begun` are all beginnings of such."""
    tail = text[-_LONGEST:].lower()
    return next((len(tail) - at for at in range(len(tail)) if tail[at:] in begun), 0)
