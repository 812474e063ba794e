"""Old snapshots go: by age turn by turn, then the oldest until all together are small enough.

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

from tripletick.checkpoint.store import LOCK, NAME, RUNNING, Store, is_held
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
class Held:
    """The snapshots of one workspace: their bytes, and when they were used last (seconds since 1970)."""

    folder: Path
    size: int
    last: float


def held(state: Path) -> list[Held]:
    """Give the snapshots in a state folder, those used longest ago first."""
    folders = [path for path in (state / "snapshots").glob("*") if path.is_dir() and not path.is_symlink()]
    return sorted(map(_measured, folders), key=lambda one: one.last)


def prune(state: Path, *, oldest: float, most: int) -> int:
    """Remove turns before `oldest` (seconds since 1970), then what is oldest until at most `most` bytes are
    left; give the bytes that were freed. What cannot be removed stays, nothing is raised.
    """
    before = _total(state)
    for one in held(state):
        if one.last < oldest:
            _drop(one.folder)
        else:
            _thin(one.folder, OLD_TURNS, datetime.fromtimestamp(oldest, UTC).isoformat(timespec="seconds"))
    for one in held(state)[:-1]:
        if _total(state) > most:
            _drop(one.folder)
    for one in held(state)[-1:]:
        while _total(state) > most and _thin(one.folder, OLDEST_HALF):
            pass
    return max(0, before - _total(state))


def _total(state: Path) -> int:
    return sum(one.size for one in held(state))


def _measured(folder: Path) -> Held:
    sizes, times = [0], [0.0]
    for path in _files(folder):
        with suppress(OSError):
            status = path.lstat()
            sizes.append(status.st_size)
            times.append(status.st_mtime)
    return Held(folder, sum(sizes), max(times))


def _files(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from (path for path in folder.rglob("*") if not path.is_dir())


def _drop(folder: Path) -> None:
    """Remove all snapshots of a workspace, unless a program is at work on them."""
    with suppress(OSError), _free(folder) as free:
        if free:
            shutil.rmtree(folder)


@contextmanager
def _free(folder: Path) -> Iterator[bool]:
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
    return any(map(is_held, folder.glob(f"{RUNNING}*")))


def _thin(folder: Path, statement: str, *values: str) -> bool:
    """Remove some turns, and the contents that only they held; False where nothing was removed."""
    if not (folder / NAME).exists() or _is_busy(folder):
        return False
    store = Store(folder)
    try:
        with store.transaction():
            removed = store.db.execute(statement, values).rowcount
            for unused in UNUSED[: 2 * bool(removed)]:
                store.db.execute(unused)
        if removed:
            store.shrink()
    except (OSError, TripletickError, sqlite3.Error):
        return False
    finally:
        store.close()
    return bool(removed)
