"""The workspace guard: which folder may be worked in, and the one way to its files."""

from tripletick.paths.guard import PathRefused, Workspace
from tripletick.paths.hidden import is_env_file, parse_ignore
from tripletick.paths.sight import HomeView, find_home_view
from tripletick.paths.within import Kind, PathInfo

__all__ = [
    "PathInfo",
    "Kind",
    "PathRefused",
    "HomeView",
    "Workspace",
    "find_home_view",
    "is_env_file",
    "parse_ignore",
]
