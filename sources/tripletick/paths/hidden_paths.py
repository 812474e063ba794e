"""Finds what the model must not read: `.env`, what .tripletickignore names, where these lead; sockets.

One rule for blocks and tools; to hide is up to the box and the guard. A file is known by what it is, so that
further names of it (hard links) are found too. A folder that has not changed is not listed again (its ctime,
which no program can set), so a look costs one stat a folder.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tripletick.paths.file_identity import (
    Identity,
    has_hard_links,
    identify_file,
    identify_files,
    leads_to_program,
    stamp_target,
)
from tripletick.paths.ignore_files import parse_ignore_file, read_ignore_file
from tripletick.system import platforms
from tripletick.system.redaction import KNOWN

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from tripletick.paths.home_view import HomeView

IGNORE = ".tripletickignore"
KEEP = (".example", ".sample", ".template", ".dist")
"""Ends of `.env.*` names that hold no secrets."""
OURS = (".git", ".tripletick")
LONGEST = 3000
"""Bytes of a path below which a folder is hidden whole: nothing longer than 4096 can be mounted over."""
MOST = 1000
"""Hidden files and folders, so many can be mounted over: bubblewrap takes 9000 arguments, three for each."""
LOOKED, LOOKED_AT_ALL = 50_000, 400_000
"""Entries of each folder that was let in, and of each in the home, and of all: the upper ones first."""
FRESH = 100_000_000
"""Within these nanoseconds a folder can change again without a new ctime (the kernel's coarse clock)."""


@dataclass(slots=True)
class HiddenPaths:
    """What there is to hide, by absolute path without links."""

    hits: set[str] = field(default_factory=set)
    """Hidden names as they lie there: where a link leads is looked at each time."""
    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    sockets: set[str] = field(default_factory=set)
    """Named pipes among them."""
    known: set[str] = field(default_factory=set)
    """Those of these that no name hides: what was hidden before, under another name."""
    placed: set[str] = field(default_factory=set)
    """Those of these that only the folders above them hide: the pattern names these too."""
    below: list[str] = field(default_factory=list)
    """Folders to go on with."""
    entries: int = 0
    links: set[str] = field(default_factory=set)
    """Those of the hidden names that are links."""
    whole: bool = True
    """All of what was let in was looked through."""

    def is_hidden(self, path: str) -> bool:
        """Tell whether an absolute path without links is hidden, by itself or with a folder above it."""
        above = (path[: end.start()] for end in re.finditer("/", path))
        return path in self.files or path in self.folders or not self.folders.isdisjoint(above)


def is_env_file(path: str) -> bool:
    """True for `.env` and `.env.local`, false for `.env.example` and `.envrc`."""
    name = path.rpartition("/")[2].casefold()
    return name == ".env" or (name.startswith(".env.") and not name.endswith(KEEP))


def read_our_ignore_file(workspace: Path) -> bytes:
    """Give the ignore file, empty where it is not a regular file that lies in the workspace."""
    real = Path(os.path.realpath(workspace / IGNORE))
    if workspace not in real.parents:
        return b""
    with suppress(OSError):
        return read_ignore_file(real)
    return b""


def find_closed_folders(folders: Iterable[str]) -> set[str]:
    """Give those that we may not look into."""
    return {path for path in folders if not os.access(path, os.R_OK | os.X_OK)}


def list_below(folder: str) -> Iterator[str]:
    """Give all that lies in a folder, and stop where that is a lot."""
    for count, (above, folders, files) in enumerate(platforms.walk_tree(folder)):
        yield from (f"{above}/{name}" for name in (*folders, *files))
        if count > LOOKED:
            return


def get_mode(path: Path) -> int:
    """Give the type of what is there; 0 where nothing is, or nothing that we may look at."""
    try:
        return path.stat().st_mode
    except OSError:
        return 0


class HiddenPathFinder:
    """Looks through one workspace and the folders that were let in, again before each block and each read.

    `inside`: what lies in hidden folders is remembered too, since blocks could move it out of them. With a
    `sight` the workspace is looked through as what was let in is, and ignore files count in each folder.
    """

    def __init__(
        self,
        workspace: Path,
        shown: Iterable[Path] = (),
        *,
        inside: bool = False,
        sight: HomeView | None = None,
    ) -> None:
        self._workspace = workspace
        self._sight = sight
        self._shown = [Path(os.path.realpath(path)) for path in shown]
        self._inside = inside
        self._ignores: dict[str, tuple[bytes, GitIgnoreSpec | None]] = {str(workspace): (b"", None)}
        """By the folder in which such a file lies."""
        self._cache: dict[str, tuple[tuple[int, int], HiddenPaths]] = {}
        self._known: dict[int, Identity] = {}
        self._places: dict[Identity, list[str]] = {}
        self._made: dict[Identity, tuple[int, ...]] = {}
        """Names that blocks have made, and what they led to then: nothing in it was hidden from blocks."""
        self._named: dict[str, Identity] = {}
        self._closed: set[str] = set()
        self._foreign: set[str] = set()
        self._left: set[str] = set()

    def add_readable(self, path: Path) -> None:
        """Take a folder or file outside that is let in."""
        self._shown.append(Path(os.path.realpath(path)))

    def is_hidden_name(self, path: str) -> bool:
        """Tell whether a path from the workspace is hidden by name; a folder's ends in a slash."""
        return is_env_file(path) or self._is_ignored(f"{str(self._workspace).rstrip('/')}/{path}")

    def find_hidden(self, bound: frozenset[str] = frozenset()) -> HiddenPaths:
        """Give what must be hidden now; `bound` are the sockets that somebody listens on."""
        self.reload_ignore_files()
        all_found = self._walk_all()
        if self._remember_identities(all_found):
            # The same file lies elsewhere too, where nothing hid it yet.
            self._cache.clear()
            all_found = self._walk_all()
            self._remember_identities(all_found)
        if len(all_found.files | all_found.folders) > MOST:
            self._drop_block_files(all_found)
        self._named = dict(identify_files(all_found.hits))
        self._closed = find_closed_folders(all_found.folders)
        all_found.sockets = self._filter_sockets(all_found.sockets, bound)
        return all_found

    def find_sockets(self, folders: Iterable[Path], bound: frozenset[str]) -> set[str]:
        """Find in folders of programs, which hide no secrets, the sockets of `bound` with relative names: the
        kernel does not tell to which folder.
        """
        names = {Path(path).name for path in bound if not path.startswith("/")}
        waiting, sockets, left = deque(map(str, folders if names else ())), set[str](), LOOKED
        while waiting and left > 0:
            found = self._scan_cached(waiting.popleft(), HiddenPaths())
            left -= found.entries
            waiting += found.below
            sockets |= {path for path in found.sockets if Path(path).name in names}
        return sockets

    def adopt_block_files(self) -> None:
        """After a block: what it has made is its own; what appears or changes later is somebody else's."""
        found = self._walk_all()
        if len(found.folders) > MOST:
            found = self._reopen_folders()
        self._left = found.sockets - self._foreign
        old = set(self._named.values())
        for hit, identity in identify_files(found.hits):
            if identity not in old and hit not in self._named:
                self._made[identity] = stamp_target(hit)

    def find_moved_files(self) -> list[tuple[Path, Path]]:
        """After a block that could move what is hidden: where it lies in the light, and where it lay."""
        moved = []
        known_here = (path for path in sorted(self._reopen_folders().known) if self._is_inside(Path(path)))
        for path, identity in identify_files(known_here):
            places = self._places.get(identity, [path])
            moved += [(Path(path), Path(places[0]))] if path not in places else []
        return moved

    def _reopen_folders(self) -> HiddenPaths:
        """Open the folders that the block has closed, and give what lies in all."""
        known = set(self._closed)
        while closed := find_closed_folders((found := self._walk_all()).folders) - known:
            known |= closed
            for folder in map(Path, closed):
                with suppress(OSError):
                    folder.chmod(folder.lstat().st_mode & 0o777 | stat.S_IRWXU)
        return found

    def _walk_all(self) -> HiddenPaths:
        all_found = HiddenPaths()
        waiting = [] if self._sight else [str(self._workspace)]
        while waiting:
            found = self._scan_cached(waiting.pop(), all_found)
            waiting += found.below
            all_found.hits |= found.hits
            all_found.folders |= found.folders
            all_found.sockets |= found.sockets
            all_found.known |= found.known
            all_found.placed |= found.placed
        for path in (*([self._workspace] if self._sight else ()), *self._shown):
            self._walk_shown(path, all_found)
        for hit in all_found.hits:
            is_link = Path(hit).is_symlink()
            if is_link and self._is_made_by_block(hit):
                # A block could blind the next ones by it.
                continue
            all_found.links |= {hit} if is_link else set()
            self._add_target(hit, all_found)
        return all_found

    def _walk_shown(self, top: Path, all_found: HiddenPaths) -> None:
        """Look through what was let in: no .tripletickignore names it, and nothing closed can be opened."""
        waiting, later = deque([str(top)]), deque[str]()
        left: dict[str, int] = {}
        looked, missed = 0, False
        while waiting or later:
            folder = (waiting or later).popleft()
            part = self._sight.find_top(folder) if self._sight else str(top)
            if left.setdefault(part, min(LOOKED, LOOKED_AT_ALL - looked)) <= 0:
                missed = True
                continue
            found = self._scan_cached(folder, HiddenPaths())
            left[part] -= found.entries
            looked += found.entries
            for path in found.below:
                if self._sight or path != str(self._workspace):
                    # caches hold the most, and the fewest secrets
                    (later if self._sight and not self._sight.can_enter(path) else waiting).append(path)
            all_found.hits |= found.hits
            all_found.known |= found.known
            all_found.sockets |= found.sockets
        if missed:
            # What a block has put before it does not uncover what was found.
            named = identify_files(self._named)
            all_found.hits |= {path for path, identity in named if identity == self._named[path]}
        all_found.whole &= not missed

    def _is_made_by_block(self, hit: str) -> bool:
        """Tell what a block has made of what it could read, and nobody has changed since."""
        return any(self._made.get(identity, ()) == stamp_target(hit) for _, identity in identify_files([hit]))

    def _drop_block_files(self, found: HiddenPaths) -> None:
        """Leave out of too many files those that blocks have made: no further one could run otherwise."""
        own = {hit for hit in found.hits if hit in found.files and self._is_made_by_block(hit)}
        found.files -= own
        found.placed -= own

    def reload_ignore_files(self) -> None:
        for folder in list(self._ignores):
            self._reload_ignore_file(folder)

    def _reload_ignore_file(self, folder: str) -> None:
        text = read_our_ignore_file(Path(folder))
        if text != self._ignores.get(folder, (b"",))[0]:
            self._ignores[folder] = (
                text,
                parse_ignore_file(text) if text.strip() else None,
            )
            self._cache.clear()

    def _remember_identities(self, found: HiddenPaths) -> bool:
        """Remember what is hidden by what it is, and tell whether a new one of these bears further names.

        A block can rename the folder around a hidden file, so that no pattern fits.
        """
        self._places, linked = {}, False
        direct = found.hits - found.links
        below = [path for folder in found.folders for path in list_below(folder)] if self._inside else []
        for path in found.files:
            KNOWN.learn_file(path)
        for path, identity in identify_files((*found.files, *found.folders, *below)):
            is_new = self._known.get(identity[1]) != identity
            # A link to it can be removed, and it would be seen where it lies.
            linked |= is_new and (path not in direct or has_hard_links(path))
            self._known[identity[1]] = identity
            self._places.setdefault(identity, []).append(path)
        return linked

    def _filter_sockets(self, sockets: set[str], bound: frozenset[str]) -> set[str]:
        """Leave out the sockets that blocks have left behind: a server must be able to make its own again."""
        names = {Path(path).name for path in bound}
        self._foreign = sockets - self._left
        return {path for path in sockets if path in self._foreign or Path(path).name in names}

    def _scan_cached(self, folder: str, so_far: HiddenPaths) -> HiddenPaths:
        try:
            status = os.lstat(folder)
            stamp = status.st_ino, status.st_ctime_ns
            cached = self._cache.get(folder)
            if cached is None or cached[0] != stamp:
                found = self._scan_folder(folder)
                if datetime.now(UTC).timestamp() * 1e9 - status.st_ctime_ns > FRESH:
                    self._cache[folder] = stamp, found
                return found
            return cached[1]
        except OSError as error:
            # A folder that denies us now can be opened again by the block, whose folder it is.
            if error.errno in (errno.EACCES, errno.EPERM):
                so_far.folders.add(folder)
            return HiddenPaths()

    def _scan_folder(self, folder: str) -> HiddenPaths:
        found = HiddenPaths()
        with os.scandir(folder) as entries:
            listed = list(entries)
        if self._sight and any(entry.name == IGNORE for entry in listed):
            self._reload_ignore_file(folder)
        found.entries = len(listed)
        for entry in listed:
            # One that is gone meanwhile hides nothing, and the others are looked at all the same.
            with suppress(FileNotFoundError):
                self._classify_entry(entry, found)
        return found

    def _classify_entry(self, entry: os.DirEntry[str], found: HiddenPaths) -> None:
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_folder and Path(entry.path).parent == self._workspace and entry.name in OURS:
            return
        if self._is_hidden(entry.name, entry.path, is_folder):
            found.hits.add(entry.path)
            if not self._is_hidden(entry.name, str(self._workspace / entry.name), is_folder):
                found.placed.add(entry.path)
        elif self._is_known(entry):
            found.hits.add(entry.path)
            found.known.add(entry.path)
        elif is_folder:
            if len(os.fsencode(entry.path)) > LONGEST:
                found.folders.add(entry.path)
            elif self._sight is None or self._sight.is_folder_visible(entry.path):
                found.below.append(entry.path)
        elif leads_to_program(entry):
            found.sockets.add(entry.path)

    def _is_hidden(self, name: str, path: str, is_folder: bool) -> bool:
        return (not is_folder and is_env_file(name)) or self._is_ignored(path + "/" * is_folder)

    def _is_ignored(self, path: str) -> bool:
        """Tell whether an ignore file in a folder above names a path; that of a folder ends in a slash."""
        tops = ((f"{folder.rstrip('/')}/", spec) for folder, (_, spec) in self._ignores.items() if spec)
        return any(path.startswith(top) and spec.match_file(path[len(top) :]) for top, spec in tops)

    def _is_known(self, entry: os.DirEntry[str]) -> bool:
        known = self._known.get(entry.inode())
        return known is not None and known == identify_file(entry.path)

    def _add_target(self, path: str, found: HiddenPaths) -> None:
        """Add what the name leads to, where that lies below the workspace or in what was let in."""
        real = Path(os.path.realpath(path))
        if not self._is_inside(real) and not any(top in (real, *real.parents) for top in self._shown):
            return
        # What lies in a closed folder cannot be told apart; that folder is hidden whole when it is listed.
        mode = get_mode(real)
        if stat.S_ISDIR(mode):
            found.folders.add(str(real))
        elif stat.S_ISREG(mode):
            found.files.add(str(real))

    def _is_inside(self, path: Path) -> bool:
        return self._workspace in path.parents
