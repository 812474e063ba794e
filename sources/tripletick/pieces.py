"""Events that come in pieces: put together again for the log, up to a line's end; for all without the secrets
that one alone holds half of.

Tasks that run side by side talk at once; the pieces of each are joined apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tripletick.events import Event, InTask, Notice, Output, Prompted, Text, Thought, Usage
from tripletick.redaction import Stream

JOINED = (Text, Thought, Output)
BETWEEN = (Usage, Notice, Prompted)
"""What may stand between two pieces of one text."""
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
        task, piece = _parted(event)
        if not isinstance(piece, JOINED):
            yield from self._ended(task) if task else self.rest()
            yield now, event
            return
        held = self.held.get(task)
        if held and type(_parted(held.event)[1]) is not type(piece):
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


@dataclass(slots=True)
class Secretless:
    """Holds back the end of a piece while it may be the beginning of a secret."""

    streams: dict[str, tuple[Event, Stream]] = field(default_factory=dict)
    """The last piece of each task, and the text that it belongs to."""

    def take(self, event: Event) -> Iterator[Event]:
        """Give the event, with what was held back before it or in its own text."""
        task, piece = _parted(event)
        if isinstance(piece, BETWEEN):
            yield event
            return
        last, stream = self.streams.get(task, (event, Stream()))
        if type(_parted(last)[1]) is not type(piece):
            yield from self.rest(task)
            stream = Stream()
        if isinstance(piece, JOINED):
            self.streams[task] = event, stream
            event = _whole(event, stream.feed(piece.text))
        yield event

    def rest(self, task: str = "") -> Iterator[Event]:
        """Give what is held back of a task, by default of all."""
        for each in [task] if task else list(self.streams):
            last, stream = self.streams.pop(each, (None, Stream()))
            if last and (text := stream.close()):
                yield _whole(last, text)


def _parted(event: Event) -> tuple[str, Event]:
    return (event.task, event.event) if isinstance(event, InTask) else ("", event)


def _whole(event: Event, text: str) -> Event:
    if isinstance(event, InTask):
        return replace(event, event=_whole(event.event, text))
    return replace(event, text=text) if isinstance(event, JOINED) else event
