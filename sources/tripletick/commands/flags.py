"""The flags of every command that works in a folder. What they set is opening's."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NoReturn

from tripletick.errors import UsageError
from tripletick.system.text import find_close_match

UNKNOWN = "unrecognized arguments: "
"""What argparse says of words that it has no place for."""
ALIKE = 0.7
"""How alike a flag must be that is suggested: all begin with dashes."""


class FlagParser(argparse.ArgumentParser):
    """The parser of a command: names the flag that is nearest to one that there is not."""

    def error(self, message: str) -> NoReturn:
        words = message.removeprefix(UNKNOWN).split() if message.startswith(UNKNOWN) else []
        refuse_flags(words, self.list_flags(), f"{self.prog} --help")
        super().error(message)

    def list_flags(self) -> list[str]:
        return [flag for action in self._actions for flag in action.option_strings]


def refuse_flags(words: Sequence[str], known: Collection[str], lists: str) -> None:
    """Raise UsageError where one of the words is a flag, for it is none of `known`, which `lists` shows."""
    for wrong in (word.partition("=")[0] for word in words if word.startswith("-")):
        near = find_close_match(wrong, known, ALIKE)
        why = f"Did you mean {near}?" if near else ""
        raise UsageError(f"There is no flag {wrong}.", why, f"To list the flags: {lists}")


def shared_flags() -> argparse.ArgumentParser:
    """The flags of every command that works in a folder."""
    shared = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add = shared.add_argument
    add(
        "-m",
        "--model",
        metavar="MODEL",
        help="model to use: ollama:NAME, embedded:FILE.gguf …; a bare name means Ollama",
    )
    add("--host", metavar="URL", help="URL of the model server")
    add("-a", "--agent", metavar="AGENT", help="agent to use: casual, coder, file …")
    add("-C", "--directory", metavar="DIR", type=Path, help="folder to work in")
    add(
        "--read",
        metavar="DIR",
        type=Path,
        action="append",
        default=[],
        help="let blocks read this folder too; repeatable",
    )
    add("--ctx", metavar="N", help="context size in tokens")
    add(
        "--think",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="turn reasoning on or off, if the model supports it",
    )
    add(
        "--sandbox",
        metavar="MODE",
        help="read: no changes; work: changes in the folder; net: work with network; bare: no sandbox",
    )
    add(
        "-y",
        "--yes",
        action="store_true",
        help="allow changes in this folder, even risky ones, without asking; nothing outside the sandbox",
    )
    add("--max-attempts", metavar="N", help="give up after N failures in a row")
    add("--max-steps", metavar="N", help="stop after N replies")
    add("--check", metavar="CMD", help="command that must succeed before the task counts as done")
    add("--timeout", metavar="S", type=_parse_seconds, help="time limit for the whole task, in seconds")
    add("--temperature", metavar="T", help="sampling temperature")
    add("--seed", metavar="N", help="random seed for a temperature above 0")
    add("-o", "--output", choices=("text", "json", "jsonl"), default="text", help="output format")
    add("-q", "--quiet", action="store_true", help="print only the answer")
    add("-v", "--verbose", action="store_true", help="show reasoning and tracebacks")
    add("--plain", action="store_true", help="plain lines: no colours, no redrawing")
    add("--profile", action="store_true", help="show where each turn spent its time")
    add(
        "--profile-to",
        metavar="FILE",
        type=Path,
        help="write the profile to FILE instead of next to the session log",
    )
    add("--no-save", action="store_true", help="do not save this session; undo does not know its turns later")
    return shared


def _parse_seconds(text: str) -> float:
    import threading

    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds
