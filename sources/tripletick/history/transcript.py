"""A session's records for human readers: what was asked, said and run, and the results.

Not covered: how that is drawn (export, page).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from tripletick.event_log.session_log import Record
from tripletick.messages import (
    DONE,
    DOUBTFUL,
    STOPPED,
    FileChange,
    LineCount,
    Receipt,
    format_line_counts,
    name_outcome,
)
from tripletick.planner.plan import Plan, plan_from_record
from tripletick.ui.plan_tree import build_branches
from tripletick.ui.plan_tree import format_title as title_of
from tripletick.ui.renderer import indent_branches

SAID = {"y": "yes", "n": "no", "s": "yes, for this session", "e": "edited"}
UNSAID = "The user gave no answer."
ANEW = "It failed three times; starting over from the request. The last error"
DAMAGED = (AttributeError, KeyError, OverflowError, TypeError, ValueError)
"""What comes of a record that is damaged, or of another version."""
STREAMED = ("reply", "thought")
TITLE = 60
"""Characters of a title."""
Kind = Literal["request", "reply", "thought", "command", "result", "plan", "task", "note", "end"]


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that was said or done; `title` is the agent of a request and of a task, the verdict of a
    result, and how far a plan is.
    """

    kind: Kind
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """One session from its beginning."""

    id: str = ""
    workspace: str = ""
    started: str = ""
    model: str = ""
    parts: tuple[Part, ...] = ()
    outcome: str = ""
    """How its last turn ended."""
    changes: int = 0
    """Files that its turns changed, each counted once a turn."""
    answered: bool = False
    """Whether the model ever replied."""
    asked: str = ""
    """The model's question, where it said nothing after it."""

    @property
    def requests(self) -> list[str]:
        return [part.text for part in self.parts if part.kind == "request"]

    @property
    def title(self) -> str:
        return title(self.requests[0]) if self.requests else ""

    @property
    def answer(self) -> str:
        """What the model said last, with what it then asked."""
        kinds = ("reply", "request") if self.asked else ("reply",)
        last = next((part for part in reversed(self.parts) if part.kind in kinds), None)
        said = last.text.strip() if last and last.kind == "reply" else ""
        return "\n\n".join(filter(None, (said, self.asked)))


