"""One task and the chat: the two ways to talk with the model."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from tripletick.commands.session_setup import open_session
from tripletick.commands.stdin import TO_BEGIN, TO_GO_ON, read_request
from tripletick.errors import TimeLimitError, UsageError
from tripletick.system.dirs import expand_user
from tripletick.ui.sanitize import print_notice, write_json

if TYPE_CHECKING:
    from tripletick.history.history import Past

NO_UNDO = "This turn cannot be undone (--no-save)."
WORKS = "The session continues in its own folder: {}"


def run_task(options: argparse.Namespace, past: Past | None = None) -> int:
    """Do one request, in a new session or in one that was, then end; gives the exit code."""
    from tripletick.system.turn_summary import TurnSummary

    _set_time_limit(options.timeout)
    request, piped = read_request(options.words, TO_GO_ON if past else TO_BEGIN)
    with open_session(restore_options(options, past) if past else options, past) as (app, screen, why):
        if why:
            raise why
        summary = TurnSummary(app.log.id)
        # the session is imported once the server was asked
        from tripletick.session import mentioned_files

        turn = mentioned_files.handle_request(app, request, piped)
        app.run_turn(turn, [summary.add_event, screen.show], screen.ask)
    if options.output == "json":
        write_json(sys.stdout, summary.to_dict())
    if options.no_save and summary.files and not options.quiet:
        print_notice(NO_UNDO)
    return summary.exit


def run_chat(options: argparse.Namespace) -> int:
    """Talk until the user leaves; gives the exit code."""
    return run_chat_sessions(options, None)


def run_chat_sessions(options: argparse.Namespace, past: Past | None) -> int:
    """Talk in a new session, or go on with one that was, and with every other that the user asks for."""
    from tripletick.chat.chat import ChatLoop

    if options.timeout is not None:
        raise UsageError("--timeout applies to a single task.", "The chat has no time limit.", "Omit it.")
    while True:
        taken = restore_options(options, past) if past else options
        with open_session(taken, past) as (app, screen, why):
            if why:
                screen.say(str(why))
            history = None if options.no_save else app.places.chat_history
            chat = ChatLoop(app, screen, history, ready=why is None, commands=_build_chat_commands(taken))
            code = chat.run()
        if chat.desk.past is None:
            return code
        past = chat.desk.past


def _build_chat_commands(options: argparse.Namespace) -> Mapping[str, Callable[[], int]]:
    """Give what the chat may do of the program's own commands."""
    from tripletick import commands

    return {name: lambda name=name: commands.load_command(name)(options, ()) for name in commands.COMMANDS}  # type: ignore[misc]


def restore_options(options: argparse.Namespace, past: Past) -> argparse.Namespace:
    """Give the flags with which a session goes on: where it was and with what it had, unless they say
    otherwise. Raises UsageError where its folder is gone.
    """
    from tripletick.history import logs
    from tripletick.system import dirs

    taken = argparse.Namespace(**vars(options))
    taken.model, taken.agent = options.model or past.model or None, options.agent or past.agent or None
    taken.ctx = options.ctx or (str(past.window) if past.window else None)
    if not options.placed and past.workspace:
        taken.directory = Path(past.workspace)
        if not taken.directory.is_dir():
            what, why = f"The folder of session {past.id} no longer exists.", f"It was {past.workspace}."
            raise UsageError(what, why, f"To use another folder: tripletick -C DIR resume {past.id}")
        if taken.directory.resolve() != expand_user(options.directory).resolve():
            print_notice(WORKS.format(past.workspace))
    found = dirs.find_dirs()
    if not options.no_save and logs.is_open(found, past.id):
        old, past.id = past.id, logs.fork(found, past.id)
        print_notice(logs.FORKED.format(old=old, new=past.id))
    return taken


def _set_time_limit(seconds: float | None) -> None:
    if seconds is not None:
        signal.signal(signal.SIGALRM, _raise_time_limit)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _raise_time_limit(number: int, frame: FrameType | None) -> NoReturn:
    raise TimeLimitError(
        "The task reached its time limit.", "--timeout", "Raise --timeout, or give it a smaller task."
    )
