"""A line of a text that is split into more parts than a program takes, since one of them has blanks."""

from __future__ import annotations

from collections.abc import Sequence

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.new_program import Misreading

_MORE = lazy_regex(r"ValueError: too many values to unpack \(expected (\d)\)")
_SPLIT = lazy_regex(r"\.split\((?:\" \"|' ')?\)")
_NUMBER = lazy_regex(r"[-+$€£]?\d[\d.,:/-]*%?")
"""What is no word: a number, a time, a date."""
KEEPS = "{name} has blanks of its own. It should read: {right}"


def correct_unpacking(source: str, error: str, code: str, lines: Sequence[str]) -> Misreading | None:
    """Say how a line of code that fails with an error splits lines whose first or last part has blanks, and
    give the program as it should be; None for any other error, or where no part is always a number.
    """
    more, wrong = _MORE.match(error), _SPLIT.search(code)
    rows = [words for words in map(str.split, lines) if words]
    if not more or not wrong or not rows or source.count(code) != 1:
        return None
    count = int(more[1]) - 1
    names = [name.strip(" ()").rpartition(" ")[2] for name in code.partition("=")[0].split(",")]
    if all(_NUMBER.fullmatch(words[-1]) for words in rows):
        how, name = f".rsplit(maxsplit={count})", names[0]
    elif all(_NUMBER.fullmatch(words[0]) for words in rows):
        how, name = f".split(maxsplit={count})", names[-1]
    else:
        return None
    right = f"{code[: wrong.start()]}{how}{code[wrong.end() :]}"
    return Misreading(KEEPS.format(name=name, right=right), source.replace(code, right))
