"""Folders and files outside the workspace that the user lets be read, each through its own handle.

Reading alone: nothing here writes. What blocks see of them is the box's business.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tripletick.paths.dir_handle import DirHandle
from tripletick.paths.mapper import PathRefused

KEPT = "is kept from you by the person; work without it"


@dataclass(frozen=True, slots=True)
class ReadGrant:
    """A folder, or the one file `only` of it."""

    within: DirHandle
    only: str = ""

    def covers_path(self, path: str) -> bool:
        return not self.only or path == self.only


class ReadGrants:
    """What was let in. `hidden` stays out of sight even there."""

    def __init__(self, hidden: Sequence[Path] = ()) -> None:
        self._hidden = [path.resolve().as_posix() for path in hidden]
        self._rooms: list[ReadGrant] = []

    def __bool__(self) -> bool:
        return bool(self._rooms)

    def add_path(self, path: Path) -> None:
        """Let in a folder or a file. Raises OSError."""
        real, named = path.resolve(strict=True), posixpath.normpath(path.absolute().as_posix())
        if real.is_dir():
            self._rooms.append(ReadGrant(DirHandle(real, named)))
        else:
            self._rooms.append(ReadGrant(DirHandle(real.parent, posixpath.dirname(named)), real.name))

    def list_roots(self) -> list[str]:
        """Give the folders that were let in as a whole."""
        return [room.within.root.as_posix() for room in self._rooms if not room.only]

    def resolve_path(self, text: str) -> str | None:
        """Give the absolute path, free of links, that a path means; None where it lies in no room.

        Raises PathRefused for what is hidden there, and for a link that leads away.
        """
        refused = None
        for room in self._rooms:
            inside = room.within.bearings.get_relative_parts(text)
            if inside is None:
                continue
            try:
                path = room.within.resolve_links(inside, text)
            except PathRefused as refusal:
                refused = refusal
                continue
            if room.covers_path(path):
                return posixpath.normpath(f"{room.within.root.as_posix()}/{path}")
        if refused:
            raise refused
        return None

    def is_hidden(self, path: str) -> bool:
        """Tell whether an absolute path stays out of sight."""
        bare = path.rstrip("/")
        return any(bare == each or bare.startswith(f"{each}/") for each in self._hidden)

    def locate_path(self, path: str) -> tuple[DirHandle, str]:
        """Give the folder, and the path in it, of an absolute path. Raises PathRefused."""
        for room in self._rooms:
            inside = room.within.bearings.get_relative_parts(path)
            if inside is not None and room.covers_path("/".join(inside)) and not self.is_hidden(path):
                return room.within, "/".join(inside) or "."
        raise PathRefused(f"{path} is outside this folder; only paths inside it can be used")
