"""The body of a block as the arguments of a function, by a rule that refuses rather than guesses.

1. A JSON object with a name of the tool's is its arguments.
2. Lines `name = value`, the first of which begins with a name of the tool's, are its arguments; a text in
   three quotes may have several lines.
3. Any other body is the one argument that there is, or the only one that must be given.

A body that fits two of these and means two things is refused, and so is what looks like 1 or 2 and is not.
Not covered: what the values must be in depth (runner).
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from tripletick.messages import Call
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.parameters import SWITCHES, ArgumentsError, Parameter, Parameters

LINE = lazy_regex(r"\s*([A-Za-z_]\w*)\s*(=(?!=)|:(?=\s|$))\s*(.*?)\s*$")
BROKEN = lazy_regex(r"\{\s*[\"'](\w+)[\"']\s*:")
QUOTES = ('"""', "'" * 3)
BEHIND = "it takes nothing behind its tag: its arguments stand in the block"
NO_LINE = "line {number} of the block is no `name = value`"
NOT_CLOSED = "the {quotes} of `{name}` are not closed"
TWICE = "`{name}` was given twice"
UNKNOWN = "it has no `{name}`"
MISSING = "`{name}` is missing"
TWO = "the block may be the value itself or name it: send the value alone, without `{name}`"
NO_JSON = "the block begins like JSON and is none: {why}"
COLON = "write `{name} = …`, not `{name}: …`"
NO_FORM = "it takes several arguments: write lines `name = value`, or a JSON object"
NO_VALUE = "`{name}` must be {kind}, not {value}"
KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "string": ("a text", lambda value: isinstance(value, str)),
    "integer": ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    "number": ("a number", lambda value: isinstance(value, int | float) and not isinstance(value, bool)),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "array": ("a list in brackets, as JSON", lambda value: isinstance(value, list)),
    "object": ("a JSON object", lambda value: isinstance(value, dict)),
    "null": ("null", lambda value: value is None),
}
"""By the name in a JSON schema: the words for it, and what tells a value of it."""
UNTOLD = ("a text", "a value")
"""What goes without saying."""


def parse_arguments(call: Call, parameters: Parameters) -> dict[str, Any]:
    """Give the arguments of a call by their names. Raises ArgumentsError."""
    if call.path or any(not word.startswith("timeout=") for word in call.args):
        raise ArgumentsError(BEHIND)
    if not call.body.strip():
        return _check_names(parameters, {})
    alone = _find_sole_parameter(parameters)
    given = _parse_object(call.body, parameters, alone)
    given = _parse_lines(call.body, parameters, alone) if given is None else given
    if given is not None:
        return _check_names(parameters, given)
    if alone is None:
        raise ArgumentsError(NO_FORM if parameters else UNKNOWN.format(name=call.body.split()[0][:40]))
    return _check_names(parameters, {alone.name: _parse_value(alone, call.body, quoted=False)})


def format_usage(parameters: Parameters) -> str:
    """Show how a block with these arguments is written."""
    alone = _find_sole_parameter(parameters)
    if alone and len(parameters) == 1:
        return f"the {alone.name} alone: {describe_schema(alone.schema)}"
    return "\n".join(
        f"{one.name} = {describe_schema(one.schema)}{'' if one.required else ', or no such line'}"
        for one in parameters
    )


def describe_schema(schema: Mapping[str, Any]) -> str:
    """Word what a schema takes."""
    return " or ".join(filter(None, map(_describe_option, _flatten_options(schema)))) or "a value"


def _describe_option(way: Mapping[str, Any]) -> str:
    if "enum" in way:
        return " or ".join(
            each if _is_plain_text(each) else json.dumps(each, default=str) for each in way["enum"]
        )
    words = KINDS[way["type"]][0] if way.get("type") in KINDS else ""
    if "properties" in way:
        needed = way.get("required", ())
        rows = (
            f"{name}{'' if name in needed else '?'}: {describe_schema(row)}"
            for name, row in way["properties"].items()
        )
        return f"{words} {{{', '.join(rows)}}}"
    inner = way.get("items") or way.get("additionalProperties")
    each = describe_schema(inner) if inner else ""
    return f"{words}, each {each}" if each not in ("", *UNTOLD) else words


def _is_plain_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and value.isprintable()


def _check_names(parameters: Parameters, given: dict[str, Any]) -> dict[str, Any]:
    names = [one.name for one in parameters]
    if unknown := [name for name in given if name not in names]:
        raise ArgumentsError(UNKNOWN.format(name=unknown[0]))
    if missing := [one.name for one in parameters if one.required and one.name not in given]:
        raise ArgumentsError(MISSING.format(name=missing[0]))
    return given


def _find_sole_parameter(parameters: Parameters) -> Parameter | None:
    """Give the argument that a body without names can only mean."""
    needed = [one for one in parameters if one.required]
    chosen = parameters if len(parameters) == 1 else needed
    return chosen[0] if len(chosen) == 1 else None


