"""What of a streaming reply may be shown, and as what: reasoning or text, fences included.

Covered: the same marks as in the reading, as early as they can be told. Not covered: what only a later line
tells, as a closing tag without an opening one: what was shown stays shown, only the reading decides what is
run.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator

from tripletick.dialects.fence.lines import shape_of
from tripletick.dialects.fence.terms import ASKS, QUESTION
from tripletick.dialects.thinking import (
    BARE_FINAL,
    BLANKS,
    CLOSING,
    HARMONY_END,
    OPENING,
    TAGS,
    bare_analysis,
    harmony_at,
)
from tripletick.events import Part, Text, Thought

_FINAL = re.compile(BARE_FINAL)
_BREAK = re.compile(r"[\r\n]")
_ENDS = {
    CLOSING: tuple(TAGS.values()),
    HARMONY_END: tuple(f"<|{name}|>" for name in ("end", "start", "channel", "call", "return")),
    _FINAL: (BARE_FINAL,),
}
_STARTS = (*TAGS, "<|start|>", "<|channel|>")
_FIRST = ("analysis", "commentary", "final")
"""What else may begin a reply."""
_LONGEST = 200
"""Characters of a line's head that are kept to tell a fence or a header."""
_PIECE = 512
"""Characters that are looked at together: what is left of a piece is copied at each mark in it."""


Told = Generator[Part, None, bool]
"""What can be told; True where what is left may be looked at anew."""


def _beginnings(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word[:end].lower() for word in words for end in range(len(word) + 1))


_BEGUN = {pattern: _beginnings(words) for pattern, words in _ENDS.items()}
_MAY_BEGIN, _MAY_BEGIN_ALL = _beginnings(_STARTS), _beginnings((*_STARTS, *_FIRST))
_SIGN = max(map(len, (*_STARTS, *(word for words in _ENDS.values() for word in words))))
_MAY_END = re.compile(rf"[{re.escape(''.join({word[0] for words in _ENDS.values() for word in words}))}]")
_SIGNS = frozenset(word[0] for word in _STARTS)
"""Only behind one of these can reasoning begin that is not at the beginning of a reply."""


