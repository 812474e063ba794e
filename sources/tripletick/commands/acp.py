"""Serve editors over the Agent Client Protocol (ACP)."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tripletick.acp import PACKAGE
from tripletick.commands import session_setup, task
from tripletick.errors import UsageError
from tripletick.system import dirs, optional_deps
from tripletick.ui.sanitize import print_notice

if TYPE_CHECKING:
    from tripletick.chat.frontend import Screen
    from tripletick.config.config import Config
    from tripletick.errors import TripletickError
    from tripletick.history.history import Past
    from tripletick.session.session import App

BY_HAND = "This speaks JSON-RPC, and an editor starts it: tripletick help editors. Ctrl+C ends it."


@dataclass(frozen=True, slots=True)
class CommandSessions:
    """Opens sessions as one task and the chat do."""

    places: dirs.AppDirs

    def load_settings(self, options: argparse.Namespace) -> Config:
        return session_setup.load_settings(options, self.places)

    def restore_options(self, options: argparse.Namespace, past: Past) -> argparse.Namespace:
        return task.restore_options(options, past)

    def open_session(
        self, options: argparse.Namespace, past: Past | None, screen: Screen, name: str
    ) -> AbstractContextManager[tuple[App, Screen, TripletickError | None]]:
        return session_setup.open_session(options, past, screen=screen, name=name)


def run_acp(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Serve until the editor hangs up. Raises UsageError for words, and where the SDK is missing."""
    if words:
        what = f"acp {' '.join(words)} is not understood."
        raise UsageError(what, "It takes flags alone: the editor sends the requests.", "tripletick acp")
    if not optional_deps.present("acp"):
        what = f"tripletick acp needs the package {PACKAGE}, which is not installed."
        why = "It is an optional dependency."
        raise UsageError(what, why, f"Install it: {optional_deps.ask_for(PACKAGE)}")
    from tripletick.acp.server import serve_stdio

    if sys.stdin.isatty():
        print_notice(BY_HAND)
    # no questions about models: the editor has a list of them
    options.quiet = True
    return asyncio.run(serve_stdio(options, CommandSessions(dirs.find_dirs())))
