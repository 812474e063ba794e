"""A proxy before a model server that answers a request it has seen with the reply that it kept.

Run: python -m bench.reply_cache http://127.0.0.1:8080 FOLDER [--port N]. Two runs that differ in a setting
then differ in what the setting did, and not in what a server that batches rounds differently, and only
replies to new requests cost time. The seconds of such a run say nothing; the tokens do. A reply that the
client broke off is kept as far as it came, and asked for again if a client wants more of it. Encrypted
servers are not for it.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import select
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

LONGEST_WAIT = 900
CLIENT_GRACE = 1.0
"""Seconds in which a client leaves that has read enough."""
WHOLE = b"whole\n"
HEAD = "Content-Type"
EVENTS = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as it was sent: its type, its lines, and whether it came to its end."""

    type: str
    lines: Sequence[bytes]
    whole: bool


class _Relay(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._forward_request(None, 0)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kept = self.server.folder / hashlib.sha256(self.path.encode() + b"\n" + body).hexdigest()
        sent = 0
        if reply := load_reply(kept):
            self._send_head(200, reply.type)
            self.wfile.writelines(reply.lines)
            self.wfile.flush()
            if reply.whole or select.select([self.connection], [], [], CLIENT_GRACE)[0]:
                return
            sent = len(reply.lines)
        self._forward_request(body, sent, kept)

    def _send_head(self, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header(HEAD, kind)
        self.end_headers()

    def _forward_request(self, body: bytes | None, skip: int, kept: Path | None = None) -> None:
        """Pass on what the server answers, but for the lines that were sent, and keep it."""
        lines: list[bytes] = []
        server = http.client.HTTPConnection(self.server.upstream, timeout=LONGEST_WAIT)
        server.request(self.command, self.path, body, {HEAD: self.headers.get(HEAD) or "application/json"})
        answer = server.getresponse()
        kind = answer.getheader(HEAD) or ""
        whole = False
        try:
            if not skip:
                self._send_head(answer.status, kind)
            for line in answer:
                lines.append(line)
                if len(lines) > skip:
                    self.wfile.write(line)
                elif kind.startswith(EVENTS):
                    # so that the client does not take the server for dead
                    self.wfile.write(b": kept\n\n")
                self.wfile.flush()
            whole = True
        except OSError:
            # the client or the server has gone
            pass
        finally:
            server.close()
            if kept and answer.status == http.HTTPStatus.OK:
                save_reply(kept, Reply(kind, lines, whole))


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    """So that leaving waits until all is kept."""

    def __init__(self, upstream: str, folder: Path, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Relay)
        self.upstream, self.folder = upstream, folder
        folder.mkdir(parents=True, exist_ok=True)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that have gone."""


def load_reply(kept: Path) -> Reply | None:
    """Read a kept reply, None where there is none."""
    with suppress(FileNotFoundError), kept.open("rb") as file:
        whole, kind = file.readline() == WHOLE, file.readline().decode().strip()
        return Reply(kind, file.readlines(), whole)
    return None


def save_reply(kept: Path, reply: Reply) -> None:
    """Keep a reply, at once and whole: others may read it."""
    fresh = kept.with_name(f"{kept.name}.{threading.get_ident()}")
    fresh.write_bytes(
        (WHOLE if reply.whole else b"part\n") + f"{reply.type}\n".encode() + b"".join(reply.lines)
    )
    fresh.replace(kept)


@contextmanager
def serve_cached(upstream: str, folder: Path, port: int = 0) -> Iterator[str]:
    """Serve on loopback, on a free port for 0; gives the address, with the path of the server's."""
    with _Server(urlsplit(upstream).netloc, folder, port) as server:
        serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1})
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}{urlsplit(upstream).path}"
        finally:
            server.shutdown()
            serving.join()


def main() -> None:
    parser = argparse.ArgumentParser("bench.reply_cache", description=__doc__)
    parser.add_argument("upstream")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    with serve_cached(given.upstream, given.folder, given.port) as address, suppress(KeyboardInterrupt):
        print(address, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
