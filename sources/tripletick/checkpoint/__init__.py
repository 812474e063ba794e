"""Turns that can be undone: snapshots around blocks, their steps, undo, redo and diff."""

from tripletick.checkpoint.journal import Checkpoints

__all__ = ["Checkpoints"]
