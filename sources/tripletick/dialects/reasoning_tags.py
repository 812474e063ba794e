"""The marks that models put around their reasoning, and where they count.

Covered: tags in the text (`<think>` and its kin), the channels of gpt-oss, also with their special tokens
stripped. Not covered: what a reply does besides thinking (fence/), and the reasoning that an API keeps apart.
"""

# ruff: noqa: RUF001 - the signs that end a sentence in any script

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tripletick.system.lazy_regex import lazy_regex

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


def _compile_any(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, words)), re.IGNORECASE)


OPENING = _compile_any(TAGS)
CLOSING = _compile_any(TAGS.values())
_CLOSER = {opening.lower(): closing.lower() for opening, closing in TAGS.items()}

HARMONY = lazy_regex(
    r"(?:<\|start\|>[^<|]*)?<\|channel\|>\s*(?P<name>\w+)"
    r"(?P<to>[^<|]*(?:<\|constrain\|>[^<|]*)?)<\|message\|>"
)
HARMONY_END = lazy_regex(r"<\|(?:end|start|channel|call|return)\|>")
_HEADLESS = lazy_regex(r"(?P<name>analysis|commentary|final)(?P<to>[^<|\n]*)<\|message\|>")
_BARE_ANALYSIS = lazy_regex(r"analysis(?=[^\W\d_a-z])")
_TICKS = lazy_regex("`+")
FENCE_HEAD = rf"(?:[{BLANKS}>]|(?:[-*+]|\d{{1,9}}[.)])(?=[{BLANKS}]))*+"
"""What may stand before a fence in its line: blanks, `>` and list markers."""
FENCE_RUN = "`{3,}|~{3,}"
_FENCE = lazy_regex(f"{FENCE_HEAD}(?:{FENCE_RUN})")
_SENTENCE = frozenset(".!?:…。！？：")
_QUOTES = frozenset("\"'“”‘’«»„「」『』()（）")
_GOES_ON = frozenset(",;.:!?)]，、；")
_RUNS = ("```", "~~~")
NEAR = 200
"""Characters around a tag that tell whether it is one or a word."""
BARE_FINAL = "assistantfinal"


def find_opening(line: str) -> re.Match[str] | None:
    """Find an opening tag that begins the line; blanks before it do not matter."""
    return OPENING.match(line, len(line) - len(line.lstrip(BLANKS)))


def find_closer(opening: str) -> str:
    """Name the closing tag, in lower case."""
    return _CLOSER[opening.lower()]


def match_channel_header(text: str, start: int, *, first: bool) -> re.Match[str] | None:
    """Find a channel's header; only at the very beginning of a reply the tokens before its name may be
    missing."""
    return HARMONY.match(text, start) or (_HEADLESS.match(text, start) if first else None)


def match_bare_analysis(text: str, start: int) -> re.Match[str] | None:
    """Find the word that is left of gpt-oss' header once the special tokens are dropped."""
    return _BARE_ANALYSIS.match(text, start)


def find_outside_spans(pattern: re.Pattern[str], line: str) -> Iterator[re.Match[str]]:
    """Find `pattern` where no code span is around it; a fence that begins the line opens none."""
    return _find_outside_code(pattern, line) if "`" in line else pattern.finditer(line)


def _find_outside_code(pattern: re.Pattern[str], line: str) -> Iterator[re.Match[str]]:
    fence = _FENCE.match(line)
    at = fence.end() if fence else 0
    spans = _find_code_spans(line, at)
    inside = 0
    for match in pattern.finditer(line, at):
        while inside < len(spans) and spans[inside][1] <= match.start():
            inside += 1
        if inside == len(spans) or match.start() < spans[inside][0]:
            yield match


def _find_code_spans(line: str, start: int) -> list[Span]:
    """Find the code spans of a line: from a run of backticks to the next one of the same length."""
    runs = [run.span() for run in _TICKS.finditer(line, start)]
    closer: dict[int, int] = {}
    partner = [-1] * len(runs)
    for at in range(len(runs) - 1, -1, -1):
        length = runs[at][1] - runs[at][0]
        partner[at] = closer.get(length, -1)
        closer[length] = at
    spans: list[Span] = []
    at = 0
    while at < len(runs):
        other = partner[at]
        if other >= 0:
            spans.append((runs[at][0], runs[other][1]))
        at = max(other, at) + 1
    return spans


