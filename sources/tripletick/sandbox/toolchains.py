"""Which folders of programs a block sees, and its PATH; and how we look programs up ourselves.

Compilers and interpreters often live in the home that a box hides. Their folders are let in one by one: those
on PATH that give away nothing else, the interpreter we run with, and the known roots of version managers.
Never credentials.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

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
)
"""Environment variable, folder below home, what of it is let in."""


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

    def in_home(self, folder: Path) -> bool:
        return any(is_inside(folder, home) for home in self.homes)


def is_inside(path: Path, folder: Path) -> bool:
    """Tell whether `path` is `folder` or lies below it."""
    return f"{path}/".startswith(f"{folder}/")


def is_system(path: Path) -> bool:
    return f"{path}/".startswith(SYSTEM_STARTS)


def look_up(name: str, workspace: Path) -> str | None:
    """Find a program for our own use: no relative folder of PATH counts, none that lies in the workspace."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        program = Path(folder, name)
        if not program.is_absolute() or is_inside(program.resolve(), workspace):
            continue
        if program.is_file() and os.access(program, os.X_OK) and not is_inside(program.parent, workspace):
            return str(program)
    return None


def pyenv_programs(root: Path) -> list[Path]:
    """The versions that the person chose, then the one we run with: its shims may stand for either."""
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
    """Give the virtual environment that this folder of programs belongs to, else the folder."""
    return folder.parent if (folder.parent / "pyvenv.cfg").is_file() else folder


def unique(paths: Iterable[Path]) -> list[Path]:
    return list(dict.fromkeys(paths))


def search_path(environ: Mapping[str, str], home: Path) -> list[Path]:
    """Give PATH without relative folders and links, and with programs in the place of shims."""
    roots = {name: Path(environ.get(name) or home / below) for name, below, _ in ROOTS}
    given = [Path(entry) for entry in environ.get("PATH", "").split(os.pathsep) if entry.startswith("/")]
    entries = [each for entry in given for each in expand(entry, roots)]
    return unique(entry.resolve() for entry in entries if entry.is_dir())


def find_tools(environ: Mapping[str, str], home: Path, fences: Fences) -> Tools:
    """Sort PATH and the known roots into what a block may see, in the order of PATH."""
    let_in = [each.resolve() for each in known_roots(environ, home) if each.is_dir()]
    let_in = [each for each in let_in if fences.allow(each)]
    folders, left_out, searched = list(let_in), [], []
    for entry in search_path(environ, home):
        inside = is_inside(entry, fences.workspace)
        wanted = environment_of(entry)
        if not inside and not is_system(entry) and not fences.allow(wanted):
            left_out.append(entry)
            continue
        folders += [] if inside else [wanted]
        searched.append(entry)
    folders = [each for each in unique(folders) if not is_system(each) or fences.in_home(each)]
    return Tools(tuple(folders), tuple(map(str, unique([*searched, *map(Path, BASIC)]))), tuple(left_out))
