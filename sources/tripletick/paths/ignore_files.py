"""Reads ignore files in gitignore's syntax, of git's and of ours, and asks them about a path.

Not covered: the person's global ignore file, and .git/info/exclude.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

GIT_IGNORE = ".gitignore"
LARGEST = 1 << 20

Specs = tuple[tuple[str, "GitIgnoreSpec"], ...]
"""The ignore files that hold for a folder, the nearest last, each with its folder: "" or `src/`."""


def read_ignore_file(path: str | Path, folder: int | None = None) -> bytes:
    """Read at most 1 MiB, nothing of what is no regular file; `folder` is open. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        return os.read(handle, LARGEST) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
    finally:
        os.close(handle)


def parse_ignore_file(data: bytes) -> GitIgnoreSpec:
    """Read gitignore syntax; a line that is none is passed over, as git does."""
    from pathspec import GitIgnoreSpec

    good = []
    for line in data.decode("utf-8", "replace").splitlines():
        with suppress(ValueError):
            GitIgnoreSpec.from_lines([line])
            good.append(line)
    return GitIgnoreSpec.from_lines(good)


def is_ignored(path: str, specs: Specs) -> bool:
    """Ask the nearest ignore file first; the first that knows the path decides (gitignore(5))."""
    for above, spec in reversed(specs):
        verdict = spec.check_file(path.removeprefix(above)).include if path.startswith(above) else None
        if verdict is not None:
            return verdict
    return False
