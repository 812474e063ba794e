"""Which packages the files of a project name. They are read as data, through the workspace's handle."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from tripletick.paths import PathRefused, Workspace

LARGEST = 1 << 20
_NAME = re.compile(r"\s*(@?[A-Za-z0-9][\w./-]*)")
_SEPARATORS = re.compile(r"[-_.]+")


def named_in(workspace: Workspace, names: Iterable[str]) -> str:
    """Give the project file that names all of these packages, "" where none does."""
    wanted = {_folded(name) for name in names}
    for file in _files(workspace):
        if wanted <= {_folded(name) for name in _named(workspace, file)}:
            return file
    return ""


def read(workspace: Workspace, path: str) -> str:
    """Read a file of the project. Raises PathRefused."""
    spot = workspace.resolve(path)
    return workspace.read_bytes(spot.path, LARGEST).decode("utf-8", "replace")


def _files(workspace: Workspace) -> Iterator[str]:
    names = workspace.listdir(".")
    yield from (name for name in names if re.fullmatch(r"requirements[\w.-]*\.txt", name))
    yield from (name for name in ("pyproject.toml", "package.json") if name in names)


def _named(workspace: Workspace, file: str) -> Iterator[str]:
    with suppress(PathRefused, ValueError):
        text = read(workspace, file)
        if file == "package.json":
            held = json.loads(text)
            for group in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
                yield from _table(_table(held).get(group))
        else:
            lines = _strings(tomllib.loads(text)) if file == "pyproject.toml" else text.splitlines()
            yield from (match[1] for line in lines if (match := _NAME.match(line)))


def _strings(held: Any) -> Iterator[str]:
    """Give all that could name a package in a pyproject: texts in lists, and poetry's keys."""
    project = _table(_table(held).get("project"))
    yield from project.get("dependencies", ())
    for group in (
        *_table(project.get("optional-dependencies")).values(),
        *_table(held.get("dependency-groups")).values(),
    ):
        yield from (line for line in group if isinstance(line, str))
    yield from _table(_table(_table(held.get("tool")).get("poetry")).get("dependencies"))


def _table(held: Any) -> dict[str, Any]:
    return held if isinstance(held, dict) else {}


def _folded(name: str) -> str:
    return _SEPARATORS.sub("-", name).casefold()
