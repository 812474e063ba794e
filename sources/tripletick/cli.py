"""The command line: flags, commands and exit codes. What a command needs is imported when it is chosen.

What `--version` does not need is not imported here either: several times the rest of its time.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from tripletick import __version__
from tripletick.errors import TripletickError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from types import FrameType
    from typing import NoReturn

SHADOWED = (
    "Python has run {path} in the place of a module of its own.",
    "python -m looks for modules in the folder that it is started in, before anything of tripletick is run.",
    "Start it by its own name: tripletick",
)
GO_ELSEWHERE = "cd to one that is there, or tripletick -C DIR"
VERSION = ["--version"]
CLOSED_PIPE, TERMINATED, INTERRUPTED = 141, 143, 130
EPILOG = """\
commands:
{commands}

exit codes:
  0 done, 1 gave up or doubtful, 2 usage or configuration, 3 needs a person, 4 no server,
  5 model missing or unfit, 6 context too small, 7 the server failed,
  124 time limit, 130 stopped, 141 closed pipe, 143 terminated

your settings: {config}
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; gives its exit code."""
    # Loading makes much and drops nothing: looking for cycles in it is a tenth of the start.
    gc.set_threshold(100_000)
    words = list(sys.argv[1:] if argv is None else argv)
    taken = _leave_out_folder()
    if words != VERSION:
        _guard_secrets(words)
    if not hasattr(signal, "SIGHUP"):
        return _refused()
    signal.signal(signal.SIGTERM, _terminate)
    signal.signal(signal.SIGHUP, _terminate)
    verbose = "-v" in words
    try:
        if taken:
            raise UsageError(*(part.format(path=taken) for part in SHADOWED))
        return _chosen(words)
    except TripletickError as error:
        return _say(error, verbose=verbose)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python would write to the closed pipe once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    finally:
        # One more Ctrl-C does not break off the tidying up; what is registered last is done first.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def _guard_secrets(words: Sequence[str]) -> None:
    """Let none of what is known already be written."""
    from tripletick.redaction import KNOWN, guard_streams

    KNOWN.learn_named(os.environ)
    KNOWN.learn_words(words)
    guard_streams()


def _leave_out_folder() -> str:
    """Take the folder that it was started in, from which `python -m` imports first, off the path; give a
    module that came from there all the same, "" where none did.
    """
    # A folder that is gone has nothing to import.
    with suppress(OSError):
        here = os.path.realpath(".")
        if here != os.path.realpath(f"{__file__}/../.."):
            sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry) != here]
            modules = sys.modules.values() if __name__ == "__main__" else ()
            files = [str(getattr(module, "__file__", "")) for module in modules]
            return next(
                (file for file in files if file.replace("/__init__.py", "").rpartition("/")[0] == here), ""
            )
    return ""


def _chosen(words: list[str]) -> int:
    if words == VERSION:
        sys.stdout.write(f"tripletick {__version__}\n")
        return 0
    import argparse
    from pathlib import Path

    from tripletick import commands
    from tripletick.commands.flags import shared_flags

    before, dashes, after = _split(words)
    alone = bool(before) and before[0] in commands.COMMANDS and commands.COMMANDS[before[0]].alone
    if alone and not dashes:
        return commands.find(before[0])(argparse.Namespace(), before[1:])
    parser = argparse.ArgumentParser(
        "tripletick",
        "tripletick [flags] [TASK] | tripletick COMMAND",
        "Local models that act: the code fence is the tool call.",
        _epilog(words),
        parents=[shared_flags()],
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tripletick {__version__}")
    parser.add_argument(
        "-c", "--continue", dest="resumed", action="store_true", help="go on with this folder's last session"
    )
    parser.add_argument("words", nargs="*", metavar="TASK", help="what to do; - reads it from standard input")
    options, own = parser.parse_known_intermixed_args(before)
    options.words = [*options.words, *after]
    row = None if dashes else commands.COMMANDS.get(next(iter(options.words), ""))
    _check_folder(str(options.directory or "."))
    if row and row.whole:
        before.remove(options.words[0])
        return commands.find(options.words[0])(argparse.Namespace(), before)
    if wrong := [flag for flag in own if row is None or flag not in row.flags]:
        parser.error(f"unrecognized arguments: {' '.join(wrong)}")
    if row and options.resumed:
        raise UsageError(
            f"-c goes on with a session, and {options.words[0]!r} is a command.",
            f"The command: tripletick {options.words[0]}",
            f"To send it as a request: tripletick -c -- {' '.join(options.words)}",
        )
    options.given = options.yes or options.directory is not None or options.sandbox is not None
    options.placed = options.directory is not None
    options.directory = options.directory or Path()
    if row:
        return commands.find(options.words[0])(options, [*options.words[1:], *own])
    return _do(options, dashes=dashes)


def _do(options: argparse.Namespace, *, dashes: bool) -> int:
    """Do what is no command: one task, or the chat."""
    if options.resumed:
        from tripletick.commands import sessions

        return sessions.go_on(options)
    if not dashes:
        _refuse_bare_word(options.words)
    from tripletick.commands import task
    from tripletick.screens import chat_is_possible

    if not options.words and chat_is_possible(options):
        return task.chat(options)
    return task.task(options)


def _check_folder(named: str) -> None:
    """Leave a deleted folder for the one that is named. Raises UsageError where none is."""
    try:
        os.getcwd()  # noqa: PTH109 - pathlib is not imported for this
    except OSError as error:
        there = os.path.expanduser(named)  # noqa: PTH111
        if not there.startswith("/"):
            raise UsageError("This folder is gone.", f"{error.strerror}.", GO_ELSEWHERE) from error
        # one that is not there is reported where it is opened
        with suppress(OSError):
            os.chdir(there)


def _split(words: list[str]) -> tuple[list[str], bool, list[str]]:
    at = words.index("--") if "--" in words else len(words)
    return words[:at], at < len(words), words[at + 1 :]


def _epilog(words: Sequence[str]) -> str:
    """Fill the help's end; where the config lies is looked up for nobody else."""
    if not {"-h", "--help"} & set(words):
        return ""
    from tripletick import commands, places

    rows = [
        ("(none)", "the chat, in a terminal"),
        *((row.typed(name), row.says) for name, row in commands.COMMANDS.items()),
    ]
    width = max(len(typed) for typed, _ in rows)
    listed = "\n".join(f"  {typed:{width}}  {says}" for typed, says in rows)
    return EPILOG.format(commands=listed, config=places.find().user_config)


def _refuse_bare_word(words: Sequence[str]) -> None:
    if len(words) == 1 and words[0].isidentifier():
        import difflib

        from tripletick.commands import COMMANDS

        close = difflib.get_close_matches(words[0], list(COMMANDS), 1) or ["--help"]
        raise UsageError(
            f"{words[0]!r} is no command, and one bare word is not sent.",
            f"Did you mean: tripletick {close[0]}?",
            f"To send it: tripletick -- {words[0]}",
        )


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(TERMINATED)


def _refused() -> int:
    """Say why it does not run where there are no signals as POSIX has them."""
    from tripletick import platforms

    return _say(UsageError(*platforms.REFUSED["windows"]))


def _say(error: TripletickError, *, verbose: bool = False) -> int:
    """Say what went wrong, which may quote a server or a file; gives its exit code."""
    from tripletick.ui.safe import write

    if verbose:
        import traceback

        write(sys.stderr, "".join(traceback.format_exception(error)))
        return error.exit
    write(sys.stderr, f"tripletick: {error}\n")
    return error.exit


if __name__ == "__main__":
    sys.exit(main())
