"""Going through the files: what git ignores, hides or keeps for itself is left out.

Links are not followed. It stops after a time and says so. The user's global ignore file is not read.
"""

from __future__ import annotations

import contextlib
import difflib
import re
import shlex
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tripletick.paths import HomeView, Kind, PathInfo, PathRefused, Workspace
from tripletick.paths.ignore_files import GIT_IGNORE, LARGEST, Specs, is_ignored, parse_ignore_file
from tripletick.system.lazy_regex import lazy_regex

_CONTROLS = lazy_regex(r"[\x00-\x1f\x7f\u2028\u2029]")
SKIPPED = frozenset({".git", ".hg", ".svn", ".tripletick", "node_modules", "__pycache__", ".venv", "venv"})
"""Folders of tools, which hold nothing that anybody looks for by name."""
SECONDS = 2.0
WIDE = 5.0
"""Seconds in the home folder, and …"""
MOST = 200_000
"""… files and folders that are looked at there."""
TAGGED = "CACHEDIR.TAG"
"""Marks a folder that can be made again (bford.info/cachedir)."""
CLOSE = 3
"""Names suggested where one was not found."""
COMPARED = 1000
"""Names that are compared between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class WalkEntry:
    """A file or folder, its path from the workspace; absolute where it lies outside. Of its entry only name
    and kind are known: to look at all files of a large folder takes long.
    """

    path: str
    entry: PathInfo


@dataclass(slots=True)
class FileWalk:
    """One walk; `stopped` and `left_out` are true to what has been yielded so far."""

    workspace: Workspace
    seconds: float = 0.0
    """How long it may take; 0: the usual."""
    stopped: bool = False
    left_out: list[str] = field(default_factory=list)
    """Folders that were not entered."""
    _end: float = field(default=0.0, init=False)
    _left: int = field(default=MOST, init=False)

    def __iter__(self) -> Iterator[WalkEntry]:
        self.seconds = self.seconds or (WIDE if self.workspace.sight else SECONDS)
        self._end = time.monotonic() + self.seconds
        hides = self.workspace.make_hidden_check()
        folders = dict.fromkeys(self.workspace.readable_folders)
        tops = [each for each in folders if not any(each.startswith(f"{one}/") for one in folders)]
        waiting: deque[tuple[str, Specs]] = deque((root, ()) for root in ("", *tops))
        while waiting and not self.is_exhausted():
            folder, specs = waiting.popleft()
            with contextlib.suppress(PathRefused):
                for found, below in self._walk_folder(folder, specs, hides):
                    if self.is_exhausted():
                        return
                    if found.entry.kind == "folder":
                        waiting.append((found.path, below))
                    yield found

    def is_exhausted(self) -> bool:
        self.stopped = self.stopped or self._left < 0 or time.monotonic() > self._end
        return self.stopped

    @property
    def bound(self) -> str:
        """Name what it has stopped at."""
        return f"{MOST} names" if self._left < 0 else f"{self.seconds:g} s"

    def _walk_folder(
        self, folder: str, specs: Specs, hides: Callable[[str], bool]
    ) -> Iterator[tuple[WalkEntry, Specs]]:
        names, sight = self.workspace.list_kinds(folder or "."), self.workspace.sight
        if sight and not folder.startswith("/"):
            self._left -= len(names)
            names = {} if TAGGED in names else self._filter_hidden(folder, names, sight)
        if names.get(GIT_IGNORE) == "file":
            above = f"{folder}/" if folder else ""
            data = self.workspace.read_bytes(above + GIT_IGNORE, LARGEST)
            specs = (*specs, (above, parse_ignore_file(data)))
        for name, kind in names.items():
            path = f"{folder}/{name}" if folder else name
            shown = f"{path}/" if kind == "folder" else path
            if name in SKIPPED or is_ignored(shown, specs) or (shown != path and hides(shown)):
                self.left_out += [shown] if shown != path and name not in (".git", ".tripletick") else []
            elif kind != "other":
                yield WalkEntry(path, PathInfo(name, kind)), specs

    def _filter_hidden(self, folder: str, names: dict[str, Kind], sight: HomeView) -> dict[str, Kind]:
        """Leave out what is hidden, and folders that no walk goes into."""
        top = f"{self.workspace.root.as_posix().rstrip('/')}/{folder}".rstrip("/")
        rows = ((name, kind) for name, kind in names.items() if not name.startswith("."))
        return {name: kind for name, kind in rows if kind != "folder" or sight.can_enter(f"{top}/{name}")}


def list_names(folder: str, workspace: Workspace) -> list[str]:
    """Name what one folder holds, a slash behind a folder, without what begins with a dot or is hidden.

    Raises PathRefused.
    """
    hides, below = workspace.make_hidden_check(), "" if folder == "." else f"{folder}/"
    there = workspace.list_kinds(folder).items()
    names = (name + "/" * (kind == "folder") for name, kind in there if not name.startswith("."))
    return [name for name in names if not hides(below + name)]


def shorten_names(names: Sequence[str], most: int, *, of: int = 0) -> list[str]:
    """Give the first names, one with blanks as a shell wants it, and how many more there are, of which these
    may be a choice.
    """
    more = max(of, len(names)) - most
    return [*map(quote_name, names[:most]), *([f"… {more} more"] if more > 0 else [])]


def quote_name(name: str) -> str:
    """Give a name as a shell wants it, on one line: what no name should have is a `?`, which fits it."""
    plain = _CONTROLS.sub("?", name)
    return shlex.quote(plain) if " " in plain and plain == name else plain


def has_name(text: str, name: str) -> bool:
    """Tell whether a text has the name or path of a file or folder, alone or in a longer path, and not as a
    part of another name: `a.txt` in "old/a.txt", and neither in "a.txt.gz" nor in "data.txt".
    """
    return bool(name) and bool(re.search(rf"(?<![\w.-])(?:\./)?{re.escape(name)}(?![\w-]|\.\w)", text))


def find_closest_paths(name: str, workspace: Workspace) -> list[str]:
    """Give the paths whose names resemble one that does not exist."""
    wanted = name.rstrip("/").rpartition("/")[2].casefold()
    paths: dict[str, list[str]] = {}
    for found in FileWalk(workspace, SECONDS / 4):
        paths.setdefault(found.entry.name.casefold(), []).append(found.path)
    names, end = list(paths), time.monotonic() + SECONDS / 4
    near: list[str] = []
    while names and time.monotonic() < end:
        near += difflib.get_close_matches(wanted, names[:COMPARED], CLOSE, 0.6)
        del names[:COMPARED]
    near = difflib.get_close_matches(wanted, near, CLOSE, 0.6)
    return [path for each in near for path in paths[each]][:CLOSE]
