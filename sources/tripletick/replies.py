"""One whole reply of the model: room is made for it, it streams, and what was cut or did not fit is asked
for once more.

Not covered: what the reply says (dialects), what comes of it (loop).
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace

from tripletick.agents import Agent
from tripletick.context import SMALLEST_REPLY, Budget, Conversation
from tripletick.dialects.dialect import Dialect, Reader, Reading
from tripletick.errors import ContextFullError, StreamCutError
from tripletick.events import Compacted, Event, Notice, Refused, Reply, Usage
from tripletick.messages import Chunk, Counts, Finish, Problem
from tripletick.models.model import Model, Sampling
from tripletick.repeats import Repeats

INTERRUPTED = "(interrupted by the person)"
UNUSED = Refused(Problem("cut", 0, ""))
"""What was shown of the reply is not used; what follows is another one."""
STUCK = "The model wrote the same again and again, so it was stopped there."
REPEATED = (
    "Your answer said the same again and again and was stopped; nothing of it was run. Go on another way."
)


@dataclass(frozen=True, slots=True)
class Heard:
    """What the model said, and whether it ended or was cut at its length."""

    reading: Reading
    finish: Finish


Hearing = Generator[Event, Reply, Heard]


@dataclass(frozen=True, slots=True)
class Replies:
    """Where replies come from: one model, one dialect, one conversation."""

    model: Model
    dialect: Dialect
    talk: Conversation
    budget: Budget
    sampling: Sampling
    languages: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()

    def hear(self, agent: Agent) -> Hearing:
        """Ask for a reply. Raises ContextFullError where nothing is left to drop, and what the engine raises
        twice.
        """
        yield from self._make_room()
        try:
            return (yield from self._stream(agent))
        except StreamCutError as error:
            yield UNUSED
            yield Notice(f"{error.what} Asking again.")
        except ContextFullError as error:
            yield from self._drop(error.needed or self.budget.window, error)
        return (yield from self._stream(agent))

    def _stream(self, agent: Agent) -> Hearing:
        sent = self.talk.messages()
        reader = self._reader(agent)
        said, thought = Repeats(), Repeats()
        begun = time.monotonic()
        finish: Finish = "stop"
        counts: Counts | None = None
        stuck = False
        try:
            with closing(self.model.stream(sent, self._sampling(agent))) as chunks:
                for chunk in chunks:
                    yield from reader.feed(chunk)
                    finish, counts = chunk.finish or finish, chunk.counts or counts
                    stuck = said.add(chunk.text) or thought.add(chunk.thought)
                    if stuck or reader.stopped:
                        break
            if counts:
                self.budget.count(counts, sent)
                yield Usage(counts, self.budget.window, time.monotonic() - begun)
            if stuck:
                yield UNUSED
        except KeyboardInterrupt:
            self.talk.reply("\n\n".join(filter(None, (reader.close("length").text, INTERRUPTED))))
            raise
        if stuck:
            if not agent.tools:
                yield Notice(STUCK)
            return self._read_cut(agent, said.kept())
        return Heard(reader.close(finish), finish)

    def _reader(self, agent: Agent) -> Reader:
        return self.dialect.reader(agent.owned(self.languages), examples=self.examples)

    def _read_cut(self, agent: Agent, kept: str) -> Heard:
        """Read what stays of a reply that repeated itself: words, no block of it counts."""
        reader = self._reader(agent)
        for _ in reader.feed(Chunk(text=kept)):
            pass
        text = reader.close("length").text
        problem = Problem("repeated", text.count("\n") + 1, REPEATED)
        return Heard(Reading((), None, text, (problem,)), "stop")

    def _sampling(self, agent: Agent) -> Sampling:
        base = self.sampling
        warm = base.temperature if agent.temperature is None else agent.temperature
        return replace(
            base, output=min(base.output, self.budget.left(self.talk.messages())), temperature=warm
        )

    def _make_room(self) -> Generator[Event, Reply, None]:
        needed = self.budget.estimate(self.talk.messages())
        if needed > self.budget.full * self.budget.window or self._tight():
            yield from self._drop(needed, None)

    def _drop(self, needed: int, told: ContextFullError | None) -> Generator[Event, Reply, None]:
        """Drop old outputs down to the target; raise what the engine told, or our own count, if that is not
        enough.
        """
        dropped = self.talk.shorten(self.budget, int(self.budget.target * self.budget.window))
        if dropped:
            yield Compacted(needed, self.budget.estimate(self.talk.messages()))
        if self._tight() or (told and not dropped):
            raise told or too_long(needed, self.budget.window)

    def _tight(self) -> bool:
        return self.budget.left(self.talk.messages()) < SMALLEST_REPLY


def too_long(needed: int, window: int) -> ContextFullError:
    """Say that a conversation does not fit, in tokens."""
    return ContextFullError(
        f"The conversation needs {needed} tokens and room for a reply, the model has {window}.",
        "Nothing is cut in silence, and no old output is left to drop.",
        f"Ask in smaller parts, or give it more: --ctx {max(4096, 2 * window)}",
        needed=needed,
        available=window,
    )
