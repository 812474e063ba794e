"""The command line: flags, commands and exit codes. What a command needs is imported when it is chosen.

What `--version` does not need is not imported here either: several times the rest of its time.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from tripletick import __version__
from tripletick.errors import TripletickError, UsageError
from tripletick.system.text import describe_os_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from types import FrameType
    from typing import NoReturn

    from tripletick.commands.flags import FlagParser

SHADOWED = (
    "Python loaded {path} instead of one of its own modules.",
    "python -m searches the current folder for modules first, before tripletick starts.",
    "Run it as: tripletick",
)
GO_ELSEWHERE = "cd to an existing folder, or use: tripletick -C DIR"
VERSION = ["--version"]
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NO_ROOM = "The output cannot be written."
CLOSED_PIPE, TERMINATED, INTERRUPTED = 141, 143, 130
EPILOG = """\
commands (tripletick help COMMAND shows the arguments):
{commands}

exit codes:
  0 done, 1 gave up or answer in doubt, 2 usage or configuration error,
  3 needs user input, 4 no server, 5 model missing or unsuitable,
  6 context too small, 7 server failure, 124 timed out, 130 interrupted,
  141 broken pipe, 143 terminated

settings file: {config}
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; gives its exit code."""
    # Loading makes much and drops nothing: looking for cycles in it is a tenth of the start.
    gc.set_threshold(100_000)
    words = list(sys.argv[1:] if argv is None else argv)
    _open_closed_streams()
    taken = _drop_cwd_from_path()
    if words != VERSION:
        _guard_secrets(words)
    if not hasattr(signal, "SIGHUP"):
        return _refuse_windows()
    signal.signal(signal.SIGTERM, _raise_exit)
    signal.signal(signal.SIGHUP, _raise_exit)
    verbose = "-v" in words
    try:
        if taken:
            raise UsageError(*(part.format(path=taken) for part in SHADOWED))
        code = _choose_command(words)()
        sys.stdout.flush()
        return code
    except TripletickError as error:
        return _print_error(error, verbose=verbose)
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        if error.errno not in (errno.EPIPE, *FULL):
            raise
        # Python would write to the closed pipe, or the full disk, once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno == errno.EPIPE:
            return CLOSED_PIPE
        return _print_error(TripletickError(NO_ROOM, f"{describe_os_error(error)}."), verbose=verbose)
    finally:
        # One more Ctrl-C does not break off the tidying up; what is registered last is done first.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def _open_closed_streams() -> None:
    """Put a stream that nobody reads in the place of one that was closed: `>&-`."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - it stays open


def _guard_secrets(words: Sequence[str]) -> None:
    """Let none of what is known already be written."""
    from tripletick.system.redaction import KNOWN, guard_streams

    KNOWN.learn_named(os.environ)
    KNOWN.learn_words(words)
    guard_streams()


def _drop_cwd_from_path() -> str:
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


def _print_version() -> int:
    sys.stdout.write(f"tripletick {__version__}\n")
    return 0


