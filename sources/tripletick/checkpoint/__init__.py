"""Turns that can be undone: snapshots around blocks, their steps, undo, redo and diff."""

from tripletick.checkpoint.comparing import Compared
from tripletick.checkpoint.journal import Checkpoints
from tripletick.checkpoint.turns import Undone

__all__ = ["Checkpoints", "Compared", "Undone"]
