"""The turn as JSON, one event a line, for programs that watch; asks nobody."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TextIO

from tripletick.events import Event
from tripletick.ui.sanitize import write_json


class JsonLinesWriter:
    """Writes each event as it happens; `encode` turns it into plain values."""

    def __init__(self, stream: TextIO, encode: Callable[[Event], Mapping[str, Any]]) -> None:
        self.stream, self.encode = stream, encode

    def write_event(self, event: Event) -> None:
        write_json(self.stream, self.encode(event))
        self.stream.flush()
