"""The marks that models put around their reasoning, and where they count.

Covered: tags in the text (`<think>` and its kin), the channels of gpt-oss, also with their special tokens
stripped. Not covered: what a reply does besides thinking (fence/), and the reasoning that an API keeps apart.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

BLANKS = " \t\u00a0\u3000\u200b\ufeff"

TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<thoughts>": "</thoughts>",
    "<reasoning>": "</reasoning>",
    "<seed:think>": "</seed:think>",
    "[THINK]": "[/THINK]",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "◁think▷": "◁/think▷",
}


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, words)), re.IGNORECASE)


OPENING = _any_of(TAGS)
CLOSING = _any_of(TAGS.values())
_CLOSER = {opening.lower(): closing.lower() for opening, closing in TAGS.items()}

HARMONY = re.compile(
    r"(?:<\|start\|>[^<|]*)?<\|channel\|>\s*(?P<name>\w+)"
    r"(?P<to>[^<|]*(?:<\|constrain\|>[^<|]*)?)<\|message\|>"
)
HARMONY_END = re.compile(r"<\|(?:end|start|channel|call|return)\|>")
_HEADLESS = re.compile(r"(?P<name>analysis|commentary|final)(?P<to>[^<|\n]*)<\|message\|>")
_BARE_ANALYSIS = re.compile(r"analysis(?=[^\W\d_a-z])")
_FENCE = re.compile(rf"[{BLANKS}]*`{{3,}}")
BARE_FINAL = "assistantfinal"


def opening_at(line: str) -> re.Match[str] | None:
    """Find an opening tag that begins the line; blanks before it do not matter."""
    return OPENING.match(line, len(line) - len(line.lstrip(BLANKS)))


def closer_of(opening: str) -> str:
    """Name the closing tag, in lower case."""
    return _CLOSER[opening.lower()]


def harmony_at(text: str, start: int, *, first: bool) -> re.Match[str] | None:
    """Find a channel's header; only at the very beginning of a reply the tokens before its name may be
    missing."""
    return HARMONY.match(text, start) or (_HEADLESS.match(text, start) if first else None)


def bare_analysis(text: str, start: int) -> re.Match[str] | None:
    """Find the word that is left of gpt-oss' header once the special tokens are dropped."""
    return _BARE_ANALYSIS.match(text, start)


def outside_spans(pattern: re.Pattern[str], line: str) -> Iterator[re.Match[str]]:
    """Find `pattern` where no code span is open on the line; a fence that begins it opens none."""
    fence = _FENCE.match(line)
    at, ticks = fence.end() if fence else 0, 0
    for match in pattern.finditer(line, at):
        ticks += line.count("`", at, match.start())
        at = match.start()
        if ticks % 2 == 0:
            yield match


def at_edge(line: str, match: re.Match[str]) -> bool:
    """True for a tag that begins or ends its line, blanks aside."""
    first = len(line) - len(line.lstrip(BLANKS))
    return match.start() == first or match.end() == len(line.rstrip(BLANKS))


Span = tuple[int, int]


@dataclass(slots=True)
class Closings:
    """Where the closing tags of a reply are, as offsets; found once, looked up often."""

    edges: dict[str, list[Span]] = field(default_factory=dict)
    inside: dict[str, list[Span]] = field(default_factory=dict)
    """In the middle of a line."""
    exact: list[Span] = field(default_factory=list)
    """Alone on a line."""

    def add(self, line: str, start: int) -> None:
        """Note the closing tags of one line that begins at offset `start`."""
        first, last = len(line) - len(line.lstrip(BLANKS)), len(line.rstrip(BLANKS))
        for match in outside_spans(CLOSING, line):
            span = (start + match.start(), start + match.end())
            found = self.edges if match.start() == first or match.end() == last else self.inside
            found.setdefault(match[0].lower(), []).append(span)
            found.setdefault("", []).append(span)
            if (match.start(), match.end()) == (first, last):
                self.exact.append(span)

    def end_of(self, closer: str, start: int, line_end: int, *, cut: bool) -> Span | None:
        """Find where reasoning ends that began at `start`, in a line that ends at `line_end`.

        First a tag of its own kind at a line's edge, then one inside a line, then one of another kind. In an
        answer that was cut a tag inside a line counts in the first line alone: a better one may have been to
        come.
        """
        own = _next(self.edges, closer, start)
        here = _next(self.inside, closer, start)
        if here and own is None and cut and here[0] >= line_end:
            here = None
        return own or here or _next(self.edges, "", start)


def _next(found: dict[str, list[Span]], closer: str, start: int) -> Span | None:
    spans = found.get(closer, [])
    at = bisect_left(spans, (start, start))
    return spans[at] if at < len(spans) else None
