"""Which files a request means by the folders that they lie in, and which it wants left alone."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Sequence

from tripletick.checkpoint.undo_plan import is_folder
from tripletick.checkpoint.values import Change
from tripletick.messages import Result
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.file_walk import has_name
from tripletick.tools.results import DOES
from tripletick.tools.spared_folders import list_spared_folders
from tripletick.turn.file_kinds import list_kinds
from tripletick.turn.losses import take_back
from tripletick.turn.result_checks import Flaw, make_mendable

LEFT_OVER = "{path} is still as it was."
DEEP = lazy_regex(
    r"(?i)\b(?:(?:also|too|and|including|incl|even|with|auch|und|samt|aussi|et|compris|también|y|anche|e|ook|en)\b\W{0,3}"
    r"(?:(?!not\b|ignor|skip|exclud|leav|nicht\b|ohne\b|pas\b)\w+\W{1,3}){0,3}?(?:sub-?(?:folder|director)|unterordner|sous-dossier|subcarpeta|sottocartell|submap|subpasta"
    r"|folders? (?:inside|within|in (?:it|there|that)))"
    r"|recursive|everywhere\b|(?<!skip )(?<!ignore )all (?:the )?folders\b|below (?!to\b)[a-z])"
)
"""Files are meant wherever they lie …"""
PICKS = lazy_regex(
    r"(?i)\b(?:not|no|never|without|than|except|but|keep|leave|before|after|since|starting|beginning|that|which|whose"
    r"|nicht|ohne|sauf|sin)\b|n.t\b"
)
"""… and not all of these."""
_FLAT = lazy_regex(r"\bglob\(|\bos\.(?:listdir|scandir)\(|\.iterdir\(|\bls\b|\bfind\b[^\n|;]* -maxdepth 1\b")
_DEEPER = lazy_regex(
    r"\*\*|\*/|\bis_?dir\(|\[ -d |\bos\.walk\(|\brglob\(|\bls [^\n|;]*-(?:\w*R|-recursive)"
    r"|\bfind\b(?![^\n|;]* -maxdepth 1\b)"
)
"""What looks into one folder alone, and into those in it."""
UNSEEN = "{path} was left out, and the task means the folders in {folder} too."
_COUNTS = lazy_regex(r"(?i)\b(?:how many|count|number of|wie viele|combien|cuánt[ao]s|quant[ie])\b")
SPARED = "It changed {path}, and {spared} is to stay as it is."
NAMED = "what has {word} in its name"
_SPARED_NAMES = lazy_regex(
    r"(?i)\b(?:except|but not|unless|other than|apart from|keep|leave|exceptions?|außer|sauf|excepto|tranne)"
    r"\b[^.;\n]{0,60}?\b(?:contain(?:s|ing)?|with|have|has|having|mit|avec|con)\b(?: (?:the|das|le|la))?"
    r"(?: (?:word|text|wort|mot))? [\"'`“]?(?P<word>[\w-]{2,30})[\"'`”]? (?:somewhere )?"
    r"(?:in (?:its|their|the)|im|dans (?:le|leur)|en (?:el|su)|nel) (?:file ?)?"
    r"(?:names?|namen|nom|nombre|nome)\b"
)
_PATH = lazy_regex(r"(?<![\w./-])[\w-]+(?:/[\w-]+)+(?![\w/]|\.\w)")
_FIND = lazy_regex(r"(?<![\w./-])find (?P<root>[\w./-]+)(?= )")
_DELETES = lazy_regex(
    r"(?i)\b(?:delet\w*|remov\w*|rm|lösch\w*|supprim\w*|borra\w*|elimin\w*|cancell\w*|verwijder\w*)\b"
)


def find_spared(code: str, changes: Sequence[Change], request: str) -> Result | None:
    """Give the result of a block that is to be taken back since it changed, moved or deleted a file in a
    folder that a request wants left alone, or one that it spares by a word in the name.
    """
    paths = [each.path for each in changes if each.was and not is_folder(each.was)]
    parents = {parent for path in paths for parent in _list_parents(path)}
    folders = list_spared_folders(request, sorted(parents | {*_PATH.findall(request)}))
    words = [found["word"] for found in _SPARED_NAMES.finditer(request)]
    for path in paths:
        name = path.rpartition("/")[2].casefold()
        named = (NAMED.format(word=word) for word in words if word.casefold() in name)
        inside = (folder for folder in folders if path.startswith(f"{folder}/"))
        if spared := next(inside, "") or next(named, ""):
            meant = [each for each in parents if each not in folders and has_name(request, each)]
            tests = [f"-not -path {shlex.quote(f'{each}/*')}" for each in folders]
            tests += [f"-not -name {shlex.quote(f'*{each}*')}" for each in words]
            how = _spare(code, min(meant, key=len, default=""), " ".join(tests), request)
            return take_back(SPARED.format(path=path, spared=spared), DOES.format(how=how) if how else "")
    return None


def _list_parents(path: str) -> Iterable[str]:
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))


def _spare(code: str, root: str, tests: str, request: str) -> str:
    """Give the command that leaves alone what is spared by the `tests` of `find`: of a request to delete all
    files of a kind below a folder, the `root`, or of a search.
    """
    found, kinds = [*_FIND.finditer(code)], list_kinds(request)
    root = root or (found[0]["root"] if len(found) == 1 else "")
    if root and _DELETES.search(request) and len(kinds) == 1:
        is_deep = DEEP.search(request) or (found and "-maxdepth" not in code)
        flat = "" if is_deep else " -maxdepth 1"
        name = shlex.quote(f"*.{kinds.pop()}")
        return f"find {shlex.quote(root)}{flat} -type f -name {name} {tests} -delete"
    if len(found) != 1:
        return ""
    start, end = found[0].span()
    return f"{code[:start]}find {found[0]['root']} {tests}{code[end:]}"


def find_left_over(gone: Sequence[str], there: Iterable[str], request: str) -> Flaw | None:
    """Say that a file was left out where a request that also means those in folders names their ending, and
    others of that ending below the same folder are gone: renamed, moved or deleted. `there`: what is there,
    but for what was made.
    """
    if not DEEP.search(request) or PICKS.search(request):
        return None
    top = os.path.commonpath([path.rpartition("/")[0] for path in gone])
    endings = {path.rpartition(".")[2] for path in gone if "." in path.rpartition("/")[2]}
    named = tuple(
        f".{each}" for each in endings if re.search(rf"(?<!\w)\*?\.{re.escape(each)}(?!\w)", request)
    )
    inside = (path for path in there if path.startswith(f"{top}/") or not top)
    left = next((path for path in inside if named and path.endswith(named)), "")
    return Flaw(LEFT_OVER.format(path=left)) if left else None


def find_shallow_look(code: str, there: Iterable[str], request: str) -> Flaw | None:
    """Say that a block looked for files of an ending in one folder where a request, which names that, means
    those in it too and there are such files. `there`: the paths of all files.
    """
    if not DEEP.search(request) or not _FLAT.search(code) or _DEEPER.search(code):
        return None
    endings = {*re.findall(r"(?<!\w)\*?(\.[a-z]\w{1,4})\b", request)}
    for path in there:
        folder, _, inner = path.partition("/")
        if "/" in inner and path.endswith(tuple(endings)) and has_name(request, folder):
            files = f"find {shlex.quote(folder)} -type f -name '*{path[path.rindex('.') :]}'"
            how = files + " | wc -l" * bool(_COUNTS.search(request))
            return make_mendable(UNSEEN.format(path=path, folder=folder), how if len(endings) == 1 else "")
    return None
