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

from tripletick import engines, platforms, ways
from tripletick.bench import scores
from tripletick.config import Config
from tripletick.errors import TripletickError, UsageError
from tripletick.models import cards, catalog, choice, hosts, parted, spoken, store
from tripletick.models.shared_engine import status
from tripletick.models.shelf import Shelf
from tripletick.places import Places, find_home
from tripletick.ui.columns import aligned

SIZES = (1,)
"""The column of the sizes, which stand at its right end."""
EMPTY = "The server has no model yet. Suggested for this machine: tripletick models pull {name}  ({size})"
MORE = "Fit is estimated from size and free memory, or that of graphics cards by NVIDIA and AMD."
TITLE = "{version} at {url}"
STORED = "in Ollama's store"
THERE = "at {url}"
"""Behind a model of a server that is not the one of the settings."""

Row = tuple[str, ...]


@dataclass
class Listing:
    """One look at all of them. `held` are the bytes that the model at work takes of memory."""

    config: Config
    places: Places
    look: Callable[[str], str | None]
    """Finds a program."""
    say: Callable[[str], None]
    """Gets a line for what is no row: each server, and what lacks."""
    held: int = 0

    def lines(self) -> list[str]:
        """Give a line a model. Raises what the server raises where there is none at all."""
        failed: TripletickError | None = None
        rows: list[Row] = []
        try:
            seen = shelf_of(self.config)
            rows += self._own(seen)
        except TripletickError as error:
            failed = error
        rows += self._found(failed)
        rows += self._local(stored=failed is not None)
        if failed and not rows:
            raise failed
        if failed and spoken(self.config.model.name, self.config.model.host) in engines.EMPTY:
            self.say(failed.what)
        if any(row[4] for row in rows):
            self.say(MORE)
        return aligned(rows, right=SIZES) if rows else []

    def _own(self, seen: Shelf) -> Iterator[Row]:
        """Give the rows of the server that the settings mean."""
        self.say(TITLE.format(version=seen.version, url=seen.where.url))
        free = engines.free(seen, self.look)
        engine = engines.served(self.config)
        if not seen.models and engine == "openai":
            self.say(" ".join(engines.EMPTY["openai"]))
        elif not seen.models:
            best = choice.suggested(free)[0]
            self.say(EMPTY.format(name=best.name, size=choice.gigabytes(best.size)))
        yield from self._rows(seen, free.most, engine)

    def _found(self, failed: TripletickError | None) -> Iterator[Row]:
        """Give the rows of other servers of this machine."""
        for found in ways.servers(self.config, failed, beyond=True):
            # one that does not say what it has is left out
            with suppress(TripletickError):
                seen = shelf_of(ways.at(self.config, found))
                for row in self._rows(seen, engines.free(seen, self.look).most, found.kind):
                    yield (*row[:-1], ", ".join(filter(None, (row[-1], THERE.format(url=seen.where.url)))))

    def _rows(self, seen: Shelf, free: int, engine: str) -> Iterator[Row]:
        for *row, remark in choice.table(seen.models, free):
            name = row[0] if engine == "ollama" else f"{engine}:{row[0]}"
            yield (name, *row[1:], self._scores.get(f"{engine}:{row[0]}", ""), remark)

    def _local(self, *, stored: bool) -> Iterator[Row]:
        """Give the rows of this machine: what was fetched, and `stored`, what Ollama has pulled."""
        main = platforms.machine().available
        # another model takes the place of one that is loaded
        held = max(self.held, sum(engine.memory for engine in status.running(self.places.engines)))
        free = choice.Free(main and main + held, cards.free(self.look("nvidia-smi"))).most
        for entry in catalog.fetched(self.places.cache):
            fits = choice.FITS[entry.memory <= free if free else None]
            did = self._scores.get(entry.model, entry.bench)
            yield (entry.model, choice.gigabytes(entry.size), "", "", fits, did, entry.good_for)
        if stored and not self.config.model.host:
            yield from self._of_store(free)

    def _of_store(self, free: int) -> Iterator[Row]:
        stores = store.folders(os.environ, find_home())
        for name in store.names(stores):
            # one that is pulled in part, or is no file, cannot be used so
            with suppress(TripletickError, OSError):
                size = store.find(name, stores).model.stat().st_size
                fits, model = choice.FITS[choice.fits(size, free)], f"{catalog.ENGINE}:{name}"
                did = self._scores.get(model, self._scores.get(f"ollama:{name}", ""))
                yield (model, choice.gigabytes(size), "", "", fits, did, STORED)

    @cached_property
    def _scores(self) -> dict[str, str]:
        return dict(scores.known(self.places.cache))


def shelf_of(config: Config) -> Shelf:
    """Look at the server that the settings mean. Raises what it raises."""
    from tripletick.models import shelf

    return shelf.look(engines.reach(config), engines.served(config))


def file_size(path: str) -> int:
    """Give the bytes of a model's file, 0 where it is none."""
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def locate(config: Config, name: str) -> str:
    """Give the address that goes with this model, "" for the usual one: that of the settings where its server
    has the model, or the command line names it, or no other server has the model.
    """
    engine, host = spoken(name, ""), config.model.host
    if engine not in engines.EMPTY or ways.is_fixed(config) or (engine == "ollama" and not host):
        return host
    for address in dict.fromkeys((host, "")):
        try:
            if _has(replace(config, model=replace(config.model, name=name, host=address)), name):
                return address
        except TripletickError:
            if address and spoken("", address) == engine:
                # it is no other server's turn because this one does not answer
                return host
    for found in ways.servers(config, beyond=True):
        there = ways.at(config, found)
        with suppress(TripletickError):
            if found.kind == engine and _has(there, name):
                return there.model.host
    return host


def _has(config: Config, name: str) -> bool:
    """Tell whether the server of the settings has a model. Raises what the server raises."""
    wanted = parted(name)[1].strip()
    return any(one.name in (wanted, f"{wanted}:latest") for one in engines.listed(config))


def serving(config: Config, say: Callable[[str], None]) -> Config:
    """Give the config with the server that has its model, where that is another one than it names; `say` gets
    a line then. Raises UsageError where none is named for the model, with those that were found.
    """
    if not ways.is_unsure(config):
        return config
    # nobody has said that a server that was found may have the key
    keyless = replace(config, model=replace(config.model, key_env=""))
    name, host = config.model.name, locate(keyless, config.model.name)
    if not host and ways.own(config) is None:
        found = (ways.at(config, one).model.host for one in ways.servers(config) if one.kind == "openai")
        if other := next(found, ""):
            what = f"No server is named for {name}."
            why = f"The one at {other} does not list it."
            raise UsageError(what, why, f"What it has: tripletick --host {other} models")
    if host == config.model.host:
        return config
    say(ways.SERVER.format(name=name, url=host or hosts.address(None).url))
    there = keyless if host else config
    return replace(there, model=replace(there.model, host=host))


def names(config: Config, cache: Path, seconds: float | None = None) -> Sequence[str]:
    """Name the models that Tab offers: those of the servers, and those that were fetched. A server that does
    not answer in `seconds` counts as absent, None for what the settings say.
    """
    if seconds is not None:
        config = replace(config, model=replace(config.model, connect_timeout=seconds))
    found: list[str] = []
    with suppress(TripletickError):
        found += engines.names(config)
    with suppress(TripletickError):
        for one in ways.servers(config, beyond=True):
            with suppress(TripletickError):
                found += engines.names(ways.at(config, one))
    return list(dict.fromkeys([*found, *(entry.model for entry in catalog.fetched(cache))]))
