"""The conversation in the log: what changed in it is one record, and from these it is rebuilt byte for byte.

A record `History` says how many entries stay and which follow, and of the other values those that have
changed; what was dropped, taken back or summed up is one more change. Records are numbered: where one is
missing nothing is guessed, and of the session only its requests and answers are taken up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tripletick.event_log.session_log import Record
from tripletick.events import FREELY
from tripletick.history.transcript import DAMAGED
from tripletick.messages import Message, Picture, ToolCall, ToolResult
from tripletick.models import split_name
from tripletick.models.conversation import Conversation, ConversationEntry, RequestStart, TokenBudget
from tripletick.planner.plan import Plan, plan_from_record

EVENT = "History"
CHOSEN = frozenset({"config", "flag", "person"})
"""What decides for the requests that follow too; a mention and a retry say nothing of them."""
FRAME = frozenset({"event", "at", "number", "keep", "entries"})
BUDGET = ("rate", "counted", "covered")
MOVED = "The session was in {}; here the model has to read the whole conversation again."
OTHER = "{} continues the session; it has to read the whole conversation again."
INEXACT = "The session log is incomplete, so the model gets the requests and answers but not the steps."


@dataclass(slots=True)
class Written:
    """What the log holds of a conversation, to tell what has changed since."""

    number: int = 0
    """Of the next record."""
    entries: list[ConversationEntry] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    _seen: tuple[object, ...] = ()
    """What the values were made of, so that they need not be made at each piece of a reply."""

    def changes(self, conversation: Conversation, budget: TokenBudget, **more: Any) -> Record | None:
        """Give the record of what has changed, None where nothing has; `more` are values beside them."""
        counted = [getattr(budget, name) for name in BUDGET]
        seen = (
            conversation.system,
            frozenset(conversation.introduced),
            conversation.asked,
            conversation.before,
            counted,
            more,
        )
        if seen == self._seen and conversation.entries == self.entries:
            return None
        self._seen = seen
        values = {**_values(conversation, budget), **more}
        if conversation.entries == self.entries and values == self.values:
            return None
        pairs = enumerate(zip(self.entries, conversation.entries, strict=False))
        both = min(len(self.entries), len(conversation.entries))
        kept = next((at for at, (was, now) in pairs if was is not now and was != now), both)
        record = {
            "event": EVENT,
            "number": self.number,
            "keep": kept,
            "entries": [_told(entry) for entry in conversation.entries[kept:]],
            **{name: value for name, value in values.items() if self.values.get(name) != value},
        }
        self.number, self.entries, self.values = self.number + 1, list(conversation.entries), values
        return record


@dataclass(slots=True)
class Past:
    """A session as its log tells it: where it worked, with what, and its conversation."""

    id: str = ""
    workspace: str = ""
    agent: str = ""
    """Whom the user gave the requests, "" where they were routed."""
    worked: list[str] = field(default_factory=list)
    """The agents of the requests."""
    dialect: str = "fence"
    window: int = 0
    """Tokens of context that it asked for."""
    model: str = ""
    exact: bool = True
    """False where not every message is known."""
    entries: list[ConversationEntry] = field(default_factory=list)
    written: Written = field(default_factory=Written)
    """What its log holds, to be gone on with."""
    told: list[str] = field(default_factory=list)
    """What the user is told of it first."""
    plan: Plan = field(default_factory=Plan)
    """The plan of the last request, as it stood."""

    @property
    def asked(self) -> str:
        """The last request, where it can be asked again."""
        values = self.written.values
        return str(values.get("asked", "")) if values.get("before") else ""

    def take_up(
        self, conversation: Conversation, budget: TokenBudget, folder: str, model: str
    ) -> Iterator[str]:
        """Put the conversation in place of an empty one; where folder and model are those that it had, all
        that was sent stays byte for byte. Gives what the user is to know.
        """
        values = self.written.values
        moved, other = folder != self.workspace, split_name(model) != split_name(self.model)
        conversation.entries[:] = self.entries
        conversation.asked, conversation.before = str(values.get("asked", "")), _before(values.get("before"))
        if self.exact and not moved and not other:
            conversation.system, conversation.introduced = values["system"], set(values["introduced"])
            for name in BUDGET:
                setattr(budget, name, values["budget"][name])
        told = (
            # where no reply ever came there were no steps
            (not self.exact and any(entry.message.role == "assistant" for entry in self.entries), INEXACT),
            (moved, MOVED.format(self.workspace)),
            (other, OTHER.format(model)),
        )
        return (line for holds, line in told if holds)


def rebuild(records: Iterable[Record]) -> Past:
    """Give a session's past. Where records of the conversation are missing or damaged it is not exact."""
    known = list(records)
    past = Past()
    for record in known:
        _tell(past, record)
    try:
        past.written = _written([record for record in known if record["event"] == EVENT])
        past.entries = list(past.written.entries)
        past.model = past.written.values["model"]
        past.dialect = str(past.written.values.get("dialect", past.dialect))
    except DAMAGED:
        past.exact, past.written, past.entries = False, Written(), _in_short(known)
    return past


