"""What of a streaming reply may be shown, and as what: reasoning or text, fences included.

Covered: the same marks as in the reading, as early as they can be told. Not covered: what only a later line
tells, as a closing tag without an opening one: what was shown stays shown, only the reading decides what is
run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tripletick.dialects.fence.blocks import CONTROL
from tripletick.dialects.fence.lines import mark_of
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
_LONGEST = 200
"""Characters of a line's head that are kept to tell a fence or a header."""


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

    def feed(self, piece: str) -> Iterator[Part]:
        """Yield what of this piece, which holds at most one line end, and of what was held back can be
        told."""
        self._held += piece
        before = None
        while self._held and before != (self._held, self._ends, self._start):
            before = (self._held, self._ends, self._start)
            yield from self._think() if self._ends else self._talk()

    def flush(self) -> Iterator[Part]:
        """Yield what was held back; the reply has ended."""
        held, self._held = self._held, ""
        if held and not (self._ends and self._ends.search(held)):
            yield Thought(held) if self._ends else Text(held)

    # reasoning

    def _think(self) -> Iterator[Part]:
        held, ends = self._held, self._ends
        if ends is None:
            return
        if self._first and (opened := OPENING.match(held)):
            held = self._held = held[opened.end() :]
        self._first = False
        found = ends.search(held)
        if found is None:
            keep = _overlap(held, _ENDS[ends])
            yield from self._thought(held[: len(held) - keep], held[len(held) - keep :])
            return
        rest = held[found.end() :].lstrip(BLANKS)
        counts = ends is not CLOSING or self._opened_here or rest[:1] in ("\r", "\n")
        counts = counts or not (self._head + held[: found.start()]).rpartition("\n")[2].strip(BLANKS)
        if not counts and not rest:
            yield from self._thought(held[: found.start()], held[found.start() :])
        elif not counts:
            yield from self._thought(held[: found.end()], held[found.end() :])
        else:
            yield from self._thought(held[: found.start()], held[found.end() :])
            self._end_thought(found[0])

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

    def _talk(self) -> Iterator[Part]:
        if self._start and self._fence is None:
            if self._begins_thought() or self._may_begin():
                return
            self._first = False
        self._start = False
        end = _BREAK.search(self._held)
        if end is None:
            yield from self._say(len(self._held))
            return
        yield from self._say(end.end())
        self._follow_fence()
        self._head, self._start = "", True

    def _say(self, until: int) -> Iterator[Part]:
        said, self._held = self._held[:until], self._held[until:]
        if len(self._head) < _LONGEST:
            self._head += said[:_LONGEST]
        yield Text(said)

    def _begins_thought(self) -> bool:
        """Switch to reasoning where its sign begins the line."""
        held, ends = self._held, CLOSING
        at = len(held) - len(held.lstrip(BLANKS))
        found = OPENING.match(held, at)
        if found is None and (found := harmony_at(held, at, first=self._first)):
            ends = HARMONY_END
        if found is None and self._first and (found := bare_analysis(held, at)):
            ends = _FINAL
        if found is None:
            return False
        self._held, self._head = held[found.end() :], ""
        final = ends is HARMONY_END and found["name"] == "final"
        self._ends = None if final else ends
        self._first, self._opened_here = False, True
        return True

    def _may_begin(self) -> bool:
        """True while the beginning of a line may still become such a sign."""
        held = self._held.lstrip(BLANKS)
        if _BREAK.search(held) or len(held) > _LONGEST:
            return False
        if held.startswith(("<|start|>", "<|channel|>")) and "<|message|>" not in held:
            return True
        words = (*_STARTS, "analysis", "commentary", "final") if self._first else _STARTS
        low = held.lower()
        return any(word.lower().startswith(low) for word in words)

    def _follow_fence(self) -> None:
        mark = mark_of(0, self._head.rstrip("\r\n"), 0, markers=self._fence is None)
        if mark is None or mark.quoted:
            return
        if self._fence is None:
            self._fence = (mark.char, mark.run) if mark.opens else None
        elif mark.char == self._fence[0] and mark.run >= self._fence[1]:
            closes = mark.bare or CONTROL.match(mark.info)
            self._fence = None if closes else self._fence


def _overlap(text: str, words: tuple[str, ...]) -> int:
    """Length of the longest end of `text` that begins one of the words."""
    tail = text[-max(map(len, words)) :].lower()
    return next(
        (
            len(tail) - at
            for at in range(len(tail))
            if any(word.lower().startswith(tail[at:]) for word in words)
        ),
        0,
    )
