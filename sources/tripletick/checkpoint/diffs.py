"""What turns changed, file by file, as a unified diff.

Values alone: colours, and making them fit for a terminal, are not here.
"""

from __future__ import annotations

import difflib
import os
import stat
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tripletick.checkpoint.undo_plan import find_renames, is_folder, is_placeholder, list_file_changes
from tripletick.checkpoint.values import Change, State
from tripletick.event_log.session_log import clean_name
from tripletick.messages import FileChange, LineCount

LARGEST = 1 << 20
"""Bytes of a file that is compared line by line."""
MOST, ALIKE = 6000, 1_000_000
"""Lines between the first and the last that differ, and pairs of equal ones among them: where there are more,
they count as replaced, for difflib takes the square of them."""
CONTEXT = 3
"""Lines around a change."""
NO_NEWLINE = "\\ No newline at end of file"

_WRITTEN = {code: f"\\{code:03o}" for code in (*range(0x20), ord('"'), ord("\\"))}

Tone = Literal["head", "added", "removed", "place", "same", "note"]
TONES: Mapping[bool, Sequence[tuple[Tone, str, int]]] = {
    True: (("same", " ", 0),),
    False: (("removed", "-", 0), ("added", "+", 1)),
}
"""For lines that are the same, and for those that are not: how they are told, their sign, which side."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff, without its newline."""

    tone: Tone
    text: str


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One path and what was done to it."""

    path: str
    lines: tuple[DiffLine, ...]


Read = Callable[[str], bytes]


def diff_changes(
    changes: Sequence[Change], now: Callable[[str], State | None], read: Read
) -> Iterator[FileDiff]:
    """Compare the two states of each path; one that was only renamed has no lines but those that say so.

    Raises OSError where a content is not kept any more.
    """
    moved = find_renames(changes)
    old = set(moved.values())
    for change in changes:
        if change.path not in old:
            lines = [*_format_rename(change, moved), *_format_metadata(change)]
            if change.was or change.path not in moved:
                lines += _format_content(change, read)
            if now(change.path) != change.left and not is_folder(change.left):
                lines.append(DiffLine("note", f"{clean_name(change.path)}: changed again since"))
            yield FileDiff(change.path, tuple(lines))


def _format_rename(change: Change, moved: Mapping[str, str]) -> Iterator[DiffLine]:
    if change.path in moved:
        yield DiffLine("head", f"rename from {clean_name(moved[change.path])}")
        yield DiffLine("head", f"rename to {clean_name(change.path)}")


def count_by_folder(changes: Iterable[tuple[str, Change]]) -> Iterator[FileDiff]:
    """Count the changes by the folder that stands before each: nobody reads those of a package tool."""
    tops: dict[str, Counter[str]] = defaultdict(Counter)
    for top, change in changes:
        tops[top]["created" if change.was is None else "changed" if change.left else "deleted"] += 1
    for top, words in sorted(tops.items()):
        told = ", ".join(f"{number} {word}" for word, number in sorted(words.items()))
        yield FileDiff(top, (DiffLine("note", f"{top}/: {told}"),))


def _format_metadata(change: Change) -> Iterator[DiffLine]:
    was, left, path = change.was, change.left, clean_name(change.path)
    if was and left and was[0] != left[0] and stat.S_IFMT(was[0]) == stat.S_IFMT(left[0]):
        modes = f"{stat.S_IMODE(was[0]):o} to {stat.S_IMODE(left[0]):o}"
        yield DiffLine("note", f"{path}: mode {modes}")
    for state, word in ((was, "removed"), (left, "created")):
        if is_folder(state) and not is_folder(left if state is was else was):
            yield DiffLine("note", f"{path}/: folder {word}")


def _format_content(change: Change, read: Read) -> Iterator[DiffLine]:
    states = [state if state and state[1] else None for state in (change.was, change.left)]
    if states[0] and states[1] and states[0][1] == states[1][1]:
        return
    if any(map(is_placeholder, states)):
        yield DiffLine("note", f"{clean_name(change.path)}: too large, not kept")
        return
    contents = [read(state[1]) if state else b"" for state in states]
    if not any(states):
        return
    if any(_is_binary(content) for content in contents):
        sizes = [f"{len(c)} bytes" if s else "nothing" for c, s in zip(contents, states, strict=True)]
        yield DiffLine("note", f"{clean_name(change.path)}: binary or large, {' to '.join(sizes)}")
        return
    names = [
        _quote_name(f"{side}/{_link_prefix(state)}{change.path}") if state else "/dev/null"
        for side, state in zip("ab", states, strict=True)
    ]
    yield from _unified_diff(contents, names)


def _link_prefix(state: State) -> str:
    return "link " if stat.S_ISLNK(state[0]) else ""


def _quote_name(name: str) -> str:
    """Give a name as git and patch read it: what would leave its line is written out, in quotes; behind one
    with blanks stands a tab, else patch ends it at the first.
    """
    if any(character < " " for character in name):
        return f'"{name.translate(_WRITTEN)}"'
    return f"{name}\t" if " " in name else name


def _is_binary(content: bytes) -> bool:
    return len(content) > LARGEST or b"\0" in content[:8000]


def diff_contents(path: str, old: bytes, new: bytes) -> tuple[DiffLine, ...]:
    """Give the unified diff of a file that is to be replaced; a note alone for what is no text."""
    if _is_binary(old) or _is_binary(new):
        return (DiffLine("note", f"{clean_name(path)}: binary or large, {len(old)} to {len(new)} bytes"),)
    return tuple(_unified_diff((old, new), (_quote_name(f"a/{path}"), _quote_name(f"b/{path}"))))


def count_lines(lines: Iterable[DiffLine]) -> tuple[int, int]:
    """Count the lines that a diff adds, and those that it removes."""
    tones = Counter(line.tone for line in lines)
    return tones["added"], tones["removed"]


def count_line_changes(
    changes: Sequence[Change], read: Callable[[State | None], bytes]
) -> tuple[LineCount, ...]:
    """Count, file by file, the lines that changes have added and removed; a text that came is all new."""
    by_path = {change.path: change for change in changes}
    return tuple(_count_file_lines(file, by_path[file.path], read) for file in list_file_changes(changes))


def _count_file_lines(file: FileChange, change: Change, read: Callable[[State | None], bytes]) -> LineCount:
    if file.action == "renamed" or is_placeholder(change.was) or is_placeholder(change.left):
        return LineCount(file)
    old, new = read(change.was), read(change.left)
    if _is_binary(old) or _is_binary(new):
        return LineCount(file)
    return LineCount(file, *count_lines(_unified_diff((old, new), ("a", "b"))))


def _unified_diff(contents: Sequence[bytes], names: Sequence[str]) -> Iterator[DiffLine]:
    old, new = map(_split_lines, contents)
    yield DiffLine("head", f"--- {names[0]}")
    yield DiffLine("head", f"+++ {names[1]}")
    head, tail = _count_common_ends(old, new)
    first, last = max(head - CONTEXT, 0), max(tail - CONTEXT, 0)
    before, after = old[first : len(old) - last], new[first : len(new) - last]
    for group in _group_changes(before, after):
        spans = [
            _format_range(first + begin, end - begin)
            for begin, end in ((group[0][1], group[-1][2]), (group[0][3], group[-1][4]))
        ]
        yield DiffLine("place", f"@@ -{spans[0]} +{spans[1]} @@")
        for tag, a, b, c, d in group:
            for tone, sign, lines in TONES[tag == "equal"]:
                for text in (before[a:b], after[c:d])[lines]:
                    shown, _, rest = text.partition("\n")
                    yield DiffLine(tone, sign + shown)
                    if rest:
                        yield DiffLine("same", rest)


def _split_lines(content: bytes) -> list[str]:
    lines = [os.fsdecode(line) for line in content.split(b"\n")]
    # What is behind the last newline is empty, or a line that has none.
    if lines[-1]:
        lines[-1] += f"\n{NO_NEWLINE}"
    else:
        lines.pop()
    return lines


def _count_common_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Count the lines at the beginning and, of the rest, at the end that are the same."""
    head = _count_common_prefix(old, new)
    return head, _count_common_prefix(old[head:][::-1], new[head:][::-1])


def _count_common_prefix(old: Sequence[str], new: Sequence[str]) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)))


def _group_changes(old: list[str], new: list[str]) -> Iterable[list[tuple[str, int, int, int, int]]]:
    """Give the changes, those that are near to one another together."""
    there = Counter(new)
    if len(old) + len(new) <= MOST and sum(there[line] for line in old) <= ALIKE:
        return difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT)
    head, tail = _count_common_ends(old, new)
    a, b = len(old) - tail, len(new) - tail
    whole = [("equal", 0, head, 0, head), ("replace", head, a, head, b), ("equal", a, len(old), b, len(new))]
    return [whole] if old != new else []


def _format_range(begin: int, length: int) -> str:
    """Write a range as diff(1) does: its first line counts from 1, that of an empty one from 0."""
    return f"{begin + 1}" if length == 1 else f"{begin + bool(length)},{length}"
