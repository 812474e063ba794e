"""A folder tree through a handle of its root: no link below it is followed, on reading or on writing.

What snapshots and undo need, which is every kind of path: modes, links, removal. The rules about which paths
the model may name are not here (paths.py).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tripletick.paths import dirfd

ABSENT = (*dirfd.MISSING, errno.ELOOP, errno.EACCES)
KEPT = (stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR)
TYPE = 0o170000
"""The bits of a mode that tell these apart: S_IFMT of inode(7)."""


def is_storable(status: os.stat_result) -> bool:
    """Tell files, links and folders from devices, sockets and pipes."""
    return stat.S_IFMT(status.st_mode) in KEPT


@contextmanager
def ignore_absent() -> Iterator[None]:
    """Pass over what is not there, or lies behind a link or a closed door."""
    try:
        yield
    except OSError as error:
        if error.errno not in ABSENT:
            raise


def change_mode(folder: int, name: str, mode: int) -> None:
    """Set the mode of a file or folder that perhaps may not be opened, never through a link."""
    if os.chmod in os.supports_follow_symlinks:
        os.chmod(name, stat.S_IMODE(mode), dir_fd=folder, follow_symlinks=False)
        return
    fd = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        # fchmod refuses such a handle; its path in /proc leads to the very file.
        Path(f"/proc/self/fd/{fd}").chmod(stat.S_IMODE(mode))
    finally:
        os.close(fd)


class DirTree:
    """A folder and what lies below, by relative paths with `/`. Use it in a `with`; it raises OSError."""

    def __init__(self, root: Path) -> None:
        self.fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def __enter__(self) -> DirTree:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)

    @contextmanager
    def open_parent(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Open the folder that holds `path`; give its handle and the last name."""
        above, _, name = path.rpartition("/")
        if make:
            fd = dirfd.make_folders(self.fd, above, self._find_owner())
        else:
            fd = dirfd.open_stepwise(self.fd, above or ".", dirfd.LISTING)
        try:
            yield fd, name
        finally:
            os.close(fd)

    def _find_owner(self, old: os.stat_result | None = None) -> dirfd.Owner:
        """As root: what we make belongs to the owner of what it replaces, else to the tree's owner."""
        owner = old or os.fstat(self.fd)
        return (owner.st_uid, owner.st_gid) if os.geteuid() == 0 else None

    def write_file(self, path: str, mode: int, data: bytes) -> None:
        """Put a file or link in place at once, folders made; what is neither is never replaced."""
        with self.open_parent(path, make=True) as (fd, name):
            old = dirfd.stat_entry(fd, name)
            if old and not is_storable(old):
                raise FileExistsError(errno.EEXIST, "a folder or special file is in its place")
            if stat.S_ISLNK(mode):
                dirfd.replace_link(fd, name, data, owner=self._find_owner(old))
            else:
                dirfd.replace_file(fd, name, data, mode=stat.S_IMODE(mode), owner=self._find_owner(old))

    def make_special(self, path: str, mode: int) -> None:
        """Make a pipe or socket where nothing is."""
        with self.open_parent(path, make=True) as (fd, name):
            os.mknod(name, mode, dir_fd=fd)
            if owner := self._find_owner():
                os.chown(name, *owner, dir_fd=fd, follow_symlinks=False)
            change_mode(fd, name, mode)

    def remove_file(self, path: str) -> None:
        """Remove a file or link."""
        with self.open_parent(path) as (fd, name):
            os.unlink(name, dir_fd=fd)

    def remove_folder(self, path: str) -> None:
        """Remove an empty folder."""
        with self.open_parent(path) as (fd, name):
            os.rmdir(name, dir_fd=fd)

    def make_folder(self, path: str) -> None:
        """Make a folder, and those above it."""
        os.close(dirfd.make_folders(self.fd, path, self._find_owner()))

    def set_mode(self, path: str, mode: int) -> None:
        """Set a folder's mode; the tree itself is `.`."""
        if path == ".":
            os.fchmod(self.fd, stat.S_IMODE(mode))
            return
        with self.open_parent(path) as (fd, name):
            status = os.stat(name, dir_fd=fd, follow_symlinks=False)
            if not stat.S_ISDIR(status.st_mode):
                raise NotADirectoryError(errno.ENOTDIR, "it is no longer a folder")
            change_mode(fd, name, mode)

    def move_file(self, source: str, path: str, mode: int) -> None:
        """Move a file to where nothing is, and give it a mode; the same path twice gives the mode alone."""
        with self.open_parent(source) as (old, was), self.open_parent(path, make=True) as (fd, name):
            if source != path:
                if dirfd.stat_entry(fd, name):
                    raise FileExistsError(errno.EEXIST, "something else is in its place")
                os.rename(was, name, src_dir_fd=old, dst_dir_fd=fd)
            change_mode(fd, name, mode)
