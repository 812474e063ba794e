"""Archives and tables that are not what a request or their name says, which blocks are taken back for."""

from __future__ import annotations

import io
import re
import shlex
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress

from tripletick.checkpoint.undo_plan import is_folder
from tripletick.checkpoint.values import Change, State
from tripletick.languages.registry import is_document
from tripletick.messages import Result
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import join_names
from tripletick.tools.data_summary import SEPARATED, detect_separator
from tripletick.tools.results import DOES
from tripletick.turn.assignments import find_unset
from tripletick.turn.clues import KEEPS_ORDER, describe_dates, find_date_forms, list_date_forms
from tripletick.turn.content_checks import KEEP_FIRST, ONCE
from tripletick.turn.file_kinds import FOLDER, filter_other_kinds, list_kinds
from tripletick.turn.folder_scope import find_spared
from tripletick.turn.losses import NAMED, NOT_MADE, take_back
from tripletick.turn.overwritten import find_half_swap, find_overwritten
from tripletick.turn.replacements import find_unreplaced
from tripletick.turn.size_checks import find_other_names, find_wrong_size

PACKS = lazy_regex(
    r"(?m)(?:^|[;&|(])[ \t]*(?:tar|zip|gzip|bzip2|xz|7z)[ \t]|\b(?:zipfile|tarfile|make_archive)\b"
)
ARCHIVES = (
    (".zip", b"PK", "python3 -m zipfile -c {path}"),
    (".tar.gz", b"\x1f\x8b", "tar -czf {path}"),
    (".tgz", b"\x1f\x8b", "tar -czf {path}"),
    (".tar.bz2", b"BZh", "tar -cjf {path}"),
    (".tar.xz", b"\xfd7zXZ", "tar -cJf {path}"),
)
"""How the name of an archive ends, how its content begins, and what makes one everywhere."""
ENDINGS = tuple(ending for ending, *_ in ARCHIVES)
FALSE_ARCHIVE = "{path} was an archive of another kind than its name says."
MAKES = "This makes one: {how}"
FOLDERS_PACKED = "{path} holds {name}, with the folder in front of the name."
NO_FOLDERS = lazy_regex(
    r"(?i)\b(?:no|without|not)\b(?: any| the| a)? (?:folders?|paths?|director(?:y|ies)|subfolders?)\b"
    r"[^.;\n]{0,40}?\b(?:in front|before|names?|in(?:side)? (?:it|the (?:zip|archive)))"
    r"|\b(?:flat|junk paths|without paths)\b"
    r"|\bohne (?:ordner|pfade?|verzeichnisse?)\b|\bsans (?:dossiers?|chemins?)\b|\bsin (?:carpetas?|rutas?)\b"
    r"|\bsenza (?:cartell[ae]|percorsi)\b"
)
_ZIPS = lazy_regex(r"(?<![\w./-])zip(?= )(?! -\w*j)")
OTHER_PACKED = "{path} holds {paths}, and the task is about {kinds} alone."
UNDATED = "{path} got no dates of the form {form}."
RESEPARATED = "{path} had {before} between its columns, and got {after}."
DELIMITER = "Give csv.DictWriter and csv.writer delimiter={before} too."
SEPARATES = lazy_regex(
    r"\b(?:comma|semicolon|tab|pipe|separat|delimit|komma|semikolon|strichpunkt|trenn|virgul|punto y coma)"
    r"|sépar|\btsv",
    re.IGNORECASE,
)
COMPARED = 100_000
"""Bytes of a text that are looked at."""
UNPACKS = lazy_regex(
    r"(?m)(?:^|[;&|(])[ \t]*(?:tar[ \t]+(?:-?\w*x\w*|--extract)|unzip|7z[ \t]+x)\b|zipfile[ \t]+-e\b"
    r"|extractall|unpack_archive"
)
_HELD = (
    r"(?i)\b(?:(?:pack|zip|compress|archive|bundle)\w* (?:up )?|out of |from )"
    r"(?:(?:all of|all|the|my|our|whole|folder|directory) )*[\"'`]?{}\b"
)
"""The folder that a request wants in an archive …"""
_PLACED = (
    r"(?i)(?<!\bhand )(?<!\bturn )(?<!\bsend )"
    r"\b(?:in|into|inside|to|im|dans) (?:the |my |folder )*{}\b(?![\w.])"
)
"""… and one in which it wants that."""
EMPTY_PACKED = "Nothing was in {path}."
PACKED_INSIDE = "{path} lies in the folder that it is to hold."
ARCHIVE = lazy_regex(r"(?<![\w./-])[\w./-]+\.(?:zip|tar(?:\.\w+)?|tgz)\b")
_NO_NAME = (
    r"(?!(?:a|an|the|its|own|new|this|that|same|current|working|project|parent|home|root|separate|single|one|of|for"
    r"|like|after(?:wards)?|then|gleichen?|with|which|and|where|so|is|next|here|den|dem|eigenen?|neuen?|diese[nmrs]?|selben|aktuellen?|von|mit|und|un|une"
    r"|le|la|ce|cette|même|courant|actuel|de|du|del|este|esta|mismo|actual|y|di|questa|stessa|corrente|e|van|met|deze"
    r"|huidige|nuova)\b)"
)
TARGET = lazy_regex(
    r"\b(?:into|to|in|inside|nach|dans|en|nella?)\s+(?:(?:a|an|the|new|den|einen|neuen|un|une|le|la|nuova)\s+)*"
    rf"(?:(?:{FOLDER})\s+(?:called\s+|named\s+|namens\s+)?+[\"'`]?{_NO_NAME}([\w.-]+)"
    rf"|[\"'`]?{_NO_NAME}([\w.-]+)[\"'`]?\s+(?:{FOLDER})\b|[\"'`]?([\w.-]*\w/)(?![\w.]))",
    re.IGNORECASE,
)
"""The folder into which a request wants something."""
DISORDERED = "The lines of {path} were in another order then."
_SORTS = lazy_regex(r"(?i)\b(?:sort\w*|order(?:ed)? by|alphabet\w*|ascending|descending|a ?(?:-|to) ?z)\b")


