"""What a block that failed lacked of its box: the last lines of its output, read by the rows of needs.toml.

A block that failed for its own reasons lacks nothing. Not covered: what a block that went well would have
liked to have.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tripletick.languages import registry
from tripletick.messages import Call, Result
from tripletick.sandbox.box import NOTHING, Grant
from tripletick.system import dirs
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.output import CLOSED

_WRITES = lazy_regex(
    r"""(?<![<&=-])>{1,2}(?![=&])|["'][rwax]?b?t?[wax+]b?t?\+?["']|\btee\b|\btouch\b|\bmkdir\b|makedirs"""
    r"""|(?i:write|append|creat|save|dump|export)|\bto_(?:csv|excel|json|parquet|pickle)\b|\bWRONLY\b"""
)
"""What shows that a line writes."""
_SILENT = {6: lazy_regex(r"\bcurl\b"), 4: lazy_regex(r"\bwget\b")}
"""Exits of programs that were told to say nothing, where a host could not be found (curl(1), wget(1))."""
_SWALLOWED = lazy_regex(r"^curl: \(6\) |^wget: unable to resolve host ")
_IGNORE = lazy_regex(r"(?m)^tripletick: Put back, .*[:,] \.tripletickignore(?:,| and |$)")
_PIECES = lazy_regex(r"[;\n]|&&|\|\|")
SAVES = ("write", "append")
PROXY = "Through the proxy, which shows each host; this computer itself cannot be reached."
HIDES = "What it lists is hidden from blocks and from the model from then on."
PORTS = "Blocks with network can reach ports 80 and 443; [sandbox] ports opens others permanently."
NAMED = 3
"""Places of one question; others are asked for after it."""
LINES = 12
LONGEST = 500
SYSTEM = frozenset("bin boot dev etc lib lib32 lib64 nix opt proc run sbin sys tmp usr var".split())  # noqa: SIM905 - 16 lines else
"""What lies in these is the system's, or the box's own."""


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that the box does not give. `what` goes into a question, `grant` is the yes to it."""

    id: str
    what: str = ""
    why: str = ""
    grant: Grant = NOTHING
    new: bool = False
    """The file that is to be written is not there yet."""
    saves: bool = False
    """The block is to be saved there, and not run."""
    asks: str = ""
    """The question, where it is one for the whole turn: folders.py."""
    folder: bool = False
    """What is new is a folder."""


def find_need(result: Result, root: Path, grant: Grant, script: str = "") -> Need | None:
    """Tell what a failed block lacked, None where that was nothing, or nothing that could be given.

    `script` is the block's text: it tells whether what is absent was to be written.
    """
    if _IGNORE.search(result.text) and not grant.ignore:
        return Need("ignore", "to write .tripletickignore", HIDES, Grant(ignore=True))
    if result.exit == 0 and _SWALLOWED.search(result.text.rstrip().rpartition("\n")[2]):
        # A pipeline ends as its last program does.
        return _build_need("network", "", root, grant)
    if (
        result.outcome != "failed"
        or not result.exit
        or result.flags & {"timeout", "memory", "output", "disk"}
    ):
        return None
    silent = _SILENT.get(result.exit) if not result.text.strip() else None
    if silent and silent.search(script):
        return _build_need("network", "", root, grant)
    lines = [line[:LONGEST] for line in result.text.splitlines() if line.strip()][-LINES:]
    for number, line in enumerate(reversed(lines)):
        for need, last, pattern in load_rows():
            match = pattern.search(line) if not (last and number) else None
            path = next(filter(None, match.groups()), "") if match else ""
            if match and need in _JUDGED:
                need = "write" if _JUDGED[need](path, [*_PIECES.split(script), *lines[:-1]]) else "own"
            if match and (found := _build_need(need, path, root, grant)):
                return found if found.id != "own" else None
    return None


def find_closed_ports(result: Result) -> Need | None:
    """Tell which other ports a failed block was refused."""
    closed = sorted(flag.removeprefix(CLOSED) for flag in result.flags if flag.startswith(CLOSED))[:NAMED]
    if result.outcome != "failed" or not closed:
        return None
    what = f"the network at {' and '.join(closed)}"
    return Need(what, what, PORTS, Grant(network=True, opened=frozenset(closed)))


def find_refused_save(result: Result, call: Call, root: Path) -> Need | None:
    """Tell whether a file was not saved because its path lies outside the workspace, and may be offered."""
    path, saves = call.path, call.tool in SAVES or call.tool in registry.LANGUAGES
    if not path or not saves or "refused" not in result.flags:
        return None
    need = _build_write_need(path, root)
    if not need or need.grant.write[0].is_dir():
        return None
    replaces = not need.new and call.tool != "append"
    return replace(need, saves=True, what=need.what.replace("write", "replace", 1) if replaces else need.what)


def _is_written(path: str, pieces: Sequence[str]) -> bool:
    """Tell whether a block, or its traceback, writes a file; of one that is there, where it is named."""
    naming = [piece for piece in pieces if Path(path).name in piece]
    return any(map(_WRITES.search, naming if naming or os.path.lexists(path) else pieces))


def _is_not_read(path: str, pieces: Sequence[str]) -> bool:
    """Tell that a shell's script neither reads a file nor runs it."""
    name = re.escape(Path(path).name)
    reads = re.compile(
        rf"""<\s*["']?[^\s<>]*{name}|^\s*(?:(?:source|\.|exec)\s+)?["']?[~/$][^\s<>=]*{name}"""
    )
    return not any(map(reads.search, pieces))


_JUDGED = {"absent": _is_written, "opened": _is_not_read}


def _build_need(need: str, path: str, root: Path, grant: Grant) -> Need | None:
    if need == "network":
        return None if grant.network else Need("network", "network", PROXY, Grant(network=True))
    if need == "write":
        return _build_write_need(path, root)
    return Need(need)


def _build_write_need(written: str, root: Path) -> Need | None:
    """Offer one file or folder outside the workspace, where it may be offered at all."""
    try:
        # "~" of the user, "/x" of all
        path = Path(os.path.realpath(root / os.path.expanduser(written)))  # noqa: PTH111
    except ValueError:
        # the output of a block may name what can be no path
        return None
    if not can_offer_path(path, root):
        return None
    name = format_path(path)
    why = f"{name} is outside this folder: undo does not restore changes there."
    return Need(f"write {name}", f"to write {name}", why, Grant(write=(path,)), new=not path.exists())


def format_path(path: Path) -> str:
    """Write a path that a block is let write to; what lies at home begins with `~`."""
    return dirs.abbreviate_home(path, Path.home().resolve())


def can_offer_path(path: Path, root: Path) -> bool:
    """Tell whether a user may be asked for a path: never for the system's, for keys or for settings."""
    home = Path.home().resolve()
    if path.is_relative_to(root) or root.is_relative_to(path) or home.is_relative_to(path):
        return False
    if any(part.startswith(".") for part in path.parts):
        return False
    if not path.is_relative_to(home) and path.parts[1] in SYSTEM:
        return False
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return path.parent.is_dir()
    except OSError:
        # somebody else's folder, or a name that is too long
        return False
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


@cache
def load_rows() -> Sequence[tuple[str, bool, re.Pattern[str]]]:
    """Read the table: the need, whether it reads the last line alone, the pattern."""
    text = Path(__file__).with_name("needs.toml").read_text("utf-8")
    return [
        (row["need"], row.get("reads") == "last", re.compile(row["pattern"]))
        for row in tomllib.loads(text)["row"]
    ]
