"""Write AGENTS.md by scanning the folder: what it contains, and how it is built and tested.

Nothing of the folder is run, and a file that is there is never written over. What a look cannot tell, such as
what must stay as it is, is the user's to add.
"""

from __future__ import annotations

import argparse
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tripletick.chat.frontend import open_screen
from tripletick.commands.session_setup import load_settings
from tripletick.errors import UsageError
from tripletick.languages import registry
from tripletick.models.conversation import GUESS
from tripletick.paths import PathRefused, Workspace
from tripletick.session import builder
from tripletick.system import dirs
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import describe_os_error
from tripletick.tools.file_walk import FileWalk
from tripletick.tools.tool import format_tokens
from tripletick.trust import AnswerStore, hash_text
from tripletick.ui.sanitize import escape_controls

NAME = "AGENTS.md"
KNOWN = ("build", "test", "check", "lint", "format", "run", "start", "dev", "docs", "clean")
"""Names of commands that say what they are for; others are left out."""
TARGET = lazy_regex(r"^([a-z][\w-]*)\s*:(?!=)", re.MULTILINE)
LIMIT = 1 << 18
"""Bytes that are read of a file."""
MOST_LANGUAGES, MOST_FOLDERS = 5, 10
HEAD = "# {name}\n\nFor agents that work in this folder.\n"
HOLDS = "## What is here\n\n{lines}\n"
RUNS = "## Commands\n\n| | |\n|---|---|\n{rows}\n"
RULES = """\
## Rules

- Change only what the request asks for.
- Run the tests after a change, where there are any.
"""
THERE = (
    "AGENTS.md already exists.",
    "It is not overwritten.",
    "Edit it, or to generate a new one: mv AGENTS.md AGENTS.old.md",
)
WRITTEN = "Wrote AGENTS.md; it adds about {tokens} to each first request. Add what a scan cannot find."


@dataclass(frozen=True, slots=True)
class FolderSummary:
    """What a folder holds: files by language, its folders, its commands by name."""

    name: str
    languages: Counter[str]
    folders: tuple[str, ...]
    commands: tuple[tuple[str, str], ...]


def run_init(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Write AGENTS.md. Raises UsageError where there is one, WorkspaceError for a folder that is refused."""
    if words:
        raise UsageError(f"init {' '.join(words)} is not understood.", "", "tripletick init")
    found, folder = dirs.find_dirs(), dirs.expand_user(options.directory).resolve()
    workspace = Workspace(
        folder,
        ours=found.protected_paths,
        state=found.private_dirs,
        hidden=builder.list_hidden_paths(),
        home=Path.home(),
    )
    text = render_page(summarize_folder(workspace))
    try:
        with (folder / NAME).open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(*THERE) from None
    except OSError as error:
        raise UsageError(
            f"{folder / NAME} cannot be written.", f"{describe_os_error(error)}.", "ls -ld ."
        ) from error
    # written at the user's word, it is not asked about
    memory = AnswerStore(found.state, save=not options.no_save)
    memory.save_answers(folder, files={**memory.get_answers(folder).files, NAME: hash_text(text)})
    screen = open_screen(options, load_settings(options, found))
    if not options.quiet:
        screen.say(WRITTEN.format(tokens=format_tokens(text, GUESS)))
    screen.close()
    return 0


def summarize_folder(workspace: Workspace) -> FolderSummary:
    """Look at the names in a folder and at the few files that say how it is built."""
    counts: Counter[str] = Counter()
    folders, tested = [], set[str]()
    for found in FileWalk(workspace):
        if found.entry.kind == "folder" and "/" not in found.path:
            folders.append(found.path)
        row = registry.detect_language(found.path)
        if row and row.is_runnable and found.entry.kind == "file":
            counts[row.tag] += 1
            if row.tag not in tested and row.is_test(found.path, _read_text(workspace, found.path) or ""):
                tested.add(row.tag)
    commands = tuple(_find_commands(workspace, tested))
    return FolderSummary(workspace.root.name, counts, tuple(sorted(folders)), commands)


def render_page(seen: FolderSummary) -> str:
    """Word what was seen; names that could break a line are made visible."""
    held = ", ".join(f"{tag} ({count})" for tag, count in seen.languages.most_common(MOST_LANGUAGES))
    folders = ", ".join(f"{name}/" for name in seen.folders[:MOST_FOLDERS])
    lines = [f"- Files: {held}."] * bool(held) + [f"- Folders: {folders}."] * bool(folders)
    rows = "\n".join(f"| {name} | `{command}` |" for name, command in seen.commands)
    parts = (
        HEAD.format(name=_to_single_line(seen.name)),
        HOLDS.format(lines="\n".join(map(_to_single_line, lines))) if lines else "",
        RUNS.format(rows=rows) if rows else "",
        RULES,
    )
    return "\n".join(filter(None, parts))


@cache
def _load_signs() -> list[dict[str, Any]]:
    signs: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("init.toml").read_text("utf-8"))[
        "sign"
    ]
    return signs


def _find_commands(workspace: Workspace, tested: set[str]) -> Iterator[tuple[str, str]]:
    """Give name and command of what the folder's own files say; the first that names one counts."""
    told: set[str] = set()
    for sign in _load_signs():
        if "tested" in sign and sign["tested"] not in tested:
            continue
        text = _read_text(workspace, sign["file"])
        for name, command in _match_sign(sign, text) if text is not None else ():
            if name not in told:
                told.add(name)
                yield name, command


def _match_sign(sign: dict[str, Any], text: str) -> Iterator[tuple[str, str]]:
    if "command" in sign:
        there = TARGET.findall(text) if sign.get("targets") else _parse_scripts(text, sign["scripts"])
        yield from ((name, sign["command"].format(name=name)) for name in KNOWN if name in there)
    yield from ((name, sign[name]) for name in KNOWN if name in sign)


def _parse_scripts(text: str, table: str) -> list[str]:
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return []
    scripts = held.get(table) if isinstance(held, dict) else None
    return [name for name in scripts if isinstance(name, str)] if isinstance(scripts, dict) else []


def _read_text(workspace: Workspace, path: str) -> str | None:
    try:
        return workspace.read_bytes(path, LIMIT).decode("utf-8", "replace")
    except PathRefused:
        return None


def _to_single_line(text: str) -> str:
    return " ".join(escape_controls(text).split())
