"""How far a batch is: counts, tokens a second, and which engines are left alone. Draws nothing."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tripletick.batch.results import DONE, ENDED, FAILED, UNSOLVED, Record
from tripletick.batch.task_queue import HostHealth

HOSTS_SHOWN = 4
SHORT = 40


@dataclass(slots=True)
class BatchProgress:
    """Counts what has ended."""

    total: int
    before: int
    """Ended in earlier runs."""
    hosts: HostHealth
    ended: Counter[str] = field(default_factory=Counter)
    running: Counter[str] = field(default_factory=Counter)
    """Tasks that are worked on, by engine."""
    again: int = 0
    tokens: int = 0
    began: float = field(default_factory=time.monotonic)

    def count_result(self, told: Record) -> None:
        self.ended[told["status"]] += 1
        self.tokens += told["tokens"]["output"]

    @property
    def left(self) -> int:
        """Tasks that are neither done nor unsolved."""
        return self.total - self.before - sum(self.ended[status] for status in ENDED)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def format_line(self) -> str:
        """Say it in one line."""
        ended = self.before + sum(self.ended.values())
        parts = [f"{ended}/{self.total}", f"{self.ended[DONE]} done", f"{self.running.total()} running"]
        parts += [f"{self.ended[kind]} {kind}" for kind in (UNSOLVED, FAILED) if self.ended[kind]]
        parts += [f"{self.tokens / max(self.seconds, 0.001):.1f} tok/s", *self._format_engines()]
        return " · ".join(parts)

    def to_dict(self, results: str) -> dict[str, Any]:
        """Give the object of `-o json`."""
        return {
            "total": self.total,
            "before": self.before,
            **{kind: self.ended[kind] for kind in (*ENDED, FAILED)},
            "left": self.left,
            "retries": self.again,
            "seconds": round(self.seconds, 3),
            "output_tokens": self.tokens,
            "tokens_per_second": round(self.tokens / max(self.seconds, 0.001), 1),
            "results": results,
        }

    def _format_engines(self) -> list[str]:
        """Name those that are left alone, and how busy the others are where there are several."""
        now = time.monotonic()
        names = sorted({*self.running, *self.hosts.until})
        shown = [] if names == [""] and not self.hosts.until else names
        told = [f"{shorten_host(name)} {self._format_state(name, now)}" for name in shown[:HOSTS_SHOWN]]
        return told + [f"+{len(shown) - HOSTS_SHOWN}"] * (len(shown) > HOSTS_SHOWN)

    def _format_state(self, name: str, now: float) -> str:
        left = self.hosts.until.get(name, now) - now
        return f"paused {left:.0f} s" if left > 0 else str(self.running[name])


def shorten_host(host: str) -> str:
    """Name an engine by what tells it from others."""
    return host.partition("://")[2][:SHORT] or host[:SHORT] or "engine"