class Display:
    """Splits a stream into `Thought` and `Text`."""

    def __init__(self, *, thinking: bool) -> None:
        self._ends: re.Pattern[str] | None = CLOSING if thinking else None
        """What ends the reasoning, None outside it."""
        self._held = ""
        self._head = ""
        """The beginning of the line at hand, as far as it was let through."""
        self._first = self._start = True
        """At the beginning of the reply, of a line."""
        self._opened_here = thinking
        self._fence: tuple[str, int] | None = None
        self._asked = False
        """A question to the user has begun; it is not shown as text."""

    def feed(self, piece: str) -> Iterator[Part]:
        """Yield what of this piece, and of what was held back, can be told."""
        for at in range(0, len(piece), _PIECE):
            self._held += piece[at : at + _PIECE]
            more = True
            while more and self._held:
                more = yield from self._think() if self._ends else self._talk()

    def flush(self) -> Iterator[Part]:
        """Yield what was held back; the reply has ended."""
        held, self._held = self._held, ""
        if held and not self._ends and self._asks(f"{self._head}{held}"):
            return
        if held and not (self._ends and self._ends.search(held)):
            yield Thought(held) if self._ends else Text(held)

    # reasoning

    def _think(self) -> Told:
        """Go through one line of reasoning."""
        ends = self._ends or CLOSING
        if self._first and (opened := OPENING.match(self._held)):
            self._held = self._held[opened.end() :]
        self._first = False
        end = _BREAK.search(self._held)
        line, below = (self._held[: end.end()], self._held[end.end() :]) if end else (self._held, "")
        found = ends.search(line)
        if found is None:
            keep = _overlap(line, _BEGUN[ends])
            yield from self._thought(line[: len(line) - keep], line[len(line) - keep :] + below)
            return bool(below)
        rest = line[found.end() :].lstrip(BLANKS)
        counts = ends is not CLOSING or self._opened_here or rest[:1] in ("\r", "\n")
        counts = counts or not (self._head + line[: found.start()]).rpartition("\n")[2].strip(BLANKS)
        if not counts and not rest:
            yield from self._thought(line[: found.start()], line[found.start() :])
            return False
        said = line[: found.start() if counts else found.end()]
        yield from self._thought(said, line[found.end() :] + below)
        if counts:
            self._end_thought(found[0])
        return True

    def _end_thought(self, sign: str) -> None:
        self._ends, self._start, self._head = None, True, ""
        if sign in ("<|start|>", "<|channel|>"):
            self._held = sign + self._held

    def _thought(self, said: str, held: str) -> Iterator[Part]:
        self._held = held
        if _BREAK.search(said):
            self._opened_here, self._head = False, ""
        self._head = (self._head + said)[-_LONGEST:]
        if said:
            yield Thought(said)

    # text

    def _talk(self) -> Told:
        """Go through text up to where reasoning begins: the lines that have ended, then what is begun."""
        held, at, end = ("" if self._asked else self._held), 0, 0
        *lines, begun = _BREAK.split(held)
        for line in lines:
            if self._start and (end := self._begins_thought(line)):
                break
            if self._asks(f"{self._head}{line}"):
                break
            self._first = False
            self._follow_fence(f"{self._head}{line}")
            self._head, self._start = "", True
            at += len(line) + 1
        else:
            end = self._begins_thought(begun) if self._start else 0
        if at:
            yield Text(held[:at])
        self._held = "" if self._asked else held[at + end :]
        if self._asked or end or not begun or (self._start and self._may_begin(begun)):
            return end > 0
        yield from self._say(begun)
        return False

    def _say(self, begun: str) -> Iterator[Part]:
        """Let the beginning of a line through."""
        self._first = self._start = False
        self._held = ""
        if len(self._head) < _LONGEST:
            self._head += begun[:_LONGEST]
        yield Text(begun)

    def _begins_thought(self, line: str) -> int:
        """Switch to reasoning where its sign begins the line; gives where that sign ends, 0 without one."""
        at = len(line) - len(line.lstrip(BLANKS))
        if self._fence or not (self._first or line[at : at + 1] in _SIGNS):
            return 0
        ends, found = CLOSING, OPENING.match(line, at)
        if found is None and (found := harmony_at(line, at, first=self._first)):
            ends = HARMONY_END
        if found is None and self._first and (found := bare_analysis(line, at)):
            ends = _FINAL
        if found is None:
            return 0
        final = ends is HARMONY_END and found["name"] == "final"
        self._ends = None if final else ends
        self._head, self._first, self._opened_here = "", False, True
        return found.end()

    def _may_begin(self, begun: str) -> bool:
        """True while the beginning of a line may still become such a sign."""
        held = begun.lstrip(BLANKS)
        if self._fence is None and QUESTION.startswith(held.lstrip("#*_`[ ")[: len(QUESTION)]):
            return True
        if self._fence or len(held) > _LONGEST:
            return False
        if held.startswith(("<|start|>", "<|channel|>")) and "<|message|>" not in held:
            return True
        return held.lower() in (_MAY_BEGIN_ALL if self._first else _MAY_BEGIN)

    def _asks(self, line: str) -> bool:
        """Tell whether a question to the user begins here: whoever asks it shows it."""
        self._asked = self._asked or (self._fence is None and QUESTION in line and bool(ASKS.match(line)))
        return self._asked

    def _follow_fence(self, line: str) -> None:
        mark = shape_of(line[:_LONGEST], markers=True)
        if mark is None or mark.quoted or (self._fence and mark.listed):
            return
        if self._fence is None:
            self._fence = (mark.char, mark.run) if mark.opens else None
        elif mark.char == self._fence[0] and mark.run >= self._fence[1]:
            self._fence = None if mark.ends else self._fence


def _overlap(text: str, begun: frozenset[str]) -> int:
    """Length of the longest end of `text` that begins one of the words."""
    tail = text[-_SIGN:].lower()
    found = (len(tail) - at.start() for at in _MAY_END.finditer(tail) if tail[at.start() :] in begun)
    return next(found, 0)
