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
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tripletick.errors import WorkspaceError
from tripletick.messages import FileChange
from tripletick.paths import beneath
from tripletick.paths.meaning import Bearings, cleaned
from tripletick.paths.meaning import PathRefused as PathRefused

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

Kind = Literal["file", "folder", "missing", "other"]

SPARED = (".example", ".sample", ".template", ".dist")
"""Endings of .env files that hold no secrets."""
IGNORE_FILE = ".tripletickignore"
OUT = ".tripletick/out"
LINKS = 40
"""As many as the kernel follows (path_resolution(7))."""
REMEDY = "Go to a folder of your own, or: tripletick -C DIR"


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the workspace: its path there, free of links, and a word where another was written."""

    path: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """What lies at a path; size in bytes, `modified` in seconds since 1970. Links count as `other`."""

    name: str
    kind: Kind
    size: int = 0
    modified: float = 0.0
    mode: int = 0


def read_ignore(text: str) -> GitIgnoreSpec:
    """Read gitignore syntax; a line that is none is passed over, as git does."""
    from pathspec import GitIgnoreSpec

    lines = []
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            GitIgnoreSpec.from_lines([line])
            lines.append(line)
    return GitIgnoreSpec.from_lines(lines)


def is_private(path: str) -> bool:
    """True for `.env` and `.env.local`, false for `.env.example` and `.envrc`."""
    name = posixpath.basename(path).casefold()
    return name == ".env" or (name.startswith(".env.") and not name.endswith(SPARED))


class Workspace:
    """The folder that the work happens in. Raises WorkspaceError where no work may happen.

    `ours` is never written; `state` are the folders (config, state, cache) that it must not hold.
    """

    def __init__(
        self, root: Path, *, ours: Sequence[Path] = (), state: Sequence[Path] = (), home: Path | None = None
    ) -> None:
        self.root = root.resolve()
        own = [path.resolve() for path in (*ours, *state)]
        try:
            why = _why_refused(self.root, (home or Path.home()).resolve(), own, state)
            self._handle = -1 if why else os.open(self.root, beneath.FOLDER)
        except OSError as error:
            why = f"It cannot be opened: {error.strerror}."
        if why:
            raise WorkspaceError(f"{root} cannot be the workspace.", why, REMEDY)
        self._bearings = Bearings(self.root, posixpath.normpath(root.absolute().as_posix()))
        self._ours = [path.relative_to(self.root) for path in own if path.is_relative_to(self.root)]
        weakref.finalize(self, os.close, self._handle)
        status = os.fstat(self._handle)
        given = os.geteuid() == 0 and status.st_uid != 0
        self._owner = (status.st_uid, status.st_gid) if given else None

    def resolve(self, written: str, *, writing: bool = False) -> Spot:
        """Give the place that a path means, for reading unless `writing`. Raises PathRefused."""
        text = cleaned(written)
        if writing and text.endswith("/"):
            raise PathRefused(f"{text} names a folder; write the file's whole path")
        parts, moved = self._bearings.meant(text, self._there)
        path = self._settle(parts, text)
        if reason := self._forbidden(path, writing):
            raise PathRefused(f"{text} {reason}")
        return Spot(path, f"{text} means {path} here" if moved else "")

    def look(self, path: str) -> Entry:
        """Tell what lies at a path that `resolve` gave."""
        try:
            handle = beneath.open_beneath(self._handle, path, beneath.PEEK)
        except OSError as error:
            return Entry(path, "missing" if error.errno in beneath.MISSING else "other")
        try:
            return _entry(path, os.fstat(handle))
        finally:
            os.close(handle)

    def kind(self, path: str) -> Kind:
        return self.look(path).kind

    def size(self, path: str) -> int:
        return self.look(path).size

    def read_bytes(self, path: str, limit: int) -> bytes:
        """Read the first `limit` bytes of a regular file. Raises PathRefused."""
        with _worded(path), self._opened(path, beneath.READ) as handle:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise PathRefused(f"{path} is not a regular file")
            with os.fdopen(os.dup(handle), "rb") as file:
                return file.read(limit)

    def entries(self, path: str) -> list[Entry]:
        """List a folder by name. Raises PathRefused."""
        with _worded(path), self._opened(path, beneath.LISTING) as handle, os.scandir(handle) as scan:
            found = []
            for each in scan:
                with contextlib.suppress(FileNotFoundError):
                    found.append(_entry(each.name, each.stat(follow_symlinks=False)))
            return sorted(found, key=lambda entry: entry.name)

    def listdir(self, path: str) -> list[str]:
        """Give the names in a folder. Raises PathRefused."""
        return [entry.name for entry in self.entries(path)]

    def write_bytes(self, path: str, data: bytes) -> FileChange:
        """Save a whole file under the path that `resolve` gave; folders are made. Raises PathRefused."""
        if reason := self._protected(path):
            raise PathRefused(f"{path} {reason}")
        return self._put(path, data)

    def keep_output(self, session: str, number: int, data: bytes) -> str | None:
        """Keep what is too long for the model; give the path it can read, None where nothing can be kept."""
        kept = f"{OUT}/{session}/{number}.txt"
        with contextlib.suppress(PathRefused):
            if self.kind(f"{OUT}/.gitignore") == "missing":
                self._put(f"{OUT}/.gitignore", b"*\n")
            self._put(kept, data)
            return kept
        return None

    def hides(self) -> Callable[[str], bool]:
        """Give what tells whether a path is kept from the model; a folder's path ends in a slash."""
        spec = None
        if self.kind(IGNORE_FILE) != "missing":
            data = self.read_bytes(self._settle([IGNORE_FILE], IGNORE_FILE), 1 << 18)
            spec = read_ignore(data.decode("utf-8", "replace"))
        return lambda path: is_private(path) or bool(spec and spec.match_file(path))

    def _there(self, parts: list[str]) -> bool:
        with contextlib.suppress(PathRefused):
            return self.kind(self._settle(parts, "")) != "missing"
        return True

    def _settle(self, parts: Sequence[str], written: str) -> str:
        """Follow the links inside the workspace, so that what is judged is what will be opened."""
        waiting, done, links = list(reversed(parts)), list[str](), 0
        while waiting:
            name = waiting.pop()
            target = "" if name == ".." else self._link("/".join([*done, name]))
            inside = self._bearings.inside(target) if target.startswith("/") else None
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

    def _link(self, path: str) -> str:
        with contextlib.suppress(OSError):
            return os.readlink(path, dir_fd=self._handle)
        return ""

    def _forbidden(self, path: str, writing: bool) -> str:
        """Say why a settled path may not be used, "" where it may."""
        if writing and (reason := self._protected(path)):
            return reason
        if f"{path}/".casefold().startswith(".tripletick/") and not f"{path}/".startswith(f"{OUT}/"):
            return "is tripletick's own and cannot be read"
        kind = self.kind(path)
        shape = {"folder": f"{path}/", "missing": f"{path}/."}.get(kind, path)
        if path != "." and self.hides()(shape):
            return "is kept from you by the person; work without it"
        return ""

    def _protected(self, path: str) -> str:
        names = path.casefold().split("/")
        if ".git" in names:
            return "belongs to git and cannot be written"
        own = any(Path(path).is_relative_to(ours) for ours in self._ours)
        if own or names[0] in (".tripletick", IGNORE_FILE):
            return "is tripletick's own and cannot be written"
        return ""

    @contextlib.contextmanager
    def _opened(self, path: str, flags: int) -> Iterator[int]:
        handle = beneath.open_beneath(self._handle, path, flags)
        try:
            yield handle
        finally:
            os.close(handle)

    def _put(self, path: str, data: bytes) -> FileChange:
        folder, _, name = path.rpartition("/")
        with _worded(path):
            parent = beneath.make_folders(self._handle, folder, self._owner)
            try:
                old = _replaceable(parent, name, path)
                beneath.replace(parent, name, data, mode=old, owner=self._owner)
            finally:
                os.close(parent)
        return FileChange(path, "created" if old is None else "changed")


