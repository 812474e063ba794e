"""What a task begins with, as one tar: a folder, a commit, or nothing; and put down again where it works.

A copy is thrown away, so what is done to it is known from the patch alone (patches). Links stay links; what
is neither file, folder nor link is left out. The copy of a commit is a repository of that commit alone: git
works in it, and nothing is written to the user's own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import IO

from tripletick.batch.tasks import GIT, BatchTask
from tripletick.errors import UsageError

TOO_LARGE = "{folder} is larger than {most} MB, the limit for sending a folder to another machine."
REMEDY = "Use a smaller folder, or run without --ray."
NO_GIT = "Patches are made with git, which is not installed."
IN_PLACE = "Install it, or run the tasks in the folders themselves: --in-place"
MIB = 1 << 20
Leave = Callable[[tarfile.TarInfo], tarfile.TarInfo | None]


def require_git(*, in_place: bool) -> None:
    """Raise UsageError where copies are worked in and git is missing."""
    if not in_place and not shutil.which("git"):
        raise UsageError(NO_GIT, "A task works in a copy, and its result is a patch.", IN_PLACE)


def pack_task(
    task: BatchTask, to: IO[bytes], leave_out: Collection[Path] = (), most: int | None = None
) -> None:
    """Write what the task begins with. Raises OSError, and UsageError above `most` bytes."""
    with tempfile.TemporaryDirectory(prefix="tripletick-commit-") as name:
        folder = task.folder
        if task.repo:
            folder = Path(name)
            _check_out_commit(task.repo, task.commit, folder)
        with tarfile.open(fileobj=to, mode="w", format=tarfile.PAX_FORMAT) as tar:
            if folder:
                _add_folder(tar, folder, leave_out, most)


def unpack_task(start: IO[bytes], folder: Path) -> None:
    """Put it down in a folder. Raises OSError and tarfile.TarError."""
    with tarfile.open(fileobj=start) as tar:
        # the filter is missing before Python 3.11.4; what is unpacked here we have packed
        tar.extraction_filter = getattr(tarfile, "tar_filter", None)
        tar.extractall(folder)


def _add_folder(tar: tarfile.TarFile, folder: Path, leave_out: Collection[Path], most: int | None) -> None:
    out = {str(path.relative_to(folder)) for path in leave_out if path.is_relative_to(folder)}
    room = most

    def kept(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        nonlocal room
        if member.name in out or not (member.isfile() or member.isdir() or member.issym() or member.islnk()):
            return None
        if room is not None and (room := room - member.size) < 0:
            raise UsageError(TOO_LARGE.format(folder=folder, most=(most or 0) // MIB), "", REMEDY)
        member.uid, member.gid, member.uname, member.gname = os.getuid(), os.getgid(), "", ""
        return member

    for path in sorted(folder.iterdir()):
        tar.add(path, path.name, filter=kept)


def _check_out_commit(repo: Path, commit: str, folder: Path) -> None:
    """Get one commit into a new repository. Raises OSError."""
    for words in (
        ["init", "--quiet"],
        ["fetch", "--quiet", "--depth=1", "--no-tags", str(repo), commit],
        ["-c", "advice.detachedHead=false", "checkout", "--quiet", "--detach", commit],
    ):
        done = subprocess.run(
            ["git", *words],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            env={**os.environ, **GIT},
        )
        if done.returncode:
            raise OSError(f"git {words[0]}: {done.stderr.strip()}")
