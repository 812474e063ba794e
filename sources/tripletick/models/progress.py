"""How far a fetch is: what is told of it, and how its bytes are counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

Progress = Callable[[int, int], None]
"""Gets the bytes that are there and the bytes there will be."""


def bytes_of(path: Path) -> int:
    """Give a file's bytes, 0 where it is not there."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def bytes_below(folder: Path) -> int:
    """Add up the files below a folder, which may come and go meanwhile."""
    return sum(bytes_of(path) for path in folder.rglob("*") if path.is_file())
