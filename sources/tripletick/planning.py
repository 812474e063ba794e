"""Puts a planner together for one request: the session's loop, the staff of its tasks, and the crew."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tripletick.agents import Agent, Prompts
from tripletick.loop import Loop
from tripletick.planner.crew import TaskRunner
from tripletick.planner.plan import PLANNER
from tripletick.planner.planner import Planner
from tripletick.planner.words import PlannerQuestions
from tripletick.seats import AgentModels
from tripletick.staffing import PlanWorkers
from tripletick.standing import SessionWorkspace


@contextmanager
def open_planner(
    agent: Agent, loop: Loop, standing: SessionWorkspace, prompts: Prompts, seats: AgentModels
) -> Iterator[Planner]:
    """Give a planner; what is opened for its tasks is closed with this."""
    able = {name: one for name, one in prompts.agents.items() if name != PLANNER}
    config = seats.config
    staff = PlanWorkers(loop, standing, able, seats)
    crew = TaskRunner(staff.make_context, config.planner.parallel, config.planner.task_timeout)
    questions = PlannerQuestions(prompts.plan, prompts.replan)
    try:
        yield Planner(loop, agent, able, questions, config.planner, crew.run_plan)
    finally:
        staff.close()
