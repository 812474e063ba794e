"""Which folders git ignores, by the .gitignore files of the workspace, and which are a tool's anyway.

Snapshots hold ignored files too; the answer only sets how much of such a folder is kept. Not read: the
person's global ignore file, and .git/info/exclude.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tripletick.checkpoint.dir_tree import ignore_absent
from tripletick.paths.ignore_files import GIT_IGNORE, Specs, is_ignored, parse_ignore_file, read_ignore_file

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

TOOLS = frozenset(
    (
        "node_modules",
        ".venv",
        "venv",
        "__pycache__",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".cache",
        ".gradle",
        ".git",
        ".hg",
        ".svn",
    )
)
"""Folders that count as ignored, whatever .gitignore says."""

Print = tuple[int, int]


class IgnoreRules:
    """The ignore files of one workspace; one that was not touched is not read again."""

    def __init__(self) -> None:
        self._specs: dict[str, tuple[Print, GitIgnoreSpec]] = {}
        self._verdicts: dict[str, tuple[Specs, bool]] = {}

    def is_ignored(self, folder: str, specs: Specs) -> bool:
        """Tell whether what lies in a folder counts as ignored."""
        if folder.rpartition("/")[2] in TOOLS:
            return True
        known = self._verdicts.get(folder)
        if known is None or known[0] != specs:
            known = self._verdicts[folder] = (specs, is_ignored(f"{folder}/", specs))
        return known[1]

    def extend_specs(self, fd: int, prefix: str, current: Print, specs: Specs) -> Specs:
        """Add the ignore file of a folder, which has one; `current` differs once it was touched."""
        known = self._specs.get(prefix)
        if known is None or known[0] != current:
            data = b""
            with ignore_absent():
                data = read_ignore_file(GIT_IGNORE, fd)
            known = self._specs[prefix] = (current, parse_ignore_file(data))
        return (*specs, (prefix, known[1]))
