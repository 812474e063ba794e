"""Which of the calls in a reply's text count, and what is told of the others.

Reasoning, turns that leak and code fences are the walk's (fence/acting); nothing in them gets here. Not
covered: how calls are written (forms), what they mean (meaning).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from tripletick.dialects.fence.blocks import BlockEnd, FencedBlock
from tripletick.dialects.fence.call_collector import make_call_key
from tripletick.dialects.fence.content import extract_lines
from tripletick.dialects.fence.hallucinations import is_foreign_call, is_json_call
from tripletick.dialects.fence.lines import FenceMark, ReplyLines
from tripletick.dialects.fence.parse_options import ParseOptions
from tripletick.dialects.named_calls.call_resolver import CallResolver, NotACallError, find_tag
from tripletick.dialects.named_calls.expression import RawCall, UnreadableCallError
from tripletick.dialects.named_calls.forms import READERS, ParsedCalls, read_bare_json
from tripletick.dialects.named_calls.json_calls import read_calls
from tripletick.dialects.reasoning_tags import BLANKS, find_outside_spans
from tripletick.events import Text
from tripletick.messages import Call, Problem
from tripletick.system.lazy_regex import lazy_regex

IDLE = frozenset({"fenced-call", "quoted", "inline-call"})
"""Problems that are told only where nothing was a call."""
_BEGINS = lazy_regex(
    r"<(?P<kind>tool|tool_call|function_call|function(?==)|answer|observation)\b(?P<name>=[^<>\s]+)?\s*>",
    re.IGNORECASE,
)
_NEXT = lazy_regex(
    rf"[{BLANKS}]*<(?P<kind>tool|tool_call|function_call|function(?==))\b(?P<name>=[^<>\s]+)?\s*>", re.I
)
_JSON = lazy_regex(rf"(?<![^{BLANKS}])(?:\[TOOL_CALLS\]|<\|python_tag\|>)?[{BLANKS}]*(?=[{{\[])")
_MARKER = lazy_regex(rf"[{BLANKS}]*(?:(?:[-*+]|\d{{1,9}}[.)])[{BLANKS}]+)?")
_ANSWER_END = lazy_regex(r"</answer\s*>", re.IGNORECASE)

FENCE = "``````"
_OPENS = lazy_regex(
    r"<(?P<kind>tool|tool_call|function_call|function)(?:=[^<>\s]+)?\s*>|</?answer\s*>", re.IGNORECASE
)
_SHOWN_BEGINS = lazy_regex(r"</?[a-z_]*(?:=[^<>\s]*)?\s*$", re.IGNORECASE)
LONGEST = 40
"""Characters of the beginning of a tag that are held back."""


class TagCallCollector:
    """What is taken from one reply; `bare` also takes JSON that no tags are around."""

    strict = True

    def __init__(
        self, page: ReplyLines, terms: ParseOptions, meaning: CallResolver, *, bare: bool = False
    ) -> None:
        self._page, self._terms, self._meaning = page, terms, meaning
        self._bare = bare
        self.calls: list[Call] = []
        self.cut: int | None = None
        self._noted: dict[str, Problem] = {}
        self._written: set[tuple[object, ...]] = set()
        self._ended = False
        self._answer_at: int | None = None

    @property
    def answer(self) -> str | None:
        """What stands between the tags of an answer, if nothing was called before it."""
        if self._answer_at is None:
            return None
        return _ANSWER_END.split(self._page.text[self._answer_at : self.cut], maxsplit=1)[0].strip()

    def note_problem(self, code: str, line: int, **fields: str) -> None:
        told = self._meaning.make_problem(code, line, self._terms.tags, cut=self._terms.is_cut, **fields)
        self._noted.setdefault(code, told)

    def list_problems(self) -> tuple[Problem, ...]:
        """Give what counts, in the order of the lines."""
        told = [one for one in self._noted.values() if not (self.calls and one.code in IDLE)]
        return tuple(sorted(told, key=lambda one: one.line))

    def cut_invented_result(self, line: int, text: str) -> None:
        """End the reply before this line, in which the model plays the tool."""
        self.cut = self._page.starts[line]
        self.note_problem("invented-result", line, what=text.strip()[:40])

    def handle_block(self, block: FencedBlock, end: BlockEnd, *, owned: bool) -> None:
        """A fence is text; one that would be a call in another dialect is told."""
        if self.cut is not None:
            return
        if find_tag(block.info.tag, self._terms) == block.info.tag:
            self.note_problem("fenced-call", block.mark.line)
        elif end.how == "closed" and not block.info.path and self._answer_at is None:
            self._take_fenced_json(block, end)

    def _take_fenced_json(self, block: FencedBlock, end: BlockEnd) -> None:
        """Take JSON in a fence that calls tools at work, where the reply ends with it: else it may be an
        example.
        """
        text = "\n".join(extract_lines(self._page, block, end)).strip()
        below = self._page.text[self._page.ends[end.line] :].lstrip(f"{BLANKS}\r\n")
        try:
            spoken = read_calls(text, whole=False) if is_json_call(text) else []
        except UnreadableCallError:
            return
        if not spoken or any(find_tag(one.name, self._terms) is None for one in spoken):
            return
        if self._bare and not self._terms.is_cut and (not below or below.startswith(("```", "~~~"))):
            self._take_calls(ParsedCalls(0, tuple(spoken)), block.mark.line)
        else:
            self.note_foreign_call(block.mark.line)

    def note_quoted_fence(self, mark: FenceMark) -> None:
        """A fence behind `>` is text."""

    def note_foreign_call(self, line: int) -> None:
        self.note_problem("foreign-call", line)

    def scan_prose(self, line: int, words: str, text: str, offset: int) -> None:
        """Look for calls in a form that is not read here."""
        bare = words.lstrip()[:1] in ("{", "[") and is_json_call(text[offset : offset + 4000])
        if self._answer_at is None and not self._ended and (bare or is_foreign_call(words)):
            self.note_foreign_call(line)

    def take_tag_call(self, line: int, text: str) -> int | None:
        """Take what begins on this line; gives the offset behind it, None where nothing does."""
        if self._answer_at is not None:
            return self._end_answer(line, text)
        begins = next(find_outside_spans(_BEGINS, text), None)
        if begins is None and self._bare:
            begins = _JSON.match(text)
        if begins is None:
            return None
        if text.lstrip(BLANKS).startswith(">"):
            self.note_problem("quoted", line)
            return None
        return self._take_opening_tag(line, text, begins)

    def _take_opening_tag(self, line: int, text: str, begins: re.Match[str]) -> int | None:
        offset = self._page.starts[line]
        kind = begins.groupdict().get("kind", "").lower()
        led = text[: begins.start()]
        at = offset + begins.end()
        if kind in ("answer", "observation"):
            counts = _MARKER.fullmatch(led) or (kind == "answer" and self._ends_with_answer())
            return self._handle_other_tag(kind, line, at) if counts else None
        if self._ended:
            return None
        if not kind:
            found = read_bare_json(self._page.text, at, begins, True)
            return self._take_calls(found, line) if found.calls else None
        chain = list(self._read_chain(at, begins))
        if not _MARKER.fullmatch(led) and chain[-1].stop >= 0 and self._rest_of_line(chain[-1].stop):
            self.note_problem("inline-call", line)
            return self._page.ends[self._page.find_line(chain[-1].stop)]
        return [self._take_calls(found, line) for found in chain][-1]

    def _read_chain(self, at: int, begins: re.Match[str]) -> Iterator[ParsedCalls]:
        """Read the calls that stand behind each other with nothing between but blanks."""
        text = self._page.text
        follows: re.Match[str] | None = begins
        while follows:
            found = READERS[follows["kind"].lower()](text, at, follows, not self._terms.is_cut)
            yield found
            follows = _NEXT.match(text, found.stop) if found.stop >= 0 else None
            at = follows.end() if follows else at

    def _ends_with_answer(self) -> bool:
        return self._page.text.rstrip().lower().endswith("</answer>")

    def _handle_other_tag(self, kind: str, line: int, at: int) -> int | None:
        if kind == "observation" or self.calls:
            self.cut_invented_result(
                line, f"<{kind}>"
            ) if kind == "observation" else self._reject_early_answer(line)
            return None
        self._answer_at = at
        return at

    def _reject_early_answer(self, line: int) -> None:
        """An answer before the results are known rests on invention."""
        self.cut = self._page.starts[line]
        self.note_problem("early-answer", line)

    def _end_answer(self, line: int, text: str) -> int | None:
        if found := _ANSWER_END.search(text):
            self.cut = self._page.starts[line] + found.end()
        return None

    def _rest_of_line(self, stop: int) -> str:
        """Give what stands behind a call on its line."""
        return self._page.text[stop : self._page.ends[self._page.find_line(stop)]].strip(BLANKS)

    def _take_calls(self, found: ParsedCalls, line: int) -> int:
        if found.stop < 0 or not found.calls:
            self._ended = True
            self.note_problem("unclosed-call" if found.stop < 0 else "unread-call", line)
            open_end = len(self._page.text) if self._terms.is_cut else self._page.ends[line]
            return open_end if found.stop < 0 else found.stop
        for spoken in found.calls:
            if not self._ended:
                self._accept_call(spoken, line)
        return found.stop

    def _accept_call(self, spoken: RawCall, line: int) -> None:
        try:
            call = self._meaning.resolve_call(spoken, self._terms, line)
        except NotACallError as wrong:
            self._ended = wrong.code in ("wrong-arguments", "unknown-tool")
            self.note_problem(wrong.code, line, what=wrong.what, tag=wrong.tag)
            return
        if make_call_key(call) in self._written:
            self.note_problem("repeat", line)
            return
        self.calls.append(call)
        self._written.add(make_call_key(call))


Take = Callable[[ReplyLines, ParseOptions], TagCallCollector]


def make_collector(meaning: CallResolver, *, bare: bool = False) -> Take:
    """Give what begins to take from a reply."""
    return partial(TagCallCollector, meaning=meaning, bare=bare)


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
        begun = _SHOWN_BEGINS.search(self._held, max(0, len(self._held) - LONGEST))
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
