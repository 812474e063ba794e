"""A file of data in a few lines: what its columns or keys are called, of which type, how many there are.

Covered: what a separator parts and JSON. Nothing is converted, and a file that is not what its name says is
left to be shown as text.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import format_count
from tripletick.tools.file_reader import to_printable

SEPARATED = (".csv", ".tsv", ".tab")
JSON = (".json",)
KNOWN = SEPARATED + JSON
SEPARATORS = ",;\t|"
NAMES = {"\t": "tabs", ";": "semicolons", "|": "bars"}
"""How a separator is called that is no comma."""
COLUMNS = 30
"""Columns or keys that are named."""
EMPTY = "empty"
NUMBERS = ("whole number", "number")
COMMA, COMMAS = "number with a comma for the point", "number with commas"
SHOWN = (COMMA, COMMAS)
"""Types of which a value is shown: what Python's `float` does not take."""
PATTERNS = tuple(
    (kind, lazy_regex(pattern))
    for kind, pattern in (
        (EMPTY, ""),
        (NUMBERS[0], r"[+-]?\d+"),
        (NUMBERS[1], r"[+-]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?"),
        (COMMAS, r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?"),
        (COMMA, r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+"),
    )
)
OTHERS = 3
"""Values of a column of numbers that are none and are named."""
FIRST = 3
"""Rows that are shown of a table, entries of a list in JSON."""
SNIFFED = 50
_SIGNS = lazy_regex(r"\d+(?:\.\d+)?|[^\W\d_]+")
MARKED = "open({name!r}, encoding='utf-8-sig') and "
READER = "csv.DictReader(file{delimiter}), which gives texts, and csv.DictWriter(file, fieldnames{delimiter})"

HEADLESS = "csv.reader(file{delimiter}), which gives lists of texts, and csv.writer(file{delimiter})"


def summarize_data(path: str, text: str) -> tuple[str, str] | None:
    """Give what is said of a file, and its beginning; None for what is no such file."""
    name = path.lower()
    if name.endswith(SEPARATED):
        return _summarize_csv(text)
    found = _summarize_json(text) if name.endswith(JSON) else None
    # half of a character, which JSON can say, cannot be sent
    return found and (to_printable(found[0]), to_printable(found[1]))


def suggest_reader(path: str, text: str, *, marked: bool = False) -> str:
    """Say what of Python's own reads such a file; where nothing is named, a small model takes pandas.

    `marked`: it begins with a byte order mark, as Excel's do, which would be a part of the first name.
    """
    opened = MARKED.format(name=path.rpartition("/")[2]) if marked else ""
    if path.lower().endswith(JSON):
        return f"{opened}the module json"
    separator = detect_separator(text)
    rows = _read_rows(text, separator) if path.lower().endswith(SEPARATED) else None
    reader = HEADLESS if rows and _lacks_header(rows) else READER
    return opened + reader.format(delimiter="" if separator == "," else f", delimiter={separator!r}")


def _summarize_csv(text: str) -> tuple[str, str] | None:
    separator = detect_separator(text)
    rows = _read_rows(text, separator)
    if rows is None or len(rows) < 2 or len(rows[0]) < 2:
        return None
    headless = _lacks_header(rows)
    head, body = ([""] * len(rows[0]), rows) if headless else (rows[0], rows[1:])
    columns = [
        _describe_column(name, (row[at] for row in body if at < len(row))) for at, name in enumerate(head)
    ]
    parted = f" separated by {NAMES[separator]}" if separator in NAMES else ""
    where = "without a header" if headless else "below a header"
    said = f"{format_count(len(body), 'row')}{parted} {where}, columns: {_join_names(columns)}"
    return said, "\n".join(text.splitlines()[: FIRST + 1])


def _read_rows(text: str, separator: str) -> list[list[str]] | None:
    """Give the rows that are not empty, None of what is no table."""
    try:
        return [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]
    except csv.Error:
        return None


def read_rows(text: str) -> list[dict[str, str]]:
    """Give the rows of a table by the names of its columns. Raises csv.Error for what is none."""
    return [*csv.DictReader(text.splitlines(), delimiter=detect_separator(text))]


def _lacks_header(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row is one like the others: it has a word of its column, or a date, a code or a
    price like all there (12.50, A1), as no name would; 2024 may be one.
    """
    first, body = rows[0], [row for row in rows[1:] if row != rows[0]]  # joined tables repeat it
    values = [[row[at].strip() for row in body if at < len(row)] for at in range(len(first))]
    return any(_is_like(name.strip(), column) for name, column in zip(first, values, strict=True))


def _is_like(name: str, column: Sequence[str]) -> bool:
    same = {_SIGNS.sub(lambda run: "9" if run[0][0].isdigit() else "a", each) for each in (name, *column)}
    is_value = len(column) > 1 and len(same) == 1 and "9" in same.pop() and not name.isdigit()
    return bool(name) and (name in column or is_value)


def detect_separator(text: str) -> str:
    """Give the separator of which the first lines have equally many, and most."""
    lines = [line for line in islice(text.splitlines(), SNIFFED) if line.strip()]
    counts = {each: Counter(line.count(each) for line in lines).most_common(1) for each in SEPARATORS}
    usual = {each: (times, many) for each, found in counts.items() for many, times in found if many}
    return max(usual, key=lambda each: usual[each], default=",")


def _describe_column(name: str, values: Iterable[str]) -> str:
    kinds: dict[str, list[str]] = {}
    for value in values:
        kinds.setdefault(_detect_type(value), []).append(value.strip())
    kind = _describe_kinds(kinds)
    return f"{name.strip()} ({kind})" if name else kind


def _describe_kinds(kinds: Mapping[str, Sequence[str]]) -> str:
    """Say of which type the values of a column are: of one, or mostly numbers and what else there is."""
    filled = [kind for kind in kinds if kind != EMPTY]
    if len(filled) < 2:
        kind = filled[0] if filled else EMPTY
        return f"{kind}, such as {kinds[kind][0]}" if kind in SHOWN else kind
    numbers = [kind for kind in filled if kind in NUMBERS]
    others = list(dict.fromkeys(value for kind in filled if kind not in NUMBERS for value in kinds[kind]))
    count = sum(len(kinds[kind]) for kind in numbers)
    if not numbers or len(others) > OTHERS or count < sum(map(len, kinds.values())) / 2:
        return "text"
    more = " or ".join([*others, *([EMPTY] if EMPTY in kinds else [])])
    return f"number, but {more} in some rows" if others else "number"


def _detect_type(value: str) -> str:
    return next((kind for kind, pattern in PATTERNS if pattern.fullmatch(value.strip())), "text")


def _summarize_json(text: str) -> tuple[str, str] | None:
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(held, dict):
        return f"an object with the keys {_join_names(map(_format_key, held.items()))}", text
    if not isinstance(held, list) or not held:
        return None
    said, first = f"a list of {format_count(len(held), 'entry', 'entries')}", held[0]
    if isinstance(first, dict):
        said += f", objects with the keys {_join_names(map(_format_key, first.items()))}"
    return said, json.dumps(held[:FIRST], ensure_ascii=False, indent=1)


def _format_key(pair: tuple[str, Any]) -> str:
    name, value = pair
    return f"{name} ({TYPES.get(type(value), 'text')})"


TYPES = {dict: "object", list: "list", bool: "true or false", int: "number", float: "number"}


def _join_names(names: Iterable[str]) -> str:
    every: Sequence[str] = list(names)
    return ", ".join([*every[:COLUMNS], *(["…"] if len(every) > COLUMNS else [])])
