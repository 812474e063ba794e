"""The conversation as it is sent, and how much of the context it takes.

Append-only: what was sent stays byte for byte, in its order, so that the engine reads only what is new. A
message of the user's that got no reply grows; it is never followed by another. The exceptions here are
those of a full context, `drop_outputs` and `apply_summary`, and of a fresh start, `restart_request`; the
user's own are `remove_request` and `clear_history`. Not covered: when room is made and who writes a summary
(compaction).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tripletick.agents.definitions import SERVED, Agent
from tripletick.agents.templates import Templates
from tripletick.messages import Counts, Message, Picture, ToolCall

RESERVE = 32
"""Tokens kept free for the template's own words."""
SMALLEST_REPLY = 256
"""A reply that has fewer tokens than these is not worth asking for."""
KEPT = 2
"""The last messages with results, whose outputs are never dropped."""
NO_ANSWER = "(The person gave no answer.)"
ANSWERED = "You asked: {question} The person answered: {answer}"
GO_ON = "Go on with the first request."
"""Stands in the place of the steps that were summed up, between the summary and the next reply."""
PICTURE = 3200
"""Characters that a picture counts as: a thousand tokens, which models for pictures take 256 to 2000 of."""
GUESS = 1 / 3.2
"""Tokens a character before the engine has counted: on the safe side for English, code and paths."""


@dataclass(slots=True)
class TokenBudget:
    """Tokens of the context. The engine's counts are the truth; between them an estimate that they
    calibrate.
    """

    window: int
    full: float = 0.75
    target: float = 0.45
    rate: float = GUESS
    counted: int = 0
    """Tokens that the engine counted …"""
    covered: int = 0
    """… and the characters that they stand for."""

    def apply_counts(self, counts: Counts, sent: Sequence[Message]) -> None:
        """Take over what the engine counted for these messages."""
        characters = _count_characters(sent)
        if counts.prompt and characters:
            self.counted, self.covered = counts.prompt, characters
            self.rate = counts.prompt / characters

    def estimate_tokens(self, messages: Sequence[Message]) -> int:
        """Tokens that a request with these messages takes, the uncounted part a tenth on the safe side."""
        more = _count_characters(messages) - self.covered
        return self.counted + int(more * self.rate * (1.1 if more > 0 else 1.0)) + 8

    def count_left(self, messages: Sequence[Message]) -> int:
        """Tokens that a reply to these messages may have."""
        return self.window - self.estimate_tokens(messages) - RESERVE


@dataclass(slots=True)
class ConversationEntry:
    """One message; `short` is what stays of it when its outputs are dropped, None where it has none."""

    message: Message
    short: Message | None = None
    introduces: str = ""
    """The agents whose cards it holds, parted by blanks."""


@dataclass(frozen=True, slots=True)
class RequestStart:
    """What the conversation was before a request: its length, its last message, who was introduced."""

    length: int
    last: ConversationEntry | None
    introduced: frozenset[str]


