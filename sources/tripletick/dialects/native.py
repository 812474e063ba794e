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

from tripletick.dialects.dialect import Reading
from tripletick.dialects.fence.acting import Walk
from tripletick.dialects.fence.feedback import word_remarks, word_result
from tripletick.dialects.fence.reader import FenceReader
from tripletick.dialects.fence.taking import same_as
from tripletick.dialects.fence.terms import Terms
from tripletick.dialects.named.elements import taking
from tripletick.dialects.named.expression import Spoken, UnreadError
from tripletick.dialects.named.meaning import Meaning, NotACallError
from tripletick.dialects.named.objects import read_arguments
from tripletick.events import Part
from tripletick.messages import Call, Chunk, Finish, Message, Problem, Result, ToolCall, ToolResult
from tripletick.tools.parameters import schema
from tripletick.tools.tool import Tool

HOW = "Call the function by its name, with its arguments as JSON."


class Native:
    """The dialect of function calls."""

    name = "native"
    told = ""

    def __init__(self, tools: Mapping[str, Tool], offered: Sequence[str]) -> None:
        self._meaning, self._offered = Meaning(tools, HOW), tuple(offered)
        self.schemas = tuple(_schema(tools[tag]) for tag in offered if tag in tools)

    def having(self, tools: Mapping[str, Tool]) -> Native:
        offered = dict.fromkeys((*self._offered, *tools))
        return Native({**self._meaning.tools, **tools}, list(offered))

    def reader(
        self, owned: Collection[str], *, thinking: bool = False, examples: Sequence[str] = ()
    ) -> NativeReader:
        return NativeReader(Terms.of(owned, thinking=thinking, examples=examples), self._meaning)

    def feedback(
        self,
        results: Sequence[tuple[Call, Result]],
        problems: Sequence[Problem],
        *,
        hint: str = "",
        example: Call | None = None,
    ) -> Message:
        """Word a result for each call; what else is told goes with the last, for want of a place between."""
        words = [
            (call, word_result(number, call, result)) for number, (call, result) in enumerate(results, 1)
        ]
        shown = self.write(example) if example else None
        remarks = list(word_remarks(problems, hint=hint, example=shown))
        apart = [ToolResult(call.id, call.tool, text) for call, text in words if call.id]
        said = [text for call, text in words if not call.id]
        if apart and not said:
            apart[-1] = replace(apart[-1], text="\n".join((apart[-1].text, *remarks)))
            remarks = []
        return Message("user", "\n".join((*said, *remarks)), results=tuple(apart))

    def write(self, call: Call) -> str:
        """Write a call in words: its name, its arguments as JSON."""
        return f"{call.tool} {json.dumps(self._meaning.arguments(call), ensure_ascii=False)}"


class NativeReader:
    """Reads one reply: its text as a walk does, and the calls beside it."""

    def __init__(self, terms: Terms, meaning: Meaning) -> None:
        self._terms, self._meaning = terms, meaning
        self._text = FenceReader(terms, partial(Walk, taking=taking(meaning, bare=True)))
        self._came: list[ToolCall] = []

    @property
    def stopped(self) -> bool:
        return self._text.stopped

    def feed(self, chunk: Chunk) -> Iterator[Part]:
        self._came += chunk.calls
        yield from self._text.feed(chunk)

    def close(self, finish: Finish = "stop") -> Reading:
        """Read the reply as a whole; where calls came beside the text, these alone count."""
        reading = self._text.close(finish)
        if not self._came:
            return reading
        calls: dict[tuple[object, ...], tuple[Call, ToolCall]] = {}
        problems = list(reading.problems)
        for number, came in enumerate(self._came):
            try:
                call, sent = self._read(came, number, finish)
            except NotACallError as wrong:
                problems.append(self._told(wrong, number, finish))
                break
            if same_as(call) in calls:
                problems.append(self._meaning.problem("repeat", number, self._terms.tags))
            calls.setdefault(same_as(call), (call, sent))
        return replace(
            reading,
            calls=tuple(call for call, _ in calls.values()),
            sent=tuple(sent for _, sent in calls.values()),
            problems=tuple(problems),
            answer=None,
        )

    def _read(self, came: ToolCall, number: int, finish: Finish) -> tuple[Call, ToolCall]:
        """Read one call. Raises NotACallError."""
        try:
            given = read_arguments(came.arguments, whole=finish == "stop")
        except UnreadError:
            code = "unread-call" if finish == "stop" else "unclosed-call"
            raise NotACallError(code, tag=came.name) from None
        call = self._meaning.call(Spoken(came.name, given), self._terms, number)
        sent = replace(
            came, arguments=json.dumps(given, ensure_ascii=False), id=came.id or f"call_{number + 1}"
        )
        return replace(call, id=sent.id), sent

    def _told(self, wrong: NotACallError, number: int, finish: Finish) -> Problem:
        cut = finish == "length"
        return self._meaning.problem(
            wrong.code, number, self._terms.tags, cut=cut, what=wrong.what, tag=wrong.tag
        )


def _schema(tool: Tool) -> dict[str, Any]:
    """Describe a tool as engines want it."""
    takes, says = schema(tool.form.parameters), tool.form.says or tool.summary.partition(";")[0]
    return {
        "type": "function",
        "function": {"name": tool.tag, "description": says, "parameters": takes},
    }
