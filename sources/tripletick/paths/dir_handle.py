"""One folder by its handle: where a path leads in it, what lies there, and what stands in it.

Links are followed as long as they stay inside. Which paths may be used is not decided here (guard.py).
"""

from __future__ import annotations

import contextlib
import os
import stat
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tripletick.paths import dirfd
from tripletick.paths.mapper import PathMapper, PathRefused
from tripletick.system.text import describe_os_error

Kind = Literal["file", "folder", "missing", "other"]

LINKS = 40
"""As many as the kernel follows (path_resolution(7))."""


@dataclass(frozen=True, slots=True)
class PathInfo:
    """What lies at a path; size in bytes, `modified` in seconds since 1970. Links count as `other`."""

    name: str
    kind: Kind
    size: int = 0
    modified: float = 0.0
    mode: int = 0


class DirHandle:
    """A folder that is held open. `others` are further absolute paths of it. Raises OSError."""

    def __init__(self, root: Path, *others: str) -> None:
        self.root = root
        self.bearings = PathMapper(root, *others)
        self.handle = os.open(root, dirfd.FOLDER)
        weakref.finalize(self, os.close, self.handle)

    def resolve_links(self, parts: Sequence[str], written: str) -> str:
        """Follow the links inside, so that what is judged is what will be opened. Raises PathRefused."""
        waiting, done, links = list(reversed(parts)), list[str](), 0
        while waiting:
            name = waiting.pop()
            target = "" if name == ".." else self._read_link("/".join([*done, name]))
            inside = self.bearings.get_relative_parts(target) if target.startswith("/") else None
            links += bool(target)
            if links > LINKS or (name == ".." and not done) or (target.startswith("/") and inside is None):
                raise PathRefused(f"{written} leads out of this folder; only paths inside it can be used")
            if name == "..":
                done.pop()
            elif inside is not None:
                done, waiting = [], waiting + inside[::-1]
            elif target:
                waiting += [part for part in reversed(target.split("/")) if part not in ("", ".")]
            else:
                done.append(name)
        return "/".join(done) or "."

    def describe_path(self, path: str) -> PathInfo:
        """Tell what lies at a settled path."""
        try:
            handle = dirfd.open_beneath(self.handle, path, dirfd.PEEK)
        except OSError as error:
            return PathInfo(path, "missing" if error.errno in dirfd.MISSING else "other")
        try:
            return make_path_info(path, os.fstat(handle))
        finally:
            os.close(handle)

    def read_bytes(self, path: str, limit: int) -> bytes:
        """Read the first `limit` bytes of a regular file. Raises PathRefused."""
        with translate_errors(path), self._open_path(path, dirfd.READ) as handle:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise PathRefused(f"{path} is not a regular file")
            with os.fdopen(os.dup(handle), "rb") as file:
                return file.read(limit)

    def list_kinds(self, path: str) -> dict[str, Kind]:
        """Name what a folder holds, each with its kind; nothing is looked at. Raises PathRefused."""
        with (
            translate_errors(path),
            self._open_path(path, dirfd.LISTING) as handle,
            os.scandir(handle) as scan,
        ):
            return dict(sorted((each.name, _classify_entry(each)) for each in scan))

    def list_entries(self, path: str) -> list[PathInfo]:
        """List a folder by name. Raises PathRefused."""
        with (
            translate_errors(path),
            self._open_path(path, dirfd.LISTING) as handle,
            os.scandir(handle) as scan,
        ):
            found = []
            for each in scan:
                with contextlib.suppress(FileNotFoundError):
                    found.append(make_path_info(each.name, each.stat(follow_symlinks=False)))
            return sorted(found, key=lambda entry: entry.name)

    def _read_link(self, path: str) -> str:
        with contextlib.suppress(OSError):
            return os.readlink(path, dir_fd=self.handle)
        return ""

    @contextlib.contextmanager
    def _open_path(self, path: str, flags: int) -> Iterator[int]:
        handle = dirfd.open_beneath(self.handle, path, flags)
        try:
            yield handle
        finally:
            os.close(handle)


def _classify_entry(entry: os.DirEntry[str]) -> Kind:
    if entry.is_file(follow_symlinks=False):
        return "file"
    return "folder" if entry.is_dir(follow_symlinks=False) else "other"


def make_path_info(name: str, status: os.stat_result) -> PathInfo:
    kinds: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder"}
    kind = kinds.get(stat.S_IFMT(status.st_mode), "other")
    return PathInfo(name, kind, status.st_size, status.st_mtime, stat.S_IMODE(status.st_mode))


@contextlib.contextmanager
def translate_errors(path: str) -> Iterator[None]:
    """Turn an error of the system into a sentence for the model."""
    try:
        yield
    except OSError as error:
        raise PathRefused(f"{path}: {describe_os_error(error)}") from error
