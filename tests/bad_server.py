"""A real server on a real socket that answers what it is told to, well or badly: cut, reset, silent, rubbish.

An act is what happens after one request: bytes are sent as they stand, `RESET`, `STALL`, `HANG` and `DRIP` do
what they say, and the connection is closed at the end; an act may be endless. Acts are listed by path; the
last one of a path is repeated.
"""

from __future__ import annotations

import json
import queue
import socket
import ssl
import struct
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import TracebackType
from typing import Any


class Trick(Enum):
    RESET = "reset the connection"
    STALL = "say nothing until the test is over"
    HANG = "wait until the other side has hung up"
    DRIP = "wait a twentieth of a second"


RESET, STALL, HANG, DRIP = Trick
AHEAD = "/api/chat ahead"
"""The path of requests to read what the next one begins with: they take no act of the replies."""
TALK = ("/api/chat", "/v1/chat/completions")
Act = Iterable[bytes | Trick]


def answer(status: int, body: bytes | str = b"", kind: str = "application/json") -> list[bytes]:
    """A whole answer with its length."""
    data = body.encode() if isinstance(body, str) else body
    return [_head(status, kind, f"Content-Length: {len(data)}"), data]


def stream(*pieces: bytes, end: bool = True, kind: str = "application/x-ndjson") -> list[bytes]:
    """An answer in HTTP chunks, cut where the pieces are."""
    chunks = [b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces if piece]
    return [_head(200, kind, "Transfer-Encoding: chunked"), *chunks, *([b"0\r\n\r\n"] if end else [])]


def unmeasured(*pieces: bytes) -> list[bytes]:
    """An answer that ends where the connection does, as old proxies give it."""
    return [b"HTTP/1.0 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n", *pieces]


def line(text: str = "", **fields: Any) -> bytes:
    """One line of a chat stream."""
    message = {"role": "assistant", "content": text}
    return json.dumps({"model": "m", "message": message, "done": False, **fields}).encode() + b"\n"


def done(**fields: Any) -> bytes:
    """The line that ends a chat stream."""
    told = {"done": True, "done_reason": "stop", "prompt_eval_count": 10, "eval_count": 2, **fields}
    return line(**{name: value for name, value in told.items() if value is not None})


def _head(status: int, kind: str, length: str) -> bytes:
    # said, since a client that keeps connections would find one closed under its next request, now and then
    return f"HTTP/1.1 {status} Said\r\nConnection: close\r\nContent-Type: {kind}\r\n{length}\r\n\r\n".encode()


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass
class BadServer:
    """Serves `acts` on a port, 0: a free one, until the `with` block is left; `asked` holds the requests."""

    acts: Mapping[str, Sequence[Act]]
    port: int = 0
    tls: ssl.SSLContext | None = None
    asked: list[Asked] = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    _came: queue.SimpleQueue[str] = field(default_factory=queue.SimpleQueue)

    def __enter__(self) -> BadServer:
        self._socket = socket.create_server(("127.0.0.1", self.port))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._left = {path: list(acts) for path, acts in self.acts.items()}
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.over.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join(10)

    @property
    def last(self) -> Asked:
        """The last request for a reply; those that load a model or read ahead may come later."""
        return [asked for asked in self.asked if asked.path in TALK][-1]

    def wait_for(self, path: str) -> None:
        """Wait until this was asked for, once more than at the last call."""
        while self._came.get(timeout=60) != path:
            pass

    def _accept(self) -> None:
        while not self.over.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._greet, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _greet(self, connection: socket.socket) -> None:
        try:
            self._serve(self.tls.wrap_socket(connection, server_side=True) if self.tls else connection)
        except ssl.SSLError:
            connection.close()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as incoming:
            first = incoming.readline().decode().split()
            if len(first) < 3:
                return
            headers = dict(_headers(iter(incoming.readline, b"\r\n")))
            body = incoming.read(int(headers.get("content-length", 0)))
            asked = json.loads(body) if body else None
            path = AHEAD if _is_read_ahead(first[1], asked) else first[1]
            self.asked.append(Asked(first[0], path, headers, asked))
            self._came.put(path)
            try:
                self._perform(connection, self._next(path))
            except OSError:
                self.hung_up.set()

    def _next(self, path: str) -> Act:
        acts = self._left.get(path) or [answer(404, "404 page not found", "text/plain")]
        return acts.pop(0) if len(acts) > 1 else acts[0]

    def _perform(self, connection: socket.socket, act: Act) -> None:
        for part in act:
            if isinstance(part, bytes):
                connection.sendall(part)
            elif part is RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif part in (STALL, DRIP):
                self.over.wait(None if part is STALL else 0.05)
            elif not connection.recv(1):
                self.hung_up.set()


def _is_read_ahead(path: str, body: Any) -> bool:
    if path != "/api/chat" or body.get("stream", True):
        return False
    return bool(body.get("options", {}).get("num_predict") == 1)


def _headers(lines: Any) -> Any:
    for raw in lines:
        name, _, value = raw.decode().partition(":")
        yield name.strip().lower(), value.strip()
