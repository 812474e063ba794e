"""What the files of a workspace held at a moment, kept in the store: the values, and how a snapshot is taken.

An entry has a file's mode, the hash of its content, and what tells without reading it that it was not touched
since. Contents of what is too large are not kept; such a file has a mark in the hash's place, so that changes
are seen and a moved file can be moved back. Which files are looked at is decided in walk.py.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tripletick.checkpoint.store import Store
from tripletick.checkpoint.trees import Tree
from tripletick.checkpoint.values import FRESH, Change, Entry, Manifest, Statuses
from tripletick.checkpoint.walk import Seen, Walk, look_at
from tripletick.session import clean_name

MIB = 1 << 20
LARGEST, LARGEST_IGNORED = 50 * MIB, 5 * MIB
"""Bytes of a file that is kept, and of one in a folder that git ignores."""
MOST = 1024 * MIB
"""Bytes that one snapshot adds; what comes after that counts as too large."""
BULK = "Not in the snapshots, so no undo brings them back: {} (too many files)."
LARGE = f"Too large for the snapshots ({LARGEST // MIB} MB, ignored ones {LARGEST_IGNORED // MIB} MB): {{}}."
CLOSED = "Not in the snapshots, as they cannot be read: {}."
NAMED = 5


class Taken(NamedTuple):
    """One snapshot against the one before: entries that are new or changed, and paths that are gone."""

    fresh: Manifest
    gone: frozenset[str]


def entry_of(status: os.stat_result, oid: str, now: int) -> Entry:
    """Make the entry of a file that was read at `now`, nanoseconds."""
    changed = status.st_ctime_ns
    fresh = changed > now - (2_000_000_000 if changed % 1_000_000_000 == 0 else FRESH)
    return Entry(status.st_mode, oid, status.st_size, changed, status.st_ino, fresh)


def is_older(entry: Entry, began: int) -> bool:
    """Tell a file that was there before `began`; some file systems count in steps of two seconds."""
    return entry.changed < began - (2_000_000_000 if entry.changed % 1_000_000_000 == 0 else 0)


def mark_of(status: os.stat_result) -> str:
    """Stand for a content that is not kept: the same after a move, another after a change."""
    return f"!{status.st_ino}:{status.st_size}:{status.st_mtime_ns}"


class Snapshots:
    """The snapshots of one workspace. Callers hold the store's transaction; all of it raises OSError."""

    def __init__(self, workspace: Path, store: Store) -> None:
        self._workspace, self._store = workspace, store
        self.known: Manifest = {}
        self._seen_version: tuple[int, int] | None = None
        self._walk = Walk()
        self._extra: set[str] = set()
        self._room = 0
        self._now = 0
        self._left_out: dict[str, set[str]] = {}

    def take(self, began: int = 0) -> tuple[Change, ...]:
        """Keep what is there now; give what differs from the last time, nothing at the first time.

        A file that is new here but older than `began` (nanoseconds of the file system's clock) was there all
        the time, in a folder that was passed over; unless it was moved from a path that is known. It is
        nobody's to remove.
        """
        self.refresh()
        before = self.known
        taken = self._look()
        return tuple(self._differences(before, taken, began)) if before else ()

    def adopt(self, path: str) -> None:
        """Keep a file that the walk passes over, from here on; it is no change of anybody's."""
        self.refresh()
        self._extra.add(path)
        self._store.add_extra(path)
        with Tree(self._workspace) as tree:
            self._save(tree, look_at(tree, [path]), frozenset())

    def covers(self, path: str) -> bool:
        """Tell that a file which appears at `path` will be seen."""
        return path in self.known or path in self._extra or not self._walk.is_left_out(path)

    def bulk(self, path: str) -> str:
        """Give the folder that git ignores, or a package tool, that holds a path, "" where none does."""
        return self._walk.bulk(path)

    def forget(self) -> None:
        """Believe nothing that is in memory: what was put into the store did not stay there."""
        self._seen_version, self._walk = None, Walk()

    def said(self) -> list[str]:
        """Give the lines about what is not kept, each path once for a workspace."""
        rows = {BULK: self._left_out.get("bulk"), LARGE: self._left_out.get("large")}
        rows[CLOSED] = self._left_out.get("closed")
        self._left_out = {}
        new = {line: self._store.unsaid(paths) for line, paths in rows.items() if paths}
        return [line.format(_named(paths)) for line, paths in new.items() if paths]

    def refresh(self) -> None:
        """Read the manifest where another process has written it."""
        if self._store.version() != self._seen_version:
            self.forget()
            self.known, self._extra = self._store.files(), self._store.extra()
            self._seen_version = self._store.version()

    def _look(self) -> Taken:
        self._now = time.time_ns()
        self._room = MOST
        try:
            return self._looked()
        except PermissionError:
            if "." not in self.known:
                raise
            # A block has closed the folder itself; nobody could go on.
            self._workspace.chmod(stat.S_IMODE(self.known["."].mode))
            return self._looked()

    def _looked(self) -> Taken:
        with Tree(self._workspace) as tree:
            seen = self._walk.walk(tree, self.known, self._extra)
            gone = self._gone(seen)
            if seen.over:
                self._left_out.setdefault("bulk", set()).update(seen.over)
            if seen.closed:
                self._left_out.setdefault("closed", set()).update(seen.closed)
            return self._save(tree, seen.changed, gone)

    def _gone(self, seen: Seen) -> frozenset[str]:
        if seen.same and self.known:
            return frozenset()
        gone = self.known.keys() - seen.present()
        closed = tuple(f"{path}/" for path in seen.closed)
        return frozenset(path for path in gone if not path.startswith(closed)) if closed else frozenset(gone)

    def _save(self, tree: Tree, changed: Statuses, gone: frozenset[str]) -> Taken:
        """Read what may have changed, the small first; put contents and entries into the store."""
        fresh = {}
        for path in sorted(changed, key=lambda path: changed[path].st_size):
            if entry := self._entry(tree, path, changed[path]):
                fresh[path] = entry
        if fresh or gone:
            self._store.save_files(fresh, gone)
            self.known = {path: each for path, each in self.known.items() if path not in gone} | fresh
            self._seen_version = self._store.version()
        return Taken(fresh, gone)

    def _entry(self, tree: Tree, path: str, status: os.stat_result) -> Entry | None:
        """Read a file; None where it is gone. What may not be read stays as it was known."""
        if stat.S_ISDIR(status.st_mode):
            return entry_of(status, "", self._now)
        try:
            with tree.open(path) as (status, file):
                most = min(self._room, LARGEST_IGNORED if self.bulk(path) else LARGEST)
                if status.st_size > most:
                    return self._too_large(path, status)
                # One that grows meanwhile is read again the next time, as fresh.
                content = file.read(status.st_size + 1)
        except FileNotFoundError:
            return None
        except OSError:
            self._left_out.setdefault("closed", set()).add(path)
            old = self.known.get(path)
            return old._replace(mode=status.st_mode, changed=status.st_ctime_ns, fresh=False) if old else None
        oid = hashlib.blake2b(content, digest_size=20).hexdigest()
        if self._store.put(oid, content):
            self._room -= len(content)
        return entry_of(status, oid, self._now)

    def _too_large(self, path: str, status: os.stat_result) -> Entry:
        self._left_out.setdefault("large", set()).add(path)
        return entry_of(status, mark_of(status), self._now)

    def _differences(self, before: Manifest, taken: Taken, began: int) -> Iterable[Change]:
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


def _named(paths: Iterable[str]) -> str:
    names = sorted(map(clean_name, paths))
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
