"""Slash commands that show the current state and change nothing."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator

from tripletick import __version__
from tripletick.chat.commands.chat_context import ChatContext
from tripletick.session.session import App
from tripletick.system.dirs import abbreviate_home
from tripletick.ui.columns import pick_fitting_line
from tripletick.ui.sanitize import escape_controls
from tripletick.ui.status_line import format_tokens, format_window

USED = "{used} of {window} tokens used ({part} %)"
COMPACTED = "summarized at {tokens}; to do it now: /compact"
WRITTEN_BY = {"system": "prompt", "assistant": "replies"}
OTHERS = "requests"
"""By a message's role; results stand with the requests."""
READ = "{read} tokens read{cached}, {wrote} written"
BANNERS = (
    "tripletick {version} · {model} · {folder} · /help for commands",
    "tripletick · {model} · {folder} · /help",
    "{model} · {name} · /help",
    "{model} · /help",
)
"""The first that fits into one line; the address and all else are in /status."""


def show_status(desk: ChatContext, rest: str) -> None:
    desk.show_table([(name, value) for name, value in _status_rows(desk.app) if value])


def show_tokens(desk: ChatContext, rest: str) -> None:
    """Say what the context holds, by who wrote it, and what was read and written since the chat began."""
    desk.show_table([(name, value) for name, value in _token_rows(desk) if value])


def format_greeting(app: App) -> Iterator[str]:
    """What stands above the first line: one line, and what is said of a session that goes on."""
    yield format_banner(app, shutil.get_terminal_size().columns)
    yield from app.past.told if app.past else ()


def format_banner(app: App, width: int) -> str:
    """Say what is at work, and where, in one line of so many cells."""
    folder, model = escape_controls(abbreviate_home(app.folder)), escape_controls(current_model_name(app))
    name = escape_controls(app.folder.name) or folder
    names = {"version": __version__, "model": model, "folder": folder, "name": name}
    return pick_fitting_line([banner.format(**names) for banner in BANNERS], width)


def current_model_name(app: App) -> str:
    """Name the model with its engine, as the config does."""
    about = app.model_info
    return f"{about.engine}:{about.name}" if about else app.config.model.name or "no model yet"


def _token_rows(desk: ChatContext) -> Iterator[tuple[str, str]]:
    loop, spent = desk.app.loop, desk.spent
    if loop:
        budget, messages = loop.replies.budget, loop.conversation.build_messages()
        used = budget.estimate_tokens(messages)
        yield (
            "context",
            USED.format(
                used=format_tokens(used),
                window=format_window(budget.window),
                part=100 * used // budget.window,
            ),
        )
        yield "", COMPACTED.format(tokens=format_tokens(int(budget.full * budget.window)))
        written = Counter[str]()
        for one in messages:
            written[WRITTEN_BY.get(one.role, OTHERS)] += len(one.all_text)
        yield from (
            (name, f"about {format_tokens(int(size * budget.rate))}") for name, size in written.items()
        )
    cached = f", {format_tokens(spent.cached)} of them from the cache" if spent.cached is not None else ""
    yield (
        "this chat",
        READ.format(read=format_tokens(spent.prompt), cached=cached, wrote=format_tokens(spent.output)),
    )


def _status_rows(app: App) -> Iterator[tuple[str, str]]:
    about, loop = app.model_info, app.loop
    yield "model", current_model_name(app)
    if about:
        yield "engine", f"{about.engine} {about.version}".strip()
        yield "address", about.where
        yield "dialect", app.dialect.description
    yield "agent", app.config.agent.name
    if loop:
        budget = loop.replies.budget
        used = budget.estimate_tokens(loop.conversation.build_messages())
        yield "context", f"{used} of {budget.window} tokens used ({100 * used // budget.window} %)"
        yield "sandbox", f"{loop.context.box.name}, mode {app.workspace.mode}"
        yield "blocks", app.workspace.permission_text
    yield "folder", abbreviate_home(app.folder)
    yield "session", app.log.id
