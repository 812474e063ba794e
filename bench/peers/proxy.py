"""A recording proxy: what an agent asks of a model server and what that costs; the bytes pass unchanged.

It listens on a Unix socket, which can be let into a cage that has no network. What it tells of a request:
the tokens that the server counted, the time, and the text that was sent, from which `count_reusable`
computes how much an engine that keeps its last prompts need not read again. Encrypted servers are not for it.
"""

from __future__ import annotations

import http.client
import json
import socket
import socketserver
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

MODEL_PATHS = ("/api/chat", "/api/generate", "/v1/chat/completions", "/v1/completions")
PROMPT_FIELDS = ("system", "tools", "messages", "prompt")
"""The fields that a template writes into the prompt, in its order."""
HOP_HEADERS = {"connection", "keep-alive", "transfer-encoding", "content-length", "host", "te", "upgrade"}
LONGEST_WAIT = 600


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to the model: what was sent, what the server counted, the seconds it took.

    `read` and `written` are tokens; `read` is None where the server told no count, as in an answer that was
    hung up on. `written` is then what came piece by piece, a token each.
    """

    path: str
    body: dict[str, Any]
    status: int
    read: int | None
    written: int
    seconds: float

    @property
    def prompt_text(self) -> str:
        """The text that becomes the prompt, less the signs of the model's template."""
        return "".join(_iter_prompt_parts(self.body))


def count_reusable(sent: Sequence[str]) -> tuple[int, int]:
    """Of the characters after the first request count those that begin as an earlier one did, and all."""
    kept = sum(
        max(count_common_prefix(text, earlier) for earlier in sent[:at]) for at, text in enumerate(sent) if at
    )
    return kept, sum(map(len, sent[1:]))


def count_common_prefix(one: str, other: str) -> int:
    """Give how many characters two texts begin with alike."""
    end = min(len(one), len(other))
    return next((at for at in range(end) if one[at] != other[at]), end)


def parse_counts(answer: bytes) -> tuple[int | None, int]:
    """Give the tokens read (None: not told) and written, from a whole answer or a stream of either kind."""
    read, written, pieces = None, None, 0
    for found in _parse_objects(answer):
        usage = found.get("usage") or found
        read = usage.get("prompt_eval_count", usage.get("prompt_tokens", read))
        written = usage.get("eval_count", usage.get("completion_tokens", written))
        pieces += _is_piece(found)
    return read, pieces if written is None else written


@dataclass
class Record:
    """The exchanges of one session, in the order in which they ended."""

    exchanges: list[Exchange] = field(default_factory=list)


@contextmanager
def record_exchanges(upstream: str, path: Path) -> Iterator[Record]:
    """Pass on to the server at `upstream` what comes in on the socket at `path`, until the block is left."""
    record = Record()
    relay = type("Relay", (_Relay,), {"upstream": urlsplit(upstream).netloc, "record": record})
    with _Server(str(path), relay) as server:
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        serving.start()
        try:
            yield record
        finally:
            server.shutdown()
            serving.join()
            server.hang_up()


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = False
    """So that leaving waits for them, and the record is whole."""

    def __init__(self, path: str, relay: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(path, relay)
        self.upstream: set[socket.socket] = set()

    def hang_up(self) -> None:
        """End what an agent that was killed left running: a model goes on writing until nobody listens."""
        for each in list(self.upstream):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


class _Relay(BaseHTTPRequestHandler):
    server: _Server
    upstream: str
    record: Record
    protocol_version = "HTTP/1.1"
    timeout = LONGEST_WAIT

    def address_string(self) -> str:
        return "cage"

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing: the record is the log."""

    def _forward_request(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        begun = time.monotonic()
        server = http.client.HTTPConnection(self.upstream, timeout=LONGEST_WAIT)
        passed, status = bytearray(), 0
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_HEADERS}
            server.connect()
            self.server.upstream.add(server.sock)
            server.request(self.command, self.path, body or None, headers)
            answer = server.getresponse()
            status = answer.status
            self._send_head(answer)
            while piece := answer.read1(1 << 16):
                passed += piece
                self._send_chunk(piece)
            self._send_chunk(b"")
        except (OSError, http.client.HTTPException):
            self.close_connection = True
        finally:
            server.close()
            self._record_exchange(body, status, bytes(passed), time.monotonic() - begun)

    do_GET = do_POST = do_HEAD = do_DELETE = do_PUT = _forward_request  # noqa: N815 - the names that the library calls

    def _send_head(self, answer: http.client.HTTPResponse) -> None:
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_HEADERS:
                self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _send_chunk(self, piece: bytes) -> None:
        if self.command != "HEAD":
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def _record_exchange(self, body: bytes, status: int, answer: bytes, seconds: float) -> None:
        if self.command == "POST" and urlsplit(self.path).path in MODEL_PATHS:
            read, written = parse_counts(answer)
            asked = next(_parse_objects(body), {})
            self.record.exchanges.append(Exchange(self.path, asked, status, read, written, seconds))


def _iter_prompt_parts(body: dict[str, Any]) -> Iterator[str]:
    for name in PROMPT_FIELDS:
        value = body.get(name) or ()
        for part in [value] if isinstance(value, str) else value:
            yield part if isinstance(part, str) else json.dumps(part, ensure_ascii=False) + "\n"


def _parse_objects(data: bytes) -> Iterator[dict[str, Any]]:
    """Every JSON object of a body: the whole of it, its lines, or what follows `data:` in them."""
    for line in [data] if data.count(b"\n{") == data.count(b"data:") == 0 else data.splitlines():
        try:
            found = json.loads(line.removeprefix(b"data:"))
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found


def _is_piece(found: dict[str, Any]) -> bool:
    """Say whether an object of a stream brought text."""
    deltas = [choice.get("delta") or {} for choice in found.get("choices") or ()]
    return any(part.get("content") for part in [found.get("message") or {}, *deltas]) or bool(
        found.get("response")
    )
