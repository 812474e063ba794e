"""Files that are to be renamed as a request shows it with one of them: "chapter1.txt becomes chapter01.txt".

Where that file went away and the shown one did not come, what was done is taken back, and the loop is given
that renames as shown, if that is one of a few common ways.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence

from tripletick.checkpoint.undo_plan import find_renames, is_folder
from tripletick.checkpoint.values import Change
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.file_walk import has_name
from tripletick.turn.file_kinds import list_kinds

_NAME = r"[\"'`]?(?P<{}>[\w.-]{{1,80}}\.\w{{1,5}}|(?<=[\"'`])[^\"'`\n/]{{1,80}}\.\w{{1,5}}(?=[\"'`]))[\"'`]?"
_SHOWN = lazy_regex(
    r"[\"'`,]{0,3} ?(?:\b(?:then|that|it|is|should|must|to|be|gets?|wird|soll|doit|debe|deve) ){0,4}"
    r"(?:becomes?|goes (?:in)?to|called|named|renamed to|zu|heißen|heißt dann|devient|devenir|s'appeler"
    rf"|pasa a(?: ser| llamarse)?|diventa|diventare|wordt|->|→|=>) {_NAME.format('new')}(?![\w/-])",
    re.IGNORECASE,
)
"""The name that a file gets, behind the one that it has, which may lack its ending."""
_SIGN = (
    r"(?P<sign>underscores?|hyphens?|dash(?:es)?|unterstrich\w*|bindestrich\w*|tirets?(?: bas)?"
    r"|guion(?:es)?(?: bajo)?|_|-)"
)
_SPACES = lazy_regex(
    r"(?i)(?=[\s\S]*\b(?:names?|renam\w+|(?:datei)?namen|umbenenn\w*|noms?|nombres?|nomi)\b)[\s\S]*?"
    r"\b(?:spaces?|blanks?|leerzeichen|espaces?|espacios?|spazi)\b[^.;\n]{0,40}?"
    r"\b(?:becomes?|be|with|by|to|into|durch|zu|par|por|con)\b (?:(?:an?|einen?|des|un) )?[\"'`]?"
    rf"{_SIGN}(?!\w)"
)
"""Names in which another sign is to stand for each blank."""
_FIRST = lazy_regex(
    rf"\b(?:renam\w*|benenne?|umbenenn\w*|renomme\w*|renombra\w*|rinomina\w*) {_NAME.format('old')}"
    rf" (?:to|into|as|in|en|a) {_NAME.format('new')}(?![\w/-])",
    re.IGNORECASE,
)
_SO_ON = lazy_regex(
    r"(?i)\b(?:and so on|etc\b|likewise|accordingly|(?:in )?the same way|und so weiter|usw\b"
    r"|et ainsi de suite|y así sucesivamente|e così via)"
)
"""The first of several that are renamed alike."""
NOT_AS_SHOWN = "{old} is to become {new}, and became something else."
DOUBLED = "{old} became {new}, which has both endings."
REPLACES = (
    "This renames them: find {folder} -name '*.{old}' | "
    'while read -r f; do mv "$f" "${{f%.{old}}}.{new}"; done'
)
_ADDS = lazy_regex(
    r"(?i)\b(?:add|append|attach|behind|after|back(?:ed)?.?up|häng\w*|anhäng\w*|ajoute\w*|añad\w*)\b"
)
SHOWN_LOOP = "This renames as shown: {loop}"
_ALL_FILES = lazy_regex(r"\bfor \w+ in (?:[\w./-]+/|\"[^\"$\n]+/\"|\./)?\*(?=[ \t]*[;\n])")
_PLACED = lazy_regex(
    r"(?<![\w/.-])(?:(?P<top>[\w-]+)/)?(?P<key>\d{4}(?:-\d\d)?)/(?P<name>[\w-]*\d[\w-]*\.\w{1,5})(?![\w/-])"
)
"""A path that a request shows as the one to which a file goes: "voyage/2023-04/2023-04-02.txt"."""
NOT_PLACED = "{old} is to go to {new}."
PLACE_LOOP = '{moves}for f in {pattern}; do d="${{f:{first}:{length}}}"; mkdir -p "$d" && mv "$f" "$d/"; done'
LOOP = '{moves}for f in {pattern}; do mv "$f" "{name}"; done'


def find_other_renaming(changes: Sequence[Change], request: str) -> tuple[str, str] | None:
    """Say that a file is gone which a request wants to have another name, and that this has not come; and the
    loop that does it, "" where no common way leads from the one name to the other.
    """
    gone = {each.path.rpartition("/")[2]: each.path for each in changes if each.was and not each.left}
    come = {each.path.rpartition("/")[2] for each in changes if each.left and not is_folder(each.left)}
    for old, new in iter_shown_renames(request, gone):
        if come and new not in come:
            loop = describe_shown_renaming(gone.values(), request)
            return NOT_AS_SHOWN.format(old=old, new=new), SHOWN_LOOP.format(loop=loop) if loop else ""
    return None


def find_other_place(changes: Sequence[Change], request: str) -> tuple[str, str] | None:
    """Say that a file was moved elsewhere than to the folder of its date to which a request shows that it
    goes; and the loop that moves each so.
    """
    gone = {each.path for each in changes if each.was and not each.left and not is_folder(each.was)}
    come = {each.path for each in changes if each.left}
    for old, new, loop in _iter_places(gone, request):
        if come and new not in come:
            return NOT_PLACED.format(old=old, new=new), SHOWN_LOOP.format(loop=loop)
    return None


def _iter_places(paths: Iterable[str], request: str) -> Iterator[tuple[str, str, str]]:
    """Give what a request shows: where a file is, where it goes, and the loop for all."""
    there = {*paths} if _PLACED.search(request) else set()
    for found in _PLACED.finditer(request):
        top, key, name = found["top"] or "", found["key"], found["name"]
        old = f"{top}/{name}" if top else name
        first = name.find(key)
        if old in there and first >= 0:
            moves = f"cd {shlex.quote(top)} && " if top else ""
            pattern = re.sub(r"\d", "[0-9]", name[: first + len(key)]) + "*"
            loop = PLACE_LOOP.format(moves=moves, pattern=pattern, first=first, length=len(key))
            yield old, found[0], loop


def describe_shown_renaming(paths: Iterable[str], request: str) -> str:
    """Give the loop that renames or moves as a request shows it with one of these files, "" where it shows
    none, and where each gets another number. Of a request without any the files are not looked at.
    """
    if _PLACED.search(request):
        return next((loop for _, _, loop in _iter_places(paths, request)), "")
    if spaces := _SPACES.search(request):
        return _describe_blanks(paths, spaces["sign"], request)
    if not (_SHOWN.search(request) or _FIRST.search(request)):
        return ""
    by_name = {path.rpartition("/")[2]: path for path in paths}
    old, new = next(iter_shown_renames(request, by_name), ("", ""))
    if not old or re.search(r"(?i)\b(?:number|first|nummer|num[eé]r)", request):
        return ""
    return _describe_loop(by_name[old].removesuffix(old), old, new)


def _describe_blanks(paths: Iterable[str], sign: str, request: str) -> str:
    """Give the loop that puts a sign in the place of the blanks in names of one folder; of several the one
    that a request names.
    """
    blank = [path.rpartition("/") for path in paths if " " in path.rpartition("/")[2]]
    folders = {folder for folder, _, _ in blank}
    named = {each for each in folders if each and has_name(request, each)}
    chosen = named or folders
    if len(chosen) != 1:
        return ""
    folder, by = chosen.pop(), "_" if re.match(r"(?i)_|under|unter|tirets? bas|guion bajo", sign) else "-"
    moves = f"cd {shlex.quote(folder)} && " if folder else ""
    kinds = list_kinds(request)
    pattern = f"*' '*.{kinds.pop()}" if len(kinds) == 1 else "*' '*"
    return LOOP.format(moves=moves, pattern=pattern, name=f"${{f// /{by}}}")


def find_doubled_ending(changes: Sequence[Change], request: str) -> tuple[str, str] | None:
    """Say that files got a new ending behind the old one, where a request names both, and give the loop that
    puts it in the place of that.
    """
    for new, old in () if _ADDS.search(request) else find_renames(changes).items():
        ending = old.rpartition(".")[2]
        added = new.rpartition("/")[2].removeprefix(f"{old.rpartition('/')[2]}.")
        both = [rf"\.{re.escape(each)}\b" for each in (ending, added)]
        named = all(re.search(each, request) for each in both) and not re.search("".join(both), request)
        if "." in old and re.fullmatch(r"\w{1,5}", added) and named:
            folder = shlex.quote(old.partition("/")[0] if "/" in old else ".")
            return DOUBLED.format(old=old, new=new), REPLACES.format(folder=folder, old=ending, new=added)
    return None


def iter_shown_renames(request: str, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Give each of these names that a request shows with the one that it becomes."""
    first = _FIRST.finditer(request) if _SO_ON.search(request) else ()
    shown = {found["new"]: found["old"] for found in first}
    shown |= {found["new"]: request[: found.start()] for found in _SHOWN.finditer(request)}
    for new, before in shown.items():
        olds = (old for old in names if _ends_with(before, old) or _ends_with(before, old.rpartition(".")[0]))
        if (old := max(olds, key=len, default=new)) != new:
            yield old, new


