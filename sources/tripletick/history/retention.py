"""How long what we keep is kept: old sessions and snapshots go at a start, at most once a day; with --no-save
nothing stays at all.

What belongs to a program that is running is left alone. Not covered: the session's folder of the box, which
goes with the session (sandbox/user.py), and deleting everything (commands/remove_data.py).
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tripletick.config.schema import DataSection
from tripletick.system.dirs import AppDirs, make_private_folder

DAY = 86_400.0
STAMP = "pruned"
"""The file whose time says when that was done last."""
UNSAVED = "unsaved-"
LOG = ".jsonl"
SUFFIXES = (LOG, ".torn", ".profile")


@dataclass(frozen=True, slots=True)
class SessionFiles:
    """A session's files, their bytes, and when one was written last (seconds since the epoch)."""

    files: tuple[Path, ...]
    size: int
    last: float


def prune_old_data(found: AppDirs, wanted: DataSection) -> None:
    """Remove what is older than `keep_days`, then the oldest until all takes at most `keep_size`.

    Where our folder is missing or cannot be written nothing is done, and nothing is raised.
    """
    with suppress(OSError):
        remove_leftovers(found)
        if not is_due(found.state / STAMP):
            return
        oldest = datetime.now(UTC).timestamp() - wanted.keep_days * DAY
        before = list_sessions(found.sessions)
        for kept in before:
            if kept.last < oldest:
                drop_session(kept)
        _fit_size(found, wanted.keep_size, oldest)
        if list_sessions(found.sessions) != before:
            # it holds their words
            found.session_index.unlink(missing_ok=True)


def _fit_size(found: AppDirs, most: int, oldest: float) -> None:
    """Share the room: what sessions leave goes to snapshots, and at least the half of it."""
    from tripletick.checkpoint import prune

    logs = sum(kept.size for kept in list_sessions(found.sessions))
    prune.prune_snapshots(found.state, oldest=oldest, most=max(most - logs, most // 2))
    snapshots = sum(one.size for one in prune.list_snapshot_folders(found.state))
    drop_oldest(list_sessions(found.sessions), max(most - snapshots, most // 2))


def is_due(stamp: Path) -> bool:
    """Tell whether a day has passed since the stamp was made, and make it anew; a stamp of the future counts
    for nothing.
    """
    now = datetime.now(UTC).timestamp()
    with suppress(FileNotFoundError):
        if 0 <= now - stamp.stat().st_mtime < DAY:
            return False
    fd = os.open(stamp, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    os.utime(fd)
    os.close(fd)
    return True


def list_sessions(folder: Path) -> list[SessionFiles]:
    """Give the sessions of a folder, the oldest first."""
    files: dict[str, list[Path]] = {}
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.suffix in SUFFIXES:
            files.setdefault(path.stem, []).append(path)
    found = []
    for paths in files.values():
        status = [path.lstat() for path in paths]
        found.append(
            SessionFiles(
                tuple(paths), sum(one.st_size for one in status), max(one.st_mtime for one in status)
            )
        )
    return sorted(found, key=lambda kept: kept.last)


def drop_oldest(kept: Sequence[SessionFiles], most: int) -> None:
    """Remove from the front until the rest has at most so many bytes; the newest always stays."""
    total = sum(one.size for one in kept)
    for one in kept[:-1]:
        if total > most and drop_session(one):
            total -= one.size


def drop_session(kept: SessionFiles) -> bool:
    """Remove a session's files, unless a program has it open."""
    with lock_paths([path for path in kept.files if path.suffix == LOG]) as free:
        for path in kept.files if free else ():
            path.unlink(missing_ok=True)
    return free


@contextmanager
def lock_paths(paths: Iterable[Path], how: int = fcntl.LOCK_EX) -> Iterator[bool]:
    """Hold files or folders against other programs; gives False where one is held already or is a link."""
    with ExitStack() as handles:
        yield all(_lock_path(path, how, handles) for path in paths)


def _lock_path(path: Path, how: int, handles: ExitStack) -> bool:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        handles.callback(os.close, handle)
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except OSError:
        # Taken, or a file system without locks: what may be in use is left alone.
        return False
    return True


@contextmanager
def open_state(found: AppDirs, wanted: DataSection, *, save: bool = True) -> Iterator[AppDirs]:
    """Open our folder for a session and give the places to work with; without `save` nothing stays there."""
    if not save:
        with make_temporary_dirs(found) as there, mark_in_use(there):
            yield there
        return
    with suppress(OSError):
        make_private_folder(found.state)
    with mark_in_use(found):
        prune_old_data(found, wanted)
        yield found


@contextmanager
def mark_in_use(found: AppDirs) -> Iterator[None]:
    """Show other programs that one is at work on our folder, where there is one."""
    with lock_paths([found.state] if found.state.is_dir() else [], fcntl.LOCK_SH):
        yield


@contextmanager
def make_temporary_dirs(found: AppDirs) -> Iterator[AppDirs]:
    """Give places whose snapshots go at the end. They lie in our folder, where no block reaches them."""
    from tripletick.sandbox.user import Lock, remove

    try:
        make_private_folder(found.state)
        folder = Path(tempfile.mkdtemp(prefix=UNSAVED, dir=found.state))
    except OSError:
        # Nothing can be kept there; what needs it says so.
        yield found
        return
    lock = Lock(folder)
    try:
        yield found._replace(throwaway=folder)
    finally:
        remove(folder)
        lock.close()
        for empty in (found.state / "boxes", found.state):
            with suppress(OSError):
                empty.rmdir()


def remove_leftovers(found: AppDirs) -> None:
    """Remove what programs with --no-save left that were killed."""
    left = list(found.state.glob(f"{UNSAVED}*"))
    if left:
        from tripletick.sandbox.user import remove

        for folder in left:
            with lock_paths([folder]) as free:
                remove(*[folder] * free)
