"""The way to a model where none is named: a server that answers, else the best one on this machine.

Where somebody can be asked, commands/onboarding.py asks; here are the servers that were found, what is
taken without asking, and the lines for what can be done where nothing is there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from tripletick.config.config import VARIABLE, Config
from tripletick.errors import ServerFailedError, TripletickError, UsageError
from tripletick.models import hosts, ignore_notice
from tripletick.session import model_selection
from tripletick.system import optional_deps, platforms
from tripletick.system.text import format_download_size

if TYPE_CHECKING:
    from tripletick.models.catalog import CatalogEntry
    from tripletick.models.probes import FoundServer
    from tripletick.system.dirs import AppDirs

INSTALLED = " - Ollama is installed: start it now? [y]"
ABSENT = " - Ollama is not installed, see ollama.com/download"
REMOTE = " - Start Ollama there: ollama serve"
SMALL = " - Try without it: {name} ({size}), {good_for}, about {seconds} s per answer [o]"
ENGINELESS = (
    " - Try without it: install llama.cpp, then start tripletick again to choose a model:\n   {command}"
)
ENGINE = "xllamacpp"
ELSEWHERE = " - On another machine: tripletick --host http://HOST:11434     (OLLAMA_HOST is {variable})"
FOUND: Mapping[str, str] = {
    "ollama": " - Found Ollama at {url} [{number}]",
    "openai": " - Found an OpenAI-style server at {url} [{number}]",
}
SERVER = "Model {name} at {url} (--host URL chooses another)."
LOCAL = "Model {name}, without a server (-m NAME chooses another)."
NOTES: Mapping[str, str] = {
    "wsl": " - On Windows: start Ollama with OLLAMA_HOST=0.0.0.0, then: tripletick --host "
    "http://{windows}:11434",
    "macos": " - On macOS, start the Ollama app: open -a Ollama",
}
"""What holds on one system alone."""
MIRRORED = "127.0.0.1"
"""Where Windows is under WSL's mirrored networking."""


def resolve_model(config: Config, places: AppDirs, say: Callable[[str], None]) -> Config:
    """Give the config with a model, asking nobody; `say` gets a line where the config named none.

    Raises what the config's own server raised where there is nothing else.
    """
    if config.model.name:
        return config
    try:
        return _with_model_name(config, say)
    except TripletickError as error:
        for found in find_other_servers(config, error):
            other = with_server(config, found, key=bool(config.model.host))
            # one that has nothing loaded is no way
            with suppress(TripletickError):
                config = _with_model_name(other)
                say(SERVER.format(name=config.model.name, url=other.model.host))
                return config
        if local := with_fetched_model(config, places):
            say(LOCAL.format(name=local.model.name))
            return local
        raise


def _with_model_name(config: Config, say: Callable[[str], None] = ignore_notice) -> Config:
    return replace(config, model=replace(config.model, name=model_selection.resolve_model_name(config, say)))


def is_set_by_user(config: Config, name: str) -> bool:
    """Tell whether the command line or a variable sets this, and no file."""
    return config.where.get(name, "").startswith(("--", VARIABLE))


def is_host_given(config: Config) -> bool:
    """Tell whether the command line or a variable names the server: no other one is meant then."""
    return bool(config.model.host) and is_set_by_user(config, "model.host")


def is_host_uncertain(config: Config) -> bool:
    """Tell whether another server than that of the config may have its model: none is named for it, or one
    was saved with another model.
    """
    if not config.model.name or is_host_given(config):
        return False
    if config.model.host:
        return is_set_by_user(config, "model.name")
    return model_selection.resolve_server_engine(config) == "openai" and own_address(config) is None


def own_address(config: Config) -> hosts.ServerAddress | None:
    """Give the address of the config's own server, None where it names none for a model of OpenAI's kind."""
    from tripletick.models import openai

    if model_selection.resolve_server_engine(config) != "openai":
        return hosts.resolve_address(config.model.host)
    try:
        there = openai.resolve_base_address(config.model.host)
    except UsageError:
        return None
    return replace(there, path=there.path.removesuffix(openai.PATH).rstrip("/"))


