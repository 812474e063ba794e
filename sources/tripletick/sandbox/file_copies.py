"""Single files of the workspace for a box that sees nothing else of it: copied in, and back once changed.

A mount would not do: package managers write a new file and rename it, and a mount cannot be replaced. Does
not delete: a file that the program removed stays.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from tripletick.paths import dirfd
from tripletick.sandbox.mounts import View
from tripletick.system.text import describe_os_error

LARGEST = 64 << 20
"""Bytes; lock files have a few."""
READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
UNFIT = "it is not a regular file of at most {size} bytes"
LOST = "{name} was left as it was before the install: {why}"


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

    def bring_back(self) -> Iterator[str]:
        """Replace those that are no longer what they were; yield a line for each where that fails."""
        for name in self._names:
            try:
                data = read(self._place, name)
                if data is not None and data != self._before[name]:
                    write(self._root, name, data, self._owner)
            except OSError as error:
                yield LOST.format(name=name, why=describe_os_error(error))


def read(root: Path, name: str) -> bytes | None:
    """Give a file's bytes, None where there is none."""
    folder = os.open(root, FOLDER)
    try:
        handle = dirfd.open_beneath(folder, name, READ)
    except FileNotFoundError:
        return None
    finally:
        os.close(folder)
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
        os.close(handle)
        raise OSError(UNFIT.format(size=LARGEST))
    with os.fdopen(handle, "rb") as file:
        return file.read(LARGEST)


def write(root: Path, name: str, data: bytes, owner: tuple[int, int] | None) -> None:
    """Write the file whole, with the mode that it had."""
    folder = os.open(root, FOLDER)
    above, _, last = name.rpartition("/")
    try:
        parent = dirfd.make_folders(folder, above, owner)
    finally:
        os.close(folder)
    try:
        old = dirfd.stat_entry(parent, last)
        dirfd.replace_file(parent, last, data, mode=stat.S_IMODE(old.st_mode) if old else None, owner=owner)
    finally:
        os.close(parent)
