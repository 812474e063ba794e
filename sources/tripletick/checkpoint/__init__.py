"""Turns that can be undone: snapshots around blocks, their steps, undo, redo and diff."""

from tripletick.checkpoint.comparing import FileDiff
from tripletick.checkpoint.journal import Checkpoints
from tripletick.checkpoint.turns import UndoResult

__all__ = ["Checkpoints", "FileDiff", "UndoResult"]
