"""What a block sees of the file system, as arguments for bubblewrap; later ones lie over earlier ones.

Only what is named here exists in the box. Who may read it by the kernel's own rules is not decided here, but
for root, who may read everything: what others may not read is hidden from it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tripletick.sandbox.box import Mode
from tripletick.sandbox.hidden import IGNORE, OURS, Found
from tripletick.sandbox.toolchains import PRIVATE, SYSTEM, is_folder, is_inside, is_system, mode_of
from tripletick.sandbox.user import Session, User, remove

NAMESPACES = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--new-session", "--die-with-parent"),
    *("--as-pid-1", "--cap-drop", "ALL", "--hostname", "sandbox"),
)
SCRATCH = (("/dev/shm", 2), ("/run", 4), ("/var/tmp", 4))
"""Folders in memory, and their share of the quarter of the memory limit that they may take together."""
READ_ONLY_PROC = ("/proc/sys",)
READ_ONLY_PROC_ROOT = (
    "/proc/sysrq-trigger",
    "/proc/irq",
    "/proc/bus",
    "/proc/fs",
    "/proc/acpi",
    "/proc/mtrr",
)
"""root owns these, and needs no capability to write to what it owns."""
GUARDED = ("/etc", "/opt", "/usr/local")
"""Where files that only root may read are looked for."""
TMP = Path("/tmp")


@dataclass(frozen=True, slots=True)
class View:
    """What one workspace's boxes see, as far as it stays the same for a session."""

    workspace: Path
    tools: tuple[Path, ...]
    """Read-only folders of programs, and what the person lets blocks read."""
    ours: tuple[Path, ...]
    """Read-only where they lie in the workspace."""
    homes: tuple[Path, ...]
    """Out of sight, but for the tools and the workspace in them."""
    unseen: tuple[Path, ...]
    """Out of sight also in what the person lets blocks read."""
    session: Session
    user: User
    memory: int


def system_mounts() -> list[str]:
    """Read-only system folders; links (/bin on most systems) stay links."""
    arguments: list[str] = []
    for folder in SYSTEM:
        if Path(folder).is_symlink():
            arguments += ["--symlink", str(Path(folder).readlink()), folder]
        elif Path(folder).is_dir():
            arguments += ["--ro-bind", folder, folder]
    return arguments


def kernel_mounts(*, root: bool) -> list[str]:
    arguments = ["--dev", "/dev", "--proc", "/proc"]
    for path in READ_ONLY_PROC + (READ_ONLY_PROC_ROOT if root else ()):
        if Path(path).exists():
            arguments += ["--ro-bind", path, path]
    return arguments


