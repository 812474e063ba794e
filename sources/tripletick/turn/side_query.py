"""A side question: put behind the last reply, answered by the model at work, and never part of the history.

So the engine has nothing old to read again. Nothing of the answer is run. Not covered: what is asked, and
what the answer is good for (compaction, routing).
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

from tripletick.dialects.dialect import Dialect
from tripletick.events import Event, Reply, Usage
from tripletick.messages import Chunk, Finish, Message, ToolResult
from tripletick.models.conversation import TokenBudget
from tripletick.models.model import Model, Sampling

LATER = "(The result comes later.)"


@dataclass(frozen=True, slots=True)
class SideAnswer:
    """What the model answered, without its reasoning, and how that ended."""

    text: str
    finish: Finish


def append_question(messages: Sequence[Message], question: str) -> list[Message]:
    """Put a question behind the last reply; what came after that reply is left out, but that calls of its
    were answered, which some engines insist on.
    """
    sent = list(messages)
    while sent[-1].role == "user":
        sent.pop()
    answers = tuple(ToolResult(call.id, call.name, LATER) for call in sent[-1].calls)
    return [*sent, Message("user", question, results=answers)]


def ask_question(
    model: Model, dialect: Dialect, asked: Sequence[Message], sampling: Sampling, budget: TokenBudget
) -> Generator[Event, Reply, SideAnswer]:
    """Have the question at the end of `asked` answered. Raises what the engine raises."""
    reader, last = dialect.make_reader(()), Chunk()
    begun = time.monotonic()
    with closing(model.stream(asked, sampling)) as chunks:
        for chunk in chunks:
            last = chunk
            for _ in reader.feed(chunk):
                # shown once it is known to be of use
                pass
    if last.counts:
        yield Usage(last.counts, budget.window, time.monotonic() - begun)
    finish = last.finish or "stop"
    return SideAnswer(reader.close(finish).answer_text, finish)
