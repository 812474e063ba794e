"""Calls by the engine's function calling: they come apart from the text, and their results go back apart.

Calls that come as text all the same are read as in xml, and JSON that nothing is around. What is sent to the
engine is the models'.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tripletick.dialects.dialect import ParsedReply
from tripletick.dialects.fence.call_collector import make_call_key
from tripletick.dialects.fence.feedback import format_remarks, format_result
from tripletick.dialects.fence.parse_options import ParseOptions
from tripletick.dialects.fence.reader import FenceReader
from tripletick.dialects.fence.reply_parser import ReplyParser
from tripletick.dialects.named_calls.call_resolver import CallResolver, NotACallError
from tripletick.dialects.named_calls.expression import RawCall, UnreadableCallError
from tripletick.dialects.named_calls.json_calls import read_arguments
from tripletick.dialects.named_calls.tag_collector import make_collector
from tripletick.events import Part
from tripletick.messages import Call, Chunk, Finish, Message, Problem, Result, ToolCall, ToolResult
from tripletick.tools.parameters import to_json_schema
from tripletick.tools.tool import Tool

HOW = "Call the function by its name, with its arguments as JSON."


class NativeDialect:
    """The dialect of function calls."""

    name = "native"
    tools_prompt = ""

    def __init__(self, tools: Mapping[str, Tool], offered: Sequence[str]) -> None:
        self._meaning, self._offered = CallResolver(tools, HOW), tuple(offered)
        self.schemas = tuple(_describe_tool(tools[tag]) for tag in offered if tag in tools)

    def with_tools(self, tools: Mapping[str, Tool]) -> NativeDialect:
        offered = dict.fromkeys((*self._offered, *tools))
        return NativeDialect({**self._meaning.tools, **tools}, list(offered))

    def make_reader(
        self, owned: Collection[str], *, thinking: bool = False, examples: Sequence[str] = ()
    ) -> NativeReader:
        return NativeReader(
            ParseOptions.from_tags(owned, thinking=thinking, examples=examples), self._meaning
        )

    def build_feedback(
        self,
        results: Sequence[tuple[Call, Result]],
        problems: Sequence[Problem],
        *,
        hint: str = "",
        example: Call | None = None,
    ) -> Message:
        """Word a result for each call; what else is told goes with the last, for want of a place between."""
        words = [
            (call, format_result(number, call, result)) for number, (call, result) in enumerate(results, 1)
        ]
        shown = self.format_call(example) if example else None
        remarks = list(format_remarks(problems, hint=hint, example=shown))
        apart = [ToolResult(call.id, call.tool, text) for call, text in words if call.id]
        said = [text for call, text in words if not call.id]
        if apart and not said:
            apart[-1] = replace(apart[-1], text="\n".join((apart[-1].text, *remarks)))
            remarks = []
        return Message("user", "\n".join((*said, *remarks)), results=tuple(apart))

    def format_call(self, call: Call) -> str:
        """Write a call in words: its name, its arguments as JSON."""
        return f"{call.tool} {json.dumps(self._meaning.list_arguments(call), ensure_ascii=False)}"


class NativeReader:
    """Reads one reply: its text as a walk does, and the calls beside it."""

    def __init__(self, terms: ParseOptions, meaning: CallResolver) -> None:
        self._terms, self._meaning = terms, meaning
        self._text = FenceReader(terms, partial(ReplyParser, taking=make_collector(meaning, bare=True)))
        self._came: list[ToolCall] = []

    @property
    def is_stopped(self) -> bool:
        return self._text.is_stopped

    def feed(self, chunk: Chunk) -> Iterator[Part]:
        self._came += chunk.calls
        yield from self._text.feed(chunk)

    def close(self, finish: Finish = "stop") -> ParsedReply:
        """Read the reply as a whole; where calls came beside the text, these alone count."""
        reading = self._text.close(finish)
        if not self._came:
            return reading
        calls: dict[tuple[object, ...], tuple[Call, ToolCall]] = {}
        problems = list(reading.problems)
        for number, came in enumerate(self._came):
            try:
                call, sent = self._read_call(came, number, finish)
            except NotACallError as wrong:
                problems.append(self._make_problem(wrong, number, finish))
                break
            if make_call_key(call) in calls:
                problems.append(self._meaning.make_problem("repeat", number, self._terms.tags))
            calls.setdefault(make_call_key(call), (call, sent))
        return replace(
            reading,
            calls=tuple(call for call, _ in calls.values()),
            sent=tuple(sent for _, sent in calls.values()),
            problems=tuple(problems),
            answer=None,
        )

    def _read_call(self, came: ToolCall, number: int, finish: Finish) -> tuple[Call, ToolCall]:
        """Read one call. Raises NotACallError."""
        try:
            given = read_arguments(came.arguments, whole=finish == "stop")
        except UnreadableCallError:
            code = "unread-call" if finish == "stop" else "unclosed-call"
            raise NotACallError(code, tag=came.name) from None
        call = self._meaning.resolve_call(RawCall(came.name, given), self._terms, number)
        sent = replace(
            came, arguments=json.dumps(given, ensure_ascii=False), id=came.id or f"call_{number + 1}"
        )
        return replace(call, id=sent.id), sent

    def _make_problem(self, wrong: NotACallError, number: int, finish: Finish) -> Problem:
        cut = finish == "length"
        return self._meaning.make_problem(
            wrong.code, number, self._terms.tags, cut=cut, what=wrong.what, tag=wrong.tag
        )


def _describe_tool(tool: Tool) -> dict[str, Any]:
    """Describe a tool as engines want it."""
    takes, says = to_json_schema(tool.form.parameters), tool.form.says or tool.summary.partition(";")[0]
    return {
        "type": "function",
        "function": {"name": tool.tag, "description": says, "parameters": takes},
    }
