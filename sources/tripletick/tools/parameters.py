"""What a tool takes when it is called by name and arguments, and how these become its `Call`.

The reader of fences fills body, path and words of a `Call` by itself; for the dialects that write
`read(path="a.txt")` the rows of `Parameter` say where each argument goes. What may be made of an argument
with certainty is done here; whatever is doubtful is an `ArgumentsError`, worded for the model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tripletick.messages import Call

Place = Literal["body", "path", "option", "word"]
TEXT: Mapping[str, Any] = {"type": "string"}
NUMBER: Mapping[str, Any] = {"type": "number"}
SWITCH: Mapping[str, Any] = {"type": "boolean"}
SAID_ONLY = frozenset({"description", "explanation", "reason", "thought"})
"""Arguments that models add and that change nothing."""
LARGEST = 1e300
"""A number that no float holds is a mistake."""
SWITCHES = {"true": True, "yes": True, "false": False, "no": False}


class ArgumentsError(ValueError):
    """Arguments that do not fit, in one sentence for the model."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument: a JSON schema for the engine, `place` in the call, and what else models call it.

    `option` goes into the words of the call as `name=value`, `word` by itself (a switch by its name).
    """

    name: str
    says: str = ""
    schema: Mapping[str, Any] = field(default_factory=lambda: TEXT)
    place: Place = "body"
    required: bool = True
    others: tuple[str, ...] = ()
    many: bool = False
    """A text of one a line, which may come as a list."""


Parameters = tuple[Parameter, ...]


def to_json_schema(parameters: Parameters) -> dict[str, Any]:
    """Give the JSON schema of an object of these arguments."""
    rows = {one.name: {**one.schema, **({"description": one.says} if one.says else {})} for one in parameters}
    return {
        "type": "object",
        "properties": rows,
        "required": [one.name for one in parameters if one.required],
    }


def format_signature(tag: str, parameters: Parameters) -> str:
    """Write `read(path, lines?)`; what need not be given has a question mark."""
    names = (one.name if one.required else f"{one.name}?" for one in parameters)
    return f"{tag}({', '.join(names)})"


def bind_positional(parameters: Parameters, values: Sequence[Any]) -> dict[str, Any]:
    """Name arguments that came without names. Raises ArgumentsError."""
    if len(values) > len(parameters):
        raise ArgumentsError(f"it takes at most {len(parameters)} arguments")
    return {one.name: value for one, value in zip(parameters, values, strict=False)}


def fit_arguments(parameters: Parameters, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Give the arguments by their parameters' names, as their schemas want them. Raises ArgumentsError."""
    fitted: dict[str, Any] = {}
    for word, value in arguments.items():
        one = find_parameter(parameters, word)
        if one and one.name in fitted:
            raise ArgumentsError(f"`{one.name}` was given twice")
        if one and value is not None:
            fitted[one.name] = _convert_value(one, value)
        elif one is None and word.casefold() not in SAID_ONLY:
            raise ArgumentsError(f"it has no `{word}`")
    if lacking := [one.name for one in parameters if one.required and one.name not in fitted]:
        raise ArgumentsError(f"`{lacking[0]}` is missing")
    return fitted


def find_parameter(parameters: Parameters, word: str) -> Parameter | None:
    """Find a parameter by its name, else by what models call it."""
    folded = word.strip().casefold().replace("-", "_")
    exact = (one for one in parameters if one.name.casefold() == folded)
    return next(exact, None) or next((one for one in parameters if folded in one.others), None)


def build_call(tag: str, parameters: Parameters, given: Mapping[str, Any]) -> Call:
    """Make the call as the parameters' places say."""
    at: dict[str, Any] = {one.place: given[one.name] for one in parameters if one.name in given}
    body = at.get("body", "")
    body = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return Call(tag, body.removesuffix("\n"), at.get("path"), tuple(_format_words(parameters, given)))


def extract_arguments(parameters: Parameters, call: Call) -> dict[str, Any]:
    """Give the arguments of which `place` makes this call."""
    at = {"body": call.body, "path": call.path}
    found = {one.name: at[one.place] if one.place in at else _extract_option(one, call) for one in parameters}
    return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True)
