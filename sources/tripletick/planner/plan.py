"""A plan: a graph of tasks, what of it can run, what cannot any more, and how far it is done.

How one is asked for stands in asking, its rules in checking, how tasks run in crew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from tripletick.messages import FileChange, Result, Status, Task

PLANNER = "planner"
"""The agent that makes plans."""
DROPPED = "left out when the plan was changed"
LOST = "it needs task {id}, which {how}"
HOW = {"failed": "failed", "skipped": "was skipped"}
FAILED_BLOCK = "it answered although its last block had failed ({verdict})"
UNANSWERED = "its question was not answered"


@dataclass(frozen=True, slots=True)
class Plan:
    """Tasks in the order in which the model wrote them."""

    tasks: tuple[Task, ...] = ()

    def list_ready(self) -> tuple[Task, ...]:
        """Give what can begin: it waits, and all that it needs is done."""
        done = {task.id for task in self.tasks if task.status == "done"}
        return tuple(task for task in self.list_pending() if done.issuperset(task.needs))

    def with_task(self, task: Task) -> Plan:
        """Give the plan with this task in the place of the one of its id."""
        return Plan(tuple(task if one.id == task.id else one for one in self.tasks))

    def skip_blocked(self) -> Plan:
        """Skip what cannot run any more, because it needs a task that failed or was skipped."""
        plan = self
        while lost := next((task for task in plan.list_pending() if plan._explain_blocked(task)), None):
            plan = plan.with_task(replace(lost, status="skipped", result=plan._explain_blocked(lost)))
        return plan

    def reset_running(self) -> Plan:
        """Give the plan as it is when nothing runs: what had begun waits again."""
        tasks = (replace(task, status="pending") if task.status == "running" else task for task in self.tasks)
        return Plan(tuple(tasks))

    def reset_failed(self) -> Plan:
        """Give the plan with what failed or was skipped waiting again, but for what others stand for."""
        lost = (replace(task, status="pending", result="", surprise="") for task in self.tasks)
        return Plan(
            tuple(
                new if old.status in HOW and not old.replaced and old.result != DROPPED else old
                for old, new in zip(self.reset_running().tasks, lost, strict=True)
            )
        )

    def list_pending(self) -> tuple[Task, ...]:
        return tuple(task for task in self.tasks if task.status == "pending")

    def index_by_id(self) -> Mapping[str, Task]:
        return {task.id: task for task in self.tasks}

    def is_complete(self) -> bool:
        """Tell whether all is done, by the task that was meant to or by others in its place."""
        return all(task.status == "done" or task.replaced for task in self.tasks)

    def _explain_blocked(self, task: Task) -> str:
        """Say why a task cannot run any more, "" where it can."""
        known = self.index_by_id()
        lost = (known[need] for need in task.needs if need in known and known[need].status in HOW)
        return next((LOST.format(id=one.id, how=HOW[one.status]) for one in lost), "")


def plan_from_record(told: Sequence[Any]) -> Plan:
    """Give the plan that a record of the log tells, none where that is damaged."""
    try:
        plan = Plan(tuple(_task_from_record(one) for one in told))
    except (KeyError, TypeError, ValueError):
        return Plan()
    return plan if len(plan.index_by_id()) == len(plan.tasks) else Plan()


def _task_from_record(told: Mapping[str, Any]) -> Task:
    files = tuple(FileChange(**file) for file in told["files"])
    task = Task(**{**told, "needs": tuple(told["needs"]), "files": files})
    texts = (task.id, task.agent, task.task, task.result, task.surprise, *task.needs)
    if task.status not in get_args(Status) or not all(isinstance(text, str) for text in texts):
        raise ValueError("a task is none")
    return task


def describe_surprise(last: Result | None, *, unanswered: bool = False) -> str:
    """Say what is odd about a task that has answered, "" where nothing is; `last` came of its last block.

    What its words mean is not judged: small models would be suspected all the time.
    """
    if last is not None and last.outcome == "failed":
        return FAILED_BLOCK.format(verdict=last.verdict)
    return UNANSWERED if unanswered else ""
