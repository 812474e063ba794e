"""Builds the user's servers: what box each of them gets, and what is told of those that are elsewhere.

How a server is started and spoken to is mcp/'s; nothing is started here.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tripletick.config.config import TYPED, Config, suggest_fix
from tripletick.config.schema import ServerSection
from tripletick.errors import ConfigError
from tripletick.mcp.index import ServerIndex
from tripletick.mcp.server import LASTING
from tripletick.mcp.server_process import split_command
from tripletick.mcp.servers import McpServers
from tripletick.sandbox import SAID, open_box
from tripletick.sandbox.box import Box, SandboxSpec, ignore_notice
from tripletick.sandbox.toolchains import Fences, is_program, mode_of, whole_of
from tripletick.session import builder
from tripletick.system.cancellation import CancelToken
from tripletick.system.dirs import AppDirs, expand_user

ELSEWHERE = "Server {name} is at {host}, which is not this machine: tool arguments are sent there."
ADDRESSES = ("http://", "https://")


def build_servers(
    config: Config,
    places: AppDirs,
    workspace: Path,
    notice: Callable[[str], None] = ignore_notice,
    *,
    keep: bool = True,
) -> McpServers:
    """Give the servers that the config names; `keep` False: nothing is written. Raises ConfigError."""
    for name, section in config.servers.items():
        check_server(name, section, config)

    fences = Fences((Path.home().resolve(),), workspace.resolve(), places.protected_paths)

    def opened(name: str, section: ServerSection, halt: CancelToken) -> Box:
        shared = (expand_user(path) for path in config.sandbox.see.split(":") if path)
        ground = SandboxSpec(
            workspace,
            places.state,
            "read" if config.sandbox.mode == "read" else "work",
            replace(builder.make_limits(config), timeout=LASTING, max_timeout=LASTING),
            places.protected_paths,
            (*shared, *_list_needed_paths(section, fences)),
            notice,
            halt,
            # The session tells why its box, which is the servers' too, is not the best.
            {SAID: None},
            ports=builder.parse_ports(config),
        )
        bare = config.sandbox.mode == "bare" or not section.box
        return open_box(ground, "none" if bare else config.sandbox.tier)

    found = McpServers(config.servers, opened, ServerIndex(places.state, keep=keep))
    for name in found.sections:
        if host := found.remote_host(name):
            notice(ELSEWHERE.format(name=name, host=host))
    return found


def check_server(name: str, section: ServerSection, config: Config) -> None:
    """Refuse what can never be started. Raises ConfigError."""
    where = next((place for key, place in config.where.items() if key.startswith(f"mcp.{name}.")), "")
    command, url = section.command.strip(), section.url.strip()
    key, value, why = "", "", "Set either command or url, not both."
    if command and url:
        key = "url"
    elif not command and not url:
        key, value = "command", "mcp-server-time"
    elif url and not url.startswith(ADDRESSES):
        key, value, why = "url", "http://127.0.0.1:8000/mcp", f"{url!r} is not the address of a server."
    if key:
        told = f"{where}: [mcp.{name}]" if where and where != TYPED else f"[mcp.{name}]"
        raise ConfigError(f"{told} names no server.", why, suggest_fix(f"mcp.{name}.{key}", where, value))


def _list_needed_paths(section: ServerSection, fences: Fences) -> Iterator[Path]:
    """Give what a server needs to see of this computer: its program, the files that its command names, and
    what the user adds. Of one that is not the user's own only the program: any file could be named.
    """
    known = split_command(section.command)
    words = [path for path in map(Path, known[:1] if section.boxed_only else known) if path.is_absolute()]
    for program in (each for path in words if is_program(path) for each in (path, path.resolve())):
        yield from [each for each in (whole_of(program), program) if fences.allow(each)][:1]
    yield from (path for path in words if stat.S_ISREG(mode_of(path)))
    yield from (expand_user(path) for path in section.see.split(":") if path)
