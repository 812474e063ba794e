"""Where a command's events go and who answers questions: the terminal, JSON, or nobody."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tripletick.config.config import Config
from tripletick.events import Ask, Event, GaveUp, Notice
from tripletick.messages import Answer
from tripletick.system.text import describe_os_error
from tripletick.ui.sanitize import write_text

if TYPE_CHECKING:
    from tripletick.ui.terminal import Terminal

UNKEPT = "The profile cannot be written to {path}: {why}."
NOBODY = Answer(there=False)
Word = Callable[[], str]


def _answer_nobody(question: Ask) -> Answer:
    return NOBODY


def _do_nothing() -> None:
    pass


def _ignore_status(word: Word | None) -> None:
    pass


def _ignore_pairs(lines: Iterable[tuple[str, str]]) -> None:
    pass


def _print_error(text: str) -> None:
    write_text(sys.stderr, f"tripletick: {text}\n")


@dataclass(frozen=True, slots=True)
class Screen:
    """One way to show and ask. `say` draws lines that are no event, `status` one line that goes again."""

    show: Callable[[Event], None]
    ask: Callable[[Ask], Answer] = _answer_nobody
    close: Callable[[], None] = _do_nothing
    say: Callable[[str], None] = _print_error
    status: Callable[[Word | None], None] = _ignore_status
    diff: Callable[[Iterable[tuple[str, str]]], None] = _ignore_pairs
    """Draws the lines of a diff, each with its tone."""
    table: Callable[[Iterable[tuple[str, str]]], None] = _ignore_pairs
    """Draws rows of two columns."""
    live: bool = False
    """True where a status line is drawn."""
    person: bool = False
    """True where somebody is there to be asked."""
    terminal: Terminal | None = None
    """What a chat at the terminal needs beyond it, None where there is none."""


def with_profiling(screen: Screen, path: Path | None, *, drawn: bool) -> Screen:
    """Measure where the time of each turn goes: it is kept in a file, and drawn below the turn."""
    from tripletick.session import profile
    from tripletick.ui import timing_bar

    meter = profile.TurnProfiler()

    def show(event: Event) -> None:
        measured = meter.take_event(event)
        screen.show(event)
        if measured is None:
            return
        if drawn:
            width = shutil.get_terminal_size().columns
            screen.say("\n".join(timing_bar.draw_timing(measured.parts, measured.summary, width)))
        if path:
            try:
                profile.append_profile(measured, path)
            except OSError as error:
                screen.say(UNKEPT.format(path=path, why=describe_os_error(error)))

    return replace(screen, show=show)


def open_screen(options: argparse.Namespace, config: Config) -> Screen:
    """Choose the screen by `-o`; without a person every question is a no."""
    if options.output == "jsonl":
        from tripletick.event_log.session_log import encode_event
        from tripletick.ui.json_lines import JsonLinesWriter

        return Screen(JsonLinesWriter(sys.stdout, encode_event).write_event)
    if options.output == "json":
        return Screen(_print_failures)
    from tripletick.ui.terminal import open_terminal

    terminal = open_terminal(
        thinking=config.ui.thinking or options.verbose,
        quiet=options.quiet,
        plain=config.ui.plain or options.plain,
        slow=config.ui.slow,
        theme=config.ui.theme,
    )
    there = can_ask_user()
    return Screen(
        terminal.show_event,
        terminal.ask_question if there else _answer_nobody,
        terminal.close,
        terminal.print_text,
        terminal.show_status,
        terminal.show_diff,
        terminal.print_table,
        terminal.has_status_line,
        there,
        terminal,
    )


def can_ask_user() -> bool:
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


def can_chat(options: argparse.Namespace) -> bool:
    """Tell whether a line can be typed and all that comes of it be read."""
    return options.output == "text" and all(one.isatty() for one in (sys.stdin, sys.stdout, sys.stderr))


def _print_failures(event: Event) -> None:
    if isinstance(event, Notice):
        _print_error(event.text)
    elif isinstance(event, GaveUp):
        _print_error("\n".join(filter(None, (event.reason, event.hint))))
