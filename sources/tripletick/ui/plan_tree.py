"""A plan as a tree: each task hangs below the last one that it needs.

How a tree is drawn is the pens'.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tripletick.messages import Status, Task
from tripletick.ui.renderer import Style, TreeBranch
from tripletick.ui.sanitize import escape_controls

DEEPEST = 4
"""Levels below the first: what hangs deeper is put there, so that a long chain stays in the window."""
STYLES: Mapping[Status, Style] = {
    "pending": "dim",
    "running": "",
    "done": "good",
    "failed": "bad",
    "skipped": "warn",
}


def build_branches(
    tasks: Sequence[Task], mark: Callable[[Status], str] = lambda status: ""
) -> tuple[TreeBranch, ...]:
    """Give a plan's tasks; `mark` is the sign that stands before one of that status."""
    hangs: dict[str, list[Task]] = {}
    levels: dict[str, int] = {}
    for task in tasks:
        above = next((one for one in reversed(tasks) if one.id in task.needs and one.id in levels), None)
        while above and levels[above.id] >= DEEPEST:
            above = _find_parent(hangs, above, tasks)
        levels[task.id] = levels[above.id] + 1 if above else 0
        hangs.setdefault(above.id if above else "", []).append(task)

    def hanging(name: str) -> tuple[TreeBranch, ...]:
        return tuple(
            TreeBranch(mark(task.status) + format_task(task), STYLES[task.status], hanging(task.id))
            for task in hangs.get(name, ())
        )

    return hanging("")


def format_task(task: Task) -> str:
    """Name a task, how far it is, and what it needs."""
    state = f", {task.status}" if task.status != "pending" else ""
    needs = f"  (needs {', '.join(task.needs)})" if task.needs else ""
    words = escape_controls(" ".join(task.task.split()))
    return f"{escape_controls(task.id)} {escape_controls(task.agent)}{state}: {words}{escape_controls(needs)}"


def format_title(tasks: Sequence[Task]) -> str:
    """Say how far a plan is."""
    done = sum(task.status == "done" for task in tasks)
    begun = any(task.status != "pending" for task in tasks)
    return f"Plan: {done} of {len(tasks)} done" if begun else f"Plan: {len(tasks)} tasks"


def _find_parent(hangs: Mapping[str, Sequence[Task]], task: Task, tasks: Sequence[Task]) -> Task | None:
    name = next((name for name, below in hangs.items() if task in below), "")
    return next((one for one in tasks if one.id == name), None)
