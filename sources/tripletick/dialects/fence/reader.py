"""A reply while it streams: what may be shown, and whether to hang up.

Nothing is read twice that is long: the whole reply is read when it has ended. Only a line that looks as if
the model played another part is judged at once, by reading what has come so far.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from tripletick.dialects.dialect import Reading
from tripletick.dialects.fence.acting import Walk
from tripletick.dialects.fence.display import Display
from tripletick.dialects.fence.info import OUTPUTS, read_info
from tripletick.dialects.fence.invention import plays_tool, turn_at
from tripletick.dialects.fence.lines import mark_of
from tripletick.dialects.fence.terms import Terms
from tripletick.events import Part, Thought
from tripletick.messages import Chunk, Finish

_BREAK = re.compile(r"[\r\n]")
_READ_AGAIN, _ALLOWANCE = 6, 100_000
"""At most so many times its length, and characters, of a reply are read to judge its lines."""


class FenceReader:
    """Reads one reply, by walking through it."""

    def __init__(self, terms: Terms, walk: Callable[[str, Terms], Walk] = Walk) -> None:
        self._terms, self._walk = terms, walk
        self._text: list[str] = []
        self._length = self._spent = 0
        self._line: list[str] = []
        self._thoughts: list[str] = []
        self._display = Display(thinking=terms.thinking)
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """True once nothing that follows can count; judged at each finished line."""
        return self._stopped

    def feed(self, chunk: Chunk) -> Iterator[Part]:
        """Yield what may be shown so far; what comes after the end counts is dropped."""
        if chunk.thought:
            self._thoughts.append(chunk.thought)
            yield Thought(chunk.thought)
        if chunk.text and not self._stopped:
            if self._thoughts and not self._text and self._terms.thinking:
                self._terms = replace(self._terms, thinking=False)  # the engine keeps the reasoning apart
                self._display = Display(thinking=False)
            yield from self._take(chunk.text)
        if chunk.finish is not None:
            yield from self._display.flush()

    def _take(self, text: str) -> Iterator[Part]:
        at = 0
        for found in _BREAK.finditer(text):
            self._add(text[at : found.end()])
            yield from self._display.feed(text[at : found.end()])
            at = found.end()
            if self._judge():
                return
        if at < len(text):
            self._add(text[at:])
            yield from self._display.feed(text[at:])

    def _add(self, piece: str) -> None:
        self._text.append(piece)
        self._line.append(piece)
        self._length += len(piece)

    def _judge(self) -> bool:
        line = "".join(self._line).rstrip("\r\n")
        self._line.clear()
        affordable = self._spent + self._length <= _READ_AGAIN * self._length + _ALLOWANCE
        if affordable and self._suspicious(line):
            self._spent += self._length
            self._stopped = self._stops()
        return self._stopped

    def _stops(self) -> bool:
        """True where nothing that could follow this beginning of a reply can count."""
        walk = self._walked("length", prefix=True)
        walk.read()
        return walk.stopped

    def _walked(self, finish: Finish, *, prefix: bool = False) -> Walk:
        text = "".join(self._text).removeprefix("\ufeff")
        return self._walk(text, self._terms.ended(finish, prefix=prefix))

    def _suspicious(self, line: str) -> bool:
        if plays_tool(line) or turn_at(line):
            return True
        mark = mark_of(0, line, 0, markers=True)
        return mark is not None and read_info(mark.info, self._terms.owned).tag in OUTPUTS

    def close(self, finish: Finish = "stop") -> Reading:
        """Read the reply as a whole; it has ended."""
        reading = self._walked(finish).read()
        apart = "".join(self._thoughts).strip()
        if not apart:
            return reading
        return replace(reading, reasoning="\n\n".join(filter(None, (apart, reading.reasoning))))
