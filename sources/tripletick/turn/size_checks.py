"""Blocks that moved, copied or deleted files of another size or name than those of which the request speaks,
and are taken back: "those that are larger than 1000 bytes", "whose names begin with old".
"""

from __future__ import annotations

import itertools
import operator
import re
import shlex
from collections.abc import Callable, Iterator, Sequence

from tripletick.checkpoint.undo_plan import find_renames, is_folder
from tripletick.checkpoint.values import Change, State
from tripletick.messages import Result
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import format_count, join_names
from tripletick.turn.file_kinds import KEPT, is_named, list_kinds
from tripletick.turn.losses import (
    COPIES,
    DELETES,
    MEANT,
    MOVES,
    NAMED,
    REST,
    describe_meant,
    list_gone,
    take_back,
)
from tripletick.turn.scope_checks import SPARES

OTHER_SIZE = "{path} has {size}, which is not {said}."
_SIZE = lazy_regex(
    r"\b(?:(?P<more>larger|bigger|greater|more|over|above|größer|mehr|plus (?:gros|grand|lourd)\w*"
    r"|más grand\w*|mayor(?:es)?|più grand\w*|groter)"
    r"|smaller|less|under|below|kleiner|weniger|plus petit\w*|moins|más pequeñ\w*|menor(?:es)?|più piccol\w*)"
    r"(?: (?:than|als|que|de|di|dan))? (?P<count>\d{1,9}) ?"
    r"(?P<unit>bytes?|octets?|b|kb|kib|ko|kilobytes?|mb|mib|mo|megabytes?)\b(?! of\b)",
    re.IGNORECASE,
)
_OTHERWISE = lazy_regex(
    r"(?i)\b(?:not|no|never|nicht|pas|non|until|so that|so dass|becomes?|to be|each is|bis)\b|n't\b"
)
"""What stands before a size that says what is left, or what something is to become."""
_PUTS = lazy_regex(r"(?i)\b(?:mov|cop(?:y|ies)|put|verschieb|kopier|d[ée]plac|copi|mue?v|spost|mett)\w*")
_DROPS = lazy_regex(r"(?i)\b(?:delet|remov|clean|l[öo]sch|entfern|supprim|borr|elimin|cancell)\w*")
NOT_EMPTY = "The task wants the empty files deleted, and this is not empty: {paths}."
_EMPTY = lazy_regex(
    r"(?i)\bempty (?:\w+ )?(?:files?|documents?|ones)\b|\bleere[nr]? datei\w*|\b0[- ]bytes?\b"
    r"|\bfiles?\b[^.;\n]{0,40}\b(?:are|is) (?:\w+ly )?empty\b|\bnothing (?:at all )?in (?:it|them)\b"
)
_SUBFOLDERS = lazy_regex(
    r"(?i)(?:and|und|et|y) (?:(?:in )?(?:its|their|all|the|allen|deren) )?(?:sub|unter|sous)\w+"
)
_MORE = lazy_regex(
    r"(?i)\b(?:and|too|also|as well|duplicates?|new|creat\w*|mak\w+|und|auch|et|aussi|y|también)\b"
    r"|\.\w{2,4}\b files?"
)
"""What speaks of other files as well."""
_KEEPS_OTHERS = lazy_regex(
    r"(?i)(?:,? (?:and|but|und|aber|et|mais|y|pero|e|ma))? (?:please |bitte )?"
    r"(?:keep|leave|behalt\w*|lass\w*|gard\w*|laiss\w*|deja|mant[eé]n|lascia|tieni)\b[^.;\n]*"
)
_POWERS = {"k": 1, "m": 2}
_NAME_PART = r"(?P<quote>[\"'`]?)(?P<part>[\w.-]+)(?P=quote)(?![\w*])"
_NAMED_LIKE = (
    lazy_regex(
        r"(?i)\b(?:auf|mit) "
        rf"{_NAME_PART} (?:(?P<ends>ende(?:n|t)\b)|(?:beginn|anf[aä]ng|start)\w*)"
    ),
    lazy_regex(
        r"(?i)\b(?:nom|qui|nombres?|que|nom[ei]|che) (?:(?P<ends>(?:se |si )?(?:termin\w*|fini\w*))"
        rf"|(?:commenc|empie[zc]|comien[zc]|inizi)\w*) (?:par|por|en|con|per|in) {_NAME_PART}"
    ),
    lazy_regex(
        r"(?i)\b(?:names?|files?|that|which|all)(?: (?:in|of|here|from|below) [\w./-]+)?"
        r"(?: (?:that|which|whose (?:file ?)?names?|with (?:file ?)?names?(?: that)?))?"
        r" (?:(?P<ends>end(?:s|ing)?)(?: in| with)"
        rf"|(?:start|begin)(?:s|ning|ing)? with) {_NAME_PART}"
    ),
)
"""How the names of the files begin or end that are meant."""
_NO_PART = lazy_regex(
    r"(?i)(?:the|an|any|one|some|either)\b|\w ?(?:-|to|bis) ?\w\b"
    r"|a (?!(?:and|or|into|to|in|from|should|must)\b)[a-z]{3}"
)
"""What says that something else follows: the letter b, a digit."""
_OF_FOLDER = lazy_regex(
    r"(?i)(?:ordner|verzeichnis|dossier|carpeta|cartella)s?(?:,? (?:der|das|den|deren name|dont le))? \Z"
)
"""What stands before how the name of a folder begins, which is another matter."""
_FURTHER = lazy_regex(r"(?:,|\b(?:or|and|oder|und|ou|et|y|o|e)\b) ?[\"'`]?([\w.-]+)")
TAIL = 60
"""Characters behind it in which there may be others."""
_OTHERS = lazy_regex(r"(?i)\b(?:also|too|as well|those (?!that)|ones|contain\w*)\b")
"""What speaks of files with other names."""
OTHER_NAME = "It took {path} away, whose name does not {how} {part}."


