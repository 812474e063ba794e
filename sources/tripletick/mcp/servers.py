"""The servers of a session, by the names that the user gave them."""

from __future__ import annotations

import ipaddress
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tripletick.config.schema import ServerSection
from tripletick.mcp.index import PLAIN, ServerIndex
from tripletick.mcp.server import McpServer, OpenBox
from tripletick.mcp.values import CallResult, McpServerError, McpTool
from tripletick.sandbox.box import Box, Mode
from tripletick.system.cancellation import CancelToken
from tripletick.system.text import suggest_name

if TYPE_CHECKING:
    from tripletick.mcp.event_loop import EventLoopThread

NO_SERVER = "there is no server {name!r}{near}"
NO_TOOL = "server {name} has no tool {tool!r}{near}"
MOST_NAMED = 8


@dataclass(slots=True)
class McpServers:
    """All of a session's; none is started before it is used. Closed, they may be used again."""

    sections: Mapping[str, ServerSection]
    open_box: OpenBox
    index: ServerIndex
    _behind: EventLoopThread | None = None
    _open: dict[tuple[str, Mode], McpServer] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _kept: dict[tuple[str, str], McpServerError] = field(default_factory=dict)
    """What went wrong when a tool was looked at before its call."""

    def get_server(self, name: str, mode: Mode) -> McpServer:
        """Give a server whose program has this mode. Raises McpServerError where none is called so."""
        if name not in self.sections:
            raise McpServerError(NO_SERVER.format(name=name, near=format_near_names(name, self.sections)))
        with self._guard:
            key = name, mode
            if self._behind is None:
                from tripletick.mcp.event_loop import EventLoopThread

                self._behind = EventLoopThread()
            if key not in self._open:
                self._open[key] = McpServer(name, self.sections[name], mode, self._behind, self.open_box)
            return self._open[key]

    def list_tools(self, name: str, mode: Mode, halt: CancelToken) -> tuple[McpTool, ...]:
        """Give what a server offers. Raises McpServerError."""
        found = self.get_server(name, mode).list_tools(halt)
        self.index.remember_tools(name, self.sections[name], found)
        return found

    def get_tool(self, name: str, tool: str, mode: Mode, halt: CancelToken) -> McpTool:
        """Give one tool of a server. Raises McpServerError, that of a `peek_tool` first."""
        if kept := self._kept.pop((name, tool), None):
            raise kept
        there = {each.name: each for each in self.list_tools(name, mode, halt)}
        if tool not in there:
            near = format_near_names(
                tool, {name: each for name, each in there.items() if PLAIN.fullmatch(name)}
            )
            raise McpServerError(NO_TOOL.format(name=name, tool=tool, near=near))
        return there[tool]

    def peek_tool(self, name: str, tool: str, mode: Mode, halt: CancelToken) -> McpTool | None:
        """Give a tool that is about to be called; what goes wrong is raised by that call."""
        try:
            return self.get_tool(name, tool, mode, halt)
        except McpServerError as failure:
            self._kept[name, tool] = failure
            return None

    def call_tool(
        self, name: str, tool: McpTool, arguments: Mapping[str, Any], mode: Mode, halt: CancelToken
    ) -> CallResult:
        """Call a tool. Raises McpServerError."""
        return self.get_server(name, mode).call_tool(tool, arguments, halt)

    def describe_for_dialect(self, dialect: str) -> str:
        """Give what the first request says of them, "" where there are none."""
        return self.index.format_lines(self.sections, dialect)

    def describe_all(self) -> str:
        """Name all servers in a line each."""
        return self.index.format_lines(self.sections, "")

    def remote_host(self, name: str) -> str:
        """Give the host that a server is at where that is not this machine, "" for all others."""
        url = self.sections[name].url
        where = urlsplit(url).hostname or "" if url else ""
        return "" if is_loopback(where) else where

    def is_confined(self, name: str) -> bool:
        """Tell whether a server is in a box of its own."""
        section = self.sections[name]
        return bool(section.command) and section.box

    def is_untrusted(self, name: str, tool: McpTool) -> bool:
        """Tell whether what a tool says may be the words of strangers: of whoever it reaches."""
        section = self.sections[name]
        return bool(tool.reaches_out or (self.is_confined(name) and section.network))

    def close(self) -> None:
        """End all that were started."""
        for server in self._open.values():
            server.close()
        self._open.clear()
        if self._behind:
            self._behind.close()


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine; no host is nowhere else."""
    if host in ("", "localhost") or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def format_near_names(name: str, there: Mapping[str, object]) -> str:
    """Say which name is near, else some of those that there are."""
    return suggest_name(name, list(there), most=MOST_NAMED, cutoff=0.6)


def make_empty_servers() -> McpServers:
    """Give the servers of somebody who has none."""
    return McpServers({}, _refuse_box, ServerIndex(Path(), keep=False))


def _refuse_box(name: str, section: ServerSection, halt: CancelToken) -> Box:
    raise OSError(f"no box for {name}")
