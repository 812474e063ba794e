"""What the first request says of the servers: one line each, with the tools available last time.

The names are kept from one session to the next, so that no server is started for the line alone. A tool's own
words stay out of it: they are read when they are asked for.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tripletick.config.schema import ServerSection
from tripletick.mcp.values import McpTool
from tripletick.system.dirs import make_private_folder
from tripletick.system.lazy_regex import lazy_regex

NAME = "servers.json"
HEAD = {
    "fence": "Servers: a block mcp:SERVER.TOOL holds a JSON object; mcp:describe holds SERVER or SERVER.TOOL "
    "and says what it takes.",
    "": "Servers: mcp calls SERVER.TOOL with a JSON object; describe says what SERVER or SERVER.TOOL takes.",
}
"""By the dialect, "" for all others."""
LINE = "- {name}{about}: {tools}"
UNKNOWN = "describe it first"
MANY = "{count} tools, such as {names}"
LONGEST = 120
"""Characters of the names in one line."""
PLAIN = lazy_regex(r"[\w./-]{1,80}")
"""Names of tools that are told without a mark: no sentence can stand in them."""
_WANTED = lazy_regex(
    r"\b(?:us(?:e|ing)|via|with|through|call|ask|nutz\w*|verwend\w*|benutz\w*|mit|über|utilis\w*|avec|usa\w*"
    r"|con|com|gebruik\w*|met|użyj|przez|kullan\w*|используй\w*|через)\s+(?:\w+\s+){0,2}mcp\b"
    r"(?!\s+(?:support|client|sdk|librar|spec|protocol))|(?:用|使用|通过)\s*mcp|mcp\s*(?:を使|で|로|를|을|ile\b)",
    re.IGNORECASE,
)
"""Words that ask for MCP without a server's name, in the languages that the router knows."""


class ServerIndex:
    """What was learnt of servers, in one file of ours; `keep` False: nothing is written."""

    def __init__(self, state: Path, *, keep: bool = True) -> None:
        self._path, self._keep = state / NAME, keep

    def format_lines(self, sections: Mapping[str, ServerSection], dialect: str) -> str:
        """Give the lines for the first request, "" without a server."""
        known = self._read_file() if sections else {}
        lines = [_format_server_line(name, section, known.get(name)) for name, section in sections.items()]
        return "\n".join([HEAD.get(dialect, HEAD[""]), *lines, ""]) if lines else ""

    def remember_tools(self, name: str, section: ServerSection, tools: Sequence[McpTool]) -> None:
        """Keep the names of a server's tools; where that cannot be, the next session asks again."""
        known = self._read_file()
        row = {"server": _fingerprint_server(section), "tools": [tool.name for tool in tools]}
        if self._keep and known.get(name) != row:
            with contextlib.suppress(OSError):
                self._write_file({**known, name: row})

    def _read_file(self) -> dict[str, Any]:
        with contextlib.suppress(OSError, ValueError, RecursionError):
            known = json.loads(self._path.read_text("utf-8"))
            return known if isinstance(known, dict) else {}
        return {}

    def _write_file(self, known: Mapping[str, Any]) -> None:
        make_private_folder(self._path.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
        with os.fdopen(os.open(self._path, flags, 0o600), "w", encoding="utf-8") as file:
            json.dump(known, file)


def find_named_server(request: str, names: Sequence[str]) -> str:
    """Give the server that a request names as one, "" where it names none: `with the time server`,
    `mcp:time`, `time.convert`, or by a name that is no plain word.
    """
    for name in names:
        exact = re.escape(name)
        plain = rf"\b{exact}(?:[ -](?:mcp|server)\b|\.\w)|\b(?:mcp:?|server)\s*{exact}\b"
        if re.search(rf"\b{exact}\b" if re.search(r"[\d_-]", name) else plain, request, re.IGNORECASE):
            return name
    return ""


def _format_server_line(name: str, section: ServerSection, row: Any) -> str:
    about = f" ({section.about})" if section.about else ""
    there = isinstance(row, dict) and row.get("server") == _fingerprint_server(section)
    known = row.get("tools") if there else []
    tools = [
        tool
        for tool in (known if isinstance(known, list) else [])
        if isinstance(tool, str) and PLAIN.fullmatch(tool)
    ]
    return LINE.format(name=name, about=about, tools=_format_tool_names(tools) if tools else UNKNOWN)


def _format_tool_names(tools: Sequence[str]) -> str:
    whole = " ".join(tools)
    if len(whole) <= LONGEST:
        return whole
    start = whole[: LONGEST // 2].rpartition(" ")[0] or tools[0][:LONGEST]
    return MANY.format(count=len(tools), names=start)


def _fingerprint_server(section: ServerSection) -> str:
    """Give what changes when the server does."""
    return hashlib.sha256(f"{section.command}\n{section.url}".encode()).hexdigest()[:16]


def wants_servers(request: str) -> bool:
    """Tell whether a request is to be done with MCP, whichever the server: `use MCP to …`."""
    return bool(_WANTED.search(request))
