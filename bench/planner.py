"""What it brings to run tasks side by side: 8 that read, whose model takes a second each, in 1, 2, 4 slots.

The model is a script that waits, as one on another machine does; one that shares this processor gains less.
The box, its programs and the snapshots are real.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from tripletick.agents import definitions
from tripletick.config.config import Config
from tripletick.messages import Task
from tripletick.models.scripted import ScriptedModel, ScriptedReply
from tripletick.planner.plan import Plan
from tripletick.planner.task_runner import TaskRunner
from tripletick.session import builder
from tripletick.session.agent_models import AgentModels
from tripletick.session.plan_workers import PlanWorkers
from tripletick.session.workspace import SessionWorkspace
from tripletick.system import dirs
from tripletick.trust import FolderFlags, Permission

TASKS, SECONDS = 8, 1.0
SLOTS = (1, 2, 4)
BOUND = 3.5
"""How many times faster 4 slots must be than one."""
LOOK_BLOCK = "```bash\nls | wc -l\n```"


def measure_plan(top: Path, slots: int) -> float:
    """Run the plan in a session of its own; give its seconds."""
    folder = top / "project"
    folder.mkdir(exist_ok=True)
    half = SECONDS / 2
    said = [
        ScriptedReply(text, seconds=half, to=f"look {n}.")
        for n in range(TASKS)
        for text in (LOOK_BLOCK, "seen.")
    ]
    model, found = ScriptedModel(*said), dirs.find_dirs()._replace(state=top / f"state{slots}")
    workspace = SessionWorkspace(
        Config(), found, folder, FolderFlags(), False, print, permission=Permission("work")
    )
    prompts = definitions.load_prompts(found.prompts)
    made = builder.LoopBuilder(Config(), found, workspace.workspace, model, workspace.box, prompts)
    loop, models = made.build_loop("bench", model.set_context(8192)), AgentModels(Config(), Config())
    staff = PlanWorkers(loop, workspace, prompts.agents, models)
    plan = Plan(tuple(Task(str(number), "explorer", f"look {number}.") for number in range(TASKS)))
    began = time.monotonic()
    statuses = [
        event.tasks
        for event in TaskRunner(staff.make_context, slots).run_plan(plan)
        if hasattr(event, "tasks")
    ]
    seconds = time.monotonic() - began
    staff.close()
    workspace.close()
    assert all(task.status == "done" for task in statuses[-1]), statuses[-1]
    return seconds


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        taken = {slots: measure_plan(Path(folder), slots) for slots in SLOTS}
    print(f"{TASKS} tasks of {SECONDS:g} s; load {os.getloadavg()[0]:.1f}")
    for slots, seconds in taken.items():
        print(f"parallel {slots}  {seconds:5.2f} s  {taken[1] / seconds:4.2f} times faster")
    ratio = taken[SLOTS[0]] / taken[SLOTS[-1]]
    print(
        f"{ratio:.2f} times faster at {SLOTS[-1]} (bound {BOUND}): {'well' if ratio >= BOUND else 'TOO SLOW'}"
    )


if __name__ == "__main__":
    main()