def _why_refused(root: Path, home: Path, own: Sequence[Path], state: Sequence[Path]) -> str:
    """Say why a folder cannot be the workspace, "" where it can."""
    if not root.is_dir():
        return "There is no such folder."
    if home.is_relative_to(root):
        return "It is your home folder, or holds it." if root != Path("/") else "It is the whole computer."
    private = [*map(Path, ("/etc", "/usr")), home / ".ssh", home / ".config", *state]
    for folder in (path.resolve() for path in private):
        if root.is_relative_to(folder) or folder.is_relative_to(root):
            return f"It lies in {folder}, or holds it."
    if any(root.is_relative_to(folder) for folder in own):
        return "It belongs to tripletick itself."
    linked = next((name for name in (".git", ".tripletick") if (root / name).is_symlink()), "")
    return f"Its {linked} is a link, which could lead anywhere." if linked else ""


def _entry(name: str, status: os.stat_result) -> Entry:
    kinds: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder"}
    kind = kinds.get(stat.S_IFMT(status.st_mode), "other")
    return Entry(name, kind, status.st_size, status.st_mtime, stat.S_IMODE(status.st_mode))


def _replaceable(parent: int, name: str, path: str) -> int | None:
    """Give the mode of the file to replace, None where there is none. Raises PathRefused."""
    try:
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise PathRefused(f"{path} is not a regular file, so nothing was saved")
    if not status.st_mode & 0o222:
        raise PathRefused(f"{path} is write-protected, so nothing was saved")
    return stat.S_IMODE(status.st_mode) & 0o777


@contextlib.contextmanager
def _worded(path: str) -> Iterator[None]:
    """Turn an error of the system into a sentence for the model."""
    try:
        yield
    except OSError as error:
        raise PathRefused(f"{path}: {error.strerror}") from error
