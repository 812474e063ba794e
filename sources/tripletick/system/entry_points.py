"""Entry points of installed packages, and how tripletick starts a Python of its own.

Entry points are read from the files themselves: importlib.metadata takes longer to import than all of them
to be looked through. Nothing of a package is imported here, and nothing that lies in the workspace is taken
for one.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

OURS = "[tripletick."
FILES = ("*.dist-info/entry_points.txt", "*.egg-info/entry_points.txt")
SOURCES = str(Path(__file__).parents[2])
"""Where this package lies."""
FIRST = (
    "import sys; at = [n for n, path in enumerate(sys.path) if path.endswith('-packages')]; "
    "at.append(len(sys.path)); "
    f"sys.path.insert(at[0], {SOURCES!r}); del at"
)
"""Puts it before what is installed."""


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """One line of a group: `name = module:attribute`, the attribute "" where it names a module."""

    name: str
    module: str
    attribute: str
    package: str


def python(code: str) -> tuple[str, ...]:
    """Give the command of a Python that runs `code` isolated: neither variables nor the folder that it is
    started in bring modules along. Ours is this one, also where it was installed for one user only or another
    version is; behind Python's own modules, for beside ours may lie any.
    """
    return (sys.executable, "-I", "-c", f"{FIRST}\n{code}")


def module(name: str) -> tuple[str, ...]:
    """Give the command that runs a module of ours, as `python -m` does."""
    return python(f"import runpy\nrunpy.run_module({name!r}, run_name='__main__', alter_sys=True)")


def search_path(workspace: Path) -> list[str]:
    """Give the folders that modules come from, without those that the workspace holds or lies in; our own
    environment may be one of them.
    """
    ours = Path(sys.prefix).resolve()
    real = {entry: Path(entry).resolve() for entry in sys.path if Path(entry).is_absolute()}
    return [
        entry
        for entry, path in real.items()
        if path.is_relative_to(ours) or not (path.is_relative_to(workspace) or workspace.is_relative_to(path))
    ]


def entry_points(group: str, workspace: Path) -> list[EntryPoint]:
    """Give the entry points of a group, by name; of two with one name the first on the path."""
    found: dict[str, EntryPoint] = {}
    for package, text in _texts(tuple(search_path(workspace))):
        for one in _of_text(package, text, f"[{group}]"):
            found.setdefault(one.name, one)
    return [found[name] for name in sorted(found)]


@cache
def _texts(folders: tuple[str, ...]) -> list[tuple[str, str]]:
    """Read the files that have groups of ours, each with its package."""
    found = []
    for path in (each for folder in folders for kind in FILES for each in sorted(Path(folder).glob(kind))):
        with contextlib.suppress(OSError, UnicodeError):
            text = path.read_text("utf-8")
            found += [(path.parent.name.partition("-")[0], text)] if OURS in text else []
    return found


def _of_text(package: str, text: str, section: str) -> Iterator[EntryPoint]:
    _, there, rest = text.partition(section)
    for line in rest.partition("\n[")[0].splitlines() if there else ():
        name, _, value = (part.strip() for part in line.partition("="))
        module, _, attribute = value.partition("[")[0].strip().partition(":")
        if module and not name.startswith(("#", ";")):
            yield EntryPoint(name, module, attribute.strip(), package)
