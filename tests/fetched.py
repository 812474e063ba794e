"""Models of the catalog as if they had been fetched: files of the right size, with holes alone in them."""

from __future__ import annotations

from pathlib import Path

from tripletick.models import catalog
from tripletick.models.catalog import CatalogEntry


def put(entry: CatalogEntry, cache: Path) -> Path:
    """Leave a file of the right size where a model belongs."""
    path = catalog.model_path(entry, cache)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(entry.size)
    return path


def put_all(home: Path) -> None:
    """Put every model of the catalog into the cache of a home."""
    for entry in catalog.load_entries():
        put(entry, cache_of(home))


def cache_of(home: Path) -> Path:
    return home / ".cache" / "tripletick"


def link(name: str, model: Path, cache: Path) -> None:
    """Let a model that lies elsewhere be found as one that was fetched."""
    kept = catalog.model_path(catalog.get_entry(name), cache)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.symlink_to(model)
