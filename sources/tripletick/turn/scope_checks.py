"""What the words of a request say of where a change belongs: to one section of a file, to files of some
years.

Each gives the flaw that it finds, None where all is well or nothing is known.
"""

from __future__ import annotations

import operator
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from tripletick.checkpoint.undo_plan import is_folder
from tripletick.checkpoint.values import Change
from tripletick.paths import PathRefused, Workspace
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.file_listing import iter_paths
from tripletick.tools.file_walk import has_name
from tripletick.tools.sections import find_named_section, get_heading
from tripletick.turn.file_kinds import FOLDER, list_kinds
from tripletick.turn.result_checks import Flaw, make_mendable

OUTSIDE = "{path} was also changed outside [{section}], which alone is meant: {line} had been {old}."
_SPECIAL, _ESCAPED = lazy_regex(r"([/&\\])"), r"\\\1"
"""What sed reads as something else in what it writes."""
MOST = 10
"""Lines that one command puts back."""
CAPITALS = "The ending of {path} still has capitals."
LOWER = 'for f in {where}; do e="${{f##*.}}"; [ "$e" = "${{e,,}}" ] || mv "$f" "${{f%.*}}.${{e,,}}"; done'
SMALL_ENDINGS = lazy_regex(
    r"\b(?:extensions?|endings?|suffix(?:es)?|(?:datei)?endung\w*|extensión|extensiones|estension\w)\b[^.;\n]{0,60}"
    r"\b(?:lower ?-?case|small letters|klein\w*|minuscules?|minúsculas?|minuscol\w)"
    r"|\blower ?-?case[^.;\n]{0,40}\b(?:extensions?|endings?|suffix(?:es)?)\b",
    re.IGNORECASE,
)
APART = lazy_regex(r"(?i)\b(?:beside|next to|another|second|outside|daneben|neben|à côté|al lado|accanto)\b")
BESIDE = "{name} is to be in {folder}."
NESTS = lazy_regex(
    rf"\b(?:{FOLDER})\s+(?:called |named |namens )?[\"'`]?(?P<outer>[\w-]+)/?[\"'`]?,?\s+"
    r"(?:with|containing|that (?:has|holds|contains)|and (?:in|inside|within) (?:it|that)|mit|avec"
    r"|contenant|con|met)\s+(?:(?:the|an?|den|zwei|drei|vier|les|des|deux|trois|los|las|dos|tres|le|due|tre)\s+)?"
    r"(?:(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|twelve)\s+)?(?:(?:new|empty|leeren?|vides?)\s+)?"
    r"(?:(?:sub-?|unter|sous-)(?:folders?|director(?:y|ies)|ordnern?|dossiers?)|subcarpetas?|sottocartelle"
    r"|folders|directories|ordnern|dossiers|carpetas|cartelle)\b(?P<inner>[^.\n]{0,200})",
    re.IGNORECASE,
)
"""Folders that a request wants in one that it names."""
WRONG_YEAR = "{name} has {year} in its name, which is not {said}."
YEAR = lazy_regex(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_OF = r" (?:(?:the )?(?:year|jahr|an(?:née|no)|año|end of) )?((?:19|20)\d\d)(?![\d/.-]\d)"
SPANS: tuple[tuple[re.Pattern[str], Callable[[int, int], bool]], ...] = (
    (
        lazy_regex(
            rf"\b(?:before|(?:old|earli)er than|prior to|vor|avant|antes de|prima del|voor){_OF}",
            re.IGNORECASE,
        ),
        operator.lt,
    ),
    (
        lazy_regex(rf"\b(?:after|(?:lat|new)er than|nach|après|después de|dopo il|na){_OF}", re.IGNORECASE),
        operator.gt,
    ),
    (lazy_regex(rf"\b(?:since|seit|ab|depuis|desde|dal|sinds|vanaf){_OF}", re.IGNORECASE), operator.ge),
    (
        lazy_regex(
            rf"\b(?:until|till|up to|through|bis|jusqu.(?:à|en)|hasta|fino al|tot){_OF}", re.IGNORECASE
        ),
        operator.le,
    ),
)
"""How a request speaks of years, and how those compare that are meant."""
OTHER_FOLDER = "{path} belongs into {folder} by its name"
EACH_EMPTY = lazy_regex(
    r"(?i)\b(?:each|every|all of them|jede\w*|chacun\w*|cada|ognun\w*|elk)\b[^.;\n]{0,40}?"
    r"\b(?:empty|leere\w*|vide\w*|vac[ií]\w+|vuot\w+|lege?)\b[^.;\n]{0,20}?[\"'`]?(?P<name>[\w-]+\.\w{1,5})\b"
)
LACKING_EACH = "{path} is not there"
COPY_EACH = lazy_regex(
    r"(?i)\b(?:cop(?:y|ies|ie[rz]?)|kopie\w*|copia\w*)\b[^.;\n]{0,60}?(?<![\w.-])(?P<file>[\w-]+\.\w{1,5})\b"
    r"[^.;\n]{0,60}?\b(?:each|every|all|jede[mnrs]?|alle|chacun\w*|chaque|cada|todas|ogni|tutte|elke?)\b"
)
FOLDER_IN = lazy_regex(
    rf"(?i)\b(?:{FOLDER})\s+(?:(?:call|nam)ed |namens |appelé |llamad[ao] )?"
    r"[\"'`]?(?P<name>[\w-]+)/?[\"'`]?\s+(?:in|inside|within|under|im|dans|en|nella)\s+"
    r"(?:(?:the|my|our|folder|ordner|dossier|le|la|el|carpeta)\s+){0,3}"
    r"[\"'`]?(?P<outer>[\w/-]*\w)(?![\w-]|\.\w)"
)
IN_FOLDER = lazy_regex(
    r"(?i)(?:^|[.;:!?\n] ?|\bplease )\W*(?:in|inside|within|im|dans|en|nella)\s+"
    rf"(?:(?:the|my|our|le|la|el)\s+)?(?:{FOLDER})\s+"
    r"[\"'`]?(?P<outer>[\w/-]*\w)[\"'`]?,?\s+(?:(?:please|bitte)\s+)?"
    r"(?:create|make|add|set up|put|erstelle?|lege?|crée[rz]?|crea|maak)\b"
)
MISPLACED = "{name} is to be in {folder}"
_FOLDER_WORDS = r"(?: (?:the|my|our|folder|der|dem|ordner|dossier|le|la|el|il|carpeta|cartella)){0,3} [\"'`]?"
COPY_OF = lazy_regex(
    rf"(?i)\b(?:cop(?:y|ies) of|kopie (?:von|des)|copie d[eu]|copia (?:de|di)){_FOLDER_WORDS}"
    r"(?P<old>[\w./-]*\w)[\"'`]?(?=[\s.,;])[\s\S]{0,120}?"
    r"\b(?:called|named|as|call it|name it|namens|nenn\w*|appelé\w*|nommé\w*|llamad\w+|chiamat\w+) "
    r"(?:it )?[\"'`]?(?P<new>[\w-]+)(?![\w/]|\.\w)"
)
"""A folder that is to be copied, and the name of the copy."""
NESTED_COPY = "{old} went into {new}, and {new} is to be a copy of it"
_WIDE = lazy_regex(
    r"\A\s*find (?P<place>\./?|\.(?= ))[^\n;|&]*? -i?name [\"']?\*(?P<ending>\.\w{1,5})[\"']?[^\n;&]*\s*\Z"
)
_INSIDE = (
    rf"(?i)\b(?:in|inside|under|below|within|of|from|im|unter|dans|sous|en|de|nella|di)\b{_FOLDER_WORDS}"
    r"%s(?![\w-]|\.\w|/\w)"
)
ELSEWHERE = "{path} was taken too, and only {folder} is meant"
SPARES = lazy_regex(
    r"\b(?:keep\w*|stay\w*|except|but|other than|remain\w*|leav\w*|rest|behalte\w*|bleib\w*|außer|garde\w*"
    r"|sauf|restent|conserv\w*|salvo|excepto|tranne|behoud\w*|behalve)\b",
    re.IGNORECASE,
)
"""The years may be those of what is not to be touched."""


def find_other_section(path: str, text: str, before: str, request: str) -> Flaw | None:
    """Say that a line has changed below another heading, such as `[mic1]`, than the only one that a request
    names; the command puts all such lines back.
    """
    old, new, meant = before.splitlines(), text.splitlines(), find_named_section(before, request)
    if not meant or len(old) != len(new):
        return None
    section, wrong = "", list[int]()
    for at, line in enumerate(old):
        section = get_heading(line) or section
        wrong += [at] if line != new[at] and section != meant else []
    if not 0 < len(wrong) <= MOST:
        return None
    edits = ";".join(f"{at + 1}s/.*/{_SPECIAL.sub(_ESCAPED, old[at])}/" for at in wrong)
    said = OUTSIDE.format(path=path, section=meant, line=new[wrong[0]].strip(), old=old[wrong[0]].strip())
    return make_mendable(said, f"sed -i {shlex.quote(edits)} {shlex.quote(path)}")


def find_capital_ending(changes: Sequence[Change], workspace: Workspace, request: str) -> Flaw | None:
    """Say that an ending still has capitals where a request wants them all small; those of the folders in
    which files have come or gone.
    """
    folders = {change.path.rpartition("/")[0] for change in changes if change.was is None}
    if not folders or not SMALL_ENDINGS.search(request) or list_kinds(request):
        return None
    paths = sorted(iter_paths(workspace))
    for path in paths:
        folder, _, name = path.rpartition("/")
        ending = name.rpartition(".")[2]
        if folder in folders and "." in name[1:] and ending != ending.lower():
            where = f"{shlex.quote(folder)}/*.*" if folder else "*.*"
            return make_mendable(CAPITALS.format(path=path), LOWER.format(where=where))
    return None


def find_beside_folder(changes: Sequence[Change], workspace: Workspace, request: str) -> Flaw | None:
    """Say that folders were made beside the one in which a request wants them: "a folder garden with three
    folders in it: beds, seeds and tools".
    """
    nests = NESTS.search(request)
    nests = None if nests and APART.search(nests["inner"]) else nests
    made = [change.path for change in changes if is_folder(change.left) and not change.was]
    outer = next((path for path in made if nests and path.rpartition("/")[2] == nests["outer"]), "")
    if not nests or not outer or any(path.startswith(f"{outer}/") for path in made):
        return None
    above = outer.rpartition("/")[0]
    named = set(re.findall(r"[\w-]+", nests["inner"]))
    beside = [path for path in made if path.rpartition("/")[0] == above and path.rpartition("/")[2] in named]
    if not beside:
        return None
    return make_mendable(
        BESIDE.format(name=beside[0], folder=outer), shlex.join(["mv", *beside, f"{outer}/"])
    )


def find_other_folder(renamed: Mapping[str, str], changes: Sequence[Change], request: str) -> Flaw | None:
    """Say that a file was moved into another of the folders that a request names than the one whose name it
    has, where each file has one: `2021-spring.txt` in 2022; the command puts all of them right. `renamed`:
    old paths by new ones.
    """
    made = [change.path for change in changes if is_folder(change.left)]
    folders = sorted({*made, *(new.rpartition("/")[0] for new in renamed)})
    named = {path.rpartition("/")[2]: path for path in folders if _has_word(request, path.rpartition("/")[2])}
    meant = {
        new: [named[name] for name in named if _has_word(new.rpartition("/")[2], name)] for new in renamed
    }
    if len(named) < 2 or any(len(each) != 1 for each in meant.values()):
        return None
    wrong = {new: folder for new, [folder] in sorted(meant.items()) if folder != new.rpartition("/")[0]}
    if not wrong:
        return None
    path, right = next(iter(wrong.items()))
    moves = [shlex.join(["mv", each, f"{folder}/"]) for each, folder in wrong.items()]
    return make_mendable(OTHER_FOLDER.format(path=path, folder=right), " && ".join(moves))


def find_lacking_each(changes: Sequence[Change], workspace: Workspace, request: str) -> Flaw | None:
    """Say that a new folder lacks the empty file that a request wants in each: "three folders, each with an
    empty file notes.txt".
    """
    wanted = EACH_EMPTY.search(request)
    made = [change.path for change in changes if is_folder(change.left) and not change.was]
    inner = [path for path in made if not any(each.startswith(f"{path}/") for each in made)]
    lacking = [f"{path}/{wanted['name']}" for path in inner if wanted] if len(inner) > 1 else []
    lacking = [path for path in lacking if workspace.get_kind(path) == "missing"]
    if not lacking:
        return None
    return make_mendable(LACKING_EACH.format(path=lacking[0]), shlex.join(["touch", *lacking]))


def describe_copies(request: str, workspace: Workspace) -> str:
    """Give the command that copies the file which a request wants in each of the folders that it names; "" of
    another request.
    """
    wanted = COPY_EACH.search(request)
    names = workspace.list_names(".") if wanted else ()
    if not wanted or wanted["file"] not in names:
        return ""
    folders = [name for name in names if workspace.get_kind(name) == "folder" and has_name(request, name)]
    if len(folders) < 2:
        return ""
    each = shlex.join(sorted(folders, key=request.find))
    return f'for d in {each}; do cp {shlex.quote(wanted["file"])} "$d"/; done'


def find_misplaced_folder(changes: Sequence[Change], workspace: Workspace, request: str) -> Flaw | None:
    """Say that a folder was made here where a request wants it in one that is there: "a folder alto inside
    scores", "in the folder scores make …"; the command moves it there, with what went into it.
    """
    if (within := IN_FOLDER.search(request)) and (flaw := _find_outside(within["outer"], changes, workspace)):
        return flaw
    wanted = FOLDER_IN.search(request)
    made = {change.path for change in changes if is_folder(change.left) and not change.was}
    name, outer = (wanted["name"], wanted["outer"].strip("/")) if wanted else ("", "")
    if name not in made or outer in made:
        return None
    with suppress(PathRefused):
        if [workspace.get_kind(each) for each in (outer, f"{outer}/{name}")] == ["folder", "missing"]:
            return make_mendable(
                MISPLACED.format(name=name, folder=outer), shlex.join(["mv", name, f"{outer}/"])
            )
    return None


def _find_outside(outer: str, changes: Sequence[Change], workspace: Workspace) -> Flaw | None:
    new = [change.path for change in changes if change.left and not change.was]
    made = sorted(path for path in new if "/" not in path)
    inside = any(change.path.startswith(f"{outer}/") for change in changes)
    with suppress(PathRefused):
        if not made or inside or outer in made or workspace.get_kind(outer) != "folder":
            return None
        if all(workspace.get_kind(f"{outer}/{path}") == "missing" for path in made):
            how = shlex.join(["mv", *made, f"{outer}/"])
            return make_mendable(MISPLACED.format(name=made[0], folder=outer), how)
    return None


def find_nested_copy(changes: Sequence[Change], request: str) -> Flaw | None:
    """Say that a folder was copied into the new one that was to be its copy; the command brings it up."""
    wanted = COPY_OF.search(request)
    made = [change.path for change in changes if change.left and not change.was]
    tops = {path.partition("/")[0] for path in made}
    if not wanted or tops != {wanted["new"]}:
        return None
    old = wanted["old"].rstrip("/").rpartition("/")[2]
    inner = f"{wanted['new']}/{old}"
    if any(not f"{path}/".startswith(f"{inner}/") for path in made if path != wanted["new"]):
        return None
    new, inner = shlex.quote(wanted["new"]), shlex.quote(inner)
    said = NESTED_COPY.format(new=wanted["new"], old=old)
    return make_mendable(said, f"cp -r {inner}/. {new}/ && rm -r {inner}")


def find_wide_look(code: str, there: Iterable[str], request: str) -> Flaw | None:
    """Say that a search went through all folders where a request names the one in which it is to look, and
    there are such files elsewhere. `there`: the paths of all files.
    """
    wide = _WIDE.search(code)
    paths = [*there] if wide else []
    folders = {path.rpartition("/")[0] for path in paths} - {""}
    parents = {each for path in folders for each in (path, path.partition("/")[0])}
    named = [each for each in parents if re.search(_INSIDE % re.escape(each), request)]
    if not wide or len(named) != 1:
        return None
    such = (each for each in sorted(paths) if each.endswith(wide["ending"]))
    other = next((each for each in such if not each.startswith(f"{named[0]}/")), "")
    if not other:
        return None
    start, end = wide.span("place")
    how = f"{code[:start]}{shlex.quote(named[0])}{code[end:]}".strip()
    return make_mendable(ELSEWHERE.format(path=other, folder=named[0]), how)


def _has_word(text: str, word: str) -> bool:
    return bool(word) and bool(re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", text, re.IGNORECASE))


def find_wrong_years(
    gone: Sequence[str], renamed: Mapping[str, str], workspace: Workspace, request: str
) -> Flaw | None:
    """Say that a file was moved or deleted whose name has another year than those that a request speaks of:
    "before 2021". Of files that were moved the command moves these back, and the others of such names.

    `gone`: paths that are not there any more; `renamed`: old paths by new ones.
    """
    spans = [(found, holds) for said, holds in SPANS for found in said.finditer(request)]
    if len(spans) != 1 or SPARES.search(request):
        return None
    [(found, holds)] = spans
    # where a folder has that name it may say where they go: nach 2021
    if any(found[1] in new.split("/")[:-1] for new in renamed):
        return None
    years = {path: int(year[-1]) for path in gone if len(year := YEAR.findall(path.rpartition("/")[2])) == 1}
    wrong = [path for path, year in years.items() if not holds(year, int(found[1]))]
    if not wrong:
        return None
    name = wrong[0].rpartition("/")[2]
    said = WRONG_YEAR.format(name=name, year=years[wrong[0]], said=found[0])
    places = {old: new for new, old in renamed.items()}
    folders = {places[path].rpartition("/")[0] for path in wrong if path in places}
    if len(folders) != 1 or not places.keys() >= {*wrong}:
        return Flaw(said)
    back = [f"mv {shlex.quote(places[path])} {shlex.quote(path)}" for path in wrong]
    shapes = {_get_shape(path) for path in years}
    there = iter_paths(workspace, deep=False)
    right = [
        path
        for path in sorted(there)
        if _get_shape(path) in shapes and (year := YEAR.findall(path)) and holds(int(year[-1]), int(found[1]))
    ]
    into = [shlex.join(["mv", *right, f"{folders.pop()}/"])] if right and "" not in folders else []
    return make_mendable(said, " && ".join((*back, *into)))


def _get_shape(path: str) -> str:
    """Reduce a path to what files have in common whose names differ in their numbers."""
    return re.sub(r"\d", "0", path)
