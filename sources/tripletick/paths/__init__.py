"""The workspace guard: which folder may be worked in, and the one way to its files."""

from tripletick.paths.guard import Entry, PathRefused, Workspace
from tripletick.paths.hidden import is_private, read_ignore
from tripletick.paths.sight import Sight, find_sight
from tripletick.paths.within import Kind

__all__ = ["Entry", "Kind", "PathRefused", "Sight", "Workspace", "find_sight", "is_private", "read_ignore"]
