"""Which folders of programs a block sees, and its PATH; and how we look programs up ourselves.

Compilers and interpreters often live in the home that a box hides. Their folders are let in one by one: those
on PATH that give away nothing else, what links in these lead to, the interpreter we run with, and the known
roots of version managers. Never credentials. What may not be looked at (root's PATH inherited by an ordinary
user) is as good as absent, where Path.is_dir would raise.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix")
SYSTEM_STARTS = tuple(f"{folder}/" for folder in SYSTEM)
BASIC = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin")
CLOSED = ("/root", "/mnt", "/media", "/srv")
"""A tool folder that is or contains one of these would give away more than tools."""
FOREIGN = ("/mnt",)
"""Nothing below: other systems' disks, WSL's /mnt/c."""
PRIVATE = (
    ".ssh",
    ".config",
    ".gnupg",
    ".aws",
    ".kube",
    ".docker",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
)
"""Below home; stays out of sight also where home itself may be read."""
ROOTS = (
    ("RUSTUP_HOME", ".rustup", "toolchains"),
    ("NVM_DIR", ".nvm", "versions"),
    ("PYENV_ROOT", ".pyenv", "versions"),
    ("SDKMAN_DIR", ".sdkman", "candidates"),
    ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python", ""),
    ("CONDA_ROOT", "miniconda3", ""),
    ("CONDA_ROOT", "miniforge3", ""),
    ("CONDA_ROOT", "anaconda3", ""),
    ("JAVA_HOME", "", ""),
    ("GOROOT", "", ""),
)
"""Environment variable, folder below home (home itself is never let in), what of it is let in."""
MARKS = ("pyvenv.cfg", "conda-meta", "lib/modules", "src/runtime", "include/node")
"""Beside `bin` in what works only as a whole: Python environments, conda, a JDK, Go, Node."""
PACKAGES = "node_modules"
MOST_HOPS = 8


@dataclass(frozen=True, slots=True)
class Tools:
    """`folders` to let in, `path` to search, and what was on PATH but stays out."""

    folders: tuple[Path, ...]
    path: tuple[str, ...]
    left_out: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Fences:
    """What tool folders must keep off: the homes, the workspace, and folders of ours."""

    homes: tuple[Path, ...]
    workspace: Path
    ours: tuple[Path, ...] = ()

    def allow(self, folder: Path) -> bool:
        """Tell whether showing `folder` shows tools alone."""
        closed = (*self.homes, self.workspace, *self.ours, *map(Path, CLOSED))
        if any(is_inside(each, folder) for each in closed):
            return False
        private = [home / name for home in self.homes for name in PRIVATE]
        return not any(is_inside(folder, each) for each in (*private, *map(Path, FOREIGN)))

    def opens(self, path: Path | str) -> bool:
        """Tell whether a box sees this anyway, as part of the system."""
        return is_system(path) and not any(is_inside(path, home) for home in self.homes)


def is_inside(path: Path | str, folder: Path) -> bool:
    """Tell whether `path` is `folder` or lies below it."""
    return f"{path}/".startswith(f"{folder}/")


def is_system(path: Path | str) -> bool:
    return f"{path}/".startswith(SYSTEM_STARTS)


def mode_of(path: Path | str) -> int:
    """Give the type and permissions of what is there; 0 where nothing is, or nothing that we may look at."""
    try:
        return os.stat(path).st_mode  # noqa: PTH116
    except OSError:
        return 0


def is_real(path: Path) -> bool:
    """Tell whether no link leads to a path: what was granted was real then, so a link has come since, perhaps
    a block's.
    """
    return os.path.realpath(path) == str(path)


def is_folder(path: Path) -> bool:
    return stat.S_ISDIR(mode_of(path))


def is_program(path: Path | str) -> bool:
    return stat.S_ISREG(mode_of(path)) and os.access(path, os.X_OK)


def real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def look_up(name: str, workspace: Path) -> str | None:
    """Find a program for our own use: no relative folder of PATH counts, none that lies in the workspace."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        program = Path(folder, name)
        if not program.is_absolute() or is_inside(real(program), workspace):
            continue
        if is_program(program) and not is_inside(program.parent, workspace):
            return str(program)
    return None


def pyenv_programs(root: Path) -> list[Path]:
    """The versions that the user chose, then the one we run with: its shims may stand for either."""
    try:
        chosen = (root / "version").read_text(errors="replace").split()
    except OSError:
        chosen = []
    return [*(root / "versions" / name / "bin" for name in chosen), Path(sys.base_prefix) / "bin"]


def rustup_programs(root: Path) -> list[Path]:
    try:
        settings = (root / "settings.toml").read_text(errors="replace")
    except OSError:
        return []
    chosen = re.search(r'^default_toolchain = "([^"/]+)"', settings, re.MULTILINE)
    return [root / "toolchains" / chosen[1] / "bin"] if chosen else []


def is_empty_shim(program: str) -> bool:
    """Tell a name of rustup's own program for which no toolchain has one: rustup alone is no compiler."""
    path = Path(program)
    with contextlib.suppress(OSError):
        if path.name != "rustup" and path.samefile(path.with_name("rustup")):
            root = Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup")
            return not any(is_program(folder / path.name) for folder in rustup_programs(root))
    return False


