"""Which event becomes which update of the protocol: words, reasoning, calls with their diffs, plans.

The counterpart of ui/turn_display.py. Tasks of a plan that run side by side tell each reply as a whole. Not
covered: questions (questions.py), and what a session said before (replay.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from acp import helpers, schema

from tripletick.acp.wire import Update
from tripletick.checkpoint import Checkpoints
from tripletick.checkpoint.values import Change
from tripletick.dialects.fence.feedback import wrap_in_fence
from tripletick.event_log.session_log import clean_text
from tripletick.events import (
    Answered,
    Called,
    Changed,
    Compacted,
    Compacting,
    Doubted,
    Drafting,
    Event,
    FreshStart,
    GaveUp,
    HandedOver,
    InTask,
    Interrupted,
    Loading,
    Notice,
    Output,
    PlanChanged,
    Prompted,
    Refused,
    Repairing,
    Requested,
    Returned,
    Routed,
    Text,
    Thought,
    Usage,
)
from tripletick.messages import Call, LineCount, Receipt, Result, Task
from tripletick.system.lazy_regex import lazy_regex

Kind = Literal[
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"
]
Content = schema.ContentToolCallContent | schema.FileEditToolCallContent | schema.TerminalToolCallContent
PlanStatus = Literal["pending", "in_progress", "completed"]
KINDS: dict[str, Kind] = {
    "read": "read",
    "write": "edit",
    "append": "edit",
    "edit": "edit",
    "file_finder": "search",
    "web_search": "search",
    "fetch": "fetch",
    "browse": "fetch",
    "mcp": "other",
    "question": "other",
}
"""By tag; all others run something."""
STATUSES: dict[str, PlanStatus] = {"pending": "pending", "running": "in_progress"}
"""Of a task; what has ended in any other way is over."""
TITLE = 80
"""Characters of a call's title."""
TAIL = 8000
"""Characters at the end of a call's output that are shown."""
PAUSE = 0.2
"""Seconds between two updates of a running call."""
LARGEST = 256 << 10
"""Bytes of a file whose change is shown as a diff."""
MOST = 20
"""Files of one call whose changes are shown."""
PLACE = lazy_regex(r"(?P<path>.+?)(?::(?P<line>\d{1,9})\S*)?")
ERRORS = frozenset({"config", "workspace", "server", "server-failed", "cut", "model"})
"""Codes of what the user must set right: the request is answered with an error."""
ENDED = {"failed": "Failed: {result}", "skipped": "Skipped: {result}"}


@dataclass(slots=True)
class OpenCall:
    """A call that is at work."""

    id: str
    title: str
    call: Call
    before: int
    """The turn's blocks that were run before it."""
    printed: str = ""
    told: float = 0.0
    result: Result | None = None
    """What came of it, once it has ended."""
    shown: Collection[str] = ()
    """The files whose changes were told."""


