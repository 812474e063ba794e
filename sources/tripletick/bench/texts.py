"""What a check expects of a text: rows by key, each says in a few words what is wrong, "" where nothing is.

Line ends and a missing last newline are forgiven. Whose text it is, file, output or answer, is the caller's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

Look = Callable[[str, Any], str]
SHOWN = 60
WORDS = {
    **{
        word: value
        for value, word in enumerate(("zero", "one", "two", "three", "four", "five", "six", "seven"))
    },
    **{word: value for value, word in enumerate(("eight", "nine", "ten", "eleven", "twelve", "thirteen"), 8)},
}
_BETWEEN = r"[ ,.'\u2019\xa0\u202f]"
_NUMBER = re.compile(rf"(?<!\w)-?\d+(?:{_BETWEEN}\d+)*")
_APART = re.compile(_BETWEEN)
_WORD = re.compile(r"(?<![\w-])[a-z]+(?![\w-])")


def wrong(text: str, wanted: Mapping[str, Any], looks: Mapping[str, Look]) -> str:
    """Give the first thing that is wrong with a text; keys without a row are not the text's."""
    text = text.replace("\r\n", "\n")
    found = (looks[key](text, value) for key, value in wanted.items() if key in looks)
    return next(filter(None, found), "")


def _equals(text: str, wanted: str) -> str:
    return "" if _ended(text) == _ended(wanted.replace("\r\n", "\n")) else f"is {_short(text)}"


def _prints(text: str, wanted: str) -> str:
    return "" if _stripped(text) == _stripped(wanted) else f"is {_short(text)}"


def _has(text: str, wanted: Iterable[str]) -> str:
    return next((f"lacks {_short(part)}" for part in wanted if part not in text), "")


def _lacks(text: str, unwanted: Iterable[str]) -> str:
    return next((f"has {_short(part)}" for part in unwanted if part in text), "")


def _matches(text: str, pattern: str) -> str:
    return "" if re.search(pattern, text, re.MULTILINE) else f"does not match {_short(pattern)}"


def _lines(text: str, count: int) -> str:
    there = len(_ended(text).split("\n")) - 1
    return "" if there == count else f"has {there} lines"


def _same_lines(text: str, wanted: Iterable[str]) -> str:
    there, due = (
        Counter(line.strip() for line in lines if line.strip()) for lines in (text.split("\n"), wanted)
    )
    lacking, over = due - there, there - due
    if lacking:
        return f"lacks the line {_short(next(iter(lacking)))}"
    return f"has the line {_short(next(iter(over)))}" if over else ""


def _says(text: str, wanted: Iterable[str]) -> str:
    return next((f"lacks {_short(part)}" for part in wanted if not _said(text, part)), "")


def _says_any(text: str, wanted: Iterable[str]) -> str:
    return "" if any(_said(text, part) for part in wanted) else f"has none of {', '.join(wanted)}"


def _says_none(text: str, unwanted: Iterable[str]) -> str:
    return next((f"has {_short(part)}" for part in unwanted if _said(text, part)), "")


def _number(text: str, wanted: float) -> str:
    return "" if wanted in set(numbers(text)) else f"lacks the number {wanted:g}"


TEXT: Mapping[str, Look] = {
    "equals": _equals,
    "stdout": _prints,
    "has": _has,
    "lacks": _lacks,
    "matches": _matches,
    "lines": _lines,
    "same_lines": _same_lines,
}
"""Of files and outputs: as it stands."""
ANSWER: Mapping[str, Look] = {
    "has": _says,
    "any": _says_any,
    "lacks": _says_none,
    "matches": _matches,
    "number": _number,
}
"""Of answers: whole words, in capitals or not."""


def numbers(text: str) -> Iterator[float]:
    """Give every number that a person may read in a text: thousands set apart, a decimal comma, a word."""
    for found in _NUMBER.findall(text.replace("\N{MINUS SIGN}", "-")):
        for each in (found, *found.split(" ")):
            yield from _readings(each)
    yield from (float(WORDS[word]) for word in _WORD.findall(text.casefold()) if word in WORDS)


def _readings(found: str) -> Iterator[float]:
    first, *more = _APART.split(found)
    if all(len(part) == 3 for part in more):
        yield float("".join((first, *more)))
    if more and _APART.findall(found)[-1] in ".," and all(len(part) == 3 for part in more[:-1]):
        yield float(f"{''.join((first, *more[:-1]))}.{more[-1]}")


def _said(text: str, part: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(part.casefold())}(?!\w)", text.casefold()))


def _stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().split("\n")]


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _short(text: str) -> str:
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")
