"""A model download, as the user sees it: one bar over all layers or parts, speed, time left.

How a server is told to pull is in models/ollama_pull.py, how a file is fetched to this machine in
models/fetch.py.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from tripletick.chat.frontend import Screen
from tripletick.models import EngineSettings, catalog
from tripletick.models.catalog import CatalogEntry
from tripletick.models.download import Progress
from tripletick.models.ollama_pull import PullStatus, pull_model
from tripletick.system.dirs import abbreviate_home
from tripletick.system.text import format_download_size, format_duration
from tripletick.ui.sanitize import escape_controls
from tripletick.ui.status_line import draw_bar

CELLS = 20
SPAN = 10.0
"""Seconds over which the speed is measured: long enough to be calm, short enough to be true."""
STEP = 10
"""Per cent between two lines where no status line is drawn."""
STOPPED = "The server keeps the partial download. To resume: tripletick models pull {name}"
DONE = "Downloaded {name}: {size} in {time}."
BEGINS = (
    "Downloading {name}: {size}, licence {licence}, from {sources}. Suitable for {good_for}. "
    "Ctrl+C keeps the partial download."
)
LIES = "{name} is in {path}"
CHECKED = "verifying the checksum"
KEPT = "The partial download is kept. To resume: tripletick models create {name}"


@dataclass(slots=True)
class PullProgress:
    """How far it is, and how fast; `clock` gives seconds."""

    name: str
    clock: Callable[[], float] = time.monotonic
    now: PullStatus = field(default_factory=lambda: PullStatus(""))
    verb: str = "Pulling"
    _marks: deque[tuple[float, int]] = field(default_factory=deque)
    _said: int = 0
    """The per cent of the last line that was said."""

    def update_progress(self, pulled: PullStatus) -> None:
        self.now, at = pulled, self.clock()
        self._marks.append((at, pulled.done))
        while len(self._marks) > 2 and at - self._marks[0][0] > SPAN:
            self._marks.popleft()

    @property
    def percent(self) -> int:
        return 100 * self.now.done // self.now.total if self.now.total else 0

    def format_line(self) -> str:
        """Word it for the status line."""
        done, total = self.now.done, self.now.total
        if not total or done >= total:
            return f"{self.verb} {self.name}  {escape_controls(self.now.doing)}"
        sizes = f"{format_download_size(done)} of {format_download_size(total)}"
        share = f"{draw_bar(done, total, CELLS)} {self.percent} %  {sizes}"
        return "  ".join(filter(None, (f"{self.verb} {self.name}", share, self._format_speed())))

    def print_step(self, screen: Screen) -> None:
        """Say a line at each step where no status line is drawn; it goes back where a layer becomes known."""
        if not screen.live and abs(self.percent - self._said) >= STEP:
            self._said = self.percent
            screen.say(self.format_line())

    def _format_speed(self) -> str:
        """Word speed and time left; layers that are not known yet are not in it."""
        (first, before), (last, now) = self._marks[0], self._marks[-1]
        if last - first <= 0 or now <= before:
            return ""
        speed = (now - before) / (last - first)
        return f"{speed / 1e6:.1f} MB/s  {format_duration((self.now.total - now) / speed)} left"


def pull_with_progress(name: str, settings: EngineSettings, screen: Screen) -> None:
    """Have the server pull a model and show it; Ctrl+C stops it and says how to go on.

    Raises what `pull` raises, and KeyboardInterrupt.
    """
    bar, began = PullProgress(escape_controls(name)), time.monotonic()
    screen.status(bar.format_line)
    try:
        with closing(pull_model(name, settings)) as progress:
            for pulled in progress:
                bar.update_progress(pulled)
                bar.print_step(screen)
    except KeyboardInterrupt:
        screen.close()
        screen.say(STOPPED.format(name=bar.name))
        raise
    finally:
        screen.close()
    spent = format_duration(time.monotonic() - began)
    screen.say(DONE.format(name=bar.name, size=format_download_size(bar.now.total), time=spent))


def fetch_model_file(entry: CatalogEntry, cache: Path, screen: Screen, *, quiet: bool = False) -> Path:
    """Fetch a model of the catalog to this machine unless it is there, and show it; give its path.

    What is about to be fetched is always said; `quiet` says nothing of one that is there. Raises what
    `fetch.fetch_model` raises, and KeyboardInterrupt.
    """
    from tripletick.models.fetch import fetch_model as fetch_model

    if catalog.is_fetched(entry, cache):
        path = catalog.model_path(entry, cache)
    else:
        path = _fetch_with_progress(entry, lambda notice: fetch_model(entry, cache, notice), screen)
        quiet = False
    if not quiet:
        screen.say(LIES.format(name=entry.name, path=abbreviate_home(path)))
    return path


def _fetch_with_progress(entry: CatalogEntry, run: Callable[[Progress], Path], screen: Screen) -> Path:
    bar = PullProgress(entry.name, verb="Fetching")
    words = {key: getattr(entry, key) for key in ("name", "licence", "sources", "good_for")}
    screen.say(BEGINS.format(size=format_download_size(entry.size), **words))

    def notice(done: int, total: int) -> None:
        bar.update_progress(PullStatus(CHECKED, done, total))
        bar.print_step(screen)

    screen.status(bar.format_line)
    try:
        return run(notice)
    except KeyboardInterrupt:
        screen.close()
        screen.say(KEPT.format(name=entry.name))
        raise
    finally:
        screen.close()
