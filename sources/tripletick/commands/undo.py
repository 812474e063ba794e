"""Undo turns, redo them, and show what they changed."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tripletick.chat.frontend import open_screen
from tripletick.checkpoint import Checkpoints
from tripletick.commands.session_setup import load_settings
from tripletick.errors import UsageError
from tripletick.events import Ask
from tripletick.paths import find_home_view
from tripletick.system import dirs
from tripletick.system.text import parse_number
from tripletick.ui.sanitize import write_text

NO, NOBODY = 1, 3
"""Exit codes where nothing was undone: the user has said no, or was not there to say it."""


def run_undo(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Put the files back as they were before the last turns."""
    return _move_turns("undo", options, words)


def run_redo(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Bring back what the last undos took back."""
    return _move_turns("redo", options, words)


def run_diff(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Show what the last turns changed; a file or a pipe gets it as it is, for `patch`."""
    turns = _parse_turn_count("diff", words)
    compared = _open_checkpoints(options).diff(turns)
    raw = "".join(f"{line.text}\n" for one in compared for line in one.lines)
    if not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(os.fsencode(raw))
    else:
        from tripletick.ui import questions, renderer, terminal

        lines = [(line.tone, line.text) for one in compared for line in one.lines]
        theme = load_settings(options, dirs.find_dirs()).ui.theme
        questions.draw_diff(
            lines, renderer.PlainRenderer(sys.stdout) if options.plain else terminal.make_page_renderer(theme)
        )
    if not compared:
        sys.stderr.write("No turn has changed anything here.\n")
    return 0


def _move_turns(word: str, options: argparse.Namespace, words: Sequence[str]) -> int:
    turns, checkpoints = _parse_turn_count(word, words), _open_checkpoints(options)
    screen = open_screen(options, load_settings(options, dirs.find_dirs()))
    step = checkpoints.undo if word == "undo" else checkpoints.redo
    try:
        done = step(turns, ask=lambda line: screen.ask(Ask(line, "yn")).choice == "y")
    finally:
        screen.close()
    write_text(sys.stdout, done.text.rstrip("\n") + "\n")
    if done.kept and not (done.restored or done.removed):
        return NO if sys.stdin.isatty() else NOBODY
    return 0


def _open_checkpoints(options: argparse.Namespace) -> Checkpoints:
    folder = dirs.expand_user(options.directory).resolve()
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}.", "", "Name an existing folder: -C DIR")
    in_parts = find_home_view(folder, Path.home()) is not None
    return Checkpoints(folder, dirs.find_dirs().state, in_parts=in_parts)


def _parse_turn_count(word: str, words: Sequence[str]) -> int:
    turns = parse_number(words[0]) if words else 1
    if len(words) > 1 or not turns:
        raise UsageError(
            f"{word} {' '.join(words)} is not understood.",
            "Expected a number of turns.",
            f"tripletick {word} 2",
        )
    return turns
