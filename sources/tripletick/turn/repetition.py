"""Notices that a model writes the same lines for ever, so that its reply can be hung up on.

Exact repetition alone: a list that counts up, or rows of a table with other words, is no repetition. What is
told to person and model is in replies.
"""

from __future__ import annotations

import re

LEAST = 1500
"""Characters in a row that are one piece again and again. A rule, a frame of ASCII art, a refrain are
shorter; a model that is stuck goes on to its token limit, for minutes on a small machine."""
LONGER = 4000
"""The same for pieces that are too long to stand there TIMES in so few."""
IN_CODE = 6000
"""The same inside one fence: tables of zeros and padding are code too."""
TIMES = 6
"""The piece stands there at least so often."""
STEP = 256
"""Characters between two looks."""
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


class RepetitionDetector:
    """One reply while it streams: `add` says when to hang up, `kept` gives what is worth keeping."""

    def __init__(self) -> None:
        self._text, self._new = "", ""
        self._line = 0
        """Where the first line begins that was not looked at for a fence."""
        self._open = ""
        self._opened = 0
        self._cut: int | None = None

    def add_text(self, piece: str) -> bool:
        """Take the next piece; True once it only repeats what was there."""
        self._new += piece
        if len(self._new) < STEP:
            return False
        self._text, self._new = self._text + self._new, ""
        self._track_fences()
        return self._is_stuck()

    def get_kept_text(self) -> str:
        """Give the text, cut behind the first of the equal pieces where there are some."""
        return (self._text + self._new)[: self._cut]

    def _track_fences(self) -> None:
        while (end := self._text.find("\n", self._line)) >= 0:
            found = FENCE.match(self._text, self._line, end)
            if found and not self._open:
                self._open, self._opened = found[1], end + 1
            elif found and found[1].startswith(self._open) and not found[2].strip():
                self._open = ""
            self._line = end + 1

    def _is_stuck(self) -> bool:
        ends = (self._text[-least:] for least in (LEAST, LONGER) if len(self._text) >= least)
        length = next(filter(None, map(find_period, ends)), 0)
        if not length:
            return False
        start = find_run_start(self._text, length)
        inside = self._open and self._opened <= start + length
        if inside and len(self._text) - start < IN_CODE:
            return False
        line = self._text.find("\n", start + length - 1, start + 2 * length)
        self._cut = line + 1 if line >= 0 else start + length
        return True


def find_period(text: str) -> int:
    """Give the length of the piece that the whole text repeats at least TIMES; 0 where there is none."""
    most = len(text) // TIMES
    head = text[: len(text) - most]
    at = text.find(head, 1)
    while at > 0 and text[at:] != text[:-at]:
        at = text.find(head, at + 1)
    return max(at, 0)


def find_run_start(text: str, length: int) -> int:
    """Give where the repetition at the end of the text begins."""
    start = len(text) - length
    while start and text[start - 1] == text[start - 1 + length]:
        start -= 1
    return start
