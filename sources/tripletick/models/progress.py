"""How far a fetch is: what is told of it, and how its bytes are counted."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

Progress = Callable[[int, int], None]
"""Gets the bytes that are there and the bytes there will be."""


def file_size(path: Path) -> int:
    """Give a file's bytes, 0 where it is not there."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def folder_size(folder: Path) -> int:
    """Add up the files below a folder, which may come and go meanwhile."""
    # os.walk passes over a folder that goes while it is read; rglob raises
    return sum(file_size(Path(at, name)) for at, _, names in os.walk(folder) for name in names)