def _choose_command(words: list[str]) -> Callable[[], int]:
    """Read the flags; give what runs the command that they ask for. Raises UsageError."""
    if words == VERSION:
        return _print_version
    import argparse
    from pathlib import Path

    from tripletick import commands
    from tripletick.commands.flags import FlagParser, shared_flags

    before, dashes, after = _split_at_dashes(words)
    alone = bool(before) and before[0] in commands.COMMANDS and commands.COMMANDS[before[0]].alone
    if alone and not dashes:
        return partial(commands.load_command(before[0]), argparse.Namespace(), before[1:])
    parser = FlagParser(
        "tripletick",
        "tripletick [flags] [TASK] | tripletick COMMAND",
        "An agent for local models: the code fence is the tool call.",
        _format_epilog(words),
        parents=[shared_flags()],
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tripletick {__version__}")
    parser.add_argument(
        "-c",
        "--continue",
        dest="resumed",
        action="store_true",
        help="continue the last session in this folder",
    )
    parser.add_argument("words", nargs="*", metavar="TASK", help="the task; - reads it from standard input")
    options, own = parser.parse_known_intermixed_args(before)
    options.words = [*options.words, *after]
    row = None if dashes else commands.COMMANDS.get(next(iter(options.words), ""))
    _enter_named_folder(str(options.directory or "."))
    if row and row.whole:
        before.remove(options.words[0])
        return partial(commands.load_command(options.words[0]), argparse.Namespace(), before)
    _refuse_unknown_flags(parser, own, next(iter(options.words), "") if row else "")
    if row and options.resumed:
        raise UsageError(
            f"-c continues a session, but {options.words[0]!r} is a command.",
            f"To run the command: tripletick {options.words[0]}",
            f"To send it as a request: tripletick -c -- {' '.join(options.words)}",
        )
    options.given = options.yes or options.directory is not None or options.sandbox is not None
    options.placed = options.directory is not None
    options.directory = options.directory or Path()
    if row:
        return partial(commands.load_command(options.words[0]), options, [*options.words[1:], *own])
    return _choose_conversation(options, dashes=dashes)


def _refuse_unknown_flags(parser: FlagParser, own: Sequence[str], name: str) -> None:
    """Raise UsageError for a flag that is neither shared nor one of the command `name`, "" for none."""
    from tripletick import commands
    from tripletick.commands.flags import refuse_flags

    row = commands.COMMANDS[name] if name else None
    flags = row.flags if row else ()
    lists = f"tripletick help {name}" if flags else f"tripletick {name} --help".replace("  ", " ")
    wrong = [flag for flag in own if flag not in flags]
    refuse_flags(wrong, [*parser.list_flags(), *flags], lists)
    if wrong:
        parser.error(f"unrecognized arguments: {' '.join(wrong)}")


def _choose_conversation(options: argparse.Namespace, *, dashes: bool) -> Callable[[], int]:
    """Give what runs where no command is named: one task, or the chat."""
    if options.resumed:
        from tripletick.commands import sessions

        return partial(sessions.continue_latest, options)
    if not dashes:
        _refuse_bare_word(options.words)
    from tripletick.chat.frontend import can_chat
    from tripletick.commands import task

    if not options.words and can_chat(options):
        return partial(task.run_chat, options)
    return partial(task.run_task, options)


def _enter_named_folder(named: str) -> None:
    """Leave a deleted folder for the one that is named. Raises UsageError where none is."""
    try:
        os.getcwd()  # noqa: PTH109 - pathlib is not imported for this
    except OSError as error:
        there = os.path.expanduser(named)  # noqa: PTH111
        if not there.startswith("/"):
            raise UsageError(
                "The current folder no longer exists.", f"{describe_os_error(error)}.", GO_ELSEWHERE
            ) from error
        # one that is not there is reported where it is opened
        with suppress(OSError):
            os.chdir(there)


def _split_at_dashes(words: list[str]) -> tuple[list[str], bool, list[str]]:
    at = words.index("--") if "--" in words else len(words)
    return words[:at], at < len(words), words[at + 1 :]


def _format_epilog(words: Sequence[str]) -> str:
    """Fill the help's end; where the config lies is looked up for nobody else."""
    if not {"-h", "--help"} & set(words):
        return ""
    from tripletick import commands
    from tripletick.system import dirs

    rows = [
        ("(none)", "start the chat, in a terminal"),
        *((name, row.says) for name, row in commands.COMMANDS.items()),
    ]
    width = max(len(typed) for typed, _ in rows)
    listed = "\n".join(f"  {typed:{width}}  {says}" for typed, says in rows)
    return EPILOG.format(commands=listed, config=dirs.find_dirs().user_config)


def _refuse_bare_word(words: Sequence[str]) -> None:
    if len(words) == 1 and words[0].isidentifier():
        from tripletick.commands import COMMANDS
        from tripletick.system.text import find_close_match

        close = find_close_match(words[0], COMMANDS) or "--help"
        raise UsageError(
            f"Unknown command {words[0]!r}; a single word is not sent as a prompt.",
            f"Did you mean: tripletick {close}?",
            f"To send it anyway: tripletick -- {words[0]}",
        )


def _raise_exit(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(TERMINATED)


def _refuse_windows() -> int:
    """Say why it does not run where there are no signals as POSIX has them."""
    from tripletick.system import platforms

    return _print_error(UsageError(*platforms.REFUSED["windows"]))


def _print_error(error: TripletickError, *, verbose: bool = False) -> int:
    """Say what went wrong, which may quote a server or a file; gives its exit code."""
    from tripletick.ui.sanitize import write_text

    if verbose:
        import traceback

        write_text(sys.stderr, "".join(traceback.format_exception(error)))
        return error.exit
    write_text(sys.stderr, f"tripletick: {error}\n")
    return error.exit


if __name__ == "__main__":
    sys.exit(main())
