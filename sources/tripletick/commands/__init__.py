"""The commands by name; each is imported when it is chosen."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module

Command = Callable[[argparse.Namespace, Sequence[str]], int]
"""Takes the flags and the words behind the command's name, gives the exit code."""

COMMANDS = {
    "undo": "undo.undo",
    "redo": "undo.redo",
    "diff": "undo.diff",
    "models": "models.models",
    "remove-data": "data.remove_data",
}
"""Commands that work in a folder, and where their functions lie below this package."""
OWN_FLAGS = {"blocks": "blocks.blocks", "doctor": "doctor.doctor"}
"""Commands with flags of their own: they get the words alone."""


def find(name: str) -> Command:
    """Import a command. Raises KeyError where there is none of that name."""
    module, _, function = (COMMANDS | OWN_FLAGS)[name].partition(".")
    command: Command = getattr(import_module(f"{__name__}.{module}"), function)
    return command
