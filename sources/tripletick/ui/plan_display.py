"""A plan on the screen: whole at its beginning and end and when it is changed, else a line for what is new.

Of a task that runs alone all is shown as of any turn; of several at once a line for each of their events,
under the task's name. All else is the teller's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tripletick.events import (
    Answered,
    Changed,
    Doubted,
    Event,
    FreshStart,
    GaveUp,
    InTask,
    Interrupted,
    Notice,
    PlanChanged,
    Refused,
    Repairing,
    Requested,
    Returned,
    Routed,
    Text,
    Usage,
)
from tripletick.messages import Status, Task, format_line_counts
from tripletick.ui import compaction_text
from tripletick.ui.plan_tree import STYLES, build_branches, format_title
from tripletick.ui.renderer import Mark, Renderer, TreeBranch
from tripletick.ui.sanitize import escape_controls, to_one_line
from tripletick.ui.status_line import StatusLine
from tripletick.ui.turn_display import LOOKS, TurnDisplay, format_call

MARKS: Mapping[Status, Mark | None] = {
    "pending": None,
    "running": "runs",
    "done": "ok",
    "failed": "failed",
    "skipped": "skipped",
}
ENDS = (Answered, GaveUp, Interrupted)
FRAME = (Requested, Routed, PlanChanged, InTask)
"""Of a task's turn the plan itself tells as much."""
RESULT = 160
"""Characters of what came of a task, on its line."""


@dataclass(slots=True)
class PlanDisplay:
    """Shows events; those of a plan here, all others through the teller."""

    teller: TurnDisplay
    tasks: tuple[Task, ...] = ()
    drawn: tuple[Task, ...] = ()
    """The plan as it was drawn whole."""

    def show_event(self, event: Event) -> None:
        """Draw one event."""
        if isinstance(event, PlanChanged):
            self._show_plan_change(event.tasks)
        elif isinstance(event, InTask):
            self._show_task_event(event)
        else:
            if isinstance(event, (Text, *ENDS)):
                self._close_plan(over=isinstance(event, ENDS))
            self.teller.show_event(event)

    def _show_plan_change(self, tasks: tuple[Task, ...]) -> None:
        old, self.tasks = {task.id: task for task in self.tasks}, tasks
        if self.teller.quiet:
            return
        running = [task for task in tasks if task.status == "running"]
        if len(running) != 1 or running[0].id not in old or old[running[0].id].status != "running":
            self.teller.close()
        if tasks and {_get_definition(task) for task in old.values()} != {
            _get_definition(task) for task in tasks
        }:
            self._draw_plan()
        else:
            for task in tasks:
                if task.status != old[task.id].status:
                    self._show_task_change(task)
        self.teller.pen.show_below_status(self._build_branches() if running else ())
        if running:
            doing = f"{running[0].id} {running[0].agent}" if len(running) == 1 else f"{len(running)} tasks"
            self._show_busy(escape_controls(doing))

    def _close_plan(self, *, over: bool) -> None:
        """The plan is not at work any more: draw it as it is, where that is not on the screen."""
        if self.tasks and not self.teller.quiet and self.tasks != self.drawn:
            self.teller.close()
            self._draw_plan()
        self.teller.pen.show_below_status(())
        if over:
            self.tasks = self.drawn = ()

    def _draw_plan(self) -> None:
        self.drawn = self.tasks
        self.teller.pen.draw_tree(format_title(self.tasks), self._build_branches())

    def _build_branches(self) -> tuple[TreeBranch, ...]:
        pen = self.teller.pen
        return build_branches(self.tasks, lambda status: _format_mark(pen, status))

    def _show_task_change(self, task: Task) -> None:
        """Tell in a line that a task has begun or ended."""
        pen, who = self.teller.pen, _format_worker(task.id, task.agent)
        words = {
            "running": task.task,
            "pending": "waits again",
            "done": f"done, but {task.surprise}" if task.surprise else "done",
        }.get(task.status, f"{task.status}: {task.result}")
        said = to_one_line(words)
        short = said if len(said) <= RESULT else f"{said[:RESULT]} {pen.format_mark('more').strip()}"
        pen.draw_line(f"{_format_mark(pen, task.status)}{who}: {short}", STYLES[task.status], prose=True)

    def _show_task_event(self, told: InTask) -> None:
        event, teller = told.event, self.teller
        if teller.quiet or isinstance(event, FRAME):
            return
        if sum(task.status == "running" for task in self.tasks) > 1:
            if isinstance(event, Usage):
                teller.gauge.count_usage(event)
            if tell := _LINES.get(type(event)):
                tell(teller.pen, _format_worker(told.task, told.agent), event)
        elif isinstance(event, ENDS):
            teller.close()
        else:
            teller.agent = escape_controls(f"{told.task} {told.agent}")
            teller.show_event(event)

    def _show_busy(self, doing: str) -> None:
        gauge: StatusLine = self.teller.gauge
        gauge.begin_step(doing)
        self.teller.pen.show_status(gauge.format_current)


def _show_result(pen: Renderer, who: str, event: Returned) -> None:
    mark, style = LOOKS[event.result.outcome]
    pen.draw_line(
        f"{pen.format_mark(mark)}{who}: {format_call(event.call)}: {to_one_line(event.result.verdict)}",
        style,
        prose=True,
    )


def _show_changes(pen: Renderer, who: str, event: Changed) -> None:
    pen.draw_line(f"{who}: {to_one_line(format_line_counts(event.files))}", prose=True)


def _show_repair(pen: Renderer, who: str, event: Repairing | Doubted | FreshStart) -> None:
    pen.draw_line(
        f"{pen.format_mark('repair')}{who}: {compaction_text.format_attempt(event)}", "warn", prose=True
    )


def _show_refusal(pen: Renderer, who: str, event: Refused) -> None:
    if event.problem.text:
        words = f"not run: {to_one_line(event.problem.text)}"
        pen.draw_line(f"{pen.format_mark('skipped')}{who}: {words}", "warn", prose=True)


def _show_notice(pen: Renderer, who: str, event: Notice) -> None:
    pen.draw_line(f"{who}: {escape_controls(event.text.strip())}", "dim", prose=True)


_LINES: Mapping[type[Any], Callable[[Renderer, str, Any], None]] = {
    Returned: _show_result,
    Changed: _show_changes,
    Repairing: _show_repair,
    Doubted: _show_repair,
    FreshStart: _show_repair,
    Refused: _show_refusal,
    Notice: _show_notice,
}


def _format_mark(pen: Renderer, status: Status) -> str:
    mark = MARKS[status]
    return pen.format_mark(mark) if mark else ""


def _format_worker(task: str, agent: str) -> str:
    return escape_controls(f"{task} {agent}")


def _get_definition(task: Task) -> tuple[str, str, str, tuple[str, ...], bool]:
    return task.id, task.agent, task.task, task.needs, task.replaced
