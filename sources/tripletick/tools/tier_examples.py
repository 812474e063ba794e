"""Examples in the steps of a task: of "Under 6: 0.00, 6 to 15: 4.00, 16 and over: 8.00" what is printed at
each end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tripletick.languages.registry import Language
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.command_arguments import find_arguments
from tripletick.tools.new_program import OF_PARTS, STDIN

_UNIT = r"(?: (?!to\b|and\b|or\b)[a-zäöüß%€]+)?"
_NUMBER = r"(?<![\w.,])(\d{1,6})(?![\w.]*\d)"
_VALUE = (
    r"(?P<value>\d+(?:\.\d+)?|\"[^\"\n]{1,40}\"|'[^'\n]{1,40}')"
    r"(?= ?(?:EUR|euros?|€|\$|pounds?|dollars?)?(?:[.,;)]?\s*$|[.,;)]\s|\s*\n))"
)
_COSTS = r"(?: ?:| ?(?:->|→|=>?)|,? (?:costs?|pays?|is|are|gives?|prints?|kostet|zahlt|coûte|cuesta|costa)) "
_FORMS: tuple[tuple[str, Callable[[int, int], list[int]]], ...] = (
    (rf"{_NUMBER}{_UNIT}(?: to | ?[-\u2013] ?| bis | à | a ){_NUMBER}{_UNIT}", lambda low, high: [low, high]),
    (
        rf"{_NUMBER}{_UNIT},? (?:(?:and|or) (?:over|older|more|up|above|higher)|(?:und|oder) (?:mehr|älter)"
        r"|(?:et|ou) plus|(?:y|o) más|(?:e|o) più)",
        lambda low, _: [low],
    ),
    (rf"\b(?:up to|at most|bis(?: zu)?|jusqu.à|hasta|fino a) {_NUMBER}{_UNIT}", lambda high, _: [high]),
    (
        rf"\b(?:under|below|less than|unter|moins de|menos de|meno di) {_NUMBER}{_UNIT}",
        lambda high, _: [high - 1],
    ),
    (rf"\b(?:over|above|more than|über|plus de|más de|più di) {_NUMBER}{_UNIT}", lambda low, _: [low + 1]),
)
"""How a step is said, and the whole numbers at its ends."""
_STEPS = tuple((lazy_regex(rf"{said}{_COSTS}{_VALUE}", re.IGNORECASE), ends) for said, ends in _FORMS)
_SECOND = lazy_regex(
    r"argv\[[2-9]\]|\$[2-9]|\bargparse\b|argv\[1:|argv\)|\.slice\(2\)|\$[@*]|\binput\(|\bread\b"
)
"""What reads more than one argument, or what is typed."""
LEAST = 2
"""Steps that a task must have."""


def find_tier_examples(task: str, path: str, source: str, language: Language) -> list[tuple[str, str]]:
    """Find `(command, a value that it prints)` for the steps of the one whole number that the program at
    `path` is given; those at which a step begins come first, since there most mistakes are.
    """
    given = find_arguments(task, path, language)
    is_other = OF_PARTS.search(task) or STDIN.search(task) or _SECOND.search(source)
    if (
        is_other
        or not language.starts
        or not language.takes_arguments(source)
        or (given and len(given[1]) != 1)
    ):
        return []
    steps = [*_iter_steps(task)]
    if len(steps) < LEAST or len({step for step, _ in steps}) < LEAST:
        return []
    found = dict[int, str]()
    for ends in zip(*([numbers[0], numbers[-1]] for numbers, _ in steps), strict=True):
        for number, (_, value) in zip(ends, steps, strict=True):
            found.setdefault(number, value)
    return [
        (f"{language.starts[0]} {path} {number}", value) for number, value in found.items() if number >= 0
    ]


def _iter_steps(task: str) -> Iterator[tuple[tuple[int, ...], str]]:
    for said, ends in _STEPS:
        for found in said.finditer(task):
            low, high = int(found[1]), int(found[2]) if found.re.groups > 2 else 0
            yield tuple(ends(low, high)), found["value"].strip("\"'")
