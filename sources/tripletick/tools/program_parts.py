"""The sources that form one program with the file that is run: what lies beside it, by its language's row.

A file is looked at only to tell a part from a program of its own; whether the parts fit is the compiler's
business. What lies in a folder may have nothing to do with each other: so there are two tries of a build.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from tripletick.languages.registry import Language
from tripletick.paths import PathRefused, Workspace
from tripletick.tools.tool import ToolContext

LARGEST = 1 << 20
"""Bytes; a larger source is no part."""
MOST = 200


def list_build_attempts(language: Language, path: str, context: ToolContext) -> list[list[str]]:
    """Give the parts to build `path` with, try by try: what this session knows, then all that is there."""
    known = context.ledger.known
    parts = find_parts(language, path, context.workspace, known)
    own = [part for part in parts if part in known]
    return [own, parts] if own != parts else [parts]


def find_parts(language: Language, path: str, workspace: Workspace, known: set[str]) -> list[str]:
    """Give the parts beside a program, and those of `known` in folders below it, by name."""
    if not language.parts:
        return []
    folder = posixpath.dirname(path)
    below = {posixpath.relpath(one, folder or ".") for one in known if _is_below(one, folder)}
    names = sorted(below | set(_list_siblings(folder, workspace)))
    paths = (posixpath.join(folder, name) for name in names if re.search(language.parts, name))
    return [one for one in paths if one != path and _is_part(language, one, workspace)][:MOST]


def find_project_folder(language: Language, path: str, workspace: Workspace) -> str:
    """Give the nearest folder above a file that holds the file of a project, "" where it is the workspace."""
    if language.project:
        for folder in PurePosixPath(path).parents:
            if workspace.get_kind(str(folder / language.project)) == "file":
                return "" if str(folder) == "." else str(folder)
    return ""


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _list_siblings(folder: str, workspace: Workspace) -> Iterator[str]:
    try:
        names = workspace.list_kinds(folder or ".")
    except PathRefused:
        return
    yield from (name for name, kind in names.items() if kind == "file")


def _is_part(language: Language, path: str, workspace: Workspace) -> bool:
    try:
        source = workspace.read_bytes(path, LARGEST + 1)
    except PathRefused:
        return False
    return len(source) <= LARGEST and not language.is_program(source.decode("utf-8", "replace"))
