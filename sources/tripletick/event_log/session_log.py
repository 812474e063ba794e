"""The session log: everything that happened, one JSON line an event; a crash loses at most the last line.

A log belongs to one running program (`flock`) and one workspace (its first record names it). It never raises
because of the disk: what cannot be written is kept in memory, tried again with the next record, and said once
in `notices`. Conversations are rebuilt, searched and expired elsewhere, from the records that `read` gives.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
import re
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tripletick import __version__
from tripletick.errors import TripletickError, UsageError
from tripletick.event_log.coalesce import ChunkBuffer
from tripletick.events import Event, InTask
from tripletick.system import platforms
from tripletick.system.dirs import make_private_folder
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.redaction import KNOWN
from tripletick.system.text import describe_os_error

FORMAT = 1
NAME = lazy_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
SAID = {
    "busy": "Session {old} is open in another tripletick; this one is {new}.",
    "closed": "This session is not saved: {why}.",
    "full": "The session log cannot be written ({why}). It is kept in memory and retried.",
    "torn": (
        "The log of session {old} ended with an incomplete record; its {count} bytes were moved to {file}."
    ),
}

Record = dict[str, Any]
_PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x85: 0x2424, 0x2028: 0x2424, 0x2029: 0x2424}


@dataclass(frozen=True, slots=True)
class LogRecords:
    """What a file of records holds; `skipped` counts the lines that cannot be read."""

    records: tuple[Record, ...]
    skipped: int = 0


def clean_text(text: str) -> str:
    """Give the text without NUL and lone surrogates; two surrogates that make a character become it."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")


def clean_name(path: str) -> str:
    """Give a path that stands in a sentence: whatever its name holds, it stays in its line."""
    return clean_text(path).translate(_PICTURES)


