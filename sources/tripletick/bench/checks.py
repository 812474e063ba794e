"""The kinds of checks, a row each: what keys it takes, and how it looks at what a task has left.

Files, answer, and what a program prints are looked at, never how they came about. Each look gives in a few
words why the check does not hold, "" where it does. What is expected of a text is in text_checks.py.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import isnan
from pathlib import Path
from typing import Any

from tripletick.bench.folders import TaskFolder, iter_start_files
from tripletick.bench.text_checks import ANSWER, SHOWN, TEXT, find_mismatch
from tripletick.paths import PathRefused

SECONDS = 20.0
"""What a program that a check runs may take."""
LONGEST = 1e9
LARGEST = 120_000
"""Bytes of a standard input: it goes to the box as a variable, and a system takes 128 KiB of one."""
NOTHING: Mapping[str, Any] = {}
HOLDS = "the test holds"
HARNESS = """\
import sys
told, sys.stdout = sys.stdout, sys.stderr
space = {{"__name__": "solution"}}
try:
    exec({before!r}, space)
    space.pop({name!r}, None)
    exec(compile(open({path!r}, encoding="utf-8").read(), {path!r}, "exec"), space)
    space[{name!r}]
    exec({test!r}, space)
except BaseException as error:
    print(f"{{type(error).__name__}} {{error}}".split(chr(10))[0].strip(), file=told)
    sys.exit(1)
