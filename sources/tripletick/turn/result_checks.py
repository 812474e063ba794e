"""What a request says of a result and a file that was made can be held against: the order of its rows, the
decimals of its numbers, the functions that a program had.

Each gives the flaw that it finds, None where all is well or nothing is known: dates and other keys that can
be read in several ways are right where one of these is in order.
"""

from __future__ import annotations

import ast
import csv
import re
import shlex
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.data_summary import SEPARATED, detect_separator
from tripletick.tools.decimals import find_decimals
from tripletick.tools.missing_imports import list_bound_names
from tripletick.tools.python_source import list_definitions, parse_program

DISORDER = "{path} is not sorted{by}."
SORT_ROWS = (
    "(head -n 1 {path}; tail -n +2 {path} | sort -t{separator} -k{column},{column}{flags}) > /tmp/rows"
    " && cp /tmp/rows {path}"
)
SORT_LINES = "sort{flags} -o {path} {path}"
"""What puts a file in order."""
UNROUNDED = "{path} has {number}, which is not rounded to {count}."
LEAST = 3
"""Rows that have an order."""
BY = (
    r"\b(?:by|nach|par|por|op|på|ordin\w+ [^.;\n]{{0,40}}?\bper)\s+"
    r"(?:(?:the|their|its|den|der|die|la|le|el|il)\s+)?[\"'`]?{name}"
    r"(?:e?[ns])?(?!\w|\.\w| (?:lengths?|size|counts?|per)\b)"
)
DOWN = lazy_regex(
    r"\bdesc(?:ending)?\b|\b(?:highest|largest|biggest|greatest|newest|latest|longest|tallest|heaviest|hottest"
    r"|warmest|deepest|widest|thickest|strongest|most \w+)(?: \w+){0,2} first"
    r"|\bz ?(?:-|to) ?a\b|\brevers|absteigend|décroissant|descendente|aflopend",
    re.IGNORECASE,
)
UP = lazy_regex(
    r"\basc(?:ending)?\b|\b(?:lowest|smallest|oldest|earliest|shortest|cheapest|lightest|coldest|coolest|thinnest"
    r"|narrowest|nearest|closest|least \w+)(?: \w+){0,2} first"
    r"|\balphabet|\ba ?(?:-|to) ?z\b|aufsteigend|(?<!dé)croissant|(?<!d)ascendente|oplopend",
    re.IGNORECASE,
)
OTHER_KEY = lazy_regex(
    r"\b(?<!line )(?<!row )(?<!entry )(?:by|nach|par|por"
    r"|per(?! (?:\w+ )?(?:line|row|page|file|item|person|day|week|month|year)s?\b))\b"
    r"(?! (?:(?:the|dem|ordre|orden|ordine|ordem) )?(?:nam|nom|alpha|alfa|letter|title)\w*+(?! length))"
    r"|\b(?:high|low|larg|small|bigg?|great|new|lat|old|long|earli|short|cheap)e?st\b|\b(?:most|least)\b"
    r"|\bignor\w+ (?!(?:the )?(?:upper|case|capital|gro|maj))|\bso that\b|\binto\b|\breihenfolge\b"
    r"|\border of\b|\bfrom (?!(?:the )?(?:[a-z]|smallest|lowest|largest|highest)\b)[a-z]+ to\b"
    r"|\bvon (?![a-z]\b)\w+ (?:bis|nach)\b|\b(?:random|group|section|paragraph)",
    re.IGNORECASE,
)
"""What is to be sorted by something in it."""
NO_NUMBER = lazy_regex(
    r"\b(?:length|long|short|name|alphabet|letter|word|date|day|month|year|new|old|lat|earl|time)"
    r"|läng|kürz|datum|neu|ält|früh|spät|récent|ancien|fecha|recient|antigu|dat[ao]\b",
    re.IGNORECASE,
)
"""What says that something else than a number is the key."""
CASELESS = lazy_regex(
    r"case[- ]?insensitiv|ignor\w* (?:the )?(?:upper|lower|capital)"
    r"|(?:ignor|regardless of)\w*(?: the)? case|groß.{0,3}(?:und |/)?\s?kleinschreibung"
    r"|case (?:does ?n.?t|does not|is not|isn.?t) ?(?:matter|important)|casse|mayúscul|maiuscol|hoofdletter",
    re.IGNORECASE,
)
NUMBERED_KEY = lazy_regex(
    r"\b(?:by|on|nach|par|por|per|op)\s+(?:(?:its|the|their|der|dem|la|le|de)\s+)?"
    r"(first|second|third|last|erste[nr]?|zweite[nr]?|dritte[nr]?|letzte[nr]?)\s+(?:column|spalte|field)\b",
    re.IGNORECASE,
)
ORDINALS = {"seco": 1, "thir": 2, "last": -1, "zwei": 1, "drit": 2, "letz": -1}
"""Where a column stands that is not the first, by how its numeral begins."""
TIES = lazy_regex(
    r"(?i)[,;(][^.,;()\n]*\b(?:same|equal|ties?|tied|gleich\w*|égalité|iguale?s?|pari)\b[^.,;()\n]*"
    r"(?:,[^.,;()\n]{0,40}\b(?:by|alphabet\w*|nach|par|por|order\w*)\b[^.,;()\n]*)?"
)
"""What comes first of those that are equal."""
SEVERAL_KEYS = lazy_regex(r"\b(?:then|within|each|ties?|dann|puis|luego|poi)\b", re.IGNORECASE)
"""Each key may have a direction of its own."""
CLOCK = lazy_regex(r"\d{1,3}(?::\d\d){1,2}(?:\.\d+)?")
"""A duration, or a time of day: where some have hours and some have none, these are durations."""
SECONDS = "sum(float(part) * 60**n for n, part in enumerate(reversed(row[{name!r}].split(':'))))"
COMPARE = ". As text, 1:00:02 comes before 49:30; compare the seconds: {key}"
HALF_DAY = lazy_regex(r"\d ?[ap]\.?m\b", re.IGNORECASE)
UNIT = lazy_regex(r"\W*[\d.,]+ ?([^\W\d]+)")
ABSENT = frozenset({"", "-", "n/a", "na", "nan", "none", "null", "?"})
"""Values of which the place is free."""
TOTALS = lazy_regex(r"(?:grand )?(?:total|sum|average|mean|summe|gesamt|somme|suma|totale)\b", re.IGNORECASE)
"""How the last row begins where it is none of the others."""
RANKS = """
low medium high critical urgent normal none small large xs s m l xl xxl first second third todo doing done
mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday bronze silver gold
jan feb mar apr may jun jul aug sep oct nov dec january february march april june july august september
october november december
"""
"""Words with an order of their own."""
MARK = lazy_regex(r"^\s*(?:[-*+•]|\d+[.)])\s+(?:\[[ xX]\]\s*)?")
"""The sign that makes a line an item of a list."""
NUMBER = lazy_regex(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
COMMA_NUMBER = lazy_regex(r"[^\w-]*(-?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?)\D*")
"""A number with its decimals behind a comma."""
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = lazy_regex(rf"\b({'|'.join(MONTHS)})[a-z]*\b", re.IGNORECASE)
STEP = lazy_regex(r"(?:for|while|if|with|try|print)\b|\w[\w.]*\s*[-+*/]?=|[\w.]+\(")
"""How a line begins that does something."""
SHRINKS = lazy_regex(
    r"\b(?:re-?writ|re-?factor|simplif|shorten|instead|from scratch|only one|clean|merg|combin|inlin|de-?dup"
    r"|duplicate|split|extract)",
    re.IGNORECASE,
)
"""A program may have fewer functions afterwards."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """What speaks against a result, in one line."""

    text: str
    command: str = ""
    """What mends it, at the end of the line too."""
    path: str = ""
    """The text that has lost lines …"""
    lost: tuple[str, ...] = ()
    """… and these."""


def make_mendable(text: str, command: str) -> Flaw:
    """Make a flaw of a sentence and the command that mends it, if there is one."""
    return Flaw(f"{text.removesuffix('.')}: {command}" if command else text, command)


def find_disorder(path: str, text: str, request: str) -> Flaw | None:
    """Say that a table or a list is not in the order in which a request, which speaks of one, wants it."""
    request = TIES.sub(" ", request)
    down, up = bool(DOWN.search(request)), bool(UP.search(request))
    text = text.casefold() if CASELESS.search(request) else text
    directions = [down] if down != up and not SEVERAL_KEYS.search(request) else [False, True]
    ending = f".{path.rpartition('.')[2].lower()}"
    if ending in SEPARATED:
        return _find_row_disorder(path, text, request, directions)
    is_list = ending in (".txt", ".md", ".log", ".list")
    if is_list and len(directions) == 1 and OTHER_KEY.search(request) and not NO_NUMBER.search(request):
        return _find_number_disorder(path, text, directions)
    known = is_list and not OTHER_KEY.search(request)
    lists = [items for items in _list_items(text) if len(items) >= LEAST]
    if not known or all(_is_ordered(items, directions) for items in lists):
        return None
    plain = lists == [[line for line in text.splitlines() if line.strip()]]
    flags = _choose_flags(lists[0], directions, request) if plain else None
    how = "" if flags is None else SORT_LINES.format(path=shlex.quote(path), flags=flags and f" -{flags}")
    return make_mendable(DISORDER.format(path=path, by=""), how)


def _find_number_disorder(path: str, text: str, directions: Sequence[bool]) -> Flaw | None:
    """Say that lines which all end with a number are not in the order of these."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    numbers = [float(words[-1]) for words in lines if len(words) > 1 and NUMBER.fullmatch(words[-1])]
    if len(numbers) < max(LEAST, len(lines)) or numbers == sorted(numbers, reverse=directions[0]):
        return None
    fields = {len(words) for words in lines}
    told = {"path": shlex.quote(path), "flags": f" -k{min(fields)},{min(fields)}n{'r' * directions[0]}"}
    how = SORT_LINES.format(**told) if len(fields) == 1 else ""
    return make_mendable(DISORDER.format(path=path, by=" by number"), how)


def _choose_flags(values: Iterable[str], directions: Sequence[bool], request: str) -> str | None:
    """Give the options of `sort` that put values in order, None where it cannot."""
    values = [value.strip() for value in values]
    numbers = all(map(NUMBER.fullmatch, values))
    down = directions[0]
    ordered = sorted(values, key=float if numbers else str, reverse=down)
    folds = not numbers and bool(CASELESS.search(request))
    return "n" * numbers + "r" * down + "f" * folds if _is_ordered(ordered, [down]) else None


def _list_items(text: str) -> Iterator[list[str]]:
    """Give the items below each heading of a text; the lines where none has the sign of an item."""
    parts = [part.splitlines() for part in re.split(r"(?m)^[#=].*$", text)]
    marked = any(MARK.match(line) for part in parts for line in part)
    for part in parts:
        lines = [line for line in part if line.strip() and not line.rstrip().endswith(":")]
        margin = min((len(line) - len(line.lstrip()) for line in lines if MARK.match(line)), default=0)
        items = [line for line in lines if MARK.match(line) and not line[: margin + 1].isspace()]
        yield [MARK.sub("", line) for line in items] if marked else lines


def _find_row_disorder(path: str, text: str, request: str, directions: Sequence[bool]) -> Flaw | None:
    rows = [row for row in csv.reader(text.splitlines(), delimiter=detect_separator(text)) if row]
    names, rows = rows[0] if rows else [], rows[1:]
    rows = rows[:-1] if rows and any(map(TOTALS.match, rows[-1])) else rows
    rows = [row for row in rows if len(row) == len(names)]
    named = [at for at, name in enumerate(names) if name.strip() and _is_key(name.strip(), request)]
    if not named and (column := NUMBERED_KEY.search(request)):
        named = [*range(len(names))][ORDINALS.get(column[1].casefold()[:4], 0) :][:1]
    columns = named or range(len(names))
    directions = directions if len(named) < 2 else [False, True]
    if len(named) == 1 and len(directions) > 1 and not SEVERAL_KEYS.search(request):
        # of words the first of the alphabet comes first, where nothing else is said
        directions = [False, True] if any(re.search(r"\d", row[named[0]]) for row in rows) else [False]
    known = len(rows) >= LEAST and (named or not OTHER_KEY.search(request))
    if not known or any(_is_ordered([row[at] for row in rows], directions) for at in columns):
        return None
    if not named:
        return Flaw(DISORDER.format(path=path, by=""))
    by = f" by {names[named[0]].strip()}"
    if _are_durations([row[named[0]].strip() for row in rows]):
        key = SECONDS.format(name=names[named[0]])
        return Flaw(DISORDER.format(path=path, by=by).removesuffix(".") + COMPARE.format(key=key))
    at, separator = named[0], detect_separator(text)
    is_simple = len(named) == 1 and '"' not in text and separator != "\t"
    flags = _choose_flags((row[at] for row in rows), directions, request) if is_simple else None
    told = {"path": shlex.quote(path), "separator": shlex.quote(separator), "column": at + 1, "flags": flags}
    how = "" if flags is None else SORT_ROWS.format(**told)
    return make_mendable(DISORDER.format(path=path, by=by), how)


def _is_ordered(values: Iterable[str], directions: Iterable[bool]) -> bool:
    """Tell whether values are in order, up or (True) down, in one of the ways in which they can be read."""
    values = [value.strip() for value in values if value.strip().casefold() not in ABSENT]
    units = {unit[1].casefold() for unit in map(UNIT.fullmatch, values) if unit}
    is_ranked = {value.casefold() for value in values} <= {*RANKS.split()}
    if len(values) < LEAST or is_ranked or len(units) > 1 or any(map(HALF_DAY.search, values)):
        return True
    keys = (_read_seconds,) if _are_durations(values) else _KEYS
    ways = [way for way in (list(map(key, values)) for key in keys) if None not in way]
    return any(
        all(one >= other if down else one <= other for one, other in pairwise(way))
        for way in ways
        for down in directions
    )


def _is_key(name: str, request: str) -> bool:
    """Tell whether a request wants rows sorted by a column: "by length", "the shortest length first"."""
    by = re.search(BY.format(name=re.escape(name)), request, re.IGNORECASE)
    first = rf"\b\w+est {re.escape(re.split('[_ ]', name)[0])} first\b"
    return bool(by or re.search(first, request, re.IGNORECASE))


def _are_durations(values: Sequence[str]) -> bool:
    return all(map(CLOCK.fullmatch, values)) and len({value.count(":") for value in values}) > 1


def _read_seconds(value: str) -> float:
    return sum((float(part) * 60.0**n for n, part in enumerate(reversed(value.split(":")))), 0.0)


def _fold(value: str) -> str:
    plain = unicodedata.normalize("NFKD", value.casefold())
    return "".join(sign for sign in plain if sign.isalnum() or sign == " ").strip()


def _split_numbers(value: str) -> list[str | int]:
    """Give words and numbers by turns: `file10` comes after `file9`."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d{1,9})", value.casefold())]


def _read_number(value: str) -> float | None:
    value = value.replace("\u2212", "-").replace(",", "")
    found = NUMBER.search(value) if re.match(r"\s*[^\w\s]{0,2}\s*[-+]?\d", value) else None
    return float(found[0]) if found and not re.search(r"\d", value[found.end() :]) else None


def _read_comma_number(value: str) -> float | None:
    found = COMMA_NUMBER.fullmatch(value)
    return float(found[1].replace(".", "").replace(",", ".")) if found else None


def _read_parts(*order: int) -> Callable[[str], tuple[int, ...] | None]:
    """Read what may be a date, its numbers in this order; a month may be a word."""

    def read(value: str) -> tuple[int, ...] | None:
        value = MONTH.sub(lambda month: str(MONTHS.index(month[1].lower()) + 1), value)
        parts = [int(part) for part in re.findall(r"\d{1,9}", value)]
        whole = len(parts) >= len(order) == 3 or (len(parts) == len(order) and not NUMBER.fullmatch(value))
        return (*(parts[at] for at in order), *parts[3:]) if whole else None

    return read


_KEYS: tuple[Callable[[str], Any], ...] = (
    str,
    str.casefold,
    _fold,
    lambda value: _fold(value).replace(" ", ""),
    _split_numbers,
    _read_number,
    _read_comma_number,
    _read_parts(0, 1, 2),
    _read_parts(2, 1, 0),
    _read_parts(2, 0, 1),
    _read_parts(1, 0),
)


def find_unrounded(path: str, text: str, before: str, request: str) -> Flaw | None:
    """Say that a file has a number with far more decimals than a request wants."""
    count = find_decimals(request)
    if count is None:
        return None
    long = re.compile(rf"(?<![\w.:])-?\d+\.\d{{{count + 2},}}(?![\w.])")
    known = {*long.findall(before)}
    number = next((each for each in long.findall(text) if each not in known), "")
    said = f"{count} decimal{'s' * (count != 1)}"
    return Flaw(UNROUNDED.format(path=path, number=number, count=said)) if number else None


def find_lost_definitions(old: str, new: str, request: str) -> list[str]:
    """Give the first lines of the functions and classes that a new version of a Python program has not, nor
    another in their place; none of which the request speaks, or that come from elsewhere now. Of a program
    that could not be parsed: what it does beside defining these, where the new version does nothing else.
    """
    trees = parse_program(old), parse_program(new)
    lines = old.splitlines()
    if not trees[1] or SHRINKS.search(request):
        return []
    if not trees[0]:
        return _find_lost_steps(lines, trees[1])
    before = {part.name: lines[part.lineno - 1] for part in list_definitions(trees[0])}
    after = [part.name for part in list_definitions(trees[1])]
    if any(name not in before for name in after):
        return []
    bound = {name for node in ast.walk(trees[1] or ast.Module([], [])) for name in list_bound_names(node)}
    lost = (name for name in before if not {name, "*"} & bound)
    return [before[name] for name in lost if not re.search(rf"\b{re.escape(name)}\b", request)]


def _find_lost_steps(lines: Sequence[str], tree: ast.Module) -> list[str]:
    kept = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    if any(not isinstance(part, kept) and not _is_text(part) for part in tree.body):
        return []
    steps, inside = list[str](), False
    for line in lines:
        if line.strip() and not line[0].isspace():
            inside = bool(STEP.match(line))
        steps += [line] if inside and line.strip() else []
    return steps


def _is_text(part: ast.stmt) -> bool:
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)
