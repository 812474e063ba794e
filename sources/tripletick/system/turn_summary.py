"""The result of a turn, gathered from its events: for `-o json`, the exit code, and whoever has tasks done.

The events come from this process, or as the records that a program of its own prints with `-o jsonl`. How a
turn reads from its beginning to its end is history/transcript.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tripletick.events import Event, InTask
from tripletick.messages import DOUBTFUL, INTERRUPTED, FileChange, Receipt, name_outcome

HINT = "To see the changes: tripletick diff"
COUNTED = frozenset({"Called", "Returned", "Repairing", "FreshStart", "Refused", "Usage"})
"""Of a plan's tasks, too."""
TASK_FIELDS = ("id", "agent", "task", "needs", "status", "result")

Record = Mapping[str, Any]


@dataclass(slots=True)
class TurnSummary:
    """Counts while records pass by; tokens and seconds are sums over the replies."""

    session: str = ""
    model: str = ""
    routed: str = ""
    """The agent that took the request …"""
    agent: str = ""
    """… and the one that it was handed over to, else the same."""
    answer: str = ""
    receipt: Receipt = field(default_factory=Receipt)
    files: dict[str, Record] = field(default_factory=dict)
    """As `-o json` has them, by path."""
    tasks: Sequence[Record] = ()
    exit: int = 0
    code: str = ""
    """Of the error, as `-o json` names it."""
    reason: str = ""
    hint: str = ""
    ended: bool = False
    """Whether its last event came: else the program broke off."""
    replies: int = 0
    """Those that came to their end."""
    blocks: int = 0
    repairs: int = 0
    """Attempts that failed, after which it went on …"""
    attempts: int = 0
    """… and the number of the last in its row."""
    fresh: int = 0
    """How often it started over from the request."""
    notices: list[str] = field(default_factory=list)
    """What the user was told besides, such as that a lesser box holds."""
    refused: list[str] = field(default_factory=list)
    """Codes of what the reader did not take for a block."""
    prompt: int = 0
    cached: int | None = None
    output: int = 0
    reply_seconds: float = 0.0
    waited: float = 0.0
    """Of them, those until the first tokens: loading and reading the prompt."""
    wrote: float = 0.0

    def add_event(self, event: Event) -> None:
        """Take in an event of this process."""
        inner = event.event if isinstance(event, InTask) else event
        # names of files and texts stay as they are, so not as the log writes them
        record = {"event": type(inner).__name__, **asdict(inner)}
        self.add_record({"event": "InTask", "inner": record} if isinstance(event, InTask) else record)

    def add_record(self, record: Record) -> None:
        """Take in an event; of those in a task of a plan the ones that count."""
        match record.get("event"):
            case "InTask" if record["inner"]["event"] in COUNTED:
                # not add_record: a job's takes a reply for one of no task
                self._count_event(record["inner"])
            case "Loading":
                self.model = record["model"]
            case "Routed":
                self.agent = self.routed = record["agent"]
            case "HandedOver":
                self.agent = record["agent"]
            case "Notice":
                self.notices.append(record["text"])
            case "PlanChanged":
                self.tasks = record["tasks"]
            case "Answered" | "GaveUp" | "Interrupted":
                self._add_ending(record)
            case _:
                self._count_event(record)

    def _count_event(self, record: Record) -> None:
        match record.get("event"):
            case "Called":
                self.blocks += 1
            case "Returned":
                for path, file in _index_files(record["result"]["files"]).items():
                    self.files.setdefault(path, file)
            case "Repairing":
                self.repairs += 1
                self.attempts = max(self.attempts, record["attempt"])
            case "FreshStart":
                self.fresh += 1
            case "Refused":
                self.refused.append(record["problem"]["code"])
            case "Usage":
                self._add_usage(record["counts"], record["seconds"])

    def _add_usage(self, counts: Record, seconds: float) -> None:
        self.replies += 1
        self.prompt += counts["prompt"]
        if counts["cached"] is not None:
            self.cached = (self.cached or 0) + counts["cached"]
        self.output += counts["output"]
        self.reply_seconds += seconds
        self.waited += counts["load_seconds"] + counts["prompt_seconds"]
        self.wrote += counts["output_seconds"]

    def _add_ending(self, record: Record) -> None:
        self.ended = True
        if record.get("files") is not None:
            self.files = _index_files(record["files"])
        told = record.get("receipt")
        self.receipt = Receipt.from_record(told) if told else Receipt()
        match record["event"]:
            case "Answered":
                self.answer = record["text"]
                if self.receipt.doubt:
                    self._set_error(1, DOUBTFUL, self.receipt.complaint, HINT)
            case "GaveUp":
                self.answer = record["answer"]
                self._set_error(record["exit"], record["code"], record["reason"], record["hint"])
            case _:
                self._set_error(INTERRUPTED, "interrupted", "Stopped by the user.")

    def _set_error(self, exit: int, code: str, reason: str, hint: str = "") -> None:
        self.exit, self.code, self.reason, self.hint = exit, code, reason, hint

    def to_dict(self) -> dict[str, Any]:
        """Give the object of `-o json` (UX: commands)."""
        usage = {
            "prompt": self.prompt,
            "cached": self.cached,
            "output": self.output,
            "seconds": round(self.reply_seconds, 3),
            "tokens_per_second": round(self.output / self.wrote, 1) if self.wrote else None,
        }
        answered = self.ended and self.code in ("", DOUBTFUL)
        error = {"code": self.code, "message": self.reason, "hint": self.hint}
        return {
            "ok": self.exit == 0,
            "exit": self.exit,
            "outcome": name_outcome(self.exit, self.code),
            "answer": self.answer if answered else self.answer or None,
            "receipt": str(self.receipt),
            "verified": self.exit == 0 and self.receipt.verified,
            "doubt": list(self.receipt.doubt),
            "session": self.session,
            "model": self.model,
            "agent": self.routed,
            "steps": self.replies,
            "blocks": self.blocks,
            "attempts": self.attempts,
            "files": list(self.files.values()),
            "tasks": [_task_to_dict(task) for task in self.tasks],
            "usage": usage,
            "error": error if self.code else None,
        }


def _index_files(files: Sequence[Record]) -> dict[str, Record]:
    return {file["path"]: FileChange(**file).as_json for file in files}


def _task_to_dict(task: Record) -> dict[str, Any]:
    return {**{name: task[name] for name in TASK_FIELDS}, "files": list(_index_files(task["files"]).values())}
