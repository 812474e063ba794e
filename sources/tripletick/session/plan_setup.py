"""Puts a planner together for one request: the session's loop, the staff of its tasks, and the crew."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tripletick.agents.definitions import Agent, Prompts
from tripletick.planner.plan import PLANNER
from tripletick.planner.planner import Planner
from tripletick.planner.task_runner import TaskRunner
from tripletick.planner.texts import PlannerQuestions
from tripletick.session.agent_models import AgentModels
from tripletick.session.plan_workers import PlanWorkers
from tripletick.session.workspace import SessionWorkspace
from tripletick.turn.loop import Loop


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
