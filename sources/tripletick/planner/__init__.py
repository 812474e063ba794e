"""Big requests as plans: a graph of tasks, each a turn of its own agent."""

from tripletick.planner.plan import Plan, surprise

__all__ = ["Plan", "surprise"]
