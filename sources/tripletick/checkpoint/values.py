"""The values that the parts of the snapshots pass to each other: entries, states, changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

FRESH = 100_000_000
"""Nanoseconds: what changed this shortly before it was looked at may change again within one tick of the file
system's clock, and would look the same; so it is read again the next time."""

State = tuple[int, str]
"""A file's mode, and the hash of its content; "" for a folder, and for a pipe or socket in the place of a
file; `!…` where the content is not kept.
"""


class ManifestEntry(NamedTuple):
    """A file, link or folder in a snapshot, with what tells that it has not been touched since."""

    mode: int
    oid: str
    size: int
    changed: int
    inode: int
    fresh: bool = False

    @property
    def state(self) -> State:
        return self.mode, self.oid


Manifest = dict[str, ManifestEntry]
Statuses = dict[str, os.stat_result]


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to one path: its state before and after, None where there was nothing."""

    path: str
    was: State | None
    left: State | None
    copied: bool = False
    """Its content is that of another file now; told of changes of the running turn alone."""


@dataclass(slots=True)
class ScanProgress:
    """How far a look has come: the files that it has listed, and of how many it has read the content."""

    files: int = 0
    read: int = 0
    tell: Callable[[int, int], object] = lambda files, read: None
    """Hears of both, often; what it raises ends the look."""

    def add_counts(self, *, files: int = 0, read: int = 0) -> None:
        self.read += read
        # What was only changed, in folders where nothing has come or gone, was not listed.
        self.files = max(self.files + files, self.read)
        self.tell(self.files, self.read)

    def reset_counts(self) -> None:
        self.files = self.read = 0


def is_untouched(entry: ManifestEntry, status: os.stat_result) -> bool:
    """Tell that a file need not be read again."""
    return entry == (status.st_mode, entry[1], status.st_size, status.st_ctime_ns, status.st_ino, False)
