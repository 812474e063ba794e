"""Ends from another thread what one thread waits for: a reply, a program, a lock, an answer.

Who may wait long says with `ending` how that wait is ended. A halt is Ctrl-C for a single thread: `Halted` is
raised there, once, where it waits or where it next looks; what the thread does then to tidy up, such as a
snapshot, is not halted again. Not covered: what only computes. It is short here, and comes to a wait.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager


class Cancelled(KeyboardInterrupt):
    """This thread's work was stopped by another one."""


class CancelToken:
    """One thread's; `call` may come from any other one."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._called = threading.Event()
        self._ends: list[Callable[[], object]] = []

    @property
    def due(self) -> bool:
        """True from the call until it was raised."""
        return self._called.is_set()

    def cancel(self) -> None:
        """End what is waited for, and have `Halted` raised."""
        CancelToken.cancel_all([self])

    @staticmethod
    def cancel_all(tokens: Iterable[CancelToken]) -> None:
        """Cancel several, none of which goes on with what another one's end sets free."""
        ends: list[Callable[[], object]] = []
        for token in tokens:
            with token._guard:
                token._called.set()
                ends += token._ends
        for end in ends:
            end()

    def clear(self) -> None:
        """Take back a call that came too late for what it was meant for."""
        self._called.clear()

    def raise_if_cancelled(self) -> None:
        """Raise Halted where it is due."""
        if self.due:
            self.clear()
            raise Cancelled

    def wait(self, seconds: float) -> None:
        """Sleep. Raises Halted."""
        self._called.wait(seconds)
        self.raise_if_cancelled()

    @contextmanager
    def call_on_cancel(self, end: Callable[[], object]) -> Iterator[None]:
        """Have `end` called at a halt while this is open; the halt itself is for somebody else."""
        with self._guard:
            self._ends.append(end)
        try:
            yield
        finally:
            with self._guard:
                self._ends.remove(end)

    @contextmanager
    def on_cancel(self, end: Callable[[], object]) -> Iterator[None]:
        """Have `end` called at a halt while this is open. Raises Halted, also in the place of what the end of
        the wait has raised.
        """
        with self._guard:
            self._ends.append(end)
        try:
            self.raise_if_cancelled()
            yield
        finally:
            with self._guard:
                self._ends.remove(end)
            self.raise_if_cancelled()
