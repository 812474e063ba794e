"""Server-sent events (WHATWG HTML, 9.2) as chat servers really stream them: each event a JSON object.

Comments and keep-alives, CRLF, objects over several `data:` lines, no blank line between events and none at
the end are read. Names and ids of events mean nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tripletick.models import failures, json_fields

DONE = b"[DONE]"
FIELD = re.compile(rb"(?P<name>[A-Za-z][A-Za-z_-]*)(?:: ?(?P<value>.*))?", re.DOTALL)
NAMED = ("data", "error")
"""Fields whose value is told; llama.cpp once sent an error as a field of its own."""
SHOWN = 80


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
