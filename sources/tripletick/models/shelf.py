"""What a server has: its models with their sizes, contexts and abilities, asked for side by side.

Which of them suits this machine is told in choice.py; fetching one is pulling.py's.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from tripletick.errors import ModelError, ServerFailedError
from tripletick.models import Settings, answers
from tripletick.models.hosts import Address, address
from tripletick.models.model import About, Listed
from tripletick.models.ollama import Ollama
from tripletick.models.openai import OpenAI
from tripletick.models.wire import Wire

UNTOLD = "OpenAI-style server"
AT_ONCE = 8
MOST = 40
"""Models that are asked about, the newest ones: each takes the server some hundredths of a second."""


@dataclass(frozen=True, slots=True)
class Stock:
    """One model of a server: what the list tells of it and what it tells of itself."""

    listed: Listed
    about: About

    @property
    def name(self) -> str:
        return self.listed.name

    @property
    def chats(self) -> bool:
        """False only where the server says that it cannot: an embedding model."""
        return not self.about.can or "completion" in self.about.can


@dataclass(frozen=True, slots=True)
class Shelf:
    """A server and its models, the newest first; what is held are the bytes that loaded models take now."""

    where: Address
    version: str = ""
    """Its program, and which one it is."""
    models: tuple[Stock, ...] = ()
    held: int = 0
    held_video: int = 0


def look(settings: Settings, engine: str = "ollama") -> Shelf:
    """Ask the server; what one model hides is left out.

    Raises ServerUnreachableError and ServerFailedError.
    """
    return _openai(settings) if engine == "openai" else _ollama(settings)


def _openai(settings: Settings) -> Shelf:
    """Ask a server of OpenAI's kind, which tells no sizes."""
    with closing(OpenAI("", settings)) as server:
        models = tuple(Stock(Listed(about.name), about) for about in server.all_about())
    version = next((stock.about.version for stock in models), "")
    return Shelf(server.address, version or UNTOLD, models)


def _ollama(settings: Settings) -> Shelf:
    with closing(Ollama("", settings)) as server:
        listed = server.listed()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        stocks = tuple(pool.map(lambda one: Stock(one, ask(one.name, settings)), listed[:MOST]))
    rest = tuple(Stock(one, About(one.name, "ollama")) for one in listed[MOST:])
    where = address(settings.host)
    with closing(Wire(where, settings)) as wire:
        version = f"ollama {_fields(wire, '/api/version').get('version', '')}".strip()
        return Shelf(where, version, stocks + rest, *_held(_fields(wire, "/api/ps")))


def ask(name: str, settings: Settings) -> About:
    """Ask what a model is; one that the server cannot read tells nothing."""
    with closing(Ollama(name, replace(settings, busy_waits=()))) as model:
        try:
            return model.about()
        except (ModelError, ServerFailedError):
            return About(name, "ollama")


def _fields(wire: Wire, path: str) -> dict[str, Any]:
    """Ask what can be done without: a proxy may let through the list of models and not this."""
    try:
        with closing(wire.look(path)) as reply:
            return answers.tree(reply.body())
    except ServerFailedError:
        return {}


def _held(told: dict[str, Any]) -> tuple[int, int]:
    """Bytes that loaded models take outside and inside video memory."""
    entries = told.get("models")
    rows = [one for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []
    sizes = [(answers.number(row, "size"), answers.number(row, "size_vram")) for row in rows]
    return sum(max(0, size - video) for size, video in sizes), sum(video for _, video in sizes)
