"""Which parts of a reply are reasoning and which are text, as offsets in their order."""

from __future__ import annotations


class ReplySpans:
    """Collects the parts of one reply; adding one is cheap however many there are."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._from = 0
        """Where the text goes on that is not reasoning."""
        self._done: list[str] = []
        """Reasoning without an opening tag, complete."""
        self._parts: list[tuple[bool, int, int]] = []
        """What came since: reasoning or not, from, to."""

    def end_text(self, offset: int, resume: int) -> None:
        """End the text at an offset; what follows up to `resume` is a mark of ours and neither."""
        if self._from < offset:
            self._parts.append((False, self._from, offset))
        self._from = resume

    def add_reasoning(self, start: int, stop: int, resume: int) -> None:
        """Note reasoning; text goes on at `resume`."""
        self._parts.append((True, start, stop))
        self._from = resume

    def mark_all_reasoning(self, stop: int, resume: int) -> None:
        """Turn all that came before into one part of reasoning."""
        self.end_text(stop, resume)
        self._done.append("".join(self._text[a:b] for _, a, b in self._parts))
        self._parts = []

    def join_reasoning(self, until: int) -> str | None:
        """Give the reasoning, its parts joined by a blank line."""
        here = (self._text[a:b] for thought, a, b in self._parts if thought and a < until)
        parts = [part.strip() for part in (*self._done, *here)]
        return "\n\n".join(filter(None, parts)) or None

    def join_text(self, until: int) -> str:
        """Give the raw reply without its reasoning, up to where the model played another part."""
        said = [self._text[a : min(b, until)] for thought, a, b in self._parts if not thought and a < until]
        kept = "".join(said)
        if self._done or len(said) < len(self._parts):
            kept = kept.lstrip("\r\n")
        return kept if until == len(self._text) else kept.rstrip()
