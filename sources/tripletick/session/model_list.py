"""The models there are, on servers and on this machine: what fits into memory, what each did in the bench.

`tripletick models` and `/model` show the same lines. What is chosen where none is named is in ways.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from tripletick.config.config import Config
from tripletick.errors import TripletickError, UsageError
from tripletick.models import (
    bench_scores,
    catalog,
    choice,
    fitness,
    hosts,
    ollama_store,
    resolve_engine,
    split_name,
)
from tripletick.models.server_models import ModelCatalog
from tripletick.models.shared_engine import status
from tripletick.session import model_discovery, model_selection
from tripletick.system import platforms
from tripletick.system.dirs import AppDirs, find_home
from tripletick.system.text import format_download_size
from tripletick.ui.columns import align_rows

SIZES = (1,)
"""The column of the sizes, which stand at its right end."""
EMPTY = "The server has no model yet. Suggested for this machine: tripletick models pull {name}  ({size})"
MORE = "Fit is estimated from model size and free memory, or the memory of NVIDIA and AMD graphics cards."
TITLE = "{version} at {url}"
STORED = "in Ollama's store"
THERE = "at {url}"
"""Behind a model of a server that is not the one of the settings."""

Row = tuple[str, ...]


@dataclass
class ModelListing:
    """One look at all of them. `held` are the bytes that the model at work takes of memory."""

    config: Config
    places: AppDirs
    look: Callable[[str], str | None]
    """Finds a program."""
    say: Callable[[str], None]
    """Gets a line for what is no row: each server, and what lacks."""
    held: int = 0

    def format_lines(self) -> list[str]:
        """Give a line a model. Raises what the server raises where there is none at all."""
        failed: TripletickError | None = None
        rows: list[Row] = []
        try:
            seen = load_catalog(self.config)
            rows += self._own_server_rows(seen)
        except TripletickError as error:
            failed = error
        rows += self._other_server_rows(failed)
        rows += self._local_rows(stored=failed is not None)
        if failed and not rows:
            raise failed
        if failed and resolve_engine(self.config.model.name, self.config.model.host) in model_selection.EMPTY:
            self.say(failed.what)
        if any(row[4] for row in rows):
            self.say(MORE)
        return align_rows(rows, right=SIZES) if rows else []

    def _own_server_rows(self, seen: ModelCatalog) -> Iterator[Row]:
        """Give the rows of the server that the settings mean."""
        self.say(TITLE.format(version=seen.version, url=seen.where.url))
        free = model_selection.find_free_memory(seen, self.look)
        engine = model_selection.resolve_server_engine(self.config)
        if not seen.models and engine == "openai":
            self.say(" ".join(model_selection.EMPTY["openai"]))
        elif not seen.models:
            best = choice.suggest_pulls(free)[0]
            self.say(EMPTY.format(name=best.name, size=format_download_size(best.size)))
        yield from self._server_rows(seen, free.largest, engine)

    def _other_server_rows(self, failed: TripletickError | None) -> Iterator[Row]:
        """Give the rows of other servers of this machine."""
        for found in model_discovery.find_other_servers(self.config, failed, beyond=True):
            # one that does not say what it has is left out
            with suppress(TripletickError):
                seen = load_catalog(model_discovery.with_server(self.config, found))
                for row in self._server_rows(
                    seen, model_selection.find_free_memory(seen, self.look).largest, found.kind
                ):
                    yield (*row[:-1], ", ".join(filter(None, (row[-1], THERE.format(url=seen.where.url)))))

    def _server_rows(self, seen: ModelCatalog, free: int, engine: str) -> Iterator[Row]:
        for *row, remark in choice.format_rows(seen.models, free):
            name = row[0] if engine == "ollama" else f"{engine}:{row[0]}"
            yield (name, *row[1:], self._bench_scores.get(f"{engine}:{row[0]}", ""), remark)

    def _local_rows(self, *, stored: bool) -> Iterator[Row]:
        """Give the rows of this machine: what was fetched, and `stored`, what Ollama has pulled."""
        main = platforms.read_machine_memory().available
        # another model takes the place of one that is loaded
        held = max(self.held, sum(engine.memory for engine in status.list_running(self.places.engines)))
        free = choice.FreeMemory(
            main and main + held, fitness.free_video_memory(self.look("nvidia-smi"))
        ).largest
        for entry in catalog.list_fetched(self.places.cache):
            fits = choice.FITS[entry.memory <= free if free else None]
            did = self._bench_scores.get(entry.full_name, entry.bench)
            yield (entry.full_name, format_download_size(entry.size), "", "", fits, did, entry.good_for)
        if stored and not self.config.model.host:
            yield from self._ollama_store_rows(free)

    def _ollama_store_rows(self, free: int) -> Iterator[Row]:
        stores = ollama_store.list_stores(os.environ, find_home())
        for name in ollama_store.list_names(stores):
            # one that is pulled in part, or is no file, cannot be used so
            with suppress(TripletickError, OSError):
                size = ollama_store.find_model(name, stores).model.stat().st_size
                fits, model = choice.FITS[choice.fits_memory(size, free)], f"{catalog.ENGINE}:{name}"
                did = self._bench_scores.get(model, self._bench_scores.get(f"ollama:{name}", ""))
                yield (model, format_download_size(size), "", "", fits, did, STORED)

    @cached_property
    def _bench_scores(self) -> dict[str, str]:
        return dict(bench_scores.load_scores(self.places.cache))


def load_catalog(config: Config) -> ModelCatalog:
    """Look at the server that the settings mean. Raises what it raises."""
    from tripletick.models import server_models

    return server_models.query_server(
        model_selection.make_engine_settings(config), model_selection.resolve_server_engine(config)
    )


def model_file_size(path: str) -> int:
    """Give the bytes of a model's file, 0 where it is none."""
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def find_host(config: Config, name: str) -> str:
    """Give the address that goes with this model, "" for the usual one: that of the settings where its server
    has the model, or the command line names it, or no other server has the model.
    """
    engine, host = resolve_engine(name, ""), config.model.host
    if (
        engine not in model_selection.EMPTY
        or model_discovery.is_host_given(config)
        or (engine == "ollama" and not host)
    ):
        return host
    for address in dict.fromkeys((host, "")):
        try:
            if _has_model(replace(config, model=replace(config.model, name=name, host=address)), name):
                return address
        except TripletickError:
            if address and resolve_engine("", address) == engine:
                # it is no other server's turn because this one does not answer
                return host
    for found in model_discovery.find_other_servers(config, beyond=True):
        there = model_discovery.with_server(config, found)
        with suppress(TripletickError):
            if found.kind == engine and _has_model(there, name):
                return there.model.host
    return host