def scratch_mounts(memory: int) -> list[str]:
    return [word for path, part in SCRATCH for word in ("--size", str(memory // 4 // part), "--tmpfs", path)]


def guarded_paths() -> list[Path]:
    """The system's files and folders that are closed to others than root and its groups."""
    found: list[Path] = []
    waiting = list(GUARDED)
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                mode = status.st_mode
                is_folder = stat.S_ISDIR(mode)
                needed = stat.S_IROTH | stat.S_IXOTH if is_folder else stat.S_IROTH
                is_file = stat.S_ISREG(mode) and status.st_size > 0
                if (is_folder or is_file) and mode & needed != needed:
                    found.append(Path(entry.path))
                elif is_folder:
                    waiting.append(entry.path)
    return found


def private_paths(homes: Iterable[Path]) -> list[Path]:
    return [home / name for home in homes for name in PRIVATE]


def is_regular(path: Path) -> bool:
    """Tell whether this is a file or folder and no link; what we may not look at is neither."""
    with contextlib.suppress(OSError):
        mode = path.lstat().st_mode
        return stat.S_ISDIR(mode) or stat.S_ISREG(mode)
    return False


def hide(path: Path, session: Session) -> list[str]:
    """Lay nothing over `path`, where it is a folder or a regular file."""
    if not is_regular(path):
        return []
    return ["--ro-bind", str(session.nowhere if path.is_dir() else session.nothing), str(path)]


def hollows(view: View) -> list[Path]:
    """The closed places in system folders around something visible: emptied, with room for mount points."""
    inside = [*view.tools, view.workspace]
    closed = [path for path in (*view.homes, *view.unseen) if is_system(path) and is_folder(path)]
    return [path for path in closed if any(path in each.parents or path == each for each in inside)]


def hollow_mounts(view: View) -> list[str]:
    return [word for path in hollows(view) for word in ("--size", "65536", "--tmpfs", str(path))]


def hollow_ends(view: View) -> list[str]:
    return [word for path in hollows(view) for word in ("--remount-ro", str(path))]


def hidden_mounts(view: View) -> list[str]:
    """Lay nothing over the other closed places that lie in what was let in."""
    hollow = hollows(view)
    closed = [path for path in view.homes if is_system(path)]
    closed += [path for path in view.unseen if is_visible(path, view)]
    return [
        word
        for path in closed
        if path not in hollow and view.user.reaches(path)
        for word in hide(path, view.session)
    ]


def is_visible(path: Path, view: View) -> bool:
    return is_system(path) or any(is_inside(path, folder) for folder in view.tools)


def tool_mounts(view: View) -> list[str]:
    """Each mount costs a third of a millisecond: what lies in another folder is seen with it."""
    nested = {path for path in view.tools if any(each in path.parents for each in view.tools)}
    ordered = sorted({*view.tools} - nested)
    return [word for path in ordered for word in ("--ro-bind-try", str(path), str(path))]


def workspace_mounts(view: View, mode: Mode) -> list[str]:
    """The workspace, and in it read-only what is not the block's to change."""
    root = view.workspace
    arguments = ["--bind" if mode == "work" else "--ro-bind", str(root), str(root)]
    own = [root / name for name in (*OURS, IGNORE)]
    own += [path for path in view.ours if root in path.parents]
    kept = sorted(filter(is_regular, own), key=lambda path: len(path.parts))
    closed = {barrier for path in own if (barrier := inner_barrier(path, view))}
    kept = [path for path in kept if not closed.intersection(path.parents)]
    if mode == "work":
        arguments += pins(root, kept)
    arguments += [word for path in kept for word in ("--ro-bind", str(path), str(path))]
    return arguments + [word for path in sorted(closed) for word in hide(path, view.session)]


def inner_barrier(path: Path, view: View) -> Path | None:
    """Give the folder of the workspace that keeps bubblewrap from `path`; the block could open it again."""
    barrier = view.user.barrier(path)
    return barrier if barrier and view.workspace in barrier.parents else None


def pins(root: Path, kept: Sequence[Path]) -> list[str]:
    """Bind the folders above what is kept onto themselves: a mount cannot be renamed away."""
    between = {folder for path in kept for folder in path.parents if root in folder.parents}
    ordered = sorted(between, key=lambda path: len(path.parts))
    return [word for path in ordered for word in ("--bind", str(path), str(path))]


def found_mounts(found: Found, view: View) -> list[str]:
    """Hide what was found in the workspace; what hides in a hidden folder needs nothing more."""
    session = view.session
    covers = dict.fromkeys(map(Path, found.folders), session.nowhere)
    covers |= dict.fromkeys(map(Path, found.files), session.nothing)
    covers |= dict.fromkeys(map(Path, found.sockets), Path("/dev/null"))
    closed = {barrier for path in covers if (barrier := inner_barrier(path, view))}
    covers |= dict.fromkeys(closed, session.nowhere)
    folders = {path for path, cover in covers.items() if cover == session.nowhere}
    shown = {path: cover for path, cover in covers.items() if not folders.intersection(path.parents)}
    return [word for path, cover in sorted(shown.items()) for word in ("--ro-bind", str(cover), str(path))]


def socket_mounts(view: View, bound: Iterable[str]) -> list[str]:
    """Cover other programs' sockets that the box would see: a read-only mount does not stop connect(2)."""
    arguments: list[str] = []
    for path in sorted({os.path.realpath(each) for each in bound if each.startswith("/")}):
        if (
            is_visible(Path(path), view)
            and stat.S_ISSOCK(mode_of(Path(path)))
            and view.user.reaches(Path(path))
        ):
            arguments += ["--ro-bind", "/dev/null", path]
    return arguments


def make_points(view: View) -> None:
    """Make the mount points in the box's /tmp ourselves: bwrap would follow links that a block has left."""
    for path in filter(lambda path: TMP in path.parents, (view.workspace, *view.tools)):
        parts = path.relative_to(TMP).parts
        if is_folder(path):
            make_point(view.session.home, parts, view.user)
        else:
            make_point(view.session.home, parts[:-1], view.user)
            make_file(view.session.home / path.relative_to(TMP), view.user)


def make_file(point: Path, user: User) -> None:
    """Make an empty file in a folder that has just been opened or made; anything else of that name goes."""
    if stat.S_ISREG(point.lstat().st_mode if os.path.lexists(point) else 0):
        return
    remove(point)
    handle = os.open(point, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    if user.switched:
        os.fchown(handle, user.uid, user.gid)
    os.close(handle)


def make_point(home: Path, parts: tuple[str, ...], user: User) -> None:
    folder = os.open(home, os.O_DIRECTORY | os.O_NOFOLLOW)
    for part in parts:
        try:
            below = open_folder(part, folder, user)
        finally:
            os.close(folder)
        folder = below
    os.close(folder)


def open_folder(name: str, above: int, user: User) -> int:
    """Open or make a folder; anything else of that name goes."""
    flags = os.O_DIRECTORY | os.O_NOFOLLOW
    with contextlib.suppress(OSError):
        return os.open(name, flags, dir_fd=above)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=above)
    os.mkdir(name, 0o700, dir_fd=above)
    if user.switched:
        os.chown(name, user.uid, user.gid, dir_fd=above, follow_symlinks=False)
    return os.open(name, flags, dir_fd=above)


def fixed_arguments(view: View) -> list[str]:
    """What stays the same for a session: system, kernel, memory, tools, and what is hidden in these."""
    return [
        *NAMESPACES,
        *system_mounts(),
        *kernel_mounts(root=view.user.is_root),
        *scratch_mounts(view.memory),
        *("--bind", str(view.session.home), str(TMP)),
        *hollow_mounts(view),
        *tool_mounts(view),
        *hidden_mounts(view),
    ]


def block_arguments(view: View, mode: Mode, found: Found, bound: frozenset[str]) -> list[str]:
    """What is looked at again before each block: the workspace and the sockets of others."""
    return [
        *socket_mounts(view, bound),
        *workspace_mounts(view, mode),
        *found_mounts(found, view),
        *hollow_ends(view),
        *("--chdir", str(view.workspace), "--remount-ro", "/dev", "--remount-ro", "/"),
    ]
