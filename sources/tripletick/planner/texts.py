"""What is said of a plan: what the planner is asked and told, and the answer, which needs no model.

The questions themselves are files of prompts/.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tripletick.agents.definitions import Agent
from tripletick.messages import FileChange, Task
from tripletick.planner.plan import Plan
from tripletick.planner.validation import PlanFault
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import join_names

CLIP = 400
"""Characters of a task's result that the planner reads and the answer shows."""
FILES = 12
"""Paths that are named before the rest is counted."""
NEEDED = "What came of {name}: {result}"
TOLD = 600
"""Characters of a result that a task reads which needs it."""
WRONG = "This plan cannot be used:\n{faults}\nSend the whole plan again."
ENDED = "(The plan has ended. What came of it:)"
STOPPED = "(The person stopped the plan. What came of it:)"
REFUSED = "(The person said no to this plan.)"
ANOTHER = "The person wants another plan: {words}"
STATES = {
    "pending": "not begun",
    "running": "not begun",
    "done": "done",
    "failed": "failed",
    "skipped": "skipped",
}


_PLACE = lazy_regex(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class PlannerQuestions:
    """The wording of prompts/: {agents} {most} in `plan`, {tasks} {agents} {most} in `replan`."""

    plan: str
    replan: str

    def format_plan_request(self, agents: Iterable[Agent], most: int) -> str:
        """Ask for a plan."""
        return _fill_template(self.plan, {"agents": _format_agents(agents), "most": str(most)})

    def format_replan_request(self, plan: Plan, agents: Iterable[Agent], most: int) -> str:
        """Ask what becomes of the rest of a plan."""
        known = {"tasks": format_statuses(plan), "agents": _format_agents(agents), "most": str(most)}
        return _fill_template(self.replan, known)


def format_task_request(plan: Plan, task: Task) -> str:
    """Ask for a task: its text, and in short what came of those that it needs."""
    known = plan.index_by_id()
    return "\n\n".join([task.task, *(_format_needed(known[need]) for need in task.needs if need in known)])


def format_faults(faults: Sequence[PlanFault]) -> str:
    """Tell the planner what is wrong with its plan."""
    return WRONG.format(faults="\n".join(f"- {text}" for text in dict.fromkeys(one.text for one in faults)))


def format_statuses(plan: Plan) -> str:
    """Tell the planner how far the plan is."""
    return "\n".join(_format_status(task) for task in plan.tasks)


def format_answer(plan: Plan, changed: Iterable[FileChange] | None = None) -> str:
    """Say at the end what was done, what not and why, and which files; `changed` where that is known."""
    done = [task for task in plan.tasks if task.status == "done"]
    rest = [task for task in plan.tasks if task.status != "done"]
    files = [file for task in done for file in task.files] if changed is None else list(changed)
    parts = (
        ("Done:", map(_format_item, done)),
        ("Not done:", map(_format_item, rest)),
        ("Files:", [_format_files(files)] if files else []),
    )
    written = (f"{head}\n" + "\n".join(lines) for head, found in parts if (lines := list(found)))
    return "\n\n".join(written)


def clip_middle(text: str, most: int = CLIP) -> str:
    """Cut a text in its middle, so that it has at most so many characters and some."""
    whole = text.strip()
    half = most // 2
    return whole if len(whole) <= most else f"{whole[:half].rstrip()} … {whole[-half:].lstrip()}"


def describe_status(task: Task) -> str:
    """Say what became of a task that is not done."""
    said = clip_middle(task.result).replace("\n", " ")
    return ": ".join(filter(None, (STATES[task.status], said)))


def _fill_template(text: str, places: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda found: places.get(found[1], found[0]), text)


def _format_agents(agents: Iterable[Agent]) -> str:
    return "\n".join(f"- {agent.name}: {agent.when}" for agent in agents)


def _format_status(task: Task) -> str:
    state = STATES[task.status] + (f", but {task.surprise}" if task.surprise else "")
    needs = f", needs {', '.join(task.needs)}" if task.needs else ""
    result = clip_middle(task.result)
    return f"- task {task.id} ({task.agent}{needs}), {state}: {task.task}" + (
        f"\n  Result: {_indent_text(result)}" if result else ""
    )


def _format_needed(task: Task) -> str:
    made = f"\nFiles: {_format_files(task.files)}" if task.files else ""
    return NEEDED.format(name=task.name, result=clip_middle(task.result, TOLD)) + made


def _format_item(task: Task) -> str:
    if task.status != "done":
        instead = ", and the plan was changed for it" if task.replaced else ""
        return f"- {task.id} {task.agent}: {task.task} ({describe_status(task)}{instead})"
    odd = f" ({task.surprise})" if task.surprise else ""
    result = f"\n  {_indent_text(clip_middle(task.result))}" if task.result.strip() else ""
    return f"- {task.id} {task.agent}: {task.task}{odd}{result}"


def _format_files(files: Sequence[FileChange]) -> str:
    known = {file.path: file for file in files}
    named = [f"{file.path} ({file.action}{f' from {file.old}' * bool(file.old)})" for file in known.values()]
    return join_names(named, FILES, ", ")


def _indent_text(text: str) -> str:
    return text.replace("\n", "\n  ")
