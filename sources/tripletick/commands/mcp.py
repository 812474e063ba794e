"""Serve as a tool for other programs over the Model Context Protocol (MCP)."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from tripletick.commands.flags import FlagParser, shared_flags
from tripletick.errors import UsageError
from tripletick.mcp import PACKAGE
from tripletick.system import optional_deps
from tripletick.system.dirs import expand_user
from tripletick.system.job import COMMAND


def run_mcp(_: argparse.Namespace, words: Sequence[str]) -> int:
    """Serve until the other program hangs up. Raises UsageError for what is no folder."""
    own = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    own.add_argument(
        "--allow",
        metavar="DIR",
        action="append",
        required=True,
        help="folder in which tasks may work, with its subfolders; repeatable",
    )
    parser = FlagParser(
        "tripletick mcp",
        description=f"{__doc__} All other flags apply to each task.",
        parents=[own, shared_flags()],
        allow_abbrev=False,
    )
    parser.parse_args(words)
    options, flags = own.parse_known_args(words)
    allowed = [_resolve_folder(name) for name in options.allow]
    if not optional_deps.present("mcp"):
        why, what = (
            "It is an optional dependency.",
            "tripletick mcp needs the package mcp, which is not installed.",
        )
        raise UsageError(what, why, f"Install it: {optional_deps.ask_for(PACKAGE)}")
    from tripletick.mcp.task_server import TaskTool, serve_stdio

    asyncio.run(serve_stdio(TaskTool((*COMMAND, *flags), allowed)))
    return 0


def _resolve_folder(name: str) -> Path:
    folder = expand_user(name).resolve()
    if not folder.is_dir():
        what, why = f"{name} is not a folder.", "Tasks only work in the folders given with --allow."
        raise UsageError(what, why, "tripletick mcp --allow DIR")
    return folder