def _parse_object(body: str, parameters: Parameters, alone: Parameter | None) -> dict[str, Any] | None:
    """Read rule 1; None where the body is no such object."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError) as error:
        broken = BROKEN.match(body.lstrip())
        if broken and broken[1] in _list_names(parameters):
            raise ArgumentsError(NO_JSON.format(why=" ".join(str(error).split()))) from error
        return None
    if not isinstance(given, dict):
        return None
    by_name = not given.keys().isdisjoint(_list_names(parameters))
    is_value = alone is not None and len(parameters) == 1 and _accepts_object(alone.schema)
    if alone and by_name and is_value and _accepts_value(alone.schema, given[alone.name]):
        raise ArgumentsError(TWO.format(name=alone.name))
    return None if is_value or (alone and not by_name and _accepts_value(alone.schema, "")) else given


def _parse_lines(body: str, parameters: Parameters, alone: Parameter | None) -> dict[str, Any] | None:
    """Read rule 2; None where the body does not begin like it."""
    lines = [line for line in body.split("\n") if line.strip()]
    first = LINE.match(lines[0])
    if first is None or (
        first[1] not in _list_names(parameters) and (len(parameters) == 1 or first[2] == ":")
    ):
        return None
    single = alone is not None and len(parameters) == 1
    if single and alone and _accepts_value(alone.schema, ""):
        raise ArgumentsError(TWO.format(name=alone.name))
    if first[2] == ":":
        raise ArgumentsError(COLON.format(name=first[1]))
    rows, given = {one.name: one for one in parameters}, dict[str, Any]()
    for name, text in _split_pairs(body.split("\n")):
        if name not in rows or name in given:
            raise ArgumentsError((TWICE if name in given else UNKNOWN).format(name=name))
        given[name] = _parse_value(rows[name], text, quoted=True)
    return given


def _split_pairs(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Give names and texts; a text in three quotes goes on to their end."""
    rest = iter(enumerate(lines, 1))
    for number, line in rest:
        if not line.strip():
            continue
        found = LINE.match(line)
        if found is None or found[2] != "=":
            raise ArgumentsError(NO_LINE.format(number=number))
        name, text = found[1], found[3]
        quotes = next((each for each in QUOTES if text.startswith(each)), "")
        while quotes and not (len(text) >= 2 * len(quotes) and text.endswith(quotes)):
            _, more = next(rest, (0, None))
            if more is None:
                raise ArgumentsError(NOT_CLOSED.format(quotes=quotes, name=name))
            text = f"{text}\n{more.rstrip() if more.rstrip().endswith(quotes) else more}"
        yield name, text


def _parse_value(one: Parameter, text: str, *, quoted: bool) -> Any:
    """Read one value; `quoted` says that a text may stand in quotes. Raises ArgumentsError."""
    bare = text.strip()
    for allowed in chain.from_iterable(way.get("enum", ()) for way in _flatten_options(one.schema)):
        if bare in (str(allowed), json.dumps(allowed), repr(allowed)):
            return allowed
    for value in _list_interpretations(bare):
        if not isinstance(value, str) and _accepts_value(one.schema, value):
            return value
        if quoted and isinstance(value, str) and _accepts_value(one.schema, value):
            return _strip_quote_newline(value, bare)
    if _accepts_value(one.schema, ""):
        return text
    raise ArgumentsError(
        NO_VALUE.format(name=one.name, kind=describe_schema(one.schema), value=" ".join(bare.split())[:60])
    )


def _list_interpretations(text: str) -> Iterator[Any]:
    """Give what a text may stand for beside itself."""
    if text.casefold() in SWITCHES:
        yield SWITCHES[text.casefold()]
    for reader in (json.loads, ast.literal_eval):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = reader(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        yield value


def _strip_quote_newline(value: str, text: str) -> str:
    """Take the line end away that follows three quotes, as TOML does."""
    return value.removeprefix("\n") if text.startswith(QUOTES) else value


def _flatten_options(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return (
        [way for each in schema["anyOf"] for way in _flatten_options(each)] if "anyOf" in schema else [schema]
    )


def _accepts_value(schema: Mapping[str, Any], value: Any) -> bool:
    """Tell whether a value is of a type that the schema takes; without one it takes everything."""
    return any(
        value in way["enum"]
        if "enum" in way
        else KINDS[way["type"]][1](value)
        if way.get("type") in KINDS
        else True
        for way in _flatten_options(schema)
    )


def _accepts_object(schema: Mapping[str, Any]) -> bool:
    """Tell whether a schema names objects among what it takes; one that takes everything names none."""
    return any(way.get("type") == "object" for way in _flatten_options(schema))


def _list_names(parameters: Parameters) -> list[str]:
    return [one.name for one in parameters]
