"""Putting files back as they were before the last turns."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tripletick import places
from tripletick.commands.opening import load_settings
from tripletick.errors import UsageError
from tripletick.events import Ask
from tripletick.screens import open_screen


def undo(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Put the files back as they were before the last turns."""
    from tripletick.checkpoint import Checkpoints

    if len(words) > 1 or not all(word.isdecimal() and int(word) for word in words):
        raise UsageError(
            f"undo {' '.join(words)} is not understood.", "It takes a number of turns.", "tripletick undo 2"
        )
    folder = options.directory.expanduser().resolve()
    screen = open_screen(options, load_settings(options, places.find()))
    checkpoints = Checkpoints(folder, places.find().state)
    done = checkpoints.undo(
        int(words[0]) if words else 1, ask=lambda line: screen.ask(Ask(line, "yn")).choice == "y"
    )
    screen.close()
    sys.stdout.write(done.text.rstrip("\n") + "\n")
    return 0
