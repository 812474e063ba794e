"""A small internet inside the cage: one public address, a name server that knows example.com, a web server.

So that what must not reach the network could reach it, and what may (`net`) can be seen to. Needs the powers
of the cage's own root.
"""

from __future__ import annotations

import contextlib
import fcntl
import http.server
import socket
import struct
from collections.abc import Callable

from tests.threats.scene import in_background

ADDRESS = "93.184.215.14"
NAME = b"\x07example\x03com\x00"
PAGE = b"the page of example.com\n"
SIOCSIFADDR, SIOCSIFFLAGS, IFF_UP = 0x8916, 0x8914, 0x1


def open_internet(note: Callable[[str], None]) -> None:
    """Start it; raises OSError where the cage gives no right to."""
    add_address("lo:1", ADDRESS)
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    in_background(lambda: answer(server, note))
    web = http.server.ThreadingHTTPServer((ADDRESS, 80), Page)
    in_background(web.serve_forever)


def add_address(alias: str, address: str) -> None:
    """Give the loopback a second address (netdevice(7))."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        name = alias.encode().ljust(16, b"\0")
        where = struct.pack("=HH4s8x", socket.AF_INET, 0, socket.inet_aton(address))
        fcntl.ioctl(control, SIOCSIFADDR, name + where)
        fcntl.ioctl(control, SIOCSIFFLAGS, name + struct.pack("=H14x", IFF_UP))


def answer(server: socket.socket, note: Callable[[str], None]) -> None:
    """Answer questions for names: example.com is here, all else does not exist."""
    while True:
        question, asker = server.recvfrom(512)
        note("dns")
        with contextlib.suppress(OSError):
            server.sendto(reply(question), asker)


def reply(question: bytes) -> bytes:
    """Word an answer of the name system (RFC 1035, section 4)."""
    end = question.index(b"\0", 12) + 5
    asked = question[12:end]
    known = asked.lower().startswith(NAME)
    record = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + socket.inet_aton(ADDRESS)
    found = known and asked[-4:] == b"\0\x01\0\x01"
    head = question[:2] + struct.pack(">HHHHH", 0x8180 if known else 0x8183, 1, int(found), 0, 0)
    return head + asked + record * found


class Page(http.server.BaseHTTPRequestHandler):
    """One page, whatever is asked for."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *words: object) -> None:
        """Say nothing."""
