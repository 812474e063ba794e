"""Checks whether a plan can be carried out; each fault is worded so that the model can fix it.

Covered: plans of the model's and lists of tasks that the user has edited. Not covered: where they come from
(asking, editing).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tripletick.messages import Task
from tripletick.planner.plan import HOW, Plan
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import find_close_match

MOST = 12
"""Tasks that may wait at once: a plan that a user can read, and a small model write."""
ID = lazy_regex(r"[\w.-]{1,24}")
WORDS = lazy_regex(r"\w")
FAULTS = {
    "shape": 'This is no plan. Write {{"tasks": […]}}, a list of objects with id, agent, task and needs.',
    "none": "The plan has no task.",
    "many": "The plan has {count} tasks, and {most} are the most. Make fewer of them.",
    "total": "With these the plan has had {count} tasks, and {most} are the most ([planner] max_tasks).",
    "id": "Task {id!r} has no usable id. Give it a number.",
    "twice": "The id {id} stands twice. Give each task a number of its own.",
    "agent": "Task {id}: there is no agent {agent!r}. There are: {names}.{near}",
    "empty": 'Task {id} says nothing. Write in "task" what is to be done.',
    "same": "Task {id} says the same as task {other}. Say what each is to do, or leave one of them out.",
    "needs": 'Task {id}: "needs" is a list of the ids of other tasks.',
    "need": "Task {id} needs {need}, and there is no such task. There are: {names}.",
    "circle": "These need each other in a circle: {ids}. One of them must need none of the others.",
    "done": "Task {id} is done and cannot be changed. Leave it out.",
    "over": "Task {id} {how} and stays so. Give what is tried instead an id of its own, such as {next}.",
    "lost": "Task {id} needs task {need}, which {how}. Let it need another one, or none.",
}


@dataclass(frozen=True, slots=True)
class PlanFault:
    """One thing that is wrong, with task number `at` of the list, -1: with the whole."""

    text: str
    at: int = -1
    said: str = ""
    """What the user reads where that is not the text, which says how the model mends it."""


@dataclass(frozen=True, slots=True)
class PlanRules:
    """What a plan is checked by. `kept` are tasks that are over: they stay, and others may need them."""

    agents: Collection[str]
    max_tasks: int = 30
    kept: tuple[Task, ...] = ()

    @property
    def max_waiting(self) -> int:
        return min(MOST, self.max_tasks)

    def build_plan(
        self, tasks: Sequence[Task], faults: Sequence[PlanFault] = ()
    ) -> tuple[Plan, list[PlanFault]]:
        """Give the plan of these tasks behind those that are kept, and what is wrong with it."""
        check = _PlanCheck(self, tuple(tasks), list(faults))
        check.check_all()
        own = check.list_own_tasks()
        return Plan((*self.kept, *own)), check.faults


@dataclass(slots=True)
class _PlanCheck:
    rules: PlanRules
    tasks: tuple[Task, ...]
    faults: list[PlanFault]
    over: Mapping[str, Task] = field(init=False)

    def __post_init__(self) -> None:
        self.over = {task.id: task for task in self.rules.kept}

    def check_all(self) -> None:
        waiting = self.list_own_tasks()
        total = len(waiting) + len(self.over)
        if not total and not self.faults:
            self._add_fault("none")
        if len(waiting) > self.rules.max_waiting:
            self._add_fault("many", count=len(waiting), most=self.rules.max_waiting)
        elif total > self.rules.max_tasks:
            self._add_fault("total", count=total, most=self.rules.max_tasks)
        for at, task in enumerate(self.tasks):
            if not self._is_repeated(task):
                self._check_task(at, task)
        if not self.faults and (circle := find_cycle(waiting)):
            self._add_fault("circle", ids=", ".join(circle))

    def list_own_tasks(self) -> list[Task]:
        """Give the tasks that are the list's own: models repeat those that are over."""
        return [task for task in self.tasks if not self._is_repeated(task)]

    def _is_repeated(self, task: Task) -> bool:
        known = self.over.get(task.id)
        return known is not None and (known.agent, known.task) == (task.agent, task.task)

    def _check_task(self, at: int, task: Task) -> None:
        names = [one.id for one in self.tasks]
        if not ID.fullmatch(task.id):
            self._add_fault("id", at, id=task.id)
        elif task.id in self.over:
            status = self.over[task.id].status
            code = "done" if status == "done" else "over"
            self._add_fault(code, at, id=task.id, how=HOW.get(status), next=self._find_free_id())
        elif task.id in names[:at]:
            self._add_fault("twice", at, id=task.id)
        if task.agent not in self.rules.agents:
            near = find_close_match(task.agent, self.rules.agents)
            did = f" Did you mean {near}?" if near else ""
            self._add_fault(
                "agent", at, id=task.id, agent=task.agent, names=", ".join(self.rules.agents), near=did
            )
        if not WORDS.search(task.task):
            self._add_fault("empty", at, id=task.id)
        elif same := next((one for one in self.tasks[:at] if _is_same_task(one, task)), None):
            # small models repeat the words of the example
            self._add_fault("same", at, id=task.id, other=same.id)
        for need in task.needs:
            lost = self.over.get(need)
            if lost and lost.status != "done":
                self._add_fault("lost", at, id=task.id, need=need, how=HOW.get(lost.status))
            elif not lost and need not in names:
                others = [name for name in (*self.over, *names) if name != task.id]
                self._add_fault(
                    "need", at, id=task.id, need=need or "nothing", names=", ".join(others) or "none"
                )

    def _find_free_id(self) -> str:
        """Give a number that is no id yet."""
        taken = {*self.over, *(task.id for task in self.tasks)}
        return next(str(number) for number in range(1, len(taken) + 2) if str(number) not in taken)

    def _add_fault(self, code: str, at: int = -1, **words: object) -> None:
        self.faults.append(PlanFault(FAULTS[code].format(**words), at))


