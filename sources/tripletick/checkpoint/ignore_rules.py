"""Which folders git ignores, by the .gitignore files of the workspace, and which are a tool's anyway.

Snapshots hold ignored files too; the answer only sets how much of such a folder is kept. Not read: the
person's global ignore file, and .git/info/exclude.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from tripletick.checkpoint.dir_tree import FILE, ignore_absent

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE, IGNORE_SIZE = ".gitignore", 1 << 18
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

Specs = tuple[tuple[str, "GitIgnoreSpec"], ...]
"""The ignore files that hold for a folder, the nearest last, each with the path of the folder it lies in."""
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
            known = self._verdicts[folder] = (specs, _matches_specs(f"{folder}/", specs))
        return known[1]

    def extend_specs(self, fd: int, prefix: str, current: Print, specs: Specs) -> Specs:
        """Add the ignore file of a folder, which has one; `current` differs once it was touched."""
        known = self._specs.get(prefix)
        if known is None or known[0] != current:
            known = self._specs[prefix] = (current, _read_ignore(fd))
        return (*specs, (prefix, known[1]))


def _matches_specs(path: str, specs: Specs) -> bool:
    """Ask the nearest ignore file first; the first that knows the path decides (gitignore(5))."""
    for prefix, spec in reversed(specs):
        verdict = spec.check_file(path[len(prefix) :]).include
        if verdict is not None:
            return verdict
    return False


def _read_ignore(fd: int) -> GitIgnoreSpec:
    """Read a folder's ignore file; what is no regular file, and a line that is no pattern, is passed over."""
    from pathspec import GitIgnoreSpec

    text = b""
    with ignore_absent():
        handle = os.open(IGNORE, FILE, dir_fd=fd)
        try:
            text = os.read(handle, IGNORE_SIZE) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
        finally:
            os.close(handle)
    good = []
    for line in text.decode("utf-8", "replace").splitlines():
        with suppress(ValueError):
            GitIgnoreSpec.from_lines([line])
            good.append(line)
    return GitIgnoreSpec.from_lines(good)
