"""What is in sight in the home folder, and in what holds it: documents, not the data of programs.

Hidden files, folders of programs, other homes and what the kernel keeps stay out of sight of blocks and file
tools alike; walks leave out caches and mounts as well. Secrets in what is in sight are hidden.py's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tripletick.system import platforms

PROGRAMS = frozenset({"snap", "library", "appdata"})
"""Folders in a home that hold what programs keep, keys and cookies among it; case does not count."""
ABOVE = frozenset(
    {
        "boot",
        "dev",
        "home",
        "lost+found",
        "media",
        "mnt",
        "proc",
        "root",
        "run",
        "snap",
        "sys",
        "tmp",
        "users",
    }
)
"""Folders of the computer; of those that hold the home only the way to it is in sight."""
SYSTEM = frozenset({"bin", "etc", "lib", "lib32", "lib64", "libx32", "nix", "opt", "sbin", "usr"})
"""Every box shows these."""
OWN = frozenset({"/var/lock", "/var/run", "/var/tmp"})
"""A box has its own."""
CACHES = frozenset({"node_modules", "__pycache__", "venv", "site-packages", "Cache", "Caches", "Trash"})
MOST = 1000
"""Files and folders that a box shows one by one; bubblewrap takes 9000 arguments, three for each."""


@dataclass(frozen=True, slots=True)
class HomeView:
    """The sight from `root`, which is `home` or holds it; both are real paths."""

    root: Path
    home: Path
    opened: list[Path] = field(default_factory=list, compare=False)
    """Hidden paths that the user lets be read."""
    mounts: frozenset[str] = field(default_factory=platforms.list_mount_points, compare=False)

    def explain_refusal(self) -> str:
        """Say why nobody can work here, "" where one can: too little would be hidden."""
        if self.home == Path("/"):
            return "Your home folder is the root of the file system, so nothing in it would be hidden."
        if os.geteuid() == 0 and self.root != self.home:
            return "It contains your home folder, where root can read files that are closed to everyone else."
        return ""

    def list_visible(self) -> list[Path]:
        """Name the files and folders that blocks see, besides those of the system."""
        found = [Path(path) for path in (*self._iter_visible(self.root), *map(str, self.opened))]
        return list(dict.fromkeys(found))[:MOST]

    def list_links(self) -> list[tuple[str, Path]]:
        """Give the links in the home that lead to what is in sight there: target and place."""
        found = []
        for entry in _list_entries(self.home):
            if entry.is_symlink() and not self.is_hidden(entry.path):
                real = os.path.realpath(entry.path)
                if real.startswith(f"{self.home}/") and not self.is_hidden(real):
                    found.append((real, Path(entry.path)))
        return found

    def is_hidden(self, path: str) -> bool:
        """Tell whether an absolute path without links is out of sight."""
        home, parent = str(self.home), str(self.home.parent)
        if any(_is_inside(path, str(each)) for each in self.opened):
            return False
        if _is_inside(path, home):
            first = path[len(home) + 1 :].partition("/")[0]
            return first.startswith(".") or first.casefold() in PROGRAMS
        if _is_inside(home, path):
            return False
        beside = parent != "/" and _is_inside(path, parent)
        return (
            beside
            or path[1:].partition("/")[0].casefold() in ABOVE
            or any(_is_inside(path, each) for each in OWN)
        )

    def find_top(self, path: str) -> str:
        """Give the folder directly in the home that a path lies in; of what lies beside the home, that in
        the root.
        """
        above = str(self.home if _is_inside(path, str(self.home)) else self.root).rstrip("/")
        return f"{above}/{path[len(above) + 1 :].partition('/')[0]}"

    def can_enter(self, path: str) -> bool:
        """Tell whether a walk goes into a folder; there is nothing of the user's in those of the system."""
        if path.rpartition("/")[2] in CACHES or self.is_hidden(path):
            return False
        above = _is_inside(str(self.home), path)
        system = path[1:].partition("/")[0] in SYSTEM and not _is_inside(path, str(self.home))
        return above or not (system or path in self.mounts)

    def is_folder_visible(self, path: str) -> bool:
        """Tell whether blocks see into a folder below one that they see, besides those of the system."""
        return self.can_enter(path) or not (self.is_hidden(path) or self._is_left_out(path))

    def _is_left_out(self, path: str) -> bool:
        """Tell what is left out where folders are shown one by one: a mount, or one of the system."""
        above = path.rpartition("/")[0] or "/"
        listed = above in ("/", "/var") or _is_inside(str(self.home), above)
        return (listed and path in self.mounts) or (above == "/" and path[1:] in SYSTEM)

    def _iter_visible(self, folder: Path) -> Iterator[str]:
        for entry in _list_entries(folder):
            path = entry.path
            if path == "/var" or (self.home != folder and self.home.is_relative_to(path)):
                yield from self._iter_visible(Path(path))
            elif not (
                self.is_hidden(path)
                or path in self.mounts
                or entry.is_symlink()
                or (folder == Path("/") and entry.name in SYSTEM)
            ) and (entry.is_dir() or entry.is_file()):
                yield path


def find_home_view(folder: Path, home: Path) -> HomeView | None:
    """Give the sight from a folder that is the home or holds it; None for a folder of its own."""
    root, real = folder.resolve(), home.resolve()
    return HomeView(root, real) if real.is_relative_to(root) else None


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _list_entries(folder: Path) -> list[os.DirEntry[str]]:
    """List a folder, folders first; nothing where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: (not entry.is_dir(follow_symlinks=False), entry.name))
    except OSError:
        return []
