"""What a check expects of a text: rows by key, each says in a few words what is wrong, "" where nothing is.

Line ends and a missing last newline are forgiven. Whose text it is, file, output or answer, is the caller's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import NUMERALS

Look = Callable[[str, Any], str]
SHOWN = 60
WORDS = {word: value for value, word in enumerate(NUMERALS)}
_BETWEEN = r"[ ,.'\u2019\xa0\u202f]"
_NUMBER = lazy_regex(rf"(?<!\w)-?\d+(?:{_BETWEEN}\d+)*")
_APART = lazy_regex(_BETWEEN)
_WORD = lazy_regex(r"(?<![\w-])[a-z]+(?![\w-])")


def find_mismatch(text: str, wanted: Mapping[str, Any], looks: Mapping[str, Look]) -> str:
    """Give the first thing that is wrong with a text; keys without a row are not the text's."""
    text = text.replace("\r\n", "\n")
    found = (looks[key](text, value) for key, value in wanted.items() if key in looks)
    return next(filter(None, found), "")


def _check_equals(text: str, wanted: str) -> str:
    return (
        ""
        if _add_newline(text) == _add_newline(wanted.replace("\r\n", "\n"))
        else f"is {_shorten_text(text)}"
    )


def _check_output(text: str, wanted: str) -> str:
    return "" if _strip_lines(text) == _strip_lines(wanted) else f"is {_shorten_text(text)}"


def _check_has(text: str, wanted: Iterable[str]) -> str:
    return next((f"lacks {_shorten_text(part)}" for part in wanted if part not in text), "")


def _check_lacks(text: str, unwanted: Iterable[str]) -> str:
    return next((f"has {_shorten_text(part)}" for part in unwanted if part in text), "")


def _check_matches(text: str, pattern: str) -> str:
    return "" if re.search(pattern, text, re.MULTILINE) else f"does not match {_shorten_text(pattern)}"


def _check_line_count(text: str, count: int) -> str:
    there = len(_add_newline(text).split("\n")) - 1
    return "" if there == count else f"has {there} lines"


def _check_same_lines(text: str, wanted: Iterable[str]) -> str:
    there, due = (
        Counter(line.strip() for line in lines if line.strip()) for lines in (text.split("\n"), wanted)
    )
    lacking, over = due - there, there - due
    if lacking:
        return f"lacks the line {_shorten_text(next(iter(lacking)))}"
    return f"has the line {_shorten_text(next(iter(over)))}" if over else ""


def _check_says(text: str, wanted: Iterable[str]) -> str:
    return next((f"lacks {_shorten_text(part)}" for part in wanted if not _has_phrase(text, part)), "")


def _check_says_any(text: str, wanted: Iterable[str]) -> str:
    return "" if any(_has_phrase(text, part) for part in wanted) else f"has none of {', '.join(wanted)}"


def _check_says_none(text: str, unwanted: Iterable[str]) -> str:
    return next((f"has {_shorten_text(part)}" for part in unwanted if _has_phrase(text, part)), "")


def _check_number(text: str, wanted: float) -> str:
    return "" if wanted in set(find_numbers(text)) else f"lacks the number {wanted:g}"


TEXT: Mapping[str, Look] = {
    "equals": _check_equals,
    "stdout": _check_output,
    "has": _check_has,
    "lacks": _check_lacks,
    "matches": _check_matches,
    "lines": _check_line_count,
    "same_lines": _check_same_lines,
}
"""Of files and outputs: as it stands."""
ANSWER: Mapping[str, Look] = {
    "has": _check_says,
    "any": _check_says_any,
    "lacks": _check_says_none,
    "matches": _check_matches,
    "number": _check_number,
}
"""Of answers: whole words, in capitals or not."""


def find_numbers(text: str) -> Iterator[float]:
    """Give every number that a person may read in a text: thousands set apart, a decimal comma, a word."""
    for found in _NUMBER.findall(text.replace("\N{MINUS SIGN}", "-")):
        for each in (found, *found.split(" ")):
            yield from _parse_number(each)
    yield from (float(WORDS[word]) for word in _WORD.findall(text.casefold()) if word in WORDS)


def _parse_number(found: str) -> Iterator[float]:
    first, *more = _APART.split(found)
    if all(len(part) == 3 for part in more):
        yield float("".join((first, *more)))
    if more and _APART.findall(found)[-1] in ".," and all(len(part) == 3 for part in more[:-1]):
        yield float(f"{''.join((first, *more[:-1]))}.{more[-1]}")


def _has_phrase(text: str, part: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(part.casefold())}(?!\w)", text.casefold()))


def _strip_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().split("\n")]


def _add_newline(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _shorten_text(text: str) -> str:
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")
