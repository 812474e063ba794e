"""Looking over all files of a workspace, quickly: what may have changed since a snapshot.

A folder that is as it was is not listed again, so a look costs one stat a file. No link is followed. Folders
that hold too much, which is less for those that git ignores, are passed over; what is known of them
is still looked at, and so are the few files in them that run later (WATCHED). `.tripletick` is ours, and of
the `.git` of the workspace, or of a part that is looked at, only those few are looked at, unless a block has
made it. The user's global ignore file is not read.
"""

from __future__ import annotations

import fnmatch
import os
import stat
import time
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from tripletick.checkpoint.dir_tree import ABSENT, KEPT, TYPE, DirTree, ignore_absent, is_storable
from tripletick.checkpoint.ignore_rules import IgnoreRules
from tripletick.checkpoint.values import FRESH, Manifest, ScanProgress, Statuses, is_untouched
from tripletick.paths.dirfd import LISTING
from tripletick.paths.ignore_files import GIT_IGNORE, Specs

MOST_FILES, MOST_BYTES = 4000, 100 << 20
"""What an ignored folder may hold and still be kept."""
MOST_NEW, MOST_FIRST = 20_000, 200_000
"""Files that may have come since the last look, and at the first one; a folder with more is passed over, of
the workspace itself the files that lie directly in it."""
DEEPEST = 120
"""Folders within folders; each level holds a handle open."""
OURS, GIT = ".tripletick", ".git"
WATCHED = (
    ("bin", "*"),
    ("Scripts", "*"),
    (".bin", "*"),
    ("lib", "python*", "site-packages", "*.pth"),
    ("lib", "python*", "site-packages", "*customize.py"),
    ("pip.conf",),
    ("config",),
    ("config.worktree",),
    ("commondir",),
    ("hooks", "*"),
)


@dataclass(slots=True)
class FolderListing:
    """A folder as it was last seen; `prints` tell that none of its files was touched."""

    prefix: str
    identity: tuple[int, int, int] | None
    names: list[str]
    paths: list[str]
    folders: list[str]
    prints: list[tuple[int, int]] | None = None


@dataclass(slots=True)
class IgnoredFolder:
    """An ignored folder, and what has been counted in it."""

    top: str
    files: int = 0
    size: int = 0


class FolderTooLargeError(Exception):
    """A folder holds more than is kept."""


@dataclass(slots=True)
class ScanResult:
    """What a walk saw. `same`: nothing has come or gone. `closed`: folders that cannot be entered. `flooded`:
    of the files directly in the workspace only those that were known are looked at.
    """

    changed: Statuses = field(default_factory=dict)
    looks: list[FolderListing] = field(default_factory=list)
    also: set[str] = field(default_factory=set)
    closed: list[str] = field(default_factory=list)
    over: list[str] = field(default_factory=list)
    same: bool = True
    flooded: bool = False

    def list_paths(self) -> set[str]:
        return self.also.union(*(look.paths for look in self.looks))


@dataclass(slots=True)
class ScanPosition:
    """Where a walk stands: a folder's handle, its path with a slash at the end, what holds for it."""

    fd: int
    prefix: str
    specs: Specs = ()
    bulk: IgnoredFolder | None = None
    depth: int = 0


def stat_paths(tree: DirTree, paths: Iterable[str], known: Container[str] = ()) -> Statuses:
    """Look at single files, folder by folder; at a pipe or socket only where something known was."""
    by_folder: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        by_folder[path.rpartition("/")[0]].append(path)
    found = {}
    for several in by_folder.values():
        with ignore_absent(), tree.open_parent(several[0]) as (fd, _):
            for path in several:
                with suppress(OSError):
                    found[path] = os.stat(path.rpartition("/")[2], dir_fd=fd, follow_symlinks=False)
    return {path: status for path, status in found.items() if is_storable(status) or path in known}


