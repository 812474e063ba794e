"""Deleting everything of ours on this machine: state, cache, and the person's settings."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tripletick import places, retention
from tripletick.errors import PersonNeededError, TripletickError, UsageError
from tripletick.events import Ask
from tripletick.screens import Screen, open_screen
from tripletick.ui.safe import write

QUESTION = "Delete it all?"
SETTINGS = "Your settings too?"
WHY = "It cannot be undone: sessions and snapshots are gone then, and turns before cannot be undone any more."
NOTHING = "There is nothing of ours here."
KEPT = "Nothing was deleted."
RUNNING = (
    "Nothing was deleted: another tripletick is running.",
    "What it has open would be torn away.",
    "Leave it with /exit, then: tripletick remove-data",
)
REST = "The program itself stays; it goes as it came: pip, pipx or uv uninstall tripletick."


@dataclass(frozen=True, slots=True)
class Found:
    """One folder of ours: what it is for, its bytes, and where it leads if it is a link."""

    what: str
    path: Path
    size: int

    def line(self) -> str:
        from tripletick.tools.output import size

        link = f", a link: what it leads to stays ({self.path.readlink()})" if self.path.is_symlink() else ""
        return f"{self.path}  {size(self.size)}  {self.what}{link}"


def remove_data(options: argparse.Namespace, words: Sequence[str]) -> int:
    """List the folders of ours, ask, and delete them; gives the exit code."""
    from tripletick.config import Config

    if words:
        raise UsageError(f"remove-data {' '.join(words)} is not understood.", "", "tripletick remove-data")
    found = places.find()
    data, settings = list(_there(found)), list(_settings(found))
    if not data and not settings:
        sys.stdout.write(f"{NOTHING}\n")
        return 0
    write(sys.stdout, "".join(f"{one.line()}\n" for one in (*data, *settings)))
    sys.stdout.flush()
    # The person's config may be what is broken, so it is not read.
    screen = open_screen(options, Config())
    try:
        chosen = data + settings if options.yes else _chosen(data, settings, screen)
    finally:
        screen.close()
    write(sys.stdout, "\n".join(_deleted(chosen, found)) + "\n")
    return 0 if chosen else 1


def _chosen(data: list[Found], settings: list[Found], screen: Screen) -> list[Found]:
    if not screen.person:
        what = "Nothing was deleted: nobody is there to be asked."
        raise PersonNeededError(what, WHY, "tripletick remove-data -y")
    wanted = data if data and screen.ask(Ask(QUESTION, "yn?", WHY)).choice == "y" else []
    if (
        settings
        and (wanted or not data)
        and screen.ask(Ask(SETTINGS, "yn?", settings[0].line())).choice == "y"
    ):
        return wanted + settings
    return wanted


def _deleted(chosen: Sequence[Found], found: places.Places) -> Iterator[str]:
    """Delete, and say so line by line. Raises TripletickError while another tripletick is at work."""
    if not chosen:
        yield KEPT
        return
    with retention.held([found.state] if found.state.is_dir() else []) as alone:
        if not alone:
            raise TripletickError(*RUNNING)
        for one in chosen:
            _remove(one)
            yield f"Deleted: {one.path}"
    yield REST


def _there(found: places.Places) -> Iterator[Found]:
    rows = (
        ("sessions, snapshots, what was typed, answers about folders", found.state),
        ("models that were fetched", found.cache),
    )
    return (Found(what, path, bytes_in(path)) for what, path in rows if _is_there(path))


def _settings(found: places.Places) -> Iterator[Found]:
    return (Found("your settings", path, bytes_in(path)) for path in [found.config] if _is_there(path))


def _is_there(path: Path) -> bool:
    return path.is_symlink() or path.is_dir()


def bytes_in(folder: Path) -> int:
    """Add up what files below a folder take on the disk; what cannot be read counts for nothing."""
    total = 0
    for above, _, names in os.walk(folder):
        for name in names:
            try:
                status = Path(above, name).lstat()
            except OSError:
                continue
            total += status.st_size if stat.S_ISREG(status.st_mode) else 0
    return total


def _remove(one: Found) -> None:
    """Raises TripletickError where something stays."""
    from tripletick.sandbox.user import remove

    if one.path.is_symlink():
        one.path.unlink()
        return
    remove(one.path)
    if one.path.exists():
        raise TripletickError(
            f"{one.path} could not be deleted whole.", "Something in it is not yours.", f"rm -r {one.path}"
        )
