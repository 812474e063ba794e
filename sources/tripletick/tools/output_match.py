"""Whether what a program printed is what is right: as lines of its own, or behind the label of a line."""

from __future__ import annotations

import re
from collections import Counter

from tripletick.system.lazy_regex import lazy_regex

_PLAIN = lazy_regex(r"-?\d+(?:\.\d*[1-9])?")
LEFT_OUT = "..."
"""A line that stands for those which are not shown."""
_LEFT_OUT = lazy_regex(r"(?m)^[ \t]*(?:\.\.\.|…|\[\.\.\.\])[ \t]*$")
_RUNS = lazy_regex(r"\d+(?:\.\d+)?|[^\W\d_]+")
SIZES = (60, 12, 24, 7, 100, 1000)
"""How many of a unit may make the next larger one."""
_LAST_NUMBER = lazy_regex(r"(?:^|[\s:=$€£(])(-?\d+(?:\.\d+)?)\W*$")
"""The number with which a line ends."""


def shows_result(printed: str, right: str) -> bool:
    """Tell whether an output has what is right as lines of its own, or behind the label of a line."""
    lines, wanted = _split_lines(printed), _split_lines(right.replace("\\n", "\n"))
    is_value = len(wanted) == 1 and any(line.endswith((f": {wanted[0]}", f"= {wanted[0]}")) for line in lines)
    # "6" is met by 6.0, but "6.00" wants its decimals
    if len(wanted) == 1 and _PLAIN.fullmatch(wanted[0]):
        ends = (_LAST_NUMBER.search(line) for line in lines)
        is_value = is_value or any(end and float(end[1]) == float(wanted[0]) for end in ends)
    return is_value or has_lines(printed, right) or normalize_spaces(printed) == normalize_spaces(right)


def has_lines(printed: str, right: str) -> bool:
    """Tell whether an output has what is right as lines of its own; in the place of a line of dots any may
    stand.
    """
    parts = _LEFT_OUT.split(right.replace("\\n", "\n"))
    whole, *wanted = ("\n".join(["", *_split_lines(text), ""]) for text in (printed, *parts))
    at = 0
    for part in wanted:
        found = whole.find(part, at)
        if found < 0:
            return False
        at = found + max(len(part) - 1, 0)
    return True


def has_more_alike(printed: str, right: str) -> bool:
    """Tell whether an output has more lines than what is right, of the form that all of these have: something
    else may be printed around them, and a further `1 x 20` may not.
    """
    lines, wanted = _split_lines(printed), _split_lines(right.replace("\\n", "\n"))
    forms = {_describe_form(line) for line in wanted}
    more = Counter(lines) - Counter(wanted)
    return len(wanted) > 1 and len(forms) == 1 and any(_describe_form(line) in forms for line in more)


def _describe_form(line: str) -> str:
    return _RUNS.sub(lambda run: "9" if run[0][0].isdigit() else "a", line)


def shows_whole_lines(right: str) -> bool:
    """Tell whether what is right shows each of its lines whole, but for lines of dots."""
    return not re.search(r"\.\.\.|…", _LEFT_OUT.sub("", right))


def _split_lines(text: str) -> list[str]:
    """Give the lines that are not empty, blanks made single."""
    return [line for line in map(normalize_spaces, text.splitlines()) if line]


def normalize_spaces(text: str) -> str:
    return " ".join(text.split())


def describe_parts(call: str, right: str) -> str:
    """Say how the two numbers of a result are made of the only one of the call, behind a semicolon: 135 // 60
    is 2, and 135 % 60 is 15; "" where they are not.
    """
    given, parts = re.findall(r"(?<![\w.])\d{1,9}(?![\w.])", call), re.findall(r"\d{1,9}", right)
    if len(given) != 1 or len(parts) != 2:
        return ""
    number, many, rest = int(given[0]), int(parts[0]), int(parts[1])
    size = next((size for size in SIZES if many and rest < size and many * size + rest == number), 0)
    return f"; {number} // {size} is {many}, and {number} % {size} is {rest}" if size else ""
