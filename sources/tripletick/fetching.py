"""A model on its way, as the user sees it: one bar over all layers or parts, speed, time left.

How a server is told to pull is in models/pulling.py, how a file is fetched to this machine in
models/fetch.py.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from tripletick.models import Settings, catalog
from tripletick.models.catalog import Entry
from tripletick.models.choice import gigabytes
from tripletick.models.progress import Progress
from tripletick.models.pulling import Pulled, pull
from tripletick.places import shown
from tripletick.screens import Screen
from tripletick.ui.gauge import bar
from tripletick.ui.safe import visible

CELLS = 20
SPAN = 10.0
"""Seconds over which the speed is measured: long enough to be calm, short enough to be true."""
STEP = 10
"""Per cent between two lines where no status line is drawn."""
STOPPED = "What came is kept by the server. Go on: tripletick models pull {name}"
DONE = "{name} is there: {size} in {time}."
BEGINS = (
    "Fetching {name}: {size}, licence {licence}, from {sources}. It is for {good_for}. "
    "Ctrl+C keeps what came."
)
LIES = "{name} is in {path}"
CHECKED = "its sum is compared"
KEPT = "What came is kept. Go on: tripletick models create {name}"


@dataclass(slots=True)
class Bar:
    """How far it is, and how fast; `clock` gives seconds."""

    name: str
    clock: Callable[[], float] = time.monotonic
    now: Pulled = field(default_factory=lambda: Pulled(""))
    verb: str = "Pulling"
    _marks: deque[tuple[float, int]] = field(default_factory=deque)
    _said: int = 0
    """The per cent of the last line that was said."""

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
            return f"{self.verb} {self.name}  {visible(self.now.doing)}"
        share = f"{bar(done, total, CELLS)} {self.percent} %  {gigabytes(done)} of {gigabytes(total)}"
        return "  ".join(filter(None, (f"{self.verb} {self.name}", share, self._pace())))

    def tell(self, screen: Screen) -> None:
        """Say a line at each step where no status line is drawn; it goes back where a layer becomes known."""
        if not screen.live and abs(self.percent - self._said) >= STEP:
            self._said = self.percent
            screen.say(self.line())

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
    bar, began = Bar(visible(name)), time.monotonic()
    screen.status(bar.line)
    try:
        with closing(pull(name, settings)) as progress:
            for pulled in progress:
                bar.take(pulled)
                bar.tell(screen)
    except KeyboardInterrupt:
        screen.close()
        screen.say(STOPPED.format(name=bar.name))
        raise
    finally:
        screen.close()
    spent = worded(time.monotonic() - began)
    screen.say(DONE.format(name=bar.name, size=gigabytes(bar.now.total), time=spent))


def fetch_file(entry: Entry, cache: Path, screen: Screen, *, quiet: bool = False) -> Path:
    """Fetch a model of the catalog to this machine unless it is there, and show it; give its path.

    What is about to be fetched is always said; `quiet` says nothing of one that is there. Raises what
    `fetch.fetch` raises, and KeyboardInterrupt.
    """
    from tripletick.models.fetch import fetch as fetch_model

    if catalog.present(entry, cache):
        path = catalog.kept(entry, cache)
    else:
        path = _fetch_shown(entry, lambda notice: fetch_model(entry, cache, notice), screen)
        quiet = False
    if not quiet:
        screen.say(LIES.format(name=entry.name, path=shown(path)))
    return path


def _fetch_shown(entry: Entry, run: Callable[[Progress], Path], screen: Screen) -> Path:
    bar = Bar(entry.name, verb="Fetching")
    words = {key: getattr(entry, key) for key in ("name", "licence", "sources", "good_for")}
    screen.say(BEGINS.format(size=gigabytes(entry.size), **words))

    def notice(done: int, total: int) -> None:
        bar.take(Pulled(CHECKED, done, total))
        bar.tell(screen)

    screen.status(bar.line)
    try:
        return run(notice)
    except KeyboardInterrupt:
        screen.close()
        screen.say(KEPT.format(name=entry.name))
        raise
    finally:
        screen.close()


def worded(seconds: float) -> str:
    """Write a time: `8 s`, `2 min 5 s`, `1 h 4 min`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole // 60 % 60} min"