def find_wrong_size(
    code: str, changes: Sequence[Change], read: Callable[[State], bytes], request: str
) -> Result | None:
    """Give the result of a block that is to be taken back since it moved, copied or deleted a file of another
    size than the request says; None for any other.
    """
    if filled := _find_filled(changes, read, request):
        return filled
    found = _SIZE.search(request)
    if (
        not found
        or not _says_which(found, request)
        or not any(each.search(code) for each in (MOVES, COPIES, DELETES))
    ):
        return None
    renamed = find_renames(changes)
    gone = {each.path: each.was for each in changes if each.was and not each.left}
    made = {each.path: each.left for each in changes if each.left and not each.was}
    touched = gone or (made if COPIES.search(code) else {})
    sizes = {
        path: len(read(state))
        for path, state in touched.items()
        if not is_folder(state) and not state[1].startswith("!")
    }
    power = _POWERS.get(found["unit"][0].lower(), 0)
    # a kilobyte has 1000 or 1024 bytes: what lies between is left alone
    base = 1000 if found["more"] else 1024
    bound, holds = int(found["count"]) * base**power, operator.gt if found["more"] else operator.lt
    wrong = next((path for path, size in sizes.items() if not holds(size, bound)), "")
    if not wrong:
        return None
    said = OTHER_SIZE.format(path=wrong, size=format_count(sizes[wrong], "byte"), said=found[0])
    targets = {path.rpartition("/")[0] for path in renamed}
    sources = {path.rpartition("/")[0] for path in gone}
    # where something else is said of them, or they are deleted, no command of ours picks files
    if len(sources) != 1 or len(targets) != 1 or "" in targets or list_kinds(request):
        return take_back(said)
    target, folder = shlex.quote(targets.pop()), shlex.quote(sources.pop() or ".")
    size = f"{'+' if found['more'] else '-'}{bound}c"
    # what was made is taken back too
    how = f"mkdir -p {target} && find {folder} -maxdepth 1 -type f -size {size} -exec mv -t {target} {{}} +"
    return take_back(said, MEANT.format(command=how))


