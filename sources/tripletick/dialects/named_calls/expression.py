"""`name(arg="…", n=3)`: a call as Python writes it, read by `ast`, literals only.

What models really write is read too where it can mean one thing alone: newlines inside plain quotes, escapes
that Python does not know, `true` and `null`. What is left unquoted is given back as it stands.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tripletick.system.lazy_regex import lazy_regex

_HEAD = lazy_regex(r"\s*(?P<name>[A-Za-z_][\w.:/-]*)\s*\((?P<inside>.*)\)\s*;?\s*", re.DOTALL)
_STRING = lazy_regex(
    r"\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", re.DOTALL
)
_PREFIXED = lazy_regex(rf"(\b[A-Za-z]{{1,2}})?({_STRING.pattern})", re.DOTALL)
_BEHIND = lazy_regex(r"[ \t]*(?:[\r\n<]|\Z)")
_OPEN = lazy_regex(r"\"|(?<!\w)'|'(?!\w)")
"""A quote that nothing closes; in a word it is an apostrophe."""
_TAG = lazy_regex(r"</?tool\b", re.IGNORECASE)
_QUOTE = lazy_regex("[\"']")
_UNKNOWN = lazy_regex(r"\\(?![\\'\"abfnrtvxuUN0-7\r\n])|\\(?=x(?![0-9a-fA-F]{2})|u(?![0-9a-fA-F]{4})|U|N)")
"""Backslashes of escapes that Python does not know, or that are not whole: patterns and paths have such."""
_WORDS = {"true": True, "false": False, "null": None}
COMPUTED = (ast.Call, ast.JoinedStr, ast.Starred, ast.Lambda, ast.comprehension)
UNREADABLE = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)


class UnreadableCallError(ValueError):
    """A call that cannot be read."""


@dataclass(frozen=True, slots=True)
class RawCall:
    """A call as it was written: by name, in order, or, where its one argument has no quotes, as it stands."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    ordered: tuple[Any, ...] = ()
    unquoted: str | None = None


def read_expression(text: str) -> RawCall:
    """Read one call. Raises UnreadError."""
    found = _HEAD.fullmatch(text)
    if found is None:
        raise UnreadableCallError
    name, inside = found["name"], found["inside"]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call = ast.parse(f"_({escape_newlines(inside)}\n)", mode="eval").body
    except UNREADABLE:
        return RawCall(name, unquoted=_read_unquoted(inside))
    if any(map(_is_computed, (node for node in ast.walk(call) if node is not call))):
        raise UnreadableCallError
    if has_adjacent_strings(inside, ""):
        raise UnreadableCallError
    try:
        spoken = _evaluate_call(name, call)
    except UNREADABLE:
        return RawCall(name, unquoted=_read_unquoted(inside))
    return replace(
        spoken, arguments=to_json_value(spoken.arguments), ordered=tuple(to_json_value(spoken.ordered))
    )


def has_adjacent_strings(text: str, blanks: str) -> bool:
    """Tell whether a string follows another with nothing between but such blanks: Python reads one, and a
    model that wrote a quote too many meant something else.
    """
    end = -1
    for string in _STRING.finditer(text):
        if end >= 0 and not text[end : string.start()].strip(blanks):
            return True
        end = string.end()
    return False


def to_json_value(value: Any) -> Any:
    """Give a value as JSON has it, whole text: what is none is nothing that a tool can be given. Raises
    UnreadError.
    """
    try:
        return json.loads(json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace"))
    except UNREADABLE:
        raise UnreadableCallError from None


def find_ends(text: str, start: int, closing: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Find where a call may end: at the closing tag outside of strings, else at the first at all, where the
    line ends or another tag begins behind it.
    """
    first = closing.search(text, start)
    at, found = start, first
    while found and (opened := _QUOTE.search(text, at, found.start())):
        string = _STRING.match(text, opened.start())
        if string is None:
            break
        at = string.end()
        found = closing.search(text, at) if at > found.start() else found
    if found:
        yield found
    if first and first != found and _BEHIND.match(text, first.end()):
        yield first


def escape_newlines(inside: str) -> str:
    """Make every string one that Python reads: its newlines written as escapes."""
    return _PREFIXED.sub(
        lambda found: (
            found[0] if "r" in (found[1] or "").lower() else _escape_string(found[1] or "", found[2])
        ),
        inside,
    )


def _escape_string(prefix: str, string: str) -> str:
    whole = _UNKNOWN.sub(r"\\\\", string)
    if string.startswith(('"""', "'''")):
        return prefix + whole
    return prefix + whole.replace("\\\n", "\\\\\n").replace("\r", "\\r").replace("\n", "\\n")


def _is_computed(node: ast.AST) -> bool:
    """True for what does not stand for itself."""
    return isinstance(node, COMPUTED) or (isinstance(node, ast.keyword) and node.arg is None)


def _evaluate_call(name: str, call: ast.expr) -> RawCall:
    if not isinstance(call, ast.Call):
        raise TypeError
    named = {keyword.arg: _evaluate_literal(keyword.value) for keyword in call.keywords if keyword.arg}
    return RawCall(name, named, tuple(map(_evaluate_literal, call.args)))


def _evaluate_literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Name) and node.id in _WORDS:
        return _WORDS[node.id]
    return ast.literal_eval(node)


def _read_unquoted(inside: str) -> str:
    """Give one argument without quotes. Raises UnreadError where it has some, or there may be two."""
    words = inside.strip()
    outside, depth = _STRING.sub("", words), 0
    for sign in outside:
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0 or (sign == "," and not depth):
            raise UnreadableCallError
    if (
        not words
        or _TAG.search(words)
        or _OPEN.search(outside)
        or re.match(r"(?:\w+\s*=\s*)?[rbf]?[\"']", words)
        or depth
    ):
        raise UnreadableCallError
    return words
