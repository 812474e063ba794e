"""What a task changed in its copy, as `git diff` writes it: binary files too, for `git apply`.

Only what was touched is compared: a file whose number, size, times and mode are those it was put down with is
the same. Left out are .git, the folders of tools (node_modules, .venv …), and new files that a .gitignore of
the beginning names. Folders without a file are not in a patch. No git runs in the copy: its settings could
name programs.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tripletick.batch.tasks import GIT
from tripletick.checkpoint.ignore_rules import TOOLS
from tripletick.errors import UsageError
from tripletick.paths.ignore_files import GIT_IGNORE, Specs, is_ignored, parse_ignore_file, read_ignore_file
from tripletick.system.lazy_regex import lazy_regex

MOST = 256 << 20
"""Bytes of changed files that a patch may be made of."""
TOO_LARGE = "Its changes are larger than {most} MB, too large for a patch."
DIFF = ("git", "diff", "--no-index", "--binary", "--no-prefix", "--no-ext-diff", "--no-textconv")
"""The two folders are called a and b, as in every patch."""
STYLE = ("--no-color", "--no-renames", "--src-prefix=", "--dst-prefix=")

HEAD = lazy_regex(rb'(?m)^diff --git ("?)([ab])/(.+)\1 \1\2/\3\1$')
"""As it is where a file is new or gone."""

Print = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class CopySnapshot:
    """A copy as it was put down."""

    prints: Mapping[str, Print]
    ignored: Specs

    @classmethod
    def from_folder(cls, folder: Path) -> CopySnapshot:
        prints = dict(_scan_files(folder))
        found = [
            (name.removesuffix(GIT_IGNORE), parse_ignore_file(read_ignore_file(folder / name)))
            for name in prints
            if name.rpartition("/")[2] == GIT_IGNORE and not (folder / name).is_symlink()
        ]
        return cls(prints, tuple(sorted(found, key=lambda one: one[0].count("/"))))

    def find_changes(self, folder: Path) -> dict[str, bool]:
        """Name what is not as it was, and tell of each whether it is there."""
        now = dict(_scan_files(folder))
        gone = {name: False for name in self.prints if name not in now}
        touched = [name for name, its in now.items() if self.prints.get(name) != its]
        return gone | {
            name: True for name in touched if name in self.prints or not is_ignored(name, self.ignored)
        }


def make_patch(before: CopySnapshot, start: IO[bytes], copy: Path, room: Path) -> bytes:
    """Give the patch, b"" where nothing has changed; the changed files are taken out of the copy.

    `room` is an empty folder. Raises OSError, and UsageError where it would be too large.
    """
    changed = before.find_changes(copy)
    old, new = room / "a", room / "b"
    for side in (old, new):
        side.mkdir()
    if not changed:
        return b""
    _restore_originals(start, (name for name in changed if name in before.prints), old)
    for name, there in changed.items():
        if there:
            _move_file(copy / name, new / name)
    _check_size(old, new)
    env = {**os.environ, **GIT, "GIT_CEILING_DIRECTORIES": str(room.parent), "GIT_ATTR_NOSYSTEM": "1"}
    words = [*DIFF, *STYLE, "a", "b"]
    made = subprocess.run(words, cwd=room, capture_output=True, check=False, env=env)
    if made.returncode not in (0, 1):
        raise OSError(f"git diff: {made.stderr.decode(errors='replace').strip()}")
    return HEAD.sub(rb"diff --git \1a/\3\1 \1b/\3\1", made.stdout)


def _scan_files(folder: Path) -> Iterator[tuple[str, Print]]:
    """Give the files, each with what any change of it changes. Raises OSError: what is not seen is gone."""
    _unlock_folder(folder)
    for top, folders, files in os.walk(folder, onerror=_raise_error):
        links = [name for name in folders if os.path.islink(os.path.join(top, name))]  # noqa: PTH118, PTH114
        folders[:] = [name for name in folders if name not in TOOLS]
        for name in folders:
            _unlock_folder(Path(top, name))
        for name in (*files, *links):
            path = os.path.join(top, name)  # noqa: PTH118
            status = os.lstat(path)
            if name != ".git" and (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
                its = status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode
                yield os.path.relpath(path, folder), its


def _unlock_folder(folder: Path) -> None:
    """Let us into a folder of the copy that a program has closed."""
    if not folder.is_symlink() and not os.access(folder, os.R_OK | os.X_OK):
        folder.chmod(0o700)


def _raise_error(error: OSError) -> None:
    raise error


def _restore_originals(start: IO[bytes], names: Iterable[str], to: Path) -> None:
    start.seek(0)
    with tarfile.open(fileobj=start) as tar:
        for name in names:
            member = tar.getmember(name)
            target = to / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if member.issym():
                target.symlink_to(member.linkname)
            elif source := tar.extractfile(member):
                with target.open("wb") as file:
                    shutil.copyfileobj(source, file)
                target.chmod(member.mode & 0o777 | 0o600)


def _move_file(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if not source.is_symlink():
        source.chmod(source.stat().st_mode & 0o777 | 0o600)
    source.parent.chmod(0o700)
    source.rename(target)


def _check_size(*folders: Path) -> None:
    size = sum(its[1] for folder in folders for _, its in _scan_files(folder))
    if size > MOST:
        raise UsageError(TOO_LARGE.format(most=MOST >> 20), "", "To work in the folder itself: --in-place")
