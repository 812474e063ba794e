"""What the files of a workspace held at a moment, kept in the store: the values, and how a snapshot is taken.

An entry has a file's mode, the hash of its content, and what tells without reading it that it was not touched
since. Contents of what is too large are not kept; such a file has a mark in the hash's place, so that changes
are seen and a moved file can be moved back. Which files are looked at is decided in walk.py.
"""

from __future__ import annotations

import gc
import os
import stat
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tripletick.checkpoint.dir_tree import DirTree
from tripletick.checkpoint.file_reader import ContentReader, FileContent
from tripletick.checkpoint.scanner import GIT, ScanResult, WorkspaceScanner, stat_paths
from tripletick.checkpoint.store import SnapshotStore
from tripletick.checkpoint.values import FRESH, Change, Manifest, ManifestEntry, ScanProgress, Statuses
from tripletick.event_log.session_log import clean_name
from tripletick.system.text import join_names

MIB = 1 << 20
LARGEST, LARGEST_IGNORED = 50 * MIB, 5 * MIB
"""Bytes of a file that is kept, and of one in a folder that git ignores."""
MOST = 1024 * MIB
"""Bytes that one snapshot adds; what comes after that counts as too large."""
BULK = "Not in the snapshots, so undo cannot restore them: {} (too many files)."
LARGE = f"Too large for the snapshots ({LARGEST // MIB} MB, ignored ones {LARGEST_IGNORED // MIB} MB): {{}}."
FLOOD = (
    "Files directly in this folder are not in the snapshots (too many new files), so undo cannot "
    "restore them."
)
CLOSED = "Not in the snapshots, because they cannot be read: {}."
NAMED = 5


class SnapshotDelta(NamedTuple):
    """One snapshot against the one before: entries that are new or changed, and paths that are gone."""

    fresh: Manifest
    gone: frozenset[str]


def make_entry(status: os.stat_result, oid: str, now: int) -> ManifestEntry:
    """Make the entry of a file that was read at `now`, nanoseconds."""
    changed = status.st_ctime_ns
    fresh = changed > now - (2_000_000_000 if changed % 1_000_000_000 == 0 else FRESH)
    return ManifestEntry(status.st_mode, oid, status.st_size, changed, status.st_ino, fresh)


def is_older(entry: ManifestEntry, began: int) -> bool:
    """Tell a file that was there before `began`; some file systems count in steps of two seconds."""
    return entry.changed < began - (2_000_000_000 if entry.changed % 1_000_000_000 == 0 else 0)


