"""Model engines by name, such as `ollama:qwen2.5:7b`, and what is known about the models they run."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from tripletick.errors import UsageError
from tripletick.models.model import ListedModel, Model
from tripletick.system.cancellation import CancelToken
from tripletick.system.text import find_close_match

ENGINES = {
    "ollama": "tripletick.models.ollama:Ollama",
    "scripted": "tripletick.models.scripted:open_script",
    "embedded": "tripletick.models.embedded:open_embedded",
    "openai": "tripletick.models.openai:OpenAI",
}
"""Engine → `module:callable`; the callable gets the name behind the engine's and the settings."""

OTHERS = ("anthropic", "llamacpp", "lmstudio", "vllm", "gguf")
"""Words that people try for an engine; no model of Ollama's is called that."""


def ignore_notice(text: str) -> None:
    del text


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """How to reach a server and how long to wait for it; times are seconds."""

    host: str | None = None
    """The server's address; None: OLLAMA_HOST, else loopback; for openai OPENAI_BASE_URL."""
    key_env: str = "OPENAI_API_KEY"
    """openai: the environment variable that holds the key."""
    keep: str = "30m"
    """How long a model stays loaded once nothing uses it."""
    connect_timeout: float = 2.0
    first_timeout: float = 600.0
    """Until the first token: loading and reading the prompt take as long as they take."""
    token_timeout: float = 120.0
    lookup_timeout: float = 30.0
    """For a short question: what models there are, what this one can do."""
    busy_waits: tuple[float, ...] = (1.0, 2.0, 4.0)
    """Before each further try while the server says that it is busy."""
    size: int = 7
    """scripted: characters a chunk."""
    slots: int = 1
    """embedded: replies that may be written side by side, each with a context of its own."""
    notice: Callable[[str], None] = ignore_notice
    """Gets one line for the user when something is waited for or found out."""
    halt: CancelToken = field(default_factory=CancelToken, compare=False)
    """Ends what is waited for, from another thread."""


class ModelServer(Protocol):
    """What has several models."""

    def list_models(self) -> tuple[ListedModel, ...]: ...

    def close(self) -> None: ...


def open_server(engine: str, settings: EngineSettings) -> ModelServer:
    """Open the server of an engine that has one, for no model of its own. Raises UsageError."""
    server: ModelServer = _load_opener(engine)("", settings)
    return server


def open_model(name: str, settings: EngineSettings | None = None) -> Model:
    """Open `ENGINE:NAME`, or NAME on Ollama. Raises UsageError, and ModelError for an unreadable file."""
    check_name(name)
    engine, rest = split_name(name.strip())
    model: Model = _load_opener(engine)(rest.strip(), settings or EngineSettings())
    return model


def check_name(name: str) -> None:
    """Raise UsageError for what can be no model's name, whatever the server has."""
    engine, rest = split_name(name.strip())
    if engine not in ENGINES:
        raise UsageError(
            f"There is no engine '{engine}'.",
            f"The engines are: {', '.join(ENGINES)}.",
            f"For an Ollama model: -m ollama:{name.strip()}",
        )
    if not rest.strip():
        raise UsageError("No model is named.", f"'{name}' names no model.", f"Say which: -m {engine}:NAME")
    if engine == "ollama" and len(rest.split()) > 1:
        why = "It contains a space; Ollama's names do not."
        raise UsageError(f"'{name}' is not a model's name.", why, "To list the models: tripletick models")


def suggest_name(name: str) -> str:
    """Give the name with the engine that a mistyped one is nearest to, "" where none is."""
    engine, _, rest = name.strip().partition(":")
    near = find_close_match(engine, ENGINES) if rest and engine not in ENGINES else ""
    return f"{near}:{rest}" if near else ""


def resolve_engine(name: str, host: str) -> str:
    """Give the engine that a name means at this address; one of OpenAI's kind ends in /v1."""
    engine, rest = split_name(name)
    return "openai" if rest == name and host.strip().rstrip("/").endswith("/v1") else engine


def qualify_name(name: str, host: str) -> str:
    """Give a model's name with its engine's before it."""
    return f"{resolve_engine(name, host)}:{split_name(name)[1]}"


def split_name(name: str) -> tuple[str, str]:
    """Part a model's name into its engine's and what that engine calls it."""
    engine, colon, rest = name.partition(":")
    if colon and (engine in ENGINES or _looks_like_engine(engine, rest)):
        return engine, rest
    return "ollama", name


def _load_opener(engine: str) -> Callable[..., Any]:
    module, _, symbol = ENGINES[engine].partition(":")
    opener: Callable[..., Any] = getattr(import_module(module), symbol)
    return opener


def _looks_like_engine(word: str, rest: str) -> bool:
    """Tell a mistyped or unknown engine from a model with a tag.

    An Ollama name is `[host[:port]/][owner/]model[:tag]`: at most one colon behind the last slash.
    """
    if not re.fullmatch("[a-z]+", word) or re.match(r"\d+/", rest):
        return False
    return ":" in rest or word in OTHERS or bool(find_close_match(word, ENGINES, 0.75))
