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

from tripletick.dialects.named.expression import UNREADABLE, Spoken, UnreadError, as_json, is_glued, plain

NAMES = ("name", "tool", "tool_name", "function", "recipient_name")
ARGUMENTS = ("arguments", "parameters", "args", "input", "tool_input", "params")
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)
_PARTS = re.compile(r"(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<rest>[^\"]+)|(?P<open>\")", re.DOTALL)
_UNKNOWN = re.compile(r"\\(?:(?P<quote>')|(?P<other>[^\"\\/bfnrtu]))", re.DOTALL)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_WORD = re.compile(r"\b(?:True|False|None)\b")
_PAIRS = {"{": "}", "[": "]"}
_CLOSERS = ("}", "]")
BLANKS = " \t\r\n"


def read_object(text: str, *, whole: bool = True) -> Any:
    """Read JSON; with `whole` it is mended where that is certain. Raises UnreadError."""
    try:
        return _loads(text)
    except (ValueError, RecursionError):
        if not whole:
            raise UnreadError from None
    try:
        return _loads(_closed(_split(_FENCED.sub(r"\1", text))))
    except (ValueError, RecursionError):
        return _python(text)


def read_calls(text: str, *, whole: bool = True) -> list[Spoken]:
    """Read one call or a list of them. Raises UnreadError."""
    read = read_object(text, whole=whole)
    calls = read.get("tool_calls", read) if isinstance(read, dict) else read
    return [_spoken(each, whole=whole) for each in (calls if isinstance(calls, list) else [calls])]


def read_arguments(given: Any, *, whole: bool = True) -> dict[str, Any]:
    """Give arguments that are an object, or an object written as text. Raises UnreadError."""
    for _ in range(2):
        # some engines hand over text, and some models write it into that text once more
        if isinstance(given, str):
            given = read_object(given, whole=whole) if given.strip() else {}
    given = {} if given is None else given
    if not isinstance(given, dict):
        raise UnreadError
    arguments: dict[str, Any] = as_json(given)
    return arguments


def object_end(text: str, start: int) -> int:
    """Give the offset behind the JSON value that begins there, -1 where it is none."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return -1


def _spoken(call: Any, *, whole: bool) -> Spoken:
    if not isinstance(call, dict):
        raise UnreadError
    inner = call.get("function")
    if isinstance(inner, dict):
        call = inner
    name = next((call[key] for key in NAMES if isinstance(call.get(key), str)), None)
    given: Any = next((call[key] for key in ARGUMENTS if key in call), None)
    if name is None:
        raise UnreadError
    return Spoken(name, read_arguments(given, whole=whole))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key stands there twice")
    return made


def _no_number(word: str) -> Any:
    raise ValueError(word)


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_once, parse_constant=_no_number)


def _loads(text: str) -> Any:
    return _DECODER.decode(text)


def _word(found: re.Match[str]) -> str:
    return _WORDS[found[0]]


def _escaped(string: str) -> str:
    r"""Write `\d` as the two characters that it is; `\'` is the quote."""
    return _UNKNOWN.sub(lambda found: "'" if found["quote"] else "\\\\" + found["other"], string)


def _closed(parts: Iterable[str]) -> str:
    """Put right which brackets lack behind the first value, or are too many. Raises UnreadError."""
    kept: list[str] = []
    waiting: list[str] = []
    left = iter(parts)
    for part in left:
        if part in _PAIRS:
            waiting.append(_PAIRS[part])
        elif part in _CLOSERS and (not waiting or waiting.pop() != part):
            raise UnreadError
        kept.append(part)
        if part in _CLOSERS and not waiting:
            break
    if "".join(left).strip("}]" + BLANKS):
        raise UnreadError
    return "".join(_uncomma([*kept, *reversed(waiting)]))


def _uncomma(parts: Sequence[str]) -> Iterator[str]:
    """Drop commas before a closing bracket."""
    for part, after in zip(parts, [*parts[1:], ""], strict=True):
        bare = part.rstrip()
        yield bare[:-1] if after in _CLOSERS and bare.endswith(",") else part


def _split(text: str) -> Iterator[str]:
    """Part a text into strings, brackets and what is between."""
    for part in _PARTS.finditer(text):
        if part["open"]:
            raise UnreadError
        elif part["string"]:
            yield _escaped(part[0])
        else:
            yield from re.findall(r"[{}\[\]]|[^{}\[\]]+", _WORD.sub(_word, part[0]))


def _python(text: str) -> Any:
    """Read what Python calls a dict. Raises UnreadError."""
    if is_glued(text, BLANKS):
        raise UnreadError
    try:
        tree = ast.parse(plain(text.strip()), mode="eval")
        dicts = (node for node in ast.walk(tree) if isinstance(node, ast.Dict))
        if any(len({ast.dump(key) for key in one.keys if key}) < len(one.keys) for one in dicts):
            raise UnreadError
        return ast.literal_eval(tree)
    except UNREADABLE:
        raise UnreadError from None
