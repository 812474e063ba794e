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

from tripletick.errors import WorkspaceError
from tripletick.messages import FileChange
from tripletick.paths import beneath
from tripletick.paths.hidden import IGNORE, Secrets, is_private
from tripletick.paths.meaning import PathRefused as PathRefused
from tripletick.paths.meaning import at_home, cleaned, refuse_home
from tripletick.paths.rooms import KEPT, Rooms
from tripletick.paths.sight import Sight
from tripletick.paths.within import Entry as Entry
from tripletick.paths.within import Kind, Within, worded

OUT = ".tripletick/out"
REMEDY = "Go to a folder of your own, or: tripletick -C DIR"


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the workspace: its path there, free of links, and a word where another was written."""

    path: str
    note: str = ""


class Workspace:
    """The folder that the work happens in. Raises WorkspaceError where no work may happen.

    `ours` is never written; `state` are the folders (config, state, cache) that it must not hold; `hidden`
    stays out of sight also in what is let in to be read. A `Sight` is the home folder, or what holds it: what
    is in sight is read, and nothing is written but below what `writing_to` adds.
    """

    def __init__(
        self,
        place: Path | Sight,
        *,
        ours: Sequence[Path] = (),
        state: Sequence[Path] = (),
        hidden: Sequence[Path] = (),
        home: Path | None = None,
    ) -> None:
        self.sight = place if isinstance(place, Sight) else None
        root = place.root if isinstance(place, Sight) else place
        self.root = root.resolve()
        self._writable: tuple[str, ...] = ()
        self._home = (home or Path.home()).resolve()
        own = [path.resolve() for path in (*ours, *state)]
        try:
            sight = self.sight
            why = sight.why_refused() if sight else why_refused(self.root, self._home, own, state)
            if why:
                raise WorkspaceError(f"{root} cannot be the workspace.", why, REMEDY)
            self._own = Within(self.root, posixpath.normpath(root.absolute().as_posix()))
        except OSError as error:
            why = f"It cannot be opened: {error.strerror}."
            raise WorkspaceError(f"{root} cannot be the workspace.", why, REMEDY) from error
        self._secrets = Secrets(self.root, sight=self.sight)
        self._rooms = Rooms((self._home / ".ssh", *state, *hidden))
        self._ours = [path.relative_to(self.root) for path in own if path.is_relative_to(self.root)]
        self._kept = tuple(f"{path.resolve()}/" for path in state)
        status = os.fstat(self._own.handle)
        given = os.geteuid() == 0 and status.st_uid != 0
        self._owner = (status.st_uid, status.st_gid) if given else None

    def take_literally(self) -> None:
        """Take every path as it is written: what models invent means nothing here."""
        self._own.bearings.literal = True

    def let_read(self, path: Path) -> None:
        """Let a folder or file outside, or one out of sight, be read. Raises OSError."""
        real = path.resolve(strict=True)
        if self.sight and real.is_relative_to(self.root):
            self.sight.opened.append(real)
        else:
            self._rooms.add(path)
        self._secrets.show(path)

    def writing_to(self, paths: Iterable[Path]) -> Workspace:
        """Give the same folder, in which these, and what lies below them, may be written."""
        wider = copy(self)
        wider._writable = tuple(path.relative_to(self.root).as_posix() for path in paths)
        return wider

    @property
    def let_in(self) -> list[str]:
        """The folders outside that may be read, by their absolute paths."""
        return self._rooms.roots()

    def resolve(self, written: str, *, writing: bool = False) -> Spot:
        """Give the place that a path means, for reading unless `writing`. Raises PathRefused.

        The path of a place outside, which was let in, is absolute.
        """
        text = cleaned(written)
        if writing and text.endswith("/"):
            raise PathRefused(f"{text} names a folder; write the file's whole path")
        if self._rooms and (outside := self._let_in(text, writing)):
            return Spot(outside)
        if self.sight:
            text = at_home(text, self._home)
        refuse_home(text)
        parts, moved = self._own.bearings.meant(text, self._there)
        path = self._own.settle(parts, text)
        if reason := self._forbidden(path, writing):
            raise PathRefused(f"{text} {reason}")
        return Spot(path, f"{text} means {path} here" if moved else "")

    def spelled(self, text: str) -> str:
        """Write out `~`, for a pattern of names."""
        return at_home(text, self._home)

    def look(self, path: str) -> Entry:
        """Tell what lies at a path that `resolve` gave."""
        within, below = self._at(path)
        return within.look(below)

    def kind(self, path: str) -> Kind:
        return self.look(path).kind

    def size(self, path: str) -> int:
        return self.look(path).size

    def read_bytes(self, path: str, limit: int) -> bytes:
        """Read the first `limit` bytes of a regular file. Raises PathRefused."""
        within, below = self._at(path)
        return within.read_bytes(below, limit)

    def entries(self, path: str) -> list[Entry]:
        """List a folder by name. Raises PathRefused."""
        within, below = self._at(path)
        return within.entries(below)

    def names(self, path: str) -> dict[str, Kind]:
        """Name what a folder holds, each with its kind. Raises PathRefused."""
        within, below = self._at(path)
        return within.names(below)

    def listdir(self, path: str) -> list[str]:
        """Give the names in a folder. Raises PathRefused."""
        return list(self.names(path))

    def write_bytes(self, path: str, data: bytes) -> FileChange:
        """Save a whole file under the path that `resolve` gave; folders are made. Raises PathRefused."""
        if reason := self._protected(path):
            raise PathRefused(f"{path} {reason}")
        return self._put(path, data)

    def keep_output(self, session: str, number: int, data: bytes, extension: str = ".txt") -> str | None:
        """Keep what is too long for the model; give the path it can read, None where nothing can be kept."""
        kept = f"{OUT}/{session}/{number}{extension}"
        if self.sight:
            return None
        with contextlib.suppress(PathRefused):
            if self.kind(f"{OUT}/.gitignore") == "missing":
                self._put(f"{OUT}/.gitignore", b"*\n")
            self._put(kept, data)
            return kept
        return None

    def hides(self) -> Callable[[str], bool]:
        """Give what tells whether a path is kept from the model; a folder's path ends in a slash."""
        found, root, sight = self._secrets.look(), self.root.as_posix().rstrip("/"), self.sight

        def hides(path: str) -> bool:
            if sight and not path.startswith("/"):
                real = f"{root}/{path.rstrip('/')}"
                if sight.hides(real) or f"{real}/".startswith(self._kept):
                    return True
            if path.startswith("/"):
                return is_private(path) or found.holds(path.rstrip("/")) or self._hidden_outside(path)
            return self._secrets.names(path) or found.holds(f"{root}/{path.rstrip('/')}")

        return hides

    def _there(self, parts: list[str]) -> bool:
        with contextlib.suppress(PathRefused):
            return self.kind(self._own.settle(parts, "")) != "missing"
        return True

    def _at(self, path: str) -> tuple[Within, str]:
        return self._rooms.at(path) if path.startswith("/") else (self._own, path)

    def _let_in(self, text: str, writing: bool) -> str | None:
        """Give the absolute path of a place that was let in; None for what lies inside or elsewhere."""
        written = at_home(text, self._home)
        if not written.startswith("/") or self._own.bearings.inside(written) is not None:
            return None
        path = self._rooms.resolve(written)
        if path is None or self._own.bearings.inside(path) is not None:
            return None
        if writing:
            raise PathRefused(f"{text} is outside this folder and may only be read")
        if self._rooms.hides(path) or self.hides()(path):
            raise PathRefused(f"{text} {KEPT}")
        return path

    def _hidden_outside(self, path: str) -> bool:
        return self._rooms.hides(path) or self._own.bearings.inside(path.rstrip("/")) is not None

    def _forbidden(self, path: str, writing: bool) -> str:
        """Say why a settled path may not be used, "" where it may."""
        if writing and (reason := self._protected(path)):
            return reason
        if f"{path}/".casefold().startswith(".tripletick/") and not f"{path}/".startswith(f"{OUT}/"):
            return "is tripletick's own and cannot be read"
        kind = self.kind(path)
        shape = {"folder": f"{path}/", "missing": f"{path}/."}.get(kind, path)
        if path == ".":
            return ""
        if kind == "missing" and not writing:
            # A word in a script, most often: its name tells enough.
            self._secrets.reread()
            return KEPT if self._secrets.names(shape) else ""
        return KEPT if self.hides()(shape) else ""

    def _protected(self, path: str) -> str:
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

    def _put(self, path: str, data: bytes) -> FileChange:
        folder, _, name = path.rpartition("/")
        with worded(path):
            parent = beneath.make_folders(self._own.handle, folder, self._owner)
            try:
                old = _replaceable(parent, name, path)
                beneath.replace(parent, name, data, mode=old, owner=self._owner)
            finally:
                os.close(parent)
        return FileChange(path, "created" if old is None else "changed")


def why_refused(root: Path, home: Path, own: Sequence[Path], state: Sequence[Path]) -> str:
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
