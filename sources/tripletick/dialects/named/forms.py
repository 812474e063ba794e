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

from tripletick.dialects.fence.invention import call_shape
from tripletick.dialects.named import objects
from tripletick.dialects.named.expression import Spoken, UnreadError, ends, read_expression
from tripletick.dialects.thinking import BLANKS

_PARAMETER = re.compile(r"\s*<parameter=(?P<name>[^<>\s]+)\s*>\n?", re.IGNORECASE)
_PARAMETER_END = re.compile(r"\n?</parameter\s*>(?=\s*(?:<parameter=|</function\s*>))", re.IGNORECASE)
_FUNCTION = re.compile(r"\s*<function=(?P<name>[^<>\s]+)\s*>", re.IGNORECASE)
_OBJECT = re.compile(r"\s*(?=\{)")
_FUNCTION_END = re.compile(r"\s*</function\s*>(?:\s*</tool_call\s*>)?", re.IGNORECASE)


def _closing(kind: str) -> re.Pattern[str]:
    return re.compile(rf"</{kind}\s*>", re.IGNORECASE)


CLOSINGS = {kind: _closing(kind) for kind in ("tool", "tool_call", "function_call")}


@dataclass(frozen=True, slots=True)
class Found:
    """Where a call ends, -1 where it does not, and what it says, nothing where that cannot be read."""

    stop: int
    calls: tuple[Spoken, ...] = ()


def _read_tool(text: str, at: int, begins: re.Match[str], whole: bool) -> Found:
    return _read_between(text, at, CLOSINGS["tool"], whole, lambda part, _: (read_expression(part),))


def _read_json(text: str, at: int, begins: re.Match[str], whole: bool) -> Found:
    if found := _FUNCTION.match(text, at):
        return _read_function(text, found.end(), found, whole)
    closing = CLOSINGS[begins["kind"].lower()]
    return _read_between(text, at, closing, whole, lambda part, closed: tuple(_calls(part, closed)))


def _calls(part: str, closed: bool) -> list[Spoken]:
    return objects.read_calls(part, whole=closed)


Reading = Callable[[str, bool], tuple[Spoken, ...]]


def _read_between(text: str, at: int, closing: re.Pattern[str], whole: bool, read: Reading) -> Found:
    """Read what stands before a closing tag, which may lack at the end of a reply that is complete."""
    stop = -1
    for end in ends(text, at, closing):
        try:
            return Found(end.end(), read(text[at : end.start()], True))
        except UnreadError:
            stop = end.end()
    if stop < 0 and whole and (rest := text[at:].strip()):
        try:
            return _certain(Found(len(text), read(rest, False)))
        except UnreadError:
            return Found(-1)
    return Found(stop)


def _certain(found: Found) -> Found:
    """Without a closing tag only what has quotes ends for certain."""
    several_lines = any(call.unquoted and "\n" in call.unquoted for call in found.calls)
    return Found(-1) if several_lines else found


def _read_function(text: str, at: int, begins: re.Match[str], whole: bool) -> Found:
    """Read parameters as they stand between their tags, or an object of them, up to the function's end."""
    given: dict[str, Any] = {}
    while opened := _PARAMETER.match(text, at):
        closed = _PARAMETER_END.search(text, opened.end())
        if closed is None and whole:
            closed = re.compile(r"\n?</parameter\s*>(?=\s*\Z)", re.IGNORECASE).search(text, opened.end())
        if closed is None:
            return Found(-1)
        if opened["name"] in given:
            return Found(closed.end())
        given[opened["name"]] = text[opened.end() : closed.start()]
        at = closed.end()
    if not given and (opened := _OBJECT.match(text, at)):
        at = objects.object_end(text, opened.end())
        if at < 0:
            return Found(-1)
        given = objects.read_arguments(text[opened.end() : at], whole=False)
    name = begins["name"].removeprefix("=")
    if end := _FUNCTION_END.match(text, at):
        return Found(end.end(), (Spoken(name, dict(given)),))
    return Found(len(text), (Spoken(name, dict(given)),)) if whole and not text[at:].strip() else Found(-1)


def read_bare(text: str, at: int, begins: re.Match[str], whole: bool) -> Found:
    """Read JSON that names a function; nothing else may stand behind it on its line."""
    stop = objects.object_end(text, at)
    if stop < 0 or text[stop:].lstrip(BLANKS)[:1] not in ("", "\r", "\n", "<"):
        return Found(-1)
    if not call_shape(text[at:stop]):
        return Found(-1)
    try:
        return Found(stop, tuple(objects.read_calls(text[at:stop], whole=False)))
    except UnreadError:
        return Found(-1)


READERS: Mapping[str, Callable[[str, int, re.Match[str], bool], Found]] = {
    "tool": _read_tool,
    "tool_call": _read_json,
    "function_call": _read_json,
    "function": _read_function,
}
"""By the tag that begins a call: gives its end and what it says. The flag: the reply is complete."""
