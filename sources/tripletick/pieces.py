"""Events that come in pieces, put together again for the log: pieces in a row are one, up to a line's end.

Tasks that run side by side talk at once; the pieces of each are joined apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tripletick.events import Event, InTask, Output, Text, Thought

JOINED = (Text, Thought, Output)
SECONDS = 1.0
CHARACTERS = 4096
"""So long, and so many, are pieces held back at most."""


@dataclass(slots=True)
class Held:
    """Pieces of one kind, since `since` on the log's clock."""

    since: float
    event: Event
    """The first of them, in its task if it has one."""
    texts: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Pieces:
    """What is held back, by the task that it is of; "" is the session itself."""

    held: dict[str, Held] = field(default_factory=dict)

    def take(self, event: Event, now: float) -> Iterator[tuple[float, Event]]:
        """Give the events that are whole now, each with its time."""
        task, piece = (event.task, event.event) if isinstance(event, InTask) else ("", event)
        if not isinstance(piece, JOINED):
            yield from self._ended(task) if task else self.rest()
            yield now, event
            return
        held = self.held.get(task)
        if held and type(_inner(held.event)) is not type(piece):
            yield from self._ended(task)
            held = None
        if held is None:
            held = self.held[task] = Held(now, event)
        held.texts.append(piece.text)
        full = now - held.since >= SECONDS or sum(map(len, held.texts)) >= CHARACTERS
        if full or "\n" in piece.text:
            yield from self._ended(task)

    def rest(self) -> Iterator[tuple[float, Event]]:
        """Give all that is held back."""
        for task in list(self.held):
            yield from self._ended(task)

    def _ended(self, task: str) -> Iterator[tuple[float, Event]]:
        if held := self.held.pop(task, None):
            yield held.since, _whole(held.event, "".join(held.texts))


def _inner(event: Event) -> Event:
    return event.event if isinstance(event, InTask) else event


def _whole(event: Event, text: str) -> Event:
    if isinstance(event, InTask):
        return replace(event, event=_whole(event.event, text))
    return replace(event, text=text) if isinstance(event, JOINED) else event
