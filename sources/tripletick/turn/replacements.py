"""A plain request to put one text in the place of another, "replace Room 4 with Room 7": the command for it,
and blocks that did it in part.
"""

from __future__ import annotations

import re
import shlex
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tripletick.checkpoint.values import Change, State
from tripletick.languages.registry import is_document
from tripletick.messages import Result
from tripletick.paths import PathRefused, Workspace
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.file_listing import iter_paths
from tripletick.tools.file_walk import has_name
from tripletick.tools.results import DOES
from tripletick.tools.spared_folders import list_spared_folders
from tripletick.turn.losses import take_back

LARGEST, MOST = 100_000, 50
"""Bytes of a text that is looked into, and texts that are changed at once."""
_QUOTED = r"\"[^\"\n]{1,80}\"|'[^'\n]{1,80}'|“[^”\n]{1,80}”|`[^`\n]{1,80}`"
_KIND = (
    r"(?:(?:every|each|all|the|das|den|le|la|el|il|het) )?"
    r"(?:(?:words?|names?|texts?|(?:phone |telephone |room )?numbers?|address|price|date|wort|namen?|mot"
    r"|palabra|nummer) )?"
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

_OF_KIND = lazy_regex(r"(?i)\b(?:word|name|text|number|wort|mot|nom|palabra|nombre|parola) $")
_SIGNS = lazy_regex(
    r"(?i)(?:an? )?(?:tab|space|blank|newline|line break|comma|semicolon|colon|dot|period|point|underscore"
    r"|hyphen|dash|slash|quote|bracket|umlaut|accent|digit|number|date|name|word|letter|capital|file|tabulator"
    r"|leerzeichen|komma|punkt|strich|ziffer|zahl|datum|espace|virgule|espacio|coma|spazio|virgola)(?:e?[sn])?"
)
"""What may be a sign or a kind, and not the word itself."""
_PLAIN = lazy_regex(
    r"(?i)\b(?:replac(?:e|ing)|swap|substitute|ersetz\w*|remplac\w*|reempla\w*|sostitui\w*|vervang\w*"
    r"|everywhere|throughout|every (?:time|place)|wherever|überall|partout|en todas partes|ovunque|overal)\b"
)
"""Without it "change the port to 80" may speak of a value behind that word."""
_LIMITED = lazy_regex(
    r"(?i)\b(?:first|last|once|only|except|unless|but not|außer|sauf|salvo|tranne"
    r"|lines?|rows?|columns?|sections?|delet\w*|remov\w*|add|append\w*|insert\w*"
    r"|erste\w*|letzte\w*|nur|zeilen?|lösch\w*|entfern\w*|premi\w*|derni\w*|seulement|lignes?|supprim\w*"
    r"|primer\w*|últim\w*|sólo|solo|líneas?|borr\w*|prim[ao]|ultim[ao]|righe?|elimin\w*|alleen|regels?)\b"
)
"""What limits a replacement, or wants something else besides."""


def describe_replacement(request: str, workspace: Workspace) -> str:
    """Give the command that replaces one text by another in the files that a request names, or that lie in
    the folders that it names; "" where it is no such request, and where none of them has the text as a word.
    """
    if not (wanted := _read_request(request)):
        return ""
    texts = _iter_texts(request, workspace)
    return _format_command(wanted, [path for path, text in texts if wanted.word.search(text)])


def find_unreplaced(changes: Sequence[Change], read: Callable[[State], bytes], request: str) -> Result | None:
    """Give the result of a block that is to be taken back since it left the old text in some of the lines, or
    changed more in one of them; None for any other, and where a request wants other changes too.
    """
    wanted = _read_request(request)
    if not wanted or not _PLAIN.search(request) or _LIMITED.search(request):
        return None
    paths, wrong = list[str](), ""
    for change in changes:
        was, left = change.was, change.left
        if was and left and stat.S_ISREG(was[0]) and stat.S_ISREG(left[0]) and is_document(change.path):
            before, now = (read(state)[:LARGEST].decode("utf-8", "replace") for state in (was, left))
            lines = [line for line in before.splitlines() if wanted.has_only(line)]
            right = Counter(wanted.word.sub(lambda _: wanted.new, line).rstrip() for line in lines)
            lacking = right - Counter(line.rstrip() for line in now.splitlines())
            paths += [change.path] * bool(lines)
            wrong = wrong or next((f"{change.path} lacks the line {each}" for each in lacking), "")
    command = _format_command(wanted, paths)
    return take_back(f"{wrong}.", DOES.format(how=command)) if wrong and command else None


@dataclass(frozen=True, slots=True)
class _Replacement:
    old: str
    new: str
    start: str
    """"" where the old text does not begin with a letter or digit …"""
    end: str
    """… or end with one."""

    @property
    def word(self) -> re.Pattern[str]:
        return re.compile(f"{self.start}{re.escape(self.old)}{self.end}")

    def has_only(self, line: str) -> bool:
        """Tell whether a line has the old text as a word, and not in another one or in other capitals."""
        words = len(self.word.findall(line))
        return 0 < words == line.casefold().count(self.old.casefold())


def _read_request(request: str) -> _Replacement | None:
    found = [*_REPLACES.finditer(request)]
    if len(found) != 1:
        return None
    if any(_SIGNS.fullmatch(found[0][each]) for each in ("old", "new")):
        return None
    is_text = found[0]["old"][0] in "\"'“`" or _OF_KIND.search(request, 0, found[0].start("old"))
    if not is_text and not _PLAIN.search(request):
        return None
    old, new = (each.strip("\"'“”`") for each in (found[0]["old"], found[0]["new"]))
    start, end = (r"\b" * bool(re.match(r"\w", sign)) for sign in (old[0], old[-1]))
    return _Replacement(old, new, start, end)


def _format_command(wanted: _Replacement, paths: Sequence[str]) -> str:
    new = _escape(wanted.new).replace("&", r"\&")
    edit = f"s/{wanted.start}{_escape(wanted.old)}{wanted.end}/{new}/g"
    return shlex.join(["sed", "-i", edit, *sorted(paths)]) if 0 < len(paths) <= MOST else ""


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda sign: f"\\{sign[0]}", text)


def _iter_texts(request: str, workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Give the paths and texts of the files that a request names, else of those in folders that it names."""
    paths = [path for path in iter_paths(workspace) if is_document(path)]
    said = _SPARED.sub(" ", request)
    named = [path for path in paths if has_name(said, path.rpartition("/")[2])]
    folders = {path.rpartition("/")[0] for path in paths} - {""}
    spared = tuple(f"{folder}/" for folder in list_spared_folders(request, folders))
    inside = tuple(f"{folder}/" for folder in folders if has_name(said, folder))
    found = named or [path for path in paths if inside and path.startswith(inside)]
    for path in (path for path in found if not (spared and path.startswith(spared))):
        with suppress(PathRefused, UnicodeError):
            yield path, workspace.read_bytes(path, LARGEST).decode()
