"""What the loop needs of a way to write calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tripletick.events import Part
from tripletick.messages import Call, Chunk, Finish, Message, Problem, Result, ToolCall
from tripletick.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What a whole reply says."""

    calls: tuple[Call, ...]
    reasoning: str | None
    """Parts joined by a blank line, tags removed, stripped; None if there was none."""
    text: str
    """The reply as it goes into the history: raw, without reasoning, cut at an invented result or leaked
    turn.
    """
    problems: tuple[Problem, ...]
    question: str | None = None
    """What follows REQUEST_CLARIFICATION at the beginning of a line, outside reasoning and blocks."""
    answer: str | None = None
    """The words of the answer, where they are marked as such; None: the text is it."""
    sent: tuple[ToolCall, ...] = ()
    """The calls that came apart from the text, as they go into the history."""

    @property
    def answer_text(self) -> str:
        """What the reply says to the person."""
        return (self.text if self.answer is None else self.answer).strip()


class ReplyReader(Protocol):
    """Reads one reply; where its chunks are cut must not matter."""

    @property
    def is_stopped(self) -> bool:
        """True once nothing that follows can count (an invented result, a leaked turn): hang up."""
        ...

    def feed(self, chunk: Chunk) -> Iterator[Part]:
        """Yield what may be shown so far."""
        ...

    def close(self, finish: Finish = "stop") -> ParsedReply:
        """Read the reply as a whole; it has ended."""
        ...


class Dialect(Protocol):
    """One way to write tool calls down."""

    @property
    def name(self) -> str: ...

    @property
    def schemas(self) -> tuple[Mapping[str, Any], ...]:
        """What the engine is told of the tools; nothing where calls are text."""
        ...

    @property
    def tools_prompt(self) -> str:
        """What the system prompt tells of the tools: `read(path, lines?) …`; "" where tags are enough."""
        ...

    def make_reader(
        self, owned: Collection[str], *, thinking: bool = False, examples: Sequence[str] = ()
    ) -> ReplyReader:
        """Start a reply in which these canonical tags are calls and all else is prose.

        `thinking`: the template has already opened the reasoning. `examples`: block contents of our own
        prompt.
        """
        ...

    def build_feedback(
        self,
        results: Sequence[tuple[Call, Result]],
        problems: Sequence[Problem],
        *,
        hint: str = "",
        example: Call | None = None,
    ) -> Message:
        """Word the one message that carries results back to the model; `example` shows how a call is
        written.
        """
        ...

    def with_tools(self, tools: Mapping[str, Tool]) -> Dialect:
        """Give the same with more tools."""
        ...

    def format_call(self, call: Call) -> str:
        """Write a call in words."""
        ...
