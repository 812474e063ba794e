"""Calls as Markdown code fences: the tag names the tool, the body is its input, a path saves the body."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tripletick.dialects.fence.acting import read
from tripletick.dialects.fence.feedback import word_results, write_call
from tripletick.dialects.fence.reader import FenceReader
from tripletick.dialects.fence.terms import Terms
from tripletick.messages import Call, Message, Problem, Result
from tripletick.tools.tool import Tool

__all__ = ["Fence", "FenceReader", "read", "write_call"]


class Fence:
    """The default dialect."""

    name = "fence"
    schemas: tuple[Mapping[str, Any], ...] = ()
    told = ""

    def reader(
        self, owned: Collection[str], *, thinking: bool = False, examples: Sequence[str] = ()
    ) -> FenceReader:
        """Start a reply. `owned` are canonical tags; in a list the first are those that the model is told."""
        return FenceReader(Terms.of(owned, thinking=thinking, examples=examples))

    def feedback(
        self,
        results: Sequence[tuple[Call, Result]],
        problems: Sequence[Problem],
        *,
        hint: str = "",
        example: Call | None = None,
    ) -> Message:
        """Word the one message that carries results back to the model."""
        return Message("user", word_results(results, problems, hint=hint, example=example))

    def having(self, tools: Mapping[str, Tool]) -> Fence:
        return self

    def write(self, call: Call) -> str:
        """Write a call as the reader reads it."""
        return write_call(call)


def opened(tools: Mapping[str, Tool], offered: Sequence[str]) -> Fence:
    """Give the dialect; its calls name no parameters."""
    return Fence()
