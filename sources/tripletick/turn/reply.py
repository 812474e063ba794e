"""One whole reply of the model: room is made for it, it streams, and what was cut or did not fit is asked
for once more.

Not covered: what the reply says (dialects), what comes of it (loop).
"""

from __future__ import annotations

import time
from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace

from tripletick.agents.definitions import Agent
from tripletick.dialects import open_dialect
from tripletick.dialects.dialect import Dialect, ParsedReply, ReplyReader
from tripletick.dialects.fence.lines import track_open_fence
from tripletick.errors import ContextFullError, StreamCutError
from tripletick.events import Event, Notice, Prompted, Refused, Reply, Thought, Usage
from tripletick.messages import Chunk, Counts, Finish, Problem
from tripletick.models.conversation import Conversation, TokenBudget
from tripletick.models.model import HOTTEST, Model, Sampling
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.tool import Tool
from tripletick.turn.compaction import Compactor, make_full_error

BLOCKS = ("```", "<tool>")
"""What begins a block, in the dialects in which calls are text."""
FENCE = "fence"
"""How models show code that is not to be run, in every dialect."""
INTERRUPTED = "(interrupted by the person)"
UNUSED = Refused(Problem("cut", 0, ""))
"""The reply shown above was discarded; a new one follows."""
STUCK = "The model was repeating itself and was stopped."
SHORT_ALREADY = "There is nothing to compact: there is little besides the first request and the last step."
OVERTHOUGHT = "It reasoned for more than {tokens} tokens ([model] think_tokens). Retrying without reasoning."
ANSWER_NOW = "Answer now, without thinking it over."
FIRST_BLOCK = lazy_regex(r"(?ms)\A.*?^(`{3,8})\w[^\n]*\n.*?^\1[ \t]*$")
NEXT_BLOCK = lazy_regex(r"(?m)^`{3,8}\w")
REPEATED = (
    "Your answer said the same again and again and was stopped; nothing of it was run. Go on another way."
)

LEAST = 1500
"""Characters in a row that are one piece again and again. A rule, a frame of ASCII art, a refrain are
shorter; a model that is stuck goes on to its token limit, for minutes on a small machine."""
LONGER = 4000
"""The same for pieces that are too long to stand there TIMES in so few."""
IN_CODE = 6000
"""The same inside one fence, for lines and for signs: tables of zeros and padding are code too. Words that
one line repeats are not (1.5B wrote `mv -f -f -f` for minutes)."""
COUNTED = 2000
"""The same inside a fence for pieces of several lines that differ in their numbers alone: 1.5B wrote
`if n == 76: return x == 76` for ten minutes. One line each, as in a list of numbers, is no sign of that."""
BLOCKS_ALIKE, SHORT_BLOCK = 3, 40
"""Equal blocks of so many characters that end a reply: 1.5B wrote the same five lines for nine minutes, below
the other limits on a slow machine."""
NUMBER = lazy_regex(r"\d+")
TIMES = 6
"""The piece stands there at least so often."""
STEP = 256
"""Characters between two looks."""
SEEDS = 1000
"""What the seeds of two samples lie apart: those of two runs have neighbouring seeds."""


@dataclass(frozen=True, slots=True)
class ReceivedReply:
    """What the model said, and whether it ended or was cut at its length."""

    reading: ParsedReply
    finish: Finish
    overthought: bool = False
    """It was hung up on while it thought."""


@dataclass(slots=True)
class ThinkingCounter:
    """Counts the reasoning of one reply; `rate` is tokens a character."""

    most: int
    rate: float
    characters: int = 0

    def exceeds_limit(self, part: Event) -> bool:
        """Tell whether there is too much of it with this part."""
        self.characters += len(part.text) if isinstance(part, Thought) else 0
        return 0 < self.most < self.characters * self.rate


Hearing = Generator[Event, Reply, ReceivedReply]