def to_json_value(value: Any) -> Any:
    """Give what JSON can say of a value: dataclasses as objects, sets sorted, NaN and infinity as null."""
    if isinstance(value, str):
        return clean_text(value)
    if is_dataclass(value):
        return {field.name: to_json_value(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, set | frozenset):
        return sorted((to_json_value(item) for item in value), key=str)
    if isinstance(value, tuple | list):
        return [to_json_value(item) for item in value]
    if isinstance(value, dict):
        return {clean_text(str(key)): to_json_value(item) for key, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def encode_event(event: Event) -> Record:
    """Give an event as what `-o jsonl` prints and the log holds: its class's name and its fields."""
    if isinstance(event, InTask):
        return {
            "event": "InTask",
            "task": event.task,
            "agent": event.agent,
            "inner": encode_event(event.event),
        }
    return {"event": type(event).__name__, **to_json_value(event)}


def to_line(record: Record) -> bytes:
    """Give one record as one line, without known secrets; no newline is in it but the last byte."""
    try:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=str)
        return KNOWN.redact(line).encode() + b"\n"
    except UnicodeEncodeError:
        # half of a character, which JSON can say and UTF-8 cannot
        line = json.dumps(record, separators=(",", ":"), default=str)
        return KNOWN.redact(line).encode() + b"\n"


def parse_line(line: bytes) -> Record | None:
    """Give the record of a line, None where it is none."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("event"), str) else None


def read_records(path: Path) -> LogRecords:
    """Read a file of records, also one that is being written or was damaged.

    Raises TripletickError where a newer version wrote it, OSError where it cannot be opened.
    """
    with path.open("rb") as file:
        parsed = [parse_line(line) for line in file if line.strip()]
    records = tuple(record for record in parsed if record is not None)
    newest = max((form for record in records if isinstance(form := record.get("format"), int)), default=0)
    if newest > FORMAT:
        raise TripletickError(
            f"{path.name} was written by a newer tripletick.",
            f"Its format is {newest}; this version reads up to {FORMAT}.",
            "Update tripletick.",
        )
    return LogRecords(records, len(parsed) - len(records))


def make_session_id() -> str:
    """Give an id that sorts by time: 20261121-143012-ab12 (UTC)."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def open_locked(path: Path, *, new: bool) -> int | None:
    """Open a log for appending, as its only writer; None where another program has it."""
    fd = os.open(
        path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | (os.O_EXCL if new else 0), 0o600
    )
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    return fd


def find_last_newline(fd: int) -> int:
    """Give the length of the file up to and with its last newline."""
    end = os.fstat(fd).st_size
    while end:
        start = max(0, end - 65536)
        found = os.pread(fd, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def move_torn_bytes(fd: int, torn: Path) -> int:
    """Move the bytes after the last newline to the file `torn`; give their number."""
    whole = find_last_newline(fd)
    rest = os.pread(fd, os.fstat(fd).st_size - whole, whole)
    if rest:
        handle = os.open(torn, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "ab") as file:
            file.write(rest + b"\n")
        os.ftruncate(fd, whole)
    return len(rest)


class SessionLog:
    """The log of one session: its `id`, its `path` (None where none is written), `notices` for the user."""

    def __init__(self, session_id: str, path: Path | None = None, fd: int = -1) -> None:
        self.id, self.path, self._fd = session_id, path, fd
        self.notices: list[str] = []
        self._started = time.monotonic()
        self._unwritten = bytearray()
        self._pieces = ChunkBuffer()
        self._complained = False

    @classmethod
    def open(
        cls, folder: Path, *, workspace: Path, session_id: str | None = None, save: bool = True
    ) -> SessionLog:
        """Begin a session in `folder`, or go on with `session_id`; one that is open elsewhere is left alone.

        With `save` false nothing is written. Raises UsageError for an id that cannot be one.
        """
        if session_id is not None and not NAME.fullmatch(session_id):
            raise UsageError(f"{session_id!r} is not a session.", "", "tripletick sessions")
        if not save:
            return cls(session_id or make_session_id())
        try:
            log = cls._open_file(folder, session_id)
        except OSError as error:
            log = cls(session_id or make_session_id())
            log.notices.append(SAID["closed"].format(why=describe_os_error(error)))
            return log
        log._put_header(workspace)
        return log

    @classmethod
    def _open_file(cls, folder: Path, session_id: str | None) -> SessionLog:
        make_private_folder(folder)
        folder.chmod(0o700)
        name = session_id or make_session_id()
        path = folder / f"{name}.jsonl"
        try:
            fd = open_locked(path, new=session_id is None)
        except FileExistsError:
            return cls._open_file(folder, None)
        if fd is None:
            log = cls._open_file(folder, None)
            log.notices.append(SAID["busy"].format(old=name, new=log.id))
            return log
        log = cls(name, path, fd)
        torn = path.with_suffix(".torn")
        try:
            count = move_torn_bytes(fd, torn)
        except OSError:
            # else it would be open, and nobody's
            os.close(fd)
            raise
        if count:
            log.notices.append(SAID["torn"].format(old=name, count=count, file=torn))
        return log

    def _put_header(self, workspace: Path) -> None:
        header = {
            "format": FORMAT,
            "at": 0.0,
            "event": "Session" if self._is_empty() else "Resumed",
            "id": self.id,
        }
        more = {"workspace": str(workspace), "version": __version__}
        self._put_record({**header, **more, "started": datetime.now(UTC).isoformat(timespec="seconds")})

    def _is_empty(self) -> bool:
        return os.fstat(self._fd).st_size == 0

    def write_event(self, event: Event) -> None:
        """Write an event; pieces of text wait for the end of their line, a second or 4096 characters."""
        if self._fd >= 0:
            self._put_events(self._pieces.add_event(event, self._elapsed_seconds()))

    def write_record(self, record: Record) -> None:
        """Write a record that is no event; its texts stay as they are."""
        if self._fd >= 0:
            self._put_events(self._pieces.flush_all())
            self._put_record({"at": self._elapsed_seconds(), **record})

    def end_turn(self) -> None:
        """See to it that all of the turn is on the disk."""
        if self._fd < 0:
            return
        self._put_events(self._pieces.flush_all())
        self._flush()
        with contextlib.suppress(OSError):
            platforms.sync_data(self._fd)

    def close(self) -> None:
        """End the turn and let another program go on with the session."""
        self.end_turn()
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def _elapsed_seconds(self) -> float:
        return round(time.monotonic() - self._started, 3)

    def _put_events(self, events: Iterable[tuple[float, Event]]) -> None:
        for at, event in events:
            self._put_record({"at": at, **encode_event(event)})

    def _put_record(self, record: Record) -> None:
        self._unwritten += to_line(record)
        self._flush()

    def _flush(self) -> None:
        """Write what is there, once in one piece; after a half-written record its other half comes first."""
        try:
            while self._unwritten:
                del self._unwritten[: os.write(self._fd, self._unwritten)]
        except OSError as error:
            if not self._complained:
                self.notices.append(SAID["full"].format(why=describe_os_error(error)))
            self._complained = True