def read_tasks(given: Any, agents: Collection[str]) -> tuple[list[Task], list[PlanFault]]:
    """Turn what JSON said into tasks: an object with `tasks`, or the list alone; ids may be numbers.

    Nothing is guessed: what is missing is empty, and the rules then say so.
    """
    entries = given.get("tasks") if isinstance(given, dict) else given
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return [], [PlanFault(FAULTS["shape"].format())]
    faults: list[PlanFault] = []
    called = {name.casefold(): name for name in agents}
    tasks = []
    for at, entry in enumerate(entries):
        agent = _parse_text(entry.get("agent")).lstrip("@")
        task = Task(
            _parse_id(entry.get("id")), called.get(agent.casefold(), agent), _parse_text(entry.get("task"))
        )
        needs = _parse_needs(entry.get("needs"))
        if needs is None:
            faults.append(PlanFault(FAULTS["needs"].format(id=task.id), at))
        tasks.append(replace(task, needs=needs or ()))
    return tasks, faults


def find_cycle(tasks: Sequence[Task]) -> list[str]:
    """Give the ids of tasks that need each other in a circle, none where there is no circle."""
    left = {task.id: {need for need in task.needs if any(one.id == need for one in tasks)} for task in tasks}
    while free := [name for name, needs in left.items() if not needs & left.keys()]:
        left = {name: needs for name, needs in left.items() if name not in free}
    if not left:
        return []
    # each that is left needs another that is left: walk until one comes again
    walk = [next(iter(left))]
    while walk[-1] not in walk[:-1]:
        walk.append(min(left[walk[-1]] & left.keys()))
    return walk[walk.index(walk[-1]) :]


def _is_same_task(one: Task, other: Task) -> bool:
    return (one.agent, one.task.casefold()) == (other.agent, other.task.casefold())


def _parse_id(given: Any) -> str:
    whole = isinstance(given, float) and given.is_integer()
    known = isinstance(given, str | int | float) and not isinstance(given, bool)
    return "_".join(str(int(given) if whole else given).split()) if known else ""


def _parse_text(given: Any) -> str:
    return given.strip() if isinstance(given, str) else ""


def _parse_needs(given: Any) -> tuple[str, ...] | None:
    """Give the ids that stand in a list, or one that stands alone; None where it is neither."""
    several = given if isinstance(given, list) else [] if given in (None, "") else [given]
    ids = [_parse_id(one) for one in several]
    return tuple(dict.fromkeys(ids)) if all(ids) else None