@dataclass(frozen=True, slots=True)
class ReplySource:
    """Where replies come from: one model, one dialect, one conversation."""

    model: Model
    dialect: Dialect
    conversation: Conversation
    budget: TokenBudget
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

    def read_ahead(self) -> None:
        """Have the engine read what stands before the next request, while the user types it."""
        self.model.read_ahead(self.conversation.build_messages(), self.sampling)

    def close(self) -> None:
        """Have the engine save what sessions begin with, and give back what it holds."""
        self.model.save_prefix(self.conversation.build_front(), self.sampling)
        self.model.close()

    def request_reply(
        self, agent: Agent, more: Collection[str] = (), *, heat: float = 0.0, number: int = 0
    ) -> Hearing:
        """Ask for a reply, in which the agent's tags and `more` are calls, at a temperature raised by `heat`;
        `number` of such a one gives it a seed of its own, where the user has set one.

        Raises ContextFullError where nothing is left to drop, and what the engine raises twice.
        """
        agent = replace(agent, temperature=min(HOTTEST, self._choose_temperature(agent) + heat))
        source = self._with_seed(number) if heat else self
        heard = yield from source._request_with_retry(agent, more)
        if heard.overthought:
            yield UNUSED
            yield Notice(OVERTHOUGHT.format(tokens=self.sampling.think_tokens))
            heard = yield from source._without_thinking()._request_with_retry(agent, more)
        return heard

    def _with_seed(self, number: int) -> ReplySource:
        """Give the same with the seed of this sample: with one seed, samples of one prompt are one."""
        seed = self.sampling.seed
        if seed is None:
            return self
        return replace(self, sampling=replace(self.sampling, seed=(seed + SEEDS * number) % 2**31))

    def _request_with_retry(self, agent: Agent, more: Collection[str]) -> Hearing:
        try:
            yield from self._make_room()
        except KeyboardInterrupt:
            self.conversation.add_reply(INTERRUPTED)
            raise
        try:
            return (yield from self._stream_reply(agent, more))
        except StreamCutError as error:
            yield UNUSED
            yield Notice(f"{error.what} Trying again.")
        except ContextFullError as error:
            yield from self._fit_to_engine(error)
        return (yield from self._stream_reply(agent, more))

    def _without_thinking(self) -> ReplySource:
        """Give the same without reasoning; a model that cannot leave it is told to."""
        if not self.thinks:
            self.conversation.add_user_message(ANSWER_NOW)
        return replace(self, sampling=replace(self.sampling, think=False))

    def without_blocks(self) -> ReplySource:
        """Give the same for a reply of words alone: it ends where a block would begin."""
        return replace(self, sampling=replace(self.sampling, stop=BLOCKS, tools=()))

    def with_tools(self, tools: Mapping[str, Tool]) -> ReplySource:
        """Give the same with more tools, which the engine then is told of."""
        dialect = self.dialect.with_tools(tools)
        return replace(self, dialect=dialect, sampling=replace(self.sampling, tools=dialect.schemas))

    def compact_history(self) -> Generator[Event, Reply, None]:
        """Sum up all but the first request and the last step, however much room there is."""
        if not (yield from self._compactor.compact_to(0)):
            yield Notice(SHORT_ALREADY)

    def _stream_reply(self, agent: Agent, more: Collection[str]) -> Hearing:
        sent = self.conversation.build_messages()
        reader = self._make_reader(agent, more)
        said, thought = RepetitionDetector(), RepetitionDetector()
        begun = time.monotonic()
        finish: Finish = "stop"
        counts: Counts | None = None
        stuck = over = False
        thinking = ThinkingCounter(self.sampling.think_tokens, self.budget.rate)
        try:
            yield Prompted(self.budget.estimate_tokens(sent))
            with closing(self.model.stream(sent, self._make_sampling(agent))) as chunks:
                for chunk in chunks:
                    for part in _read_chunk(reader, chunk):
                        yield part
                        over = thinking.exceeds_limit(part)
                    finish, counts = chunk.finish or finish, chunk.counts or counts
                    stuck = said.add_text(chunk.text) or thought.add_text(chunk.thought)
                    if stuck or over or reader.is_stopped:
                        break
            if counts:
                self.budget.apply_counts(counts, sent)
                yield Usage(counts, self.budget.window, time.monotonic() - begun)
            if stuck:
                yield UNUSED
        except KeyboardInterrupt:
            self.conversation.add_reply("\n\n".join(filter(None, (reader.close("length").text, INTERRUPTED))))
            raise
        if stuck:
            if not agent.tools:
                yield Notice(STUCK)
            return ReceivedReply(self._read_cut(agent, said.get_kept_text()), "stop")
        if over:
            return ReceivedReply(reader.close("length"), "length", overthought=True)
        return ReceivedReply(reader.close(finish), finish)

    def shows_code(self, text: str, runner: Agent) -> bool:
        """Tell whether a text holds a program that this agent would run."""
        reader = open_dialect(FENCE).make_reader(
            runner.list_owned_tags(self.languages), examples=self.examples
        )
        for _ in reader.feed(Chunk(text=text)):
            pass
        return any(call.tool in self.languages for call in reader.close().calls)

    def _make_reader(self, agent: Agent, more: Collection[str] = ()) -> ReplyReader:
        return self.dialect.make_reader(
            (*agent.list_owned_tags(self.languages), *more), examples=self.examples
        )

    def _read_cut(self, agent: Agent, kept: str) -> ParsedReply:
        """Read what stays of a reply that repeated itself: the first of several blocks, else words alone."""
        first = FIRST_BLOCK.match(kept)
        more = first and NEXT_BLOCK.search(kept, first.end())
        if first and more and (reading := self._read_text(agent, f"{first[0]}\n")).calls:
            return reading
        text = self._read_text(agent, kept).text
        return ParsedReply((), None, text, (Problem("repeated", text.count("\n") + 1, REPEATED),))

    def _read_text(self, agent: Agent, text: str) -> ParsedReply:
        reader = self._make_reader(agent)
        for _ in reader.feed(Chunk(text=text)):
            pass
        return reader.close("length")

    def _make_sampling(self, agent: Agent) -> Sampling:
        output = min(
            self.sampling.output, self.longest, self.budget.count_left(self.conversation.build_messages())
        )
        return replace(self.sampling, output=output, temperature=self._choose_temperature(agent))

    def _choose_temperature(self, agent: Agent) -> float:
        return self.sampling.temperature if agent.temperature is None else agent.temperature

    @property
    def _compactor(self) -> Compactor:
        return Compactor(
            self.model, self.dialect, self.conversation, self.budget, self.sampling, self.summary
        )

    def _make_room(self) -> Generator[Event, Reply, None]:
        """Raise our own count where there is no room for a reply whatever is dropped."""
        room = self._compactor
        if room.is_due():
            needed = self.budget.estimate_tokens(self.conversation.build_messages())
            yield from room.compact_to(self._target_tokens)
            if room.is_tight():
                raise make_full_error(needed, self.budget.window)

    def _fit_to_engine(self, told: ContextFullError) -> Generator[Event, Reply, None]:
        """Make room after the engine refused the prompt: what it says of its length is the truth."""
        self.budget.window = min(self.budget.window, told.available or self.budget.window)
        needed = told.needed or self.budget.window
        self.budget.apply_counts(Counts(prompt=needed), self.conversation.build_messages())
        dropped = yield from self._compactor.compact_to(self._target_tokens, needed)
        if not dropped or self._compactor.is_tight():
            raise told

    @property
    def _target_tokens(self) -> int:
        return int(self.budget.target * self.budget.window)


