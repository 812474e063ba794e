"""Slash commands that tell how things stand and change nothing."""

from __future__ import annotations

from collections.abc import Iterator

from tripletick import __version__
from tripletick.app import App
from tripletick.places import shown
from tripletick.slash.desk import Desk

HELP = "/help tells what can be typed."


def status(desk: Desk, rest: str) -> None:
    desk.table([(name, value) for name, value in _state(desk.app) if value])


def greeting(app: App) -> Iterator[str]:
    """What stands above the first line."""
    about = app.about
    where = f" at {about.where}" if about and about.where != about.name else ""
    yield f"tripletick {__version__} · {model_at_work(app)}{where} · {shown(app.folder)}"
    yield HELP
    yield from app.past.told if app.past else ()


def model_at_work(app: App) -> str:
    """Name the model with its engine, as the config does."""
    about = app.about
    return f"{about.engine}:{about.name}" if about else app.config.model.name or "none yet"


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
