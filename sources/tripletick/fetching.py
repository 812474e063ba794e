"""A model that a server pulls, as a person sees it: one bar over all layers, speed, time left.

How the server is spoken to is in models/pulling.py.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field

from tripletick.models import Settings
from tripletick.models.choice import gigabytes
from tripletick.models.pulling import Pulled, pull
from tripletick.screens import Screen
from tripletick.ui.safe import visible

CELLS = 20
SPAN = 10.0
"""Seconds over which the speed is measured: long enough to be calm, short enough to be true."""
STEP = 10
"""Per cent between two lines where no status line is drawn."""
STOPPED = "What came is kept by the server. Go on: tripletick models pull {name}"
DONE = "{name} is there: {size} in {time}."


@dataclass(slots=True)
class Bar:
    """How far a pull is, and how fast; `clock` gives seconds."""

    name: str
    clock: Callable[[], float] = time.monotonic
    now: Pulled = field(default_factory=lambda: Pulled(""))
    _marks: deque[tuple[float, int]] = field(default_factory=deque)

    def take(self, pulled: Pulled) -> None:
        self.now, at = pulled, self.clock()
        self._marks.append((at, pulled.done))
        while len(self._marks) > 2 and at - self._marks[0][0] > SPAN:
            self._marks.popleft()

    @property
    def percent(self) -> int:
        return 100 * self.now.done // self.now.total if self.now.total else 0

    def line(self) -> str:
        """Word it for the status line."""
        done, total = self.now.done, self.now.total
        if not total or done >= total:
            return f"Pulling {self.name}  {visible(self.now.doing)}"
        filled = CELLS * done // total
        bar = "#" * filled + "-" * (CELLS - filled)
        share = f"[{bar}] {self.percent} %  {gigabytes(done)} of {gigabytes(total)}"
        return "  ".join(filter(None, (f"Pulling {self.name}", share, self._pace())))

    def _pace(self) -> str:
        """Word speed and time left; layers that are not known yet are not in it."""
        (first, before), (last, now) = self._marks[0], self._marks[-1]
        if last - first <= 0 or now <= before:
            return ""
        speed = (now - before) / (last - first)
        return f"{speed / 1e6:.1f} MB/s  {worded((self.now.total - now) / speed)} left"


def fetch(name: str, settings: Settings, screen: Screen) -> None:
    """Have the server pull a model and show it; Ctrl+C stops it and says how to go on.

    Raises what `pull` raises, and KeyboardInterrupt.
    """
    bar, told, began = Bar(visible(name)), 0, time.monotonic()
    screen.status(bar.line)
    try:
        with closing(pull(name, settings)) as progress:
            for pulled in progress:
                bar.take(pulled)
                # it goes back where another layer is known
                if not screen.live and abs(bar.percent - told) >= STEP:
                    told = bar.percent
                    screen.say(bar.line())
    except KeyboardInterrupt:
        screen.close()
        screen.say(STOPPED.format(name=bar.name))
        raise
    finally:
        screen.close()
    spent = worded(time.monotonic() - began)
    screen.say(DONE.format(name=bar.name, size=gigabytes(bar.now.total), time=spent))


def worded(seconds: float) -> str:
    """Write a time: `8 s`, `2 min 5 s`, `1 h 4 min`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole // 60 % 60} min"
