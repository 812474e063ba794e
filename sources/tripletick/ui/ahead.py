"""What is typed while no line is read: taken off the terminal unseen and kept for the next input line.

Each line of it is read as if it were typed then, a paste stays one paste, and none of it answers a question
that came up meanwhile. Ctrl+C stays what it is. Not covered: what the keys mean (line.py).
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import select
import signal
import termios
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TextIO

FOLD = "\x14"
"""Ctrl+T."""
PASTES, NO_PASTES = "\x1b[?2004h", "\x1b[?2004l"
"""Asks the terminal to mark what is pasted, so that no line of it is sent by itself."""
_KEYS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b.?|[\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(slots=True)
class Ahead:
    """Listens on a terminal, by a thread, between `start` and `stop`."""

    keys: TextIO
    marks: TextIO | None
    """Where the terminal is told to mark pastes, None where it knows no such thing."""
    fold: Callable[[], object]
    """Called at Ctrl+T."""
    text: str = ""
    thread: threading.Thread | None = None
    before: list[Any] = field(init=False)
    """How the terminal was set."""
    wake: tuple[int, int] = (-1, -1)
    resumed: Any = None
    first: bool = True

    def __post_init__(self) -> None:
        self.before = termios.tcgetattr(self.keys)

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Take what is typed; inside itself it changes nothing."""
        if self.thread:
            yield
            return
        self._start()
        try:
            yield
        finally:
            self._stop()
            self._give_back()

    @contextlib.contextmanager
    def handed(self) -> Iterator[str]:
        """Leave the keys to the input line; gives what was typed, as the terminal sent it, and forgets it.

        The terminal stays as it is set here until that sets it: else it would show what is typed between, and
        make a newline of Enter.
        """
        self._stop()
        text, self.text = self.text, ""
        try:
            yield text
        finally:
            self._start()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Leave keys and terminal to somebody else for a while, as the shell has left them."""
        was = self.thread is not None
        self._stop()
        self._give_back()
        try:
            yield
        finally:
            self._set()
            if was:
                self._start()

    def typed(self) -> str:
        """Give what was typed as one line to look at."""
        return " ".join(_KEYS.sub("", self.text).split())

    def _start(self) -> None:
        self._set()
        if self.first:
            self._take_early()
        self.wake = os.pipe()
        # a stopped program finds the terminal as the shell has left it
        self.resumed = signal.signal(signal.SIGCONT, lambda number, frame: self._set())
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def _stop(self) -> None:
        if not self.thread:
            return
        os.write(self.wake[1], b".")
        self.thread.join()
        self.thread = None
        for end in self.wake:
            os.close(end)
        signal.signal(signal.SIGCONT, self.resumed)

    def _give_back(self) -> None:
        self._mark(NO_PASTES)
        with contextlib.suppress(termios.error):
            termios.tcsetattr(self.keys, termios.TCSANOW, self.before)

    def _take_early(self) -> None:
        """Take what was typed while the program started: Enter was a newline then."""
        self.first = False
        if select.select([self.keys], [], [], 0)[0]:
            early = _read(self.keys.fileno()).decode("utf-8", "surrogateescape")
            self.text = early.replace("\n", "\r") + self.text

    def _set(self) -> None:
        """Keys come one by one and are not shown; Ctrl+C still interrupts."""
        mode: list[Any] = [*self.before[:6], self.before[6][:]]
        mode[0] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR)
        mode[3] &= ~(termios.ICANON | termios.ECHO)
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        with contextlib.suppress(termios.error):
            # a terminal that is gone needs no setting
            termios.tcsetattr(self.keys, termios.TCSANOW, mode)
        self._mark(PASTES)

    def _mark(self, code: str) -> None:
        if self.marks:
            with contextlib.suppress(OSError):
                self.marks.write(code)
                self.marks.flush()

    def _listen(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        handle, wake = self.keys.fileno(), self.wake[0]
        while True:
            ready, _, _ = select.select([handle, wake], [], [])
            data = _read(handle) if handle in ready else b""
            self._add(decoder.decode(data))
            if wake in ready or not data:
                return

    def _add(self, text: str) -> None:
        for _ in range(text.count(FOLD)):
            self.fold()
        self.text += text.replace(FOLD, "")


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 4096)
    except OSError:
        # the terminal is gone
        return b""