def _find_filled(changes: Sequence[Change], read: Callable[[State], bytes], request: str) -> Result | None:
    """Take back what deleted a file that is not empty, where the empty ones are to be deleted."""
    more = _MORE.search(_KEEPS_OTHERS.sub(" ", _SUBFOLDERS.sub("", request)))
    if not (_EMPTY.search(request) and _DROPS.search(request)) or more:
        return None
    states = {each.path: each.was for each in list_gone(changes) if each.was}
    filled = [path for path, was in states.items() if not was[1].startswith("!") and read(was).strip()]
    folders = {path.rpartition("/")[0] or "." for path in filled}
    if not filled or any(path.rpartition("/")[2] in request for path in filled):
        return None
    how = f"find {shlex.quote(folders.pop())} -type f -empty -delete" if len(folders) == 1 else ""
    return take_back(NOT_EMPTY.format(paths=join_names(filled, NAMED, ", ")), how)


def _says_which(found: re.Match[str], request: str) -> bool:
    """Tell whether a size says which files something is to be done with, one thing alone."""
    clause = re.split(r"[.,;:\n]", request[: found.start()])[-1]
    only = KEPT.sub(" ", request)
    return not (
        len(_SIZE.findall(request)) > 1
        or SPARES.search(clause)
        or _OTHERWISE.search(clause)
        or re.match(r" (?:or|oder|ou|o)\b", request[found.end() :])
        or REST.search(only)
        or (_PUTS.search(only) and _DROPS.search(only))
    )


def find_other_names(code: str, changes: Sequence[Change], request: str) -> Result | None:
    """Take back what moved or deleted a file whose name does not begin or end as the request says; and tell
    how those are found that are meant.
    """
    plain = KEPT.sub(" ", request)
    parts = [*_list_meant_parts(plain)]
    if not parts or not (MOVES.search(code) or DELETES.search(code)):
        return None
    if REST.search(plain) or _OTHERS.search(plain):
        return None
    part, ends = parts[0]
    gone = [each.path for each in list_gone(changes)]
    new = {old: path for path, old in find_renames(changes).items()}
    # names that were to begin so do that now
    fits = ((path, name) for path in gone for name in (path, new.get(path, path)))
    meant = {path for path, name in fits for each, last in parts if _is_named_like(name, each, ends=last)}
    other = next((path for path in gone if path not in meant and not is_named(path, plain)), "")
    # a word with which no name begins says how: with digits
    if not other or (part.isalpha() and not meant):
        return None
    folder = shlex.quote(gone[0].partition("/")[0]) if all("/" in path for path in gone) else "."
    flat = " -maxdepth 1" if all(path.count("/") == (folder != ".") for path in gone) else ""
    # the part may stand before the ending, which nobody names
    pattern = f"{part}*" if not ends else f"*{part}" if "." in part else f"*{part}.*"
    deletes = "" if MOVES.search(code) else " -delete"
    command = f"find {folder}{flat} -type f -name {shlex.quote(pattern)}{deletes}"
    if not deletes and len(parts) == 1 and re.fullmatch(r"[\w.*-]+", pattern) and not pattern.startswith("-"):
        sources, targets = ({path.rpartition("/")[0] for path in paths} for paths in (gone, new.values()))
        command = describe_meant("moved", sources, targets, [pattern]) or command
    said = OTHER_NAME.format(path=other, how="end in" if ends else "begin with", part=part)
    return take_back(said, MEANT.format(command=command))


def _list_meant_parts(request: str) -> Iterator[tuple[str, bool]]:
    """Give how the names begin or, with True, end that a request speaks of: "that begin with a- or b-"."""
    for found in itertools.chain(*(each.finditer(request) for each in _NAMED_LIKE)):
        if not found["quote"] and _NO_PART.match(request, found.start("part")):
            continue
        if _OF_FOLDER.search(request[max(0, found.start() - 40) : found.start()]):
            continue
        further = _FURTHER.findall(request[found.end() : found.end() + TAIL])
        for part in (found["part"], *further):
            yield part.rstrip(".,"), bool(found["ends"])


def _is_named_like(path: str, part: str, *, ends: bool) -> bool:
    name, part = path.rpartition("/")[2].casefold(), part.casefold()
    return name.endswith(part) or name.rpartition(".")[0].endswith(part) if ends else name.startswith(part)
