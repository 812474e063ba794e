"""Puts back what decides on hiding and cannot be mounted over: links that hide, an ignore file that was made.

Looks once before a block and once after it; what is a regular file is bound read-only instead (mounts.py).
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tripletick.sandbox.box import Finished
from tripletick.sandbox.user import User, remove
from tripletick.system.text import join_names

PUT_BACK = "Put back, because blocks may not change it: {names}"
SHOWN = 5

Held = dict[Path, str]
"""Links with what they say, and "" for what is not there."""


def hold(paths: Iterable[Path]) -> Held:
    """Look at paths before a block; what is a file or a folder is not held."""
    looked = {path: said(path) for path in paths}
    return {path: target for path, target in looked.items() if target is not None}


def said(path: Path) -> str | None:
    """Give what a link says, "" where nothing is, None for a file or a folder."""
    if path.is_symlink():
        return str(path.readlink())
    return None if os.path.lexists(path) else ""


def put_back(held: Held, user: User, workspace: Path) -> str:
    """Give the line that names what a block has changed, "" where it has changed nothing."""
    changed = []
    for path, target in held.items():
        with contextlib.suppress(OSError), _entered(path.parent):
            if not _differs(path, target):
                continue
            changed.append(path)
            remove(path)
            if held[path]:
                path.symlink_to(held[path])
                if user.switched:
                    os.chown(path, user.uid, user.gid, follow_symlinks=False)
    names = shorten([str(path.relative_to(workspace)) for path in changed])
    return PUT_BACK.format(names=names) if changed else ""


@contextlib.contextmanager
def _entered(folder: Path) -> Iterator[None]:
    """Let a folder be entered that a block has closed, and close it again. Raises OSError."""
    mode = stat.S_IMODE(folder.lstat().st_mode)
    if os.access(folder, os.R_OK | os.W_OK | os.X_OK) or folder.is_symlink():
        yield
        return
    folder.chmod(mode | stat.S_IRWXU)
    try:
        yield
    finally:
        folder.chmod(mode)


def _differs(path: Path, target: str) -> bool:
    """Tell whether it must be put back; a folder that was moved away has taken its links along."""
    return os.path.realpath(path.parent) == str(path.parent) and path.parent.is_dir() and said(path) != target


def shorten(names: Sequence[str]) -> str:
    # A block chooses names: one with a line end could pass for a line of ours.
    plain = ["".join(each if each.isprintable() else "?" for each in name) for name in names]
    return join_names(plain, SHOWN)


def add(finished: Finished, line: bytes) -> Finished:
    if finished.tail:
        return replace(finished, tail=finished.tail + line)
    return replace(finished, head=finished.head + line)