def expand(folder: Path, roots: Mapping[str, Path]) -> list[Path]:
    """Put real programs in the place of shims: a shim needs its manager, which is not in the box."""
    if folder.parts[-2:] == (".pyenv", "shims") or folder == roots["PYENV_ROOT"] / "shims":
        return pyenv_programs(folder.parent)
    if folder.parts[-2:] == (".cargo", "bin"):
        return [*rustup_programs(roots["RUSTUP_HOME"]), folder]
    return [folder]


def known_roots(environ: Mapping[str, str], home: Path) -> list[Path]:
    roots = [Path(environ.get(name) or home / below) / part for name, below, part in ROOTS]
    return [Path(sys.prefix), Path(sys.base_prefix), *roots]


def environment_of(folder: Path) -> Path:
    """Give the installation that this folder of programs belongs to, else the folder."""
    return folder.parent if any(mode_of(folder.parent / mark) for mark in MARKS) else folder


def whole_of(program: Path) -> Path:
    """Give what must be seen for this program to work: its installation, its packages, or itself alone."""
    environment = environment_of(program.parent)
    if environment != program.parent:
        return environment
    parts = program.parts
    return Path(*parts[: parts.index(PACKAGES) + 1]) if PACKAGES in parts else program


def list_hops(link: str) -> Iterator[str]:
    """Give the paths that a link leads over, as they are written, and the real one."""
    yield os.path.realpath(link)
    for _ in range(MOST_HOPS):
        target = target_of(link)
        if not target:
            return
        # A relative target starts at the real folder; an absolute one is looked up as it is written.
        folder = os.path.realpath(link.rpartition("/")[0]).rstrip("/")
        link = os.path.normpath(target if target.startswith("/") else f"{folder}/{target}")
        yield link


def target_of(link: str) -> str:
    try:
        return os.readlink(link)  # noqa: PTH115 - as strings: a Path of each of a thousand links is slow
    except OSError:
        return ""


def linked_programs(folder: Path) -> list[str]:
    """Give the programs elsewhere that links in this folder lead to; most stay, as python3 does."""
    try:
        with os.scandir(folder) as entries:
            links = [entry.path for entry in entries if entry.is_symlink()]
    except OSError:
        return []
    away = (link for link in links if "/" in target_of(link) and is_program(link))
    return unique(hop for link in away for hop in list_hops(link))


def closed_parts(ours: Iterable[Path]) -> tuple[Path, ...]:
    """Give what of ours no block may see: all but what lies in the environment that we run in, which could
    not be shown without it. Nothing there is secret, and no block may write it.
    """
    return tuple(each for each in ours if not is_inside(each, real(Path(sys.prefix))))


def unique(paths: Iterable[T]) -> list[T]:
    return list(dict.fromkeys(paths))


def search_path(environ: Mapping[str, str], home: Path) -> list[Path]:
    """Give PATH without relative folders and links, and with programs in the place of shims."""
    roots = {name: Path(environ.get(name) or home / below) for name, below, _ in ROOTS}
    given = [Path(entry) for entry in environ.get("PATH", "").split(os.pathsep) if entry.startswith("/")]
    entries = [each for entry in given for each in expand(entry, roots)]
    return unique(real(entry) for entry in entries if is_folder(entry))


def sort_entry(entry: Path, fences: Fences) -> Path | None:
    """Give what to let in for a folder of PATH; None where it stays out."""
    if is_system(entry):
        return entry
    return next((each for each in (environment_of(entry), entry) if fences.allow(each)), None)


def sort_links(entries: Iterable[Path], seen: Iterable[Path], fences: Fences) -> Iterator[tuple[Path, bool]]:
    """Give what the links in folders of PATH need beyond what is `seen`, and whether it may be let in."""
    for program in unique(each for entry in entries for each in linked_programs(entry)):
        if not fences.opens(program) and not any(is_inside(program, each) for each in seen):
            path = Path(program)
            wanted = [each for each in (whole_of(path), path) if fences.allow(each)]
            yield (wanted or [path])[0], bool(wanted)


def find_tools(environ: Mapping[str, str], home: Path, fences: Fences) -> Tools:
    """Sort PATH and the known roots into what a block may see, in the order of PATH."""
    folders = [real(each) for each in known_roots(environ, home) if is_folder(each)]
    folders = [each for each in folders if fences.allow(each)]
    found = {entry: sort_entry(entry, fences) for entry in search_path(environ, home)}
    inside = [entry for entry in found if is_inside(entry, fences.workspace)]
    folders += [shown for entry, shown in found.items() if shown and entry not in inside]
    searched = unique([entry for entry in found if found[entry] or entry in inside] + [*map(Path, BASIC)])
    links = list(sort_links(searched, (*folders, fences.workspace), fences))
    folders += [path for path, allowed in links if allowed]
    left_out = [entry for entry in found if entry not in searched]
    left_out += [path for path, allowed in links if not allowed]
    shown = tuple(each for each in unique(folders) if not fences.opens(each))
    return Tools(shown, tuple(map(str, searched)), tuple(unique(left_out)))
