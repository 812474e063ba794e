"""Makes room in a conversation that has become too long: old outputs go first, then the model sums up.

The question for the summary is put behind the last reply, so that the engine has nothing old to read again,
and is taken off afterwards. What the model answers is text for the history: nothing of it is run, and where
it cannot be used the old messages go without one. Not covered: what of the history stays (context).
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from tripletick.dialects.dialect import Dialect
from tripletick.errors import ContextFullError, StreamCutError
from tripletick.events import Compacted, Compacting, Event, Reply
from tripletick.messages import Message
from tripletick.models.conversation import SMALLEST_REPLY, Conversation, TokenBudget
from tripletick.models.model import Model, Sampling
from tripletick.system.lazy_regex import lazy_regex
from tripletick.turn import side_query

SHORTEST, LONGEST = 64, 512
"""Tokens of a summary: a third of what goes, at most an eighth of the window and what room there is, within
these.
"""
WORTH = 0.1
"""The part of the window that must come free; a summary costs the user a wait and the engine its cache."""
GONE = "(Older messages were dropped to save room.)"
"""Stands in the history where there is no summary."""
_BLOCK = lazy_regex(r"^\s*(```|~~~|<(tool|function)\b|<(tool|function)_call\b)", re.MULTILINE)
_WORD = lazy_regex(r"\w")

Room = Generator[Event, Reply, bool]


@dataclass(frozen=True, slots=True)
class Compactor:
    """What room is made with; `question` asks for a summary, {words} in it is how long that may be."""

    model: Model
    dialect: Dialect
    conversation: Conversation
    budget: TokenBudget
    sampling: Sampling
    question: str

    def is_due(self) -> bool:
        """Tell whether room must be made before the next reply."""
        return self._estimate_tokens() > self.budget.full * self.budget.window or self.is_tight()

    def is_tight(self) -> bool:
        """Tell whether there is no room for a reply that is worth asking for."""
        return self.budget.count_left(self.conversation.build_messages()) < SMALLEST_REPLY

    def compact_to(self, goal: int, needed: int = 0) -> Room:
        """Drop old outputs and, where that is not enough, sum up; False where nothing could be dropped.

        `needed` is what the engine counted, if it told.
        """
        before, whole = needed or self._estimate_tokens(), self.conversation.copy()
        outputs, gone, summary = self.conversation.drop_outputs(self.budget, goal), 0, ""
        if self._estimate_tokens() > goal and (length := self._choose_summary_length(goal)):
            summary = yield from self._request_summary(whole, length)
            gone = self._drop_messages(self.conversation, goal, summary or GONE)
        if not outputs and not gone:
            return False
        yield Compacted(before, self._estimate_tokens(), self.budget.window, outputs, gone, summary)
        return True

    def _estimate_tokens(self) -> int:
        return self.budget.estimate_tokens(self.conversation.build_messages())

    def _choose_summary_length(self, goal: int) -> int:
        """Give the tokens that a summary may have, 0 where what could go is not worth one."""
        look, window = self.conversation.copy(), self.budget.window
        self._drop_messages(look, 0, GONE)
        freed = self._estimate_tokens() - self.budget.estimate_tokens(look.build_messages())
        length = max(SHORTEST, min(LONGEST, window // 8, freed // 3))
        least = WORTH * window if goal and not self.is_tight() else 0
        return length if freed - length > least else 0

    def _drop_messages(self, conversation: Conversation, goal: int, summary: str) -> int:
        """Replace as little as reaches the goal, else as much as can go; gives how many messages went."""
        for kept in conversation.find_cuts():
            look = conversation.copy()
            look.apply_summary(kept, summary)
            if self.budget.estimate_tokens(look.build_messages()) <= goal:
                return conversation.apply_summary(kept, summary)
        return (
            conversation.apply_summary(conversation.find_cuts()[-1], summary)
            if conversation.find_cuts()
            else 0
        )

    def _request_summary(self, whole: Conversation, length: int) -> Generator[Event, Reply, str]:
        """Ask for a summary; "" where there is no room for one or what comes is none.

        The whole conversation is what the engine has in its cache; without its old outputs it is shorter.
        """
        for conversation in (whole, self.conversation):
            room = min(length, self.budget.count_left(self._build_question(conversation, length)))
            if room >= SHORTEST:
                yield Compacting()
                try:
                    return (yield from self._write_summary(self._build_question(conversation, room), room))
                except (ContextFullError, StreamCutError):
                    # what was wanted was room; there is a way without a summary
                    return ""
        return ""

    def _build_question(self, conversation: Conversation, length: int) -> list[Message]:
        """Put the question behind the last reply; a later message stays as it is, summed up or not."""
        return side_query.append_question(
            conversation.build_messages(), self.question.replace("{words}", str(length * 3 // 5))
        )

    def _write_summary(self, asked: Sequence[Message], length: int) -> Generator[Event, Reply, str]:
        sampling = replace(self.sampling, output=length, temperature=0.0, think=False)
        said = yield from side_query.ask_question(self.model, self.dialect, asked, sampling, self.budget)
        usable = said.finish == "stop" and _WORD.search(said.text) and not _BLOCK.search(said.text)
        return said.text if usable else ""


def make_full_error(needed: int, window: int) -> ContextFullError:
    """Say that a conversation does not fit, in tokens."""
    more = max(4096, 2 * window)
    return ContextFullError(
        f"The conversation needs {needed} tokens plus room for a reply; the model's context is {window}.",
        "Nothing is dropped silently, and there are no old messages left to drop.",
        f"Ask in smaller parts, or use more context: --ctx {more}, in the chat /ctx {more}",
        needed=needed,
        available=window,
    )
