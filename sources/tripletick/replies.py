"""One whole reply of the model: room is made for it, it streams, and what was cut or did not fit is asked
for once more.

Not covered: what the reply says (dialects), what comes of it (loop).
"""

from __future__ import annotations

import time
from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace

from tripletick.agents import Agent
from tripletick.compaction import Compaction, too_long
from tripletick.context import Budget, Conversation
from tripletick.dialects import open_dialect
from tripletick.dialects.dialect import Dialect, Reader, Reading
from tripletick.errors import ContextFullError, StreamCutError
from tripletick.events import Event, Notice, Prompted, Refused, Reply, Thought, Usage
from tripletick.messages import Chunk, Counts, Finish, Problem
from tripletick.models.model import HOTTEST, Model, Sampling
from tripletick.repeats import Repeats
from tripletick.tools.tool import Tool

BLOCKS = ("```", "<tool>")
"""What begins a block, in the dialects in which calls are text."""
FENCE = "fence"
"""How models show code that is not to be run, in every dialect."""
INTERRUPTED = "(interrupted by the person)"
UNUSED = Refused(Problem("cut", 0, ""))
"""What was shown of the reply is not used; what follows is another one."""
STUCK = "The model wrote the same again and again, so it was stopped there."
SHORT_ALREADY = "There is nothing to compact: beside the first request and the last step there is little."
OVERTHOUGHT = "It thought for more than {tokens} tokens ([model] think_tokens). Asking again without."
ANSWER_NOW = "Answer now, without thinking it over."
REPEATED = (
    "Your answer said the same again and again and was stopped; nothing of it was run. Go on another way."
)


@dataclass(frozen=True, slots=True)
class Heard:
    """What the model said, and whether it ended or was cut at its length."""

    reading: Reading
    finish: Finish
    overthought: bool = False
    """It was hung up on while it thought."""


