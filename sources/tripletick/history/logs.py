"""Sessions by their logs: found by part of their id, listed in a line, continued, copied, deleted.

A log that is open in another program is neither gone on with nor deleted; it can be copied as far as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from tripletick.errors import TripletickError, UsageError
from tripletick.event_log.session_log import LogRecords, SessionLog, read_records
from tripletick.history import index, retention
from tripletick.history.history import Past, rebuild
from tripletick.history.index import Row
from tripletick.history.transcript import Transcript, transcript
from tripletick.system.dirs import AppDirs
from tripletick.system.text import describe_os_error, format_count

SHORT = 4
"""Characters at the end of an id, by which it is called where no other one ends so."""
NAMED = 3
HEADERS = ("Session", "Resumed")
FORKED = "Session {old} is open in another tripletick; this one is a fork of it: {new}."
SHOWN = 400
"""Characters of the last answer that are shown where a session is gone on with."""
LIST = "To list all: tripletick sessions --all"


def ids(found: AppDirs) -> list[str]:
    """Give the ids of all sessions that are kept, the oldest first."""
    logs = found.sessions.glob("*" + retention.LOG) if found.sessions.is_dir() else ()
    return sorted(path.stem for path in logs if path.is_file())


def short(name: str, names: Iterable[str]) -> str:
    """Give what a session is called among others: the end of its id, or all of it."""
    return name if sum(one.endswith(name[-SHORT:]) for one in names) > 1 else name[-SHORT:]


def find(found: AppDirs, part: str) -> str:
    """Give the id that begins or ends so. Raises UsageError where that is none or several."""
    names = ids(found)
    if part in names:
        return part
    close = [name for name in names if name.startswith(part)] or [n for n in names if n.endswith(part)]
    if not close or not part:
        raise UsageError(f"There is no session {part!r}.", "", LIST)
    if len(close) > 1:
        more = " …" if len(close) > NAMED else ""
        why = f"They are {', '.join(close[-NAMED:])}{more}."
        raise UsageError(f"{len(close)} sessions match {part}.", why, LIST)
    return close[0]


def records(found: AppDirs, name: str) -> LogRecords:
    """Read a session's log. Raises TripletickError where it cannot be read."""
    try:
        return read_records(found.sessions / (name + retention.LOG))
    except OSError as error:
        raise TripletickError(
            f"Session {name} cannot be read.", f"{describe_os_error(error)}.", LIST
        ) from error


def past(found: AppDirs, name: str) -> Past:
    """Give a session as it is gone on with, and in `told` where it stood."""
    known = records(found, name).records
    told = rebuild(known)
    told.id, told.told = name, list(_stood(name, transcript(known)))
    return told


def _stood(name: str, told: Transcript) -> Iterator[str]:
    count = len(told.requests)
    yield f"Continuing session {name}, {format_count(count, 'turn')}: {told.title}"
    if told.requests:
        answer = told.answer.strip()
        cut = "… " if len(answer) > SHOWN else ""
        yield from filter(None, (f"> {told.requests[-1].strip()[:SHOWN]}", cut + answer[-SHOWN:]))


def lines(rows: Sequence[Row], found: AppDirs, *, folders: bool = False) -> Iterator[str]:
    """Tell sessions, a line each; with `folders` where they were, and below each what was sought."""
    names = ids(found)
    table = [
        (
            short(row.id, names),
            when(row.last),
            format_count(row.turns, "turn"),
            f"{row.changes or 'no'} change{'s' * (row.changes != 1)}",
            row.outcome,
            row.model.removeprefix("ollama:"),
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row, cells in zip(rows, table, strict=True):
        padded = "  ".join(f"{cell:{width}}" for cell, width in zip(cells, widths, strict=True))
        yield f"{padded}  {row.title}" + (f"  in {row.workspace}" if folders else "")
        if row.hit:
            yield f"      {' '.join(row.hit.split())}"


def when(last: float) -> str:
    """Give a time of the past as people here say it."""
    then, now = datetime.fromtimestamp(last), datetime.now()
    if then.date() == now.date():
        return f"today {then:%H:%M}"
    return f"{then:%d %b %H:%M}" if then.year == now.year else f"{then:%d %b %Y}"


def is_open(found: AppDirs, name: str) -> bool:
    """Tell whether a program is at work on it."""
    with retention.lock_paths([found.sessions / (name + retention.LOG)]) as free:
        return not free


def fork(found: AppDirs, name: str) -> str:
    """Copy a session; gives the id of the copy. Raises TripletickError where that cannot be written."""
    known = records(found, name).records
    folder = next((text for one in known if isinstance(text := one.get("workspace"), str)), "")
    log = SessionLog.open(found.sessions, workspace=Path(folder))
    try:
        for record in known:
            if record["event"] not in HEADERS:
                log.write_record(record)
    finally:
        log.close()
    if log.path is None or log.notices:
        raise TripletickError(f"Session {name} cannot be copied.", " ".join(log.notices), "tripletick doctor")
    return log.id


def remove(found: AppDirs, name: str) -> None:
    """Delete a session's log and what was torn off it. Raises UsageError while a program has it open."""
    wanted = [kept for kept in retention.list_sessions(found.sessions) if kept.files[0].stem == name]
    if not all(retention.drop_session(kept) for kept in wanted):
        what, why = f"Session {name} is open in another tripletick.", "Its unsaved output would be lost."
        raise UsageError(what, why, f"Close it there with /exit, then run: tripletick sessions rm {name}")
    # it holds the session's words
    index.forget(found)
