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
from tripletick.messages import Status, Task, say_counts
from tripletick.ui import attempts
from tripletick.ui.gauge import Gauge
from tripletick.ui.pen import Branch, Mark, Pen
from tripletick.ui.safe import one_line, visible
from tripletick.ui.teller import LOOKS, Teller, name
from tripletick.ui.tree import STYLES, branches, title

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
class Planned:
    """Shows events; those of a plan here, all others through the teller."""

    teller: Teller
    tasks: tuple[Task, ...] = ()
    drawn: tuple[Task, ...] = ()
    """The plan as it was drawn whole."""

    def show(self, event: Event) -> None:
        """Draw one event."""
        if isinstance(event, PlanChanged):
            self._changed(event.tasks)
        elif isinstance(event, InTask):
            self._in_task(event)
        else:
            if isinstance(event, (Text, *ENDS)):
                self._close(over=isinstance(event, ENDS))
            self.teller.show(event)

    def _changed(self, tasks: tuple[Task, ...]) -> None:
        old, self.tasks = {task.id: task for task in self.tasks}, tasks
        if self.teller.quiet:
            return
        running = [task for task in tasks if task.status == "running"]
        if len(running) != 1 or running[0].id not in old or old[running[0].id].status != "running":
            self.teller.close()
        if tasks and {_shape(task) for task in old.values()} != {_shape(task) for task in tasks}:
            self._whole()
        else:
            for task in tasks:
                if task.status != old[task.id].status:
                    self._news(task)
        self.teller.pen.hang(self._branches() if running else ())
        if running:
            doing = f"{running[0].id} {running[0].agent}" if len(running) == 1 else f"{len(running)} tasks"
            self._busy(visible(doing))

    def _close(self, *, over: bool) -> None:
        """The plan is not at work any more: draw it as it is, where that is not on the screen."""
        if self.tasks and not self.teller.quiet and self.tasks != self.drawn:
            self.teller.close()
            self._whole()
        self.teller.pen.hang(())
        if over:
            self.tasks = self.drawn = ()

    def _whole(self) -> None:
        self.drawn = self.tasks
        self.teller.pen.tree(title(self.tasks), self._branches())

    def _branches(self) -> tuple[Branch, ...]:
        pen = self.teller.pen
        return branches(self.tasks, lambda status: _mark(pen, status))

    def _news(self, task: Task) -> None:
        """Tell in a line that a task has begun or ended."""
        pen, who = self.teller.pen, _who(task.id, task.agent)
        words = {
            "running": task.task,
            "pending": "waits again",
            "done": f"done, but {task.surprise}" if task.surprise else "done",
        }.get(task.status, f"{task.status}: {task.result}")
        said = one_line(words)
        short = said if len(said) <= RESULT else f"{said[:RESULT]} {pen.mark('more').strip()}"
        pen.line(f"{_mark(pen, task.status)}{who}: {short}", STYLES[task.status], prose=True)

    def _in_task(self, told: InTask) -> None:
        event, teller = told.event, self.teller
        if teller.quiet or isinstance(event, FRAME):
            return
        if sum(task.status == "running" for task in self.tasks) > 1:
            if isinstance(event, Usage):
                teller.gauge.count(event)
            if tell := _LINES.get(type(event)):
                tell(teller.pen, _who(told.task, told.agent), event)
        elif isinstance(event, ENDS):
            teller.close()
        else:
            teller.agent = visible(f"{told.task} {told.agent}")
            teller.show(event)

    def _busy(self, doing: str) -> None:
        gauge: Gauge = self.teller.gauge
        gauge.begin(doing)
        self.teller.pen.status(gauge.now)


def _returned(pen: Pen, who: str, event: Returned) -> None:
    mark, style = LOOKS[event.result.outcome]
    pen.line(
        f"{pen.mark(mark)}{who}: {name(event.call)}: {one_line(event.result.verdict)}", style, prose=True
    )


def _changed(pen: Pen, who: str, event: Changed) -> None:
    pen.line(f"{who}: {one_line(say_counts(event.files))}", prose=True)


def _repairing(pen: Pen, who: str, event: Repairing | Doubted | FreshStart) -> None:
    pen.line(f"{pen.mark('repair')}{who}: {attempts.said(event)}", "warn", prose=True)


def _refused(pen: Pen, who: str, event: Refused) -> None:
    if event.problem.text:
        words = f"not run: {one_line(event.problem.text)}"
        pen.line(f"{pen.mark('skipped')}{who}: {words}", "warn", prose=True)


def _notice(pen: Pen, who: str, event: Notice) -> None:
    pen.line(f"{who}: {visible(event.text.strip())}", "dim", prose=True)


_LINES: Mapping[type[Any], Callable[[Pen, str, Any], None]] = {
    Returned: _returned,
    Changed: _changed,
    Repairing: _repairing,
    Doubted: _repairing,
    FreshStart: _repairing,
    Refused: _refused,
    Notice: _notice,
}


def _mark(pen: Pen, status: Status) -> str:
    mark = MARKS[status]
    return pen.mark(mark) if mark else ""


def _who(task: str, agent: str) -> str:
    return visible(f"{task} {agent}")


def _shape(task: Task) -> tuple[str, str, str, tuple[str, ...], bool]:
    return task.id, task.agent, task.task, task.needs, task.replaced
