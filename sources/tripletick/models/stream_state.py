"""A streamed chat completion: its server-sent events, and its state so far.

Events are read as chat servers really stream them (WHATWG HTML, 9.2), each a JSON object. Comments,
keep-alives, CRLF, objects over several `data:` lines, no blank line between events and none at the end are
read. Names and ids of events mean nothing here.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tripletick.messages import Chunk, Finish
from tripletick.models import completion_chunks, failures, json_fields
from tripletick.system.lazy_regex import lazy_regex

DONE = b"[DONE]"
FIELD = lazy_regex(rb"(?P<name>[A-Za-z][A-Za-z_-]*)(?:: ?(?P<value>.*))?", re.DOTALL)
NAMED = ("data", "error")
"""Fields whose value is told; llama.cpp once sent an error as a field of its own."""
SHOWN = 80


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


def parse_events(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Give each event's object as soon as it is whole, up to the end. Raises StreamCutError on rubbish."""
    parts: list[bytes] = []
    for line in lines:
        data = _parse_line(line.rstrip(b"\r"))
        if data is None:
            continue
        if data == DONE:
            break
        alone = json_fields.parse_object(data) if data and not parts else {}
        if alone:
            yield alone
        elif data:
            parts.append(data)
        elif parts:
            yield _join_parts(parts)
            parts = []
    if parts:
        yield _join_parts(parts)


def _parse_line(line: bytes) -> bytes | None:
    """Give what a line holds, b"" at the end of an event, None where it means nothing."""
    if line.startswith((b"{", b"}")):
        # an error may come bare
        return line
    if not line.strip():
        return b""
    known = FIELD.fullmatch(line)
    if not known and not line.startswith(b":"):
        raise failures.GARBLED(told=line[:SHOWN].decode("utf-8", "replace"))
    if known and known["name"].decode() in NAMED:
        value = (known["value"] or b"").strip()
        return b'{"error": %s}' % value if known["name"] == b"error" else value or None
    return None


def _join_parts(parts: list[bytes]) -> dict[str, Any]:
    whole = b"\n".join(parts)
    found = json_fields.parse_object(whole)
    if not found:
        raise failures.GARBLED(told=whole[:SHOWN].decode("utf-8", "replace"))
    return found
