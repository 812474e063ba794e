"""A folder tree through a handle of its root: no link below it is followed, on reading or on writing.

What snapshots and undo need, which is every kind of path: modes, links, removal. The rules about which paths
the model may name are not here (paths.py).
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EACCES)
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


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


def write_all(fd: int, pieces: Iterable[bytes]) -> None:
    """Write every piece, completing short writes."""
    for piece in pieces:
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(fd, rest) :]


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
        *folders, name = path.split("/")
        with ExitStack() as opened:
            fd = self.fd
            for folder in folders:
                if make:
                    self._make_folder(fd, folder)
                fd = os.open(folder, FOLDER, dir_fd=fd)
                opened.callback(os.close, fd)
            yield fd, name

    def _make_folder(self, fd: int, name: str) -> None:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=fd)
            self._set_owner(name, fd)

    def _set_owner(self, name: str, fd: int, like: os.stat_result | None = None) -> None:
        """As root: give what we made to the owner of what it replaces, else to the tree's owner."""
        owner = like or os.fstat(self.fd)
        if os.geteuid() == 0:
            os.chown(name, owner.st_uid, owner.st_gid, dir_fd=fd, follow_symlinks=False)

    @staticmethod
    def _stat_entry(name: str, fd: int) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def write_file(self, path: str, mode: int, pieces: Iterable[bytes]) -> None:
        """Put a file or link in place at once, folders made; what is neither is never replaced."""
        with self.open_parent(path, make=True) as (fd, name):
            old = self._stat_entry(name, fd)
            if old and not is_storable(old):
                raise FileExistsError(errno.EEXIST, "a folder or special file is in its place")
            draft = f".{secrets.token_hex(8)}.tripletick"
            try:
                self._write_draft(draft, fd, mode, pieces)
                self._set_owner(draft, fd, old)
                if not stat.S_ISLNK(mode):
                    # Giving a file away clears its setuid bits, so its mode comes last.
                    os.chmod(draft, stat.S_IMODE(mode), dir_fd=fd)
                os.replace(draft, name, src_dir_fd=fd, dst_dir_fd=fd)
            except BaseException:
                with suppress(FileNotFoundError):
                    os.unlink(draft, dir_fd=fd)
                raise

    @staticmethod
    def _write_draft(name: str, fd: int, mode: int, pieces: Iterable[bytes]) -> None:
        if stat.S_ISLNK(mode):
            os.symlink(b"".join(pieces), os.fsencode(name), dir_fd=fd)
            return
        handle = os.open(name, NEW, 0o600, dir_fd=fd)
        try:
            write_all(handle, pieces)
        finally:
            os.close(handle)

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
        with self.open_parent(path, make=True) as (fd, name):
            self._make_folder(fd, name)

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
                if self._stat_entry(name, fd):
                    raise FileExistsError(errno.EEXIST, "something else is in its place")
                os.rename(was, name, src_dir_fd=old, dst_dir_fd=fd)
            change_mode(fd, name, mode)
