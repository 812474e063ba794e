"""Which model suits this machine: whether one fits, what it is good for, which is suggested.

Told by size against free memory, the machine's or that of its graphics cards, whichever is more: a server can
spread a model over both, which is slow and not counted on. Nothing is asked of a server.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tripletick.models.server_models import AvailableModel, ModelCatalog
from tripletick.system.text import format_download_size

SHARE, ROOM = 1.2, 400_000_000
"""A model takes its file, a fifth for its context, and this for the server itself. Reckoned: a token takes
57 kB in qwen2.5-coder:7b, so that 16384 of them are a fifth of its 4.7 GB."""
COMFORT = 2
"""The first suggestion takes at most this part of the machine's free memory: the rest is for the user's
programs."""
SMALL_MODEL, SMALL_FILE = 3_000_000_000, 2_000_000_000
"""Parameters, or bytes where these are not told, below which a model does simple tasks alone."""
SIMPLE = "small: simple tasks"
NO_CHAT = "embedding model, cannot chat"
FITS = {True: "fits", False: "too large", None: ""}
SUGGESTED = 3
UNKNOWN_MEMORY = 16_000_000_000
"""What is suggested for where the memory is another machine's."""


@dataclass(frozen=True, slots=True)
class FreeMemory:
    """Bytes that a model may take of the machine's memory, and of its graphics cards'; 0: not known."""

    main: int = 0
    video: int = 0

    @property
    def largest(self) -> int:
        return max(self.main, self.video)


@dataclass(frozen=True, slots=True)
class PullSuggestion:
    """A model that can be had."""

    name: str
    size: int
    says: str


@cache
def _load_table() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(Path(__file__).with_name("choice.toml").read_text("utf-8"))


def fits_memory(size: int, free: int) -> bool | None:
    """Tell whether a model of this size fits into free memory, None where either is not known."""
    return size * SHARE + ROOM <= free if size and free else None


def describe_use(stock: AvailableModel) -> str:
    """Say in a few words what a model is good for, "" where its name and size tell nothing."""
    if not stock.can_chat:
        return NO_CHAT
    parameters, size = stock.about.parameters, stock.listed.size
    if 0 < parameters < SMALL_MODEL or (not parameters and 0 < size < SMALL_FILE):
        return SIMPLE
    name = stock.name.lower()
    return next((row["says"] for row in _load_table()["remark"] if row["word"] in name), "")


def sort_models(models: Sequence[AvailableModel], free: int) -> list[AvailableModel]:
    """Give the models that can chat, the one that is suggested first, else as they came."""
    able = [stock for stock in models if stock.can_chat]
    best = max(able, key=lambda stock: _rank_model(stock, free), default=None)
    return [*([best] if best else []), *(stock for stock in able if stock is not best)]


def _rank_model(stock: AvailableModel, free: int) -> tuple[bool, bool, int]:
    """What fits, then what is good for something, then the larger one; of what is too large the smallest."""
    fitting = fits_memory(stock.listed.size, free) is not False
    return (
        fitting,
        describe_use(stock) not in ("", SIMPLE),
        stock.listed.size if fitting else -stock.listed.size,
    )


def suggest_pulls(free: FreeMemory) -> list[PullSuggestion]:
    """Give what to pull: the largest that leaves room first, then what is near it in size."""
    rows = [PullSuggestion(**row) for row in _load_table()["pull"]]
    memory = free if free.largest else FreeMemory(UNKNOWN_MEMORY)
    roomy = max(memory.main // COMFORT, memory.video)
    at = next((n for n, row in enumerate(rows) if fits_memory(row.size, roomy)), len(rows) - 1)
    larger = at > 0 and fits_memory(rows[at - 1].size, memory.largest)
    start = min(at - 1 if larger else at, len(rows) - SUGGESTED)
    return [rows[at], *(row for row in rows[start : start + SUGGESTED] if row is not rows[at])]


def format_rows(models: Sequence[AvailableModel], free: int) -> Iterator[tuple[str, ...]]:
    """Word the models: name, size, quantisation, context, whether it fits, what it is good for."""
    for stock in models:
        size, context = stock.listed.size, stock.about.context
        yield (
            stock.name,
            format_download_size(size) if size else "",
            stock.listed.quantization,
            f"context {format_context(context)}" if context else "",
            FITS[fits_memory(size, free)] if stock.can_chat else "",
            describe_use(stock),
        )


def free_memory_for(shelf: ModelCatalog, here: FreeMemory) -> FreeMemory:
    """Say what a model of a server on this machine may take: what others hold there goes to the next one."""
    return FreeMemory(here.main and here.main + shelf.held, here.video and here.video + shelf.held_video)


def format_context(tokens: int) -> str:
    """Write a context as its maker does: 32768 as `32k`, 8192 as `8k`."""
    return f"{tokens // 1024}k" if tokens >= 1024 else str(tokens)
