"""What there is of tools that are functions: each with its tag, its sentence and what it takes.

A file that cannot be loaded or a function that cannot be described is one line for the user, and harms no
other. What a workspace's file says of itself is a text from outside: it is cut, and made one line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tripletick.languages import registry
from tripletick.sandbox.box import Limits
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.own import arguments
from tripletick.tools.own.runners import HostRunner, RunnerOptions, SandboxRunner
from tripletick.tools.parameters import Parameter, Parameters

TAG = lazy_regex(r"[a-z][a-z0-9_]{0,39}")
RESERVED = frozenset(
    ("own", "languages", "describe", "output", "result", "observation", "function", "action")
)
"""Names that mean something else in an agent's file or in a reply."""
SECONDS = 20.0
"""What a file may take to be loaded."""
LONGEST = 160
"""Characters of a sentence about a tool or an argument."""
MOST = 64
"""Tools of one file."""

NOT_LOADED = "Tools of {at} are not used: {why}."
NOT_MADE = "The tool {name} of {at} is not used: {why}."
NO_TAG = "its name may contain only lowercase letters, digits and _"
TAKEN = "{tag} is already taken"
TWICE = "{at} already has a tool of this name"
GARBLED = "its description cannot be read"
SLOW = "loading took longer than {seconds:g} s"
ENDED = "loading exited with status {status}"


@dataclass(frozen=True, slots=True)
class ToolSource:
    """A file or entry point that may hold tools. `at` names it to the user, `ask` is what to load."""

    at: str
    ask: Mapping[str, str]
    place: HostRunner | SandboxRunner


@dataclass(frozen=True, slots=True)
class CustomTool:
    """One tool: a function of the source."""

    tag: str
    name: str
    source: ToolSource
    says: str = ""
    parameters: Parameters = ()
    writes: bool = False
    line: int = 0
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def location(self) -> str:
        """Where it stands, for the user."""
        boxed = " (in the sandbox)" if isinstance(self.source.place, SandboxRunner) else ""
        return f"{self.source.at}:{self.line}{boxed}" if self.line else f"{self.source.at}{boxed}"


def describe_source(
    source: ToolSource, limits: Limits, *, seconds: float = SECONDS
) -> tuple[list[CustomTool], list[str]]:
    """Load a source in its place; give its tools, and lines for the user."""
    coming = source.place.run({"do": "describe", **source.ask}, RunnerOptions(limits, seconds))
    while True:
        try:
            next(coming)
        except StopIteration as end:
            came = end.value
            break
    told = came.told or {}
    if "tools" not in told:
        line, why = told.get("line"), told.get("error")
        slow = SLOW.format(seconds=seconds) if came.finished.struck == "timeout" else ""
        ended = ENDED.format(status=came.finished.status)
        why = to_one_line(why or slow or ended).rstrip(".")
        return [], [NOT_LOADED.format(at=_format_location(source, line), why=why)]
    tools, lines = list[CustomTool](), list[str]()
    for row in _filter_rows(told.get("problems")):
        name, why = (to_one_line(row.get(key)) for key in ("name", "what"))
        lines.append(NOT_MADE.format(name=name, at=_format_location(source, row.get("line")), why=why))
    for row in _filter_rows(told["tools"]):
        try:
            tools.append(_parse_tool(source, row))
        except (AttributeError, KeyError, TypeError, ValueError):
            lines.append(NOT_MADE.format(name=to_one_line(row.get("name")), at=source.at, why=GARBLED))
    return tools, lines


def _format_location(source: ToolSource, line: object) -> str:
    return f"{source.at}:{to_one_line(line)}" if line else source.at


def choose_tools(
    found: Collection[CustomTool], taken: Collection[str]
) -> tuple[dict[str, CustomTool], list[str]]:
    """Give the tools by their tags, the first of each name, and lines for the others."""
    kept: dict[str, CustomTool] = {}
    told = []
    for one in found:
        known = registry.to_canonical_tag(one.tag)
        if not TAG.fullmatch(one.tag):
            why = NO_TAG
        elif one.tag in RESERVED or one.tag in taken or known in registry.LANGUAGES:
            why = TAKEN.format(tag=one.tag)
        elif one.tag in kept:
            why = TWICE.format(at=kept[one.tag].location)
        else:
            kept[one.tag] = one
            continue
        told.append(NOT_MADE.format(name=to_one_line(one.name), at=one.location, why=why))
    return kept, told


