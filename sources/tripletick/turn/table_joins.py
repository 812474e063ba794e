"""Two tables of which a request wants the rows brought together by a column of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations, takewhile
from typing import NamedTuple

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.data_summary import SEPARATED, detect_separator, read_rows

JOIN = """\
python3 - <<'END'
import csv
rows = {{row[{key!r}]: row for row in {keyed}}}
with open({into!r}, 'w', newline='') as file:
    writer = csv.DictWriter(file, {names}{delimiter}, extrasaction='ignore', lineterminator='\\n')
    writer.writeheader()
    for row in {table}:
        writer.writerow({{**rows[row[{column!r}]], **row}})
END"""
_ORDER_OF = lazy_regex(
    r"(?i)\b(?:order|reihenfolge|ordre|orden|ordine|volgorde) (?:of|in|von|aus|d[eiu]|van) (\S*\w)"
)
_NOT_IN = lazy_regex(
    r"(?i)n.t\b|\b(?:not?|without|missing|lack\w*|nicht|keine?|ohne|fehl\w*|pas|sans|manqu\w*|sin|falta\w*|non"
    r"|senza|manca\w*|niet|geen|zonder|ontbre\w*)\b"
)
_COLUMNS = lazy_regex(
    r"(?i)\b(?:columns?|header|spalten?|kopfzeile|colonnes?|en-tête|columnas?|cabecera|colonne|intestazione"
    r"|kolommen|kopregel)\W{1,3}(?P<names>\w+(?:(?:, ?| (?:and|und|et|y|e|en) |[;|])\w+){1,11})"
)
_BETWEEN = lazy_regex(r",? (?:and|und|et|y|e|en) |\W+")
_OTHER_WORK = lazy_regex(
    r"(?i)\b(?:only|sort\w*|totals?|sums?|times|multipl\w*|average|mean|more|less|over|under|above|below|per)\b"
)
"""What wants more than the rows as they are."""


class _Pair(NamedTuple):
    path: str
    """The table in which each row is found by its key …"""
    key: str
    other: str
    """… and the one whose rows have that in a column."""
    column: str


def describe_join(tables: Mapping[str, str], into: str, request: str) -> str:
    """Give the command that writes the rows of two tables, texts by their paths, into a new one with the
    columns that a request names; "" where it names none, one that is in neither or in both, or wants more,
    and where it is not clear by which column a row of one is found from the other.
    """
    pair, said = _find_pair(tables, request), _COLUMNS.search(request)
    if not pair or not said or not into.lower().endswith(SEPARATED) or _OTHER_WORK.search(request):
        return ""
    header, others = (set(_read_table(tables[path])[0]) for path in (pair.other, pair.path))
    names = [*takewhile((header | others).__contains__, _BETWEEN.split(said["names"]))]
    if len(names) < 2 or (header & others & {*names}) - {pair.key, pair.column}:
        return ""
    return JOIN.format(
        key=pair.key,
        keyed=_write_table(tables, pair.path),
        into=into,
        names=names,
        delimiter=_write_delimiter(tables[pair.other]),
        table=_write_table(tables, pair.other),
        column=pair.column,
    )


def _find_pair(tables: Mapping[str, str], request: str) -> _Pair | None:
    rows = {path: _read_table(text) for path, text in tables.items()}
    if len(rows) != 2 or not all(rows.values()) or _NOT_IN.search(request):
        return None
    found = [
        _Pair(path, key, other, column)
        for path, other in permutations(rows)
        for key in rows[path][0]
        for column in rows[other][0]
        if column == key or column.endswith(f"_{key}") or (len(column) > 3 and path.startswith(column))
        if _are_found(*([row[name] for row in rows[each]] for each, name in ((path, key), (other, column))))
    ]
    if not found or len({(pair.key, pair.column) for pair in found}) > 1:
        return None
    order = _ORDER_OF.search(request)
    last = max(rows, key=request.find) if not order else ""
    return max(found, key=lambda pair: pair.other == (order and order[1]) or pair.path == last)


def _are_found(keys: Sequence[str], values: Sequence[str]) -> bool:
    return len({*keys}) == len(keys) and {*values} <= {*keys}


def _read_table(text: str) -> list[dict[str, str]]:
    """Give the rows by the names of their columns; none of a table whose rows are not equally long."""
    rows = read_rows(text)
    return [] if any(None in (*row, *row.values()) for row in rows) else rows


def _write_table(tables: Mapping[str, str], path: str) -> str:
    return f"csv.DictReader(open({path!r}){_write_delimiter(tables[path])})"


def _write_delimiter(text: str) -> str:
    separator = detect_separator(text)
    return "" if separator == "," else f", delimiter={separator!r}"
