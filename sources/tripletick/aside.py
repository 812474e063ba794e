"""A side question: put behind the last reply, answered by the model at work, and never part of the history.

So the engine has nothing old to read again. Nothing of the answer is run. Not covered: what is asked, and
what the answer is good for (compaction, routing).
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

from tripletick.context import Budget
from tripletick.dialects.dialect import Dialect
from tripletick.events import Event, Reply, Usage
from tripletick.messages import Chunk, Finish, Message
from tripletick.models.model import Model, Sampling


@dataclass(frozen=True, slots=True)
class Said:
    """What the model answered, without its reasoning, and how that ended."""

    text: str
    finish: Finish


def behind(messages: Sequence[Message], question: str) -> list[Message]:
    """Put a question behind the last reply; what came after that reply is left out."""
    sent = list(messages)
    while sent[-1].role == "user":
        sent.pop()
    return [*sent, Message("user", question)]


def ask(
    model: Model, dialect: Dialect, asked: Sequence[Message], sampling: Sampling, budget: Budget
) -> Generator[Event, Reply, Said]:
    """Have the question at the end of `asked` answered. Raises what the engine raises."""
    reader, last = dialect.reader(()), Chunk()
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
    return Said(reader.close(finish).text.strip(), finish)
