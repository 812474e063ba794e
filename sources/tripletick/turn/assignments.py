"""A plain request to give one entry of a file of data another value: "set the price of 'flat white' to 3.9",
"set the light's colour to red".
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from tripletick.checkpoint.undo_plan import is_folder
from tripletick.checkpoint.values import Change, State
from tripletick.messages import Result
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.data_summary import SEPARATED, detect_separator
from tripletick.tools.results import DOES
from tripletick.turn.losses import take_back

LARGEST = 100_000
"""Bytes of a file that is looked into."""
UNSET = "{path} does not have {key} {value} where it is to be, or more was changed in it."
_QUOTED = r"\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|“[^”\n]{1,60}”|`[^`\n]{1,60}`"
_VALUE = rf"(?P<value>{_QUOTED}|-?\d+(?:\.\d+)?(?![\w.]*\w)|(?!(?:be|the|a|an|its|their)\b)[\w-]+)"
_ENDS = r"(?=[.,;!]?(?:\s|$))"
_SET = r"(?:set|change|update|correct|adjust|raise|lower|increase|decrease)"
_OF = lazy_regex(
    rf"(?i)\b{_SET} (?:the )?(?P<key>\w+(?: \w+)?) (?:of|for) (?:the )?(?P<name>{_QUOTED}|\w[\w -]{{0,40}}?)"
    rf" (?:from \S+ )?to {_VALUE}{_ENDS}"
)
_POSSESSIVE = lazy_regex(
    rf"(?i)\b{_SET} (?:the )?(?P<name>\w+(?: \w+)?)['\u2019]s (?P<key>\w+) (?:from \S+ )?to {_VALUE}{_ENDS}"
)
_FURTHER = lazy_regex(rf"(?i) and (?:its|the|his|her|their) (?P<key>\w+) (?:from \S+ )?to {_VALUE}{_ENDS}")
_MORE = lazy_regex(
    r"(?i)\b(?:add|append|insert|remov\w*|delet\w*|renam\w*|sort\w*|doubl\w*|also|every|each"
    r"|all (?!other|the rest|else)\w+)\b"
)
"""What wants other changes besides."""
_FURTHER_WORK = lazy_regex(
    r"(?i)\b(?:and|then|plus)\b"
    r"(?! (?:keep|leave|nothing|don.?t|do not|all|everything|the rest|no|not)\b)"
    r"(?! (?:its|the|his|her|their) \w+ (?:from \S+ )?to\b)"
)
"""What joins another change to the one that is understood."""
EDIT = """\
python3 - <<'END'
import json
path = {path!r}
data = json.load(open(path, encoding='utf-8'))
{lines}
with open(path, 'w', encoding='utf-8') as file:
    json.dump(data, file, indent={indent!r}, ensure_ascii=False)
    file.write('\\n')
END"""
EDIT_TABLE = """\
python3 - <<'END'
import csv
path = {path!r}
rows = list(csv.reader(open(path, newline='', encoding='utf-8'), delimiter={separator!r}))
{lines}
with open(path, 'w', newline='', encoding='utf-8') as file:
    csv.writer(file, delimiter={separator!r}, lineterminator='\\n').writerows(rows)
