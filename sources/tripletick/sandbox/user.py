"""Who a block runs as, and the folder that is its home for a session.

Root does not run blocks in an ordinary user's folder: they become that user. In root's own folder
(containers, most CI) they stay root, without capabilities, and the box hides what only root may read
(mounts.py).
"""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

NOWHERE = Path("/nonexistent")
"""The home of users without one (FHS, Debian)."""


class Credentials(TypedDict, total=False):
    """The arguments of Popen that change the user."""

    user: int
    group: int
    extra_groups: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class User:
    """The user of a block. `switched`: not the one we run as."""

    uid: int
    gid: int
    groups: tuple[int, ...]
    name: str
    home: Path
    switched: bool = False

    @property
    def is_root(self) -> bool:
        return self.uid == 0

    def credentials(self) -> Credentials:
        if not self.switched:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": self.groups}

    def reaches(self, path: Path) -> bool:
        """Tell whether the folders above `path` let this user through; their mode bits decide."""
        return self.barrier(path) is None

    def barrier(self, path: Path) -> Path | None:
        """Give the outermost folder above `path` that does not let this user through."""
        return next((folder for folder in reversed(path.parents) if not self._enters(folder)), None)

    def _enters(self, folder: Path) -> bool:
        try:
            status = folder.stat()
        except OSError:
            return False
        if self.is_root and status.st_uid == status.st_gid == 0:
            # bubblewrap has root's powers over what its user namespace maps: root's own files.
            return True
        if status.st_uid == self.uid:
            return bool(status.st_mode & stat.S_IXUSR)
        if status.st_gid in (self.gid, *self.groups):
            return bool(status.st_mode & stat.S_IXGRP)
        return bool(status.st_mode & stat.S_IXOTH)


def find_user(workspace: Path) -> User:
    """Give who blocks of this workspace run as: its owner where we are root, else ourselves.

    A folder whose owner this user namespace does not map (65534 in a container) is treated like any other's.
    """
    uid = os.geteuid()
    owner = workspace.stat().st_uid
    if uid == 0 and owner != 0:
        return known_user(owner, workspace.stat().st_gid, switched=True)
    return known_user(uid, os.getegid(), switched=False)


def known_user(uid: int, gid: int, *, switched: bool) -> User:
    try:
        row = pwd.getpwuid(uid)
    except KeyError:
        groups = () if switched else tuple(os.getgroups())
        return User(uid, gid, groups, str(uid), NOWHERE, switched)
    groups = tuple(os.getgrouplist(row.pw_name, row.pw_gid) if switched else os.getgroups())
    return User(uid, row.pw_gid if switched else gid, groups, row.pw_name, Path(row.pw_dir), switched)


def find_homes(user: User) -> tuple[Path, ...]:
    """The homes to hide: by the environment, and by the password file; at least one."""
    given = [Path(os.environ.get("HOME", "")), user.home]
    real = [path.resolve() for path in given if path.is_absolute()]
    return tuple(dict.fromkeys(path for path in real if path != Path("/"))) or (NOWHERE,)


class Session:
    """The session's folder: `home` ($HOME and /tmp of blocks), and an empty file and folder to hide with."""

    def __init__(self, state: Path, user: User) -> None:
        self._user = user
        self._top = make_top(state, user)
        self.home, self.nothing, self.nowhere = (self._top / name for name in ("home", "file", "folder"))
        self._make()

    def _make(self) -> None:
        self.home.mkdir(0o700)
        self.nothing.touch(0o444)
        self.nowhere.mkdir(0o555)
        if self._user.switched:
            for path in (self.home, self.nothing, self.nowhere, self._top):
                os.chown(path, self._user.uid, self._user.gid)

    def empty(self) -> None:
        """Remove what blocks left in their home."""
        remove(*self.home.iterdir())

    def close(self) -> None:
        remove(self._top)


def make_top(state: Path, user: User) -> Path:
    """Make a new folder of mode 0700; in /tmp where the user cannot reach our state folder."""
    if not user.switched:
        boxes = state / "boxes"
        boxes.mkdir(0o700, parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="box-", dir=boxes))
    top = Path(tempfile.gettempdir()) / f"tripletick-{user.uid}"
    try:
        top.mkdir(0o700)
    except FileExistsError:
        return Path(tempfile.mkdtemp(prefix=f"{top.name}-", dir=top.parent))
    return top


def remove(*paths: Path) -> None:
    """Delete trees without following links, however deep, also where their folders deny it."""
    names = [str(path) for path in paths]
    if not names:
        return
    # rm knows trees deeper than Python's recursion and longer than a path may be.
    if subprocess.run(["/bin/rm", "-rf", "--", *names], check=False, stderr=subprocess.DEVNULL).returncode:
        subprocess.run(["/bin/chmod", "-R", "u+rwx", "--", *names], check=False, stderr=subprocess.DEVNULL)
        subprocess.run(["/bin/rm", "-rf", "--", *names], check=False, stderr=subprocess.DEVNULL)
