"""What of a streaming reply with tags is shown: a call as a block, an answer without its tags.

A preview: a call's closing tag ends its block here also where it stands in a text. Not covered: what is
reasoning (fence/display), what is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tripletick.events import Text

FENCE = "``````"
_OPENS = re.compile(
    r"<(?P<kind>tool|tool_call|function_call|function)(?:=[^<>\s]+)?\s*>|</?answer\s*>", re.IGNORECASE
)
_BEGINS = re.compile(r"</?[a-z_]*(?:=[^<>\s]*)?\s*$", re.IGNORECASE)
LONGEST = 40
"""Characters of the beginning of a tag that are held back."""


class TagDisplay:
    """Takes the text of a reply, piece by piece, and gives what is shown of it."""

    def __init__(self) -> None:
        self._held = ""
        self._closing: re.Pattern[str] | None = None
        self._fresh = True
        """At the beginning of a line."""

    def feed(self, text: str) -> Iterator[Text]:
        """Give what can be told so far."""
        self._held += text
        while found := (self._closing or _OPENS).search(self._held):
            yield from self._handle_tag(found)
        begun = _BEGINS.search(self._held, max(0, len(self._held) - LONGEST))
        yield from self._emit_held(begun.start() if begun else len(self._held))

    def flush(self) -> Iterator[Text]:
        """Give what was held back; the reply has ended."""
        yield from self._emit_held(len(self._held))

    def _handle_tag(self, found: re.Match[str]) -> Iterator[Text]:
        kind = found.groupdict().get("kind")
        if self._closing:
            self._closing = None
            yield from self._emit_held(found.end())
            yield from self._emit_line(f"{FENCE}\n")
        elif kind:
            self._closing = re.compile(rf"</{kind}\s*>", re.IGNORECASE)
            yield from self._emit_held(found.start())
            yield from self._emit_line(f"{FENCE}text\n")
        else:
            yield from self._emit_held(found.start())
            self._held = self._held[found.end() - found.start() :]

    def _emit_line(self, text: str) -> Iterator[Text]:
        yield Text(text if self._fresh else f"\n{text}")
        self._fresh = True

    def _emit_held(self, until: int) -> Iterator[Text]:
        said, self._held = self._held[:until], self._held[until:]
        if said:
            self._fresh = said.endswith("\n")
            yield Text(said)
