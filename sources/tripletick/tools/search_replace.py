"""SEARCH/REPLACE pairs between git's conflict markers: reading them, applying them to the lines of a file.

Whole lines are compared, exactly; what could be meant in two ways is refused. No file is opened here.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import join_names
from tripletick.tools.file_reader import number_lines

Lines = tuple[str, ...]

OLD = "SEARCH|ORIGINAL|OLD|FIND|BEFORE"
NEW = "REPLACE|REPLACEMENT|UPDATED|UPDATE|NEW|AFTER"
_OPENS = lazy_regex(r"<{5,9}(\s.*|\s*)$")
_OPENS_NAMED = lazy_regex(rf"<{{5,9}}\s*({OLD})\b.*$", re.IGNORECASE)
_DIVIDES = lazy_regex(r"={5,9}\s*$")
_CLOSES = lazy_regex(r">{5,9}(\s.*|\s*)$")
_CLOSES_NAMED = lazy_regex(rf">{{5,9}}\s*({NEW})\b.*$", re.IGNORECASE)

SEVERAL = (
    "It stands at lines {where}. Put lines before or after it into SEARCH too, or replace each: "
    "write the word all after the path."
)
NINE = "Write its markers with nine signs: <<<<<<<<< SEARCH, =========, >>>>>>>>> REPLACE."
COMPARED = 20_000
"""Lines of a file in which the closest ones are looked for."""
WIDEST = 400
"""Characters of a line that are compared for that, as difflib takes the square of them."""
QUOTED = 2400
"""Characters of the lines that are quoted."""
NEAR = 0.5
"""How alike two lines must be to be shown (difflib's ratio)."""


class SearchReplaceError(ValueError):
    """Pairs that cannot be read or applied, worded for the model. `missing`: SEARCH is not in the file."""

    def __init__(self, what: str, text: str = "", *, missing: bool = False) -> None:
        super().__init__(what)
        self.what, self.text, self.missing = what, text, missing


@dataclass(frozen=True, slots=True)
class SearchReplacePair:
    """One pair: SEARCH and REPLACE, in each way that its dividing line allows."""

    readings: tuple[tuple[Lines, Lines], ...]


@dataclass(frozen=True, slots=True)
class AppliedPairs:
    """The new lines, and where each pair stands in them: first line and how many."""

    lines: list[str]
    places: tuple[tuple[int, int], ...]


def read_pairs(body: str) -> list[SearchReplacePair]:
    """Read the pairs of a block. Raises PairsError."""
    lines = body.replace("\r\n", "\n").split("\n")
    named = any(map(_OPENS_NAMED.match, lines))
    opens = _OPENS_NAMED if named else _OPENS
    closes = _CLOSES_NAMED if any(map(_CLOSES_NAMED.match, lines)) else _CLOSES
    pairs, start = [], -1
    for number, line in enumerate(lines):
        if opens.match(line):
            if start >= 0:
                raise SearchReplaceError(
                    f"the pair that starts on line {start + 1} has no >>>>>>> REPLACE line"
                )
            start = number
        elif closes.match(line) and start >= 0:
            pairs.append(_parse_pair(lines[start:number], start + 1))
            start = -1
        elif start < 0 and line.strip():
            raise SearchReplaceError(
                f"line {number + 1} of the block stands outside the SEARCH/REPLACE pairs"
            )
    if start >= 0:
        raise SearchReplaceError(f"the pair that starts on line {start + 1} has no >>>>>>> REPLACE line")
    if not pairs:
        raise SearchReplaceError("the block holds no SEARCH/REPLACE pair")
    return pairs


def write_pair(search: str, replace: str) -> str:
    """Write one pair with markers that none of its lines look like. Raises PairsError."""
    old, new = (text.removesuffix("\n").split("\n") if text else [] for text in (search, replace))
    dividers = {len(line.strip()) for line in (*old, *new) if _DIVIDES.match(line)}
    size = next((size for size in (7, 9, 8, 6, 5) if size not in dividers), 0)
    if not size or any(_OPENS_NAMED.match(line) or _CLOSES_NAMED.match(line) for line in (*old, *new)):
        raise SearchReplaceError("its lines hold markers of SEARCH/REPLACE themselves; write the whole file")
    return "\n".join(["<" * size + " SEARCH", *old, "=" * size, *new, ">" * size + " REPLACE"])


def _parse_pair(lines: list[str], number: int) -> SearchReplacePair:
    """Split a pair, its opening marker included, at each line that could divide it."""
    dividers = [n for n, line in enumerate(lines) if _DIVIDES.match(line)]
    if not dividers:
        raise SearchReplaceError(f"the pair that starts on line {number} has no ======= line after SEARCH")
    size = len(lines[0]) - len(lines[0].lstrip("<"))
    fitting = [n for n in dividers if len(lines[n].strip()) == size]
    chosen = fitting if len(fitting) == 1 else dividers
    readings = [(tuple(lines[1:n]), tuple(lines[n + 1 :])) for n in chosen]
    whole = [reading for reading in readings if all(map(_is_balanced, reading))]
    return SearchReplacePair(tuple(whole or readings))


def _is_balanced(lines: Lines) -> bool:
    """True unless a conflict of git's own begins in the lines and ends elsewhere, or the other way round."""
    return sum(map(bool, map(_OPENS.match, lines))) == sum(map(bool, map(_CLOSES.match, lines)))


def apply_pairs(
    lines: Sequence[str], pairs: Sequence[SearchReplacePair], *, every: bool = False
) -> AppliedPairs:
    """Apply the pairs in order, all or none; a CR at a line's end is not compared. Raises PairsError."""
    now, places = list(lines), list[tuple[int, int]]()
    end = "\r" if sum(line.endswith("\r") for line in lines) * 2 >= len(lines) > 0 else ""
    for number, pair in enumerate(pairs, 1):
        bare = [line.removesuffix("\r") for line in now]
        search, new = _choose_reading(bare, pair, number)
        found = _find_places(bare, search, number, every)
        many = len(search) if any(search) else len(now)
        for at in reversed(found):
            ends = {line[len(line.removesuffix("\r")) :] for line in now[at : at + many]}
            # where the last line of all has none, that tells nothing
            own = ends.pop() if ends == {"\r"} or (len(ends) == 1 and at + many < len(now)) else end
            now[at : at + many] = [line + own for line in new]
        shift = len(new) - many
        places = [(first + shift * sum(at < first for at in found), many) for first, many in places]
        places += [(at + shift * n, len(new)) for n, at in enumerate(found)]
    return AppliedPairs(now, tuple(places))


def _choose_reading(lines: list[str], pair: SearchReplacePair, number: int) -> tuple[Lines, Lines]:
    """Choose where SEARCH ends: a content line may look like the divider."""
    if len(pair.readings) == 1:
        return pair.readings[0]
    fitting = [
        reading for reading in pair.readings if reading[0] and any(find_occurrences(lines, reading[0]))
    ]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise SearchReplaceError(
            f"pair {number} holds several ======= lines, and it is unclear which divides it", NINE
        )
    return pair.readings[0]


def _find_places(lines: list[str], search: Lines, number: int, every: bool) -> list[int]:
    if not any(search):
        if any(lines):
            raise SearchReplaceError(f"SEARCH of pair {number} is empty, but the file is not")
        return [0]
    found = [at for at, _ in find_occurrences(lines, search, overlapping=not every)]
    if not found:
        raise SearchReplaceError(
            f"SEARCH of pair {number} was not found", explain_mismatch(lines, search), missing=True
        )
    if len(found) > 1 and not every:
        where = join_names([str(at + 1) for at in found], 10)
        raise SearchReplaceError(
            f"SEARCH of pair {number} was found {len(found)} times", SEVERAL.format(where=where)
        )
    return found


def find_occurrences(
    lines: Sequence[str], search: Lines, *, overlapping: bool = False
) -> Iterator[tuple[int, int]]:
    """Yield first and last line, from 0, of each place where the lines stand."""
    at, many = 0, len(search)
    while at + many <= len(lines):
        if lines[at] == search[0] and tuple(lines[at : at + many]) == search:
            yield at, at + many - 1
            at += 1 if overlapping else many
        else:
            at += 1


def explain_mismatch(lines: Sequence[str], search: Lines) -> str:
    """Say what comes closest to lines that are not in the file."""
    bare = ["".join(line.split()) for line in lines]
    wanted = tuple("".join(line.split()) for line in search)
    same = list(find_occurrences(bare, wanted))
    if same:
        first, last = same[0]
        differ = f"{_format_difference(first, last)} from it only in blanks or indentation:"
        return f"{differ}\n{quote_lines(lines, first, last)}"
    line, at = _find_closest_line(lines[:COMPARED], search)
    if at < 0:
        return "No line resembles it. Read the file and copy the lines from it."
    first = max(at - line, 0)
    last = min(first + len(search), len(lines)) - 1
    where = f"line, {first + 1}" if first == last else f"lines, {first + 1}-{last + 1}"
    return f"The closest {where}:\n{quote_lines(lines, first, last)}"


def _format_difference(first: int, last: int) -> str:
    return f"Line {first + 1} differs" if first == last else f"Lines {first + 1}-{last + 1} differ"


def _find_closest_line(lines: Sequence[str], search: Lines) -> tuple[int, int]:
    """Give the most telling line of SEARCH and the line of the file most like it, -1 where none is."""
    number = max(range(len(search)), key=lambda n: len(search[n].strip()))
    wanted, best, at = search[number].strip()[:WIDEST], NEAR, -1
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    for place, line in enumerate(lines):
        matcher.set_seq1(line.strip()[: 2 * len(wanted) + 20])
        if (
            matcher.real_quick_ratio() > best
            and matcher.quick_ratio() > best
            and (ratio := matcher.ratio()) > best
        ):
            best, at = ratio, place
    return number, at


def quote_lines(lines: Sequence[str], first: int, last: int) -> str:
    """Number some lines as `read` does, at most twelve, and cut those that are too wide."""
    several = lines[first : min(last, first + 11) + 1]
    shown = [line.removesuffix("\r").encode("utf-8", "replace").decode() for line in several]
    return "\n".join(number_lines(shown, first + 1, QUOTED))
