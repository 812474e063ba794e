"""What a block sees of the file system, as arguments for bubblewrap; later ones lie over earlier ones.

Only what is named here exists in the box. Who may read it by the kernel's own rules is not decided here, but
for root, who may read everything: what others may not read is hidden from it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from tripletick.paths.hidden_paths import IGNORE, OURS, HiddenPaths
from tripletick.sandbox.box import Mode
from tripletick.sandbox.toolchains import PRIVATE, SYSTEM, is_folder, is_inside, is_system, mode_of
from tripletick.sandbox.user import Session, User, remove

NAMESPACES = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--new-session", "--die-with-parent"),
    *("--as-pid-1", "--cap-drop", "ALL", "--hostname", "sandbox"),
)
SHM = "/dev/shm"
SCRATCH = {SHM: 2, "/run": 4, "/var/tmp": 4}
"""Folders in memory, and their share of the quarter of the memory limit that they may take together."""
READ_ONLY_PROC = ("/proc/sys",)
READ_ONLY_PROC_ROOT = ("/proc/fs", "/proc/acpi", "/proc/mtrr")
"""root owns these, and needs no capability to write to what it owns. bubblewrap itself covers sysrq-trigger,
irq and bus where they could be written."""
GUARDED = ("/etc", "/opt", "/usr/local")
"""Where files that only root may read are looked for."""
TMP, DEV = Path("/tmp"), Path("/dev")


@dataclass(frozen=True, slots=True)
class View:
    """What one workspace's boxes see, as far as it stays the same for a session."""

    workspace: Path
    tools: tuple[Path, ...]
    """Read-only folders of programs, and what the user lets blocks read."""
    ours: tuple[Path, ...]
    """Read-only where they lie in the workspace."""
    homes: tuple[Path, ...]
    """Out of sight, but for the tools and the workspace in them."""
    unseen: tuple[Path, ...]
    """Out of sight also in what the user lets blocks read."""
    session: Session
    user: User
    memory: int
    home: Path
    """The block's $HOME and /tmp: the session's, or a fresh one."""
    start: Path
    """Where a block begins: the workspace, or the home that is in sight."""
    links: tuple[tuple[str, Path], ...] = ()
    """Links beside what is in sight: target and place."""
    writable: tuple[Path, ...] = ()
    """Of the tools those that the user lets this block write."""
    network: tuple[str, ...] = ()
    """The mount of our proxy's socket, for a block that may use the network."""


def system_mounts() -> list[str]:
    """Read-only system folders; links (/bin on most systems) stay links."""
    arguments: list[str] = []
    for folder in SYSTEM:
        if Path(folder).is_symlink():
            arguments += ["--symlink", str(Path(folder).readlink()), folder]
        elif Path(folder).is_dir():
            arguments += ["--ro-bind", folder, folder]
    return arguments


def kernel_mounts(view: View) -> list[str]:
    arguments = ["--dev", "/dev", "--proc", "/proc"]
    for path in READ_ONLY_PROC + (READ_ONLY_PROC_ROOT if view.user.is_root else ()):
        if Path(path).exists():
            arguments += ["--ro-bind", path, path]
    return arguments + scratch_mounts(view.memory, SHM)


