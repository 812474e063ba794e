"""What a server offers, in words for the model: all tools in a line each, or one with what it takes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tripletick.mcp.values import McpTool
from tripletick.system.lazy_regex import lazy_regex

MOST = 40
"""Tools of one page."""
_PAGE = lazy_regex("[0-9]{1,4}")
SHORT = 100
"""Characters of what a tool says of itself in a list."""
COUNT = "{name}: {count} tools{found}"
FOUND = ", {count} of them with {words}"
NOTHING = "none with {words}"
MORE = (
    "… {count} more: describe `{name} {page}` for the next, or `{name} WORD` for those that have the word in "
    "name or sentence"
)
ONE = "{name}.{tool}: {says}"
NONE = "takes no arguments: {}"
ARGUMENT = "- {name} ({kind}{required}){says}"
EXAMPLE = "Call: mcp:{name}.{tool} with {body}"


def format_tool_list(name: str, tools: Sequence[McpTool], words: Sequence[str]) -> str:
    """List a server's tools; `words` filter them, a number among them is the page."""
    pages = [int(word) for word in words if _PAGE.fullmatch(word)]
    wanted = [word.casefold() for word in words if not _PAGE.fullmatch(word)]
    found = [tool for tool in tools if all(word in f"{tool.name} {tool.says}".casefold() for word in wanted)]
    first = (max(pages, default=1) - 1) * MOST
    shown = found[max(first, 0) : first + MOST]
    filtered = FOUND.format(count=len(found), words=" ".join(wanted)) if wanted else ""
    lines = [COUNT.format(name=name, count=len(tools), found=filtered), *map(_format_tool_line, shown)]
    left = len(found) - first - len(shown)
    if left > 0:
        lines.append(MORE.format(count=left, name=name, page=" ".join([*wanted, str(first // MOST + 2)])))
    return "\n".join(lines)


def format_tool(name: str, tool: McpTool) -> str:
    """Say all of one tool: its words, a line an argument, and how it is called."""
    says = ONE.format(name=name, tool=tool.name, says=tool.says or "(says nothing of itself)")
    rows = list(_format_arguments(tool.schema))
    body = {key: _sample_value(row) for key, row, required in _list_properties(tool.schema) if required}
    call = EXAMPLE.format(name=name, tool=tool.name, body=json.dumps(body, ensure_ascii=False))
    return "\n".join(
        [
            says,
            *(rows or [NONE]),
            *([_format_definitions(tool.schema)] if _format_definitions(tool.schema) else []),
            call,
        ]
    )


def _format_tool_line(tool: McpTool) -> str:
    names = ", ".join(key if required else f"{key}?" for key, _, required in _list_properties(tool.schema))
    says = " ".join(tool.says.split())
    return f"- {tool.name}({names}): {says if len(says) <= SHORT else says[:SHORT] + '…'}"


def _list_properties(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], bool]]:
    """Give each argument with its schema, and whether it must be given; a server may send anything."""
    rows, needed = schema.get("properties"), schema.get("required")
    for key, row in rows.items() if isinstance(rows, dict) else ():
        yield key, row if isinstance(row, dict) else {}, isinstance(needed, list) and key in needed


def _format_arguments(schema: Mapping[str, Any]) -> Iterator[str]:
    for key, row, required in _list_properties(schema):
        says = " ".join(str(row.get("description", "")).split())
        needed = ", required" if required else ""
        yield ARGUMENT.format(name=key, kind=_format_type(row), required=needed, says=says and f": {says}")


def _format_type(row: Mapping[str, Any]) -> str:
    """Name a plain type; what is more than that is shown as its schema."""
    known = {key: value for key, value in row.items() if key not in ("description", "title", "default")}
    plain = {"type", "enum"}.issuperset(known) and isinstance(known.get("type"), str)
    kind = known["type"] if plain else json.dumps(known, ensure_ascii=False)
    allowed = known.get("enum") if plain else None
    words = f" of {', '.join(map(str, allowed))}" if isinstance(allowed, list) else ""
    default = f", else {json.dumps(row['default'], ensure_ascii=False)}" if "default" in row else ""
    return f"{kind}{words}{default}"


def _format_definitions(schema: Mapping[str, Any]) -> str:
    """Give the definitions that argument types lead to, "" where there are none."""
    held = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    return json.dumps(held, ensure_ascii=False) if held else ""


_SAMPLES: Mapping[str, Any] = {
    "string": "…",
    "number": 1,
    "integer": 1,
    "boolean": True,
    "array": [],
    "object": {},
}


def _sample_value(row: Mapping[str, Any]) -> Any:
    allowed = row.get("enum")
    if isinstance(allowed, list) and allowed:
        return allowed[0]
    kind = row.get("type")
    return _SAMPLES.get(kind, "…") if isinstance(kind, str) else "…"
