"""Calls as Markdown code fences: the tag names the tool, the body is its input, a path saves the body."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tripletick.dialects.fence.feedback import format_call, format_results
from tripletick.dialects.fence.parse_options import ParseOptions
from tripletick.dialects.fence.reader import FenceReader
from tripletick.dialects.fence.reply_parser import parse_reply
from tripletick.messages import Call, Message, Problem, Result
from tripletick.tools.tool import Tool

__all__ = ["FenceDialect", "FenceReader", "format_call", "parse_reply"]


class FenceDialect:
    """The default dialect."""

    name = "fence"
    schemas: tuple[Mapping[str, Any], ...] = ()
    tools_prompt = ""

    def make_reader(
        self, owned: Collection[str], *, thinking: bool = False, examples: Sequence[str] = ()
    ) -> FenceReader:
        """Start a reply. `owned` are canonical tags; in a list the first are those that the model is told."""
        return FenceReader(ParseOptions.from_tags(owned, thinking=thinking, examples=examples))

    def build_feedback(
        self,
        results: Sequence[tuple[Call, Result]],
        problems: Sequence[Problem],
        *,
        hint: str = "",
        example: Call | None = None,
    ) -> Message:
        """Word the one message that carries results back to the model."""
        return Message("user", format_results(results, problems, hint=hint, example=example))

    def with_tools(self, tools: Mapping[str, Tool]) -> FenceDialect:
        return self

    def format_call(self, call: Call) -> str:
        """Write a call as the reader reads it."""
        return format_call(call)


def make_dialect(tools: Mapping[str, Tool], offered: Sequence[str]) -> FenceDialect:
    """Give the dialect; its calls name no parameters."""
    return FenceDialect()
