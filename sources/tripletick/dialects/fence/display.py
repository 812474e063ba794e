"""What of a streaming reply may be shown, and as what: reasoning or text, fences included.

Covered: the same marks as in the reading, as early as they can be told. Not covered: what only a later line
tells, as a closing tag without an opening one: what was shown stays shown, only the reading decides what is
run.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from tripletick.dialects.fence.lines import parse_shape
from tripletick.dialects.fence.parse_options import ASKS, QUESTION
from tripletick.dialects.fence.reasoning_stream import BREAK, ReasoningStream, count_overlap, list_prefixes
from tripletick.dialects.reasoning_tags import (
    BARE_FINAL,
    BLANKS,
    FENCE_RUN,
    HARMONY_END,
    OPENING,
    TAGS,
    find_closer,
    match_bare_analysis,
    match_channel_header,
)
from tripletick.events import Part, Text, Thought
from tripletick.system.lazy_regex import lazy_regex

_FINAL = lazy_regex(BARE_FINAL)
_ENDS = {
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


_BEGUN = {pattern: list_prefixes(words) for pattern, words in _ENDS.items()}
_MAY_BEGIN, _MAY_BEGIN_ALL = list_prefixes(_STARTS), list_prefixes((*_STARTS, *_FIRST))
_MAY_BEGIN_TAG = list_prefixes(TAGS)
_FENCES = "`~"
_RUN = lazy_regex(rf"[{BLANKS}]*({FENCE_RUN})[{BLANKS}]*")
_SIGNS = frozenset(word[0] for word in _STARTS)
"""Only behind one of these can reasoning begin that is not at the beginning of a reply."""
_SIGN_IN = lazy_regex(f"[{re.escape(''.join(sorted(_SIGNS)))}]")


class StreamDisplay:
    """Splits a stream into `Thought` and `Text`."""

    def __init__(self, *, thinking: bool) -> None:
        self._passage = ReasoningStream("</think>", may_open=True) if thinking else None
        """The reasoning at hand, None outside it."""
        self._ends: re.Pattern[str] | None = None
        """What ends a channel of gpt-oss, None outside of them."""
        self._held = ""
        self._head = ""
        """The beginning of the line at hand, as far as it was let through."""
        self._first = self._start = True
        """At the beginning of the reply, of a line."""
        self._fence: tuple[str, int] | None = None
        self._asked = False
        """A question to the user has begun; it is not shown as text."""

    def feed(self, piece: str) -> Iterator[Part]:
        """Yield what of this piece, and of what was held back, can be told."""
        for at in range(0, len(piece), _PIECE):
            self._held += piece[at : at + _PIECE]
            more = True
            while more and self._held:
                if self._passage:
                    more = yield from self._feed_reasoning(self._passage)
                else:
                    more = yield from self._feed_channel(self._ends) if self._ends else self._feed_text()

    def flush(self, *, cut: bool = False) -> Iterator[Part]:
        """Yield what was held back; the reply has ended, as it was meant to or cut off."""
        while self._passage:
            yield from map(Thought, self._passage.close(cut=cut))
            rest = self._passage.rest
            if rest is None:
                return
            self._end_reasoning()
            yield from self.feed(rest)
        held, self._held = self._held, ""
        if held and not self._ends and self._detect_question(f"{self._head}{held}"):
            return
        if held and not (self._ends and self._ends.search(held)):
            yield Thought(held) if self._ends else Text(held)

    # reasoning

    def _feed_reasoning(self, passage: ReasoningStream) -> Told:
        held, self._held, self._first = self._held, "", False
        yield from map(Thought, passage.feed(held))
        if passage.rest is None:
            return False
        self._held = passage.rest
        self._end_reasoning()
        return True

    def _feed_channel(self, ends: re.Pattern[str]) -> Told:
        """Go through one line of a channel."""
        end = BREAK.search(self._held)
        line, below = (self._held[: end.end()], self._held[end.end() :]) if end else (self._held, "")
        found = ends.search(line)
        keep = 0 if found else count_overlap(line, _BEGUN[ends])
        said = line[: found.start() if found else len(line) - keep]
        self._held = line[found.end() if found else len(line) - keep :] + below
        if said:
            yield Thought(said)
        if found:
            self._end_reasoning()
            self._held = found[0] * (found[0] in ("<|start|>", "<|channel|>")) + self._held
        return bool(found or below)

    def _end_reasoning(self) -> None:
        self._passage = self._ends = self._fence = None
        self._start, self._head = True, ""

    # text

    def _feed_text(self) -> Told:
        """Go through text up to where reasoning begins: the lines that have ended, then what is begun."""
        held, at, shown, end, begun = ("" if self._asked else self._held), 0, 0, 0, ""
        # Not all at once: mostly the first lines tell, and what is below a sign is looked at anew.
        for line_end in BREAK.finditer(held):
            line = held[at : line_end.start()]
            if self._start and (sign := self._try_begin_reasoning(line)):
                shown, end = sign
                break
            if self._detect_question(f"{self._head}{line}"):
                break
            self._first = False
            self._track_fence(f"{self._head}{line}")
            self._head, self._start = "", True
            at = line_end.end()
        else:
            begun = held[at:]
            shown, end = (self._start and self._try_begin_reasoning(begun)) or (0, 0)
        if at + shown:
            yield Text(held[: at + shown])
        self._held = "" if self._asked else held[at + end :]
        if self._asked or end or not begun or (self._start and self._may_begin_reasoning(begun)):
            return end > 0
        yield from self._emit_text(begun)
        return False

    def _emit_text(self, begun: str) -> Iterator[Part]:
        """Let the beginning of a line through."""
        self._first = self._start = False
        self._held = ""
        if len(self._head) < _LONGEST:
            self._head += begun[:_LONGEST]
        yield Text(begun)

    def _try_begin_reasoning(self, line: str) -> tuple[int, int] | None:
        """Switch to reasoning where its sign begins the line, or stands behind a closing fence; gives where
        the text before it and the sign end."""
        at, run = len(line) - len(line.lstrip(BLANKS)), 0
        head = line[at : at + 1]
        if head and head in _FENCES and len(line) > at + 3 and _SIGN_IN.search(line):
            at = run = self._find_fence_end(line)
        if run == 0 and (self._fence or not (self._first or head in _SIGNS)):
            return None
        found = OPENING.match(line, at)
        if found:
            self._passage = ReasoningStream(find_closer(found[0]))
        elif run or not (found := self._try_begin_channel(line, at)):
            return None
        self._head, self._first, self._fence = "", False, None
        return run, found.end()

    def _try_begin_channel(self, line: str, at: int) -> re.Match[str] | None:
        if found := match_channel_header(line, at, first=self._first):
            self._ends = None if found["name"] == "final" else HARMONY_END
        elif self._first and (found := match_bare_analysis(line, at)):
            self._ends = _FINAL
        return found

    def _find_fence_end(self, line: str) -> int:
        """Give where a fence ends that begins the line and opens nothing, with the blanks behind it."""
        run = _RUN.match(line)
        if run is None:
            return 0
        closes = self._fence is None or (run[1][0] == self._fence[0] and len(run[1]) >= self._fence[1])
        return run.end() if closes else 0

    def _may_begin_reasoning(self, begun: str) -> bool:
        """True while the beginning of a line may still become such a sign."""
        if len(begun) > _LONGEST:
            return False
        held = begun.lstrip(BLANKS)
        if self._fence is None and QUESTION.startswith(held.lstrip("#*_`[ ")[: len(QUESTION)]):
            return True
        if held and held[0] in _FENCES:
            run = self._find_fence_end(begun)
            return begun[run:].lower() in _MAY_BEGIN_TAG if run else not held.strip(held[0])
        if held.startswith(("<|start|>", "<|channel|>")) and "<|message|>" not in held:
            return self._fence is None
        return self._fence is None and held.lower() in (_MAY_BEGIN_ALL if self._first else _MAY_BEGIN)

    def _detect_question(self, line: str) -> bool:
        """Tell whether a question to the user begins here: whoever asks it shows it."""
        self._asked = self._asked or (self._fence is None and QUESTION in line and bool(ASKS.match(line)))
        return self._asked

    def _track_fence(self, line: str) -> None:
        mark = parse_shape(line[:_LONGEST], markers=True)
        if mark is None or mark.quoted or (self._fence and mark.listed):
            return
        if self._fence is None:
            opens = mark.opens and (mark.bare or not mark.ends)
            self._fence = (mark.char, mark.run) if opens else None
        elif mark.char == self._fence[0] and mark.run >= self._fence[1]:
            self._fence = None if mark.ends else self._fence
