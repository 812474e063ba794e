"""Where a command's events go and who is asked: the terminal, JSON, or nobody."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tripletick.config import Config
from tripletick.events import Ask, Event, GaveUp, Notice
from tripletick.messages import Answer
from tripletick.ui.safe import write

if TYPE_CHECKING:
    from tripletick.ui.console import Terminal

UNKEPT = "The profile cannot be kept in {path}: {why}."
NOBODY = Answer(there=False)
Word = Callable[[], str]


def _nobody(question: Ask) -> Answer:
    return NOBODY


def _nothing() -> None:
    pass


def _no_status(word: Word | None) -> None:
    pass


def _no_diff(lines: Iterable[tuple[str, str]]) -> None:
    pass


def _complain(text: str) -> None:
    write(sys.stderr, f"tripletick: {text}\n")


@dataclass(frozen=True, slots=True)
class Screen:
    """One way to show and ask. `say` draws lines that are no event, `status` one line that goes again."""

    show: Callable[[Event], None]
    ask: Callable[[Ask], Answer] = _nobody
    close: Callable[[], None] = _nothing
    say: Callable[[str], None] = _complain
    status: Callable[[Word | None], None] = _no_status
    diff: Callable[[Iterable[tuple[str, str]]], None] = _no_diff
    """Draws the lines of a diff, each with its tone."""
    live: bool = False
    """True where a status line is drawn."""
    person: bool = False
    """True where somebody is there to be asked."""
    terminal: Terminal | None = None
    """What the chat needs beyond it, None where no chat is possible."""


def profiled(screen: Screen, path: Path | None, *, drawn: bool) -> Screen:
    """Measure where the time of each turn goes: it is kept in a file, and drawn below the turn."""
    from tripletick import profile
    from tripletick.ui import flame

    meter = profile.Meter()

    def show(event: Event) -> None:
        measured = meter.take(event)
        screen.show(event)
        if measured is None:
            return
        if drawn:
            width = shutil.get_terminal_size().columns
            screen.say("\n".join(flame.lines(measured.parts, measured.told, width)))
        if path:
            try:
                profile.keep(measured, path)
            except OSError as error:
                screen.say(UNKEPT.format(path=path, why=error.strerror))

    return replace(screen, show=show)


def open_screen(options: argparse.Namespace, settings: Config) -> Screen:
    """Choose the screen by `-o`; without a person every question is a no."""
    if options.output == "jsonl":
        from tripletick.session import encode
        from tripletick.ui.jsonlines import JsonLines

        return Screen(JsonLines(sys.stdout, encode).show)
    if options.output == "json":
        return Screen(_say_failures)
    from tripletick.ui.console import open_terminal

    terminal = open_terminal(
        thinking=settings.ui.thinking or options.verbose,
        quiet=options.quiet,
        plain=settings.ui.plain or options.plain,
        slow=settings.ui.slow,
        theme=settings.ui.theme,
    )
    there = person_is_there()
    return Screen(
        terminal.show,
        terminal.ask if there else _nobody,
        terminal.close,
        terminal.say,
        terminal.status,
        terminal.diff,
        terminal.live,
        there,
        terminal,
    )


def person_is_there() -> bool:
    """Tell whether somebody can be asked: stderr is a terminal, and so is stdin or behind it /dev/tty."""
    if not sys.stderr.isatty():
        return False
    if sys.stdin.isatty():
        return True
    try:
        os.close(os.open("/dev/tty", os.O_RDWR))
    except OSError:
        return False
    return True


def chat_is_possible(options: argparse.Namespace) -> bool:
    """Tell whether a line can be typed and all that comes of it be read."""
    return options.output == "text" and all(one.isatty() for one in (sys.stdin, sys.stdout, sys.stderr))


def _say_failures(event: Event) -> None:
    if isinstance(event, Notice):
        _complain(event.text)
    elif isinstance(event, GaveUp):
        _complain("\n".join(filter(None, (event.reason, event.hint))))
