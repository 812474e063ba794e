"""Brings back what a block has moved out of hiding, where no mount can keep it from that (tier 2).

Works after the block, when nothing of it runs any more. Which files these are is hidden.py's to tell; what
they held is keeping.py's to put back.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from tripletick.sandbox.user import User, remove


def bring_home(workspace: Path, user: User, strays: Iterable[tuple[Path, Path]]) -> list[str]:
    """Move each from where it lies now to where it lay, and take a second name away; give the former."""
    names = []
    for now, before in strays:
        if os.path.lexists(now):
            names.append(str(now.relative_to(workspace)))
            _bring(workspace, user, now, before)
    return names


def _bring(workspace: Path, user: User, now: Path, before: Path) -> None:
    make_way(workspace, now.parent, user)
    if os.path.lexists(before) and not now.is_dir():
        # Either the same file, or the copy of what it held.
        remove(now)
        return
    with contextlib.suppress(OSError):
        make_way(workspace, before.parent, user)
        remove(before)
        now.rename(before)


def make_way(workspace: Path, folder: Path, user: User) -> None:
    """Make the folders down to this one real and open: a link in their place would lead elsewhere."""
    for each in [each for each in (*reversed(folder.parents), folder) if workspace in each.parents]:
        if each.is_symlink() or not each.is_dir():
            remove(each)
            each.mkdir()
            if user.switched:
                os.chown(each, user.uid, user.gid)
        with contextlib.suppress(OSError):
            each.chmod(each.stat().st_mode & 0o777 | stat.S_IRWXU)
