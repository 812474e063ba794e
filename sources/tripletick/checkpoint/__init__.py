"""Snapshots around blocks, which make turns undoable: undo, redo and diff."""

from tripletick.checkpoint.diffs import FileDiff
from tripletick.checkpoint.journal import Checkpoints
from tripletick.checkpoint.undo_plan import UndoResult

__all__ = ["Checkpoints", "FileDiff", "UndoResult"]
