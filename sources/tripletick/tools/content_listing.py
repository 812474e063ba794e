"""The files of which a request speaks by what stands in them: "the letters that mention Zurich"."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress

from tripletick.paths import PathRefused, Workspace
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.file_listing import iter_paths
from tripletick.tools.file_reader import is_binary
from tripletick.tools.file_walk import has_name, quote_name, shorten_names
from tripletick.tools.spared_folders import list_spared_folders

HOLDING = "Files with {words} in them: {paths}"
LARGEST, SHOWN, MOST = 1 << 18, 20, 400
"""Bytes of a file that is looked into, files that are named, and files of a folder at all."""
_NOUN = (
    r"(?:files?|letters?|notes?|texts?|documents?|recipes?|logs?|reports?|ones|those|dateien?|texte?|briefe?"
    r"|notizen|fichiers?|lettres?|textes?|archivos?|cartas?|lettere|testi|bestanden)"
)
_HAVE = (
    r"(?:contain(?:s|ing)?|mention(?:s|ing)?|speaks? of"
    r"|(?:have|has|with|mit|avec|con)(?= (?:the|dem|le|la|el) (?:word|name|text|phrase|wort|mot|nom|palabra))"
    r"|enthalten|erwähnen|nennen|contiennent|contenant|mentionnent|contienen|mencionan|contengono|menzionano"
    r"|bevatten)"
)
_KIND = (
    r"(?:(?:the|das|dem|den|le|la|el|il|het) )?"
    r"(?:word|name|text|phrase|wort|namen|mot|nom|palabra|nombre|parola) "
)
_QUOTED = r"(?:\"(?P<double>[^\"\n]{2,60})\"|'(?P<single>[^'\n]{2,60})'|“(?P<curly>[^”\n]{2,60})”)"
_WHERE = (
    r"(?: (?i:in|of|from|under|below|inside|im|in der|dans|de|en|nella)"
    r" (?:(?i:the|my|our|folder) ){0,2}[\w./-]+)?"
)
_HOLDING = lazy_regex(
    rf"(?<!\ba )(?<!\ban )(?<!\bnew )(?<!\bone )\b(?i:{_NOUN}){_WHERE},? "
    rf"(?:(?i:that|which|die|qui|que|che|in which|who) )?(?i:{_HAVE}) "
    rf"(?:(?i:{_KIND})?{_QUOTED}|(?i:{_KIND})(?P<word>[\w-]{{2,40}})"
    r"|(?P<name>[A-ZÄÖÜÉ][\w-]+(?: [A-ZÄÖÜÉ][\w-]+){0,2})"
    r"|(?P<bare>[a-zäöüß][\w-]{3,30})(?=[,.;?!]|\s*$| (?:into|to|in|nach|dans|en)\b))(?!\w)"
)
_ANY_CASE = lazy_regex(
    r"(?i)\b(?:upper|lower|capital|small)\b[^.;\n]{0,20}\b(?:or|and|/)\b[^.;\n]{0,12}\b(?:lower|upper|small|capital)"
    r"|case[- ]?insensitiv|(?:any|whatever|ignor\w*|regardless of)(?: the)? case\b|groß.{0,6}klein"
)
_MORE = lazy_regex(r" (?:and|or|but|und|oder|et|ou|y|o|e) (?!(?:put|copy|move|delete|list|write|tell)\b)")
"""What names something else that is to stand there."""


_VERB = lazy_regex(
    r"(?i)\W*(?:(?:please|bitte|(?:can|could|would) you(?: please)?)\W+)?"
    r"(?:(?P<cp>copy|kopiere?|copie[rz]?|copia)|(?P<mv>move|put|verschiebe?|déplace[rz]?|mueve|sposta)"
    r"|(?P<rm>delete|remove|lösche?|supprime[rz]?|borra|elimina))\b"
)
_INTO = lazy_regex(
    r"(?i)\b(?:into|to|nach|in|dans|a|en|nella?) (?:(?:a|the|new|folder|directory|einen?|den|neuen|ordner|un"
    r"|le|nouveau|dossier|una?|la|nueva|carpeta|nuova|cartella|called|named|namens) )+"
    r"[\"'`]?(?P<folder>[\w-]+)(?![\w/]|\.\w)"
)


def list_holding(request: str, workspace: Workspace) -> str:
    """Name the files in which the words stand by which a request speaks of them; "" where it does not."""
    words, paths = find_holding(request, workspace)
    names = shorten_names(sorted(map(quote_name, paths)), SHOWN)
    return HOLDING.format(words=f'"{words}"', paths=", ".join(names)) if paths else ""


def describe_taking(request: str, workspace: Workspace) -> str:
    """Give the command that copies, moves or deletes the files of which a request speaks by words in them; ""
    where it wants something else, or does not say where they go.
    """
    verb, into = _VERB.match(request), _INTO.search(request)
    _, paths = find_holding(request, workspace) if verb else ("", [])
    if not verb or not paths or len(paths) > SHOWN:
        return ""
    command = next(name for name, said in verb.groupdict().items() if said)
    if command == "rm":
        return shlex.join(["rm", *sorted(paths)])
    folder = shlex.quote(into["folder"]) if into else ""
    return f"mkdir -p {folder} && {shlex.join([command, *sorted(paths)])} {folder}/" if into else ""


def find_holding(request: str, workspace: Workspace) -> tuple[str, list[str]]:
    """Find the words by which a request speaks of files, and those; none where not all files that have them
    have them in the same case, unless it says that this is all one, or all files have them.
    """
    found = _HOLDING.search(request)
    if not found or _MORE.match(request, found.end()):
        return "", []
    words = next(each for each in found.groups() if each)
    one = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")
    any_case = re.compile(one.pattern, re.IGNORECASE)
    texts = [*_iter_texts(request, workspace)]
    forms = (any_case, any_case) if _ANY_CASE.search(request) else (one, any_case)
    paths, *others = ([path for path, text in texts if each.search(text)] for each in forms)
    return (words, paths) if len(paths) < len(texts) and others == [paths] else ("", [])


def _iter_texts(request: str, workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Give the paths and texts of the folders that a request names, else of all."""
    paths = [*iter_paths(workspace)]
    folders = {path.rpartition("/")[0] for path in paths} - {""}
    spared = {*list_spared_folders(request, folders)}
    named = tuple(f"{each}/" for each in folders - spared if has_name(request, each))
    paths = [path for path in paths if not path.startswith(tuple(f"{each}/" for each in spared))]
    for path in paths if len(paths) <= MOST else ():
        with suppress(PathRefused, UnicodeError):
            if (not named or path.startswith(named)) and workspace.get_kind(path) == "file":
                data = workspace.read_bytes(path, LARGEST)
                if not is_binary(data):
                    yield path, data.decode()
