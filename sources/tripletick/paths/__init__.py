"""The workspace guard: which folder may be worked in, and the one way to its files."""

from tripletick.paths.guard import Entry, PathRefused, Workspace
from tripletick.paths.hidden import is_private, read_ignore

__all__ = ["Entry", "PathRefused", "Workspace", "is_private", "read_ignore"]
