"""The turn as JSON, one event a line, for programs that watch; asks nobody."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from tripletick.events import Event


class JsonLines:
    """Writes each event as it happens; `encode` turns it into plain values."""

    def __init__(self, stream: TextIO, encode: Callable[[Event], Mapping[str, Any]]) -> None:
        self.stream, self.encode = stream, encode

    def show(self, event: Event) -> None:
        line = json.dumps(self.encode(event), ensure_ascii=False)
        # a lone surrogate has no UTF-8; JSON can name it
        self.stream.write(line.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")
        self.stream.flush()
