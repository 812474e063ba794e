"""Slash commands for sessions: open another, export this one, save the last answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tripletick.chat.commands.chat_context import ChatContext
from tripletick.chat.commands.output import find_last_replies
from tripletick.errors import UsageError
from tripletick.paths import PathRefused
from tripletick.system.dirs import expand_user
from tripletick.ui.input_line import Suggestion
from tripletick.ui.sanitize import escape_controls

LISTED, MOST = 9, 30
"""Sessions that /resume and /sessions list."""
NO_SESSION, NOT_FOUND = "This folder has no sessions yet.", "No session in this folder contains these words."
MORE = "{count} more; to list all: tripletick sessions"
GO_ON = "To continue one: /resume ID"
UNSAVED = (
    "This session cannot be exported.",
    "This session is not saved (--no-save).",
    ("To save the last answer: /save FILE"),
)


def resume_session(desk: ChatContext, part: str) -> None:
    """Leave this session and go on with another; without a name the folder's latest are listed."""
    from tripletick.history import index, logs

    app = desk.app
    if not part:
        rows = (row for row in index.listed(app.places, app.folder, answered=True) if row.id != app.log.id)
        told = list(logs.lines(list(islice(rows, LISTED)), app.places))
        desk.screen.say("\n".join([*told, GO_ON] if told else ["There is no other session."]))
        return
    name = logs.find(app.places, part)
    if name == app.log.id:
        raise UsageError(f"Session {name} is already open here.", "", "To list the others: /resume")
    desk.past, desk.done = logs.past(app.places, name), True


def list_sessions(desk: ChatContext, words: str) -> None:
    """List this folder's sessions, or those in which these words stand."""
    from tripletick.history import index, logs

    app, save = desk.app, desk.app.folder_flags.keep
    search = index.search(app.places, words, app.folder, save=save) if words else None
    rows = index.listed(app.places, app.folder, answered=True, save=save) if search is None else search
    told = list(logs.lines(rows[:MOST], app.places)) if rows else [NOT_FOUND if words else NO_SESSION]
    more = [MORE.format(count=len(rows) - MOST)] if len(rows) > MOST else []
    desk.screen.say("\n".join([*told, *more, *([GO_ON] if rows else ())]))


def export_session(desk: ChatContext, name: str) -> None:
    """Write this session to a file; its name's end says how."""
    from tripletick.history import export as exports
    from tripletick.history import logs

    app = desk.app
    if app.log.path is None:
        raise UsageError(*UNSAVED)
    path = _resolve_path(desk, name or f"tripletick-{app.log.id}.md")
    write = exports.FORMATS.get(path.suffix.removeprefix("."))
    if write is None:
        ends = ", ".join(f".{end}" for end in exports.FORMATS)
        raise UsageError(
            f"The format of {path.name} is unknown.",
            f"The file name must end in {ends}.",
            "/export session.html",
        )
    _save_file(desk, path, write(logs.records(app.places, app.log.id).records))


def save_answer(desk: ChatContext, name: str) -> None:
    """Write the last answer to a file."""
    if not name:
        raise UsageError("/save needs a file name.", "", "/save answer.md")
    said = find_last_replies(desk)
    if not said or not said[-1]:
        raise UsageError("There is no answer yet.", "", "Type a request.")
    _save_file(desk, _resolve_path(desk, name), said[-1].rstrip("\n") + "\n")


def _resolve_path(desk: ChatContext, name: str) -> Path:
    """Give the place that is named; a name may stand in quotes, as in a shell."""
    quoted = len(name) > 2 and name[0] == name[-1] and name[0] in "\"'"
    return desk.app.folder / expand_user(name[1:-1] if quoted else name)


def _save_file(desk: ChatContext, path: Path, text: str) -> None:
    """Write a new file. Raises UsageError."""
    from tripletick.history import export as exports

    if desk.confined:
        # by the open folder: a block may exchange what lies on the way
        workspace = desk.app.workspace.workspace
        try:
            inside = workspace.resolve_path(str(path), writing=True).path
            if workspace.get_kind(inside) != "missing":
                raise PathRefused(f"{inside} already exists")
            workspace.write_bytes(inside, text.encode("utf-8", "backslashreplace"))
        except PathRefused as refused:
            raise UsageError(f"{path} was not saved.", f"{refused}.", "Choose another name.") from refused
    else:
        exports.save(path, text)
    desk.screen.say(f"Saved: {path}")


def complete_sessions(desk: ChatContext, start: str) -> Iterator[Suggestion]:
    """Give this folder's other sessions, the newest first, with what each was about."""
    from tripletick.history import index, logs

    app = desk.app
    known = logs.ids(app.places)
    rows = index.listed(app.places, app.folder, answered=True)
    for row in (row for row in rows if row.id != app.log.id):
        called = (logs.short(row.id, known), row.id)
        if word := next((word for word in called if word.startswith(start)), ""):
            yield Suggestion(word, len(start), f"{word}  {escape_controls(row.title)}")
