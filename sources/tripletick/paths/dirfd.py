"""Opening, making and replacing what lies below one folder, by its handle and never through a link.

The kernel's openat2(2) does it in one step; where there is none, or a filter refuses the call, the path is
walked component by component. Both refuse `..`, absolute paths and every link. Which paths may be used at all
is not decided here (paths.py). A replaced file keeps its mode, not its ACLs nor other hard links.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import secrets
import struct
from collections.abc import Callable, Iterator

Owner = tuple[int, int] | None
"""User and group that new files are given to; None leaves them ours."""

HANDLE = getattr(os, "O_PATH", os.O_RDONLY)
FOLDER = HANDLE | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
LISTING = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
PEEK = HANDLE | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC
"""Non-blocking, or a fifo would hold the reader until somebody writes to it."""
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

OPENAT2 = 437
"""The call's number on every architecture that has it (openat2(2), Linux 5.6)."""
NO_MAGICLINKS, NO_SYMLINKS, BENEATH = 0x02, 0x04, 0x08
NO_CALL = (errno.ENOSYS, errno.EPERM, errno.EINVAL)
"""What a kernel without openat2, or a filter before it, answers."""

MISSING = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
"""What the kernel answers where nothing can lie."""


def open_beneath(root: int, path: str, flags: int) -> int:
    """Open `path`, relative to the folder `root`. Raises OSError, ELOOP or EXDEV where it would lead away."""
    call = _find_openat2()
    if call is not None:
        handle = call(root, path, flags)
        if handle >= 0:
            return handle
        if -handle not in NO_CALL:
            raise OSError(-handle, os.strerror(-handle), path)
    return open_stepwise(root, path, flags)


def open_stepwise(root: int, path: str, flags: int) -> int:
    """Open `path` as open_beneath does, without openat2."""
    *above, last = path.split("/")
    if "" in (*above, last) or ".." in (*above, last):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
    handle = os.open(".", FOLDER, dir_fd=root)
    try:
        for name in above:
            below = os.open(name, FOLDER, dir_fd=handle)
            os.close(handle)
            handle = below
        return os.open(last, flags | os.O_NOFOLLOW, dir_fd=handle)
    finally:
        os.close(handle)


@functools.cache
def _find_openat2() -> Callable[[int, str, int], int] | None:
    """Give openat2 as a function of handle or negative errno; None where the system is not Linux."""
    if not hasattr(os, "pidfd_open"):
        return None
    import ctypes

    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_long
    size = struct.calcsize("QQQ")

    def call(root: int, path: str, flags: int) -> int:
        how = struct.pack("QQQ", flags, 0, BENEATH | NO_SYMLINKS | NO_MAGICLINKS)
        handle = syscall(
            ctypes.c_long(OPENAT2), ctypes.c_int(root), os.fsencode(path), how, ctypes.c_size_t(size)
        )
        return int(handle) if handle >= 0 else -ctypes.get_errno()

    return call


def make_folders(root: int, path: str, owner: Owner) -> int:
    """Open the folder `path`, making what is missing of it; the caller closes the handle."""
    handle = os.open(".", FOLDER, dir_fd=root)
    try:
        for name in filter(None, path.split("/")):
            below = _make_folder(handle, name, owner)
            os.close(handle)
            handle = below
    except OSError:
        os.close(handle)
        raise
    return handle


def _make_folder(parent: int, name: str, owner: Owner) -> int:
    made = False
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=parent)
        made = True
    if made and owner:
        handle = open_beneath(parent, name, LISTING)
        try:
            os.fchown(handle, *owner)
        finally:
            os.close(handle)
    return open_stepwise(parent, name, FOLDER)


def stat_entry(folder: int, name: str) -> os.stat_result | None:
    """Look at what lies in the folder itself, None where nothing does; no link is followed."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def replace_file(folder: int, name: str, data: bytes, *, mode: int | None, owner: Owner) -> None:
    """Write a new file and rename it to `name`: nobody sees half of it. `mode` None: the umask decides."""
    with _name_draft(folder, name) as draft:
        handle = os.open(draft, NEW, 0o666 if mode is None else 0o600, dir_fd=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if owner:
                os.fchown(handle, *owner)
            if mode is not None:
                # Writing to a file and giving it away clear its setuid bits, so its mode comes last.
                os.fchmod(handle, mode)


def replace_link(folder: int, name: str, target: bytes, *, owner: Owner) -> None:
    """Make a new link and rename it to `name`."""
    with _name_draft(folder, name) as draft:
        os.symlink(target, os.fsencode(draft), dir_fd=folder)
        if owner:
            os.chown(draft, *owner, dir_fd=folder, follow_symlinks=False)


@contextlib.contextmanager
def _name_draft(folder: int, name: str) -> Iterator[str]:
    """Give a name to make something by, which is renamed to `name` or, after an error, removed."""
    draft = f".{secrets.token_hex(8)}.tripletick"
    try:
        yield draft
        os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=folder)
        raise