def _has_model(config: Config, name: str) -> bool:
    """Tell whether the server of the settings has a model. Raises what the server raises."""
    wanted = split_name(name)[1].strip()
    return any(one.name in (wanted, f"{wanted}:latest") for one in model_selection.list_models(config))


def with_serving_host(config: Config, say: Callable[[str], None]) -> Config:
    """Give the config with the server that has its model, where that is another one than it names; `say` gets
    a line then. Raises UsageError where none is named for the model, with those that were found.
    """
    if not model_discovery.is_host_uncertain(config):
        return config
    # nobody has said that a server that was found may have the key
    other = replace(config, model=replace(config.model, key_env=""))
    name, host = config.model.name, find_host(other, config.model.name)
    if not host and model_discovery.own_address(config) is None:
        found = (
            model_discovery.with_server(config, one).model.host
            for one in model_discovery.find_other_servers(config)
            if one.kind == "openai"
        )
        if url := next(found, ""):
            what = f"No server is set for {name}."
            why = f"The server at {url} does not list it."
            raise UsageError(what, why, f"To list its models: tripletick --host {url} models")
    if host == config.model.host:
        return config
    say(model_discovery.SERVER.format(name=name, url=host or hosts.resolve_address(None).url))
    other = other if host else config
    return replace(other, model=replace(other.model, host=host))


def list_model_names(config: Config, cache: Path, seconds: float | None = None) -> Sequence[str]:
    """Name the models that Tab offers: those of the servers, and those that were fetched. A server that does
    not answer in `seconds` counts as absent, None for what the settings say.
    """
    if seconds is not None:
        config = replace(config, model=replace(config.model, connect_timeout=seconds))
    found: list[str] = []
    with suppress(TripletickError):
        found += model_selection.list_names(config)
    with suppress(TripletickError):
        for one in model_discovery.find_other_servers(config, beyond=True):
            with suppress(TripletickError):
                found += model_selection.list_names(model_discovery.with_server(config, one))
    return list(dict.fromkeys([*found, *(entry.full_name for entry in catalog.list_fetched(cache))]))
