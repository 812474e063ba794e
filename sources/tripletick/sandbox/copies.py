"""Single files of the workspace for a box that sees nothing else of it: copied in, and back once changed.

A mount would not do: package managers write a new file and rename it, and a mount cannot be replaced. Does
not delete: a file that the program removed stays.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from tripletick.paths import beneath
from tripletick.sandbox.mounts import View

LARGEST = 64 << 20
"""Bytes; lock files have a few."""
READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
TOO_LARGE = "{path} is larger than {size} bytes"


class Copies:
    """These files of one workspace in one other folder."""

    def __init__(self, view: View, place: Path, files: Sequence[Path]) -> None:
        self._root, self._place = view.workspace, place
        self._owner = (view.user.uid, view.user.gid) if view.user.switched else None
        self._names = [str(path.relative_to(view.workspace)) for path in files]
        self._before: dict[str, bytes | None] = {}

    def bring_in(self) -> None:
        """Copy those that are there. Raises OSError for what is no regular file."""
        for name in self._names:
            data = self._before[name] = read(self._root, name)
            if data is not None:
                write(self._place, name, data, self._owner)

    def bring_back(self) -> None:
        """Replace those that are no longer what they were. Raises OSError where the workspace denies it."""
        for name in self._names:
            data = read(self._place, name)
            if data is not None and data != self._before[name]:
                write(self._root, name, data, self._owner)


def read(root: Path, name: str) -> bytes | None:
    """Give a file's bytes, None where there is none."""
    folder = os.open(root, FOLDER)
    try:
        handle = beneath.open_beneath(folder, name, READ)
    except FileNotFoundError:
        return None
    finally:
        os.close(folder)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            raise OSError(TOO_LARGE.format(path=name, size=LARGEST))
        return file.read(LARGEST)


def write(root: Path, name: str, data: bytes, owner: tuple[int, int] | None) -> None:
    """Write the file whole, with the mode that it had."""
    folder = os.open(root, FOLDER)
    above, _, last = name.rpartition("/")
    try:
        parent = beneath.make_folders(folder, above, owner)
    finally:
        os.close(folder)
    try:
        beneath.replace(parent, last, data, mode=mode_of(parent, last), owner=owner)
    finally:
        os.close(parent)


def mode_of(folder: int, name: str) -> int | None:
    try:
        return stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return None