@dataclass(slots=True)
class Conversation:
    """One system prompt, then the user's and the model's messages in turn."""

    system: str
    also: tuple[str, ...] = ()
    """Installed languages, for the first line of a request."""
    example: tuple[Message, ...] = ()
    """A request that was done, which stands before all others."""
    entries: list[ConversationEntry] = field(default_factory=list)
    introduced: set[str] = field(default_factory=set)
    asked: str = ""
    """The request at work, in the user's words …"""
    ending: str = ""
    """… and what block it wants, as the model was told."""
    preface: str = ""
    """What the folder's AGENTS.md says, for the first request."""
    index: str = ""
    """What servers of the user's there are, for the first request of an agent that owns them."""
    pictures: tuple[Picture, ...] = ()
    """What goes along with the next request."""
    templates: Templates = field(default_factory=Templates)
    fenced: bool = True
    """Calls are written as fences."""
    opened: ConversationEntry | None = None
    """The message that the request at work ended with, as it was first sent …"""
    answers: list[str] = field(default_factory=list)
    """… and what the user has answered since."""
    shortened: bool = False
    """Messages have gone, or outputs in them."""
    before: RequestStart | None = None
    """Where `remove_request` goes back to; None where there is no request to take back."""

    def build_messages(self) -> list[Message]:
        """Give what is sent."""
        return [*self.build_front(), *(entry.message for entry in self.entries)]

    def build_front(self) -> list[Message]:
        """Give what every session of this wording begins with."""
        return [Message("system", self.system), *self.example]

    def add_request(self, agent: Agent, text: str, *, files: str = "", ending: str = "") -> None:
        """Add a request: the agent's line, its card the first time, the words, what goes along with them."""
        last = self.entries[-1] if self.entries else None
        self.before = RequestStart(len(self.entries), last, frozenset(self.introduced))
        self.asked, self.ending = text, ending
        templates = self.templates if agent.tools else Templates()
        self.introduce_agent(agent, templates.format_request(text, files, ending), pictures=self.pictures)
        self.pictures = ()
        self.opened = replace(self.entries[-1])
        self.answers.clear()

    def introduce_agent(self, agent: Agent, *words: str, pictures: tuple[Picture, ...] = ()) -> None:
        """Say who is at work, its card the first time, what the folder's AGENTS.md says, then the words."""
        name = agent.known_as or agent.name
        new = name not in self.introduced
        self.introduced.add(name)
        card = "\n".join(filter(None, (agent.card, agent.forms if self.fenced else "")))
        head = f"{agent.format_line(self.also)}\n{card}\n" if new else agent.format_line(self.also)
        notes = (self.preface, self.index if SERVED in agent.tools else "")
        new_notes = (note for note in notes if not any(note in entry.message.text for entry in self.entries))
        text = "\n".join(filter(None, (head, *new_notes, *words)))
        self.add_user_message(Message("user", text, pictures=pictures))
        if new:
            last = self.entries[-1]
            self.entries[-1] = replace(last, introduces=f"{last.introduces} {name}".lstrip())

    def adopt_front(self, front: Conversation) -> None:
        """Go on with another model, which reads all anyway: with what `front` has, the cards again."""
        self.system, self.example = front.system, front.example
        self.templates, self.fenced = front.templates, front.fenced
        self.introduced.clear()

    def flatten_calls(self, write: Callable[[ToolCall], str]) -> None:
        """Put calls and results that stood apart into the words, for a dialect that has them there."""
        for entry in self.entries:
            entry.message = flatten_message(entry.message, write)
            entry.short = entry.short and flatten_message(entry.short, write)

    def add_user_message(self, said: str | Message, *, short: Message | None = None) -> None:
        """Add to what the user's side says; a message that got no reply yet grows after a blank line."""
        message = said if isinstance(said, Message) else Message("user", said)
        last = self.entries[-1] if self.entries else None
        if last and last.message.role == "user":
            kept = (
                _merge_messages(last.short or last.message, short or message) if last.short or short else None
            )
            self.entries[-1] = ConversationEntry(
                _merge_messages(last.message, message), kept, last.introduces
            )
        else:
            self.entries.append(ConversationEntry(message, short))

    def add_results(self, said: Message, closing: str, *, short: Message | None = None) -> None:
        """Say what came of the model's blocks, and what to do now."""
        self.add_user_message(_append_closing(said, closing), short=short and _append_closing(short, closing))

    def replace_answer(self, said: str) -> None:
        """Say something in the place of the answer that was just given: the model would stand by it."""
        if self.entries[-1].message.role == "assistant":
            del self.entries[-1]
        self.add_user_message(said)

    def format_closing(self, name: str, **places: str) -> str:
        """Fill a sentence that says again what was asked; "" where there is none."""
        return self.templates.format_closing(name, self.asked, **places)

    def add_reply(self, text: str, calls: Sequence[ToolCall] = ()) -> None:
        """Add what the model wrote, raw; nothing but blanks is no reply, the user's message then grows."""
        if text.strip() or calls:
            self.entries.append(ConversationEntry(Message("assistant", text, tuple(calls))))

    def add_answer(self, question: str, text: str) -> None:
        """Add what the user answers to a question of the model's."""
        self.add_user_message(text or NO_ANSWER)
        self.answers.append(ANSWERED.format(question=question, answer=text or NO_ANSWER))

    def mark_restart(self) -> None:
        """Have a fresh start go back to the last message, with which another part of the request begins."""
        self.opened = replace(self.entries[-1])

    def restart_request(self) -> None:
        """Cut the conversation back to the request at work as it was sent; the user's answers follow it."""
        if self.opened is None:
            return
        sent = self.opened.message.text
        at = self._find_request()
        later = (at for at, one in enumerate(self.entries) if one.message.text.startswith(sent))
        self.entries[max(later, default=at) :] = [replace(self.opened)]
        self.introduced &= {name for entry in self.entries for name in entry.introduces.split()}
        for answer in self.answers:
            self.add_user_message(answer)

    def remove_request(self) -> None:
        """Cut the conversation back to before the last request, if there was one."""
        if self.before is None:
            return
        del self.entries[self.before.length :]
        if self.before.last and self.before.last.message.role == "user":
            self.entries[-1] = self.before.last
        self.introduced, self.before = set(self.before.introduced), None
        self.shortened = True

    def take_shortened(self) -> bool:
        """Tell whether messages, or outputs in them, have gone since this was asked last."""
        shortened, self.shortened = self.shortened, False
        return shortened

    def clear_history(self) -> None:
        """Forget everything but the system prompt."""
        self.entries.clear()
        self.introduced.clear()
        self.asked, self.before = "", None
        self.shortened = True

    def drop_outputs(self, budget: TokenBudget, goal: int) -> int:
        """Drop outputs, the oldest first, until the estimate is at most `goal`; gives how many messages lost
        some.
        """
        droppable = [index for index, entry in enumerate(self.entries) if entry.short is not None][:-KEPT]
        self.shortened |= bool(droppable)
        for count, index in enumerate(droppable, 1):
            entry = self.entries[index]
            self.entries[index] = ConversationEntry(entry.short or entry.message, None, entry.introduces)
            if budget.estimate_tokens(self.build_messages()) <= goal:
                return count
        return len(droppable)

    def fork(self, templates: Templates) -> Conversation:
        """Give an empty conversation with the same front."""
        front = Conversation(self.system, self.also, self.example, preface=self.preface, index=self.index)
        return replace(front, templates=templates, fenced=self.fenced)

    def copy(self) -> Conversation:
        """Give a conversation that can be shortened or summed up for a look, while this one stays."""
        return replace(self, entries=list(self.entries), introduced=set(self.introduced))

    def find_cuts(self) -> list[int]:
        """Give where `apply_summary` may begin to keep: at replies of the model, and at the end where the
        request at work is the last message. The last message always stays.
        """
        replies = [at for at, entry in enumerate(self.entries) if entry.message.role == "assistant"]
        end = len(self.entries)
        waits = end - 1 not in replies and self._find_request() >= end - 1
        return [at for at in [*replies, *([end] if waits else [])] if at > 2]

    def apply_summary(self, kept: int, summary: str) -> int:
        """Put a summary in the place of what is older than entry `kept`, which `find_cuts` gave. The first
        request stays, the request at work too, and what comes before a kept reply. Gives how many messages
        went.
        """
        at, request = kept - 1, self._find_request()
        bridge = (
            self.entries[min(at, request)] if min(at, request) else ConversationEntry(Message("user", GO_ON))
        )
        # the calls that its results answer are gone
        bridge = ConversationEntry(
            flatten_message(bridge.message), bridge.short and flatten_message(bridge.short), bridge.introduces
        )
        self.entries[1:kept] = [ConversationEntry(Message("assistant", summary)), bridge]
        self.introduced = {name for entry in self.entries for name in entry.introduces.split()}
        self.shortened = True
        if self.before:
            moved = max(0, request - at) + 2 - request if request else 0
            known = self.before.introduced & self.introduced
            self.before = RequestStart(self.before.length + moved, self.before.last, known)
        return at - bool(request)

    def _find_request(self) -> int:
        """Give the entry of the request at work; one behind the last where there is none."""
        if self.before is None:
            return len(self.entries)
        grown = self.before.last is not None and self.before.last.message.role == "user"
        return self.before.length - grown


def flatten_message(message: Message, write: Callable[[ToolCall], str] | None = None) -> Message:
    """Give a message as words alone; `write` words its calls, which are left out without it."""
    calls = map(write, message.calls) if write else ()
    parts = (*(result.text for result in message.results), message.text, *calls)
    return replace(message, text="\n".join(filter(None, parts)), calls=(), results=())


def _append_closing(message: Message, closing: str) -> Message:
    return replace(message, text="\n\n".join(filter(None, (message.text, closing))))


def _merge_messages(message: Message, more: Message) -> Message:
    text = "\n\n".join(filter(None, (message.text, more.text)))
    results, pictures = message.results + more.results, message.pictures + more.pictures
    return replace(message, text=text, results=results, pictures=pictures)


def _count_characters(messages: Sequence[Message]) -> int:
    # reckoned several times a step over all of the history, where nearly every message is text alone
    plain = sum([len(message.text) for message in messages])
    rich = [message for message in messages if message.calls or message.results or message.pictures]
    more = sum(
        len(message.all_text) - len(message.text) + len(message.pictures) * PICTURE for message in rich
    )
    return plain + more
