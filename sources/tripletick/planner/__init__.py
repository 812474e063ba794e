"""Large requests as plans: a graph of tasks, each a turn of its own agent."""

from tripletick.planner.plan import Plan, describe_surprise

__all__ = ["Plan", "describe_surprise"]
