"""What a server has: its models with their sizes, contexts and abilities, requested in parallel.

Which of them suits this machine is told in choice.py; pulling one is ollama_pull.py's.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from tripletick.errors import ModelError, ServerFailedError
from tripletick.models import EngineSettings, json_fields
from tripletick.models.hosts import ServerAddress, resolve_address
from tripletick.models.http import HttpClient
from tripletick.models.model import ListedModel, ModelInfo
from tripletick.models.ollama import Ollama
from tripletick.models.openai import OpenAI

UNTOLD = "OpenAI-style server"
AT_ONCE = 8
MOST = 40
"""Models that are asked about, the newest ones: each takes the server some hundredths of a second."""


@dataclass(frozen=True, slots=True)
class AvailableModel:
    """One model of a server: what the list tells of it and what it tells of itself."""

    listed: ListedModel
    about: ModelInfo

    @property
    def name(self) -> str:
        return self.listed.name

    @property
    def can_chat(self) -> bool:
        """False only where the server says that it cannot: an embedding model."""
        return not self.about.can or "completion" in self.about.can


@dataclass(frozen=True, slots=True)
class ModelCatalog:
    """A server and its models, the newest first; what is held are the bytes that loaded models take now."""

    where: ServerAddress
    version: str = ""
    """Its program, and which one it is."""
    models: tuple[AvailableModel, ...] = ()
    held: int = 0
    held_video: int = 0


def query_server(settings: EngineSettings, engine: str = "ollama") -> ModelCatalog:
    """Ask the server; what one model hides is left out.

    Raises ServerUnreachableError and ServerFailedError.
    """
    return _query_openai(settings) if engine == "openai" else _query_ollama(settings)


def _query_openai(settings: EngineSettings) -> ModelCatalog:
    """Ask a server of OpenAI's kind, which tells no sizes."""
    with closing(OpenAI("", settings)) as server:
        models = tuple(AvailableModel(ListedModel(about.name), about) for about in server.get_all_info())
    version = next((stock.about.version for stock in models), "")
    return ModelCatalog(server.address, version or UNTOLD, models)


def _query_ollama(settings: EngineSettings) -> ModelCatalog:
    with closing(Ollama("", settings)) as server:
        listed = server.list_models()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        stocks = tuple(
            pool.map(lambda one: AvailableModel(one, query_model(one.name, settings)), listed[:MOST])
        )
    rest = tuple(AvailableModel(one, ModelInfo(one.name, "ollama")) for one in listed[MOST:])
    where = resolve_address(settings.host)
    with closing(HttpClient(where, settings)) as wire:
        version = f"ollama {_get_json(wire, '/api/version').get('version', '')}".strip()
        return ModelCatalog(where, version, stocks + rest, *_count_held_bytes(_get_json(wire, "/api/ps")))


def query_model(name: str, settings: EngineSettings) -> ModelInfo:
    """Ask what a model is; one that the server cannot read tells nothing."""
    with closing(Ollama(name, replace(settings, busy_waits=()))) as model:
        try:
            return model.get_info()
        except (ModelError, ServerFailedError):
            return ModelInfo(name, "ollama")


def _get_json(wire: HttpClient, path: str) -> dict[str, Any]:
    """Ask what can be done without: a proxy may let through the list of models and not this."""
    try:
        return wire.get_json(path)
    except ServerFailedError:
        return {}


def _count_held_bytes(told: dict[str, Any]) -> tuple[int, int]:
    """Bytes that loaded models take outside and inside video memory."""
    entries = told.get("models")
    rows = [one for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []
    sizes = [(json_fields.get_number(row, "size"), json_fields.get_number(row, "size_vram")) for row in rows]
    return sum(max(0, size - video) for size, video in sizes), sum(video for _, video in sizes)