def is_at_line_start(shown: str, line: str, found: re.Match[str]) -> bool:
    """True for a tag with nothing before it but a fence; `shown` of its line was let through already."""
    head = f"{shown}{line[: found.start()]}"
    return len(head) <= NEAR and _is_line_head(head)


def _is_line_head(before: str) -> bool:
    said = before.rstrip(BLANKS)
    if not said.endswith(_RUNS):
        return not said
    fence = _FENCE.match(said)
    return fence is not None and fence.end() == len(said)


def ends_reasoning(line: str, start: int, stop: int, *, opened: bool = False) -> bool:
    """True for a closing tag that ends reasoning whatever else the line holds, False where it may be a word.

    `line` begins where the reasoning or its line does; the tag stands from `start` to `stop`. `opened`: the
    reasoning began on this line, which models do that think in one line.
    """
    before, after = line[max(0, start - NEAR) : start], line[stop : stop + NEAR]
    rest = after.strip(BLANKS)
    if not rest:
        return True
    said = before.rstrip(BLANKS)
    if len(before) == start and (not said or (said.endswith(_RUNS) and _is_line_head(said))):
        return True
    if not said or rest[0] in _GOES_ON or (before[-1] in _QUOTES and after[0] in _QUOTES):
        return False
    if OPENING.search(before):
        return False  # both tags of a pair are named
    if (
        opened
        or said[-1] in _SENTENCE
        or said.endswith(_RUNS)
        or rest.startswith(_RUNS)
        or OPENING.match(rest)
    ):
        return True
    glued = before[-1].isalnum() and before[-1].lower() != before[-1].upper()
    return after[0] in BLANKS and (glued or rest[0].isupper())


Span = tuple[int, int]


class ReasoningTag(NamedTuple):
    """A tag of reasoning at its place in a reply."""

    start: int
    stop: int
    closer: str
    """The closing tag of its kind, in lower case."""
    opens: bool
    line: int
    """Where its line begins."""
    end: int
    """Where its line ends."""


@dataclass(slots=True)
class ClosingTags:
    """Where the closing tags of a reply are, and the opening ones that begin a line; found once."""

    tags: list[ReasoningTag] = field(default_factory=list)
    exact: list[Span] = field(default_factory=list)
    """Closing tags that are alone on a line."""
    begins: list[Span] = field(default_factory=list)
    """Closing tags that begin a line."""

    def add_line(self, line: str, start: int) -> None:
        """Note the tags of one line that begins at offset `start`."""
        end = start + len(line)
        if opened := find_opening(line):
            closer = find_closer(opened[0])
            self.tags.append(
                ReasoningTag(start + opened.start(), start + opened.end(), closer, True, start, end)
            )
        for match in find_outside_spans(CLOSING, line):
            at, stop = match.span()
            self.tags.append(ReasoningTag(start + at, start + stop, match[0].lower(), False, start, end))
            if not line[max(0, at - NEAR) : at].strip(BLANKS) and not line[:at].strip(BLANKS):
                self.begins.append((start + at, start + stop))
                if not line[stop:].strip(BLANKS):
                    self.exact.append((start + at, start + stop))

    def find_end(self, text: str, closer: str, start: int, *, cut: bool) -> Span | None:
        """Find where reasoning ends that began at `start`.

        It is the first tag of its own kind that is no word. Without one, or where an opening tag of its kind
        begins a line before that, it is the first tag that may be a word or of another kind. In an answer
        that was cut a better one may have been to come.
        """
        doubtful: Span | None = None
        for at in range(bisect_left(self.tags, (start,)), len(self.tags)):
            tag = self.tags[at]
            own = tag.closer == closer
            if tag.opens:
                if own and doubtful:
                    return doubtful
                continue
            sure = _is_sure_end(text, tag, start, cut=cut)
            if own and sure:
                return tag.start, tag.stop
            if doubtful is None and (own or sure):
                doubtful = tag.start, tag.stop
        return None if cut else doubtful


def _is_sure_end(text: str, tag: ReasoningTag, start: int, *, cut: bool) -> bool:
    """Judge one tag in its own line, which begins no earlier than the reasoning."""
    line = tag.line if tag.line > start else start
    near = line if line > tag.start - NEAR else tag.start - NEAR - 1  # one more where the line begins earlier
    part = text[near : min(tag.end, tag.stop + NEAR)]
    return ends_reasoning(part, tag.start - near, tag.stop - near, opened=line == start and not cut)
