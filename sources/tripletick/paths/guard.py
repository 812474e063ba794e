"""The workspace guard: which folder may be worked in, what in it is off limits, and the one way to its files.

All that our own process reads or writes there goes through one handle of the folder (beneath.py); what a path
means that the model wrote is found in meaning.py. What blocks may touch is the box's business. Policy is in
`resolve`; the others take the path it gives, and hold once more that nothing of .git or ours is written.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import stat
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tripletick.errors import WorkspaceError
from tripletick.messages import FileChange
from tripletick.paths import dirfd
from tripletick.paths.dir_handle import DirHandle, Kind, PathInfo, translate_errors
from tripletick.paths.hidden_paths import IGNORE, HiddenPathFinder, is_env_file
from tripletick.paths.home_view import HomeView
from tripletick.paths.mapper import PathRefused as PathRefused
from tripletick.paths.mapper import clean_path, expand_home, refuse_home
from tripletick.paths.read_grants import KEPT, ReadGrants
from tripletick.system.text import describe_os_error

OUT = ".tripletick/out"
REMEDY = "Change to a folder of your own, or: tripletick -C DIR"


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A place in the workspace: its path there, free of links, and a word where another was written."""

    path: str
    note: str = ""


class Editor(Protocol):
    """Where the user has files of the workspace open, maybe with changes that are not saved yet."""

    def read_unsaved(self, path: Path, saved: bytes) -> bytes | None:
        """Give what the user sees of a file that holds `saved`; None where that is the same."""

    def take_saved(self, path: Path, data: bytes) -> None:
        """Show what was written to a file of which `read_unsaved` gave something else."""