def find_false_content(
    code: str, changes: Sequence[Change], read: Callable[[State], bytes], request: str
) -> Result | None:
    """Give the result of a block that is to be taken back since it made an archive under the name of another
    kind, or one that also holds other kinds of files than the request names, or a table of another form, or
    took files of another size or name; None for any other.
    """
    kinds = list_kinds(request) - {"zip"}
    made = [(each.path, each.left) for each in changes if each.left and stat.S_ISREG(each.left[0])]
    for path, left in made if PACKS.search(code) else ():
        data = read(left) if kinds or path.lower().endswith(ENDINGS) else b""
        for ending, head, how in ARCHIVES:
            if path.lower().endswith(ending) and data and not data.startswith(head):
                what = _find_packed(code, path) or "FOLDER"
                made_by = f"{how.format(path=shlex.quote(path))} {what}"
                return take_back(FALSE_ARCHIVE.format(path=path), MAKES.format(how=made_by))
        names = _list_packed(data)
        held = re.search(_HELD.format(r"(?P<folder>[\w.-]*\w)"), request)
        if path.lower().endswith(ENDINGS) and data and not names and held:
            return take_back(EMPTY_PACKED.format(path=path), _pack(path, held["folder"]))
        if any("/" in name.strip("/") for name in names) and NO_FOLDERS.search(request):
            flat = _ZIPS.sub(r"\g<0> -j", code.strip(), 1) if path.lower().endswith(".zip") else ""
            how = DOES.format(how=flat) if flat != code.strip() and flat else ""
            return take_back(FOLDERS_PACKED.format(path=path, name=names[0]), how)
        if kinds and names:
            other = filter_other_kinds(names, kinds, request)
            if other and len(other) < len(names):
                said = join_names([f".{kind}" for kind in sorted(kinds)], NAMED)
                return take_back(OTHER_PACKED.format(path=path, paths=join_names(other, NAMED), kinds=said))
    return (
        _find_unpacked_elsewhere(code, changes, request)
        or _find_packed_inside(changes, request)
        or _find_false_table(changes, read, request)
        or _find_lost_order(changes, read, request)
        or find_wrong_size(code, changes, read, request)
        or find_other_names(code, changes, request)
        or find_half_swap(code, changes, request)
        or find_overwritten(code, changes, request)
        or find_unreplaced(changes, read, request)
        or find_spared(code, changes, request)
        or find_unset(changes, read, request)
    )


def _find_unpacked_elsewhere(code: str, changes: Sequence[Change], request: str) -> Result | None:
    """Take back an archive that was unpacked elsewhere than into the folder that the request names."""
    wanted, archive = TARGET.search(request), ARCHIVE.search(request)
    made = [each.path for each in changes if each.left and not is_folder(each.left)]
    if not wanted or not archive or not made or not UNPACKS.search(code):
        return None
    folder = next(filter(None, wanted.groups())).rstrip("./")
    if any(path.startswith(f"{folder}/") for path in made):
        return None
    how = (
        "python3 -m zipfile -e {} {}" if archive[0].endswith(".zip") else "mkdir -p {1} && tar -xf {0} -C {1}"
    )
    told = how.format(shlex.quote(archive[0]), shlex.quote(folder))
    return take_back(NOT_MADE.format(path=folder), DOES.format(how=told))


