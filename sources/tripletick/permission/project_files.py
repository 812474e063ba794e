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


def find_naming_file(workspace: Workspace, names: Iterable[str]) -> str:
    """Give the project file that names all of these packages, "" where none does."""
    wanted = {_normalize_name(name) for name in names}
    for file in _list_manifests(workspace):
        if wanted <= {_normalize_name(name) for name in _parse_packages(workspace, file)}:
            return file
    return ""


def read_project_file(workspace: Workspace, path: str) -> str:
    """Read a file of the project. Raises PathRefused."""
    spot = workspace.resolve_path(path)
    return workspace.read_bytes(spot.path, LARGEST).decode("utf-8", "replace")


def _list_manifests(workspace: Workspace) -> Iterator[str]:
    names = workspace.list_names(".")
    yield from (name for name in names if re.fullmatch(r"requirements[\w.-]*\.txt", name))
    yield from (name for name in ("pyproject.toml", "package.json") if name in names)


def _parse_packages(workspace: Workspace, file: str) -> Iterator[str]:
    with suppress(PathRefused, ValueError):
        text = read_project_file(workspace, file)
        if file == "package.json":
            held = json.loads(text)
            for group in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
                yield from _as_table(_as_table(held).get(group))
        else:
            lines = _parse_pyproject(tomllib.loads(text)) if file == "pyproject.toml" else text.splitlines()
            yield from (match[1] for line in lines if (match := _NAME.match(line)))


def _parse_pyproject(held: Any) -> Iterator[str]:
    """Give all that could name a package in a pyproject: texts in lists, and poetry's keys."""
    project = _as_table(_as_table(held).get("project"))
    yield from project.get("dependencies", ())
    for group in (
        *_as_table(project.get("optional-dependencies")).values(),
        *_as_table(held.get("dependency-groups")).values(),
    ):
        yield from (line for line in group if isinstance(line, str))
    yield from _as_table(_as_table(_as_table(held.get("tool")).get("poetry")).get("dependencies"))


def _as_table(held: Any) -> dict[str, Any]:
    return held if isinstance(held, dict) else {}


def _normalize_name(name: str) -> str:
    return _SEPARATORS.sub("-", name).casefold()