def _read_chunk(reader: ReplyReader, chunk: Chunk) -> Iterator[Event]:
    """Give what a chunk says of the engine's work, then what it adds to the reply."""
    if chunk.progress:
        yield chunk.progress
    yield from reader.feed(chunk)


class RepetitionDetector:
    """One reply while it streams: `add` says when to hang up, `kept` gives what is worth keeping."""

    def __init__(self) -> None:
        self._text, self._new = "", ""
        self._line = 0
        """Where the first line begins that was not looked at for a fence."""
        self._open = ""
        self._opened = 0
        self._begun = 0
        """Where the line begins that has opened the fence."""
        self._blocks = dict[str, list[int]]()
        """Where each block ends, by its text."""
        self._cut: int | None = None

    def add_text(self, piece: str) -> bool:
        """Take the next piece; True once it only repeats what was there."""
        self._new += piece
        if len(self._new) < STEP:
            return False
        self._text, self._new = self._text + self._new, ""
        self._track_fences()
        return self._is_stuck()

    def get_kept_text(self) -> str:
        """Give the text, cut behind the first of the equal pieces where there are some."""
        return (self._text + self._new)[: self._cut]

    def _track_fences(self) -> None:
        while (end := self._text.find("\n", self._line)) >= 0:
            if not self._open:
                self._opened, self._begun = end + 1, self._line
            was_open, self._open = self._open, track_open_fence(self._open, self._text[self._line : end])
            if was_open and not self._open and end - self._begun > SHORT_BLOCK:
                self._blocks.setdefault(self._text[self._begun : end].rstrip(), []).append(end)
            self._line = end + 1

    def _is_stuck(self) -> bool:
        if again := next((ends for ends in self._blocks.values() if len(ends) >= BLOCKS_ALIKE), None):
            self._cut = again[1]
            return True
        ends = (self._text[-least:] for least in (LEAST, LONGER) if len(self._text) >= least)
        length = next(filter(None, map(find_period, ends)), 0)
        if not length:
            return self._is_counting()
        start = find_run_start(self._text, length)
        piece = self._text[-length:]
        is_code = "\n" in piece or not (" " in piece and any(map(str.isalpha, piece)))
        inside = self._open and self._opened <= start + length and is_code
        if inside and len(self._text) - start < IN_CODE:
            return False
        line = self._text.find("\n", start + length - 1, start + 2 * length)
        self._cut = line + 1 if line >= 0 else start + length
        return True

    def _is_counting(self) -> bool:
        start = len(self._text) - COUNTED
        if not self._open or self._opened > start:
            return False
        tail = NUMBER.sub("0", self._text[start:])
        piece = tail[len(tail) - length :] if (length := find_period(tail)) else ""
        if (many := piece.count("\n")) < 2 or not any(map(str.isalpha, piece)):
            return False
        lines = self._text.splitlines(keepends=True)[:-1]
        alike = [NUMBER.sub("0", line) for line in lines]
        first = len(lines) - many
        while first and alike[first - 1] == alike[first - 1 + many]:
            first -= 1
        self._cut = len("".join(lines[: first + many]))
        return True


def find_period(text: str) -> int:
    """Give the length of the piece that the whole text repeats at least TIMES; 0 where there is none."""
    most = len(text) // TIMES
    head = text[: len(text) - most]
    at = text.find(head, 1)
    while at > 0 and text[at:] != text[:-at]:
        at = text.find(head, at + 1)
    return max(at, 0)


def find_run_start(text: str, length: int) -> int:
    """Give where the repetition at the end of the text begins."""
    start = len(text) - length
    while start and text[start - 1] == text[start - 1 + length]:
        start -= 1
    return start


def cut_blocks(text: str) -> str:
    """Give the words before the first block."""
    return text[: min((at for block in BLOCKS if (at := text.find(block)) >= 0), default=None)].strip()
