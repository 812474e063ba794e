"""Calls in tags: `<tool>read(path="a.txt")</tool>`, results in `<observation>`, the answer in `<answer>`.

Models that were trained on other tags are read too (named/forms). How results are worded is the fence's.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from tripletick.dialects.dialect import ParsedReply
from tripletick.dialects.fence.feedback import format_remarks, format_result
from tripletick.dialects.fence.parse_options import ParseOptions
from tripletick.dialects.fence.reader import FenceReader
from tripletick.dialects.fence.reply_parser import ReplyParser
from tripletick.dialects.named_calls.call_resolver import CallResolver, format_signatures
from tripletick.dialects.named_calls.tag_collector import TagDisplay, make_collector
from tripletick.events import Part, Text
from tripletick.messages import Call, Chunk, Finish, Message, Problem, Result
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.tool import Tool

HOW = 'Write the tool on lines of its own: <tool>bash(command="ls")</tool>'
_PLAIN = lazy_regex(r'[^\\"]*(?:"{1,2}[^\\"]+)*')
END = "</observation>"
"""No output can close it: there it gets a backslash."""


class XmlDialect:
    """The dialect of tags."""

    name = "xml"
    schemas: tuple[Mapping[str, Any], ...] = ()

    def __init__(self, tools: Mapping[str, Tool], offered: Sequence[str]) -> None:
        self._meaning, self._offered = CallResolver(tools, HOW), offered
        self.tools_prompt = format_signatures(tools, offered)

    def with_tools(self, tools: Mapping[str, Tool]) -> XmlDialect:
        return XmlDialect({**self._meaning.tools, **tools}, self._offered)

    def make_reader(
        self, owned: Collection[str], *, thinking: bool = False, examples: Sequence[str] = ()
    ) -> XmlReader:
        terms = ParseOptions.from_tags(owned, thinking=thinking, examples=examples)
        return XmlReader(FenceReader(terms, partial(ReplyParser, taking=make_collector(self._meaning))))

    def build_feedback(
        self,
        results: Sequence[tuple[Call, Result]],
        problems: Sequence[Problem],
        *,
        hint: str = "",
        example: Call | None = None,
    ) -> Message:
        """Word the one message that carries results back to the model."""
        seen = "\n".join(format_result(number, *pair) for number, pair in enumerate(results, 1))
        seen = seen.replace(END, END.replace("/", "\\/"))
        observed = (f"<observation>\n{seen}\n{END}",) if results else ()
        shown = self.format_call(example) if example else None
        return Message("user", "\n".join((*observed, *format_remarks(problems, hint=hint, example=shown))))

    def format_call(self, call: Call) -> str:
        """Write a call; text of several lines in three quotes where it can stand there as it is."""
        given = self._meaning.list_arguments(call)
        words = ", ".join(f"{name}={_format_value(value)}" for name, value in given.items())
        return f"<tool>{call.tool}({words})</tool>"


class XmlReader:
    """Reads one reply, and shows it without its tags."""

    def __init__(self, text: FenceReader) -> None:
        self._text, self._showing = text, TagDisplay()

    @property
    def is_stopped(self) -> bool:
        return self._text.is_stopped

    def feed(self, chunk: Chunk) -> Iterator[Part]:
        for part in self._text.feed(chunk):
            yield from self._showing.feed(part.text) if isinstance(part, Text) else [part]
        if chunk.finish is not None:
            yield from self._showing.flush()

    def close(self, finish: Finish = "stop") -> ParsedReply:
        """Read the reply as a whole; it has ended."""
        return self._text.close(finish)


def _format_value(value: Any) -> str:
    if not isinstance(value, str):
        return repr(value)
    if "\n" in value and _PLAIN.fullmatch(value) and "\r" not in value:
        return f'"""{value}"""'
    return json.dumps(value, ensure_ascii=False)
