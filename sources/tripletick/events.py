"""What happens during a turn, in the order it happens.

The loop yields events and nothing else; screen, log and tests read the same stream. `Ask` is the only one
that waits: an `Answer` is sent back in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tripletick.messages import (
    Answer,
    Call,
    Counts,
    FileChange,
    LineCount,
    Problem,
    Progress,
    Receipt,
    Result,
    Task,
)


@dataclass(frozen=True, slots=True)
class Requested:
    """The person's request, as typed."""

    text: str


FREELY = frozenset({"router", "when", "server", "model"})
"""What decides for one request alone: nobody named the agent, so that another may take over."""


@dataclass(frozen=True, slots=True)
class Routed:
    """An agent took the request; `by` says what decided: config, flag, person, retry, mention, resume or one
    of FREELY.
    """

    agent: str
    by: str = "config"
    confidence: float | None = None
    """How sure the router was, from 0 to 1; None where it was not asked."""


@dataclass(frozen=True, slots=True)
class HandedOver:
    """Another agent took the turn over: a block had this tag of its, or "": it does the rest."""

    agent: str
    tag: str


@dataclass(frozen=True, slots=True)
class Loading:
    """The engine is asked for this model; `context` is the number of tokens asked for."""

    model: str
    context: int


@dataclass(frozen=True, slots=True)
class Thought:
    """A piece of the model's reasoning; never sent back to it, never run."""

    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the reply, fences included, as it streams."""

    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """The reply has ended and this block is about to be run: number `number` of `of` in the reply."""

    call: Call
    number: int
    of: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A block or preview that is not run, and why."""

    problem: Problem


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to the person: one line, the letters that answer it, and what `?` shows.

    An open question (the model's own) has no choices; its answer is text.
    """

    question: str
    choices: str = "yn"
    why: str = ""
    call: Call | None = None
    default: str = ""
    """What Enter alone means, "" where it means nothing."""
    edit: str = ""
    """The text that `e` gives the person to edit, "" where it is the call's."""
    workspace: str = ""
    """No program that lies in this folder may be the editor."""
    diff: tuple[tuple[str, str], ...] = ()
    """What a yes changes: the lines of a diff, each with its tone."""


@dataclass(frozen=True, slots=True)
class Output:
    """Something the running tool printed."""

    text: str


@dataclass(frozen=True, slots=True)
class Looking:
    """Before or after a block the files are looked through for undo: so many so far, of which so many were
    new or changed and have been read. Neither: that is over. It is not told where it is short.
    """

    files: int = 0
    read: int = 0


@dataclass(frozen=True, slots=True)
class Returned:
    """The tool ended, after `seconds`, without those of the person's answers and of the snapshots."""

    call: Call
    result: Result
    number: int
    seconds: float = 0.0
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Lines of the result that stand for what was left out of it, each with how many lines that were."""


@dataclass(frozen=True, slots=True)
class Changed:
    """The block that ended has changed these files."""

    files: tuple[LineCount, ...]


@dataclass(frozen=True, slots=True)
class Repairing:
    """Attempt `attempt` of `limit` failed with `error`, one line; the model gets another try."""

    attempt: int
    limit: int
    error: str


@dataclass(frozen=True, slots=True)
class Doubted:
    """The answer claims what the turn does not bear out, for these reasons; the model gets another try."""

    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FreshStart:
    """After attempt `attempt` of `limit` the turn begins anew, from its request: `error` is what the model is
    told, `restored` and `removed` are the paths that were put back to what they were before the turn, `kept`
    those that somebody else has changed since.
    """

    attempt: int
    limit: int
    error: str
    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """The engine's own counts for one reply; `context` is the window in tokens."""

    counts: Counts
    context: int
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Notice:
    """One line for the person: what, why and what to type where there is something to type."""

    text: str


@dataclass(frozen=True, slots=True)
class Prompted:
    """The engine is asked for a reply to about so many tokens."""

    tokens: int


@dataclass(frozen=True, slots=True)
class Compacting:
    """The model is asked to sum up the conversation, which has become too long."""


@dataclass(frozen=True, slots=True)
class Drafting:
    """The model is asked for the message of a commit."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """Old parts of the history were dropped: tokens before and after (estimated), and the window."""

    before: int
    after: int
    context: int = 0
    outputs: int = 0
    """Messages that lost their outputs."""
    messages: int = 0
    """Messages that went …"""
    summary: str = ""
    """… and what the model wrote to stand for them; "" where that could not be used."""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The person had the history cut: on /retry back to before the last request, on /clear to its start."""

    to: Literal["request", "start"]


@dataclass(frozen=True, slots=True)
class PlanChanged:
    """The plan at work, whole, after each change of it; without tasks: there is none any more."""

    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class InTask:
    """Something that happened while a task of the plan was worked on. Its `Ask` is not put in one: an asker
    gets it as it is.
    """

    task: str
    agent: str
    event: Event


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The person stopped the turn; what the model had written is kept in `text`."""

    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The turn is over; this is the answer."""

    text: str
    files: tuple[FileChange, ...] | None = field(default=None, compare=False)
    """What differs from before the turn; None where that is not known."""
    receipt: Receipt | None = field(default=None, compare=False)
    """What the turn did, and what speaks against the answer."""


@dataclass(frozen=True, slots=True)
class GaveUp:
    """The turn is over without an answer. `code` and `exit` are those of `-o json` and the program."""

    code: str
    reason: str
    exit: int = 1
    answer: str = ""
    """What can stand for the answer all the same: the model's question at a clarification."""
    hint: str = ""
    files: tuple[FileChange, ...] | None = field(default=None, compare=False)
    """As in `Answered`."""
    receipt: Receipt | None = field(default=None, compare=False)


Event = (
    Requested
    | Routed
    | HandedOver
    | Loading
    | Thought
    | Text
    | Called
    | Refused
    | Ask
    | Output
    | Looking
    | Returned
    | Changed
    | Repairing
    | Doubted
    | FreshStart
    | Usage
    | Notice
    | Prompted
    | Progress
    | Compacting
    | Drafting
    | Compacted
    | TakenBack
    | PlanChanged
    | InTask
    | Interrupted
    | Answered
    | GaveUp
)
Part = Thought | Text
Reply = Answer | None
"""What is sent into a turn: an `Answer` after an `Ask`, else None."""
