"""What one block gets beyond its sandbox after the user's yes, as mounts: paths outside, .git, an install.

Refuses, by OSError with a sentence, what would give away keys, settings or the box itself. Does not ask, and
does not run anything: approval does the one, bubblewrap.py the other.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tripletick.paths.hidden_paths import OURS, HiddenPaths
from tripletick.sandbox.file_copies import Copies
from tripletick.sandbox.mounts import TMP, View, found_mounts, is_regular, workspace_mounts
from tripletick.sandbox.toolchains import is_inside, is_real, is_system, mode_of
from tripletick.sandbox.user import User, remove
from tripletick.system import platforms

KERNEL = tuple(map(Path, ("/proc", "/sys", "/dev", "/run", "/boot")))
SHIELDED = {
    "config": False,
    "config.worktree": False,
    "hooks": True,
    "info": True,
    "modules": True,
    "worktrees": True,
}
"""Names in .git that run something or lead elsewhere, and whether they are folders: read-only, and made empty
for the time of the block where they are missing."""
LEADS_AWAY = "commondir"
"""A file that makes git read config and hooks from another folder; an empty one is an error to git, so it
cannot be made beforehand: a new one is taken away afterwards."""
CACHE = TMP / ".cache"
PACKAGES = {"npm_config_cache": str(CACHE / "npm")}
"""pip, uv and go keep their downloads in ~/.cache by themselves."""
NO_WRITE = "{path} cannot be let write to: {why}"
NO_GIT = "nothing can be committed here: {why}"
NO_ONLY = "{path} cannot be let install into: {why}"
READ_MODE = "blocks may only read in this folder"


@dataclass(frozen=True, slots=True)
class RunFolders:
    """Folders of one run of a program, gone after it."""

    home: Path
    workspace: Path
    """Stands in the place of the workspace where the program does not see it."""
    nothing: Path
    nowhere: Path
    """A file and a folder that cannot be opened: git takes an empty file for a change."""
    repository: Path
    """One without settings and commits, for git in the place of those below the workspace."""


@contextlib.contextmanager
def make_room(view: View) -> Iterator[RunFolders]:
    top = Path(tempfile.mkdtemp(prefix="run-", dir=view.session.home.parent))
    try:
        room = RunFolders(*(top / name for name in ("home", "workspace", "file", "folder", "repository")))
        for folder in (room.home, room.workspace, room.nowhere):
            folder.mkdir(0o700)
        room.nothing.touch()
        make_repository(room.repository)
        own(view.user, top, room.home, room.workspace, room.repository)
        for cover in (room.nothing, room.nowhere):
            cover.chmod(0)
        yield room
    finally:
        remove(top)


def make_repository(folder: Path) -> None:
    """Make what git takes for a repository (gitrepository-layout(5)): it refuses an empty folder."""
    for path in (folder, folder / "objects", folder / "refs"):
        path.mkdir(0o755)
    (folder / "HEAD").write_text("ref: refs/heads/none\n")


def own(user: User, *paths: Path) -> None:
    """Give what we made to the block's user."""
    for path in paths if user.switched else ():
        os.chown(path, user.uid, user.gid, follow_symlinks=False)


def widen(view: View, paths: Sequence[Path]) -> View:
    """Let these be written, which lie outside the workspace."""
    writable = tuple(writable_path(path, view) for path in paths)
    return replace(view, tools=(*view.tools, *writable), writable=writable) if writable else view


def writable_path(path: Path, view: View) -> Path:
    """Give the path. Raises OSError where a block must not write there, whoever says yes."""
    mode = mode_of(path)
    closed = (*view.unseen, *view.ours, view.session.home.parent, *KERNEL)
    reasons = (
        (not path.is_absolute(), "it is not an absolute path"),
        (not is_real(path), "a link leads there"),
        (not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)), "no file or folder is there"),
        (touch(path, view.workspace), "it lies in the workspace, or around it"),
        (is_system(path), "it belongs to the system"),
        (
            any(touch(path, each) for each in closed),
            "keys, settings or files of tripletick lie there",
        ),
        (not view.user.reaches(path), f"{view.user.name} cannot reach it"),
    )
    judge(NO_WRITE, path, reasons)
    return path


def touch(path: Path, other: Path) -> bool:
    """Tell whether one of these is the other or lies in it."""
    return path == other or path in other.parents or other in path.parents


def judge(sentence: str, path: Path, reasons: Sequence[tuple[bool, str]]) -> None:
    for applies, why in reasons:
        if applies:
            raise OSError(sentence.format(path=path, why=why))


