"""Delete all of tripletick's data on this machine: state, cache, and the user's settings."""

from __future__ import annotations

import argparse
import os
import shlex
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tripletick.chat.frontend import Screen, open_screen
from tripletick.commands import owned_files
from tripletick.commands.owned_files import OwnedFiles
from tripletick.errors import TripletickError, UsageError, UserNeededError
from tripletick.events import Ask
from tripletick.history import retention
from tripletick.system import dirs
from tripletick.system.text import format_size, join_names
from tripletick.ui.sanitize import write_lines

QUESTION = "Delete all of this?"
SETTINGS = "Delete your settings too?"
WHY = "This cannot be undone. Sessions and snapshots will be lost, and earlier turns can no longer be undone."
NOTHING = "There is no tripletick data on this machine."
KEPT = "Nothing was deleted."
NAMED = 5
"""As many files that are not ours are named."""
RUNNING = (
    "Nothing was deleted: another tripletick is running.",
    "It has files open that would be deleted.",
    "Close it with /exit, then run: tripletick remove-data",
)
REST = "tripletick itself stays installed. To remove it: pip, pipx or uv uninstall tripletick."


@dataclass(frozen=True, slots=True)
class OwnedFolder:
    """One folder of ours: what it is for, its bytes, and where it leads if it is a link."""

    what: str
    path: Path
    owned: OwnedFiles

    def format_line(self) -> str:
        link = f", a link; its target is kept ({self.path.readlink()})" if self.path.is_symlink() else ""
        stays = f", except {format_other_files(self.owned)}" if self.owned.others else ""
        taken = sum(map(disk_usage, self.owned.paths))
        return f"{self.path}  {format_size(taken)}  {self.what}{link}{stays}"


def run_remove_data(options: argparse.Namespace, words: Sequence[str]) -> int:
    """List the folders of ours, ask, and delete them; gives the exit code."""
    from tripletick.config.config import Config

    if words:
        raise UsageError(f"remove-data {' '.join(words)} is not understood.", "", "tripletick remove-data")
    found = dirs.find_dirs()
    data, settings = list(_find_data_folders(found)), list(_find_settings_folder(found))
    if not data and not settings:
        sys.stdout.write(f"{NOTHING}\n")
        return 0
    write_lines(sys.stdout, [one.format_line() for one in (*data, *settings)])
    sys.stdout.flush()
    # The user's config may be what is broken, so it is not read.
    screen = open_screen(options, Config())
    try:
        chosen = data + settings if options.yes else _ask_what_to_delete(data, settings, screen)
    finally:
        screen.close()
    write_lines(sys.stdout, _delete_folders(chosen, found))
    return 0 if chosen else 1


def _ask_what_to_delete(
    data: list[OwnedFolder], settings: list[OwnedFolder], screen: Screen
) -> list[OwnedFolder]:
    if not screen.person:
        what = "Nothing was deleted: there is no terminal to ask for confirmation."
        raise UserNeededError(what, WHY, "tripletick remove-data -y")
    wanted = data if data and screen.ask(Ask(QUESTION, "yn?", WHY)).choice == "y" else []
    if (
        settings
        and (wanted or not data)
        and screen.ask(Ask(SETTINGS, "yn?", settings[0].format_line())).choice == "y"
    ):
        return wanted + settings
    return wanted


def _delete_folders(chosen: Sequence[OwnedFolder], found: dirs.AppDirs) -> Iterator[str]:
    """Delete, and say so line by line. Raises TripletickError while another tripletick is at work."""
    if not chosen:
        yield KEPT
        return
    with retention.lock_paths([found.state] if found.state.is_dir() else []) as alone:
        if not alone:
            raise TripletickError(*RUNNING)
        if any(one.path == found.state for one in chosen):
            stop_engines(found)
        paths = {one.path for one in chosen}
        # an engine may have written something since they were listed
        for one in (*_find_data_folders(found), *_find_settings_folder(found)):
            if one.path not in paths:
                continue
            _remove_folder(one)
            if one.owned.others:
                others = format_other_files(one.owned)
                yield f"Deleted tripletick's files in {one.path}; other files were kept: {others}"
            else:
                yield f"Deleted: {one.path}"
    yield REST


def stop_engines(found: dirs.AppDirs) -> None:
    """End the engines of local models, which would go on without their files."""
    from tripletick.models.shared_engine import status

    for one in status.list_running(found.engines):
        one.end_process()


def _find_data_folders(found: dirs.AppDirs) -> Iterator[OwnedFolder]:
    rows = (
        (
            "sessions, snapshots, input history, trust answers",
            found.state,
            owned_files.scan_state(found),
        ),
        ("downloaded models", found.cache, owned_files.scan_cache(found)),
    )
    return (OwnedFolder(*row) for row in rows if _has_owned_files(row[2]))


def _find_settings_folder(found: dirs.AppDirs) -> Iterator[OwnedFolder]:
    ours = owned_files.scan_config(found)
    return (OwnedFolder("your settings", found.config, each) for each in [ours] if _has_owned_files(each))


def _has_owned_files(found: OwnedFiles) -> bool:
    """Tell whether there is anything to delete: an empty folder of ours is."""
    return bool(found.paths or (found.folders and not found.others))


def format_other_files(found: OwnedFiles) -> str:
    """Name some of what is not ours."""
    return join_names(found.others, NAMED)


def disk_usage(folder: Path) -> int:
    """Add up what a file or those below a folder take on the disk; what cannot be read counts for nothing."""
    total = folder.lstat().st_size if folder.is_file() and not folder.is_symlink() else 0
    for above, _, names in os.walk(folder):
        for name in names:
            try:
                status = Path(above, name).lstat()
            except OSError:
                continue
            total += status.st_size if stat.S_ISREG(status.st_mode) else 0
    return total


def _remove_folder(one: OwnedFolder) -> None:
    """Raises TripletickError where something stays."""
    from tripletick.sandbox.user import remove

    remove(*one.owned.paths)
    for folder in one.owned.folders:
        with suppress(OSError):
            folder.rmdir()
    left = [path for path in one.owned.paths if os.path.lexists(path)]
    if left:
        names = " ".join(map(shlex.quote, map(str, left)))
        raise TripletickError(
            f"{one.path} could not be deleted completely.",
            "Some files in it belong to another user.",
            f"rm -r {names}",
        )
