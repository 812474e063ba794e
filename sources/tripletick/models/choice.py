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

from tripletick.models.shelf import Shelf, Stock

SHARE, ROOM = 1.2, 400_000_000
"""A model takes its file, a fifth for its context, and this for the server itself. Reckoned: a token takes
57 kB in qwen2.5-coder:7b, so that 16384 of them are a fifth of its 4.7 GB."""
COMFORT = 2
"""The first suggestion takes at most this part of the machine's free memory: the rest is for the person's
programs."""
SMALL_MODEL, SMALL_FILE = 3_000_000_000, 2_000_000_000
"""Parameters, or bytes where these are not told, below which a model does simple tasks alone."""
SIMPLE = "small: simple tasks"
NO_CHAT = "compares texts, cannot chat"
FITS = {True: "fits", False: "too large", None: ""}
SUGGESTED = 3
UNKNOWN_MEMORY = 16_000_000_000
"""What is suggested for where the memory is another machine's."""


@dataclass(frozen=True, slots=True)
class Free:
    """Bytes that a model may take of the machine's memory, and of its graphics cards'; 0: not known."""

    main: int = 0
    video: int = 0

    @property
    def most(self) -> int:
        return max(self.main, self.video)


@dataclass(frozen=True, slots=True)
class Pull:
    """A model that can be had."""

    name: str
    size: int
    says: str


@cache
def _table() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(Path(__file__).with_name("choice.toml").read_text("utf-8"))


def fits(size: int, free: int) -> bool | None:
    """Tell whether a model of this size fits into free memory, None where either is not known."""
    return size * SHARE + ROOM <= free if size and free else None


def remark(stock: Stock) -> str:
    """Say in a few words what a model is good for, "" where its name and size tell nothing."""
    if not stock.chats:
        return NO_CHAT
    parameters, size = stock.about.parameters, stock.listed.size
    if 0 < parameters < SMALL_MODEL or (not parameters and 0 < size < SMALL_FILE):
        return SIMPLE
    name = stock.name.lower()
    return next((row["says"] for row in _table()["remark"] if row["word"] in name), "")


def ordered(models: Sequence[Stock], free: int) -> list[Stock]:
    """Give the models that can chat, the one that is suggested first, else as they came."""
    able = [stock for stock in models if stock.chats]
    best = max(able, key=lambda stock: _worth(stock, free), default=None)
    return [*([best] if best else []), *(stock for stock in able if stock is not best)]


def _worth(stock: Stock, free: int) -> tuple[bool, bool, int]:
    """What fits, then what is good for something, then the larger one; of what is too large the smallest."""
    fitting = fits(stock.listed.size, free) is not False
    return fitting, remark(stock) not in ("", SIMPLE), stock.listed.size if fitting else -stock.listed.size


def suggested(free: Free) -> list[Pull]:
    """Give what to pull: the largest that leaves room first, then what is near it in size."""
    rows = [Pull(**row) for row in _table()["pull"]]
    memory = free if free.most else Free(UNKNOWN_MEMORY)
    roomy = max(memory.main // COMFORT, memory.video)
    at = next((n for n, row in enumerate(rows) if fits(row.size, roomy)), len(rows) - 1)
    larger = at > 0 and fits(rows[at - 1].size, memory.most)
    start = min(at - 1 if larger else at, len(rows) - SUGGESTED)
    return [rows[at], *(row for row in rows[start : start + SUGGESTED] if row is not rows[at])]


def table(models: Sequence[Stock], free: int) -> Iterator[tuple[str, ...]]:
    """Word the models: name, size, quantisation, context, whether it fits, what it is good for."""
    for stock in models:
        size, context = stock.listed.size, stock.about.context
        yield (
            stock.name,
            gigabytes(size) if size else "",
            stock.listed.quantization,
            f"context {shortened(context)}" if context else "",
            FITS[fits(size, free)] if stock.chats else "",
            remark(stock),
        )


def free_for(shelf: Shelf, here: Free) -> Free:
    """Say what a model of a server on this machine may take: what others hold there goes to the next one."""
    return Free(here.main and here.main + shelf.held, here.video and here.video + shelf.held_video)


def gigabytes(size: int) -> str:
    """Write a size as people who pull models know it: `4.7 GB`, `398 MB`."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def shortened(tokens: int) -> str:
    """Write a context as its maker does: 32768 as `32k`, 8192 as `8k`."""
    return f"{tokens // 1024}k" if tokens >= 1024 else str(tokens)
