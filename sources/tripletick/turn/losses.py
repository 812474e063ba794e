"""What a block has lost, spoiled or put elsewhere than the request wants it: the results of blocks that are
taken back, with the sentence that says why.
"""

from __future__ import annotations

import glob
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tripletick.checkpoint.undo_plan import find_renames, is_folder
from tripletick.checkpoint.values import Change
from tripletick.dialects.fence.info_string import looks_like_path
from tripletick.languages.registry import LANGUAGES, is_document
from tripletick.messages import Call, Result
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import NUMERALS, join_names, read_count
from tripletick.tools.results import extract_way
from tripletick.turn.copied_only import find_copied_only
from tripletick.turn.file_kinds import FOLDER, filter_other_kinds, list_kinds
from tripletick.turn.file_mentions import PATTERN
from tripletick.turn.rename_examples import (
    SHOWN_LOOP,
    describe_shown_renaming,
    find_doubled_ending,
    find_other_place,
    find_other_renaming,
    narrow_loop,
)

SHELL = "bash"
MOVES = lazy_regex(r"\bmv\b|rename|shutil\.move|\.replace\(")
COPIES = lazy_regex(r"\bcp\b|shutil\.copy")
DELETES = lazy_regex(r"\brm\b|\brmdir\b|unlink|rmtree|os\.remove|-delete\b|shred|truncate")
INSIDE = "in|into|inside|under|below|within|im|dans|en|dentro|nel|nella|em|в"
"""What stands before a folder in which something is to be."""
INTO = f"{INSIDE}|to|nach|naar"
"""What stands before the folder in which a file is to be made."""
NAMED = 3
TAKEN_BACK = "failed, and what it did was taken back"
BACK = "All files are as they were before."
# What is lost, and what to do instead, which stands in a fresh start too.
_ONE_NAME = "It moved several files to one name: what was in {paths} would have been lost."
LOSES = (
    _ONE_NAME,
    "A folder must be there first: mkdir -p FOLDER; else each file needs a name of its own.",
)
SWAPS = (
    "It moved one file over the other: what was in {paths} would have been lost.",
    "To swap two files: mv {target} {target}.tmp && mv {sources} {target} && mv {target}.tmp {sources}",
)
JOINS = (_ONE_NAME, "To put what is in them into one: cat {sources} > {target}")
NO_FOLDER = (
    "{paths} was no folder, so that the files got its name.",
    "Make the folder first: mkdir -p {paths}",
)
CD_FAILED = lazy_regex(r"(?m)^\S*: line (?P<line>\d{1,4}): (?P<why>cd: [^\n]*)$")
WRONG_FOLDER = "{why}\nWhat came after that ran in another folder than it was meant for."
DELETED = ("It deleted {paths}, and the task says nothing of that.", "")
DELETED_KEPT = "{path} is to stay, and it was deleted."
OTHER_KINDS = "It {did} {paths}, and the task is about {kinds} alone."
NOTHING_LEFT = "Nothing is left in {folder}, and some is to stay."
_KEEPS = (
    r"keep|leave|retain|behalt\w*|lass\w*|gard\w*|laiss\w*|conserv\w*|deja\w*|mant[eé]n\w*|tien\w*|lasci\w*"
    r"|houd\w*|bewaar\w*"
)
_KEPT_NAME = (
    rf"(?i)\b(?:{_KEEPS}|(?:do not|don.?t|never|not) (?:delete|remove|touch|change)) (?:only )?"
    r"(?:(?:the|my|our|original|file|die|datei|den|le|la|el|il|de) ){{0,2}}[\"'`]?{}(?![\w/-]|\.\w)"
)
"""A file that a request wants left where it is …"""
_NOT_KEPT = lazy_regex(r"(?i)(?:\b(?:no|not|never|nicht|kein\w*|pas|why|que)|n.?t)\b[^.,;:\n]{0,25}\Z")
"""… where that is not denied before."""
SOME_STAY = lazy_regex(
    rf"\b(?:{_KEEPS}|but not|except|n.t (?:delete|remove|touch))\s+(?:(?:only|just|nur|the|die|je)\s+)?"
    r"(?:those|ones?|originals?|diejenigen|die|eine[nrs]?|ceux|celles|une?|los que|las que|quell[ei]|un[oa]"
    rf"|degene\w*|één|[\"'`]?(?P<named>[\w-]+\.\w{{1,5}}))\b(?![^.;,\n]*\b(?:{INSIDE})\b)",
    re.IGNORECASE,
)
"""Some of the files are to stay that lie where others are to go."""
NOT_MADE = "The files did not go into {path}."
TOO_FEW = "{left} of its kind would be left, and {count} are to stay."
NEWER = "{path} was taken away, and {other}, which is older, stayed."
_COPIED = lazy_regex(
    r"\bcp[ ]+(?:-[b-qs-z]+[ ]+)*(?:(?P<source>[\w.-]+(?:/[\w.-]+)*)/)?(?P<start>[\w.-]*)\*"
    r"[ ]+(?P<target>[\w./-]+)"
)
_STAYS = (
    rf"\b(?:{_KEEPS}|(?:all|everything|alles?|tous|toutes|todos|todas|tutti|tutte)(?:\s+\w+){{0,3}}?"
    r"\s+(?:but|except|bis auf|außer|sauf|excepto|menos|tranne))\b"
)
_NEWEST = (
    r"(?:newest|latest|most recent|neueste\w*|plus récent\w*|más (?:reciente|nuev)\w*|più (?:recent|nuov)\w*"
    r"|nieuwste)"
)
STAY = lazy_regex(
    rf"{_STAYS}(?:\s+(?:only|just|at least|the|my|our|last|first|oldest|other|nur|noch|die|den|les|los|las|le"
    rf"|i|gli|de|{_NEWEST})){{0,4}}?\s+(?P<kept>\d{{1,3}}|{'|'.join(NUMERALS[1:])})\b(?P<of>[^.,;\n]*)",
    re.IGNORECASE,
)
"""How many files are to stay."""
NO_FILES = lazy_regex(
    r"\s{0,3}\w{0,30}\s{0,3}(?:lines?|rows?|columns?|words?|characters?|letters?|digits?|decimals?|days?|weeks?|months?|years?"
    r"|copies|zeilen?|spalten?|tage?|lignes?|jours?|l[ií]neas?|d[ií]as?|righe|giorni|regels?|dagen"
    rf"|(?:sub)?folders|directories|{FOLDER})\b",
    re.IGNORECASE,
)
NEWEST = lazy_regex(rf"\b{_NEWEST}", re.IGNORECASE)
AGED = lazy_regex(
    rf"{_STAYS}(?:\s+(?!(?:and|und|et|y|e|en)\b)\w+){{0,4}}?\s+{_NEWEST}|\A(?!.*\b{_NEWEST}).*?"
    r"\b(?:delet|remov|mov|archiv|rm\b|l[öo]sch|verschieb|supprim|d[ée]plac|borr|elimin|muev|spost|verwijder"
    r"|verplaats)\w*(?:\s+\w+){0,3}?\s+(?:oldest|älteste\w*|plus ancien\w*|más (?:antigu|viej)\w*|più vecch"
    r"|oudste)",
    re.IGNORECASE | re.DOTALL,
)
"""The newest are to stay, or the oldest to go …"""
_EACH = lazy_regex(r"(?i)\b(?:each|every|per|pro|je|jede[mnrs]?|chaque|cada|ogni|elke?)\b")
"""… of several kinds or times."""
DATE = lazy_regex(r"(?<!\d)\d{4}([-_.]?)\d{2}\1\d{2}(?!\d)")
_REST = r" [^\"'`\n]*\.\w{1,5}[\"'`]"
"""The rest of a file's name with blanks that stands between quotes."""
REST = lazy_regex(r"\b(?:else|others?|rest|remaining|everything|anything)\b", re.IGNORECASE)
MEANT = "Those that are meant: {command}"