@contextmanager
def pause_collector() -> Iterator[None]:
    """Let the collector of cycles rest: it would go through the entries of all files again and again, a fifth
    of the time, and they have none.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def make_placeholder(status: os.stat_result, samples: str) -> str:
    """Stand for a content that is not kept: the same after a move, another after a change, unless it lies
    between the samples and its time was set back.
    """
    return f"!{status.st_ino}:{status.st_size}:{status.st_mtime_ns}:{samples}"


class Snapshots:
    """The snapshots of one workspace. Callers hold the store's transaction; all of it raises OSError."""

    def __init__(self, workspace: Path, store: SnapshotStore, *, in_parts: bool = False) -> None:
        self._workspace, self._store = workspace, store
        self._areas: set[str] | None = set() if in_parts else None
        self.known: Manifest = {}
        self._seen_version: tuple[int, int] | None = None
        self.progress = ScanProgress()
        self._walk = WorkspaceScanner(self.progress)
        self._extra: set[str] = set()
        self._room = 0
        self._now = 0
        self._left_out: dict[str, set[str]] = {}

    def take_snapshot(self, began: int = 0) -> tuple[Change, ...]:
        """Keep what is there now; give what differs from the last time, nothing at the first time.

        A file that is new here but older than `began` (nanoseconds of the file system's clock) was there all
        the time, in a folder that was passed over; unless it was moved from a path that is known. It is
        nobody's to remove.
        """
        with pause_collector():
            self.reload_manifest()
            before = self.known
            self._adopt_new_repositories(at_work=began > 0)
            taken = self._scan_changes()
            return tuple(self._compare_manifests(before, taken, began)) if before else ()

    def adopt_file(self, path: str) -> None:
        """Keep a file that the walk passes over, from here on; it is no change of anybody's."""
        self.reload_manifest()
        self._extra.add(path)
        self._store.add_extra_path(path)
        with DirTree(self._workspace) as tree:
            self._save_changes(tree, stat_paths(tree, [path]), frozenset())

    def _adopt_new_repositories(self, *, at_work: bool) -> None:
        """Have a `.git` that comes with a block looked through, as any folder is; the user's own is not."""
        roots = {GIT: "."} if self._areas is None else {f"{area}/{GIT}": area for area in self._areas}
        absent = [path for path, root in roots.items() if root in self.known and path not in self.known]
        for path in absent if not at_work else ():
            self._extra.discard(path)
            self._store.drop_extra_path(path)
        if absent and at_work:
            with DirTree(self._workspace) as tree:
                for path in stat_paths(tree, absent):
                    self._extra.add(path)
                    self._store.add_extra_path(path)

    def add_areas(self, paths: Iterable[str]) -> None:
        """Look from here on at these files and folders too, of a workspace that is looked at in parts."""
        for path in paths:
            self._store.add_area(path)
        self.drop_cache()

    def is_tracked(self, path: str) -> bool:
        """Tell that a file which appears at `path` will be seen."""
        return path in self.known or path in self._extra or not self._walk.is_skipped(path)

    def find_ignored_folder(self, path: str) -> str:
        """Give the folder that git ignores, or a package tool, that holds a path, "" where none does."""
        return self._walk.find_ignored_folder(path)

    def is_in_git_folder(self, path: str) -> bool:
        """Tell what lies in the .git of the workspace, or of a part of it that is looked at."""
        top, inside, _ = f"/{path}".partition("/.git/")
        return bool(inside) and top[1:] in ({""} if self._areas is None else self._areas)

    def find_copies(self, changes: Iterable[Change]) -> set[str]:
        """Give the paths of the changed files that hold now what another file holds as well."""
        held = {
            change.path: entry for change in changes if (entry := self.known.get(change.path)) and entry.size
        }
        several = Counter(entry.oid for entry in self.known.values()) if held else Counter[str]()
        return {path for path, entry in held.items() if entry.oid and several[entry.oid] > 1}

    def drop_cache(self) -> None:
        """Believe nothing that is in memory: what was put into the store did not stay there."""
        self._seen_version, self._walk = None, WorkspaceScanner(self.progress)

    def collect_notices(self) -> list[str]:
        """Give the lines about what is not kept, each path once for a workspace."""
        kinds = {BULK: "bulk", FLOOD: "flood", LARGE: "large", CLOSED: "closed"}
        rows = {line: self._left_out.get(kind) for line, kind in kinds.items()}
        self._left_out = {}
        new = {line: self._store.filter_unreported(paths) for line, paths in rows.items() if paths}
        return [line.format(_format_paths(paths)) for line, paths in new.items() if paths]

    def reload_manifest(self) -> None:
        """Read the manifest where another process has written it."""
        if self._store.read_version() != self._seen_version:
            self.drop_cache()
            self.known, self._extra = self._store.load_manifest(), self._store.load_extra_paths()
            self._areas = None if self._areas is None else self._store.load_areas()
            self._seen_version = self._store.read_version()

    def _scan_changes(self) -> SnapshotDelta:
        self._now = time.time_ns()
        self._room = MOST
        self.progress.reset_counts()
        try:
            return self._scan_tree()
        except PermissionError:
            if "." not in self.known:
                raise
            # A block has closed the folder itself; nobody could go on.
            self._workspace.chmod(stat.S_IMODE(self.known["."].mode))
            return self._scan_tree()

    def _scan_tree(self) -> SnapshotDelta:
        with DirTree(self._workspace) as tree:
            seen = self._walk.scan_workspace(tree, self.known, self._extra, self._areas)
            gone = self._find_removed(seen)
            if seen.over:
                self._left_out.setdefault("bulk", set()).update(seen.over)
            if seen.flooded:
                self._left_out["flood"] = {"."}
            if seen.closed:
                self._left_out.setdefault("closed", set()).update(seen.closed)
            return self._save_changes(tree, seen.changed, gone)

    def _find_removed(self, seen: ScanResult) -> frozenset[str]:
        if seen.same and self.known:
            return frozenset()
        gone = self.known.keys() - seen.list_paths()
        closed = tuple(f"{path}/" for path in seen.closed)
        return frozenset(path for path in gone if not path.startswith(closed)) if closed else frozenset(gone)

    def _save_changes(self, tree: DirTree, changed: Statuses, gone: frozenset[str]) -> SnapshotDelta:
        """Read what may have changed, where there is no room for all the small first, and store it."""
        fresh: Manifest = {}
        for path, status in changed.items():
            if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
                fresh[path] = make_entry(status, "", self._now)
        waiting = [path for path in changed if path not in fresh]
        if sum(changed[path].st_size for path in waiting) > self._room:
            waiting.sort(key=lambda path: (changed[path].st_size, path))
        most = {path: LARGEST_IGNORED if self.find_ignored_folder(path) else LARGEST for path in waiting}
        kept = {entry.oid for entry in self.known.values()} if waiting else set[str]()
        reading = ContentReader(tree, changed, most, kept)
        while waiting:
            several, waiting = self._split_by_room(reading, waiting)
            if not several:
                # None of them fits any more.
                reading = replace(reading, most=dict.fromkeys(waiting, -1))
                several, waiting = waiting, []
            for batch in reading.read_batches(several):
                self._store_contents(batch, kept)
                fresh |= {got.path: entry for got in batch if (entry := self._make_entry(got))}
                self.progress.add_counts(read=len(batch))
        if fresh or gone:
            self._store.save_files(fresh, gone)
            self.known = {path: each for path, each in self.known.items() if path not in gone} | fresh
            self._seen_version = self._store.read_version()
        return SnapshotDelta(fresh, gone)

    def _split_by_room(self, reading: ContentReader, waiting: list[str]) -> tuple[list[str], list[str]]:
        """Part off the first that there is room for; what is too large for itself takes none."""
        left = self._room
        for number, path in enumerate(waiting):
            size = reading.statuses[path].st_size
            left -= size if size <= reading.most[path] else 0
            if left < 0:
                return waiting[:number], waiting[number:]
        return waiting, []

    def _store_contents(self, batch: Iterable[FileContent], kept: set[str]) -> None:
        """Put contents into the store that are not among those which are kept."""
        new = {got.oid: got for got in batch if got.data is not None and got.oid not in kept}
        kept |= new.keys()
        self._room -= sum(got.status.st_size for got in new.values() if got.status)
        self._store.put_contents((oid, got.packed, got.data or b"") for oid, got in new.items())

    def _make_entry(self, got: FileContent) -> ManifestEntry | None:
        """Give the entry of what was read, None where it is gone; what may not be read stays as it was."""
        if got.status is None:
            return None
        if got.large:
            self._left_out.setdefault("large", set()).add(got.path)
            return make_entry(got.status, make_placeholder(got.status, got.oid), self._now)
        if not got.oid:
            self._left_out.setdefault("closed", set()).add(got.path)
            old = self.known.get(got.path)
            mode, changed = got.status.st_mode, got.status.st_ctime_ns
            return old._replace(mode=mode, changed=changed, fresh=False) if old else None
        return make_entry(got.status, got.oid, self._now)

    def _compare_manifests(self, before: Manifest, taken: SnapshotDelta, began: int) -> Iterable[Change]:
        inodes: set[int] = set()
        for path in sorted(taken.fresh.keys() | taken.gone):
            old, new = before.get(path), taken.fresh.get(path)
            if old is None and new and is_older(new, began):
                inodes = inodes or {entry.inode for entry in before.values()}
                if new.inode not in inodes:
                    continue
            was, left = old and old.state, new and new.state
            if was != left:
                yield Change(path, was, left)


def _format_paths(paths: Iterable[str]) -> str:
    return join_names(sorted(map(clean_name, paths)), NAMED)
