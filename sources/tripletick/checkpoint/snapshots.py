"""What files held at a moment: the values of snapshots, and single copies where there is no git.

A manifest names each file with its mode, the hash of its content, and what tells without reading it that it
was not touched since. Contents are kept by a store: `Copies` here, or `Shadow` (shadow.py).
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from tripletick.checkpoint.trees import Tree

PIECE = 1 << 20
FRESH = 100_000_000
"""Nanoseconds: what changed this shortly before it was looked at may change again within one tick of the file
system's clock, and would look the same; so it is read again the next time."""

State = tuple[int, str]
"""A file's mode, and the hash of its content as git counts it."""


class Entry(NamedTuple):
    """A file in a snapshot, with what tells that it has not been touched since."""

    mode: int
    oid: str
    size: int
    changed: int
    inode: int
    fresh: bool = False

    @property
    def state(self) -> State:
        return self.mode, self.oid


Manifest = dict[str, Entry]
Statuses = dict[str, os.stat_result]
Read = Callable[[str], Iterator[bytes]]


class Store(Protocol):
    """Where snapshots are kept; whoever calls holds the lock of its folder."""

    def snapshot(self, also: Iterable[str] = ()) -> Manifest:
        """Keep what is there now, with the paths in `also` that it would leave out. Raises OSError."""
        ...

    def reading(self) -> AbstractContextManager[Read]:
        """Open the store; what it gives takes a hash and gives pieces, or raises OSError."""
        ...

    def said(self) -> list[str]:
        """Give the lines for the person about what the last snapshot does not hold."""
        ...


def pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Give exactly `size` bytes; one that shrinks meanwhile is filled up with zeros, and read again later."""
    while size:
        piece = file.read(min(size, PIECE)) or bytes(min(size, PIECE))
        size -= len(piece)
        yield piece


def hash_of(content: Iterable[bytes], size: int) -> str:
    """Give the hash that git gives a blob."""
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    for piece in content:
        digest.update(piece)
    return digest.hexdigest()


def entry_of(status: os.stat_result, oid: str, now: int) -> Entry:
    """Make the entry of a file that was read at `now`, nanoseconds."""
    changed = status.st_ctime_ns
    fresh = changed > now - (2_000_000_000 if changed % 1_000_000_000 == 0 else FRESH)
    return Entry(status.st_mode, oid, status.st_size, changed, status.st_ino, fresh)


def is_untouched(entry: Entry, status: os.stat_result) -> bool:
    """Tell that a file need not be read again."""
    return entry == (status.st_mode, entry[1], status.st_size, status.st_ctime_ns, status.st_ino, False)


def look_over(known: Manifest, root: int) -> tuple[Statuses, bool]:
    """Look at what is known, quickly (so through links, if there are any); tell whether all is untouched."""
    seen, same = {}, True
    for path, entry in known.items():
        try:
            seen[path] = status = os.stat(path, dir_fd=root, follow_symlinks=False)
        except OSError:
            same = False
        else:
            same = same and is_untouched(entry, status)
    return seen, same


def save_manifest(path: Path, manifest: Mapping[str, Entry], also: Iterable[str] = ()) -> None:
    """Replace a manifest file at once. `also`: paths that were looked for and are not there."""
    draft = path.with_suffix(f".{os.getpid()}")
    with draft.open("w") as file:
        json.dump({"format": 1, "files": manifest, "also": list(also)}, file, separators=(",", ":"))
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def load_manifest(path: Path) -> tuple[Manifest, set[str]]:
    """Read a manifest file; one that is missing or broken is an empty one."""
    try:
        with path.open() as file:
            held = json.load(file)
        return {name: Entry(*fields) for name, fields in held["files"].items()}, set(held["also"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return {}, set()


class Copies:
    """Without git: the contents of single files, under their hashes."""

    def __init__(self, workspace: Path, folder: Path) -> None:
        self._workspace, self._folder = workspace, folder

    def said(self) -> list[str]:
        return ["git is not installed: only saves and edits can be undone."]

    def snapshot(self, also: Iterable[str] = ()) -> Manifest:
        with Tree(self._workspace) as tree:
            return {path: self._keep(tree, path) for path in also if tree.status(path)}

    def _keep(self, tree: Tree, path: str) -> Entry:
        with tree.open(path) as (status, file):
            content = b"".join(pieces(file, status.st_size))
        oid = hash_of([content], len(content))
        copy = self._folder / oid
        if not copy.exists():
            self._folder.mkdir(mode=0o700, exist_ok=True)
            draft = copy.with_suffix(f".{os.getpid()}")
            draft.write_bytes(content)
            draft.replace(copy)
        return entry_of(status, oid, time.time_ns())

    @contextmanager
    def reading(self) -> Iterator[Read]:
        yield self._read

    def _read(self, oid: str) -> Iterator[bytes]:
        with (self._folder / oid).open("rb") as file:
            while piece := file.read(PIECE):
                yield piece
