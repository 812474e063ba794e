"""Where a call in tags ends, and what stands in it: the forms in which models write calls into their text.

`<tool>name(arg="…")</tool>`, `<tool_call>{…}</tool_call>`, `<function=name>` around `<parameter=x>…` or JSON,
and JSON alone.
Not covered: whether it counts (elements), what it means (meaning).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tripletick.dialects.fence.hallucinations import is_json_call
from tripletick.dialects.named_calls import json_calls
from tripletick.dialects.named_calls.expression import (
    RawCall,
    UnreadableCallError,
    find_ends,
    read_expression,
)
from tripletick.dialects.reasoning_tags import BLANKS
from tripletick.system.lazy_regex import lazy_regex

_PARAMETER = lazy_regex(r"\s*<parameter=(?P<name>[^<>\s]+)\s*>\n?", re.IGNORECASE)
_PARAMETER_END = lazy_regex(r"\n?</parameter\s*>(?=\s*(?:<parameter=|</function\s*>))", re.IGNORECASE)
_FUNCTION = lazy_regex(r"\s*<function=(?P<name>[^<>\s]+)\s*>", re.IGNORECASE)
_OBJECT = lazy_regex(r"\s*(?=\{)")
_FUNCTION_END = lazy_regex(r"\s*</function\s*>(?:\s*</tool_call\s*>)?", re.IGNORECASE)


def _closing_pattern(kind: str) -> re.Pattern[str]:
    return re.compile(rf"</{kind}\s*>", re.IGNORECASE)


CLOSINGS = {kind: _closing_pattern(kind) for kind in ("tool", "tool_call", "function_call")}


@dataclass(frozen=True, slots=True)
class ParsedCalls:
    """Where a call ends, -1 where it does not, and what it says, nothing where that cannot be read."""

    stop: int
    calls: tuple[RawCall, ...] = ()


def _read_tool(text: str, at: int, begins: re.Match[str], whole: bool) -> ParsedCalls:
    return _read_between(text, at, CLOSINGS["tool"], whole, lambda part, _: (read_expression(part),))


def _read_json(text: str, at: int, begins: re.Match[str], whole: bool) -> ParsedCalls:
    if found := _FUNCTION.match(text, at):
        return _read_function(text, found.end(), found, whole)
    closing = CLOSINGS[begins["kind"].lower()]
    return _read_between(text, at, closing, whole, lambda part, closed: tuple(_read_calls(part, closed)))


def _read_calls(part: str, closed: bool) -> list[RawCall]:
    return json_calls.read_calls(part, whole=closed)


Reading = Callable[[str, bool], tuple[RawCall, ...]]


def _read_between(text: str, at: int, closing: re.Pattern[str], whole: bool, read: Reading) -> ParsedCalls:
    """Read what stands before a closing tag, which may lack at the end of a reply that is complete."""
    stop = -1
    for end in find_ends(text, at, closing):
        try:
            return ParsedCalls(end.end(), read(text[at : end.start()], True))
        except UnreadableCallError:
            stop = end.end()
    if stop < 0 and whole and (rest := text[at:].strip()):
        try:
            return _require_quotes(ParsedCalls(len(text), read(rest, False)))
        except UnreadableCallError:
            return ParsedCalls(-1)
    return ParsedCalls(stop)


def _require_quotes(found: ParsedCalls) -> ParsedCalls:
    """Without a closing tag only what has quotes ends for certain."""
    several_lines = any(call.unquoted and "\n" in call.unquoted for call in found.calls)
    return ParsedCalls(-1) if several_lines else found


def _read_function(text: str, at: int, begins: re.Match[str], whole: bool) -> ParsedCalls:
    """Read parameters as they stand between their tags, or an object of them, up to the function's end."""
    given: dict[str, Any] = {}
    while opened := _PARAMETER.match(text, at):
        closed = _PARAMETER_END.search(text, opened.end())
        if closed is None and whole:
            closed = re.compile(r"\n?</parameter\s*>(?=\s*\Z)", re.IGNORECASE).search(text, opened.end())
        if closed is None:
            return ParsedCalls(-1)
        if opened["name"] in given:
            return ParsedCalls(closed.end())
        given[opened["name"]] = text[opened.end() : closed.start()]
        at = closed.end()
    if not given and (opened := _OBJECT.match(text, at)):
        at = json_calls.find_object_end(text, opened.end())
        if at < 0:
            return ParsedCalls(-1)
        try:
            given = json_calls.read_arguments(text[opened.end() : at], whole=False)
        except UnreadableCallError:
            return ParsedCalls(at)
    name = begins["name"].removeprefix("=")
    if end := _FUNCTION_END.match(text, at):
        return ParsedCalls(end.end(), (RawCall(name, dict(given)),))
    return (
        ParsedCalls(len(text), (RawCall(name, dict(given)),))
        if whole and not text[at:].strip()
        else ParsedCalls(-1)
    )


def read_bare_json(text: str, at: int, begins: re.Match[str], whole: bool) -> ParsedCalls:
    """Read JSON that names a function; nothing else may stand behind it on its line."""
    stop = json_calls.find_object_end(text, at)
    if stop < 0 or text[stop:].lstrip(BLANKS)[:1] not in ("", "\r", "\n", "<"):
        return ParsedCalls(-1)
    if not is_json_call(text[at:stop]):
        return ParsedCalls(-1)
    try:
        return ParsedCalls(stop, tuple(json_calls.read_calls(text[at:stop], whole=False)))
    except UnreadableCallError:
        return ParsedCalls(-1)


READERS: Mapping[str, Callable[[str, int, re.Match[str], bool], ParsedCalls]] = {
    "tool": _read_tool,
    "tool_call": _read_json,
    "function_call": _read_json,
    "function": _read_function,
}
"""By the tag that begins a call: gives its end and what it says. The flag: the reply is complete."""