print({ok!r}, file=told)
"""
"""Fed to Python, so that it lies in no file that a program of the folder could read."""


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """What came of a program that a check ran; `struck` names the limit that ended it."""

    stdout: str
    exit: int
    struck: str = ""


Run = Callable[[str, str, float], ProgramResult]
"""Runs a command in a copy of the folder, with this standard input, for so many seconds."""


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What is looked at: the folder that a task left, what it began with, its answer."""

    folder: TaskFolder
    start: Path
    answer: str
    run: Run


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold when a task is done."""

    kind: str
    wanted: Mapping[str, Any]

    def find_failure(self, scene: CheckContext) -> str:
        """Say why it does not hold, "" where it does."""
        try:
            return KINDS[self.kind].look(scene, self.wanted)
        except PathRefused as refused:
            return str(refused)


def _check_file(scene: CheckContext, wanted: Mapping[str, Any]) -> str:
    why = find_mismatch(_read_text(scene, wanted["path"]), wanted, TEXT)
    return why and f"{wanted['path']} {why}"


def _check_gone(scene: CheckContext, wanted: Mapping[str, Any]) -> str:
    return "" if scene.folder.get_kind(wanted["path"]) == "missing" else f"{wanted['path']} still exists"


def _check_folder(scene: CheckContext, wanted: Mapping[str, Any]) -> str:
    path = wanted["path"]
    if path != "." and scene.folder.get_kind(path) != "folder":
        return f"{path} is not a folder"
    there, due = set(scene.folder.list_names(path)), set(wanted.get("names", ()))
    if "names" not in wanted or there == due:
        return ""
    lacking, over, where = sorted(due - there), sorted(there - due), "the folder" if path == "." else path
    return f"{where} lacks {lacking[0]!r}" if lacking else f"{where} has {over[0]!r}"


def _check_unchanged(scene: CheckContext, wanted: Mapping[str, Any]) -> str:
    spared, new = wanted.get("except", ()), wanted.get("new", ())
    kept = {path: file for path, file in iter_start_files(scene.start) if not _matches_any(path, spared)}
    for path, file in kept.items():
        if scene.folder.read_data(path) != file.read_bytes():
            return f"{path} was changed"
    others = (path for path, _ in scene.folder.walk_files() if path not in kept)
    odd = next((path for path in sorted(others) if not _matches_any(path, (*spared, *new))), "")
    return odd and f"{odd!r} is unexpected"


def _check_json(scene: CheckContext, wanted: Mapping[str, Any]) -> str:
    path = wanted["path"]
    text = _read_text(scene, path)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return f"{path} is not valid JSON"
    for name in filter(None, wanted.get("at", "").split(".")):
        try:
            value = value[int(name)] if isinstance(value, list) else value[name]
        except (LookupError, ValueError, TypeError):
            return f"{path} has no {wanted['at']}"
    try:
        same = "equals" not in wanted or _normalize_value(value) == _normalize_value(wanted["equals"])
    except RecursionError:
        return f"{path} is nested too deeply"
    return "" if same else f"{path} has a different value at {wanted.get('at') or 'the top level'}"


def _check_csv(scene: CheckContext, wanted: Mapping[str, Any]) -> str:
    path = wanted["path"]
    try:
        there = [_parse_cells(row) for row in csv.reader(io.StringIO(_read_text(scene, path))) if row]
    except csv.Error:
        return f"{path} is not valid CSV"
    due = [_parse_cells(row) for row in wanted["rows"]]
    if len(there) != len(due):
        return f"{path} has {len(there)} rows"
    odd = next(
        (number for number, rows in enumerate(zip(there, due, strict=True), 1) if rows[0] != rows[1]), 0
    )
    return f"row {odd} of {path} differs" if odd else ""


def _check_run(scene: CheckContext, wanted: Mapping[str, Any]) -> str:
    command = wanted["command"]
    ran = scene.run(command, wanted.get("stdin", ""), wanted.get("seconds", SECONDS))
    if ran.struck:
        return f"{command!r} was stopped: {ran.struck}"
    if ran.exit != wanted.get("exit", 0):
        return f"{command!r} exited with {ran.exit}"
    why = find_mismatch(ran.stdout, wanted, TEXT)
    return why and f"the output of {command!r} {why}"


def _check_function(scene: CheckContext, wanted: Mapping[str, Any]) -> str:
    path, name = wanted["path"], wanted["name"]
    if scene.folder.get_kind(path) == "missing":
        shown = re.search(rf"^```(?:python|py)\b.*?^\s*def {re.escape(name)}\(", scene.answer, re.M | re.S)
        return f"{path} does not exist" + ("; the function is only in the answer" if shown else "")
    program = HARNESS.format(
        path=path, name=name, before=wanted.get("before", ""), test=wanted["test"], ok=HOLDS
    )
    ran = scene.run("python3 -", program, wanted.get("seconds", SECONDS))
    if ran.struck:
        return f"{path} was stopped: {ran.struck}"
    *_, last = ran.stdout.rstrip("\n").split("\n")
    return "" if last == HOLDS else f"{name} in {path} fails its test: {last[:SHOWN] or f'exit {ran.exit}'}"


def _check_answer(scene: CheckContext, wanted: Mapping[str, Any]) -> str:
    why = find_mismatch(scene.answer, wanted, ANSWER) if scene.answer.strip() else "is missing"
    return why and f"the answer {why}"


def _read_text(scene: CheckContext, path: str) -> str:
    return scene.folder.read_data(path).decode("utf-8", "replace")


def _matches_any(path: str, patterns: Iterable[str]) -> bool:
    return any(path == pattern or fnmatchcase(path, pattern) for pattern in patterns)


def _normalize_value(value: Any) -> Any:
    """Give what a value is compared by: 1 and 1.0 are the same, 1 and true are not."""
    if isinstance(value, dict):
        return {name: _normalize_value(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_normalize_value(each) for each in value]
    return (isinstance(value, bool), value)


def _parse_cells(row: Iterable[Any]) -> list[Any]:
    return [_parse_cell(str(cell).strip().removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")) for cell in row]


def _parse_cell(text: str) -> Any:
    try:
        number = float(text)
    except ValueError:
        return text
    # no number is a number that differs from itself, and a name
    return text if isnan(number) else number


@dataclass(frozen=True, slots=True)
class ValueSpec:
    """What may stand behind a key."""

    says: str
    fits: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


STRING = ValueSpec("a text", lambda value: isinstance(value, str))
WORDS = ValueSpec("a text without NUL", lambda value: isinstance(value, str) and "\0" not in value)
TEXTS = ValueSpec("a list of texts", _is_text_list)
COUNT = ValueSpec("a whole number", lambda value: _is_number(value) and isinstance(value, int))
NUMBER = ValueSpec("a number", _is_number)
INPUT = ValueSpec(
    f"a text of at most {LARGEST} bytes without NUL",
    lambda value: WORDS.fits(value) and len(value.encode()) <= LARGEST,
)
LIMIT = ValueSpec("a number of seconds above 0", lambda value: _is_number(value) and 0 < value < LONGEST)
ANY = ValueSpec("any value", lambda value: True)
ROWS = ValueSpec(
    "a list of rows", lambda value: isinstance(value, list) and all(isinstance(row, list) for row in value)
)


@dataclass(frozen=True, slots=True)
class CheckKind:
    """A kind of check: how it looks, the keys that it must have, and those that it may."""

    look: Callable[[CheckContext, Mapping[str, Any]], str]
    must: Mapping[str, ValueSpec]
    may: Mapping[str, ValueSpec]


_PATH = {"path": WORDS}
_PARTS = {"has": TEXTS, "lacks": TEXTS, "matches": STRING}
KINDS: Mapping[str, CheckKind] = {
    "file": CheckKind(_check_file, _PATH, {**_PARTS, "equals": STRING, "lines": COUNT, "same_lines": TEXTS}),
    "gone": CheckKind(_check_gone, _PATH, {}),
    "folder": CheckKind(_check_folder, _PATH, {"names": TEXTS}),
    "same": CheckKind(_check_unchanged, {}, {"except": TEXTS, "new": TEXTS}),
    "json": CheckKind(_check_json, _PATH, {"at": STRING, "equals": ANY}),
    "csv": CheckKind(_check_csv, {**_PATH, "rows": ROWS}, {}),
    "run": CheckKind(
        _check_run,
        {"command": WORDS},
        {**_PARTS, "stdout": STRING, "stdin": INPUT, "exit": COUNT, "seconds": LIMIT},
    ),
    "function": CheckKind(
        _check_function, {**_PATH, "name": STRING, "test": STRING}, {"before": STRING, "seconds": LIMIT}
    ),
    "answer": CheckKind(_check_answer, {}, {**_PARTS, "any": TEXTS, "number": NUMBER}),
}
