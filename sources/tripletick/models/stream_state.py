"""What has come of one streamed chat completion so far: its end, its calls and its counts."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tripletick.messages import Chunk, Finish
from tripletick.models import completion_chunks, failures, json_fields


@dataclass(slots=True)
class StreamState:
    """One reply, of at most so many lines."""

    most: int
    finish: Finish | None = None
    ended: str = ""
    told: dict[str, Any] = field(default_factory=dict)
    """What counts it, whichever event that was in."""
    calls: completion_chunks.ToolCallBuilder = field(default_factory=completion_chunks.ToolCallBuilder)
    began: float = field(default_factory=time.monotonic)
    first: float = 0.0

    def limit_lines(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        """Give the lines. Raises StreamCutError where there is no end of them."""
        for count, line in enumerate(lines):
            if count > self.most:
                raise failures.ENDLESS(lines=count)
            yield line

    def add_event(self, fields: Mapping[str, Any]) -> Chunk | None:
        """Take an event; gives what it adds to the reply."""
        self.calls.add_piece(fields)
        self.told |= {
            name: fields[name] for name in ("usage", "timings") if json_fields.get_object(fields, name)
        }
        self.ended = completion_chunks.get_finish_reason(fields) or self.ended
        self.finish = completion_chunks.parse_finish(fields) or self.finish
        chunk = completion_chunks.parse_chunk(fields)
        if not (chunk and chunk.progress):
            self.first = self.first or time.monotonic()
        return chunk

    @property
    def is_complete(self) -> bool:
        """Nothing more is to come; a count may come after the end."""
        return self.finish is not None and bool(self.told)

    def make_last_chunk(self) -> Chunk:
        """Give the end of the reply. Raises StreamCutError where it has none."""
        if self.finish is None:
            raise failures.BROKEN(told=self.ended) if self.ended else failures.make_cut_error()
        counts = completion_chunks.parse_counts(self.told)
        if not counts.output_seconds:
            read, wrote = self.first - self.began, time.monotonic() - self.first
            counts = replace(counts, prompt_seconds=read, output_seconds=wrote)
        return Chunk(finish=self.finish, counts=counts, calls=self.calls.build_calls())
