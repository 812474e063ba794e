"""Events that come in pieces: put together again for the log, up to a line's end; for all without the secrets
that one alone holds half of.

Tasks that run side by side talk at once; the pieces of each are joined apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tripletick.events import Event, InTask, Notice, Output, Prompted, Text, Thought, Usage
from tripletick.system.redaction import Stream

JOINED = (Text, Thought, Output)
BETWEEN = (Usage, Notice, Prompted)
"""What may stand between two pieces of one text."""
SECONDS = 1.0
CHARACTERS = 4096
"""So long, and so many, are pieces held back at most."""


@dataclass(slots=True)
class HeldChunks:
    """Pieces of one kind, since `since` on the log's clock."""

    since: float
    event: Event
    """The first of them, in its task if it has one."""
    texts: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ChunkBuffer:
    """What is held back, by the task that it is of; "" is the session itself."""

    held: dict[str, HeldChunks] = field(default_factory=dict)

    def add_event(self, event: Event, now: float) -> Iterator[tuple[float, Event]]:
        """Give the events that are whole now, each with its time."""
        task, piece = _split_task(event)
        if not isinstance(piece, JOINED):
            yield from self._flush_task(task) if task else self.flush_all()
            yield now, event
            return
        held = self.held.get(task)
        if held and type(_split_task(held.event)[1]) is not type(piece):
            yield from self._flush_task(task)
            held = None
        if held is None:
            held = self.held[task] = HeldChunks(now, event)
        held.texts.append(piece.text)
        full = now - held.since >= SECONDS or sum(map(len, held.texts)) >= CHARACTERS
        if full or "\n" in piece.text:
            yield from self._flush_task(task)

    def flush_all(self) -> Iterator[tuple[float, Event]]:
        """Give all that is held back."""
        for task in list(self.held):
            yield from self._flush_task(task)

    def _flush_task(self, task: str) -> Iterator[tuple[float, Event]]:
        if held := self.held.pop(task, None):
            yield held.since, _replace_text(held.event, "".join(held.texts))


@dataclass(slots=True)
class SecretFilter:
    """Holds back the end of a piece while it may be the beginning of a secret."""

    streams: dict[str, tuple[Event, Stream]] = field(default_factory=dict)
    """The last piece of each task, and the text that it belongs to."""

    def filter_event(self, event: Event) -> Iterator[Event]:
        """Give the event, with what was held back before it or in its own text."""
        task, piece = _split_task(event)
        if isinstance(piece, BETWEEN):
            yield event
            return
        last, stream = self.streams.get(task, (event, Stream()))
        if type(_split_task(last)[1]) is not type(piece):
            yield from self.flush_held(task)
            stream = Stream()
        if isinstance(piece, JOINED):
            self.streams[task] = event, stream
            event = _replace_text(event, stream.feed(piece.text))
        yield event

    def flush_held(self, task: str = "") -> Iterator[Event]:
        """Give what is held back of a task, by default of all."""
        for each in [task] if task else list(self.streams):
            last, stream = self.streams.pop(each, (None, Stream()))
            if last and (text := stream.close()):
                yield _replace_text(last, text)


def _split_task(event: Event) -> tuple[str, Event]:
    return (event.task, event.event) if isinstance(event, InTask) else ("", event)


def _replace_text(event: Event, text: str) -> Event:
    if isinstance(event, InTask):
        return replace(event, event=_replace_text(event.event, text))
    return replace(event, text=text) if isinstance(event, JOINED) else event