@dataclass(slots=True)
class EventUpdates:
    """Turns the events of one session into updates; `points` gives the snapshots of the turn at work."""

    send: Callable[[Update], None]
    folder: Path
    points: Callable[[], Checkpoints | None]
    end: Answered | GaveUp | Interrupted | None = None
    """How the last turn ended."""
    task: str = ""
    """The task of a plan that the event is of."""
    calls: dict[str, OpenCall] = field(default_factory=dict)
    """The last call, by the task."""
    replies: dict[str, str] = field(default_factory=dict)
    """What has come of a reply, by the task."""
    spoken: bool = False
    """Something was said in this turn: what comes next is a paragraph of its own."""
    model: str = ""
    count: int = 0

    def show_event(self, event: Event) -> None:
        """Tell one event."""
        if isinstance(event, InTask):
            self.task, event = event.task, event.event
        try:
            if not isinstance(event, Text | Thought | Usage):
                self._end_reply()
            tell = TELLS.get(type(event))
            if tell:
                tell(self, event)
        finally:
            self.task = ""

    def say(self, text: str) -> None:
        """Tell lines that are no event: an answer to a slash command."""
        self.send(helpers.update_agent_message_text(f"{clean_text(text)}\n"))

    def show_table(self, rows: Iterable[tuple[str, str]]) -> None:
        """Tell rows of two columns."""
        known = list(rows)
        width = max((len(left) for left, _ in known), default=0)
        self.say(
            wrap_in_fence("\n".join(f"{left:{width}}  {right}".rstrip() for left, right in known), "text")
        )

    def show_diff(self, lines: Iterable[tuple[str, str]]) -> None:
        """Tell the lines of a diff."""
        if text := "\n".join(line for _, line in lines):
            self.say(wrap_in_fence(text, "diff"))

    def open_call(self, call: Call, title: str = "") -> OpenCall:
        """Give the call that a question is about, told as one of its own where none is at work."""
        known = (one for one in self.calls.values() if one.result is None and one.call == call)
        if at_work := next(known, None):
            return at_work
        self._start_call(call, title=title)
        return self.calls[self.task]

    def _tell(self, text: str) -> None:
        """Tell the user a line that the model has not written."""
        self.spoken = True
        quoted = clean_text(text).strip().replace("\n", "\n> ")
        self.send(helpers.update_agent_message_text(f"\n\n> {quoted}\n\n"))

    def _end_reply(self) -> None:
        if self.task and (text := self.replies.pop(self.task, "")):
            self.send(helpers.update_agent_message_text(clean_text(f"\n\n{text}\n\n")))

    def _begin(self, event: Requested) -> None:
        self.end, self.spoken = None, False
        self.calls.clear()
        self.replies.clear()

    def _begin_reply(self, event: Prompted) -> None:
        self.replies.pop(self.task, None)

    def _show_text(self, event: Text) -> None:
        said = self.replies.get(self.task, "")
        self.replies[self.task] = said + event.text
        if not self.task:
            # some editors put all that is said into one text, whatever comes between
            gap = "\n\n" if self.spoken and not said else ""
            self.spoken = True
            self.send(helpers.update_agent_message_text(clean_text(gap + event.text)))

    def _show_thought(self, event: Thought) -> None:
        if not self.task:
            self.send(helpers.update_agent_thought_text(clean_text(event.text)))

    def _show_loading(self, event: Loading) -> None:
        if event.model != self.model:
            self.model = event.model
            self.send(helpers.update_agent_thought_text(clean_text(f"Model: {event.model}\n")))

    def _show_routing(self, event: Routed) -> None:
        self.send(helpers.update_agent_thought_text(f"Agent: {clean_text(event.agent)}\n"))

    def _start_call(self, call: Call, *, title: str = "", running: bool = True) -> None:
        self.count += 1
        points = self.points()
        begun = OpenCall(
            f"call-{self.count}", title or format_title(call), call, points.block_count if points else 0
        )
        self.calls[self.task] = begun
        self.send(
            helpers.start_tool_call(
                begun.id,
                begun.title,
                kind=find_kind(call),
                status="in_progress" if running else "pending",
                locations=list(self._find_places(call)) or None,
                raw_input=_describe_input(call),
            )
        )

    def _show_call(self, event: Called) -> None:
        self._start_call(event.call)

    def _show_output(self, event: Output) -> None:
        if call := self.calls.get(self.task):
            call.printed = (call.printed + event.text)[-TAIL:]
            if time.monotonic() - call.told >= PAUSE:
                call.told = time.monotonic()
                self.send(
                    helpers.update_tool_call(
                        call.id,
                        title=call.title,
                        kind=find_kind(call.call),
                        status="in_progress",
                        content=[make_text(call.printed)],
                    )
                )

    def _show_result(self, event: Returned) -> None:
        call = self.calls.get(self.task)
        if call is None or call.result or call.call != event.call:
            # it was not reached
            self._start_call(event.call, running=False)
            call = self.calls[self.task]
        call.result = event.result
        self._send_end(call, call.result, [])

    def _show_changes(self, event: Changed) -> None:
        """Tell what else the block that ended has changed: what is no text, or was looked at later."""
        call = self.calls.get(self.task)
        if call is None or call.result is None:
            return
        if any(str(self.folder / one.file.path) not in call.shown for one in event.files):
            self._send_end(call, call.result, event.files)

    def _send_end(self, call: OpenCall, result: Result, files: Sequence[LineCount]) -> None:
        """Tell the end of a call, whole: some editors add nothing up."""
        points = self.points() if not self.task else None
        diffs = list(self._make_diffs(points, points.changes_since(call.before) or ())) if points else []
        call.shown = {diff.path for diff in diffs}
        left = [one for one in files if str(self.folder / one.file.path) not in call.shown]
        said = [(result.view or result.text)[-TAIL:], " · ".join(map(str, left))]
        paths = [*call.shown, *(str(self.folder / one.file.path) for one in left)]
        self.send(
            helpers.update_tool_call(
                call.id,
                title=call.title if result.ok else f"{call.title} ({clean_text(result.verdict)})",
                kind=find_kind(call.call),
                status="completed" if result.ok else "failed",
                content=[*diffs, *(make_text(text) for text in said if text.strip())],
                locations=[schema.ToolCallLocation(path=clean_text(path)) for path in paths[:MOST]] or None,
                raw_output={"verdict": clean_text(result.verdict), "exit": result.exit},
            )
        )

    def _make_diffs(
        self, points: Checkpoints, changes: Sequence[Change]
    ) -> Iterable[schema.FileEditToolCallContent]:
        for change in changes[:MOST]:
            old, new = points.read_content(change.was), points.read_content(change.left)
            if max(len(old), len(new)) > LARGEST or b"\0" in old + new or old == new:
                continue
            was = clean_text(old.decode("utf-8", "replace")) if change.was else None
            yield helpers.tool_diff_content(
                clean_text(str(self.folder / change.path)), clean_text(new.decode("utf-8", "replace")), was
            )

    def _find_places(self, call: Call) -> Iterable[schema.ToolCallLocation]:
        lines = [call.path or ""]
        lines += call.body.splitlines()[:MOST] if call.tool == "read" else []
        for written in filter(None, map(str.strip, lines)):
            match = PLACE.fullmatch(written)
            if match and (path := self.folder / match["path"]).is_relative_to(self.folder):
                yield schema.ToolCallLocation(
                    path=clean_text(str(path)), line=int(match["line"]) if match["line"] else None
                )

    def _show_plan(self, event: PlanChanged) -> None:
        self.send(helpers.update_plan(map(_make_entry, event.tasks)))

    def _show_usage(self, event: Usage) -> None:
        if not self.task:
            used = event.counts.prompt + event.counts.output
            self.send(schema.UsageUpdate(session_update="usage_update", used=used, size=event.context))

    def _show_answer(self, event: Answered) -> None:
        self._show_untold(event.text)
        self._show_end(event)

    def _show_untold(self, answer: str) -> None:
        """Tell an answer that is no reply of the model's; that of a task was told."""
        if answer.strip() and not self.task and answer.strip() not in self.replies.get("", ""):
            self.send(helpers.update_agent_message_text(clean_text(f"\n\n{answer}")))

    def _show_failure(self, event: GaveUp) -> None:
        self._show_untold(event.answer)
        if event.code not in ERRORS:
            self._tell("\n".join(filter(None, (event.reason, event.hint))))
        self._show_end(event)

    def _show_end(self, event: Answered | GaveUp) -> None:
        receipt = event.receipt or Receipt()
        for line in filter(None, (receipt.complaint, str(receipt))):
            self._tell(line)
        if not self.task:
            self.end = event

    def _show_stop(self, event: Interrupted) -> None:
        if not self.task:
            self.end = event

    def _show_words(self, event: Any) -> None:
        self._tell(WORDS[type(event)](event))