class Workspace:
    """The folder that the work happens in. Raises WorkspaceError where no work may happen.

    `ours` is never written; `state` are the folders (config, state, cache) that it must not hold; `hidden`
    stays out of sight also in what is let in to be read. A `Sight` is the home folder, or what holds it: what
    is in sight is read, and nothing is written but below what `writing_to` adds.
    """

    def __init__(
        self,
        place: Path | HomeView,
        *,
        ours: Sequence[Path] = (),
        state: Sequence[Path] = (),
        hidden: Sequence[Path] = (),
        home: Path | None = None,
    ) -> None:
        self.sight = place if isinstance(place, HomeView) else None
        root = place.root if isinstance(place, HomeView) else place
        self.root = root.resolve()
        self.editor: Editor | None = None
        self._writable: tuple[str, ...] = ()
        self._home = (home or Path.home()).resolve()
        own = [path.resolve() for path in (*ours, *state)]
        try:
            sight = self.sight
            why = sight.explain_refusal() if sight else explain_refusal(self.root, self._home, own, state)
            if why:
                raise WorkspaceError(f"{root} cannot be the workspace.", why, REMEDY)
            self._own = DirHandle(self.root, posixpath.normpath(root.absolute().as_posix()))
        except OSError as error:
            why = f"It cannot be opened: {describe_os_error(error)}."
            raise WorkspaceError(f"{root} cannot be the workspace.", why, REMEDY) from error
        self._secrets = HiddenPathFinder(self.root, sight=self.sight)
        self._rooms = ReadGrants((self._home / ".ssh", *state, *hidden))
        self._ours = [path.relative_to(self.root) for path in own if path.is_relative_to(self.root)]
        self._kept = tuple(f"{path.resolve()}/" for path in state)
        status = os.fstat(self._own.handle)
        given = os.geteuid() == 0 and status.st_uid != 0
        self._owner = (status.st_uid, status.st_gid) if given else None

    def use_literal_paths(self) -> None:
        """Take every path as it is written: what models invent means nothing here."""
        self._own.bearings.literal = True

    def allow_reading(self, path: Path) -> None:
        """Let a folder or file outside, or one out of sight, be read. Raises OSError."""
        real = path.resolve(strict=True)
        if self.sight and real.is_relative_to(self.root):
            self.sight.opened.append(real)
        else:
            self._rooms.add_path(path)
        self._secrets.add_readable(path)

    def with_writable(self, paths: Iterable[Path]) -> Workspace:
        """Give the same folder, in which these, and what lies below them, may be written."""
        wider = copy(self)
        wider._writable = tuple(path.relative_to(self.root).as_posix() for path in paths)
        return wider

    @property
    def readable_folders(self) -> list[str]:
        """The folders outside that may be read, by their absolute paths."""
        return self._rooms.list_roots()

    def resolve_path(self, written: str, *, writing: bool = False) -> ResolvedPath:
        """Give the place that a path means, for reading unless `writing`. Raises PathRefused.

        The path of a place outside, which was let in, is absolute.
        """
        text = clean_path(written)
        if writing and text.endswith("/"):
            raise PathRefused(f"{text} names a folder; write the file's whole path")
        if self._rooms and (outside := self._resolve_outside(text, writing)):
            return ResolvedPath(outside)
        if self.sight:
            text = expand_home(text, self._home)
        refuse_home(text)
        parts, moved = self._own.bearings.map_path(text, self._path_exists)
        path = self._own.resolve_links(parts, text)
        if reason := self._explain_access_refusal(path, writing):
            raise PathRefused(f"{text} {reason}")
        return ResolvedPath(path, f"{text} means {path} here" if moved else "")

    def expand_home(self, text: str) -> str:
        """Write out `~`, for a pattern of names."""
        return expand_home(text, self._home)

    def describe_path(self, path: str) -> PathInfo:
        """Tell what lies at a path that `resolve` gave."""
        within, below = self._locate_path(path)
        return within.describe_path(below)

    def get_kind(self, path: str) -> Kind:
        return self.describe_path(path).kind

    def get_size(self, path: str) -> int:
        return self.describe_path(path).size

    def read_bytes(self, path: str, limit: int) -> bytes:
        """Read the first `limit` bytes of a regular file. Raises PathRefused."""
        within, below = self._locate_path(path)
        return within.read_bytes(below, limit)

    def read_shown(self, path: str, limit: int) -> bytes:
        """Read a file as the user sees it: unsaved in their editor, where that offers it, else as it is on
        the disk. Raises PathRefused.
        """
        data = self.read_bytes(path, limit)
        shown = self.editor.read_unsaved(self.root / path, data) if self.editor else None
        return data if shown is None else shown[:limit]

    def list_entries(self, path: str) -> list[PathInfo]:
        """List a folder by name. Raises PathRefused."""
        within, below = self._locate_path(path)
        return within.list_entries(below)

    def list_kinds(self, path: str) -> dict[str, Kind]:
        """Name what a folder holds, each with its kind. Raises PathRefused."""
        within, below = self._locate_path(path)
        return within.list_kinds(below)

    def list_names(self, path: str) -> list[str]:
        """Give the names in a folder. Raises PathRefused."""
        return list(self.list_kinds(path))

    def write_bytes(self, path: str, data: bytes) -> FileChange:
        """Save a whole file under the path that `resolve` gave; folders are made. Raises PathRefused."""
        if reason := self._explain_write_refusal(path):
            raise PathRefused(f"{path} {reason}")
        change = self._write_file(path, data)
        if self.editor:
            self.editor.take_saved(self.root / path, data)
        return change

    def save_output(self, session: str, number: int, data: bytes, extension: str = ".txt") -> str | None:
        """Keep what is too long for the model; give the path it can read, None where nothing can be kept."""
        kept = f"{OUT}/{session}/{number}{extension}"
        if self.sight:
            return None
        with contextlib.suppress(PathRefused):
            if self.get_kind(f"{OUT}/.gitignore") == "missing":
                self._write_file(f"{OUT}/.gitignore", b"*\n")
            self._write_file(kept, data)
            return kept
        return None

    def make_hidden_check(self) -> Callable[[str], bool]:
        """Give what tells whether a path is kept from the model; a folder's path ends in a slash."""
        found, root, sight = self._secrets.find_hidden(), self.root.as_posix().rstrip("/"), self.sight

        def hides(path: str) -> bool:
            if sight and not path.startswith("/"):
                real = f"{root}/{path.rstrip('/')}"
                if sight.is_hidden(real) or f"{real}/".startswith(self._kept):
                    return True
            if path.startswith("/"):
                return is_env_file(path) or found.is_hidden(path.rstrip("/")) or self._is_hidden_outside(path)
            return self._secrets.is_hidden_name(path) or found.is_hidden(f"{root}/{path.rstrip('/')}")

        return hides

    def _path_exists(self, parts: list[str]) -> bool:
        with contextlib.suppress(PathRefused):
            return self.get_kind(self._own.resolve_links(parts, "")) != "missing"
        return True

    def _locate_path(self, path: str) -> tuple[DirHandle, str]:
        return self._rooms.locate_path(path) if path.startswith("/") else (self._own, path)

    def _resolve_outside(self, text: str, writing: bool) -> str | None:
        """Give the absolute path of a place that was let in; None for what lies inside or elsewhere."""
        written = expand_home(text, self._home)
        if not written.startswith("/") or self._own.bearings.get_relative_parts(written) is not None:
            return None
        path = self._rooms.resolve_path(written)
        if path is None or self._own.bearings.get_relative_parts(path) is not None:
            return None
        if writing:
            raise PathRefused(f"{text} is outside this folder and may only be read")
        if self._rooms.is_hidden(path) or self.make_hidden_check()(path):
            raise PathRefused(f"{text} {KEPT}")
        return path

    def _is_hidden_outside(self, path: str) -> bool:
        return (
            self._rooms.is_hidden(path) or self._own.bearings.get_relative_parts(path.rstrip("/")) is not None
        )

    def _explain_access_refusal(self, path: str, writing: bool) -> str:
        """Say why a settled path may not be used, "" where it may."""
        if writing and (reason := self._explain_write_refusal(path)):
            return reason
        if f"{path}/".casefold().startswith(".tripletick/") and not f"{path}/".startswith(f"{OUT}/"):
            return "is tripletick's own and cannot be read"
        kind = self.get_kind(path)
        shape = {"folder": f"{path}/", "missing": f"{path}/."}.get(kind, path)
        if path == ".":
            return ""
        if kind == "missing" and not writing:
            # A word in a script, most often: its name tells enough.
            self._secrets.reload_ignore_files()
            return KEPT if self._secrets.is_hidden_name(shape) else ""
        return KEPT if self.make_hidden_check()(shape) else ""

    def _explain_write_refusal(self, path: str) -> str:
        names = path.casefold().split("/")
        if ".git" in names:
            return "belongs to git and cannot be written"
        own = any(Path(path).is_relative_to(ours) for ours in self._ours)
        # each folder of the home may be one that somebody works in
        if own or {".tripletick", IGNORE} & {*(names if self.sight else names[:1])}:
            return "is tripletick's own and cannot be written"
        if self.sight and not any(Path(path).is_relative_to(each) for each in self._writable):
            return "cannot be written yet"
        return ""

    def _write_file(self, path: str, data: bytes) -> FileChange:
        folder, _, name = path.rpartition("/")
        with translate_errors(path):
            parent = dirfd.make_folders(self._own.handle, folder, self._owner)
            try:
                old = _check_replaceable(parent, name, path)
                dirfd.replace_file(parent, name, data, mode=old, owner=self._owner)
            finally:
                os.close(parent)
        return FileChange(path, "created" if old is None else "changed")