def find_overwritten(code: str, changes: Sequence[Change]) -> list[str]:
    """Name the files that were moved and then moved over: what was in them is in no file any more. Code that
    deletes files meant it.
    """
    if not MOVES.search(code) or DELETES.search(code):
        return []
    renamed = find_renames(changes)
    left = {change.left[1] for change in changes if change.left}
    gone = list_gone(changes)
    old = set(renamed.values())
    lost = [each.path for each in gone if each.was and each.was[1] not in left and each.path not in old]
    # what is in no file may have been moved elsewhere, or moved and changed
    return lost if renamed else [path for path in lost if _find_swapped(code, path)]


def take_back(why: str, how: str = "") -> Result:
    """Give the result of a block of which nothing is to stay; `how` says what does it right."""
    text = f"{why} {BACK}\n{how}".rstrip("\n")
    return Result("failed", TAKEN_BACK, text, exit=1, flags=frozenset({"lost"}), way=extract_way(how))


def list_gone(changes: Sequence[Change]) -> list[Change]:
    """Give the files that are not there any more, under their name."""
    return [change for change in changes if change.was and not change.left and not is_folder(change.was)]


def find_failed_part(call: Call, result: Result, changes: Sequence[Change], root: Path) -> Result | None:
    """Give the result of a block that is to be taken back since a part of it failed, None for any other: a
    program that ended in an error had begun to change a file, or a script went on after a failed `cd`.
    """
    if call.path or not changes:
        return None
    spoiled = any(each.was and each.left != each.was and not is_folder(each.was) for each in changes)
    if (
        call.tool in LANGUAGES
        and call.tool != SHELL
        and result.outcome == "failed"
        and result.exit
        and spoiled
    ):
        return replace(result, text=f"{result.text.rstrip()}\n{BACK}", flags=result.flags | {"lost"})
    return _find_wrong_folder(call, result, root) if call.tool == SHELL else None