def _ends_with(text: str, name: str) -> bool:
    return bool(name and re.search(rf"(?<![\w./-]){re.escape(name)}\Z", text))


def _describe_loop(folder: str, old: str, new: str) -> str:
    """Word the loop over the files of a folder that are named alike."""
    pattern, name = next(_list_ways(old, new), ("", ""))
    moves = f"cd {shlex.quote(folder)} && " if folder else ""
    return LOOP.format(moves=moves, pattern=pattern, name=name) if pattern else ""


def _list_ways(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Give the patterns of the files that are renamed and the new name of `$f`, the surest first."""
    stem, _, ending = old.rpartition(".")
    digits = re.fullmatch(r"(?P<before>[\w -]*?)(?P<number>\d+)(?P<behind>[A-Za-z_ -]*)", stem)
    if digits and digits["before"] + "0" + old[len(digits["before"]) :] == new:
        before, behind = digits["before"], digits["behind"]
        pattern = f"{_escape(before)}{'[0-9]' * len(digits['number'])}{_escape(behind)}.{ending}"
        yield pattern, f"{before}0${{f#{before}}}"
    if new.endswith(old):
        yield f"*.{ending}", f"{new.removesuffix(old)}$f"
    new_stem, _, new_ending = new.rpartition(".")
    if stem == new_stem:
        yield f"*.{ending}", f"${{f%.{ending}}}.{new_ending}"
    if ending == new_ending and new_stem.startswith(stem):
        yield f"*.{ending}", f"${{f%.{ending}}}{new_stem.removeprefix(stem)}.{ending}"
    if new == old.lower():
        yield f"*.{ending}", "${f,,}"
    yield from _list_replacements(old, new)


def _list_replacements(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Give the way in which a part of a name is replaced or left out."""
    for part, by in ((" ", "_"), (" ", "-"), ("_", "-"), ("-", "_"), (" ", "")):
        if part in old and old.replace(part, by) == new:
            yield f"*{_escape(part)}*", f"${{f//{part}/{by}}}"
    same = next((at for at in range(1, len(old)) if new.endswith(old[at:])), len(old))
    before, by = old[:same], new[: len(new) - len(old) + same]
    if re.search(r"\w", old[same:].rpartition(".")[0]):
        yield f"{_escape(before)}*", f"{by}${{f#{before}}}"


def _escape(text: str) -> str:
    """Put blanks of a pattern between quotes."""
    return f"'{text}'" if " " in text else text


def narrow_loop(code: str, patterns: Sequence[str]) -> str:
    """Give a script whose one loop over all files of a folder takes those of one pattern; "" of any other."""
    loops = [*_ALL_FILES.finditer(code)]
    if len(patterns) != 1 or len(loops) != 1:
        return ""
    return f"{code[: loops[0].end() - 1]}{patterns[0]}{code[loops[0].end() :]}".strip()
