"""Delete old snapshots: by age, turn by turn, then the oldest until the total is small enough.

What a running program works on is left alone. When this is done, and how much sessions may take, is decided
by whoever calls (retention.py).
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tripletick.checkpoint.store import LOCK, NAME, RUNNING, SnapshotStore, is_locked
from tripletick.errors import TripletickError

OLD_TURNS = """
DELETE FROM step WHERE turn IN (SELECT turn FROM step GROUP BY turn HAVING max(at) < ?);
"""
OLDEST_HALF = """
DELETE FROM step WHERE id <= (SELECT (min(id) + max(id)) / 2 FROM step);
"""
UNUSED = (
    "DELETE FROM change WHERE step NOT IN (SELECT id FROM step)",
    "DELETE FROM content WHERE oid NOT IN (SELECT oid FROM file UNION "
    "SELECT was FROM change WHERE was NOT NULL UNION SELECT left FROM change WHERE left NOT NULL)",
)


@dataclass(frozen=True, slots=True)
class SnapshotFolder:
    """The snapshots of one workspace: their bytes, and when they were used last (seconds since 1970)."""

    folder: Path
    size: int
    last: float


def list_snapshot_folders(state: Path) -> list[SnapshotFolder]:
    """Give the snapshots in a state folder, those used longest ago first."""
    folders = [path for path in (state / "snapshots").glob("*") if path.is_dir() and not path.is_symlink()]
    return sorted(map(_measure_folder, folders), key=lambda one: one.last)


def prune_snapshots(state: Path, *, oldest: float, most: int) -> int:
    """Remove turns before `oldest` (seconds since 1970), then what is oldest until at most `most` bytes are
    left; give the bytes that were freed. What cannot be removed stays, nothing is raised.
    """
    before = _sum_sizes(state)
    for one in list_snapshot_folders(state):
        if one.last < oldest:
            _remove_folder(one.folder)
        else:
            _delete_turns(
                one.folder, OLD_TURNS, datetime.fromtimestamp(oldest, UTC).isoformat(timespec="seconds")
            )
    for one in list_snapshot_folders(state)[:-1]:
        if _sum_sizes(state) > most:
            _remove_folder(one.folder)
    for one in list_snapshot_folders(state)[-1:]:
        while _sum_sizes(state) > most and _delete_turns(one.folder, OLDEST_HALF):
            pass
    return max(0, before - _sum_sizes(state))


def _sum_sizes(state: Path) -> int:
    return sum(one.size for one in list_snapshot_folders(state))


def _measure_folder(folder: Path) -> SnapshotFolder:
    sizes, times = [0], [0.0]
    for path in _list_files(folder):
        with suppress(OSError):
            status = path.lstat()
            sizes.append(status.st_size)
            times.append(status.st_mtime)
    return SnapshotFolder(folder, sum(sizes), max(times))


def _list_files(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from (path for path in folder.rglob("*") if not path.is_dir())


def _remove_folder(folder: Path) -> None:
    """Remove all snapshots of a workspace, unless a program is at work on them."""
    with suppress(OSError), _lock_folder(folder) as free:
        if free:
            shutil.rmtree(folder)


@contextmanager
def _lock_folder(folder: Path) -> Iterator[bool]:
    """Hold a folder's lock; False where others are at work. A folder of the first format has no such lock."""
    if not (folder / LOCK).exists():
        yield True
        return
    fd = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield not _is_busy(folder)
    finally:
        os.close(fd)


def _is_busy(folder: Path) -> bool:
    return any(map(is_locked, folder.glob(f"{RUNNING}*")))


def _delete_turns(folder: Path, statement: str, *values: str) -> bool:
    """Remove some turns, and the contents that only they held; False where nothing was removed."""
    if not (folder / NAME).exists() or _is_busy(folder):
        return False
    store = SnapshotStore(folder)
    try:
        with store.transaction():
            removed = store.db.execute(statement, values).rowcount
            for unused in UNUSED[: 2 * bool(removed)]:
                store.db.execute(unused)
        if removed:
            store.release_space()
    except (OSError, TripletickError, sqlite3.Error):
        return False
    finally:
        store.close()
    return bool(removed)