class CallSchema:
    """How one tool is called: its parameters, what makes a call of arguments that fit, and the way back."""

    parameters: Parameters = ()
    place: Callable[[str, Parameters, Mapping[str, Any]], Call] = build_call
    taken: Callable[[Parameters, Call], dict[str, Any]] = extract_arguments
    says: str = ""
    """What the tool does, where its own sentence speaks of tags and bodies."""

    def make_call(self, tag: str, arguments: Mapping[str, Any]) -> Call:
        """Make the call. Raises ArgumentsError, which says what the tool takes."""
        try:
            return self.place(tag, self.parameters, fit_arguments(self.parameters, arguments))
        except ArgumentsError as wrong:
            takes = format_signature(tag, self.parameters)
            raise ArgumentsError(f"{tag} was not called rightly: {wrong}. It is {takes}.") from None

    def get_arguments(self, call: Call) -> dict[str, Any]:
        """Give the arguments of a call."""
        return self.taken(self.parameters, call)


def _format_words(parameters: Parameters, given: Mapping[str, Any]) -> Iterator[str]:
    for one in parameters:
        value = given.get(one.name)
        if one.place == "option" and value is not None:
            yield f"{one.name}={value:g}" if isinstance(value, int | float) else f"{one.name}={value}"
        elif one.place == "word" and value:
            yield one.name if value is True else str(value)


def _extract_option(one: Parameter, call: Call) -> Any:
    if one.place == "option":
        told = call.get_option(one.name)
        return told if told is None else _convert_value(one, told)
    if one.place == "word":
        allowed = one.schema.get("enum", ())
        return True if one.name in call.args else next((word for word in call.args if word in allowed), None)
    return "" if one.required else None


def _convert_value(one: Parameter, value: Any) -> Any:
    kind = one.schema.get("type")
    if one.many and isinstance(value, list) and all(isinstance(each, str) for each in value):
        value = "\n".join(value)
    made = _KINDS[kind](value) if isinstance(kind, str) and kind in _KINDS else value
    if made is None:
        raise ArgumentsError(f"`{one.name}` must be a {kind}")
    allowed = one.schema.get("enum")
    if allowed and made not in allowed:
        raise ArgumentsError(f"`{one.name}` is one of {', '.join(map(str, allowed))}")
    return made


def _to_text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _to_number(value: Any) -> int | float | None:
    if isinstance(value, str) and re.fullmatch(r"\s*[-+]?\d+(\.\d+)?\s*", value):
        value = float(value)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if number and abs(value) < LARGEST else None


def _to_integer(value: Any) -> int | None:
    made = _to_number(value)
    return int(made) if made is not None and made == int(made) else None


def _to_bool(value: Any) -> bool | None:
    return value if isinstance(value, bool) else SWITCHES.get(str(value).strip().casefold())


_KINDS: Mapping[str, Callable[[Any], Any]] = {
    "string": _to_text,
    "number": _to_number,
    "integer": _to_integer,
    "boolean": _to_bool,
}
"""Reads a value as that type; None where it is none."""

TIMEOUT = Parameter("timeout", "seconds it may take", NUMBER, "option", required=False)
PATH_NAMES = ("file", "filename", "file_name", "file_path", "filepath", "target_file")
PATH = Parameter("path", "the file", TEXT, "path", others=PATH_NAMES)
CODE_NAMES = ("source", "script", "program", "content", "command")
PROGRAM = CallSchema(
    (
        Parameter("code", "a whole program", others=CODE_NAMES),
        Parameter("path", "the file to save it to first", TEXT, "path", required=False, others=PATH_NAMES),
        TIMEOUT,
    )
)
COMMAND = CallSchema(
    (Parameter("command", "commands", others=("cmd", "commands", "script", "code")), TIMEOUT),
    says="runs commands in the folder",
)
CONTENT = CallSchema((PATH, Parameter("content", "its whole text", others=("contents", "text", "body"))))
