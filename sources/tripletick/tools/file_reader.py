"""Files and folders as the model reads them: numbered lines, clipped with a word on how to go on.

Text is decoded as UTF-8; documents such as PDF are called binary and not converted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tripletick.messages import Call, Result
from tripletick.paths import PathRefused, Workspace
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import format_count, format_size
from tripletick.tools.file_walk import find_closest_paths
from tripletick.tools.parameters import PATH_NAMES, ArgumentsError, CallSchema, Parameter, Parameters
from tripletick.tools.tool import Running, Tool, ToolContext

LARGEST = 16 << 20
"""Bytes of a file that are looked at."""
SNIFFED = 8 << 10
"""Bytes in which a NUL marks a binary file, as git does."""
WIDEST = 2000
"""Characters shown of one line."""
ENTRIES = 200
LEAST = 400
"""Characters that each of several files may have, however many there are."""

_RANGE = lazy_regex(
    r"(?P<path>.+?)(?::|(?<!\s)\s+(?:lines?\s+|(?=\d+\s*-))|#)L?(?P<first>\d{1,9})(?:(?P<to>\s*[-:,]\s*)L?(?P<last>\d{0,9}))?"
)
_LINES = lazy_regex(r"L?\d+(\s*[-:,]\s*L?\d*)?")
_BULLET = lazy_regex(r"^[-*•]\s+")


@dataclass(frozen=True, slots=True)
class FileRange:
    """A path and the lines wanted of it, counted from 1; `last` 0 means to the end."""

    path: str
    first: int = 1
    last: int = 0


@dataclass(frozen=True, slots=True)
class FileView:
    """What became of one path."""

    text: str
    outcome: str = ""
    """The verdict's words, "" where all is well."""
    flag: str = ""


