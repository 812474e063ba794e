"""Turns that can be undone: snapshots before blocks, a journal of turns, and undo."""

from tripletick.checkpoint.journal import Checkpoints

__all__ = ["Checkpoints"]
