"""Sessions that were: listed, searched, exported, copied, deleted, and gone on with."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tripletick import places
from tripletick.errors import PersonNeededError, UsageError
from tripletick.library import index, logs
from tripletick.library.index import Row
from tripletick.places import Places
from tripletick.ui.safe import visible, write

ALL, PIPED = "--all", "-"
FORMATS = {"--md": "md", "--html": "html", "--json": "json"}
NONE = "There is no session of this folder."
ELSEWHERE = "Of every folder: tripletick {} --all"
UNANSWERED = "{count} session{s} without an answer not listed: tripletick sessions --all\n"
BEGIN = "Begin one: tripletick"
DELETES = "Its log is deleted; files and turns that can be undone stay."


def sessions(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Do what stands behind the name; alone it lists."""
    flags = [word for word in words if word.startswith("--")]
    what, *rest = [word for word in words if word not in flags] or ["list"]
    action, allowed = ACTIONS.get(what, (None, ()))
    if action is None or (wrong := [flag for flag in flags if flag not in allowed]):
        typed = f"sessions {' '.join(words)}" if action is None else f"{wrong[0]} of sessions {what}"
        raise UsageError(
            f"{typed} is not understood.", f"There are: {', '.join(ACTIONS)}.", "tripletick --help"
        )
    return action(options, rest, flags)


def resume(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Go on with a session, the one that is named, else this folder's latest: in the chat, or with the one
    request that stands behind its name; `-` reads the request from standard input.
    """
    from tripletick.screens import chat_is_possible

    names = [word for word in words if word != ALL]
    name, request = ("", names) if names[:1] == [PIPED] else (next(iter(names), ""), names[1:])
    if not request and not chat_is_possible(options):
        what = "A session is gone on with in the chat, and there is no terminal for it."
        raise PersonNeededError(what, "", 'One request needs none: tripletick resume ID "now add a test"')
    found = places.find()
    name = logs.find(found, name) if name else _latest(found, None if ALL in words else _folder(options))
    options.words = request
    return _go_on(options, found, name, chat=not request)


def go_on(options: argparse.Namespace) -> int:
    """Do a request in this folder's latest session, in the chat where there is none and a terminal is."""
    from tripletick.screens import chat_is_possible

    found = places.find()
    chat = not options.words and chat_is_possible(options)
    return _go_on(options, found, _latest(found, _folder(options)), chat=chat)


def _go_on(options: argparse.Namespace, found: Places, name: str, *, chat: bool) -> int:
    from tripletick.commands import task

    past = logs.past(found, name)
    return task.talk(options, past) if chat else task.task(options, past)


def _latest(found: Places, folder: Path | None) -> str:
    for answered in (True, False):
        if rows := index.listed(found, folder, answered=answered):
            return rows[0].id
    raise UsageError(NONE, "", ELSEWHERE.format("resume") if index.listed(found) else BEGIN)


def _list(options: argparse.Namespace, rest: Sequence[str], flags: Sequence[str]) -> int:
    if rest:
        raise _misunderstood("sessions list", rest, f"tripletick sessions search {' '.join(rest)}")
    found = places.find()
    wanted, save = _wanted(options, flags), not options.no_save
    every = index.listed(found, wanted, save=save)
    rows = every if ALL in flags else index.listed(found, wanted, answered=True, save=save)
    if (count := len(every) - len(rows)) and not (rows and options.quiet):
        write(sys.stderr, UNANSWERED.format(count=count, s="s" * (count != 1)))
    return _told(found, rows, flags, "sessions") if rows or not every else 1


def _search(options: argparse.Namespace, rest: Sequence[str], flags: Sequence[str]) -> int:
    if not rest:
        raise UsageError("sessions search is told no words.", "", "tripletick sessions search WORDS")
    found = places.find()
    rows = index.search(found, " ".join(rest), _wanted(options, flags), save=not options.no_save)
    return _told(found, rows, flags, f"sessions search {' '.join(rest)}")


def _told(found: Places, rows: Sequence[Row], flags: Sequence[str], typed: str) -> int:
    for line in logs.lines(rows, found, folders=ALL in flags):
        write(sys.stdout, line + "\n")
    if not rows:
        more = f"\n{ELSEWHERE.format(typed)}" if ALL not in flags and logs.ids(found) else ""
        write(sys.stderr, f"{'Nothing was found.' if 'search' in typed else NONE}{more}\n")
    return 0 if rows else 1


def _export(options: argparse.Namespace, rest: Sequence[str], flags: Sequence[str]) -> int:
    from tripletick.library import export

    if len(flags) > 1:
        raise _misunderstood("sessions export", flags, "tripletick sessions export ID --html >session.html")
    found, name = places.find(), _one("export", rest)
    form = FORMATS[flags[0]] if flags else "md"
    text = export.FORMATS[form](logs.records(found, name).records)
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    raw = form == "json" and not sys.stdout.isatty()
    sys.stdout.write(text if raw else visible(text))
    return 0


def _fork(options: argparse.Namespace, rest: Sequence[str], flags: Sequence[str]) -> int:
    name = logs.fork(places.find(), _one("fork", rest))
    sys.stdout.write(f"{name}\n")
    if not options.quiet:
        sys.stderr.write(f"Go on with it: tripletick resume {name}\n")
    return 0


def _remove(options: argparse.Namespace, rest: Sequence[str], flags: Sequence[str]) -> int:
    from tripletick.commands.opening import load_settings
    from tripletick.events import Ask
    from tripletick.library.transcript import transcript
    from tripletick.screens import open_screen

    found, name = places.find(), _one("rm", rest)
    title = transcript(logs.records(found, name).records).title
    if not options.yes:
        screen = open_screen(options, load_settings(options, found))
        try:
            if not screen.person:
                what = "Nothing was deleted: nobody is there to be asked."
                raise PersonNeededError(what, "", f"tripletick sessions rm {name} -y")
            if screen.ask(Ask(f"Delete session {name} ({title})?", "yn?", DELETES)).choice != "y":
                return 1
        finally:
            screen.close()
    logs.remove(found, name)
    sys.stdout.write(f"Deleted: {name}\n")
    return 0


def _one(what: str, rest: Sequence[str]) -> str:
    if len(rest) != 1:
        raise _misunderstood(f"sessions {what}", rest, f"tripletick sessions {what} ID")
    return logs.find(places.find(), rest[0])


def _folder(options: argparse.Namespace) -> Path:
    return Path(options.directory.expanduser().resolve())


def _wanted(options: argparse.Namespace, flags: Sequence[str]) -> Path | None:
    return None if ALL in flags else _folder(options)


def _misunderstood(what: str, words: Sequence[str], remedy: str) -> UsageError:
    return UsageError(f"{what} {' '.join(words)}".strip() + " is not understood.", "", remedy)


Action = Callable[[argparse.Namespace, Sequence[str], Sequence[str]], int]
ACTIONS: Mapping[str, tuple[Action, tuple[str, ...]]] = {
    "list": (_list, (ALL,)),
    "search": (_search, (ALL,)),
    "export": (_export, tuple(FORMATS)),
    "fork": (_fork, ()),
    "rm": (_remove, ()),
}
"""What can be done with sessions, and the flags that go with it."""
