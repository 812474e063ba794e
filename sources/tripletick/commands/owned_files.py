"""Which files in a data folder are tripletick's: recognized by their marks, never only by their place.

Variables (XDG_STATE_HOME …) may lead to a folder that is somebody else's too. Nothing is deleted here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tripletick.system.dirs import AppDirs

Mark = Callable[[Path], bool]
HEAD = 1 << 16
"""Bytes of a file that are looked at."""


@dataclass(frozen=True, slots=True)
class OwnershipRule:
    """How one name is told to be ours: a file by its mark; of a folder what in it has one, or all of it."""

    mark: Mark
    parts: bool = False
    surely: bool = True
    """False where another program's may look so too: it is ours in a folder that holds nothing else."""


@dataclass(frozen=True, slots=True)
class OwnedFiles:
    """What is ours in a folder, and the names of what is not."""

    paths: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()
    """They go once they are empty, the inner ones first."""
    others: tuple[str, ...] = ()


def read_head(path: Path) -> bytes:
    with suppress(OSError), path.open("rb") as file:
        return file.read(HEAD)
    return b""


def is_log(path: Path) -> bool:
    """Tell a session's log by its first record; what lies beside one has its name."""
    if path.suffix in (".torn", ".profile"):
        return not path.is_dir()
    if path.suffix != ".jsonl" or not path.is_file():
        return False
    first = read_head(path).partition(b"\n")[0]
    return not first or (first.startswith(b'{"format":') and b'"event":"' in first)


def is_snapshots(path: Path) -> bool:
    return path.is_dir() and bool(re.fullmatch(r"[0-9a-f]{40}", path.name))


def is_index(path: Path) -> bool:
    """Tell an SQLite file with a view of ours."""
    return (
        path.is_file()
        and read_head(path).startswith(b"SQLite format 3\0")
        and b"turns_said" in read_head(path)
    )


def is_input_history(path: Path) -> bool:
    """Tell a history of prompt_toolkit's, which begins with a date."""
    return path.is_file() and re.match(rb"\n# \d{4}-\d\d-\d\d ", read_head(path)) is not None


def is_token(path: Path) -> bool:
    return path.is_file() and read_head(path).startswith(b"tripletick-")


def is_box(path: Path) -> bool:
    return path.name.startswith("box-") and path.is_dir() and (path / "home").is_dir()


def is_unsaved(path: Path) -> bool:
    return path.is_dir() and all(inner.name == "snapshots" for inner in path.iterdir())


def is_empty(path: Path) -> bool:
    return path.is_file() and not path.stat().st_size


def is_json_object(path: Path) -> bool:
    with suppress(OSError, ValueError):
        return path.is_file() and isinstance(json.loads(path.read_bytes()), dict)
    return False


def is_model(path: Path) -> bool:
    """Tell what a fetch keeps, which always has its lock beside it."""
    from tripletick.models import catalog

    known = ("fetch", *(entry.file for entry in catalog.load_entries()))
    return path.with_name("fetch.lock").exists() and path.name.startswith(known)


def match_name(pattern: str) -> Mark:
    return lambda path: bool(re.fullmatch(pattern, path.name))


ENGINE = r"([0-9a-f]{16}|start)\.(lock|log|sock|llama\.sock)|[0-9a-f]{16}-[0-9a-f]{16}\.prefix"
"""Files of the shared engines (models/shared_engine/folder.py)."""
STATE: Mapping[str, OwnershipRule] = {
    r"sessions": OwnershipRule(is_log, parts=True),
    r"sessions\.db": OwnershipRule(is_index),
    r"snapshots": OwnershipRule(is_snapshots, parts=True),
    r"boxes": OwnershipRule(is_box, parts=True),
    r"unsaved-.*": OwnershipRule(is_unsaved),
    r"serve-token": OwnershipRule(is_token),
    r"typed": OwnershipRule(is_input_history),
    r"engines": OwnershipRule(match_name(ENGINE), parts=True),
    r"pruned": OwnershipRule(is_empty, surely=False),
    r"(folders|servers)\.json": OwnershipRule(is_json_object, surely=False),
    r"folders\.lock|\.folders\.json\.\w+|sessions\.db-\w+|copied\.md": OwnershipRule(
        Path.is_file, surely=False
    ),
    r"doctor-\w{8}": OwnershipRule(Path.is_dir, surely=False),
}
CACHE: Mapping[str, OwnershipRule] = {
    r"models": OwnershipRule(is_model, parts=True),
    r"locks": OwnershipRule(match_name(r".+\.lock"), parts=True, surely=False),
    r"bench": OwnershipRule(match_name(r"(HumanEval\.jsonl\.gz|scores\.json).*"), parts=True, surely=False),
}
CONFIG: Mapping[str, OwnershipRule] = {
    r"config\.ini": OwnershipRule(Path.is_file, surely=False),
    r"agents|hooks|tools": OwnershipRule(Path.is_dir, surely=False),
}


def scan_state(found: AppDirs) -> OwnedFiles:
    return scan_folder(found.state, STATE)


def scan_cache(found: AppDirs) -> OwnedFiles:
    return scan_folder(found.cache, CACHE)


def scan_config(found: AppDirs) -> OwnedFiles:
    return scan_folder(found.config, CONFIG)


def scan_folder(top: Path, kinds: Mapping[str, OwnershipRule]) -> OwnedFiles:
    """Look through one folder. A link goes itself, and stands for nothing that it leads to."""
    if top.is_symlink():
        return OwnedFiles((top,))
    if not top.is_dir():
        return OwnedFiles()
    sure: list[Path] = []
    perhaps: list[Path] = []
    others: list[str] = []
    folders: list[Path] = []
    for path in sorted(top.iterdir()):
        kind = _find_rule(path, kinds)
        if kind and kind.parts and path.is_dir() and not path.is_symlink():
            ours, rest = _split_by_mark(path, kind.mark)
            (sure if kind.surely else perhaps).extend(ours)
            others += (f"{path.name}/{name}" for name in rest)
            folders += [path] if ours or not rest else []
        elif kind:
            (sure if kind.surely else perhaps).append(path)
        else:
            others.append(path.name)
    if others:
        others += (str(path.relative_to(top)) for path in perhaps)
        perhaps = []
    return OwnedFiles((*sure, *perhaps), (*folders, top), tuple(sorted(others)))


def _find_rule(path: Path, kinds: Mapping[str, OwnershipRule]) -> OwnershipRule | None:
    fitting = (kind for name, kind in kinds.items() if re.fullmatch(name, path.name))
    return next((kind for kind in fitting if path.is_symlink() or _matches_rule(path, kind)), None)


def _matches_rule(path: Path, kind: OwnershipRule) -> bool:
    return path.is_dir() if kind.parts else kind.mark(path)


def _split_by_mark(folder: Path, mark: Mark) -> tuple[list[Path], list[str]]:
    paths = sorted(folder.iterdir())
    return [path for path in paths if mark(path)], [path.name for path in paths if not mark(path)]