def _find_packed_inside(changes: Sequence[Change], request: str) -> Result | None:
    """Take back an archive that came to lie in the folder which it was to hold."""
    for change in changes:
        folder, _, name = change.path.rpartition("/")
        is_new = bool(folder and change.left and not change.was and ARCHIVE.fullmatch(name))
        named = rf"(?<![\w./-])(?:\./)?{re.escape(name)}"
        placed = re.search(_PLACED.format(re.escape(folder)), request)
        if placed or folder.startswith("-") or name.startswith("-"):
            continue
        if is_new and re.search(named, request) and re.search(_HELD.format(re.escape(folder)), request):
            return take_back(PACKED_INSIDE.format(path=change.path), _pack(name, folder))
    return None


def _pack(name: str, folder: str) -> str:
    program = "python3 -m zipfile -c" if name.endswith(".zip") else "tar -caf"
    return MAKES.format(how=f"{program} {shlex.join([name, folder])}")


def _find_false_table(
    changes: Sequence[Change], read: Callable[[State], bytes], request: str
) -> Result | None:
    """Take back a text of which the dates were to get another form and got none of that, or a table that got
    other separators than it had.
    """
    forms = list_date_forms(request)
    for change in changes:
        states = [state for state in (change.was, change.left) if state and stat.S_ISREG(state[0])]
        tabled = change.path.lower().endswith(SEPARATED) and not SEPARATES.search(request)
        if len(states) < 2 or not is_document(change.path) or not (tabled or len(forms) > 1):
            continue
        old, new = (read(state)[:COMPARED].decode("utf-8", "replace") for state in states)
        found = find_date_forms(forms, old)
        if found and re.search(r"\d", new) and not re.search(forms[found[1]], new):
            return take_back(UNDATED.format(path=change.path, form=found[1]), describe_dates(forms, old))
        before, after = (detect_separator(text) for text in (old, new))
        if tabled and before != after and before in old.partition("\n")[0]:
            told = {"path": change.path, "before": repr(before), "after": repr(after)}
            return take_back(RESEPARATED.format(**told), DELIMITER.format(**told))
    return None


def _find_lost_order(
    changes: Sequence[Change], read: Callable[[State], bytes], request: str
) -> Result | None:
    """Take back a text of which repeated lines were to go, and the others stand in another order now."""
    for change in changes if ONCE.search(request) and not _SORTS.search(request) else ():
        if not (change.was and change.left and is_document(change.path)) or is_folder(change.left):
            continue
        old, new = (
            [line.strip() for line in read(state)[:COMPARED].decode("utf-8", "replace").splitlines()]
            for state in (change.was, change.left)
        )
        first, last = (list(dict.fromkeys(lines)) for lines in (old, old[::-1]))
        kept = set(new)
        ways = ([line for line in first if line in kept], [line for line in last[::-1] if line in kept])
        same = KEEPS_ORDER.search(request) or new != sorted(new)
        if kept < set(old) | {""} and len(kept) == len(new) < len(old) and new not in ways and same:
            how = KEEP_FIRST.format(key="$0", path=shlex.quote(change.path))
            return take_back(DISORDERED.format(path=change.path), f"This keeps it: {how}")
    return None


def _list_packed(data: bytes) -> list[str]:
    """Give the names of the files in an archive, none where it is not known how to read it."""
    import tarfile
    import zipfile
    import zlib

    with suppress(zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, ValueError, zlib.error):
        if data.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                return [name for name in archive.namelist() if not name.endswith("/")]
        with tarfile.open(fileobj=io.BytesIO(data)) as packed:
            return [member.name for member in packed if member.isfile()]
    return []


def _find_packed(code: str, path: str) -> str:
    """Give what a line packs into an archive, as written behind its name, "" where that is not plain."""
    written = rf"(?:\./)?(?:{re.escape(path)}|{re.escape(shlex.quote(path))})"
    found = re.search(rf"(?m)^[ \t]*(?:tar|zip)[ \t][^|;&\n]*?{written}[ \t]+([^-|;&<>\n]+)$", code)
    return found[1].strip() if found else ""
