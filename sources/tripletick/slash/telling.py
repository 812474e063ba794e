"""Slash commands that tell how things stand and change nothing."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator

from tripletick import __version__
from tripletick.app import App
from tripletick.places import shown
from tripletick.slash.desk import Desk
from tripletick.ui.columns import first_fitting
from tripletick.ui.gauge import short, window
from tripletick.ui.safe import visible

USED = "{used} of {window} tokens used ({part} %)"
COMPACTED = "summed up when it reaches {tokens}; at once: /compact"
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


def status(desk: Desk, rest: str) -> None:
    desk.table([(name, value) for name, value in _state(desk.app) if value])


def tokens(desk: Desk, rest: str) -> None:
    """Say what the context holds, by who wrote it, and what was read and written since the chat began."""
    desk.table([(name, value) for name, value in _tokens(desk) if value])


def greeting(app: App) -> Iterator[str]:
    """What stands above the first line: one line, and what is said of a session that goes on."""
    yield banner(app, shutil.get_terminal_size().columns)
    yield from app.past.told if app.past else ()


def banner(app: App, width: int) -> str:
    """Say what is at work, and where, in one line of so many cells."""
    folder, model = visible(shown(app.folder)), visible(model_at_work(app))
    name = visible(app.folder.name) or folder
    names = {"version": __version__, "model": model, "folder": folder, "name": name}
    return first_fitting([banner.format(**names) for banner in BANNERS], width)


def model_at_work(app: App) -> str:
    """Name the model with its engine, as the config does."""
    about = app.about
    return f"{about.engine}:{about.name}" if about else app.config.model.name or "no model yet"


def _tokens(desk: Desk) -> Iterator[tuple[str, str]]:
    loop, spent = desk.app.loop, desk.spent
    if loop:
        budget, messages = loop.replies.budget, loop.replies.talk.messages()
        used = budget.estimate(messages)
        yield (
            "context",
            USED.format(used=short(used), window=window(budget.window), part=100 * used // budget.window),
        )
        yield "", COMPACTED.format(tokens=short(int(budget.full * budget.window)))
        written = Counter[str]()
        for one in messages:
            written[WRITTEN_BY.get(one.role, OTHERS)] += len(one.whole)
        yield from ((name, f"about {short(int(size * budget.rate))}") for name, size in written.items())
    cached = f", {short(spent.cached)} of them from the cache" if spent.cached is not None else ""
    yield "this chat", READ.format(read=short(spent.prompt), cached=cached, wrote=short(spent.output))


def _state(app: App) -> Iterator[tuple[str, str]]:
    about, loop = app.about, app.loop
    yield "model", model_at_work(app)
    if about:
        yield "engine", f"{about.engine} {about.version}".strip()
        yield "address", about.where
        yield "dialect", app.dialect.said
    yield "agent", app.config.agent.name
    if loop:
        budget = loop.replies.budget
        used = budget.estimate(loop.replies.talk.messages())
        yield "context", f"{used} of {budget.window} tokens used ({100 * used // budget.window} %)"
        yield "box", f"{loop.bench.box.name}, mode {app.standing.mode}"
        yield "blocks", app.standing.verdict
    yield "folder", shown(app.folder)
    yield "session", app.log.id