def _find_wrong_folder(call: Call, result: Result, root: Path) -> Result | None:
    """Tell of a script that went on after a failed `cd`, but for one to the folder where it is."""
    lines = call.body.splitlines()
    for found in CD_FAILED.finditer(result.text):
        line = "".join(lines[int(found["line"]) - 1 : int(found["line"])]).strip()
        folder = re.fullmatch(r"cd\s+(?:--\s+)?([^|;&]+?)\s*(?:[;&].*)?", line)
        if folder and "||" not in line and folder[1].strip("'\"/").rpartition("/")[2] != root.name:
            return take_back(WRONG_FOLDER.format(why=found["why"]))
    return None


def find_loss(
    code: str,
    changes: Sequence[Change],
    turn: Sequence[Change],
    request: str,
    root: Path,
) -> Result | None:
    """Give the result of a block that is to be taken back, None for any other: its moves have lost files, it
    has put them in the place of a folder that the request names, or deleted what was there before the turn.
    `turn`: all changes of that, none where it may delete.
    """
    lost, said = find_overwritten(code, changes), LOSES
    renamed = find_renames(changes) if lost else {}
    if target := next(filter(is_document, renamed), ""):
        said = JOINS
    elif lost and (other := _find_swapped(code, lost[0])):
        said, target = SWAPS, other
    if not lost:
        lost, said = _find_false_folders(code, changes, request)[:1], NO_FOLDER
    if not lost and turn and DELETES.search(code):
        left = {change.left[1] for change in turn if change.left}
        gone = {each.path for each in turn if each.was and not each.left and each.was[1] not in left}
        lost = [each.path for each in changes if each.path in gone and not is_folder(each.was)]
        said = DELETED
    if not lost:
        wrong = (
            find_other_place(changes, request)
            or find_other_renaming(changes, request)
            or find_doubled_ending(changes, request)
            or find_copied_only(code, changes, request, root)
        )
        if wrong:
            return take_back(*wrong)
        few = _find_unmade_folder(code, changes, request, root) or _find_kept(changes, request, root)
        few = few or _find_too_few(changes, request, root)
        return take_back(few) if few else _find_other_kinds(code, changes, request)
    sources = shlex.join([*lost, *renamed.values()])
    told = {"paths": join_names(lost, NAMED), "target": shlex.quote(target), "sources": sources}
    why, how = (part.format(**told) for part in said)
    old = (each.path for each in list_gone(changes))
    if said[0] is _ONE_NAME and (loop := describe_shown_renaming(old, request)):
        how = SHOWN_LOOP.format(loop=loop)
    return take_back(why, how)


