"""The folder that a task left behind, read as untrusted: bounded, and no link leads out of it.

A program wrote it that nobody has read: a link, a FIFO or a file without end may lie where a text is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tripletick.paths import PathRefused
from tripletick.paths.dir_handle import DirHandle, Kind, PathInfo

LARGEST = 1 << 20
"""Bytes of a file that is read …"""
ALL = 64 << 20
"""… and of all that are copied."""
MOST, DEEP = 5000, 40
"""Files of a folder, and folders in each other."""
LITTER = frozenset({".tripletick", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"})
"""Names of what programs leave behind wherever they run."""
TOO_LARGE = "{path} is larger than 1 MB"
TOO_MUCH = "the folder is too large"
NO_FILE = {
    "missing": "{path} does not exist",
    "folder": "{path} is a folder",
    "other": "{path} is not a regular file",
}


class TaskFolder:
    """A folder that is held open. Raises OSError."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._within = DirHandle(root.resolve())

    def get_kind(self, path: str) -> Kind:
        """Tell what lies at a path; a link counts as `other`, wherever it leads."""
        return self._within.describe_path(_normalize_path(path)).kind

    def read_data(self, path: str) -> bytes:
        """Read a file; links inside are followed. Raises PathRefused, which says why it cannot be."""
        settled = self._resolve_path(path)
        if wrong := NO_FILE.get(self._within.describe_path(settled).kind):
            raise PathRefused(wrong.format(path=path))
        data = self._within.read_bytes(settled, LARGEST + 1)
        if len(data) > LARGEST:
            raise PathRefused(TOO_LARGE.format(path=path))
        return data

    def list_names(self, path: str) -> list[str]:
        """Name what lies in a folder, but litter. Raises PathRefused."""
        return [entry.name for entry in self._list_entries(self._resolve_path(path))]

    def walk_files(self) -> Iterator[tuple[str, PathInfo]]:
        """Give all below that is no folder, with its path. Raises PathRefused where it is too much."""
        waiting, count = ["."], 0
        while waiting:
            above = waiting.pop()
            for entry in self._list_entries(above):
                path = entry.name if above == "." else f"{above}/{entry.name}"
                count += 1
                if count > MOST or path.count("/") > DEEP:
                    raise PathRefused(TOO_MUCH)
                if entry.kind == "folder":
                    waiting.append(path)
                else:
                    yield path, entry

    def copy_files(self, into: Path) -> None:
        """Copy the regular files to an empty folder. Raises PathRefused, OSError."""
        left = ALL
        for path, entry in self.walk_files():
            if entry.kind != "file":
                continue
            data = self._within.read_bytes(path, left + 1)
            left -= len(data)
            if left < 0:
                raise PathRefused(TOO_MUCH)
            (into / path).parent.mkdir(parents=True, exist_ok=True)
            (into / path).write_bytes(data)
            (into / path).chmod(entry.mode | 0o600)

    def _resolve_path(self, path: str) -> str:
        return self._within.resolve_links(
            _normalize_path(path).split("/") if _normalize_path(path) != "." else [], path
        )

    def _list_entries(self, path: str) -> list[PathInfo]:
        return [entry for entry in self._within.list_entries(path) if entry.name not in LITTER]


def iter_start_files(start: Path) -> Iterator[tuple[str, Path]]:
    """Give the files that a task begins with, by their paths; none where there is no such folder."""
    for file in sorted(start.rglob("*")) if start.is_dir() else ():
        path = file.relative_to(start)
        if file.is_file() and LITTER.isdisjoint(path.parts):
            yield path.as_posix(), file


def copy_start_files(folder: Path, start: Path) -> None:
    """Copy them to a folder, each ours to write, whoever owns the package."""
    for path, file in iter_start_files(start):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
        target.chmod(0o755 if file.stat().st_mode & 0o100 else 0o644)


def _normalize_path(path: str) -> str:
    return "/".join(part for part in path.split("/") if part not in ("", ".")) or "."
