"""Tells what lies at a path: files by what they are, whatever their names, and what leads to programs."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress

from tripletick.system import platforms

Identity = tuple[int, int, int, int]


def identify_file(path: str) -> Identity:
    """Tell a file from one that has got its number since."""
    status = os.lstat(path)
    if born := platforms.get_birth_time(path):
        return status.st_dev, status.st_ino, born, 0
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def identify_files(paths: Iterable[str]) -> Iterator[tuple[str, Identity]]:
    for path in paths:
        with suppress(OSError):
            yield path, identify_file(path)


def stamp_target(path: str) -> tuple[int, ...]:
    """Tell what a name leads to from what it leads to once that was changed; () where it leads nowhere."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return ()
    where = status.st_dev, status.st_ino
    # What changes in a folder is not the folder.
    return where if stat.S_ISDIR(status.st_mode) else (*where, status.st_size, status.st_mtime_ns)


def has_hard_links(path: str) -> bool:
    """Tell whether a file has further names; one that is gone meanwhile has none here."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink > 1


def leads_to_program(entry: os.DirEntry[str]) -> bool:
    """Tell a socket or named pipe: that a folder can only be read keeps nobody from writing to these."""
    if entry.is_file(follow_symlinks=False) or entry.is_symlink():
        return False
    mode = entry.stat(follow_symlinks=False).st_mode
    return stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode)
