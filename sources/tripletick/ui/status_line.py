"""How the work goes, in one line: what is done, how fast, how full the context is, how long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from tripletick.events import Usage
from tripletick.messages import Progress

SLOW = 20.0
"""Seconds without a token after which the user is told what takes so long."""
READING = "Reading {much} {more} {seconds:.0f} s (Ctrl+C stops)"
STOPS = "(Ctrl+C stops)"
CELLS = 10
"""Of a bar in the status line."""


@dataclass(slots=True)
class StatusLine:
    """What the status line and the last line of a turn tell.

    Tokens are counted as they come, until the engine tells.
    """

    clock: Callable[[], float] = time.monotonic
    slow: float = SLOW
    more: str = "…"
    """How the terminal writes three dots."""
    doing: str = ""
    waits: bool = False
    """For the model's first token."""
    since: float = 0.0
    tokens: int = 0
    first: float = 0.0
    model: str = ""
    stage: str = ""
    """What the engine does: it is loading, reading, thinking, writing."""
    done: int = 0
    total: int = 0
    """How far it is with that; 0: not known."""
    prompt: int = 0
    """Tokens that the model is reading, estimated."""
    context: int = 0
    used: int = 0
    written: int = 0
    seconds: float = 0.0
    writing: float = 0.0

    def __post_init__(self) -> None:
        self.since = self.clock()

    def make_next(self) -> StatusLine:
        """Give one for the next turn."""
        return StatusLine(self.clock, self.slow, model=self.model)

    def begin_step(self, doing: str, *, waits: bool = False) -> None:
        self.doing, self.waits, self.since, self.stage = doing, waits, self.clock(), ""

    def begin_prompt(self, tokens: int) -> None:
        """The engine is asked for a reply to so many tokens."""
        self.prompt, self.stage, self.total = tokens, "reading", 0

    def update_progress(self, progress: Progress) -> bool:
        """Take how far the engine is before its first token; True where it now does something else."""
        new = self.stage != progress.stage
        if new:
            self.since = self.clock()
        self.waits, self.stage, self.done, self.total = True, progress.stage, progress.done, progress.total
        return new

    def count_token(self, stage: str) -> None:
        self.first = self.first or self.clock()
        self.tokens, self.waits, self.stage = self.tokens + 1, False, stage

    def count_usage(self, usage: Usage) -> None:
        self.context, self.used = usage.context, usage.counts.prompt + usage.counts.output
        self.written += usage.counts.output
        self.seconds += usage.seconds
        self.writing += usage.counts.output_seconds
        self.tokens, self.first, self.stage = 0, 0.0, ""

    def format_current(self) -> str:
        """Word the moment."""
        now = self.clock()
        waited, spent = now - self.since, now - self.first
        long = self.waits and waited > self.slow
        if long and self.stage in ("", "reading") and not self.total:
            much = f"{format_tokens(self.prompt)} prompt tokens" if self.prompt else "the prompt"
            return READING.format(much=much, more=self.more, seconds=waited)
        speed = f"{self.tokens / spent:.1f} tok/s" if self.tokens > 1 and spent > 0 else ""
        parts = (
            self.doing,
            self._format_stage(),
            speed,
            self._format_fill(),
            f"{waited:.0f} s",
            STOPS * long,
        )
        return "  ".join(filter(None, parts))

    def _format_stage(self) -> str:
        if not self.waits:
            return self.stage
        tokens = self.total or self.prompt
        object = {"loading": self.model, "reading": f"{format_tokens(tokens)} tokens" if tokens else ""}
        whole = (
            f"{draw_bar(self.done, self.total, CELLS)} {100 * self.done // self.total} %"
            if self.total
            else ""
        )
        words = " ".join(filter(None, (self.stage, object.get(self.stage, ""))))
        return "  ".join(filter(None, (words, whole)))

    def format_total(self) -> str:
        """Word the turn, "" where no engine counted."""
        if not self.written:
            return ""
        speed = f"{self.written / self.writing:.1f} tok/s" if self.writing else ""
        parts = (f"{self.written} tokens", f"{self.seconds:.1f} s", speed, self._format_fill())
        return "  ".join(filter(None, parts))

    def _format_fill(self) -> str:
        return (
            f"{format_tokens(self.used + self.tokens)} of {format_window(self.context)}"
            if self.context
            else ""
        )


def draw_bar(done: int, total: int, cells: int) -> str:
    """Draw how much is done, in so many cells."""
    filled = cells * min(done, total) // total
    return f"[{'#' * filled}{'-' * (cells - filled)}]"


def format_thousands(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def format_tokens(tokens: int) -> str:
    return f"{tokens / 1000:.1f}k".replace(".0k", "k") if tokens >= 1000 else str(tokens)


def format_window(tokens: int) -> str:
    """Name a context as people do: 16k is 16384."""
    return f"{tokens // 1024}k" if tokens % 1024 == 0 else format_tokens(tokens)
