"""The places in a box's /tmp that something is mounted on, made before the box is.

Nothing else of the box is made here: bubblewrap makes the rest of its mount points where no block ever wrote.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from tripletick.sandbox.mounts import TMP, View
from tripletick.sandbox.toolchains import is_folder, is_inside
from tripletick.sandbox.user import User, remove


def make_points(view: View) -> None:
    """Make the mount points in the box's /tmp ourselves: bwrap would follow links that a block has left."""
    for path in (view.workspace, *view.tools):
        if path == TMP or not is_inside(path, TMP):
            continue
        parts = path.relative_to(TMP).parts
        if is_folder(path):
            make_point(view.home, parts, view.user)
        else:
            make_point(view.home, parts[:-1], view.user)
            make_file(view.home / path.relative_to(TMP), view.user)


def make_file(point: Path, user: User) -> None:
    """Make an empty file in a folder that has just been opened or made; anything else of that name goes."""
    if stat.S_ISREG(point.lstat().st_mode if os.path.lexists(point) else 0):
        return
    remove(point)
    handle = os.open(point, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    if user.switched:
        os.fchown(handle, user.uid, user.gid)
    os.close(handle)


def make_point(home: Path, parts: tuple[str, ...], user: User) -> None:
    folder = os.open(home, os.O_DIRECTORY | os.O_NOFOLLOW)
    for part in parts:
        try:
            below = open_folder(part, folder, user)
        finally:
            os.close(folder)
        folder = below
    os.close(folder)


def open_folder(name: str, above: int, user: User) -> int:
    """Open or make a folder; anything else of that name goes."""
    flags = os.O_DIRECTORY | os.O_NOFOLLOW
    with contextlib.suppress(OSError):
        return os.open(name, flags, dir_fd=above)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=above)
    os.mkdir(name, 0o700, dir_fd=above)
    if user.switched:
        os.chown(name, user.uid, user.gid, dir_fd=above, follow_symlinks=False)
    return os.open(name, flags, dir_fd=above)