WORDS: dict[type, Callable[[Any], str]] = {
    Notice: lambda event: event.text,
    HandedOver: lambda event: f"{event.agent} takes over.",
    Refused: lambda event: event.problem.text,
    Repairing: lambda event: f"Attempt {event.attempt} of {event.limit} failed: {event.error}",
    Doubted: lambda event: f"In doubt: {'; '.join(event.reasons)}",
    FreshStart: lambda event: f"Starting over from the request. {event.error}",
    Compacting: lambda _: "Summarizing older messages …",
    Compacted: lambda event: f"Summarized: {event.before} to {event.after} tokens.",
    Drafting: lambda _: "Writing the message of a commit …",
}
"""What is said of an event in a line."""
TELLS: dict[type, Callable[[EventUpdates, Any], None]] = {
    Requested: EventUpdates._begin,
    Prompted: EventUpdates._begin_reply,
    Text: EventUpdates._show_text,
    Thought: EventUpdates._show_thought,
    Loading: EventUpdates._show_loading,
    Routed: EventUpdates._show_routing,
    Called: EventUpdates._show_call,
    Output: EventUpdates._show_output,
    Returned: EventUpdates._show_result,
    Changed: EventUpdates._show_changes,
    PlanChanged: EventUpdates._show_plan,
    Usage: EventUpdates._show_usage,
    Answered: EventUpdates._show_answer,
    GaveUp: EventUpdates._show_failure,
    Interrupted: EventUpdates._show_stop,
    **dict.fromkeys(WORDS, EventUpdates._show_words),
}


def make_text(text: str) -> Content:
    """Give what a program printed as the content of a call."""
    return helpers.tool_content(helpers.text_block(wrap_in_fence(clean_text(text).strip("\n"), "text")))


def format_title(call: Call) -> str:
    """Name a call by its tag and path, else by the first line of its body."""
    first = next((line.strip() for line in call.body.splitlines() if line.strip()), "")
    words = clean_text(f"{call.tool} {call.path}" if call.path else f"{call.tool}: {first}")
    return words if len(words) <= TITLE else f"{words[: TITLE - 1]}…"


def find_kind(call: Call) -> Kind:
    return KINDS.get(call.tool, "execute")


def _describe_input(call: Call) -> dict[str, str]:
    told = {"tool": call.tool, "path": call.path or "", "body": call.body, "args": " ".join(call.args)}
    return {name: clean_text(value) for name, value in told.items() if value}


def _make_entry(task: Task) -> schema.PlanEntry:
    words = f"{task.agent}: {task.task}"
    if sentence := ENDED.get(task.status):
        words = f"{words} — {sentence.format(result=task.result)}"
    return helpers.plan_entry(clean_text(words), status=STATUSES.get(task.status, "completed"))
