"""The index of all sessions, by which they are listed and searched: a file of SQLite beside them.

It holds nothing that the logs do not hold: it is brought up to date by their sizes and times at each look,
and made anew where it is missing, damaged or of another version. Where it cannot be written it lives in
memory. What was said is kept packed and once, so that it takes a third of what the logs take.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tripletick.errors import TripletickError
from tripletick.event_log.session_log import read_records
from tripletick.history.retention import LOG
from tripletick.history.transcript import Part, transcript
from tripletick.system.dirs import AppDirs

VERSION = 4
WAIT = 1.0
"""Seconds for another program that is at the index."""
TABLES = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, stamp TEXT, workspace BLOB, last REAL, turns INTEGER, model TEXT, title TEXT,
    outcome TEXT, changes INTEGER, answered INTEGER
) WITHOUT ROWID;
CREATE TABLE texts (id INTEGER PRIMARY KEY, session TEXT, packed BLOB);
CREATE INDEX texts_of ON texts (session);
CREATE VIEW turns_said AS SELECT id AS turn, session, unpacked(packed) AS said FROM texts;
"""
FAST = """
CREATE VIRTUAL TABLE words USING fts5 (
    said, content = 'turns_said', content_rowid = 'turn', columnsize = 0, tokenize = 'unicode61'
);
CREATE TRIGGER added AFTER INSERT ON texts BEGIN
    INSERT INTO words (rowid, said) VALUES (new.id, unpacked(new.packed));
END;
CREATE TRIGGER gone BEFORE DELETE ON texts BEGIN
    INSERT INTO words (words, rowid, said) VALUES ('delete', old.id, unpacked(old.packed));
END;
"""
PLAIN = "CREATE VIEW words AS SELECT said FROM turns_said"
"""Where SQLite has no full-text search."""
PAGE = 1024
"""Bytes; a few sessions would take a hundred thousand in larger ones."""
COLUMNS = "sessions.id, workspace, last, turns, model, title, outcome, changes"
LISTED = "SELECT {columns}, '' FROM sessions WHERE turns {where} ORDER BY last DESC"
MATCH = """
SELECT {columns}, snippet(words, 0, '', '', '…', 12)
FROM words JOIN texts ON texts.id = words.rowid JOIN sessions ON sessions.id = session
WHERE words MATCH ? {where} ORDER BY last DESC, words.rowid
"""
LIKE = """
SELECT {columns}, substr(said, max(1, instr(lower(said), ?) - 30), 80)
FROM turns_said JOIN sessions ON id = session WHERE {like} {where} ORDER BY last DESC, turn
"""
HERE = "AND workspace = ?"
ANSWERED = " AND answered"
SOUGHT = ("request", "reply", "command", "result")


@dataclass(frozen=True, slots=True)
class Row:
    """One session; `last` are seconds since the epoch, `hit` is where what was sought stands."""

    id: str
    workspace: str
    last: float
    turns: int
    model: str
    title: str
    outcome: str
    """How its last turn ended: done, doubtful, gave up, stopped."""
    changes: int = 0
    """Files that its turns changed, each counted once a turn."""
    hit: str = ""


Query = Callable[[sqlite3.Connection], list[Row]]


def listed(
    found: AppDirs, workspace: Path | None = None, *, answered: bool = False, save: bool = True
) -> list[Row]:
    """Give the sessions with requests, the newest first; of one workspace or of all, `answered`: of those
    alone in which the model replied.
    """
    here = (_kept(str(workspace)),) if workspace else ()
    query = LISTED.format(columns=COLUMNS, where=HERE * bool(workspace) + ANSWERED * answered)
    return _asked(found, lambda db: list(map(_row, db.execute(query, here))), save=save)


def search(found: AppDirs, text: str, workspace: Path | None = None, *, save: bool = True) -> list[Row]:
    """Give the sessions in one turn of which all the words stand, each once."""
    words = _storable(text).split()

    def query(db: sqlite3.Connection) -> list[Row]:
        hits = (_matched(db, words, workspace) if _fast(db) else []) or _alike(db, words, workspace)
        return list({row.id: row for row in reversed(hits)}.values())[::-1]

    return _asked(found, query, save=save) if words else []


def forget(found: AppDirs) -> None:
    """Delete the index; it is made anew when it is needed."""
    with suppress(OSError):
        found.session_index.unlink(missing_ok=True)


def _matched(db: sqlite3.Connection, words: list[str], workspace: Path | None) -> list[Row]:
    sought = " ".join('"{}"*'.format(word.replace('"', '""')) for word in words)
    here = [_kept(str(workspace))] if workspace else []
    rows = db.execute(MATCH.format(columns=COLUMNS, where=HERE if workspace else ""), [sought, *here])
    return list(map(_row, rows))


def _alike(db: sqlite3.Connection, words: list[str], workspace: Path | None) -> list[Row]:
    """Look for words anywhere in the text: full-text search knows their beginnings, and may be missing."""
    like = " AND ".join(["said LIKE ? ESCAPE '!'"] * len(words))
    sought = ["%" + "".join(f"!{c}" if c in "!%_" else c for c in word) + "%" for word in words]
    here = [_kept(str(workspace))] if workspace else []
    query = LIKE.format(columns=COLUMNS, like=like, where=HERE if workspace else "")
    return list(map(_row, db.execute(query, [words[0].lower(), *sought, *here])))


