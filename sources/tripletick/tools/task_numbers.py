"""A number of the task that a new program has left out: of "4 up to 2 kg, 7 up to 10 kg, 15 above" the 2."""

from __future__ import annotations

import re

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.shell_mistakes import LARGEST

LACKING = "the task says “{words}”, and the program has no {number}"
LEAST = 4
"""Numbers that a task has at least where it is a table of rules, all but one of which a program has."""
AROUND, CLAUSE, FEW = 3, 60, 40
"""Words that are shown before the number, characters of them that may say a rule, and numbers of which
products are looked at.
"""
_RULES = lazy_regex(
    r"(?i)\b(?:up to|over|under|above|below|less than|more than|at least|at most|until|from|between|heavier"
    r"|cheaper|older|younger|otherwise|each|per|costs?|bis|ab|über|unter|jusqu|à partir|más de|hasta|oltre)\b"
)
_EXAMPLES = lazy_regex(
    r"\"[^\"\n]*\"|`[^`\n]*`|\b\w+\([^()\n]*[\d\"'][^()\n]*\)[^.;\n]{0,80}"
    r"|(?:\b(?:python3?|node|bash|sh) )?(?<![\w/-])[\w/-]{1,80}\.(?:py|js|sh)\b"
    r"(?: [^\s.,;]+(?:\.\d+)?){0,3} ?(?:should |must )?(?:prints?|gives?|returns?|shows?|->|=>)[^;\n]{0,60}"
)
"""Calls with what they give, whose numbers are any."""
_NUMBER = lazy_regex(
    r"(?<![\w.,:/-])(?!(?:19|20)\d\d\b)\d{1,9}(?:\.\d{1,6})?(?![\w:/]|[.,]\d"
    r"| (?:lines?|functions?|tests?|decimals?|digits?|points|words|characters|minutes|seconds)\b)"
)
_WRITTEN = lazy_regex(r"\d{1,12}(?:\.\d{1,9})?")
_END = lazy_regex(r"[.;:!?](?=\s)|\n")


def find_lacking_number(task: str, source: str) -> str:
    """Say which number of its task a program lacks, where it has all others; "" where it is not only one."""
    plain = _EXAMPLES.sub(lambda found: " " * len(found[0]), task[:LARGEST])
    numbers = {float(found[0]): found for found in _NUMBER.finditer(plain)}
    if len(numbers) < LEAST or len(_RULES.findall(plain)) < 2:
        return ""
    digits = re.sub(r"(?<=\d)_(?=\d)", "", source[:LARGEST])
    written = {float(number) for number in _WRITTEN.findall(digits)}
    products = {one * other for one in written for other in written} if len(written) <= FEW else set()
    lacking = [each for each in numbers if each not in products and not _list_forms(each) & written]
    found = numbers[lacking[0]] if len(lacking) == 1 else None
    clause = _END.split(plain[: found.start()])[-1] if found else ""
    if not found or not _RULES.search(clause[-CLAUSE:]):
        return ""
    before = re.split(r"\s+", clause.strip())[-AROUND:]
    behind = re.match(r" ?[^\W\d]{1,12}", plain[found.end() :])
    words = " ".join([*before, found[0]]) + (behind[0] if behind else "")
    return LACKING.format(words=words.lstrip(), number=found[0])


def _list_forms(number: float) -> set[float]:
    """Give how a program may write a number: a percentage as a factor, a bound as the next number."""
    share = number / 100
    near = {number, number - 1, number + 1, 100 - number, number * 60, number * 100}
    return {round(each, 6) for each in near | {share, 1 - share, 1 + share}}
