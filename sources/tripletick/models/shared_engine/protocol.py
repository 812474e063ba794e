"""What clients and the engine say to each other: JSON objects, one on a line, over a unix socket.

client → engine, first line   {"op": "attach", "token", "keep"} or {"op": "status", "token"}
        then, if attached     {"op": "reply", "id", "request", "context", "slots"} or {"op": "load", …}
        at its end            {"op": "prefix", "request"}, which is not answered
engine → client               {"begun": id}, where they apply "waited" and "grown", then "loaded",
                              {"piece": …} for each piece, and {"end": …}, {"error": …} or {"thrown": …}

A client that closes its connection takes its request back. What the pieces mean is
in models/completion_chunks.py.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

PROTOCOL = 2
LINE_LIMIT = 64 << 20
"""Bytes of one message; the longest conversation of a model takes a few of them."""
OPENING_LIMIT = 4096
"""Bytes of the first message, before it is known who sends it."""
CHUNK = 1 << 16


class ConnectionLostError(Exception):
    """The other side has closed the connection, is not to be trusted, or takes nothing more."""


class LineSocket:
    """A connected socket that carries messages; one thread may read while another one writes."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._unread = bytearray()

    def set_timeouts(self, *, read: float = 0.0, write: float = 0.0) -> None:
        """Set the seconds that a read or a write may wait, 0 for ever."""
        # settimeout would hold for both directions
        for option, seconds in ((socket.SO_RCVTIMEO, read), (socket.SO_SNDTIMEO, write)):
            whole = int(seconds)
            spent = struct.pack("ll", whole, int((seconds - whole) * 1e6))
            self._socket.setsockopt(socket.SOL_SOCKET, option, spent)

    def write(self, fields: Mapping[str, Any]) -> None:
        """Send a message. Raises ConnectionLostError."""
        try:
            self._socket.sendall(json.dumps(fields).encode() + b"\n")
        except OSError as error:
            raise ConnectionLostError(str(error)) from error

    def read(self, limit: int = LINE_LIMIT) -> dict[str, Any] | None:
        """Give the next message, None at the end.

        Raises TimeoutError, and ConnectionLostError for what is none.
        """
        searched = 0
        while (end := self._unread.find(b"\n", searched)) < 0:
            searched = len(self._unread)
            if searched > limit:
                raise ConnectionLostError("The message is too long.")
            try:
                received = self._socket.recv(CHUNK)
            except BlockingIOError as error:
                raise TimeoutError from error
            except OSError as error:
                raise ConnectionLostError(str(error)) from error
            if not received:
                return None
            self._unread += received
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        return parse_message(line)

    def shut_down(self) -> None:
        """End what either side waits for; from any thread."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.shut_down()
        self._socket.close()


def parse_message(line: bytes) -> dict[str, Any]:
    """Read one message. Raises ConnectionLostError."""
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise ConnectionLostError(f"This is no message: {line[:80]!r}") from error
    if not isinstance(fields, dict):
        raise ConnectionLostError(f"This is no message: {line[:80]!r}")
    return fields
