"""The answers that outlive a session: what blocks may do in a folder, which of its files were said yes to.

One file in our state folder, by the folder's real path and inode: another folder under the same path is asked
about again. The device is left out, since its number changes with the next start of the computer.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from tripletick.system.dirs import make_private_folder, replace_file
from tripletick.system.text import describe_os_error

Blocks = Literal["", "write", "read", "none"]

FORMAT = 1
NAME = "folders.json"
NEWER = (
    "{path} was written by a newer tripletick; its answers are ignored and new ones are not saved. Update "
    "tripletick, or remove the file."
)
BROKEN = "{path} cannot be read: {why}. You will be asked again."
UNKEPT = "The answer for this folder could not be saved: {why}. You will be asked again next time."


@dataclass(frozen=True, slots=True)
class FolderAnswers:
    """What was answered for one folder."""

    inode: int = 0
    blocks: Blocks = ""
    """What blocks may do; "": never answered."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The files of it that were said yes to, and their hashes."""


class AnswerStore:
    """The answers, read when asked for. `save` False: nothing is written. `problems` are for the user."""

    def __init__(self, state: Path, *, save: bool = True) -> None:
        self._path = state / NAME
        self._save = save
        self._mine: dict[str, FolderAnswers] = {}
        self.problems: list[str] = []

    def get_answers(self, folder: Path) -> FolderAnswers:
        """Give what is known of a folder."""
        name, inode = _identify_folder(folder)
        kept = self._mine.get(name) or _parse_answers((self._read_folders() or {}).get(name))
        return kept if kept.inode == inode else FolderAnswers(inode)

    def save_answers(
        self, folder: Path, *, blocks: Blocks | None = None, files: Mapping[str, str] | None = None
    ) -> None:
        """Remember an answer, the other one stays; what cannot be kept holds for this session."""
        old = self.get_answers(folder)
        name, inode = _identify_folder(folder)
        kept = replace(
            old,
            inode=inode,
            blocks=old.blocks if blocks is None else blocks,
            files=old.files if files is None else dict(files),
        )
        self._mine[name] = kept
        if not self._save:
            return
        try:
            with self._hold_lock():
                folders = self._read_folders()
                if folders is not None:
                    whole = {"format": FORMAT, "folders": folders | {name: asdict(kept)}}
                    replace_file(self._path, json.dumps(whole, indent=1).encode())
        except OSError as error:
            self.problems.append(UNKEPT.format(why=describe_os_error(error)))

    def _read_folders(self) -> dict[str, Any] | None:
        """Give all folders; None where they are not ours to change."""
        try:
            whole = json.loads(self._path.read_bytes())
            if whole["format"] > FORMAT:
                self._add_problem(NEWER.format(path=self._path))
                return None
            return dict(whole["folders"])
        except FileNotFoundError:
            return {}
        except OSError as error:
            self._add_problem(BROKEN.format(path=self._path, why=describe_os_error(error)))
        except (ValueError, KeyError, TypeError):
            self._add_problem(BROKEN.format(path=self._path, why="it is damaged"))
        return {}

    def _add_problem(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    @contextlib.contextmanager
    def _hold_lock(self) -> Iterator[None]:
        make_private_folder(self._path.parent)
        handle = os.open(self._path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _identify_folder(folder: Path) -> tuple[str, int]:
    real = Path(os.path.realpath(folder))
    return os.fsencode(real).decode("utf-8", "backslashreplace"), real.stat().st_ino


def _parse_answers(row: Any) -> FolderAnswers:
    """Read one folder's row; what is no row of ours is nothing."""
    if not isinstance(row, dict) or row.get("blocks") not in get_args(Blocks):
        return FolderAnswers()
    files = row.get("files")
    named = files.items() if isinstance(files, dict) else ()
    inode = row.get("inode")
    return FolderAnswers(
        inode if isinstance(inode, int) else 0, row["blocks"], {str(path): str(mark) for path, mark in named}
    )