def _asked(found: AppDirs, query: Query, *, save: bool) -> list[Row]:
    """Ask the index: the one that is there, else one that is made anew, else one in memory."""
    for opened in _connections(found, save=save):
        with suppress(sqlite3.Error, OSError), closing(opened()) as db:
            _bring_up_to_date(db, found.sessions)
            return query(db)
    return []


def _connections(found: AppDirs, *, save: bool) -> Iterator[Callable[[], sqlite3.Connection]]:
    if save and found.sessions.is_dir():
        yield lambda: _file(found.session_index)
        if _broken(found.session_index):
            forget(found)
            yield lambda: _file(found.session_index)
    yield lambda: _made(_connected(":memory:"))


def _file(path: Path) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600))
    db = _connected(path)
    try:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and version != VERSION:
            raise sqlite3.DatabaseError("another version")
        return db if tables else _made(db)
    except sqlite3.Error:
        db.close()
        raise


def _connected(path: Path | str) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=WAIT)
    db.create_function("unpacked", 1, _unpacked, deterministic=True)
    # the view calls that function
    db.execute("PRAGMA trusted_schema = ON")
    return db


def _broken(path: Path) -> bool:
    """Tell whether what lies there is no good; one that another program is at, or that may not be written, is
    left alone.
    """
    try:
        with closing(_file(path)) as db:
            return bool(db.execute("PRAGMA quick_check").fetchone() != ("ok",)) or not _whole(db)
    except sqlite3.OperationalError:
        return False
    except (sqlite3.Error, OSError):
        return True


def _whole(db: sqlite3.Connection) -> bool:
    """Tell whether the tables are there and can be read."""
    try:
        db.execute(f"SELECT {COLUMNS}, stamp FROM sessions LIMIT 1").fetchone()
        db.execute("SELECT said FROM words LIMIT 1").fetchone()
    except sqlite3.Error:
        return False
    return True


def _made(db: sqlite3.Connection) -> sqlite3.Connection:
    db.execute(f"PRAGMA page_size = {PAGE}")
    db.executescript(TABLES)
    try:
        db.executescript(FAST)
    except sqlite3.OperationalError:
        db.execute(PLAIN)
    db.execute(f"PRAGMA user_version = {VERSION}")
    return db


def _fast(db: sqlite3.Connection) -> bool:
    (made,) = db.execute("SELECT sql FROM sqlite_master WHERE name = 'words'").fetchone()
    return "fts5" in made


def _bring_up_to_date(db: sqlite3.Connection, folder: Path) -> None:
    known = dict(db.execute("SELECT id, stamp FROM sessions"))
    there = dict(_stamped(folder))
    changed = [name for name, stamp in there.items() if known.get(name) != stamp]
    gone = [name for name in known if name not in there]
    if not changed and not gone:
        return
    with db:
        for name in known.keys() & {*changed, *gone}:
            db.execute("DELETE FROM sessions WHERE id = ?", (name,))
            db.execute("DELETE FROM texts WHERE session = ?", (name,))
        for name in changed:
            _add(db, folder / (name + LOG), there[name])


def _stamped(folder: Path) -> Iterator[tuple[str, str]]:
    for path in folder.glob("*" + LOG):
        with suppress(OSError):
            status = path.stat()
            yield path.stem, f"{status.st_size} {status.st_mtime_ns}"


def _add(db: sqlite3.Connection, path: Path, stamp: str) -> None:
    """Take a session in; one that cannot be read is not listed."""
    try:
        told = transcript(read_records(path).records)
    except (OSError, TripletickError):
        return
    last = int(stamp.partition(" ")[2]) / 1e9
    words = map(_storable, (told.model, told.title, told.outcome))
    row = (path.stem, stamp, _kept(told.workspace), last, len(told.requests), *words)
    more = (told.changes, told.answered)
    db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, *more))
    texts = ((path.stem, zlib.compress(said.encode())) for said in _turns(told.parts))
    db.executemany("INSERT INTO texts (session, packed) VALUES (?, ?)", texts)


def _turns(parts: tuple[Part, ...]) -> Iterator[str]:
    """Give what was said and done, a text a turn."""
    said: list[str] = []
    for part in parts:
        if part.kind == "request" and said:
            yield "\n".join(said)
            said = []
        if part.kind in SOUGHT:
            said.append(_storable(part.text))
    if said:
        yield "\n".join(said)


def _storable(text: str) -> str:
    """Give a text that SQLite can store: without halves of characters and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def _kept(workspace: str) -> bytes:
    """Give a folder's name as SQLite can store it and find it again: not every name is UTF-8."""
    return workspace.encode("utf-8", "surrogatepass")


def _row(stored: tuple[Any, ...]) -> Row:
    name, workspace, *rest = stored
    return Row(name, workspace.decode("utf-8", "surrogatepass"), *rest)


def _unpacked(packed: bytes) -> str:
    try:
        return zlib.decompress(packed).decode("utf-8", "replace")
    except zlib.error:
        return ""
