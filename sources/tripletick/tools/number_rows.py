"""Rows of numbers that a task names, such as "the even numbers from 2 to 20" and "the first ten primes", held
against what a program prints.

Only where nothing but whole numbers is printed, and the task says nothing more of them than how they stand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import count, islice
from math import isqrt

from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import NUMERALS, read_count

WRONG = "it prints {number}, and the task says: {words}"
LACKING = "it does not print {number}, and the task says: {words}"
OTHER_COUNT = "it prints {printed} numbers, and the task says: {words}"
LARGEST = 10_000
"""Numbers up to which a row is worked out."""
_ASKS = lazy_regex(
    r"(?i)(?:\A|(?<=[.!?] ))list\b"
    r"|\b(?:(?:print|output|display|show)(?:s|ing)?|lists|gibt|druckt|zeigt|das|affiche|imprime|muestra|stampa"
    r"|mostra)\b"
)
_ROW = lazy_regex(
    rf"""(?ix)
    (?:[ ](?:out|all|of|only|just|the|alle|die|nur|tous|les|seulement|todos|los|solo|tutti|i|gli))*[ ]
    (?P<words>
      (?:(?:first|ersten|premiers|primeros|primi)[ ](?P<first>\d{{1,4}}|{"|".join(NUMERALS[1:])})[ ])?
      (?:(?P<kind>even|odd|prime|gerade\w*|ungerade\w*)[ ])?
      (?:(?:whole|natural|positive|ganze\w*)[ ])?
      (?P<noun>numbers|integers|primes|zahlen|primzahlen|nombres|números|numeri
        |multiples[ ]of[ ](?P<of>\d{{1,4}}))
      (?:[ ](?P<behind>pairs|impairs|premiers|pares|impares|primos|pari|dispari|primi))?
      (?:[ ](?:that[ ]are[ ])?divisible[ ]by[ ](?P<by>\d{{1,4}}))?
      (?:
        ,?[ ](?:(?P<between>between|zwischen|entre|tra)|from|von|de|del|da|dal)[ ](?P<low>\d{{1,5}})
        [ ](?:down[ ])?(?:to|and|through|until|bis|und|et|y|e|à|a|al)[ ](?P<high>\d{{1,5}})
      | [ ](?:up[ ]to(?:[ ]and[ ]including)?|bis|jusqu'à|hasta|fino[ ]a)[ ](?P<to>\d{{1,5}})
      | [ ](?:below|under|less[ ]than|smaller[ ]than|unter)[ ](?P<below>\d{{1,5}})
      )?
    )(?![\w.]*\w)"""
)
_TAIL = lazy_regex(
    r"""(?ix)(?:[,;]?[ ]?\(?(?:
      (?:both[ ])?(?:included|inclusive)|including[ ](?:both|\d+)|(?:beide[ ])?(?:inklusive|eingeschlossen)
    | (?:each[ ]|every[ ]one[ ]|one[ ](?:number[ ])?|all[ ])?(?:on|per|in)
      (?:[ ](?:its|their|a|each|one|separate|own|new|single|the|same)){1,3}[ ]lines?
      (?:[ ]of[ ](?:its|their)[ ]own)?
    | (?:one|each)[ ](?:number[ ])?per[ ]line|line[ ]by[ ]line
    | eine[ ]pro[ ]zeile|un[ao]?[ ]p(?:ar|or|er)[ ](?:ligne|línea|riga)
    | (?:separated|divided)[ ]by[ ](?:an?[ ])?(?:spaces?|commas?|blanks?|new[ ]?lines?)(?:[ ]and[ ]a[ ]space)?
    | (?:and|but)[ ]nothing[ ]else|sonst[ ]nichts|aus(?:gibt|geben)?|backwards|rückwärts
    | in[ ](?:ascending|descending|reverse|rising|falling)(?:[ ]order)?
    | to[ ]the[ ](?:screen|console|terminal)
    )\)?)*
    [ ]?(?:[.;:!?\n]|\Z|(?=,?[ ](?:and|then|und|et|y|e)\b))"""
)
"""What may stand behind a row up to the end of its sentence: nothing that is printed besides."""
_AFTER = lazy_regex(
    r"(?i)(?:,?\s*(?:(?:and|then|und|et|y|e|please|so) )*(?:run|execute|start|save|show|call|use|thank|danke"
    r"|bitte|merci|gracias|führe?|starte?|nothing (?:else|more)|no other|it needs no)\b[^.!?\n]*[.!?]?)*\s*\Z"
)
"""What may be said behind the sentence with the row: nothing that changes it."""
_GIVEN = lazy_regex(
    r"(?i)(?<![\w-])[\w-]{1,80}\.(?:txt|csv|tsv|json|md|log|dat|xml|ya?ml)\b|\bstd-?in\b|\bstandard input\b"
    r"|\barguments?\b|\b(?:reads?|asks?|given|functions?)\b|\bin the (?:file|list)\b"
)
"""What says that the numbers come from elsewhere."""
_KINDS: dict[str, Callable[[int], bool]] = {
    "even": lambda number: number % 2 == 0,
    "odd": lambda number: number % 2 == 1,
    "prime": lambda number: number > 1 and all(number % by for by in range(2, isqrt(number) + 1)),
}
_NAMES = {
    **dict.fromkeys(("even", "gera", "pair", "pare", "pari"), "even"),
    **dict.fromkeys(("odd", "unge", "impa", "disp"), "odd"),
    **dict.fromkeys(("prim", "prem"), "prime"),
}
"""Kinds by the first letters of their words."""


def find_wrong_number(task: str, printed: str) -> str:
    """Say what a row of numbers that a program printed has too many, or lacks; "" where it is as the task
    says, or where that names no such row.
    """
    numbers = _read_numbers(printed)
    row = _find_row(task) if numbers and not _GIVEN.search(task) else None
    if not row:
        return ""
    words = re.sub(r"\s+", " ", row["words"])
    accept = _choose_kind(row)
    if first := row["first"]:
        return _hold_first(numbers, accept, read_count(first), words)
    low, high = _find_bounds(row)
    inner = 1 if row["between"] else 0
    lowest = int(row["low"] is None)  # 0 may count as one where no beginning is named
    for number in numbers:
        if not (low - lowest <= number <= high and accept(number)):
            return WRONG.format(number=number, words=words)
    lacking = (number for number in range(low + inner, high + 1 - inner) if accept(number))
    there = set(numbers)
    missing = next((number for number in lacking if number not in there), None)
    return "" if missing is None else LACKING.format(number=missing, words=words)


def _read_numbers(printed: str) -> Sequence[int]:
    """Give what was printed as numbers, nothing where it is not numbers alone."""
    parts = re.split(r"[\s,;]+", printed.strip().strip("[]")) if len(printed) <= 10 * LARGEST else []
    return [int(part) for part in parts] if all(re.fullmatch(r"-?\d{1,9}", part) for part in parts) else []


def _find_row(task: str) -> re.Match[str] | None:
    for asks in _ASKS.finditer(task):
        row = _ROW.match(task, asks.end())
        tail = _TAIL.match(task, row.end()) if row else None
        if row and tail and _is_worked_out(row) and _AFTER.match(task, tail.end()):
            return row
    return None


def _is_worked_out(row: re.Match[str]) -> bool:
    """Tell whether a row has an end, of a kind for its first ones, and not too many numbers."""
    if row["first"]:
        kind = _name_kind(row) if not (row["of"] or row["by"]) else "multiples"
        return bool(kind) and read_count(row["first"]) * int(row["of"] or row["by"] or 1) <= LARGEST
    return bool(row["high"] or row["to"] or row["below"]) and _find_bounds(row)[1] <= LARGEST


def _name_kind(row: re.Match[str]) -> str:
    word = (row["kind"] or row["behind"] or row["noun"]).lower()
    return _NAMES.get(word if word == "odd" else word[:4], "")


def _choose_kind(row: re.Match[str]) -> Callable[[int], bool]:
    by, kind = int(row["of"] or row["by"] or 1), _KINDS.get(_name_kind(row))
    return lambda number: bool(by) and number % by == 0 and (kind is None or kind(number))


def _find_bounds(row: re.Match[str]) -> tuple[int, int]:
    """Give the smallest and the largest number that may be in a row."""
    if row["high"]:
        ends = sorted((int(row["low"]), int(row["high"])))
        return ends[0], ends[1]
    return 1, int(row["to"] or 0) or int(row["below"] or 1) - 1


def _hold_first(numbers: Sequence[int], accept: Callable[[int], bool], due: int, words: str) -> str:
    """Hold the first numbers of a kind; whether 0 is the first is left open."""
    if len(numbers) != due:
        return OTHER_COUNT.format(printed=len(numbers), words=words)
    rows = [[*islice(filter(accept, count(first)), due)] for first in (0, 1)]
    if sorted(numbers) in rows:
        return ""
    number = next((each for each in numbers if each not in rows[1]), numbers[-1])
    return WRONG.format(number=number, words=words)