def resolve_folder(name: str) -> Path | None:
    """Give the real path of a folder that is named from the root, None where it is none."""
    folder = Path(name)
    is_folder = os.path.isdir(name)  # noqa: PTH112 - Path.is_dir raises for a name that is too long
    return folder.resolve() if folder.is_absolute() and is_folder else None


def explain_refusal(root: Path, home: Path, own: Sequence[Path], state: Sequence[Path]) -> str:
    """Say why a folder cannot be the workspace, "" where it can."""
    if not root.is_dir():
        return "It is a file." if root.exists() else "There is no such folder."
    if home.is_relative_to(root):
        return (
            "It is your home folder, or contains it."
            if root != Path("/")
            else "It is the root of the whole file system."
        )
    private = [*map(Path, ("/etc", "/usr")), home / ".ssh", home / ".config", *state]
    for folder in (path.resolve() for path in private):
        if root.is_relative_to(folder) or folder.is_relative_to(root):
            return f"It is inside {folder}, or contains it."
    if any(root.is_relative_to(folder) for folder in own):
        return "It belongs to tripletick itself."
    linked = next((name for name in (".git", ".tripletick") if (root / name).is_symlink()), "")
    return f"Its {linked} is a symbolic link, which could lead anywhere." if linked else ""


def _check_replaceable(parent: int, name: str, path: str) -> int | None:
    """Give the mode of the file to replace, None where there is none. Raises PathRefused."""
    status = dirfd.stat_entry(parent, name)
    if status is None:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise PathRefused(f"{path} is not a regular file, so nothing was saved")
    if not status.st_mode & 0o222:
        raise PathRefused(f"{path} is write-protected, so nothing was saved")
    return stat.S_IMODE(status.st_mode) & 0o777