@dataclass(slots=True)
class Thinking:
    """Counts the reasoning of one reply; `rate` is tokens a character."""

    most: int
    rate: float
    characters: int = 0

    def over(self, part: Event) -> bool:
        """Tell whether there is too much of it with this part."""
        self.characters += len(part.text) if isinstance(part, Thought) else 0
        return 0 < self.most < self.characters * self.rate


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
    summary: str = ""
    """What the model is asked for a summary …"""
    draft: str = ""
    """… and for the message of a commit."""
    thinks: bool = False
    """The engine can leave the reasoning out."""
    longest: int = 1_000_000
    """The most tokens of a reply that suit the model."""

    def hear(self, agent: Agent, more: Collection[str] = (), *, heat: float = 0.0) -> Hearing:
        """Ask for a reply, in which the agent's tags and `more` are calls, at a temperature raised by `heat`.

        Raises ContextFullError where nothing is left to drop, and what the engine raises twice.
        """
        agent = replace(agent, temperature=min(HOTTEST, self._temperature(agent) + heat))
        heard = yield from self._heard(agent, more)
        if heard.overthought:
            yield UNUSED
            yield Notice(OVERTHOUGHT.format(tokens=self.sampling.think_tokens))
            heard = yield from self._unthinking()._heard(agent, more)
        return heard

    def _heard(self, agent: Agent, more: Collection[str]) -> Hearing:
        try:
            yield from self._make_room()
        except KeyboardInterrupt:
            self.talk.reply(INTERRUPTED)
            raise
        try:
            return (yield from self._stream(agent, more))
        except StreamCutError as error:
            yield UNUSED
            yield Notice(f"{error.what} Asking again.")
        except ContextFullError as error:
            yield from self._refit(error)
        return (yield from self._stream(agent, more))

    def _unthinking(self) -> Replies:
        """Give the same without reasoning; a model that cannot leave it is told to."""
        if not self.thinks:
            self.talk.say(ANSWER_NOW)
        return replace(self, sampling=replace(self.sampling, think=False))

    def without_blocks(self) -> Replies:
        """Give the same for a reply of words alone: it ends where a block would begin."""
        return replace(self, sampling=replace(self.sampling, stop=BLOCKS, tools=()))

    def having(self, tools: Mapping[str, Tool]) -> Replies:
        """Give the same with more tools, which the engine then is told of."""
        dialect = self.dialect.having(tools)
        return replace(self, dialect=dialect, sampling=replace(self.sampling, tools=dialect.schemas))

    def compact(self) -> Generator[Event, Reply, None]:
        """Sum up all but the first request and the last step, however much room there is."""
        if not (yield from self._compaction.down(0)):
            yield Notice(SHORT_ALREADY)

    def _stream(self, agent: Agent, more: Collection[str]) -> Hearing:
        sent = self.talk.messages()
        reader = self._reader(agent, more)
        said, thought = Repeats(), Repeats()
        begun = time.monotonic()
        finish: Finish = "stop"
        counts: Counts | None = None
        stuck = over = False
        thinking = Thinking(self.sampling.think_tokens, self.budget.rate)
        try:
            yield Prompted(self.budget.estimate(sent))
            with closing(self.model.stream(sent, self._sampling(agent))) as chunks:
                for chunk in chunks:
                    for part in _parts(reader, chunk):
                        yield part
                        over = thinking.over(part)
                    finish, counts = chunk.finish or finish, chunk.counts or counts
                    stuck = said.add(chunk.text) or thought.add(chunk.thought)
                    if stuck or over or reader.stopped:
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
            return Heard(self._read_cut(agent, said.kept()), "stop")
        if over:
            return Heard(reader.close("length"), "length", overthought=True)
        return Heard(reader.close(finish), finish)

    def shows_code(self, text: str, runner: Agent) -> bool:
        """Tell whether a text holds a program that this agent would run."""
        reader = open_dialect(FENCE).reader(runner.owned(self.languages), examples=self.examples)
        for _ in reader.feed(Chunk(text=text)):
            pass
        return any(call.tool in self.languages for call in reader.close().calls)

    def _reader(self, agent: Agent, more: Collection[str] = ()) -> Reader:
        return self.dialect.reader((*agent.owned(self.languages), *more), examples=self.examples)

    def _read_cut(self, agent: Agent, kept: str) -> Reading:
        """Read what stays of a reply that repeated itself: words, no block of it counts."""
        reader = self._reader(agent)
        for _ in reader.feed(Chunk(text=kept)):
            pass
        text = reader.close("length").text
        return Reading((), None, text, (Problem("repeated", text.count("\n") + 1, REPEATED),))

    def _sampling(self, agent: Agent) -> Sampling:
        output = min(self.sampling.output, self.longest, self.budget.left(self.talk.messages()))
        return replace(self.sampling, output=output, temperature=self._temperature(agent))

    def _temperature(self, agent: Agent) -> float:
        return self.sampling.temperature if agent.temperature is None else agent.temperature

    @property
    def _compaction(self) -> Compaction:
        return Compaction(self.model, self.dialect, self.talk, self.budget, self.sampling, self.summary)

    def _make_room(self) -> Generator[Event, Reply, None]:
        """Raise our own count where there is no room for a reply whatever is dropped."""
        room = self._compaction
        if room.due():
            needed = self.budget.estimate(self.talk.messages())
            yield from room.down(self._goal)
            if room.tight():
                raise too_long(needed, self.budget.window)

    def _refit(self, told: ContextFullError) -> Generator[Event, Reply, None]:
        """Make room after the engine refused the prompt: what it says of its length is the truth."""
        self.budget.window = min(self.budget.window, told.available or self.budget.window)
        needed = told.needed or self.budget.window
        self.budget.count(Counts(prompt=needed), self.talk.messages())
        dropped = yield from self._compaction.down(self._goal, needed)
        if not dropped or self._compaction.tight():
            raise told

    @property
    def _goal(self) -> int:
        return int(self.budget.target * self.budget.window)


def _parts(reader: Reader, chunk: Chunk) -> Iterator[Event]:
    """Give what a chunk says of the engine's work, then what it adds to the reply."""
    if chunk.progress:
        yield chunk.progress
    yield from reader.feed(chunk)
