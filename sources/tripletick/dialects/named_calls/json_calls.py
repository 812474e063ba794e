"""`{"name": "bash", "arguments": {…}}`: calls as JSON, and JSON as models break it.

Mended is only what can mean one thing: raw newlines and unknown escapes in strings, commas before a closing
bracket, closing brackets that lack at the end or are too many there, Python's words and quotes. A quote too
few or too many, or a key that stands there twice, is not.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tripletick.dialects.named_calls.expression import (
    UNREADABLE,
    RawCall,
    UnreadableCallError,
    escape_newlines,
    has_adjacent_strings,
    to_json_value,
)
from tripletick.system.lazy_regex import lazy_regex

NAMES = ("name", "tool", "tool_name", "function", "recipient_name")
ARGUMENTS = ("arguments", "parameters", "args", "input", "tool_input", "params")
_FENCED = lazy_regex(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)
_PARTS = lazy_regex(r"(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<rest>[^\"]+)|(?P<open>\")", re.DOTALL)
_UNKNOWN = lazy_regex(r"\\(?:(?P<quote>')|(?P<other>[^\"\\/bfnrtu]))", re.DOTALL)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_WORD = lazy_regex(r"\b(?:True|False|None)\b")
_PAIRS = {"{": "}", "[": "]"}
_CLOSERS = ("}", "]")
BLANKS = " \t\r\n"


def read_object(text: str, *, whole: bool = True) -> Any:
    """Read JSON; with `whole` it is mended where that is certain. Raises UnreadError."""
    try:
        return _decode_json(text)
    except (ValueError, RecursionError):
        if not whole:
            raise UnreadableCallError from None
    try:
        return _decode_json(_balance_brackets(_split_parts(_FENCED.sub(r"\1", text))))
    except (ValueError, RecursionError):
        return _read_python_dict(text)


def read_calls(text: str, *, whole: bool = True) -> list[RawCall]:
    """Read one call or a list of them. Raises UnreadError."""
    read = read_object(text, whole=whole)
    calls = read.get("tool_calls", read) if isinstance(read, dict) else read
    return [_parse_call(each, whole=whole) for each in (calls if isinstance(calls, list) else [calls])]


def read_arguments(given: Any, *, whole: bool = True) -> dict[str, Any]:
    """Give arguments that are an object, or an object written as text. Raises UnreadError."""
    for _ in range(2):
        # some engines hand over text, and some models write it into that text once more
        if isinstance(given, str):
            given = read_object(given, whole=whole) if given.strip() else {}
    given = {} if given is None else given
    if not isinstance(given, dict):
        raise UnreadableCallError
    arguments: dict[str, Any] = to_json_value(given)
    return arguments


def find_object_end(text: str, start: int) -> int:
    """Give the offset behind the JSON value that begins there, -1 where it is none."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return -1


def _parse_call(call: Any, *, whole: bool) -> RawCall:
    if not isinstance(call, dict):
        raise UnreadableCallError
    inner = call.get("function")
    if isinstance(inner, dict):
        call = inner
    name = next((call[key] for key in NAMES if isinstance(call.get(key), str)), None)
    given: Any = next((call[key] for key in ARGUMENTS if key in call), None)
    if name is None:
        raise UnreadableCallError
    return RawCall(name, read_arguments(given, whole=whole))


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key stands there twice")
    return made


def _reject_constant(word: str) -> Any:
    raise ValueError(word)


_DECODER = json.JSONDecoder(
    strict=False, object_pairs_hook=_reject_duplicates, parse_constant=_reject_constant
)


def _decode_json(text: str) -> Any:
    return _DECODER.decode(text)


def _translate_word(found: re.Match[str]) -> str:
    return _WORDS[found[0]]


def _fix_escapes(string: str) -> str:
    r"""Write `\d` as the two characters that it is; `\'` is the quote."""
    return _UNKNOWN.sub(lambda found: "'" if found["quote"] else "\\\\" + found["other"], string)


def _balance_brackets(parts: Iterable[str]) -> str:
    """Put right which brackets lack behind the first value, or are too many. Raises UnreadError."""
    kept: list[str] = []
    waiting: list[str] = []
    left = iter(parts)
    for part in left:
        if part in _PAIRS:
            waiting.append(_PAIRS[part])
        elif part in _CLOSERS and (not waiting or waiting.pop() != part):
            raise UnreadableCallError
        kept.append(part)
        if part in _CLOSERS and not waiting:
            break
    if "".join(left).strip("}]" + BLANKS):
        raise UnreadableCallError
    return "".join(_drop_trailing_commas([*kept, *reversed(waiting)]))


def _drop_trailing_commas(parts: Sequence[str]) -> Iterator[str]:
    """Drop commas before a closing bracket."""
    for part, after in zip(parts, [*parts[1:], ""], strict=True):
        bare = part.rstrip()
        yield bare[:-1] if after in _CLOSERS and bare.endswith(",") else part


def _split_parts(text: str) -> Iterator[str]:
    """Part a text into strings, brackets and what is between."""
    for part in _PARTS.finditer(text):
        if part["open"]:
            raise UnreadableCallError
        elif part["string"]:
            yield _fix_escapes(part[0])
        else:
            yield from re.findall(r"[{}\[\]]|[^{}\[\]]+", _WORD.sub(_translate_word, part[0]))


def _read_python_dict(text: str) -> Any:
    """Read what Python calls a dict. Raises UnreadError."""
    if has_adjacent_strings(text, BLANKS):
        raise UnreadableCallError
    try:
        tree = ast.parse(escape_newlines(text.strip()), mode="eval")
        dicts = (node for node in ast.walk(tree) if isinstance(node, ast.Dict))
        if any(len({ast.dump(key) for key in one.keys if key}) < len(one.keys) for one in dicts):
            raise UnreadableCallError
        return ast.literal_eval(tree)
    except UNREADABLE:
        raise UnreadableCallError from None
