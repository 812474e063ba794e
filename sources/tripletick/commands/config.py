"""The settings: what each is and where that stands, one changed, and where the person's file lies."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Iterator, Sequence

from tripletick import places
from tripletick.commands.opening import bring, load_settings
from tripletick.config import Config, is_section, save, settings, show
from tripletick.errors import UsageError
from tripletick.screens import Screen, open_screen
from tripletick.sections import SECTIONS
from tripletick.ui.columns import aligned
from tripletick.ui.safe import write

USAGE = "tripletick config [show --origin|set SECTION.KEY VALUE|path]"
SAVED = "{name} = {value}, saved to {path}"
COVERED = "{where} stands over it: {value}"
SHIPPED = "the default"


def config(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Show the settings, set one, or name the file."""
    origin = "--origin" in words
    name, *rest = [word for word in words if word != "--origin"] or ["show"]
    act = {"show": not rest, "path": not rest and not origin, "set": len(rest) > 1 and not origin}
    if not act.get(name, False):
        raise UsageError(f"config {' '.join(words)} is not understood.", "It shows and sets settings.", USAGE)
    found = places.find()
    if name == "path":
        sys.stdout.buffer.write(os.fsencode(found.user_config) + b"\n")
        return 0
    if name == "set":
        return _set(options, found, rest[0], " ".join(rest[1:]))
    for line in list_settings(_at_work(options, found), origin=origin):
        write(sys.stdout, f"{line}\n")
    return 0


def list_settings(at_work: Config, *, origin: bool = False) -> Iterator[str]:
    """Word every setting, a line each; with `origin` the file and line, variable or flag behind it."""
    rows = []
    for section in at_work.sections():
        for key, known in settings(section).items():
            name = f"{section}.{key}"
            value = show(known, getattr(at_work.section(section), key))
            rows.append((name, f"= {value}".strip(), at_work.where.get(name, SHIPPED) if origin else ""))
    yield from aligned(rows)


def _at_work(options: argparse.Namespace, found: places.Places) -> Config:
    """Read the settings as a task here would; a folder that was not said yes to sets nothing."""
    screen = open_screen(options, load_settings(options, found))
    silent = Screen(screen.show)
    try:
        brought, told = bring(options, found, load_settings(options, found), silent)
        at_work = load_settings(options, found, brought.settings)
        for line in (*told, *at_work.warnings):
            screen.say(line)
    finally:
        screen.close()
    return at_work


def _set(options: argparse.Namespace, found: places.Places, name: str, value: str) -> int:
    """Save a value; say so where something else stands over it. Raises UsageError and ConfigError."""
    section, _, key = name.rpartition(".")
    if not is_section(section) or key not in settings(section):
        names = [f"{one}.{key}" for one in SECTIONS for key in settings(one)]
        near = difflib.get_close_matches(name, names, 1, 0.5) or [one for one in names if name in one]
        raise UsageError(
            f"There is no setting {name!r}.",
            f"Did you mean {near[0]}?" if near else "A setting is SECTION.KEY, such as model.name.",
            "All of them: tripletick config show",
        )
    save(found.user_config, section, key, value)
    now = load_settings(options, found)
    screen = open_screen(options, now)
    if not options.quiet:
        screen.say(SAVED.format(name=name, value=value.strip(), path=found.user_config))
    where = now.where.get(name, "")
    if not where.startswith(str(found.user_config)):
        shown = show(settings(section)[key], getattr(now.section(section), key))
        screen.say(COVERED.format(where=where, value=shown))
    screen.close()
    return 0