class WorkspaceScanner:
    """The walks through one workspace, with what each remembers for the next."""

    def __init__(self, progress: ScanProgress) -> None:
        self._progress = progress
        self._looks: dict[str, FolderListing] = {}
        self._over: dict[str, tuple[int, int]] = {}
        self._tops: set[str] = set()
        self._ignores = IgnoreRules()
        self._known: Manifest = {}
        self._roots = {""}
        self._extra: Collection[str] = ()
        self._also: set[str] = set()
        self._seen = ScanResult()
        self._now = self._room = 0

    def scan_workspace(
        self, tree: DirTree, known: Manifest, extra: Collection[str], areas: Iterable[str] | None = None
    ) -> ScanResult:
        """Look at everything, or at `areas` alone, and at `extra`, files that are passed over otherwise and
        the `.git` that blocks have made; raises OSError where the workspace cannot be read.
        """
        self._known, self._seen, self._now = known, ScanResult(), time.time_ns()
        self._extra = extra
        seen, self._tops = self._seen, set()
        areas = None if areas is None else _drop_nested_areas(areas)
        first = not self._also and (not known or any(area not in known for area in areas or ()))
        self._room = MOST_NEW + (0 if self._looks else len(known) + MOST_FIRST * first)
        self._note_change(".", os.fstat(tree.fd))
        if areas is None:
            self._scan_folder(ScanPosition(tree.fd, ""))
            seen.also = {".", *self._scan_single_files(tree, [GIT])}
        else:
            self._roots = {f"{area}/" for area in areas}
            gits = [f"{area}/{GIT}" for area in areas]
            there = {path for area in areas for path in self._scan_area(tree, area)}
            seen.also = {"."} | there | {*self._scan_single_files(tree, gits)}
        seen.same = seen.same and len(seen.looks) == len(self._looks) and seen.also == self._also
        self._looks, self._also = {look.prefix: look for look in seen.looks}, seen.also
        return seen

    def find_ignored_folder(self, path: str) -> str:
        """Give the ignored folder, or the one of a package tool, that holds a path, "" where none does."""
        return (
            next((above for above in iter_parents(f"{path}/") if above in self._tops), "")
            if self._tops
            else ""
        )

    def is_skipped(self, path: str) -> bool:
        return (self._seen.flooded and "/" not in path) or any(
            above in self._over for above in iter_parents(path)
        )

    def _scan_area(self, tree: DirTree, area: str) -> Iterator[str]:
        """Look at one part of the workspace; give its path if something is there."""
        for status in stat_paths(tree, [area]).values():
            yield area
            self._note_change(area, status)
            if stat.S_ISDIR(status.st_mode):
                with ignore_absent(), tree.open_parent(area) as (fd, _):
                    self._enter_folder(
                        ScanPosition(fd, area[: area.rfind("/") + 1]), area.rpartition("/")[2], ()
                    )

    def _scan_single_files(self, tree: DirTree, gits: Sequence[str]) -> Statuses:
        """Look at what the walk passes over and is known all the same, or runs later."""
        wanted = {*self._extra, *gits}.union(
            *(self._find_watched(tree, top) for top in (*gits, *self._seen.over))
        )
        tops = tuple(f"{top}/" for top in self._seen.over)
        wanted.update(path for path in self._known if tops and path.startswith(tops))
        found = stat_paths(tree, wanted, self._known)
        for path, status in found.items():
            self._note_change(path, status)
        return found

    def _note_change(self, path: str, status: os.stat_result) -> None:
        entry = self._known.get(path)
        if entry is None or not is_untouched(entry, status):
            self._seen.changed[path] = status

    def _scan_folder(self, spot: ScanPosition) -> None:
        look, statuses = self._list_folder(spot)
        if spot.bulk:
            spot.bulk.files += len(statuses)
            spot.bulk.size += sum(status.st_size for status in statuses)
            if spot.bulk.files > MOST_FILES or spot.bulk.size > MOST_BYTES:
                raise FolderTooLargeError
        prints = [(status.st_ctime_ns, status.st_ino) for status in statuses]
        if prints != look.prints:
            get_entry, changed = self._known.get, self._seen.changed
            for path, status in zip(look.paths, statuses, strict=True):
                if (entry := get_entry(path)) is None or not is_untouched(entry, status):
                    changed[path] = status
            settled = max(prints, default=(0, 0))[0] < self._now - FRESH
            look.prints = prints if settled else None
        self._seen.looks.append(look)
        if look.folders:
            specs = spot.specs
            if GIT_IGNORE in look.names and not spot.bulk:
                specs = self._ignores.extend_specs(
                    spot.fd, spot.prefix, prints[look.names.index(GIT_IGNORE)], specs
                )
            for name in look.folders:
                self._enter_folder(spot, name, specs)

    def _list_folder(self, spot: ScanPosition) -> tuple[FolderListing, list[os.stat_result]]:
        """List a folder unless it is as it was, and look at all that is in it."""
        status = os.fstat(spot.fd)
        identity = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
        look = self._looks.get(spot.prefix)
        if look and look.identity == identity:
            with suppress(FileNotFoundError):
                return look, [os.stat(n, dir_fd=spot.fd, follow_symlinks=False) for n in look.names]
        self._seen.same = False
        found, whole = self._list_within_limit(spot, len(look.names) if look else 0)
        settled = whole and max(identity[1:]) < self._now - FRESH
        names = list(found)
        folders = [name for name, status in found.items() if stat.S_ISDIR(status.st_mode)]
        paths = [f"{spot.prefix}{name}" for name in names]
        look = FolderListing(spot.prefix, identity if settled else None, names, paths, folders)
        self._looks[spot.prefix] = look
        self._progress.add_counts(files=len(names))
        return look, list(found.values())

    def _list_within_limit(self, spot: ScanPosition, before: int) -> tuple[Statuses, bool]:
        """List a folder that held so many. Where it has far more now TooMuch is raised as soon as that is
        clear; of the workspace itself its folders and what was known are given, and that it is not all.
        """
        try:
            found, whole = self._list_entries(spot, before + self._room), True
        except FolderTooLargeError:
            if spot.prefix:
                raise
            self._seen.flooded, whole = True, False
            found = self._list_entries(spot, before + self._room, self._known)
        self._room -= max(0, len(found) - before)
        return found, whole

    def _list_entries(self, spot: ScanPosition, most: int, files: Container[str] | None = None) -> Statuses:
        """Look at all that is kept in a folder, or at its folders and these files of it."""
        found: Statuses = {}
        passed = self._list_passed_over(spot.prefix)
        with os.scandir(spot.fd) as entries:
            for entry in entries:
                name = entry.name
                if name in passed:
                    continue
                new = files is not None and name not in files
                if new and (len(found) > most or not entry.is_dir(follow_symlinks=False)):
                    continue
                # No call that is not needed: this is where the time of a first look goes.
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                # What takes the place of a file must be seen, or undo could not put the file back.
                if status.st_mode & TYPE in KEPT or f"{spot.prefix}{name}" in self._known:
                    found[name] = status
                if files is None and len(found) > most:
                    raise FolderTooLargeError
        return found

    def _list_passed_over(self, prefix: str) -> tuple[str, ...]:
        if prefix not in self._roots:
            return ()
        return (OURS,) if f"{prefix}{GIT}" in self._extra else (OURS, GIT)

    def _enter_folder(self, spot: ScanPosition, name: str, specs: Specs) -> None:
        """Go into a folder, or pass it over."""
        path = f"{spot.prefix}{name}"
        bulk = spot.bulk or (IgnoredFolder(path) if self._ignores.is_ignored(path, specs) else None)
        if bulk and bulk.top == path:
            self._tops.add(path)
        if spot.depth == DEEPEST:
            self._seen.closed.append(path)
            return
        try:
            fd = os.open(name, LISTING, dir_fd=spot.fd)
        except PermissionError:
            self._seen.closed.append(path)
            return
        except OSError as error:
            if error.errno in ABSENT:
                return
            raise
        below = ScanPosition(fd, f"{path}/", specs, bulk, spot.depth + 1)
        try:
            self._scan_folder(below) if bulk and bulk.top != path else self._enter_bounded(below)
        except PermissionError:
            # It may be listed and not entered.
            self._seen.closed.append(path)
        finally:
            os.close(fd)

    def _enter_bounded(self, spot: ScanPosition) -> None:
        """Go into a folder; where it holds too much, take back what was seen in it."""
        status, top = os.fstat(spot.fd), spot.prefix[:-1]
        identity = (status.st_ino, status.st_mtime_ns)
        looks = len(self._seen.looks)
        if self._over.pop(top, None) != identity:
            try:
                return self._scan_folder(spot)
            except FolderTooLargeError:
                del self._seen.looks[looks:]
                changed = self._seen.changed
                self._seen.changed = {p: s for p, s in changed.items() if not p.startswith(spot.prefix)}
        self._over[top] = identity
        self._seen.over.append(top)
        return None

    @staticmethod
    def _find_watched(tree: DirTree, top: str) -> Iterator[str]:
        for parts in WATCHED:
            with ignore_absent(), tree.open_parent(f"{top}/x") as (fd, _):
                yield from (f"{top}/{name}" for name in _find_matching(fd, parts))


def _find_matching(fd: int, parts: tuple[str, ...]) -> list[str]:
    """Find the paths below a folder whose names match, part by part."""
    pattern, *rest = parts
    found = []
    for name in sorted(fnmatch.filter(os.listdir(fd), pattern)):
        if not rest:
            found.append(name)
            continue
        with suppress(OSError):
            below = os.open(name, LISTING, dir_fd=fd)
            try:
                found += [f"{name}/{path}" for path in _find_matching(below, tuple(rest))]
            finally:
                os.close(below)
    return found


def _drop_nested_areas(areas: Iterable[str]) -> list[str]:
    """Leave out the areas that lie in others."""
    whole = set(areas)
    return sorted(area for area in whole if whole.isdisjoint(iter_parents(area)))


def iter_parents(path: str) -> Iterator[str]:
    """Give the folders that hold a path, the nearest first."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
