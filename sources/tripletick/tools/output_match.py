"""Whether what a program printed is what is right: as lines of its own, or behind the label of a line."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"-?\d+(?:\.\d*[1-9])?")
_LAST_NUMBER = re.compile(r"(?:^|[\s:=$€£(])(-?\d+(?:\.\d+)?)\W*$")
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
    """Tell whether an output has what is right as lines of its own."""
    texts = (printed, right.replace("\\n", "\n"))
    whole, part = ("\n".join(["", *_split_lines(text), ""]) for text in texts)
    return part in whole


def _split_lines(text: str) -> list[str]:
    """Give the lines that are not empty, blanks made single."""
    return [line for line in map(normalize_spaces, text.splitlines()) if line]


def normalize_spaces(text: str) -> str:
    return " ".join(text.split())