def read_paths(call: Call, context: ToolContext) -> Running:
    """Show each path; what cannot be shown fails the block, and the others are shown all the same."""
    yield from ()
    lines = [call.path or "", *(_BULLET.sub("", line.strip()) for line in call.body.splitlines())]
    wanted = list(dict.fromkeys(filter(None, lines)))
    if not wanted:
        return Result("failed", "failed, no path was given", "Write one path a line.", tool="read")
    budget = max(context.clip // len(wanted), LEAST)
    shown = [show_path(line, context, budget) for line in wanted]
    text = "\n\n".join(each.text for each in shown)
    wrong = next((each for each in shown if each.outcome), None)
    if wrong is None:
        return Result("ok", "ok", text)
    return Result("failed", f"failed, {wrong.outcome}", text, flags=frozenset({wrong.flag}), tool="read")


def _build_call(tag: str, parameters: Parameters, given: Mapping[str, Any]) -> Call:
    """Put lines behind the path that they are of. Raises ArgumentsError."""
    path, lines = given["path"].strip("\n"), given.get("lines", "").strip()
    if lines and ("\n" in path or not _LINES.fullmatch(lines)):
        raise ArgumentsError("`lines` is a range such as 10-40, of one path")
    return Call(tag, f"{path}:{lines}" if lines else path)


FORM = CallSchema(
    (
        Parameter("path", "a file or folder", others=(*PATH_NAMES, "paths", "files", "folder"), many=True),
        Parameter("lines", "such as 10-40", place="word", required=False, others=("range", "line_range")),
    ),
    _build_call,
)
READ = Tool(
    "read", "shows files and folders", read_paths, example=Call("read", "notes.txt\nmain.py:10-40"), form=FORM
)


def show_path(written: str, context: ToolContext, budget: int) -> FileView:
    """Show what one line of the block names, in at most about `budget` characters."""
    workspace = context.workspace
    try:
        wanted = _parse_range(written, workspace)
        spot = workspace.resolve_path(wanted.path)
        kind = workspace.get_kind(spot.path)
        if kind == "missing":
            return _report_missing(wanted.path, workspace)
        lister = list_folder if kind == "folder" else show_file
        text = lister(FileRange(spot.path, wanted.first, wanted.last), context, budget)
    except PathRefused as refused:
        return FileView(str(refused), f"{written} was refused", "refused")
    return FileView(f"({spot.note})\n{text}" if spot.note else text)


def _parse_range(written: str, workspace: Workspace) -> FileRange:
    """Take the lines off a path, unless a file is called so."""
    match = _RANGE.fullmatch(written)
    if not match or _path_exists(written, workspace):
        return FileRange(written)
    first = max(int(match["first"]), 1)
    last = int(match["last"] or 0) if match["to"] else first
    return FileRange(match["path"], first, max(last, first) if last else 0)


def _path_exists(written: str, workspace: Workspace) -> bool:
    try:
        return workspace.get_kind(workspace.resolve_path(written).path) != "missing"
    except PathRefused:
        return False


def _report_missing(path: str, workspace: Workspace) -> FileView:
    near = find_closest_paths(path, workspace)
    hint = (
        f" There is: {', '.join(near)}."
        if near
        else " List the folder with read and a dot to see what is there."
    )
    return FileView(f"{path} does not exist.{hint}", f"{path} was not found", "not-found")


def show_file(wanted: FileRange, context: ToolContext, budget: int) -> str:
    """Show a file's lines, and count it as read. Raises PathRefused."""
    path = wanted.path
    data = context.workspace.read_shown(path, LARGEST)
    total = context.workspace.get_size(path) if len(data) == LARGEST else len(data)
    if is_binary(data):
        return f"{path} is a binary file, {format_size(total)}; its content cannot be shown."
    context.ledger.known.add(path)
    lines = split_lines(data)
    if not lines:
        return f"{path} is empty."
    shown = lines[wanted.first - 1 : wanted.last or None]
    there = format_count(len(lines), "line") + (
        f" in its first {format_size(LARGEST)}" if total > len(data) else ""
    )
    if not shown:
        return f"{path} has only {there}."
    numbers = number_lines(shown, wanted.first, budget)
    last = wanted.first + len(numbers) - 1
    head = f"{path}, {there}" + (f", of which {wanted.first}-{last}:" if len(numbers) < len(lines) else ":")
    more = (
        f"\n… lines {last + 1}-{len(lines)} are left out; read {path}:{last + 1}-"
        if len(numbers) < len(shown)
        else ""
    )
    cut = (
        f"\n… only the first {format_size(LARGEST)} of {format_size(total)} were looked at"
        if total > len(data)
        else ""
    )
    return "\n".join((head, *numbers)) + more + cut


def number_lines(lines: list[str], first: int, budget: int) -> list[str]:
    """Number lines as far as `budget` characters go, at least one; too wide a line is cut."""
    width = len(str(first + len(lines) - 1))
    shown: list[str] = []
    for number, line in enumerate(lines, first):
        widest = min(WIDEST, max(budget, 80))
        tail = f" … {len(line) - widest} characters more" if len(line) > widest else ""
        row = f"{number:>{width}}|{line[:widest]}{tail}"
        budget -= len(row) + 1
        if budget < 0 and shown:
            break
        shown.append(row)
    return shown


def list_folder(wanted: FileRange, context: ToolContext, budget: int) -> str:
    """List a folder, sizes beside the files. Raises PathRefused."""
    rows: list[str] = []
    names, below = context.workspace.list_kinds(wanted.path), "" if wanted.path == "." else f"{wanted.path}/"
    for name, kind in islice(names.items(), ENTRIES):
        row = (
            f"{name}/"
            if kind == "folder"
            else f"{name}  {format_size(context.workspace.get_size(below + name))}"
        )
        budget -= len(row) + 1
        if budget < 0 and rows:
            break
        rows.append(to_printable(row))
    more = [f"… {len(names) - len(rows)} more"] if len(rows) < len(names) else []
    folder = f"{wanted.path}/" if below else "This folder"
    return "\n".join((f"{folder} holds:", *rows, *more)) if rows else f"{folder} is empty."


def is_binary(data: bytes) -> bool:
    return b"\0" in data[:SNIFFED]


def split_lines(data: bytes) -> list[str]:
    """Give the lines of a text, without their ends; only LF and CRLF end one."""
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n") if text else []


def to_printable(name: str) -> str:
    """Make a name that is no UTF-8 fit to be sent."""
    return name.encode("utf-8", "replace").decode()