def _find_unmade_folder(code: str, changes: Sequence[Change], request: str, root: Path) -> str:
    """Say that files were moved, and not into the folder that a request names by its path, and that is to be
    made below one which is there.
    """
    if not MOVES.search(code) or not find_renames(changes):
        return ""
    old = tuple(change.path for change in changes if change.was)
    word_like = rf"\b(?:{INTO})\s+(?:\w+\s+){{0,3}}?([\w-]{{1,99}}(?:/[\w-]{{1,99}})+)/?(?![\w/*.-]|{_REST})"
    words = [word for word in re.findall(word_like, request, re.IGNORECASE) if not PATTERN.search(word)]
    if any((root / word).exists() for word in words):
        return ""
    for word in words:
        # what files came from was there, and a blank in its name ends what is seen of it here
        was_there = any(path.startswith((f"{word}/", f"{word} ")) for path in old)
        if not was_there and (root / word).parent.is_dir():
            return NOT_MADE.format(path=word)
    return ""


def _find_kept(changes: Sequence[Change], request: str, root: Path) -> str:
    """Say that a file is gone which a request names as one that is to stay: by its path, or by a name that
    no other file there has.
    """
    moved = {*find_renames(changes).values()}
    for path in (each.path for each in list_gone(changes) if each.path not in moved):
        name = path.rpartition("/")[2]
        others = (root.glob(f"{above}{glob.escape(name)}") for above in ("", "*/", "*/*/"))
        if _is_kept(path, request) or (_is_kept(name, request) and not any(map(any, others))):
            return DELETED_KEPT.format(path=path)
    return ""


def _is_kept(name: str, request: str) -> bool:
    found = re.finditer(_KEPT_NAME.format(re.escape(name)), request)
    return any(not _NOT_KEPT.search(request[max(0, each.start() - 40) : each.start()]) for each in found)


def _find_too_few(changes: Sequence[Change], request: str, root: Path) -> str:
    """Say that fewer files would be left than the request wants to stay, or newer ones than those that went;
    "" where neither is so. Dates are read out of names alone.
    """
    renamed = find_renames(changes)
    taken = [each.path for each in list_gone(changes)]
    # where others are deleted, those that were moved may be the ones that stay
    gone = [path for path in taken if path not in renamed.values()] or taken
    if not gone:
        return ""
    folder = gone[0].rpartition("/")[0]
    there = [path for path, old in renamed.items() if old not in gone]
    with suppress(OSError):
        there += [path.name for path in (root / folder).iterdir() if path.is_file()]
    if not there and not renamed and len(gone) > 1 and _should_stay(gone, request):
        return NOTHING_LEFT.format(folder=folder or "the folder")
    left = [path for path in there if Path(path).suffix == Path(gone[0]).suffix]
    found = STAY.search(request)
    # what differs in its age is of one kind
    alike = left if found and NEWEST.search(found[0]) else there
    if found and not NO_FILES.match(found["of"]) and len(alike) < (most := read_count(found["kept"])):
        return TOO_FEW.format(left=len(alike) or "none", count=most)
    if not AGED.search(request) or _EACH.search(request):
        return ""
    dated = {DATE.sub("#", name): name for name in sorted(left, reverse=True) if DATE.search(name)}
    names = (path.rpartition("/")[2] for path in gone if path.rpartition("/")[0] == folder)
    newer = ((name, dated.get(DATE.sub("#", name), "")) for name in names if DATE.search(name))
    path, other = next(((name, old) for name, old in newer if old and name > old), ("", ""))
    return NEWER.format(path=path, other=other) if path else ""


