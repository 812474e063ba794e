"""The types of parameters: as JSON schema, and what makes their values of what a model wrote.

Numbers, texts, paths, literals, lists, dicts, dataclasses, and these in one another. Imports nothing of ours.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean"}
WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
MANY = (list, tuple, set, frozenset)
Make = Callable[[Any, str], Any]


class UnsupportedTypeError(TypeError):
    """A parameter that cannot be described."""


class InvalidArgumentError(ValueError):
    """An argument that does not fit, worded for the model."""


@dataclasses.dataclass(frozen=True)
class TypeAdapter:
    """What one parameter takes: as JSON schema, and what makes the value of it."""

    schema: dict[str, Any]
    make: Make


def adapt_type(kind: Any) -> TypeAdapter:
    """Read a type. Raises UnfitError."""
    if kind in (Any, inspect.Parameter.empty, object):
        return TypeAdapter({}, lambda value, at: value)
    if kind in PLAIN:
        return TypeAdapter({"type": PLAIN[kind]}, _make_plain_converter(kind))
    if isinstance(kind, type) and issubclass(kind, os.PathLike):
        return TypeAdapter(
            {"type": "string", "format": "path"},
            lambda value, at: Path(_make_plain_converter(str)(value, at)),
        )
    if kind in (None, type(None)):
        return TypeAdapter({"type": "null"}, lambda value, at: _check_choice((None,), value, at))
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _adapt_dataclass(kind)
    return _adapt_generic(kind)


def _adapt_generic(kind: Any) -> TypeAdapter:
    origin, inner = typing.get_origin(kind) or kind, typing.get_args(kind)
    if origin is typing.Annotated:
        said = " ".join(word for word in inner[1:] if isinstance(word, str))
        shape = adapt_type(inner[0])
        return TypeAdapter({**shape.schema, "description": said}, shape.make) if said else shape
    if origin is typing.Literal:
        return TypeAdapter({"enum": list(inner)}, lambda value, at: _check_choice(inner, value, at))
    if origin in (typing.Union, types.UnionType):
        return _adapt_union([adapt_type(each) for each in inner])
    if origin is dict:
        return _adapt_mapping(*(inner or (str, Any)))
    if origin in MANY and (origin is not tuple or inner[1:] in ((), (...,))):
        return _adapt_sequence(origin, adapt_type(inner[0] if inner else Any))
    raise UnsupportedTypeError(getattr(kind, "__name__", str(kind)))


def _make_plain_converter(kind: type) -> Make:
    def make(value: Any, at: str) -> Any:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if kind is float and number:
            return float(value)
        if kind is int and number and value % 1 == 0:
            return int(value)
        if kind in (str, bool) and isinstance(value, kind):
            return value
        raise InvalidArgumentError(f"{at} must be {WORDS[kind]}, not {_format_value(value)}")

    return make


def _check_choice(allowed: tuple[Any, ...], value: Any, at: str) -> Any:
    for each in allowed:
        if each == value and isinstance(value, bool) == isinstance(each, bool):
            return each
    raise InvalidArgumentError(
        f"{at} must be {' or '.join(map(_format_value, allowed))}, not {_format_value(value)}"
    )


def _adapt_union(shapes: list[TypeAdapter]) -> TypeAdapter:
    def make(value: Any, at: str) -> Any:
        problems = []
        for shape in shapes:
            try:
                return shape.make(value, at)
            except InvalidArgumentError as wrong:
                problems.append(str(wrong))
        raise InvalidArgumentError(problems[0])

    return TypeAdapter({"anyOf": [shape.schema for shape in shapes]}, make)


def _adapt_sequence(origin: type, item: TypeAdapter) -> TypeAdapter:
    def make(value: Any, at: str) -> Any:
        if not isinstance(value, list):
            raise InvalidArgumentError(f"{at} must be a list, not {_format_value(value)}")
        return origin(item.make(each, f"{at}[{number}]") for number, each in enumerate(value))

    return TypeAdapter({"type": "array", "items": item.schema}, make)


def _adapt_mapping(key: Any, kind: Any) -> TypeAdapter:
    if key not in (str, Any):
        raise UnsupportedTypeError(f"dict[{getattr(key, '__name__', key)}, …]")
    item = adapt_type(kind)

    def make(value: Any, at: str) -> Any:
        return {name: item.make(each, f"{at}.{name}") for name, each in _require_object(value, at).items()}

    return TypeAdapter({"type": "object", "additionalProperties": item.schema}, make)


def _adapt_dataclass(kind: Any) -> TypeAdapter:
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}
    shapes = {name: adapt_type(hints[name]) for name in fields}
    nothing = dataclasses.MISSING
    required = [name for name, one in fields.items() if one.default is one.default_factory is nothing]

    def make(value: Any, at: str) -> Any:
        return kind(**convert_arguments(shapes, required, _require_object(value, at), f"{at}."))

    rows = {name: shape.schema for name, shape in shapes.items()}
    return TypeAdapter({"type": "object", "properties": rows, "required": required}, make)


def _require_object(value: Any, at: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidArgumentError(f"{at} must be an object, not {_format_value(value)}")
    return value


def _format_value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) < 60 else text[:57] + "..."


def convert_arguments(
    shapes: dict[str, TypeAdapter], required: list[str], given: dict[str, Any], at: str = ""
) -> dict[str, Any]:
    """Give the values of named arguments. Raises WrongError."""
    for name in given:
        if name not in shapes:
            raise InvalidArgumentError(f"there is no {at}{name}; there are: {', '.join(shapes) or 'none'}")
    for name in required:
        if name not in given:
            raise InvalidArgumentError(f"{at}{name} is missing")
    return {name: shapes[name].make(value, at + name) for name, value in given.items()}
