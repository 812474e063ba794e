"""Files that go along: what a request names, and the program in which a failure lies.

A small model seldom reads a file before it changes it, and mends one that it sees. Each version of a file
goes along once, within the budget of one output; what has gone along as a whole counts as read.
Hidden files do not, nor what git ignores or is no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from tripletick.dialects.fence.feedback import fenced
from tripletick.languages import language_of
from tripletick.messages import Result
from tripletick.paths import PathRefused
from tripletick.tools import tables
from tripletick.tools.reading import is_binary
from tripletick.tools.tool import Bench
from tripletick.tools.walking import names_in, shortened

LARGEST = 1 << 20
"""Bytes; of a larger file nothing goes along."""
MOST = 6
"""Files of one request."""
LEAST = 200
"""Characters; with less room left nothing is begun."""
TABLE = 1500
"""Characters; a larger table goes along by its first rows."""
ENTRIES = 20
"""Names of a folder."""
WORD = re.compile(r"\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|`([^`\n]{1,200})`|([^\s\"'`,;!?()<>\[\]{}]+)")
"""What may be a path: words between quotes, or one word."""
PLACE = re.compile(r"[\w./~+-]*[\w+-]\.\w{1,6}")
"""What may be a path in the words of a program."""
WHOLE = "{path}, {lines}:"
PART = "{path}, the first {shown} of {lines}:"
TABLED = "{path} has {said}; read or change it with a python block. It begins:"
DATA = ", {said}; read or change it with a python block"
HOLDS = "{path}/ holds: {names}"


@dataclass(frozen=True, slots=True)
class Attached:
    """The file of a failure: how it is shown, and the tag and path under which it is saved."""

    text: str
    tag: str
    path: str


def named(words: str, bench: Bench) -> str:
    """Show the files and folders that a request names, "" where it names none that are there."""
    left, parts, programs = bench.clip * bench.trial.files, list[str](), list[str]()
    for path in list(dict.fromkeys(_paths(words, bench)))[:MOST]:
        if left < LEAST:
            break
        is_folder = bench.workspace.kind(path) == "folder"
        part = _folder(path, bench) if is_folder else _file(path, bench, left)
        parts += [part] if part else []
        left -= len(part)
        language = language_of(path)
        programs += [path] if language and language.runs and path in bench.ledger.known else []
    new = [] if programs else list(dict.fromkeys(_missing(words, bench)))
    bench.ledger.asked = programs[0] if len(programs) == 1 else new[0] if len(new) == 1 else ""
    bench.ledger.named = frozenset(filter(None, (_resolved(word, bench) for word in _words(words))))
    return "\n\n".join(parts)


def failed(result: Result, bench: Bench) -> Attached | None:
    """Give the program of the workspace that a failure names last; its text is "" where the model has seen it
    as it is.
    """
    for word in dict.fromkeys(reversed(PLACE.findall(result.text))):
        language = language_of(word)
        path = _resolved(word, bench) if language and language.runs else None
        if language and path and bench.workspace.kind(path) == "file":
            shown = _file(path, bench, bench.clip)
            return Attached(shown, language.tag, path) if path in bench.ledger.known else None
    return None


def _paths(words: str, bench: Bench) -> Iterator[str]:
    """Give what a text names that is there; a folder's name counts with a slash or between quotes alone."""
    hides, there = bench.workspace.hides(), set(bench.workspace.listdir("."))
    for word in _words(words):
        path = _resolved(word, bench)
        if path is None or path == "." or hides(path):
            continue
        kind = bench.workspace.kind(path)
        if kind == "file" or (kind == "folder" and (word in there or "/" in word)):
            yield path


def _missing(words: str, bench: Bench) -> Iterator[str]:
    """Give the programs that a text names and that are not there."""
    for word in _words(words):
        language = language_of(word) if PLACE.fullmatch(word) else None
        path = _resolved(word, bench) if language and language.runs else None
        if path and bench.workspace.kind(path) == "missing":
            yield path


def _words(text: str) -> Iterator[str]:
    for match in WORD.finditer(text):
        yield next(filter(None, match.groups())).rstrip(".:")


def _resolved(word: str, bench: Bench) -> str | None:
    with suppress(PathRefused, OSError, ValueError):
        return bench.workspace.resolve(word).path
    return None


def _folder(path: str, bench: Bench) -> str:
    with suppress(PathRefused):
        names = shortened(names_in(path, bench.workspace), ENTRIES)
        return HOLDS.format(path=path, names=", ".join(names) or "nothing")
    return ""


def _file(path: str, bench: Bench, room: int) -> str:
    """Show a file, "" where it was shown as it is, cannot be or is no text."""
    with suppress(PathRefused):
        data = bench.workspace.read_bytes(path, LARGEST + 1)
        if len(data) > LARGEST or is_binary(data) or not data.strip() or bench.ledger.has_shown(path, data):
            return ""
        text = data.decode("utf-8", "replace").lstrip("\ufeff")
        lines = text.splitlines()
        if (told := tables.summary(path, text)) and len(text) > min(TABLE, room):
            return _fenced(TABLED.format(path=path, said=told[0]), told[1][: room // 2])
        if len(text) <= room:
            bench.ledger.show(path, data)
            said = DATA.format(said=told[0]) if told else ""
            return _fenced(WHOLE.format(path=path + said, lines=_lines(lines)), text, path)
        kept = text[: room // 2].splitlines()[:-1]
        return _fenced(PART.format(path=path, shown=len(kept), lines=_lines(lines)), "\n".join(kept), path)
    return ""


def _lines(lines: list[str]) -> str:
    return f"{len(lines)} line{'s' * (len(lines) != 1)}"


def _fenced(head: str, text: str, path: str = "") -> str:
    language = language_of(path) if path else None
    return f"{head}\n{fenced(text.rstrip(), language.tag if language else 'text')}"