END"""


class _Assignment(NamedTuple):
    name: str
    """What tells the entry from others."""
    key: str
    value: str


_Path = tuple[str | int, ...]


def describe_assignment(path: str, text: str, request: str) -> str:
    """Give the command that sets what a request wants in a file; "" where that is not clear."""
    found = _find_places(path, text, request)
    if not found:
        return ""
    lines = [f"{_write_place(path, place)} = {value!r}" for place, value in found.items()]
    told = {"path": path, "lines": "\n".join(lines)}
    if path.lower().endswith(SEPARATED):
        return EDIT_TABLE.format(**told, separator=detect_separator(text))
    indent = re.search(r"\n( +)\S", text)
    return EDIT.format(**told, indent=len(indent[1]) if indent else None)


def find_unset(changes: Sequence[Change], read: Callable[[State], bytes], request: str) -> Result | None:
    """Give the result of a block that is to be taken back since it did not set what a request wants in a
    file, or changed more in that; None for any other, and where more is wanted.
    """
    if _MORE.search(request) or _FURTHER_WORK.search(request) or not next(_iter_wanted(request), None):
        return None
    for change in changes:
        if not (change.was and change.left) or is_folder(change.was) or is_folder(change.left):
            continue
        before, now = (
            read(state)[:LARGEST].decode("utf-8", "replace") for state in (change.was, change.left)
        )
        found = _find_places(change.path, before, request)
        right = _read_data(change.path, before) if found else None
        for place, value in found.items():
            _get(right, place[:-1])[place[-1]] = value
        if found and right != _read_data(change.path, now):
            place, value = next(iter(found.items()))
            said = UNSET.format(path=change.path, key=_name_key(change.path, before, place), value=value)
            how = describe_assignment(change.path, before, request)
            return take_back(said, DOES.format(how=how))
    return None


def _iter_wanted(request: str) -> Iterator[_Assignment]:
    found = [*_OF.finditer(request), *_POSSESSIVE.finditer(request)]
    for each in found if len(found) == 1 else ():
        name, at = each["name"].strip("\"'“”`"), each
        yield _Assignment(name, each["key"], each["value"].strip("\"'“”`"))
        while further := _FURTHER.match(request, at.end()):
            at = further
            yield _Assignment(name, further["key"], further["value"].strip("\"'“”`"))


def _find_places(path: str, text: str, request: str) -> dict[_Path, Any]:
    """Give what is to be set, by where it stands; {} where one of it is nowhere, or in several places."""
    data = _read_data(path, text)
    places = dict[_Path, Any]()
    for wanted in _iter_wanted(request) if data is not None else ():
        found = [*(_iter_cells if path.lower().endswith(SEPARATED) else _iter_entries)(data, wanted)]
        if len(found) != 1:
            return {}
        old = _get(data, found[0])
        value: Any = wanted.value
        if not isinstance(old, str):
            with suppress(ValueError):
                value = json.loads(wanted.value.lower())
        places[found[0]] = value
    return places


def _read_data(path: str, text: str) -> Any:
    with suppress(ValueError, RecursionError, csv.Error):
        if path.lower().endswith(".json"):
            return json.loads(text)
        if path.lower().endswith(SEPARATED):
            return [*csv.reader(text.splitlines(), delimiter=detect_separator(text))]
    return None


def _iter_cells(rows: list[list[str]], wanted: _Assignment) -> Iterator[_Path]:
    head = [name.strip().casefold() for name in rows[0]] if rows else []
    column = head.index(wanted.key.casefold()) if wanted.key.casefold() in head else -1
    for at, row in enumerate(rows[1:] if column >= 0 else (), 1):
        if column < len(row) and wanted.name.casefold() in (cell.strip().casefold() for cell in row):
            yield at, column


def _iter_entries(data: Any, wanted: _Assignment, path: _Path = ()) -> Iterator[_Path]:
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    if isinstance(data, dict):
        keys = {key.casefold().replace("_", " "): key for key in data}
        key = keys.get(wanted.key.casefold().replace("_", " "), "")
        said = [*(value for value in data.values() if isinstance(value, str)), *map(str, path[-1:])]
        if key and wanted.name.casefold() in map(str.casefold, said):
            yield (*path, key)
    for name, part in parts:
        yield from _iter_entries(part, wanted, (*path, name))


def _get(data: Any, place: _Path) -> Any:
    for name in place:
        data = data[name]
    return data


def _name_key(path: str, text: str, place: _Path) -> str:
    is_table = path.lower().endswith(SEPARATED)
    return str(_read_data(path, text)[0][place[-1]] if is_table else place[-1])


def _write_place(path: str, place: _Path) -> str:
    name = "rows" if path.lower().endswith(SEPARATED) else "data"
    return name + "".join(f"[{each!r}]" for each in place)
