"""Puts a planner together for one request: the session's loop, the staff of its tasks, and the crew."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tripletick.agents import Agent, Prompts
from tripletick.loop import Loop
from tripletick.planner.crew import Crew
from tripletick.planner.plan import PLANNER
from tripletick.planner.planner import Planner
from tripletick.planner.words import Questions
from tripletick.seats import Seats
from tripletick.staffing import Staff
from tripletick.standing import Standing


@contextmanager
def opened(agent: Agent, loop: Loop, standing: Standing, prompts: Prompts, seats: Seats) -> Iterator[Planner]:
    """Give a planner; what is opened for its tasks is closed with this."""
    able = {name: one for name, one in prompts.agents.items() if name != PLANNER}
    config = seats.config
    staff = Staff(loop, standing, able, seats)
    crew = Crew(staff.post, config.planner.parallel, config.planner.task_timeout)
    questions = Questions(prompts.plan, prompts.replan)
    try:
        yield Planner(loop, agent, able, questions, config.planner, crew.run)
    finally:
        staff.close()