@dataclass(slots=True)
class _Reader:
    """Reads records in their order."""

    told: Transcript = field(default_factory=Transcript)
    parts: list[Part] = field(default_factory=list)
    outcome: str = ""
    changes: int = 0
    answered: bool = False
    saved: set[str] = field(default_factory=set)
    """Paths that this turn's blocks saved: one that is stopped ends without comparing its files."""
    asked: str = ""
    replied: bool = False
    """Whether the model has spoken since the last request ended: else a block is the user's own."""
    plan: Plan = field(default_factory=Plan)
    drawn: Plan = field(default_factory=Plan)
    """The plan as it stands in the parts."""
    tasks: dict[str, _Reader] = field(default_factory=dict)
    """What goes on in tasks that have not ended; side by side they would stand in each other's way."""

    def take(self, record: Record) -> None:
        match record:
            case {"event": "Session", "id": str(name), "workspace": str(folder), "started": str(started)}:
                self.told = replace(self.told, id=name, workspace=folder, started=started)
            case {"event": "Resumed", "workspace": str(folder)}:
                self.told = replace(self.told, workspace=folder)
            case {"event": "Loading", "model": str(model)}:
                self.told = replace(self.told, model=model)
            case {"event": "Requested", "text": str(text)}:
                self.count()
                self._close_plan()
                self.plan = self.drawn = Plan()
                # until its end is read: a program that dies writes none
                self.outcome, self.asked = STOPPED, ""
                self._add("request", text)
            case {"event": "Routed", "agent": str(agent)} if self.parts and self.parts[-1].kind == "request":
                self.parts[-1] = replace(self.parts[-1], title=agent)
            case {"event": "HandedOver", "agent": str(agent)}:
                self._add("note", f"{agent} takes over.")
            case {"event": "FreshStart", "error": str(error)}:
                self._add("note", f"{ANEW}: {error}")
            case {"event": "Text", "text": str(text)}:
                self._close_plan()
                self.replied = self.answered = True
                self.asked = ""
                self._add("reply", text)
            case {"event": "Thought", "text": str(text)}:
                self._add("thought", text)
            case _:
                self._count(record)
                self._take_plan(record)
                self._end(record)

    def count(self, files: int | None = None) -> None:
        """Add the changes of a turn that ends, where they are not told those that its blocks told."""
        self.changes += len(self.saved) if files is None else files
        self.saved.clear()

    def _count(self, record: Record) -> None:
        match record:
            case {"event": "Returned", "result": {"files": list(files)}}:
                self.saved |= {str(one.get("path")) for one in files if isinstance(one, dict)}
            case {"event": "Answered" | "GaveUp" as name}:
                changed = record.get("files")
                self.answered = self.answered or name == "Answered"
                self.count(len(changed) if isinstance(changed, list) else None)
            case {"event": "InTask", "inner": {"event": "Returned"} as inner}:
                self._count(inner)

    def _take_plan(self, record: Record) -> None:
        match record:
            case {"event": "PlanChanged", "tasks": list(tasks)}:
                self._change(plan_from_record(tasks))
            case {"event": "InTask", "task": str(task), "inner": {"event": str()} as inner}:
                self.answered = True
                self.tasks.setdefault(task, _Reader(replied=True)).take(inner)
            case {"event": "Answered" | "GaveUp" | "Interrupted"}:
                self._close_plan()

    def _change(self, plan: Plan) -> None:
        """Go on with the plan as it is now; what was done in a task stands where it ended."""
        old, self.plan = self.plan, plan
        for task in plan.tasks:
            if task.status != "running" and task.id in self.tasks:
                self._add("task", task.task, f"{task.id} {task.agent}")
                self.parts += self.tasks.pop(task.id).parts
        if [task.id for task in old.tasks] != [task.id for task in plan.tasks]:
            self._draw_plan()

    def _close_plan(self) -> None:
        """Nothing of it is at work any more."""
        self._change(self.plan.reset_running())
        if self.plan != self.drawn:
            self._draw_plan()

    def _draw_plan(self) -> None:
        self.drawn = self.plan
        tasks = self.plan.tasks
        if tasks:
            self._add("plan", "\n".join(indent_branches(build_branches(tasks), 0)), title_of(tasks))

    def _end(self, record: Record) -> None:
        match record:
            case {"event": "Called", "call": {"body": str(body)}} if not self.replied:
                self._add("command", body)
            case {
                "event": "Returned",
                "call": {"tool": str(tool)},
                "result": {"verdict": str(said)} as result,
            }:
                self._add("result", _text(result), f"{tool} {said}")
            case {"event": "Changed", "files": list(files)}:
                self._add("note", format_line_counts([_line_count(file) for file in files]))
            case {"event": "Ask", "question": str(text), "choices": ""}:
                self.asked = text
                self._add("note", text)
            case {"event": "Notice", "text": str(text)} | {"event": "Ask", "question": str(text)}:
                self._add("note", text)
            case {"event": "Decided", "choice": str(choice), "text": str(text)}:
                self._add("note", _decision(record, choice, text))
            case {"event": "Answered"}:
                self.replied = False
                self.outcome = DOUBTFUL if self._add_receipt(record).doubt else DONE
            case {"event": "GaveUp", "reason": str(text)}:
                self.replied = False
                self._add("end", text)
                self.outcome = name_outcome(int(record.get("exit") or 1))
                self._add_receipt(record)
            case {"event": "Interrupted"}:
                self.replied = False
                self._add("end", "Stopped by the user.")
                self.outcome = STOPPED

    def _add_receipt(self, record: Record) -> Receipt:
        try:
            receipt = Receipt.from_record(record["receipt"]) if record.get("receipt") else Receipt()
            texts = receipt.complaint, str(receipt)
        except DAMAGED:
            return Receipt()
        for text in filter(None, texts):
            self._add("note", text)
        return receipt

    def _add(self, kind: Kind, text: str, said: str = "") -> None:
        self.parts.append(Part(kind, text, said))


def transcript(records: Iterable[Record]) -> Transcript:
    """Read a session's records; what is none of them or damaged is passed over."""
    reader = _Reader()
    for record in records:
        with suppress(*DAMAGED):
            reader.take(record)
    reader.count()
    return replace(
        reader.told,
        parts=tuple(_joined_parts(reader.parts)),
        outcome=reader.outcome,
        changes=reader.changes,
        answered=reader.answered,
        asked=reader.asked,
    )


def joined(records: Sequence[Record]) -> Iterator[Record]:
    """Give the events, what streamed in pieces as one; those of the conversation itself are left out."""
    events = (record for record in records if record["event"] != "History")
    for name, group in groupby(events, lambda record: record["event"] if _streams(record) else ""):
        if name:
            first, *more = group
            yield {**first, "text": "".join(one["text"] for one in (first, *more))}
        else:
            yield from group


def _joined_parts(parts: Iterable[Part]) -> Iterator[Part]:
    """Give the parts, what streamed in pieces as one."""
    for kind, group in groupby(parts, lambda part: part.kind if part.kind in STREAMED else None):
        if kind:
            yield Part(kind, "".join(part.text for part in group))
        else:
            yield from group


def title(request: str) -> str:
    """Give the first words of a request."""
    words = " ".join(request.split())
    if len(words) <= TITLE:
        return words
    return words[:TITLE].rpartition(" ")[0] + " …" if " " in words[:TITLE] else words[: TITLE - 1] + "…"


def _streams(record: Record) -> bool:
    return record["event"] in ("Text", "Thought", "Output") and isinstance(record.get("text"), str)


def _line_count(file: Record) -> LineCount:
    return LineCount(FileChange(**file["file"]), file["added"], file["removed"])


def _decision(record: Record, choice: str, text: str) -> str:
    """Word what the user answered to a question; an open one has no letters."""
    if not record.get("said", True):
        return UNSAID
    word = SAID.get(choice, choice) if record.get("choices") else ""
    return f"The user said: {', '.join(filter(None, (word, ' '.join(text.split()))))}"


def _text(result: Record) -> str:
    said = result.get("view") or result.get("text")
    return said if isinstance(said, str) else ""