def format_line(own: CustomTool) -> str:
    """Tell of a tool in a line: `word_count(text, n: a whole number = 3): Counts words.`"""
    rows = ", ".join(_format_argument(one, own.defaults) for one in own.parameters)
    return f"{own.tag}({rows}): {own.says}".rstrip(": ")


def format_usage(own: CustomTool) -> str:
    """Tell how its block is written, and what its arguments mean."""
    meant = (f"{one.name}: {one.says}" for one in own.parameters if one.says)
    return "\n".join([arguments.format_usage(own.parameters) or "nothing", *meant])


def _format_argument(one: Parameter, defaults: Mapping[str, Any]) -> str:
    default = defaults.get(one.name)
    name = one.name if one.required or default is not None else f"{one.name}?"
    words = arguments.describe_schema(one.schema).removesuffix(" or null")
    typed = name if words in arguments.UNTOLD else f"{name}: {words}"
    return typed if default is None else f"{typed} = {to_one_line(json.dumps(default, ensure_ascii=False))}"


def to_one_line(text: object) -> str:
    """Make a text of a tool's fit for one line: printable, and not longer than a sentence."""
    line = " ".join(str(text).split())
    kept = "".join(sign for sign in line[: LONGEST + 1] if sign.isprintable())
    return kept if len(line) <= LONGEST else f"{kept[: LONGEST - 1]}…"


def _parse_tool(source: ToolSource, row: Mapping[str, Any]) -> CustomTool:
    from docstring_parser import ParseError, parse

    doc, says = str(row.get("doc", ""))[: LONGEST * 40], dict[str, str]()
    try:
        read = parse(doc)
        short = read.short_description or ""
        says = {one.arg_name: one.description or "" for one in read.params}
    except (ParseError, ValueError, IndexError):
        short = doc.partition("\n")[0]
    rows = list(_filter_rows(row.get("parameters")))
    name = str(row.get("name", ""))
    return CustomTool(
        tag=name.casefold().replace("-", "_"),
        name=name,
        source=source,
        says=to_one_line(short),
        parameters=tuple(_parse_parameter(each, says) for each in rows),
        writes=bool(row.get("writes")),
        line=int(row.get("line", 0)),
        defaults={str(each["name"]): each["default"] for each in rows if "default" in each},
    )


def _parse_parameter(row: Mapping[str, Any], says: Mapping[str, str]) -> Parameter:
    name, told = str(row["name"]), row["schema"]
    if not name.isidentifier() or len(name) > LONGEST:
        raise ValueError(name)
    said = told.get("description") or says.get(name, "")
    return Parameter(name, to_one_line(said), _check_schema(told), required=bool(row["required"]))


def _check_schema(told: Any, depth: int = 12) -> dict[str, Any]:
    """Keep of a schema what the runner writes. Raises ValueError where it is none of the runner's."""
    if not isinstance(told, dict) or not depth:
        raise ValueError(told)
    return {key: KEYWORDS[key](value, depth - 1) for key, value in told.items() if key != "description"}


def _check_type(value: Any, depth: int) -> Any:
    if value != "path" and value not in arguments.KINDS:
        raise ValueError(value)
    return value


def _check_list(value: Any, depth: int) -> list[Any]:
    if any(isinstance(each, dict | list) for each in value) or len(str(value)) > MOST * LONGEST:
        raise ValueError(value)
    return list(value)


def _check_properties(value: Any, depth: int) -> dict[str, Any]:
    if not all(name.isidentifier() and len(name) <= LONGEST for name in value):
        raise ValueError(value)
    return {name: _check_schema(each, depth) for name, each in value.items()}


KEYWORDS: Mapping[str, Callable[[Any, int], Any]] = {
    "type": _check_type,
    "format": _check_type,
    "enum": _check_list,
    "required": _check_list,
    "anyOf": lambda value, depth: [_check_schema(each, depth) for each in value],
    "properties": _check_properties,
    "items": _check_schema,
    "additionalProperties": _check_schema,
}
"""What the runner writes of JSON schema, and what makes it sound; another keyword is a KeyError."""


def _filter_rows(told: object) -> Iterator[Mapping[str, Any]]:
    rows = told if isinstance(told, list) else []
    yield from (row for row in rows[:MOST] if isinstance(row, dict))