@contextlib.contextmanager
def git_place(view: View, found: HiddenPaths, room: RunFolders) -> Iterator[list[str]]:
    """Give the workspace read-only, its .git writable, and in that what runs or leads elsewhere read-only.

    git looks into the repositories below too and would run what their settings, which blocks can write, name
    as filter: it finds empty ones there. Raises OSError where .git is not a folder of the workspace.
    """
    git = view.workspace / ".git"
    judge(NO_GIT, git, git_reasons(git))
    nested = find_nested(view.workspace)
    judge(NO_GIT, git, [(path.is_symlink(), f"{path} is a link") for path in nested])
    # A file that leads elsewhere must not be one any more: git ends where it cannot read it.
    covers = {path: room.repository if path.is_dir() else Path("/dev/null") for path in nested}
    with contextlib.ExitStack() as stack:
        for name, is_folder in SHIELDED.items():
            if not os.path.lexists(git / name):
                make_empty(git / name, view.user, is_folder=is_folder)
                stack.callback(take_empty, git / name, is_folder=is_folder)
        shielded = [git / name for name in SHIELDED]
        stack.callback(take_away, git / LEADS_AWAY)
        mounts = workspace_mounts(view, "read")
        mounts += found_mounts(found, view, (room.nothing, room.nowhere), covers)
        mounts += ["--bind", str(git), str(git)]
        yield mounts + [word for path in shielded for word in ("--ro-bind", str(path), str(path))]


def find_nested(workspace: Path) -> list[Path]:
    """Give each .git below the workspace but its own, whatever it is."""
    found: list[Path] = []
    for above, folders, files in platforms.walk_tree(str(workspace)):
        found += [Path(above, ".git")] if ".git" in (*folders, *files) else []
        folders[:] = [name for name in folders if name not in OURS]
    return [path for path in found if path.parent != workspace]


def git_reasons(git: Path) -> list[tuple[bool, str]]:
    mode = git.lstat().st_mode if os.path.lexists(git) else 0
    odd = next((name for name in SHIELDED if os.path.lexists(git / name) and not is_regular(git / name)), "")
    return [
        (not mode, "there is no .git (git init)"),
        (stat.S_ISLNK(mode), ".git is a link"),
        (stat.S_ISREG(mode), ".git is a file that leads to another folder, as in worktrees and submodules"),
        (not stat.S_ISDIR(mode), ".git is no folder"),
        (os.path.lexists(git / LEADS_AWAY), f".git/{LEADS_AWAY} leads to another folder"),
        (bool(odd), f".git/{odd} is a link"),
    ]


def make_empty(path: Path, user: User, *, is_folder: bool) -> None:
    if is_folder:
        path.mkdir()
    else:
        path.touch(exist_ok=False)
    own(user, path)


def take_empty(path: Path, *, is_folder: bool) -> None:
    with contextlib.suppress(OSError):
        if is_folder:
            path.rmdir()
        elif not path.lstat().st_size:
            path.unlink()


def take_away(path: Path) -> None:
    if os.path.lexists(path):
        remove(path)


def only_place(
    view: View, paths: Sequence[Path], found: HiddenPaths, room: RunFolders
) -> tuple[list[str], Copies]:
    """Give an empty folder as workspace, in it these folders of the real one, and single files as copies.

    Raises OSError for a path that is not the block's to change.
    """
    for path in paths:
        judge(NO_ONLY, path, only_reasons(path, view, found))
    folders = [path for path in paths if path.is_dir()]
    copies = Copies(view, room.workspace, [path for path in paths if path not in folders])
    copies.bring_in()
    mounts = ["--bind", str(room.workspace), str(view.workspace)]
    mounts += [word for path in folders for word in ("--bind", str(path), str(path))]
    root = f"{view.workspace}/"
    files, closed, sockets = (
        {path for path in each if not path.startswith(root) or is_in_one(path, folders)}
        for each in parts_of(found)
    )
    left = HiddenPaths(files=files, folders=closed, sockets=sockets)
    return [*mounts, *found_mounts(left, view), *cache_mounts(view)], copies


def parts_of(found: HiddenPaths) -> tuple[set[str], ...]:
    return found.files, found.folders, found.sockets


def is_in_one(path: str, folders: Sequence[Path]) -> bool:
    return any(is_inside(Path(path), folder) for folder in folders)


def only_reasons(path: Path, view: View, found: HiddenPaths) -> list[tuple[bool, str]]:
    real, root = Path(os.path.realpath(path)), view.workspace
    hidden = [Path(each) for part in parts_of(found) for each in part]
    return [
        (root not in real.parents, "it does not lie in the workspace"),
        (real != path, "a link leads to it"),
        (any(is_inside(real, root / name) for name in OURS), "blocks never write there"),
        (any(touch(real, each) for each in view.ours), "tripletick itself runs from it"),
        (any(is_inside(real, each) for each in hidden), "it is hidden from blocks"),
        (os.path.lexists(path) and not is_regular(path), "it is neither a file nor a folder"),
    ]


def cache_mounts(view: View) -> list[str]:
    """A folder for downloads, kept for the session: not longer, since a package can spoil it for others."""
    folder = view.session.home.parent / "packages"
    if not folder.exists():
        folder.mkdir(0o700)
        own(view.user, folder)
    return ["--bind", str(folder), str(CACHE)]
