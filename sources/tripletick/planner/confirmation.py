"""Has the user agree to a plan before it runs: yes, no, or edited first, as a text with a line a task.

Without a user, or where they have said so before, it runs as it is, and that is shown. What the lines hold is
checked in validation.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tripletick.events import Ask, Notice, PlanChanged
from tripletick.messages import Answer, Task
from tripletick.planner.drafts import Asking
from tripletick.planner.plan import Plan
from tripletick.planner.validation import PlanFault, PlanRules
from tripletick.system.lazy_regex import lazy_regex

UNASKED = "Running the plan without confirmation: {why}."
NOBODY = "no one is there to confirm it"
SAID = "-y was given"
SET = "[planner] confirm is no"

HEAD = (
    "# One task per line: ID AGENT: what to do  (needs ID, ID)",
    "# Indented lines continue the task above. Lines starting with # are ignored.",
)
NOTHING = "nothing"
"""Stands for no needs, where the task's own words end like some."""
UNREAD = "Expected: ID AGENT: what to do  (needs ID, ID)"
ABOVE = "There is no task above for this line to continue."
LINE = "Line {line}: {text}"
INDENT = "  "
_BREAK = lazy_regex(r"\r\n|\n|\r")
"""Other characters that end a line for `str.splitlines` may stand in a task."""
_TASK = lazy_regex(r"(?P<id>\S+)\s+@?(?P<agent>[\w.-]+)\s*:(?P<task>.*)", re.DOTALL)
_NEEDS = lazy_regex(r"\s*\(needs\s+(?P<needs>[^()]*)\)\s*\Z")


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """A question about the plan: its words, its letters, what `?` shows, what Enter means."""

    question: str
    choices: str
    why: str
    default: str


AGREED = PlanQuestion(
    "Run this plan?",
    "yne?",
    "y: run its tasks, each by its agent; n: run nothing, and words after it go to the planner, which "
    "makes a new plan; e: edit it first, one task per line. Ctrl+C stops a plan and keeps what is done.",
    "y",
)
AGAIN = PlanQuestion(
    "Edit it again?",
    "eyn?",
    "e: edit your text further; y: run the plan as it was before you edited it; n: run nothing.",
    "e",
)


@dataclass(frozen=True, slots=True)
class PlanConfirmation:
    """Whether and how the user is asked; no editor may lie in `workspace`."""

    person: bool
    yes: bool
    confirm: bool
    workspace: str

    def ask_user(self, plan: Plan, rules: PlanRules) -> Asking[tuple[Answer, Plan]]:
        """Show the plan and ask; gives the answer, and the plan as the user wants it."""
        yield PlanChanged(plan.tasks)
        if why := self._find_skip_reason():
            yield Notice(UNASKED.format(why=why))
            return Answer("y"), plan
        text, asked = "", AGREED
        while True:
            given = text or format_tasks(plan.tasks)
            answer = yield Ask(
                asked.question,
                asked.choices,
                asked.why,
                default=asked.default,
                edit=given,
                workspace=self.workspace,
            )
            if answer is None or answer.choice != "e":
                return answer or Answer(), plan
            edited, faults = parse_tasks(answer.text, rules)
            yield from map(Notice, faults)
            text, asked = (answer.text, AGAIN) if faults else ("", AGREED)
            if not faults:
                plan = edited
                yield PlanChanged(plan.tasks)

    def _find_skip_reason(self) -> str:
        """Say why the user is not asked, "" where they are."""
        reasons = ((not self.person, NOBODY), (self.yes, SAID), (not self.confirm, SET))
        return next((why for holds, why in reasons if holds), "")


def format_tasks(tasks: Sequence[Task]) -> str:
    """Write tasks down."""
    return "\n".join((*HEAD, *map(_format_task, tasks)))


def parse_tasks(text: str, rules: PlanRules) -> tuple[Plan, list[str]]:
    """Read what the user made of it, and say what is wrong, each with the number of its line."""
    tasks, faults, lines = list[Task](), list[str](), list[int]()
    for number, whole in _split_tasks(text):
        task = _parse_task(whole)
        if task is None:
            unread = ABOVE if whole[:1].isspace() else UNREAD
            faults.append(LINE.format(line=number, text=unread))
        else:
            tasks.append(task)
            lines.append(number)
    plan, found = rules.build_plan(tasks)
    return plan, [*faults, *(_format_fault(fault, lines) for fault in found if tasks or not faults)]


def format_needs(task: Task) -> str:
    """Say behind a task what it needs, "" where it needs nothing."""
    return f"  (needs {', '.join(task.needs)})" if task.needs else ""


def _format_task(task: Task) -> str:
    words = f"\n{INDENT}".join(_BREAK.split(task.task))
    unlike = f"  (needs {NOTHING})" if not task.needs and _NEEDS.search(words) else ""
    return f"{task.id} {task.agent}: {words}{format_needs(task)}{unlike}"


def _split_tasks(text: str) -> Iterator[tuple[int, str]]:
    """Give each task's lines as one text, with the number of the first."""
    begun, held = 0, ""
    for number, line in enumerate(_BREAK.split(text), 1):
        if line.startswith("#") or not line.strip():
            continue
        if held and line[0].isspace():
            # what is indented more is the task's own, such as a program
            more = line.removeprefix(INDENT) if line.startswith(INDENT) else line.strip()
            held += f"\n{more.rstrip()}"
            continue
        if held:
            yield begun, held
        begun, held = number, line.rstrip()
    if held:
        yield begun, held


def _parse_task(whole: str) -> Task | None:
    found = _TASK.match(whole)
    if not found:
        return None
    words, needs = found["task"], tuple[str, ...]()
    if end := _NEEDS.search(words):
        words, named = words[: end.start()], re.split(r"[\s,;]+", end["needs"].strip())
        needs = tuple(name for name in dict.fromkeys(named) if name and name != NOTHING)
    return Task(found["id"], found["agent"], words.strip(), needs)


def _format_fault(fault: PlanFault, lines: Sequence[int]) -> str:
    return LINE.format(line=lines[fault.at], text=fault.text) if fault.at >= 0 else fault.text
