"""Who a block runs as, and the folder that is its home for a session.

Root does not run blocks in an ordinary user's folder: they become that user. In root's own folder
(containers, most CI) they stay root, without capabilities, and the box hides what only root may read
(mounts.py).
"""

from __future__ import annotations

import atexit
import errno
import fcntl
import os
import pwd
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from tripletick.errors import TripletickError
from tripletick.system import platforms
from tripletick.system.dirs import make_private_folder
from tripletick.system.text import describe_os_error

ROOM = (8 << 20, 1 << 16)
"""Bytes that must be free for the session's folder, where there is a choice; and else."""
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
LAID = "tripletick"
"""Begins the names of the folders in a block's home that are made anew for what the block is to run."""
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
        return bool(self.permits(status) & 0o1)

    def permits(self, status: os.stat_result) -> int:
        """Give the bits (4 read, 2 write, 1 enter) that count for this user, without any capability."""
        if status.st_uid == self.uid:
            return status.st_mode >> 6 & 0o7
        if status.st_gid in (self.gid, *self.groups):
            return status.st_mode >> 3 & 0o7
        return status.st_mode & 0o7


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
    """The session's folder: `home` ($HOME and /tmp of blocks), and an empty file and folder to hide with.

    Its lock is held as long as we live, so that the next session can tell what the killed have left behind.
    """

    def __init__(self, state: Path, user: User) -> None:
        self._user = user
        sweep(state, user)
        self._top, self._lock = make_top(state, user)
        # Ctrl-C may come before anybody has it to close it.
        atexit.register(self.close)
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
        """Remove what blocks left in their home, and leave what is laid there for the next one."""
        remove(*(path for path in self.home.iterdir() if not path.name.startswith(LAID)))

    def close(self) -> None:
        remove(self._top)
        self._lock.close()
        atexit.unregister(self.close)


class Lock:
    """Our hold on a folder, gone with our process. Neither `held` nor `taken`: there are no locks here."""

    def __init__(self, folder: Path) -> None:
        self._handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        self._folder = folder
        self.owner = os.fstat(self._handle).st_uid
        self.held = self.taken = False
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.held = True
        except BlockingIOError:
            self.taken = True
        except OSError:
            # A file system that has no locks: what may be alive is left alone.
            return

    def is_there(self) -> bool:
        """Tell whether the folder is still the one that was locked: another session may have swept it."""
        try:
            return os.path.samestat(os.fstat(self._handle), self._folder.lstat())
        except OSError:
            return False

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1


def find_tops(state: Path, user: User) -> list[tuple[Path, str]]:
    """Give where session folders lie, the best first, and how their names begin.

    In /tmp where the user cannot reach ours, or where it has no room.
    """
    shared = (Path(tempfile.gettempdir()), f"tripletick-{user.uid}")
    return [shared] if user.switched else [(state / "boxes", "box-"), shared]


def make_top(state: Path, user: User) -> tuple[Path, Lock]:
    """Make and lock a new folder of mode 0700. Raises TripletickError where none can be made."""
    why = ""
    for room in ROOM:
        for above, start in find_tops(state, user):
            try:
                return _made(above, start, room)
            except OSError as error:
                why = f"{error.filename or above}: {describe_os_error(error)}."
    raise TripletickError(
        "There is no disk space for a block's files.", why, f"Free some space in {tempfile.gettempdir()}"
    )


def _made(above: Path, start: str, room: int) -> tuple[Path, Lock]:
    make_private_folder(above)
    while True:
        top = new_folder(above, start)
        try:
            lock = Lock(top)
        except FileNotFoundError:
            continue
        # Between its making and ours another session may have it, to sweep it away.
        if lock.is_there() and not lock.taken:
            try:
                _try_room(top / "room", room)
            except OSError:
                remove(top)
                lock.close()
                raise
            return top, lock
        lock.close()


def _try_room(file: Path, size: int) -> None:
    """Raise OSError where a file of this size finds no room; quotas and limits too are met only so."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(handle, 0, size)
    except OSError as error:
        # else a file system that cannot tell
        if error.errno in FULL:
            raise
    finally:
        os.close(handle)
        file.unlink()


def new_folder(above: Path, start: str) -> Path:
    plain = above / start
    if start.endswith("-"):
        return Path(tempfile.mkdtemp(prefix=start, dir=above))
    try:
        plain.mkdir(0o700)
    except FileExistsError:
        return Path(tempfile.mkdtemp(prefix=f"{start}-", dir=above))
    return plain


def sweep(state: Path, user: User) -> None:
    """Remove the folders of sessions that ended without a word."""
    found = [
        above / name
        for above, start in find_tops(state, user)
        for name in platforms.list_names(above)
        if is_top(name, start)
    ]
    for top in found:
        try:
            lock = Lock(top)
        except OSError:
            continue
        if lock.held and lock.owner in (os.geteuid(), user.uid):
            remove(top)
        lock.close()


def is_top(name: str, start: str) -> bool:
    """Tell our names from those of another user whose number only begins like ours."""
    return name == start or name.startswith(start if start.endswith("-") else f"{start}-")


def create_folder(path: Path) -> None:
    """Make a folder in the session's."""
    path.mkdir(0o700)
    _set_owner(path)


def create_file(path: Path, data: bytes) -> None:
    """Write a file in the session's folder."""
    path.write_bytes(data)
    _set_owner(path)


def _set_owner(path: Path) -> None:
    """Give what root made to whom the session's folder belongs: the block runs as that user."""
    owner = path.parent.stat()
    if os.geteuid() == 0 and owner.st_uid != 0:
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def remove(*paths: Path) -> None:
    """Delete trees without following links, however deep, also where their folders deny it."""
    names = [str(path) for path in paths]
    if not names:
        return
    # rm knows trees deeper than Python's recursion and longer than a path may be.
    if subprocess.run(["/bin/rm", "-rf", "--", *names], check=False, stderr=subprocess.DEVNULL).returncode:
        subprocess.run(["/bin/chmod", "-R", "u+rwx", "--", *names], check=False, stderr=subprocess.DEVNULL)
        subprocess.run(["/bin/rm", "-rf", "--", *names], check=False, stderr=subprocess.DEVNULL)
