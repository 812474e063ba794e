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
class TypeAhead:
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
    def capture_keys(self) -> Iterator[None]:
        """Take what is typed; inside itself it changes nothing."""
        if self.thread:
            yield
            return
        self._start_listening()
        try:
            yield
        finally:
            self._stop_listening()
            self._restore_terminal()

    @contextlib.contextmanager
    def hand_over_keys(self) -> Iterator[str]:
        """Leave the keys to the input line; gives what was typed, as the terminal sent it, and forgets it.

        The terminal stays as it is set here until that sets it: else it would show what is typed between, and
        make a newline of Enter.
        """
        self._stop_listening()
        text, self.text = self.text, ""
        try:
            yield text
        finally:
            self._start_listening()

    @contextlib.contextmanager
    def pause_capture(self) -> Iterator[None]:
        """Leave keys and terminal to somebody else for a while, as the shell has left them."""
        was = self.thread is not None
        self._stop_listening()
        self._restore_terminal()
        try:
            yield
        finally:
            self._set_raw_mode()
            if was:
                self._start_listening()

    def format_typed(self) -> str:
        """Give what was typed as one line to look at."""
        return " ".join(_KEYS.sub("", self.text).split())

    def _start_listening(self) -> None:
        self._set_raw_mode()
        if self.first:
            self._read_early_keys()
        self.wake = os.pipe()
        # a stopped program finds the terminal as the shell has left it
        self.resumed = signal.signal(signal.SIGCONT, lambda number, frame: self._set_raw_mode())
        self.thread = threading.Thread(target=self._run_listener, daemon=True)
        self.thread.start()

    def _stop_listening(self) -> None:
        if not self.thread:
            return
        os.write(self.wake[1], b".")
        self.thread.join()
        self.thread = None
        for end in self.wake:
            os.close(end)
        signal.signal(signal.SIGCONT, self.resumed)

    def _restore_terminal(self) -> None:
        self._send_code(NO_PASTES)
        with contextlib.suppress(termios.error):
            termios.tcsetattr(self.keys, termios.TCSANOW, self.before)

    def _read_early_keys(self) -> None:
        """Take what was typed while the program started: Enter was a newline then."""
        self.first = False
        if select.select([self.keys], [], [], 0)[0]:
            early = _read_keys(self.keys.fileno()).decode("utf-8", "surrogateescape")
            self.text = early.replace("\n", "\r") + self.text

    def _set_raw_mode(self) -> None:
        """Keys come one by one and are not shown; Ctrl+C still interrupts."""
        mode: list[Any] = [*self.before[:6], self.before[6][:]]
        mode[0] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR)
        mode[3] &= ~(termios.ICANON | termios.ECHO)
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        with contextlib.suppress(termios.error):
            # a terminal that is gone needs no setting
            termios.tcsetattr(self.keys, termios.TCSANOW, mode)
        self._send_code(PASTES)

    def _send_code(self, code: str) -> None:
        if self.marks:
            with contextlib.suppress(OSError):
                self.marks.write(code)
                self.marks.flush()

    def _run_listener(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        handle, wake = self.keys.fileno(), self.wake[0]
        while True:
            ready, _, _ = select.select([handle, wake], [], [])
            data = _read_keys(handle) if handle in ready else b""
            self._add_keys(decoder.decode(data))
            if wake in ready or not data:
                return

    def _add_keys(self, text: str) -> None:
        for _ in range(text.count(FOLD)):
            self.fold()
        self.text += text.replace(FOLD, "")


def _read_keys(handle: int) -> bytes:
    try:
        return os.read(handle, 4096)
    except OSError:
        # the terminal is gone
        return b""
