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


class UnfitError(TypeError):
    """A parameter that cannot be described."""


class WrongError(ValueError):
    """An argument that does not fit, worded for the model."""


@dataclasses.dataclass(frozen=True)
class Shape:
    """What one parameter takes: as JSON schema, and what makes the value of it."""

    schema: dict[str, Any]
    make: Make


def shape_of(kind: Any) -> Shape:
    """Read a type. Raises UnfitError."""
    if kind in (Any, inspect.Parameter.empty, object):
        return Shape({}, lambda value, at: value)
    if kind in PLAIN:
        return Shape({"type": PLAIN[kind]}, _plain(kind))
    if isinstance(kind, type) and issubclass(kind, os.PathLike):
        return Shape({"type": "string", "format": "path"}, lambda value, at: Path(_plain(str)(value, at)))
    if kind in (None, type(None)):
        return Shape({"type": "null"}, lambda value, at: _one_of((None,), value, at))
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _record(kind)
    return _composed(kind)


def _composed(kind: Any) -> Shape:
    origin, inner = typing.get_origin(kind) or kind, typing.get_args(kind)
    if origin is typing.Annotated:
        said = " ".join(word for word in inner[1:] if isinstance(word, str))
        shape = shape_of(inner[0])
        return Shape({**shape.schema, "description": said}, shape.make) if said else shape
    if origin is typing.Literal:
        return Shape({"enum": list(inner)}, lambda value, at: _one_of(inner, value, at))
    if origin in (typing.Union, types.UnionType):
        return _either([shape_of(each) for each in inner])
    if origin is dict:
        return _mapping(*(inner or (str, Any)))
    if origin in MANY and (origin is not tuple or inner[1:] in ((), (...,))):
        return _many(origin, shape_of(inner[0] if inner else Any))
    raise UnfitError(getattr(kind, "__name__", str(kind)))


def _plain(kind: type) -> Make:
    def make(value: Any, at: str) -> Any:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if kind is float and number:
            return float(value)
        if kind is int and number and value % 1 == 0:
            return int(value)
        if kind in (str, bool) and isinstance(value, kind):
            return value
        raise WrongError(f"{at} must be {WORDS[kind]}, not {_shown(value)}")

    return make


def _one_of(allowed: tuple[Any, ...], value: Any, at: str) -> Any:
    for each in allowed:
        if each == value and isinstance(value, bool) == isinstance(each, bool):
            return each
    raise WrongError(f"{at} must be {' or '.join(map(_shown, allowed))}, not {_shown(value)}")


def _either(shapes: list[Shape]) -> Shape:
    def make(value: Any, at: str) -> Any:
        problems = []
        for shape in shapes:
            try:
                return shape.make(value, at)
            except WrongError as wrong:
                problems.append(str(wrong))
        raise WrongError(problems[0])

    return Shape({"anyOf": [shape.schema for shape in shapes]}, make)


def _many(origin: type, item: Shape) -> Shape:
    def make(value: Any, at: str) -> Any:
        if not isinstance(value, list):
            raise WrongError(f"{at} must be a list, not {_shown(value)}")
        return origin(item.make(each, f"{at}[{number}]") for number, each in enumerate(value))

    return Shape({"type": "array", "items": item.schema}, make)


def _mapping(key: Any, kind: Any) -> Shape:
    if key not in (str, Any):
        raise UnfitError(f"dict[{getattr(key, '__name__', key)}, …]")
    item = shape_of(kind)

    def make(value: Any, at: str) -> Any:
        return {name: item.make(each, f"{at}.{name}") for name, each in _object(value, at).items()}

    return Shape({"type": "object", "additionalProperties": item.schema}, make)


def _record(kind: Any) -> Shape:
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}
    shapes = {name: shape_of(hints[name]) for name in fields}
    nothing = dataclasses.MISSING
    required = [name for name, one in fields.items() if one.default is one.default_factory is nothing]

    def make(value: Any, at: str) -> Any:
        return kind(**made(shapes, required, _object(value, at), f"{at}."))

    rows = {name: shape.schema for name, shape in shapes.items()}
    return Shape({"type": "object", "properties": rows, "required": required}, make)


def _object(value: Any, at: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise WrongError(f"{at} must be an object, not {_shown(value)}")
    return value


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) < 60 else text[:57] + "..."


def made(
    shapes: dict[str, Shape], required: list[str], given: dict[str, Any], at: str = ""
) -> dict[str, Any]:
    """Give the values of named arguments. Raises WrongError."""
    for name in given:
        if name not in shapes:
            raise WrongError(f"there is no {at}{name}; there are: {', '.join(shapes) or 'none'}")
    for name in required:
        if name not in given:
            raise WrongError(f"{at}{name} is missing")
    return {name: shapes[name].make(value, at + name) for name, value in given.items()}
