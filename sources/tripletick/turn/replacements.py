"""The command for a plain request to put one text in the place of another: "replace Room 4 with Room 7"."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress

from tripletick.languages.registry import is_document
from tripletick.paths import PathRefused, Workspace
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.file_listing import iter_paths
from tripletick.tools.file_walk import has_name

LARGEST, MOST = 100_000, 50
"""Bytes of a text that is looked into, and texts that are changed at once."""
_QUOTED = r"\"[^\"\n]{1,80}\"|'[^'\n]{1,80}'|“[^”\n]{1,80}”|`[^`\n]{1,80}`"
_KIND = (
    r"(?:(?:every|each|all|the|das|den|le|la|el|il|het) )?"
    r"(?:(?:words?|names?|texts?|wort|namen?|mot|palabra) )?"
)
_WORDS = r"[\w-]+(?: [\w-]+){0,3}?"
_REPLACES = lazy_regex(
    r"\b(?:replac(?:e|ing)|swap|substitute|change|turn|ersetz\w*|änder\w*|remplac\w*|reempla\w*|cambi\w*"
    rf"|sostitui\w*|vervang\w*) {_KIND}(?P<old>{_QUOTED}|{_WORDS})"
    rf" (?:with|by|to|into|for|durch|in|zu|par|en|por|con|door) {_KIND}(?P<new>{_QUOTED}|{_WORDS})"
    r"(?=[.,;!?\n]|$"
    r"| (?:everywhere|throughout|in|inside|within|and|überall|und|dans|partout|et|en|y|nei|e|overal)\b)",
    re.IGNORECASE,
)
_SPECIAL = lazy_regex(r"[\\/.*^$\[\]]")
_SPARED = lazy_regex(
    r"(?i)(?:n.t|\b(?:not|never|leave|except|but|without|nicht|außer|ohne|pas|sauf|sans|no|salvo|sin|non|tranne))\b"
    r"[^.;\n]*"
)
"""What is said of files that are to stay as they are."""


def describe_replacement(request: str, workspace: Workspace) -> str:
    """Give the command that replaces one text by another in the files that a request names, or that lie in
    the folders that it names; "" where it is no such request, and where none of them has the text as a word.
    """
    found = [*_REPLACES.finditer(request)]
    if len(found) != 1:
        return ""
    old, new = (each.strip("\"'“”`") for each in (found[0]["old"], found[0]["new"]))
    start, end = (r"\b" * bool(re.match(r"\w", sign)) for sign in (old[0], old[-1]))
    word = re.compile(f"{start}{re.escape(old)}{end}")
    paths = [path for path, text in _iter_texts(_SPARED.sub(" ", request), workspace) if word.search(text)]
    if not paths or len(paths) > MOST:
        return ""
    edit = f"s/{start}{_escape(old)}{end}/{_escape(new).replace('&', chr(92) + '&')}/g"
    return shlex.join(["sed", "-i", edit, *sorted(paths)])


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda sign: f"\\{sign[0]}", text)


def _iter_texts(request: str, workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Give the paths and texts of the files that a request names, else of those in folders that it names."""
    paths = [path for path in iter_paths(workspace) if is_document(path)]
    named = [path for path in paths if has_name(request, path.rpartition("/")[2])]
    folders = {path.rpartition("/")[0] for path in paths} - {""}
    inside = tuple(f"{folder}/" for folder in folders if has_name(request, folder))
    for path in named or [path for path in paths if inside and path.startswith(inside)]:
        with suppress(PathRefused, UnicodeError):
            yield path, workspace.read_bytes(path, LARGEST).decode()