def find_other_servers(
    config: Config, error: TripletickError | None = None, *, beyond: bool = False
) -> Iterator[FoundServer]:
    """Give the servers of this machine beside the config's own, which may have failed with `error`: another
    kind of server at its address, and where no address was chosen those at the usual ports; with `beyond`
    also where an address was saved.
    """
    from tripletick.models import probes

    here = own_address(config)
    failed = here if isinstance(error, ServerFailedError) else None
    if failed and (found := probes.probe_server(failed.url)) and found.kind == "openai":
        yield found
    if config.model.host and (is_host_given(config) or not beyond):
        return
    but, usual = _normalize_url(here) if here else "", _normalize_url(hosts.resolve_address(None))
    there = probes.find_servers(but=but)
    yield from there
    if usual not in (but, *(one.url for one in there)) and (found := probes.probe_server(usual)):
        yield found


def _normalize_url(where: hosts.ServerAddress) -> str:
    """Write an address as `probes` does: this machine has one name."""
    return replace(where, host=MIRRORED).url if where.is_loopback else where.url


def find_nearby_servers(config: Config) -> tuple[FoundServer, ...]:
    """Give the servers at the usual ports that the user may choose from: under WSL those of Windows too."""
    from tripletick.models import probes

    windows = platforms.find_windows_host() if platforms.detect_system() == "wsl" else ""
    here = hosts.resolve_address(config.model.host)
    return probes.find_servers(hosts=[MIRRORED, *filter(None, [windows])], but=here.url)


def with_server(config: Config, found: FoundServer, *, key: bool = False) -> Config:
    """Give the config with this server, and no model of it yet; `key`: the user has said that this server may
    have theirs.
    """
    from tripletick.models import openai

    host = openai.resolve_base_address(found.url).url if found.kind == "openai" else found.url
    key_env = config.model.key_env if key else ""
    return replace(config, model=replace(config.model, name="", host=host, key_env=key_env))


def with_fetched_model(config: Config, places: AppDirs) -> Config | None:
    """Give the config with the best model that was fetched, None where there is none or another one or a
    server was asked for.
    """
    from tripletick.models import catalog

    if config.model.name or config.model.host or not optional_deps.present(ENGINE):
        return None
    entry = catalog.choose_best_fetched(places.cache, places.engines)
    return replace(config, model=replace(config.model, name=entry.full_name)) if entry else None


def format_options(
    here: hosts.ServerAddress,
    ollama: str | None,
    model: CatalogEntry,
    found: Sequence[FoundServer],
    *,
    up: bool,
) -> Iterator[str]:
    """Say what can be done; the server at `here` has refused, or is `up` and has no model. `ollama` is the
    program, None where there is none, `model` suits this machine, `found` are other servers.
    """
    for number, one in enumerate(found, 1):
        yield FOUND[one.kind].format(url=one.url, number=number)
    if not up:
        yield (INSTALLED if ollama else ABSENT) if here.is_loopback else REMOTE
        yield from system_notes(platforms.detect_system(), platforms.find_windows_host())
    if optional_deps.present(ENGINE):
        yield describe_model(model, SMALL)
    else:
        yield ENGINELESS.format(command=optional_deps.ask_for(ENGINE))
    yield ELSEWHERE.format(variable=os.environ.get("OLLAMA_HOST") or "not set")


def describe_model(model: CatalogEntry, words: str) -> str:
    """Fill in what is said of a model that can be fetched: its name, size, use, and seconds an answer."""
    size = format_download_size(model.size)
    return words.format(name=model.name, size=size, good_for=model.good_for, seconds=model.seconds)


def system_notes(system: platforms.Kind, windows: str = "") -> Iterator[str]:
    """Say what holds on this system alone; `windows` is where a WSL sees Windows, "" on loopback."""
    if system in NOTES:
        yield NOTES[system].format(windows=windows or MIRRORED)
