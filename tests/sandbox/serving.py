"""Real servers on this computer's own address, further proxies, and a client that speaks to a socket file."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tripletick.sandbox.net.proxy import Proxy

BIG = 4 << 20


def own_address(family: int = socket.AF_INET) -> str:
    """Give an address of this computer that is no loopback one."""
    far = "192.0.2.1" if family == socket.AF_INET else "2001:db8::1"
    with socket.socket(family, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect((far, 9))
        if not probe.getsockname()[0].startswith(("127.", "::1", "fe80")):
            return str(probe.getsockname()[0])
    pytest.skip("this computer has no address but localhost")


@contextlib.contextmanager
def tcp_server(act: Callable[[socket.socket], None], address: str) -> Iterator[int]:
    """Run `act` on each connection, in threads; give the port."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.create_server((address, 0), family=family, backlog=256)
    threads: list[threading.Thread] = []

    def serve(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            act(connection)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                thread = threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True)
                threads.append(thread)
                thread.start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    yield listener.getsockname()[1]
    listener.shutdown(socket.SHUT_RDWR)
    accepting.join()
    listener.close()
    for thread in threads:
        thread.join(5)


def echo(connection: socket.socket) -> None:
    """Send back what comes, until the other side sends no more; then say so."""
    while piece := connection.recv(1 << 16):
        connection.sendall(piece)
    connection.sendall(b"end")


def read_head(connection: socket.socket) -> bytes:
    head = b""
    while not head.endswith(b"\r\n\r\n") and (piece := connection.recv(1)):
        head += piece
    return head


class Site(ThreadingHTTPServer):
    """/big is big, /away leads to localhost, a POST gives back its length, all else says hello."""

    address_family = socket.AF_INET

    def __init__(self, address: str) -> None:
        self.heads: list[str] = []
        super().__init__((address, 0), Page)


class Page(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.heads.append(f"{self.requestline}\n{self.headers}")
        length = int(self.headers.get("Content-Length") or 0)
        said = {"/big": b"x" * BIG}.get(self.path, b"hello")
        self.send_response(302 if self.path == "/away" else 200)
        self.send_header("Location", "http://127.0.0.1:11434/")
        self.end_headers()
        self.wfile.write(str(len(self.rfile.read(length))).encode() if length else said)

    do_POST = do_GET  # noqa: N815, the library calls it so

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@contextlib.contextmanager
def site(address: str) -> Iterator[Site]:
    server = Site(address)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@dataclass
class Names:
    """Looks names up in a table; each of a name's answers once, the last one for ever."""

    table: dict[str, list[list[str]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        if host not in self.table:
            raise socket.gaierror("unknown")
        answers = self.table[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]


def knock(proxy: Proxy, sent: bytes = b"") -> socket.socket:
    """Connect to the proxy and send something."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(20)
    connection.connect(str(proxy.socket))
    connection.sendall(sent)
    return connection


def ask(proxy: Proxy, sent: bytes) -> tuple[int, str]:
    """Send a request and nothing more; give status and body."""
    with knock(proxy, sent) as connection:
        answer = b""
        while piece := connection.recv(1 << 16):
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, body.decode()


def tunnel(proxy: Proxy, place: str) -> tuple[int, socket.socket]:
    connection = knock(proxy, f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
    return int(read_head(connection).split()[1]), connection


@dataclass
class Upstream:
    """A further proxy that answers CONNECT with `status`, then echoes; `heads` are what it was asked."""

    status: int = 200
    heads: list[str] = field(default_factory=list)

    def __call__(self, connection: socket.socket) -> None:
        self.heads.append(read_head(connection).decode())
        connection.sendall(f"HTTP/1.1 {self.status} Said\r\n\r\n".encode())
        echo(connection)
