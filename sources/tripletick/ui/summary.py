"""The result of a turn, gathered from its events: the object of `-o json`, and the exit code."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tripletick.events import (
    Answered,
    Called,
    Event,
    GaveUp,
    InTask,
    Interrupted,
    Loading,
    PlanChanged,
    Repairing,
    Returned,
    Routed,
    Usage,
)
from tripletick.messages import DOUBTFUL, INTERRUPTED, FileChange, Receipt, Task, name_outcome

HINT = "To see the changes: tripletick diff"
COUNTED = (Called, Returned, Repairing, Usage)
"""Of a plan's tasks, too."""


@dataclass(slots=True)
class TurnSummary:
    """Counts while events pass by; tokens and seconds are sums over the turn's replies."""

    session: str = ""
    model: str = ""
    agent: str = ""
    answer: str | None = None
    receipt: Receipt = field(default_factory=Receipt)
    exit: int = 0
    steps: int = 0
    blocks: int = 0
    attempts: int = 0
    files: dict[str, FileChange] = field(default_factory=dict)
    tasks: tuple[Task, ...] = ()
    error: dict[str, str] | None = None
    prompt: int = 0
    cached: int | None = None
    output: int = 0
    seconds: float = 0.0
    writing: float = 0.0

    def add_event(self, event: Event) -> None:
        """Take an event in."""
        match event:
            case Loading(model):
                self.model = model
            case Routed(agent):
                self.agent = agent
            case Called():
                self.blocks += 1
            case Returned(result=result):
                for change in result.files:
                    self.files.setdefault(change.path, change)
            case Repairing(attempt):
                self.attempts = max(self.attempts, attempt)
            case Usage():
                self._add_usage(event)
            case PlanChanged() | InTask():
                self._add_plan_event(event)
            case Answered() | GaveUp() | Interrupted():
                self._add_ending(event)

    def _add_plan_event(self, event: PlanChanged | InTask) -> None:
        if isinstance(event, PlanChanged):
            self.tasks = event.tasks
        elif isinstance(event.event, COUNTED):
            self.add_event(event.event)

    def _add_ending(self, event: Answered | GaveUp | Interrupted) -> None:
        if isinstance(event, Interrupted):
            event = GaveUp("interrupted", "Stopped by the user.", INTERRUPTED)
        if event.files is not None:
            self.files = {change.path: change for change in event.files}
        self.receipt = event.receipt or Receipt()
        if isinstance(event, Answered):
            self.answer = event.text
            if self.receipt.doubt:
                self.exit = 1
                self.error = {"code": DOUBTFUL, "message": self.receipt.complaint, "hint": HINT}
            return
        self.exit, self.answer = event.exit, event.answer or None
        self.error = {"code": event.code, "message": event.reason, "hint": event.hint}

    def _add_usage(self, usage: Usage) -> None:
        self.steps += 1
        self.prompt += usage.counts.prompt
        if usage.counts.cached is not None:
            self.cached = (self.cached or 0) + usage.counts.cached
        self.output += usage.counts.output
        self.seconds += usage.seconds
        self.writing += usage.counts.output_seconds

    def to_dict(self) -> dict[str, Any]:
        """Give the object of `-o json` (UX: commands)."""
        speed = round(self.output / self.writing, 1) if self.writing else None
        usage = {
            "prompt": self.prompt,
            "cached": self.cached,
            "output": self.output,
            "seconds": round(self.seconds, 3),
            "tokens_per_second": speed,
        }
        return {
            "ok": self.exit == 0,
            "exit": self.exit,
            "outcome": name_outcome(self.exit, (self.error or {}).get("code", "")),
            "answer": self.answer,
            "receipt": str(self.receipt),
            "verified": self.exit == 0 and self.receipt.verified,
            "doubt": list(self.receipt.doubt),
            "session": self.session,
            "model": self.model,
            "agent": self.agent,
            "steps": self.steps,
            "blocks": self.blocks,
            "attempts": self.attempts,
            "files": [change.as_json for change in self.files.values()],
            "tasks": [_task_to_dict(task) for task in self.tasks],
            "usage": usage,
            "error": self.error,
        }


def _task_to_dict(task: Task) -> dict[str, Any]:
    kept = ("id", "agent", "task", "needs", "status", "result")
    files = [change.as_json for change in task.files]
    return {**{name: getattr(task, name) for name in kept}, "files": files}
