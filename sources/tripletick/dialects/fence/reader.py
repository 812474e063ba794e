"""A reply while it streams: what may be shown, and whether to stop it.

Nothing is read twice that is long: the whole reply is read when it has ended. Only a line that looks as if
the model played another part is judged at once, by reading what has come so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

from tripletick.dialects.dialect import ParsedReply
from tripletick.dialects.fence.display import StreamDisplay
from tripletick.dialects.fence.hallucinations import find_turn_token, imitates_tool, is_special_line
from tripletick.dialects.fence.info_string import OUTPUT, may_be_output, parse_info
from tripletick.dialects.fence.lines import parse_shape
from tripletick.dialects.fence.parse_options import ParseOptions
from tripletick.dialects.fence.reply_parser import ReplyParser
from tripletick.events import Part, Thought
from tripletick.messages import Chunk, Finish
from tripletick.system.lazy_regex import lazy_regex

_BREAK = lazy_regex(r"[\r\n]")
_READ_AGAIN, _ALLOWANCE = 6, 100_000
"""At most so many times its length, and characters, of a reply are read to judge its lines."""


class FenceReader:
    """Reads one reply, by walking through it."""

    def __init__(
        self, terms: ParseOptions, walk: Callable[[str, ParseOptions], ReplyParser] = ReplyParser
    ) -> None:
        self._terms, self._walk = terms, walk
        self._text: list[str] = []
        self._length = self._spent = 0
        self._line: list[str] = []
        self._thoughts: list[str] = []
        self._display = StreamDisplay(thinking=terms.thinking)
        self._stopped = False

    @property
    def is_stopped(self) -> bool:
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
                self._display = StreamDisplay(thinking=False)
            yield from self._display.feed(self._add_text(chunk.text))
        if chunk.finish is not None:
            yield from self._display.flush(cut=chunk.finish == "length")

    def _add_text(self, text: str) -> str:
        """Add a piece and judge each line that it ends; gives what of it counts."""
        *ended, begun = _BREAK.split(text)
        if ended:
            ended[0] = "".join((*self._line, ended[0]))
            self._line.clear()
            owned = self._terms.owned
            if any(_is_suspicious(line, owned) for line in ended):
                text = self._judge_lines(text, ended)
        self._line.append(begun)
        self._text.append(text)
        self._length += len(text)
        return text

    def _judge_lines(self, text: str, lines: list[str]) -> str:
        """Judge the lines that end in a piece; gives what of it counts."""
        for line, end in zip(lines, _BREAK.finditer(text), strict=True):
            length = self._length + end.end()
            affordable = self._spent + length <= _READ_AGAIN * length + _ALLOWANCE
            if affordable and _is_suspicious(line, self._terms.owned):
                self._spent += length
                self._stopped = self._must_stop(text[: end.end()])
                if self._stopped:
                    return text[: end.end()]
        return text

    def _must_stop(self, more: str) -> bool:
        """True where nothing that could follow this beginning of a reply can count."""
        walk = self._make_parser("length", more, prefix=True)
        walk.parse()
        return walk.is_stopped

    def _make_parser(self, finish: Finish, more: str = "", *, prefix: bool = False) -> ReplyParser:
        text = "".join((*self._text, more)).removeprefix("\ufeff")
        return self._walk(text, self._terms.with_finish(finish, prefix=prefix))

    def close(self, finish: Finish = "stop") -> ParsedReply:
        """Read the reply as a whole; it has ended."""
        reading = self._make_parser(finish).parse()
        apart = "".join(self._thoughts).strip()
        if not apart:
            return reading
        return replace(reading, reasoning="\n\n".join(filter(None, (apart, reading.reasoning))))


@lru_cache(maxsize=1024)
def _is_suspicious(line: str, owned: frozenset[str]) -> bool:
    """True for a line that may end what counts; only reading what came so far can tell."""
    if is_special_line(line) and (imitates_tool(line) or find_turn_token(line)):
        return True
    mark = parse_shape(line, markers=True)
    return mark is not None and may_be_output(mark.info) and parse_info(mark.info, owned).tag == OUTPUT
