"""The command line: flags, commands and exit codes. What a command needs is imported when it is chosen."""

from __future__ import annotations

import argparse
import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from tripletick import __version__
from tripletick.errors import TimeLimitError, TripletickError, UsageError

CLOSED_PIPE, TERMINATED, INTERRUPTED = 141, 143, 130
EPILOG = """\
commands:
  (none)                the chat, in a terminal
  undo [N]              put the files back as they were before the last N turns
  redo [N]              bring back what the last N undos took back
  diff [N]              show what the last N turns changed
  models create offline fetch the small offline model (100 MB)
  remove-data           delete everything of ours on this machine
  doctor [--json]       attack the box of this machine, harmlessly, and show what holds
  blocks [FILE|-]       show what the reader sees in a model's answer

exit codes:
  0 done, 1 gave up, 2 usage or configuration, 3 needs a person, 4 no server, 5 model missing or unfit,
  6 context too small, 7 the server failed, 124 time limit, 130 interrupted, 141 closed pipe, 143 terminated

your settings: {config}
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; gives its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    signal.signal(signal.SIGTERM, _terminate)
    signal.signal(signal.SIGHUP, _terminate)
    verbose = "-v" in words
    try:
        return _chosen(words)
    except TripletickError as error:
        if verbose:
            raise
        return _say(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Python would write to the closed pipe once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    finally:
        # One more Ctrl-C does not break off the tidying up; what is registered last is done first.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def shared_flags() -> argparse.ArgumentParser:
    """The flags of every command that works in a folder."""
    shared = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add = shared.add_argument
    add("-m", "--model", metavar="MODEL", help="ollama:NAME, embedded:FILE.gguf …; a bare name is Ollama's")
    add("--host", metavar="URL", help="the model server")
    add("-a", "--agent", metavar="AGENT", help="casual, coder or file")
    add("-C", "--directory", metavar="DIR", type=Path, help="the folder to work in")
    add("--read", metavar="DIR", type=Path, action="append", default=[], help="let blocks read this too")
    add("--ctx", metavar="N", help="tokens of context to ask for")
    add("--think", action=argparse.BooleanOptionalAction, default=None, help="reasoning, where the model can")
    add(
        "--sandbox", metavar="MODE", help="read: blocks change nothing; work; net: with network; bare: no box"
    )
    add(
        "-y",
        "--yes",
        action="store_true",
        help="blocks may write here, risky ones too; nothing beyond the box",
    )
    add("--max-attempts", metavar="N", help="failures in a row that end the task")
    add("--max-steps", metavar="N", help="replies that end the task")
    add("--timeout", metavar="S", type=_seconds, help="seconds for the whole task")
    add("--temperature", metavar="T")
    add("--seed", metavar="N")
    add("-o", "--output", choices=("text", "json", "jsonl"), default="text", help="what stdout gets")
    add("-q", "--quiet", action="store_true", help="nothing but the answer")
    add("-v", "--verbose", action="store_true", help="reasoning, and tracebacks")
    add("--plain", action="store_true", help="plain lines, no colours, no redraw")
    add("--no-save", action="store_true", help="keep no log of this session")
    return shared


def _chosen(words: list[str]) -> int:
    if words == ["--version"]:
        sys.stdout.write(f"tripletick {__version__}\n")
        return 0
    shared = shared_flags()
    before, dashes, after = _split(words)
    from tripletick import commands

    if before[:1] and before[0] in commands.OWN_FLAGS and not dashes:
        return commands.find(before[0])(argparse.Namespace(), before[1:])
    parser = argparse.ArgumentParser(
        "tripletick",
        "tripletick [flags] [TASK] | tripletick COMMAND",
        "Local models that act: the code fence is the tool call.",
        _epilog(words),
        parents=[shared],
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"tripletick {__version__}")
    parser.add_argument("words", nargs="*", metavar="TASK", help="what to do; - reads it from standard input")
    options = parser.parse_intermixed_args(before)
    options.words = [*options.words, *after]
    options.given = options.yes or options.directory is not None or options.sandbox is not None
    options.directory = options.directory or Path()
    if options.words and options.words[0] in commands.COMMANDS and not dashes:
        return commands.find(options.words[0])(options, options.words[1:])
    if not dashes:
        _refuse_bare_word(options.words)
    from tripletick.commands import task
    from tripletick.screens import chat_is_possible

    if not options.words and chat_is_possible(options):
        return task.chat(options)
    _limit(options.timeout)
    return task.task(options)


def _split(words: list[str]) -> tuple[list[str], bool, list[str]]:
    at = words.index("--") if "--" in words else len(words)
    return words[:at], at < len(words), words[at + 1 :]


def _epilog(words: Sequence[str]) -> str:
    """Fill the help's end; where the config lies is looked up for nobody else."""
    if not {"-h", "--help"} & set(words):
        return ""
    from tripletick import places

    return EPILOG.format(config=places.find().user_config)


def _refuse_bare_word(words: Sequence[str]) -> None:
    if len(words) == 1 and words[0].isidentifier():
        import difflib

        from tripletick.commands import COMMANDS, OWN_FLAGS

        close = difflib.get_close_matches(words[0], [*COMMANDS, *OWN_FLAGS], 1) or ["--help"]
        raise UsageError(
            f"{words[0]!r} is no command, and one bare word is not sent.",
            f"Did you mean: tripletick {close[0]}?",
            f"To send it: tripletick -- {words[0]}",
        )


def _limit(seconds: float | None) -> None:
    if seconds is not None:
        signal.signal(signal.SIGALRM, _time_is_up)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < threading.TIMEOUT_MAX:
        raise ValueError(text)
    return seconds


def _time_is_up(number: int, frame: FrameType | None) -> NoReturn:
    raise TimeLimitError(
        "The time limit for the task struck.", "--timeout", "Give it more, or a smaller task."
    )


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(TERMINATED)


def _say(error: TripletickError) -> int:
    sys.stderr.write(f"tripletick: {error}\n")
    return error.exit


Command = Callable[[argparse.Namespace], int]

if __name__ == "__main__":
    sys.exit(main())
