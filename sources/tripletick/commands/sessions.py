"""Past sessions: list, search, export, copy, delete, and continue them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tripletick.errors import UsageError, UserNeededError
from tripletick.history import index, logs
from tripletick.history.index import Row
from tripletick.system import dirs
from tripletick.system.dirs import AppDirs
from tripletick.ui.sanitize import escape_controls, write_text

ALL, PIPED = "--all", "-"
FORMATS = {"--md": "md", "--html": "html", "--json": "json"}
NONE = "This folder has no sessions."
ELSEWHERE = "For every folder: tripletick {} --all"
UNANSWERED = "{count} session{s} without an answer not shown; to show all: tripletick sessions --all\n"
BEGIN = "To start one: tripletick"
DELETES = "This deletes its log; your files and the undo history are kept."


def run_sessions(options: argparse.Namespace, words: Sequence[str]) -> int:
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


def run_resume(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Go on with a session, the one that is named, else this folder's latest: in the chat, or with the one
    request that stands behind its name; `-` reads the request from standard input.
    """
    from tripletick.chat.frontend import can_chat

    names = [word for word in words if word != ALL]
    name, request = ("", names) if names[:1] == [PIPED] else (next(iter(names), ""), names[1:])
    if not request and not can_chat(options):
        what = "Resuming a session opens the chat, which needs a terminal."
        raise UserNeededError(
            what, "", ('Without a terminal, send one request: tripletick resume ID "now add a test"')
        )
    found = dirs.find_dirs()
    name = (
        logs.find(found, name)
        if name
        else _find_latest(found, None if ALL in words else _resolve_folder(options))
    )
    options.words = request
    return _continue_session(options, found, name, chat=not request)


def continue_latest(options: argparse.Namespace) -> int:
    """Do a request in this folder's latest session, in the chat where there is none and a terminal is."""
    from tripletick.chat.frontend import can_chat

    found = dirs.find_dirs()
    chat = not options.words and can_chat(options)
    return _continue_session(options, found, _find_latest(found, _resolve_folder(options)), chat=chat)


def _continue_session(options: argparse.Namespace, found: AppDirs, name: str, *, chat: bool) -> int:
    from tripletick.commands import task

    past = logs.past(found, name)
    return task.run_chat_sessions(options, past) if chat else task.run_task(options, past)


def _find_latest(found: AppDirs, folder: Path | None) -> str:
    for answered in (True, False):
        if rows := index.listed(found, folder, answered=answered):
            return rows[0].id
    raise UsageError(NONE, "", ELSEWHERE.format("resume") if index.listed(found) else BEGIN)


def _list_sessions(options: argparse.Namespace, rest: Sequence[str], flags: Sequence[str]) -> int:
    if rest:
        raise _make_usage_error("sessions list", rest, f"tripletick sessions search {' '.join(rest)}")
    found = dirs.find_dirs()
    wanted, save = _select_folder(options, flags), not options.no_save
    every = index.listed(found, wanted, save=save)
    rows = every if ALL in flags else index.listed(found, wanted, answered=True, save=save)
    if (count := len(every) - len(rows)) and not (rows and options.quiet):
        write_text(sys.stderr, UNANSWERED.format(count=count, s="s" * (count != 1)))
    return _print_sessions(found, rows, flags, "sessions") if rows or not every else 1


def _search_sessions(options: argparse.Namespace, rest: Sequence[str], flags: Sequence[str]) -> int:
    if not rest:
        raise UsageError("sessions search needs words to search for.", "", "tripletick sessions search WORDS")
    found = dirs.find_dirs()
    rows = index.search(found, " ".join(rest), _select_folder(options, flags), save=not options.no_save)
    return _print_sessions(found, rows, flags, f"sessions search {' '.join(rest)}")


def _print_sessions(found: AppDirs, rows: Sequence[Row], flags: Sequence[str], typed: str) -> int:
    for line in logs.lines(rows, found, folders=ALL in flags):
        write_text(sys.stdout, line + "\n")
    if not rows:
        more = f"\n{ELSEWHERE.format(typed)}" if ALL not in flags and logs.ids(found) else ""
        write_text(sys.stderr, f"{'No matches.' if 'search' in typed else NONE}{more}\n")
    return 0 if rows else 1


def _export_session(options: argparse.Namespace, rest: Sequence[str], flags: Sequence[str]) -> int:
    from tripletick.history import export

    if len(flags) > 1:
        raise _make_usage_error(
            "sessions export", flags, "tripletick sessions export ID --html >session.html"
        )
    found, name = dirs.find_dirs(), _find_session("export", rest)
    form = FORMATS[flags[0]] if flags else "md"
    text = export.FORMATS[form](logs.records(found, name).records)
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    raw = form == "json" and not sys.stdout.isatty()
    sys.stdout.write(text if raw else escape_controls(text))
    return 0


def _fork_session(options: argparse.Namespace, rest: Sequence[str], flags: Sequence[str]) -> int:
    name = logs.fork(dirs.find_dirs(), _find_session("fork", rest))
    sys.stdout.write(f"{name}\n")
    if not options.quiet:
        sys.stderr.write(f"To continue it: tripletick resume {name}\n")
    return 0


def _remove_session(options: argparse.Namespace, rest: Sequence[str], flags: Sequence[str]) -> int:
    from tripletick.chat.frontend import open_screen
    from tripletick.commands.session_setup import load_settings
    from tripletick.events import Ask
    from tripletick.history.transcript import transcript

    found, name = dirs.find_dirs(), _find_session("rm", rest)
    title = transcript(logs.records(found, name).records).title
    if not options.yes:
        screen = open_screen(options, load_settings(options, found))
        try:
            if not screen.person:
                what = "Nothing was deleted: there is no terminal to ask for confirmation."
                raise UserNeededError(what, "", f"tripletick sessions rm {name} -y")
            if screen.ask(Ask(f"Delete session {name} ({title})?", "yn?", DELETES)).choice != "y":
                return 1
        finally:
            screen.close()
    logs.remove(found, name)
    sys.stdout.write(f"Deleted: {name}\n")
    return 0


def _find_session(what: str, rest: Sequence[str]) -> str:
    if len(rest) != 1:
        raise _make_usage_error(f"sessions {what}", rest, f"tripletick sessions {what} ID")
    return logs.find(dirs.find_dirs(), rest[0])


def _resolve_folder(options: argparse.Namespace) -> Path:
    return Path(dirs.expand_user(options.directory).resolve())


def _select_folder(options: argparse.Namespace, flags: Sequence[str]) -> Path | None:
    return None if ALL in flags else _resolve_folder(options)


def _make_usage_error(what: str, words: Sequence[str], remedy: str) -> UsageError:
    return UsageError(f"{what} {' '.join(words)}".strip() + " is not understood.", "", remedy)


Action = Callable[[argparse.Namespace, Sequence[str], Sequence[str]], int]
ACTIONS: Mapping[str, tuple[Action, tuple[str, ...]]] = {
    "list": (_list_sessions, (ALL,)),
    "search": (_search_sessions, (ALL,)),
    "export": (_export_session, tuple(FORMATS)),
    "fork": (_fork_session, ()),
    "rm": (_remove_session, ()),
}
"""What can be done with sessions, and the flags that go with it."""
