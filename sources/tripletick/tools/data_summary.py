"""A file of data in a few lines: what its columns or keys are called, of which type, how many there are.

Covered: what a separator parts and JSON. Nothing is converted, and a file that is not what its name says is
left to be shown as text.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from tripletick.system.text import format_count

SEPARATED = (".csv", ".tsv", ".tab")
JSON = (".json",)
KNOWN = SEPARATED + JSON
SEPARATORS = ",;\t|"
NAMES = {"\t": "tabs", ";": "semicolons", "|": "bars"}
"""How a separator is called that is no comma."""
COLUMNS = 30
"""Columns or keys that are named."""
FIRST = 3
"""Rows that are shown of a table, entries of a list in JSON."""
SNIFFED = 50
MARKED = "open({name!r}, encoding='utf-8-sig') and "
READER = "csv.DictReader(file{delimiter}), which gives texts, and csv.DictWriter(file, fieldnames)"


def summarize_data(path: str, text: str) -> tuple[str, str] | None:
    """Give what is said of a file, and its beginning; None for what is no such file."""
    name = path.lower()
    if name.endswith(SEPARATED):
        return _summarize_csv(text)
    return _summarize_json(text) if name.endswith(JSON) else None


def suggest_reader(path: str, text: str, *, marked: bool = False) -> str:
    """Say what of Python's own reads such a file; where nothing is named, a small model takes pandas.

    `marked`: it begins with a byte order mark, as Excel's do, which would be a part of the first name.
    """
    opened = MARKED.format(name=path.rpartition("/")[2]) if marked else ""
    if path.lower().endswith(JSON):
        return f"{opened}the module json"
    separator = _detect_separator(text)
    return opened + READER.format(delimiter="" if separator == "," else f", delimiter={separator!r}")


def _summarize_csv(text: str) -> tuple[str, str] | None:
    separator = _detect_separator(text)
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]
    except csv.Error:
        return None
    if len(rows) < 2 or len(rows[0]) < 2:
        return None
    head, body = rows[0], rows[1:]
    columns = [
        _describe_column(name, (row[at] for row in body if at < len(row))) for at, name in enumerate(head)
    ]
    parted = f" separated by {NAMES[separator]}" if separator in NAMES else ""
    said = f"{format_count(len(body), 'row')}{parted} below a header, columns: {_join_names(columns)}"
    return said, "\n".join(text.splitlines()[: FIRST + 1])


def _detect_separator(text: str) -> str:
    """Give the separator of which the first lines have equally many, and most."""
    lines = [line for line in islice(text.splitlines(), SNIFFED) if line.strip()]
    counts = {each: Counter(line.count(each) for line in lines).most_common(1) for each in SEPARATORS}
    usual = {each: (times, many) for each, found in counts.items() for many, times in found if many}
    return max(usual, key=lambda each: usual[each], default=",")


def _describe_column(name: str, values: Iterable[str]) -> str:
    kinds = {_detect_type(value) for value in values if value.strip()} or {"empty"}
    return f"{name.strip()} ({kinds.pop() if len(kinds) == 1 else 'number' if kinds == NUMBERS else 'text'})"


NUMBERS = {"whole number", "number"}


def _detect_type(value: str) -> str:
    for name, read in (("whole number", int), ("number", float)):
        try:
            read(value)
        except ValueError:
            continue
        return name
    return "text"


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
