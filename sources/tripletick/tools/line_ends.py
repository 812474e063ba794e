"""Scripts that put lines behind a text whose last line has no end: without one both become a single line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase

from tripletick.languages.registry import is_document
from tripletick.paths import PathRefused, Workspace
from tripletick.system.lazy_regex import lazy_regex

LARGEST, LONGEST = 1 << 20, 20_000
"""Bytes of a text, and characters of a script, that are looked at."""
_APPENDS = lazy_regex(r">>[ \t]*(?P<path>[\w./-]+|'[^'\n$]+'|\"[^\"\n$]+\")")
_KEEPS_OPEN = lazy_regex(
    r"\becho[ \t]+-\w*n|\bprintf\b(?![^\n]*\\n)"
    r"|\b(?:printf|echo[ \t]+-\w*e\w*)[ \t]+\$?[\"']\\n|\becho(?:[ \t]+(?:''|\"\"))?[ \t]*>>"
)
"""What may go on with the last line, or ends it itself."""
_FILES = r"(?P<files>(?:[ \t]+(?:[\w./*?-]++|'[^'\n]+'|\"[^\"\n$]+\")){1,50}+)[ \t]*"
_JOINS = lazy_regex(rf"\bcat{_FILES}>>?[ \t]*(?P<path>[\w./-]+|'[^'\n]+')")
_JOINS_EACH = lazy_regex(
    rf"\bfor[ \t]+(?P<name>\w+)[ \t]+in{_FILES}[;\n]\s*do\s+cat"
    r"(?=[ \t]+\"?\$\{?(?P=name)\}?\"?[ \t]*>>[ \t]*(?P<path>[\w./-]+|'[^'\n]+'))"
)
_MAY_NOT = lazy_regex(r"<<|\b(?:if|case|while|until)\b|&&|\|\||^[ \t]*#|[\"'][ \t]*#", re.MULTILINE)
"""What stands in a script that may add nothing, or writes another one."""
_MOVES = lazy_regex(r"\b(?:cd|pushd)\b")
"""Names are those of another folder then."""


def end_last_lines(script: str, workspace: Workspace) -> str:
    """Give a script that ends the last line of a text before it adds others, and that of each it joins."""
    if len(script) > LONGEST or _MOVES.search(script):
        return script
    ended: dict[str, str] = {}
    for found in _APPENDS.finditer("" if _MAY_NOT.search(script) else script):
        path = found["path"].strip("\"'").removeprefix("./")
        line = script[script.rfind("\n", 0, found.start()) + 1 : found.end()]
        is_first = path not in script[: found.start()]
        if is_first and not _KEEPS_OPEN.search(line) and _is_open(path, workspace):
            ended[path] = f"echo >> {found['path']}\n"
    for pattern in (_JOINS, _JOINS_EACH):
        script = pattern.sub(lambda found: _join_lines(found, workspace), script)
    return "".join(ended.values()) + script


def _join_lines(found: re.Match[str], workspace: Workspace) -> str:
    """Have awk join texts, which ends each of their lines."""
    with suppress(ValueError):
        words = shlex.split(found["files"])
        paths = [] if any(word.startswith("-") for word in words) else list(_expand(words, workspace))
        if is_document(found["path"].strip("'")) and any(_is_open(path, workspace) for path in paths[:-1]):
            return re.sub(r"\bcat\b", "awk 1", found[0], count=1)
    return found[0]


def _expand(patterns: list[str], workspace: Workspace) -> Iterator[str]:
    """Give the paths that a shell gives for patterns of names in one folder."""
    for pattern in patterns:
        folder, _, name = pattern.rpartition("/")
        if re.search(r"[*?]", name):
            with suppress(PathRefused, OSError):
                names = sorted(workspace.list_names(folder or "."))
                yield from (f"{folder}/{each}".lstrip("/") for each in names if fnmatchcase(each, name))
        else:
            yield pattern


def _is_open(path: str, workspace: Workspace) -> bool:
    """Tell whether the last line of a text has no end."""
    with suppress(PathRefused, OSError, ValueError):
        if is_document(path) and workspace.get_kind(path) == "file":
            data = workspace.read_bytes(path, LARGEST)
            return 0 < len(data) < LARGEST and not data.endswith((b"\n", b"\r")) and b"\0" not in data
    return False
