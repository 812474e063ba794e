"""The store of one workspace's snapshots: one SQLite file in the state folder.

It holds the contents, packed, by their hash; the manifest, which is what the workspace held when it was last
looked at; and the steps (steps.py). One transaction at a time changes it, so a program that is killed leaves
it whole. Everything here raises OSError, whatever SQLite says; a newer version's file raises TripletickError.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import sys
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tripletick.checkpoint.values import Manifest, ManifestEntry
from tripletick.errors import TripletickError
from tripletick.system.dirs import make_private_folder

if TYPE_CHECKING:
    import sqlite3

FORMAT = 2
"""1 was a shadow git; it is not read, and goes with its age (pruning.py)."""
NAME, LOCK, RUNNING, MISSING = "store.db", "lock", "running-", "missing"
SCHEMA = """
CREATE TABLE content (oid TEXT PRIMARY KEY, packed INTEGER, data BLOB);
CREATE TABLE file (path BLOB PRIMARY KEY, mode INTEGER, oid TEXT, size INTEGER, changed INTEGER,
    inode INTEGER, fresh INTEGER) WITHOUT ROWID;
CREATE TABLE extra (path BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE said (path BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE step (id INTEGER PRIMARY KEY, at TEXT, kind TEXT, turn TEXT, session TEXT, request TEXT,
    began INTEGER, owner TEXT);
CREATE TABLE change (step INTEGER, path BLOB, was_mode INTEGER, was TEXT, left_mode INTEGER, left TEXT);
CREATE INDEX change_of_step ON change (step);
CREATE TABLE serial (number INTEGER);
INSERT INTO serial VALUES (0);
"""
AREA = "CREATE TABLE IF NOT EXISTS area (path BLOB PRIMARY KEY) WITHOUT ROWID"
CACHE = 64 << 20
"""Bytes of memory at most; with the usual 2 MB the index of 200,000 contents is written over and over."""
NEWER = (
    "The snapshots of this folder were written by a newer tripletick.",
    "Their format is {}; this version reads up to {}.",
    "Update tripletick.",
)
NOT_OURS = 26
"""SQLITE_NOTADB; 11 is SQLITE_CORRUPT (sqlite.org/rescode.html)."""
BROKEN = (11, NOT_OURS)
FULL = 13
LEAST = 1 << 16
"""Bytes: where no more are free, SQLite calls a full disk an I/O error."""
BEGUN_ANEW = "The snapshots of this folder were damaged and have been reset; earlier turns cannot be undone."


class SnapshotStore:
    """Opened by its first transaction."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.token = secrets.token_hex(8)
        """Names this program among those that work in the folder."""
        self.notices: list[str] = []
        self.missing = False
        """A turn of this program could not be recorded."""
        self._db: sqlite3.Connection | None = None
        self._room = 0
        self._leaving: list[Callable[[], object]] = []

    def note_missing_turn(self) -> None:
        """Note, where even that can be done, that a turn is missing here: an empty file needs no room."""
        self.missing = True
        with suppress(OSError):
            make_private_folder(self.folder)
            (self.folder / MISSING).touch(0o600)

    def pop_missing_turn(self) -> bool:
        """Tell whether a turn is missing, once."""
        missing = self.missing or (self.folder / MISSING).exists()
        self.missing = False
        with suppress(OSError):
            (self.folder / MISSING).unlink(missing_ok=True)
        return missing

    @property
    def exists(self) -> bool:
        return (self.folder / NAME).exists()

    @property
    def db(self) -> sqlite3.Connection:
        assert self._db is not None
        return self._db

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the store against other programs; what is changed in it counts when this ends well."""
        import sqlite3

        with self._lock_folder():
            try:
                self._open_database()
                # the other half is for the log and for blocks
                self._room = get_free_space(self.folder) // 2
                self.db.execute("BEGIN IMMEDIATE")
                try:
                    yield
                except BaseException:
                    # A full disk has ended the transaction already.
                    if self.db.in_transaction:
                        self.db.execute("ROLLBACK")
                    raise
                self.db.execute("COMMIT")
            except sqlite3.Error as error:
                self._set_aside_if_broken(error)
                raise self._translate_error(error) from error

    def release_space(self) -> None:
        """Give the room of what was deleted back to the disk."""
        # A script, for `execute` stops after the first page.
        self.db.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")

    def close(self) -> None:
        """Leave the folder; a further transaction opens it again."""
        for leave in self._leaving:
            leave()
        self._leaving, self._db = [], None

    def read_clock(self) -> int:
        """Give the present as the file system counts it, nanoseconds: it lags up to a tick behind ours."""
        os.utime(self.folder / LOCK)
        return (self.folder / LOCK).stat().st_ctime_ns

    def read_version(self) -> tuple[int, int]:
        """Give a number that differs once another program has changed the manifest."""
        (number,) = self.db.execute("SELECT number FROM serial").fetchone()
        return id(self.db), number

    def load_manifest(self) -> Manifest:
        rows = self.db.execute("SELECT path, mode, oid, size, changed, inode, fresh FROM file")
        # What os.fsdecode and the class itself do, at half their price.
        coding, errors, make = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors(), tuple.__new__
        return {row[0].decode(coding, errors): make(ManifestEntry, row[1:]) for row in rows}

    def save_files(self, fresh: Manifest, gone: Iterable[str]) -> None:
        """Bring the manifest up to date."""
        self.db.executemany("DELETE FROM file WHERE path = ?", ((os.fsencode(path),) for path in gone))
        self.db.executemany(
            "REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?)",
            # In the order of the table, where each row comes beside the last.
            sorted((os.fsencode(path), *entry) for path, entry in fresh.items()),
        )
        self.db.execute("UPDATE serial SET number = number + 1")

    def load_extra_paths(self) -> set[str]:
        return {os.fsdecode(path) for (path,) in self.db.execute("SELECT path FROM extra")}

    def add_extra_path(self, path: str) -> None:
        self.db.execute("INSERT OR IGNORE INTO extra VALUES (?)", (os.fsencode(path),))

    def drop_extra_path(self, path: str) -> None:
        self.db.execute("DELETE FROM extra WHERE path = ?", (os.fsencode(path),))

    def load_areas(self) -> set[str]:
        """Give the paths that alone are looked at, where it is not the whole workspace."""
        return {os.fsdecode(path) for (path,) in self.db.execute("SELECT path FROM area")}

    def add_area(self, path: str) -> None:
        self.db.execute("INSERT OR IGNORE INTO area VALUES (?)", (os.fsencode(path),))

    def filter_unreported(self, paths: Iterable[str]) -> list[str]:
        """Give the paths that the user was not told of yet, and count them as told."""
        add = "INSERT OR IGNORE INTO said VALUES (?)"
        return [path for path in sorted(paths) if self.db.execute(add, (os.fsencode(path),)).rowcount]

    def put_contents(self, contents: Iterable[tuple[str, bool, bytes]]) -> None:
        """Keep contents by their hashes, packed or not; what is kept already stays. Raises OSError where room
        lacks.
        """
        cursor = self.db.cursor()
        for row in contents:
            if len(row[2]) > self._room and not self._has_content(row[0]):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            cursor.execute("INSERT OR IGNORE INTO content VALUES (?, ?, ?)", row)
            self._room -= len(row[2]) * cursor.rowcount

    def _has_content(self, oid: str) -> bool:
        return self.db.execute("SELECT 1 FROM content WHERE oid = ?", (oid,)).fetchone() is not None

    def get_content(self, oid: str) -> bytes:
        """Give a content. Raises FileNotFoundError where it is not kept."""
        import sqlite3

        try:
            row = self.db.execute("SELECT packed, data FROM content WHERE oid = ?", (oid,)).fetchone()
        except sqlite3.Error as error:
            raise OSError(errno.EIO, str(error)) from error
        if row is None:
            raise FileNotFoundError(errno.ENOENT, "its content is not kept")
        return zlib.decompress(row[1]) if row[0] else bytes(row[1])

    def is_alive(self, token: str) -> bool:
        """Tell whether the program of this token is still at work here."""
        return token == self.token or is_locked(self.folder / f"{RUNNING}{token}")

    @contextmanager
    def _lock_folder(self) -> Iterator[None]:
        make_private_folder(self.folder)
        path, flags = self.folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        while True:
            fd = os.open(path, flags, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX)
                # Whoever prunes may have removed the folder while we waited.
                if _is_same_file(fd, path):
                    yield
                    return
            finally:
                os.close(fd)
            make_private_folder(self.folder)

    def _open_database(self) -> None:
        import sqlite3

        path = self.folder / NAME
        if self._db is not None and path.exists():
            return
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._leaving.append(weakref.finalize(self, db.close))
        try:
            (form,) = db.execute("PRAGMA user_version").fetchone()
            if form > FORMAT:
                raise TripletickError(NEWER[0], NEWER[1].format(form, FORMAT), NEWER[2])
            # A pragma that comes after the first page has been written has no effect.
            db.execute("PRAGMA auto_vacuum = INCREMENTAL")
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute(f"PRAGMA cache_size = -{CACHE >> 10}")
            if not form:
                db.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;")
            # earlier versions of this format had none
            db.execute(AREA)
        except BaseException as error:
            db.close()
            if isinstance(error, sqlite3.Error):
                self._set_aside_if_broken(error)
            raise
        self._db = db
        self._register_program()

    def _register_program(self) -> None:
        """Hold a file as long as this program lives, so that others can tell."""
        for left in self.folder.glob(f"{RUNNING}*"):
            if not is_locked(left):
                left.unlink(missing_ok=True)
        path = self.folder / f"{RUNNING}{self.token}"
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        fcntl.flock(fd, fcntl.LOCK_EX)
        self._leaving.append(weakref.finalize(self, _unregister_program, fd, path))

    def _translate_error(self, error: sqlite3.Error) -> OSError:
        """Give what the system would say of it; a full disk gets back what this has begun to write."""
        import sqlite3

        if not (get_free_space(self.folder) < LEAST or getattr(error, "sqlite_errorcode", 0) == FULL):
            return OSError(errno.EIO, str(error))
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _set_aside_if_broken(self, error: sqlite3.Error) -> None:
        """Begin anew where the file is damaged; other troubles may pass."""
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in BROKEN:
            self.close()
            for name in (NAME, f"{NAME}-wal", f"{NAME}-shm"):
                with suppress(FileNotFoundError):
                    (self.folder / name).replace(self.folder / f"broken-{name}")
            self.notices.append(BEGUN_ANEW)


def get_free_space(folder: Path) -> int:
    """Give the bytes that are free on the disk of a folder."""
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize


def is_locked(path: Path) -> bool:
    """Tell whether somebody holds the lock of a file."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def _is_same_file(fd: int, path: Path) -> bool:
    try:
        ours, there = os.fstat(fd), path.stat()
    except FileNotFoundError:
        return False
    return (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)


def _unregister_program(fd: int, path: Path) -> None:
    path.unlink(missing_ok=True)
    os.close(fd)