def scratch_mounts(memory: int, *paths: str) -> list[str]:
    parts = [(str(memory // 4 // SCRATCH[path]), path) for path in paths]
    return [word for size, path in parts for word in ("--size", size, "--tmpfs", path)]


def guarded_paths(user: User) -> list[Path]:
    """The system's files and folders that are closed to others, and open to this user: root.

    What is another user's stays closed to a root without capabilities by the kernel's own rules.
    """
    found: list[Path] = []
    waiting = list(GUARDED)
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                is_folder = stat.S_ISDIR(status.st_mode)
                needed = 0o5 if is_folder else 0o4
                is_file = stat.S_ISREG(status.st_mode) and status.st_size > 0
                if (is_folder or is_file) and status.st_mode & needed != needed:
                    # A folder that can be entered shows files whose names are known.
                    found += [Path(entry.path)] if user.permits(status) & 0o5 else []
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
    """The closed places around something visible: emptied, with room for mount points."""
    inside = [*view.tools, view.workspace]
    closed = [path for path in (*view.homes, *view.unseen) if is_system(path) and is_folder(path)]
    around = [path for path in closed if any(path in each.parents or path == each for each in inside)]
    return list(dict.fromkeys([*around, *top_in_tmp(view.workspace), *top_in_tmp(view.start)]))


def top_in_tmp(workspace: Path) -> list[Path]:
    """Give the folder in /tmp that a workspace lies in: what is written beside that would be gone, unseen."""
    inside = workspace.relative_to(TMP).parts if TMP in workspace.parents else ()
    return [TMP / inside[0]] if len(inside) > 1 else []


def hollow_mounts(view: View) -> list[str]:
    return [word for path in hollows(view) for word in ("--size", "65536", "--tmpfs", str(path))]


def hollow_ends(view: View) -> list[str]:
    return [word for path in hollows(view) for word in ("--remount-ro", str(path))]


def hidden_mounts(view: View) -> list[str]:
    """Lay nothing over the other closed places that lie in what was let in, as far as they are there now."""
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
    """Tell whether blocks see this without the workspace."""
    return is_system(path) or any(is_inside(path, folder) for folder in view.tools)


def tool_mounts(view: View) -> list[str]:
    """Each mount costs a tenth of a millisecond: what lies in another folder is seen with it."""
    nested = {path for path in view.tools if any(each in path.parents for each in view.tools)}
    ordered = sorted({*view.tools, *view.writable} - (nested - {*view.writable}))
    how = dict.fromkeys(view.tools, "--ro-bind-try") | dict.fromkeys(view.writable, "--bind")
    return [word for path in ordered for word in (how[path], str(path), str(path))]


def workspace_mounts(
    view: View, mode: Mode, placed: Iterable[Path] = (), *, ignore: bool = False
) -> list[str]:
    """The workspace, and in it read-only what a block may not change; what is `placed` stays there.

    With `ignore` it may change .tripletickignore.
    """
    root = view.workspace
    arguments = ["--bind" if mode == "work" else "--ro-bind", str(root), str(root)]
    own = [root / name for name in (*OURS, *(() if ignore else (IGNORE,)))]
    own += [path for path in view.ours if root in path.parents]
    kept = sorted(filter(is_regular, own), key=lambda path: len(path.parts))
    closed = {barrier for path in own if (barrier := inner_barrier(path, view))}
    kept = [path for path in kept if not closed.intersection(path.parents)]
    if mode == "work":
        arguments += pins(root, [*kept, *(path for path in placed if not inner_barrier(path, view))])
    arguments += [word for path in kept for word in ("--ro-bind", str(path), str(path))]
    return arguments + [word for path in sorted(closed) for word in hide(path, view.session)]


def inner_barrier(path: Path, view: View) -> Path | None:
    """Give the folder of the workspace that keeps bubblewrap from `path`; the block could open it again."""
    if path.parent == view.workspace:
        return None
    barrier = view.user.barrier(path)
    return barrier if barrier and view.workspace in barrier.parents else None


def pins(root: Path, kept: Sequence[Path]) -> list[str]:
    """Bind the folders above what is kept onto themselves: a mount cannot be renamed away."""
    deep = [path for path in kept if path.parent != root]
    between = {folder for path in deep for folder in path.parents if root in folder.parents}
    ordered = sorted(between, key=lambda path: len(path.parts))
    return [word for path in ordered for word in ("--bind", str(path), str(path))]


def found_mounts(
    found: HiddenPaths,
    view: View,
    with_: tuple[Path, Path] | None = None,
    more: Mapping[Path, Path] = MappingProxyType({}),
) -> list[str]:
    """Hide what was found in the workspace and in what was let in, with a file and a folder that lie over it.

    What hides in a hidden folder needs nothing more. `more`: what else is laid over places, by these.
    """
    nothing, nowhere = with_ or (view.session.nothing, view.session.nowhere)
    covers = {**more, **dict.fromkeys(map(Path, found.folders), nowhere)}
    covers |= dict.fromkeys(map(Path, found.files), nothing)
    covers |= dict.fromkeys(map(Path, found.sockets), Path("/dev/null"))
    covers = {path: cover for path, cover in covers.items() if can_cover(path, view)}
    closed = {barrier for path in covers if (barrier := inner_barrier(path, view))}
    covers |= dict.fromkeys(closed, nowhere)
    folders = {path for path, cover in covers.items() if cover == nowhere}
    shown = {path: cover for path, cover in covers.items() if not folders.intersection(path.parents)}
    return [word for path, cover in sorted(shown.items()) for word in ("--ro-bind", str(cover), str(path))]


def can_cover(path: Path, view: View) -> bool:
    """Tell whether something can be laid over this: outside the workspace only what the block would see."""
    return view.workspace in path.parents or (is_visible(path, view) and view.user.reaches(path))


def socket_mounts(view: View, bound: Iterable[str]) -> list[str]:
    """Cover other programs' sockets that the box would see: a read-only mount does not stop connect(2)."""
    arguments: list[str] = []
    there = (each for each in bound if each.startswith("/") and stat.S_ISSOCK(mode_of(Path(each))))
    for path in sorted({os.path.realpath(each) for each in there}):
        if is_visible(Path(path), view) and view.user.reaches(Path(path)):
            arguments += ["--ro-bind", "/dev/null", path]
    return arguments


def first_arguments(view: View) -> list[str]:
    """What stays the same for a session: system, memory, tools.

    Between this and the last arguments lies what is looked at before each block: what is hidden in these,
    sockets, and the workspace.
    """
    return [
        *NAMESPACES,
        *system_mounts(),
        *(kernel_mounts(view) if needs_dev(view) else ()),
        *scratch_mounts(view.memory, "/run", "/var/tmp"),
        *view.network,
        *("--bind", str(view.home), str(TMP)),
        *hollow_mounts(view),
        *tool_mounts(view),
        *("--dir", str(view.start)),
        *(word for target, place in view.links for word in ("--symlink", target, str(place))),
    ]


@dataclass(frozen=True, slots=True)
class Frame:
    """The arguments that come before and after what is looked at before each block, as bwrap reads them."""

    first: bytes
    last: bytes

    def around(self, words: Iterable[str]) -> bytes:
        return b"".join((self.first, written(words), self.last))


def make_frame(view: View) -> Frame:
    return Frame(written(first_arguments(view)), written(last_arguments(view)))


def written(words: Iterable[str]) -> bytes:
    """Put arguments as `bwrap --args` takes them."""
    return b"".join(os.fsencode(word) + b"\0" for word in words)


def place_mounts(view: View, mode: Mode, found: HiddenPaths, *, ignore: bool = False) -> list[str]:
    placed = workspace_mounts(view, mode, map(Path, found.placed), ignore=ignore)
    return [*placed, *found_mounts(found, view)]


def can_start(view: View, program: Path) -> bool:
    """Tell whether a block sees this program and its user gets to it."""
    return is_visible(program, view) and view.user.reaches(program)


def last_arguments(view: View) -> list[str]:
    """What comes after the workspace, and stays the same too."""
    return [
        *(() if needs_dev(view) else kernel_mounts(view)),
        *hollow_ends(view),
        *("--chdir", str(view.start), "--remount-ro", "/dev", "--remount-ro", "/"),
    ]


def needs_dev(view: View) -> bool:
    """Tell whether something lies in /dev/shm; else /dev comes late: bwrap reads all mounts for each bind."""
    return any(DEV in path.parents for path in (view.workspace, *view.tools))


def make_points(view: View) -> None:
    """Make the mount points in the box's /tmp ourselves: bwrap would follow links that a block has left."""
    for path in (view.workspace, *view.tools):
        if path == TMP or not is_inside(path, TMP):
            continue
        parts = path.relative_to(TMP).parts
        if is_folder(path):
            make_point(view.home, parts, view.user)
        else:
            make_point(view.home, parts[:-1], view.user)
            make_file(view.home / path.relative_to(TMP), view.user)


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
