"""Which engine and model the config means: opened, its server's models listed, its context chosen.

Nothing is contacted before it must be. Which agent works with which model is in seats.py.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

from tripletick import models, platforms
from tripletick.config import Config, locate
from tripletick.errors import ModelError, UsageError
from tripletick.models import Settings, hosts, open_model, open_server, spoken
from tripletick.models.model import About, Model
from tripletick.sandbox.box import untold

if TYPE_CHECKING:
    from tripletick.models.choice import Free
    from tripletick.models.model import Listed
    from tripletick.models.shelf import Shelf

    Models = tuple[Listed, ...]

LARGEST_CONTEXT = 16384
"""What we ask for by ourselves; a larger one is the person's wish (--ctx)."""
UNKNOWN_CONTEXT = 8192
EMPTY = {
    "ollama": ("It is up, but nothing was pulled.", "Get one: tripletick models pull qwen2.5-coder:7b"),
    "openai": ("It is up, but none is loaded.", "Load one there, or name another server: --host URL"),
}
"""By engine, why a server has no model, and what to type."""


def engine(config: Config, notice: Callable[[str], None]) -> Model:
    """Open the engine that the config names; nothing is contacted yet."""
    name = named(config, notice)
    check_name(config, name)
    return open_model(name, reach(config, notice))


def check_name(config: Config, name: str, setting: str = "model.name") -> None:
    """Raise what is wrong with the form of a model's name, with the place where it was set."""
    try:
        models.check_name(name)
    except UsageError as error:
        raise locate(config, setting, error, models.nearest(name)) from error


def check_host(config: Config, host: str, name: str = "model.host") -> str:
    """Give a server's address. Raises what is wrong with it, with the place where it was set."""
    try:
        return hosts.parse(host).url
    except UsageError as error:
        raise locate(config, name, error) from error


def named(config: Config, notice: Callable[[str], None] = untold) -> str:
    """Name the model with its engine: the config's, else the first of the server's. Raises ModelError."""
    chosen = config.model
    return models.named(chosen.name or _newest(config, notice), chosen.host)


def served(config: Config) -> str:
    """Give the engine of the server, also where the model at work needs none."""
    engine = spoken(config.model.name, config.model.host)
    return engine if engine in EMPTY else spoken("", config.model.host)


def listed(config: Config) -> Models:
    """List the models of the server, the newest first. Raises ModelError where it has none."""
    with closing(open_server(engine := served(config), reach(config))) as server:
        models = server.listed()
    if not models:
        raise ModelError("The server has no model.", *EMPTY[engine])
    return models


def names(config: Config) -> list[str]:
    """Name the models of the server as `-m` takes them. Raises ModelError where it has none."""
    engine = served(config)
    return [one.name if engine == "ollama" else f"{engine}:{one.name}" for one in listed(config)]


def reach(config: Config, notice: Callable[[str], None] = untold) -> Settings:
    """Say how the server is reached. Raises ConfigError for a host that is no address."""
    chosen = config.model
    if chosen.host.strip():
        check_host(config, chosen.host)
    return Settings(
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


def _newest(config: Config, notice: Callable[[str], None]) -> str:
    """Choose the model that the server got last. Raises ModelError where it has none."""
    models = listed(config)
    name = models[0].name
    notice(f"Model {name}, the newest of {len(models)} on the server (-m NAME chooses another).")
    return name


def free(seen: Shelf, look: Callable[[str], str | None]) -> Free:
    """Say what a model of this server may take; nothing is known of another machine's memory.

    `look` finds a program.
    """
    from tripletick.models import cards, choice

    if not seen.where.loopback:
        return choice.Free()
    video = cards.free(look("nvidia-smi"))
    return choice.free_for(seen, choice.Free(platforms.machine().available, video))


def window(config: Config, about: About) -> int:
    """Choose the context in tokens: the person's wish as it is, else the model's own, where a server makes it
    for us up to a bound.
    """
    own = about.context or UNKNOWN_CONTEXT
    return config.model.context or (own if about.settled else min(own, LARGEST_CONTEXT))
