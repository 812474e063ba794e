"""The workspace guard: which folder may be worked in, and the only way to its files."""

from tripletick.paths.dir_handle import Kind, PathInfo
from tripletick.paths.guard import Editor, PathRefused, Workspace, resolve_folder
from tripletick.paths.hidden_paths import is_env_file
from tripletick.paths.home_view import HomeView, find_home_view

__all__ = [
    "Editor",
    "HomeView",
    "Kind",
    "PathInfo",
    "PathRefused",
    "Workspace",
    "find_home_view",
    "is_env_file",
    "resolve_folder",
]