def _tell(past: Past, record: Record) -> None:
    """Take in what a record of another kind tells."""
    match record:
        case {"event": "Session" | "Resumed", "id": str(name), "workspace": str(workspace)}:
            past.id, past.workspace = name, workspace
        case {"event": "Routed", "agent": str(agent), **told}:
            past.worked.append(agent)
            if (by := str(told.get("by"))) in CHOSEN | FREELY:
                past.agent = agent if by in CHOSEN else ""
        case {"event": "HandedOver", "agent": str(agent)} if past.worked:
            past.worked[-1] = agent
        case {"event": "Requested" | "TakenBack"}:
            past.plan = Plan()
        case {"event": "PlanChanged", "tasks": list(tasks)}:
            past.plan = plan_from_record(tasks).reset_running()
        case {"event": "Loading", "model": str(model), "context": int(window)}:
            past.model, past.window = model, window


def _written(records: Sequence[Record]) -> Written:
    """Add the changes up. Raises KeyError, TypeError, ValueError where one is missing or damaged."""
    all_of = Written()
    for record in records:
        if record["number"] == 0:
            all_of = Written()
        if record["number"] != all_of.number or not 0 <= record["keep"] <= len(all_of.entries):
            raise ValueError("a record is missing")
        del all_of.entries[record["keep"] :]
        all_of.entries += map(_entry, record["entries"])
        all_of.values |= {name: value for name, value in record.items() if name not in FRAME}
        all_of.number += 1
    _check(all_of.values)
    return all_of


def _check(values: Mapping[str, Any]) -> None:
    _before(values.get("before"))
    words = (values["system"], values["model"], *values["introduced"])
    numbers = [values["budget"][name] for name in BUDGET]
    if not all(isinstance(each, str) for each in words) or not all(
        isinstance(each, int | float) for each in numbers
    ):
        raise ValueError("a value is invalid")


def _told(entry: ConversationEntry) -> dict[str, Any]:
    """Give an entry as it is written; what a message has not is left out."""
    messages: dict[str, Message | None] = {"message": entry.message, "short": entry.short}
    told = {
        name: message and {key: value for key, value in _fields(message).items() if value or key == "text"}
        for name, message in messages.items()
    }
    return {**told, "introduces": entry.introduces}


def _entry(told: Mapping[str, Any]) -> ConversationEntry:
    short = told.get("short")
    return ConversationEntry(
        _message(told["message"]), short and _message(short), str(told.get("introduces", ""))
    )


def _fields(message: Message) -> dict[str, Any]:
    """Give a message as it is written, without the bytes of pictures."""
    return asdict(message, dict_factory=lambda pairs: {k: v for k, v in pairs if not isinstance(v, bytes)})


def _message(told: Mapping[str, Any]) -> Message:
    """Raises KeyError, TypeError, ValueError where it is none."""
    calls = tuple(ToolCall(**call) for call in told.get("calls", ()))
    results = tuple(ToolResult(**result) for result in told.get("results", ()))
    pictures = tuple(Picture(**picture) for picture in told.get("pictures", ()))
    parts: list[ToolCall | ToolResult] = [*calls, *results]
    texts = [told["text"], *(value for part in parts for value in asdict(part).values())]
    texts += [text for one in pictures for text in (one.path, one.sha256, one.kind)]
    if told["role"] not in ("user", "assistant") or not all(isinstance(text, str) for text in texts):
        raise ValueError("a message is invalid")
    return Message(told["role"], told["text"], calls, results, pictures)


def _before(told: Any) -> RequestStart | None:
    if told is None:
        return None
    return RequestStart(
        int(told["length"]), told["last"] and _entry(told["last"]), frozenset(told["introduced"])
    )


def _values(conversation: Conversation, budget: TokenBudget) -> dict[str, Any]:
    before = conversation.before
    return {
        "system": conversation.system,
        "introduced": sorted(conversation.introduced),
        "asked": conversation.asked,
        "before": before
        and {
            "length": before.length,
            "last": before.last and _told(before.last),
            "introduced": sorted(before.introduced),
        },
        "budget": {name: getattr(budget, name) for name in BUDGET},
    }


def _in_short(records: Iterable[Record]) -> list[ConversationEntry]:
    """Give requests and answers as a conversation, for want of the messages themselves."""
    conversation = Conversation("")
    for record in records:
        match record:
            case {"event": "Requested", "text": str(text)}:
                conversation.add_user_message(text)
            case {"event": "Answered", "text": str(text)} if conversation.entries:
                conversation.add_reply(text)
            case {"event": "TakenBack", "to": "start"}:
                conversation.clear_history()
    return conversation.entries