def _should_stay(gone: Sequence[str], request: str) -> bool:
    """Tell whether some of these files are to stay, which are not all of kinds that the request names."""
    some = SOME_STAY.search(request)
    if not some or NO_FILES.match(request, some.end()):
        return False
    named = some["named"] is None or any(path.endswith(some["named"]) for path in gone)
    return named and not {Path(path).suffix.lstrip(".").casefold() for path in gone} <= list_kinds(request)


def _find_swapped(code: str, path: str) -> str:
    """Give the file that a script moves to a path from which it moves one back, "" where it does not."""
    moves = re.findall(r"(?m)(?:^|[;&])\s*mv\s+(?:-\w+\s+)*(\S+)\s+(\S+)", code)
    return next((old for old, new in moves if new == path and (path, old) in moves), "")


def _find_other_kinds(code: str, changes: Sequence[Change], request: str) -> Result | None:
    """Give the result of a block that is to be taken back since it moved, copied or deleted files of another
    kind than the request names, where that names any, and no others.
    """
    kinds = list_kinds(request)
    if not kinds or not any(each.search(code) for each in (MOVES, COPIES, DELETES)):
        return None
    moved = set(find_renames(changes).values())
    gone = [each.path for each in list_gone(changes)]
    # a whole folder that is copied has what it has
    places = None if gone or REST.search(request) else _COPIED.search(code)
    into = f"{places['target'].rstrip('/')}/" if places else ""
    touched = gone or [each.path for each in changes if places and each.left and each.path.startswith(into)]
    other = filter_other_kinds(touched, kinds, request)
    if not other or len(other) == len(touched):
        return None
    did = "copied" if places else "moved" if other[0] in moved else "deleted"
    said = join_names([f".{kind}" for kind in sorted(kinds)], NAMED)
    why = OTHER_KINDS.format(did=did, paths=join_names(other, NAMED), kinds=said)
    meant = kinds & {path.rpartition(".")[2] for path in touched if path not in other}
    meant = set() if places and places["start"] else meant
    sources = {places["source"] or ""} if places else {path.rpartition("/")[0] for path in gone}
    targets = {into[:-1]} if places else {path.rpartition("/")[0] for path in find_renames(changes)}
    patterns = [f"*.{kind}" for kind in sorted(meant)]
    # in the same folder they got other names
    in_place = not places and sources == targets
    how = narrow_loop(code, patterns) if in_place else describe_meant(did, sources, targets, patterns)
    return take_back(why, MEANT.format(command=how) if how else "")


def describe_meant(did: str, sources: set[str], targets: set[str], patterns: Sequence[str]) -> str:
    """Give the command for the files that are meant, "" where they do not lie in or go into one folder."""
    if not patterns or len(sources) != 1 or (did != "deleted" and (len(targets) != 1 or "" in targets)):
        return ""
    folder = "".join(sources)
    files = " ".join(f"{shlex.quote(folder)}/{each}" if folder else each for each in patterns)
    if did == "deleted":
        return f"rm {files}"
    target = shlex.quote("".join(targets))
    # what was made is taken back too
    return f"mkdir -p {target} && {'cp' if did == 'copied' else 'mv'} {files} {target}/"


def _find_false_folders(code: str, changes: Sequence[Change], request: str) -> list[str]:
    """Name the files that got the name of a folder into which the request wants others."""
    if not (COPIES.search(code) or MOVES.search(code)):
        return []
    new = [each.path for each in changes if each.left and not each.was and not is_folder(each.left)]
    into = rf"\b(?:{INSIDE}) (?:(?:the|a|new|folder|directory) )*(?:{{}})\b(?!\.\w)"
    new = [path for path in new if "." not in path and not looks_like_path(path.rpartition("/")[2])]
    return [path for path in new if re.search(into.format(re.escape(path)), request)]
