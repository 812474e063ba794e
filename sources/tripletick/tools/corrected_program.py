"""A program in the one form that is right, where what is wrong with it has one: a small model that is told of
its mistake copies its own program, the mistake too, and copies this where it is shown it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.shell_mistakes import correct_script

Pair = tuple[str, str]
"""What is there, and what should be."""
_LITERAL = lazy_regex(r"(?P<quote>[\"'`])(?P<text>[^\"'`\n]{3,200})(?P=quote)")
_READS = lazy_regex(r"Line (?P<line>\d{1,5})\b.*\b(?:it|should) reads?: (?P<whole>.+)")
"""A common mistake that says how its line is right."""
CHANGE = "Line {line}, {given}, should read: {right}"
_PIECE = lazy_regex(r"(?:\$?\{[^{}]*\}|[^\s{}])+")
"""A word of a text, or a value that is put into it."""


def correct_program(
    source: str, tag: str, lines: tuple[Pair | None, Pair | None], words: Mapping[str, str]
) -> str:
    """Give a program without what has one right form; "" where nothing of it has. `lines`: a call that prints
    more than a value, with the one that does not; a line that it prints with two parts in each other's place,
    and how it should be. `words`: what it prints with other capitals.
    """
    label, misprint = lines
    right = source.replace(*label) if label else source
    right = swap_parts(right, *misprint) if misprint else right
    for (wrong, word), quote in itertools.product(words.items(), "\"'`"):
        right = right.replace(f"{quote}{wrong}{quote}", f"{quote}{word}{quote}")
    right = correct_script(right) if tag == "bash" else right
    return right if right != source else ""


def swap_parts(source: str, line: str, sample: str) -> str:
    """Give a program that prints a line like the sample, of which two parts stood in each other's place."""
    given, right = line.split(), sample.split()
    other = [at for at, pair in enumerate(zip(given, right, strict=False)) if pair[0] != pair[1]]
    if len(given) != len(right) or len(other) != 2:
        return source
    one, two = other

    def swap(found: re.Match[str]) -> str:
        pieces = _PIECE.findall(found["text"])
        if len(pieces) != len(given) or " ".join(pieces) != found["text"]:
            return found[0]
        pieces[one], pieces[two] = pieces[two], pieces[one]
        return f"{found['quote']}{' '.join(pieces)}{found['quote']}"

    return _LITERAL.sub(swap, source)


def correct_lines(source: str, mistakes: Sequence[str]) -> str:
    """Give a program with the line that its only common mistake says; "" where it has none or more."""
    found = [read for each in mistakes if (read := _READS.fullmatch(each))]
    lines = source.split("\n")
    if len(found) != 1 or len(mistakes) != 1 or int(found[0]["line"]) > len(lines):
        return ""
    at = int(found[0]["line"]) - 1
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    right = "\n".join([*lines[:at], f"{indent}{found[0]['whole']}", *lines[at + 1 :]])
    return right if right != source else ""


def describe_change(source: str, right: str) -> str:
    """Say how the one line reads in which a program differs from the right one; "" where others do, or where
    the right one is not known.
    """
    given, wanted = source.rstrip().split("\n"), right.rstrip().split("\n")
    other = [at for at, pair in enumerate(zip(given, wanted, strict=False)) if pair[0] != pair[1]]
    if not right or len(given) != len(wanted) or len(other) != 1:
        return ""
    return CHANGE.format(line=other[0] + 1, given=given[other[0]].strip(), right=wanted[other[0]].strip())
