"""Which engine and model the config means: opened, its server's models listed, its context chosen.

Nothing is contacted before it must be. Which agent works with which model is in agent_models.py.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from tripletick import models
from tripletick.config.config import Config, explain_setting_error
from tripletick.errors import ModelError, UsageError
from tripletick.models import EngineSettings, hosts, ignore_notice, open_model, open_server, resolve_engine
from tripletick.models.model import Model, ModelInfo
from tripletick.system import platforms
from tripletick.system.cancellation import CancelToken

if TYPE_CHECKING:
    from tripletick.models.choice import FreeMemory
    from tripletick.models.model import ListedModel
    from tripletick.models.server_models import ModelCatalog

    Models = tuple[ListedModel, ...]

LARGEST_CONTEXT = 16384
"""What we ask for by ourselves; a larger one is the user's wish (--ctx)."""
UNKNOWN_CONTEXT = 8192
SAMPLED = ("temperature", "seed", "think", "think_tokens", "output")
"""What may differ between two requests to the same model."""
EMPTY = {
    "ollama": (
        "It is running, but has no models yet.",
        "Download one: tripletick models pull qwen2.5-coder:7b",
    ),
    "openai": ("It is running, but no model is loaded.", "Load one there, or use another server: --host URL"),
}
"""By engine, why a server has no model, and what to type."""


def open_configured_model(
    config: Config, notice: Callable[[str], None], halt: CancelToken | None = None
) -> Model:
    """Open the engine that the config names; nothing is contacted yet. `halt` ends what is waited for."""
    name = resolve_model_name(config, notice)
    check_model_name(config, name)
    settings = make_engine_settings(config, notice)
    return open_model(name, replace(settings, halt=halt) if halt else settings)


def check_model_name(config: Config, name: str, setting: str = "model.name") -> None:
    """Raise what is wrong with the form of a model's name, with the place where it was set."""
    try:
        models.check_name(name)
    except UsageError as error:
        raise explain_setting_error(config, setting, error, models.suggest_name(name)) from error


def check_host(config: Config, host: str, name: str = "model.host") -> str:
    """Give a server's address. Raises what is wrong with it, with the place where it was set."""
    try:
        return hosts.parse_address(host).url
    except UsageError as error:
        raise explain_setting_error(config, name, error) from error


def resolve_model_name(config: Config, notice: Callable[[str], None] = ignore_notice) -> str:
    """Name the model with its engine: the config's, else the first of the server's. Raises ModelError."""
    chosen = config.model
    return models.qualify_name(chosen.name or _pick_newest(config, notice), chosen.host)


def resolve_server_engine(config: Config) -> str:
    """Give the engine of the server, also where the model at work needs none."""
    engine = resolve_engine(config.model.name, config.model.host)
    return engine if engine in EMPTY else resolve_engine("", config.model.host)


def list_models(config: Config) -> Models:
    """List the models of the server, the newest first. Raises ModelError where it has none."""
    with closing(
        open_server(engine := resolve_server_engine(config), make_engine_settings(config))
    ) as server:
        models = server.list_models()
    if not models:
        raise ModelError("The server has no model.", *EMPTY[engine])
    return models


def list_names(config: Config) -> list[str]:
    """Name the models of the server as `-m` takes them. Raises ModelError where it has none."""
    engine = resolve_server_engine(config)
    return [one.name if engine == "ollama" else f"{engine}:{one.name}" for one in list_models(config)]


def make_engine_settings(config: Config, notice: Callable[[str], None] = ignore_notice) -> EngineSettings:
    """Say how the server is reached. Raises ConfigError for a host that is no address."""
    chosen = config.model
    if chosen.host.strip():
        check_host(config, chosen.host)
    return EngineSettings(
        host=chosen.host or None,
        key_env=chosen.key_env,
        keep=chosen.keep,
        connect_timeout=chosen.connect_timeout,
        first_timeout=chosen.first_timeout,
        token_timeout=chosen.token_timeout,
        size=chosen.chunk,
        slots=config.planner.parallel,
        notice=notice,
    )


def _pick_newest(config: Config, notice: Callable[[str], None]) -> str:
    """Choose the model that the server got last. Raises ModelError where it has none."""
    models = list_models(config)
    name = models[0].name
    notice(f"Model {name}, the newest of {len(models)} on the server (-m NAME chooses another).")
    return name


def find_free_memory(seen: ModelCatalog, look: Callable[[str], str | None]) -> FreeMemory:
    """Say what a model of this server may take; nothing is known of another machine's memory.

    `look` finds a program.
    """
    from tripletick.models import choice, fitness

    if not seen.where.is_loopback:
        return choice.FreeMemory()
    video = fitness.free_video_memory(look("nvidia-smi"))
    return choice.free_memory_for(seen, choice.FreeMemory(platforms.read_machine_memory().available, video))


def choose_context(config: Config, about: ModelInfo) -> int:
    """Choose the context in tokens: the user's wish as it is, else the model's own, where a server makes it
    for us up to a bound.
    """
    own = about.context or UNKNOWN_CONTEXT
    return config.model.context or (own if about.settled else min(own, LARGEST_CONTEXT))


def needs_reload(config: Config, other: Config) -> bool:
    """Tell whether the two mean different models, or the same one opened otherwise."""
    same = {key: getattr(config.model, key) for key in SAMPLED}
    return replace(other.model, **same) != config.model
