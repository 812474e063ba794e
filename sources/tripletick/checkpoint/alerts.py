"""Files that run later: what a block wrote that another program will run by itself.

Nothing is held up here, the user is told. The rows, with the reason that is said, are in runs_later.toml. A
file that is gone is no alert; what runs only when its name is typed is none either.
"""

from __future__ import annotations

import fnmatch
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tripletick.checkpoint.undo_plan import find_renames, format_paths, is_folder
from tripletick.checkpoint.values import Change, Manifest, State

NAMED = 10
"""Paths of one reason that a line names."""
LINE = "Runs later: {paths} ({why})"
REPOSITORY = "git runs programs named in this repository's settings and hooks"
SAMPLE = ".sample"
"""Git puts such hooks into every repository and runs none."""
BARE = frozenset(("HEAD", "objects", "config"))
"""What makes a folder a repository for git, whatever it is called (git-init(1))."""

Read = Callable[[State | None], bytes]


@dataclass(frozen=True, slots=True)
class AlertRule:
    """Names of files, why they run, and what of them does: keys, or lines that a pattern finds; else all."""

    names: re.Pattern[str]
    why: str
    part: tuple[str, ...] = ()
    lines: re.Pattern[str] | None = None


@cache
def load_rules() -> tuple[AlertRule, ...]:
    """Read the table; a name without a slash is looked for in every folder, `*` goes over slashes."""
    table = tomllib.loads(Path(__file__).with_name("runs_later.toml").read_text("utf-8"))
    return tuple(
        AlertRule(
            _compile_pattern(row["names"]),
            row["why"],
            tuple(row.get("part", ())),
            re.compile(row["lines"], re.MULTILINE) if "lines" in row else None,
        )
        for row in table["row"]
    )


def _compile_pattern(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(fnmatch.translate(f"*/{name.casefold()}") for name in names))


def find_alerts(changes: Sequence[Change], known: Manifest, read: Read) -> list[str]:
    """Give a line for each reason, with the paths that are new or changed."""
    old = find_renames(changes)
    left = [change for change in changes if change.left and change.path != "."]
    repositories = sorted(set(_find_repositories(left, known)))
    inside = tuple(f"{path}/" for path in repositories)
    told: dict[str, list[str]] = {REPOSITORY: repositories}
    for change in left:
        if not is_folder(change.left) and not (inside and change.path.startswith(inside)):
            for why in _find_reasons(change, read):
                was = f" (renamed from {old[change.path]})" if change.path in old else ""
                told.setdefault(why, []).append(change.path + was)
    return [LINE.format(paths=format_paths(paths, NAMED), why=why) for why, paths in told.items() if paths]


def _find_repositories(changes: Iterable[Change], known: Manifest) -> Iterator[str]:
    """Find new repositories, and old ones whose settings have changed."""
    for change in changes:
        folder, _, name = change.path.rpartition("/")
        if name == ".git" and not (is_folder(change.was) and is_folder(change.left)):
            yield change.path
        elif name == "commondir":
            # git reads config and hooks from the folder that it names
            yield folder or change.path
        elif name in BARE and _is_bare_repository(folder, known) and (name == "config" or change.was is None):
            yield folder


def _is_bare_repository(folder: str, known: Manifest) -> bool:
    return bool(folder) and all(f"{folder}/{part}" in known for part in BARE)


def _find_reasons(change: Change, read: Read) -> Iterator[str]:
    path = f"/{change.path.casefold()}"
    if path.endswith(SAMPLE):
        return
    for row in load_rules():
        if row.names.match(path) and _has_relevant_change(change, row, read):
            yield row.why


def _has_relevant_change(change: Change, row: AlertRule, read: Read) -> bool:
    """Tell whether what runs of the file is another than before."""
    if row.lines is None:
        return not row.part or _part_differs(change, row.part, read)
    was, left = (
        sorted(row.lines.findall(read(state).decode("utf-8", "replace")))
        for state in (change.was, change.left)
    )
    return bool(left) and was != left


def _part_differs(change: Change, keys: tuple[str, ...], read: Read) -> bool:
    """Compare one part of a JSON or TOML file; what cannot be read counts as changed."""
    try:
        parts = [_read_part(change.path, read(state), keys) for state in (change.was, change.left)]
    except (ValueError, RecursionError):
        return True
    return parts[0] != parts[1]


def _read_part(path: str, content: bytes, keys: tuple[str, ...]) -> list[object]:
    parse = tomllib.loads if path.endswith(".toml") else json.loads
    data = parse(content.decode("utf-8")) if content.strip() else {}
    return [_get_nested(data, key.split(".")) for key in keys]


def _get_nested(data: object, keys: list[str]) -> object:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data
