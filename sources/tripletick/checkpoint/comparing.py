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

from tripletick.checkpoint.turns import is_folder, is_mark, renames
from tripletick.checkpoint.values import Change, State
from tripletick.session import clean_name

LARGEST = 1 << 20
"""Bytes of a file that is compared line by line; difflib takes the square of the lines at worst."""
NO_NEWLINE = "\\ No newline at end of file"

_WRITTEN = {code: f"\\{code:03o}" for code in (*range(0x20), ord('"'), ord("\\"))}

Tone = Literal["head", "added", "removed", "place", "same", "note"]
SIGNS: dict[str, Tone] = {"+": "added", "-": "removed", "@": "place"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a diff, without its newline."""

    tone: Tone
    text: str


@dataclass(frozen=True, slots=True)
class Compared:
    """One path and what was done to it."""

    path: str
    lines: tuple[Line, ...]


Read = Callable[[str], bytes]


def compared(changes: Sequence[Change], now: Callable[[str], State | None], read: Read) -> Iterator[Compared]:
    """Compare the two states of each path; one that was only renamed has no lines but those that say so.

    Raises OSError where a content is not kept any more.
    """
    moved = renames(changes)
    old = set(moved.values())
    for change in changes:
        if change.path not in old:
            lines = [*_renamed(change, moved), *_heads(change)]
            if change.was or change.path not in moved:
                lines += _body(change, read)
            if now(change.path) != change.left and not is_folder(change.left):
                lines.append(Line("note", f"{clean_name(change.path)}: changed again since"))
            yield Compared(change.path, tuple(lines))


def _renamed(change: Change, moved: Mapping[str, str]) -> Iterator[Line]:
    if change.path in moved:
        yield Line("head", f"rename from {clean_name(moved[change.path])}")
        yield Line("head", f"rename to {clean_name(change.path)}")


def counted(changes: Iterable[tuple[str, Change]]) -> Iterator[Compared]:
    """Count the changes by the folder that stands before each: nobody reads those of a package tool."""
    tops: dict[str, Counter[str]] = defaultdict(Counter)
    for top, change in changes:
        tops[top]["created" if change.was is None else "changed" if change.left else "deleted"] += 1
    for top, words in sorted(tops.items()):
        told = ", ".join(f"{number} {word}" for word, number in sorted(words.items()))
        yield Compared(top, (Line("note", f"{top}/: {told}"),))


def _heads(change: Change) -> Iterator[Line]:
    was, left, path = change.was, change.left, clean_name(change.path)
    if was and left and was[0] != left[0] and stat.S_IFMT(was[0]) == stat.S_IFMT(left[0]):
        modes = f"{stat.S_IMODE(was[0]):o} to {stat.S_IMODE(left[0]):o}"
        yield Line("note", f"{path}: mode {modes}")
    for state, word in ((was, "removed"), (left, "created")):
        if is_folder(state) and not is_folder(left if state is was else was):
            yield Line("note", f"{path}/: folder {word}")


def _body(change: Change, read: Read) -> Iterator[Line]:
    states = [None if is_folder(state) else state for state in (change.was, change.left)]
    if states[0] and states[1] and states[0][1] == states[1][1]:
        return
    if any(map(is_mark, states)):
        yield Line("note", f"{clean_name(change.path)}: too large, not kept")
        return
    contents = [read(state[1]) if state else b"" for state in states]
    if not any(states):
        return
    if any(_is_binary(content) for content in contents):
        sizes = [f"{len(c)} bytes" if s else "nothing" for c, s in zip(contents, states, strict=True)]
        yield Line("note", f"{clean_name(change.path)}: binary or large, {' to '.join(sizes)}")
        return
    names = [
        _quoted(f"{side}/{_kind(state)}{change.path}") if state else "/dev/null"
        for side, state in zip("ab", states, strict=True)
    ]
    yield from _unified(contents, names)


def _kind(state: State) -> str:
    return "link " if stat.S_ISLNK(state[0]) else ""


def _quoted(name: str) -> str:
    """Give a name as git and patch read it: what would leave its line is written out, in quotes."""
    return f'"{name.translate(_WRITTEN)}"' if any(character < " " for character in name) else name


def _is_binary(content: bytes) -> bool:
    return len(content) > LARGEST or b"\0" in content[:8000]


def _unified(contents: list[bytes], names: list[str]) -> Iterator[Line]:
    old, new = ([os.fsdecode(line) for line in content.split(b"\n")] for content in contents)
    for lines in (old, new):
        # What is behind the last newline is empty, or a line that has none.
        if lines[-1]:
            lines[-1] += f"\n{NO_NEWLINE}"
        else:
            lines.pop()
    yield Line("head", f"--- {names[0]}")
    yield Line("head", f"+++ {names[1]}")
    for text in list(difflib.unified_diff(old, new, lineterm=""))[2:]:
        first, _, rest = text.partition("\n")
        yield Line(SIGNS.get(first[:1], "same"), first)
        if rest:
            yield Line("same", rest)
