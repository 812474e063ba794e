"""What is asked of the proxy and what it answers: the heads of HTTP messages, and the sentences.

Covers CONNECT and plain requests in absolute form (RFC 9110, 9112). Bodies are copied, never read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tripletick.system.lazy_regex import lazy_regex

HEAD = 64 << 10
"""The longest head, in bytes."""
FIRST = lazy_regex(rb"([A-Z][A-Z-]{0,30}) (\S+) (HTTP/1\.[01])")
NAME_AND_VALUE = lazy_regex(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\0\r]*)")
HOST = rb"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[0-9A-Za-z._-]{1,253}))"
PLACE = lazy_regex(HOST + rb":(?P<port>\d{1,5})")
URL = lazy_regex(
    rb"(?i:http)://(?:[^/?#@\\]*@)?" + HOST + rb"(?::(?P<port>\d{0,5}))?(?P<path>/[^#]*|\?[^#]*|)(?:#.*)?"
)
HOP = {b"connection", b"keep-alive", b"te", b"upgrade", b"host"}
"""Fields of one hop, and Host, which is written again; all that begin with `proxy-` too."""
PHRASES = {
    400: "Bad Request",
    403: "Refused by the sandbox",
    408: "Request Timeout",
    502: "Bad Gateway",
}
NOT_FOR_A_PROXY = "this is a proxy: it takes CONNECT host:port and GET http://host/path"
TOO_SLOW = "the head of the request did not come to an end"
TOO_LONG = f"the head of the request is longer than {HEAD >> 10} KiB"
OPENED = b"HTTP/1.1 200 Connection established\r\n\r\n"


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """Where to, and what is sent there first: nothing for a tunnel, else the head of the request."""

    host: str
    port: int
    method: str = "CONNECT"
    path: str = ""
    version: str = "HTTP/1.1"
    fields: tuple[tuple[bytes, bytes], ...] = ()

    @property
    def is_tunnel(self) -> bool:
        return self.method == "CONNECT"

    @property
    def place(self) -> str:
        """`host:port`, as CONNECT and Host have it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def shown(self) -> str:
        """`host`, with the port where it is no usual one."""
        return self.host if self.port in (80, 443) else self.place

    def head(self, *, absolute: bool = False, extra: tuple[tuple[bytes, bytes], ...] = ()) -> bytes:
        """Word the request for the server, or with its whole address for a further proxy."""
        authority = self.place.removesuffix(":80").encode()
        target = (
            b"http://" + authority + self.path.encode("latin-1") if absolute else self.path.encode("latin-1")
        )
        fields = ((b"Host", authority), *self.fields, *extra, (b"Connection", b"close"))
        lines = [b" ".join((self.method.encode(), target, self.version.encode()))]
        return b"\r\n".join([*lines, *(name + b": " + value for name, value in fields), b"", b""])


def parse(head: bytes) -> ProxyRequest | None:
    """Read the head of a request; None for what is no request to a proxy."""
    first, *rest = head.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n")
    found = FIRST.fullmatch(first)
    fields = [NAME_AND_VALUE.fullmatch(line) for line in rest]
    if not found or not all(fields):
        return None
    method, target, version = found.groups()
    where = (PLACE if method == b"CONNECT" else URL).fullmatch(target)
    port = int(where["port"] or 80) if where else 0
    host = (where["v6"] or where["name"]).decode().lower().rstrip(".") if where else ""
    if not where or not host or not 0 < port < 65536:
        return None
    if method == b"CONNECT":
        return ProxyRequest(host, port)
    path = where["path"].decode("latin-1")
    path = path if path.startswith("/") else f"/{path}"
    pairs = [(each[1], each[2]) for each in fields if each]
    return ProxyRequest(host, port, method.decode(), path, version.decode(), forwarded(pairs))


def forwarded(fields: list[tuple[bytes, bytes]]) -> tuple[tuple[bytes, bytes], ...]:
    """Leave out what is meant for this hop alone: the fixed ones and those that Connection names."""
    named = b",".join(value for name, value in fields if name.lower() == b"connection").lower()
    dropped = HOP | {each.strip() for each in named.split(b",")}
    return tuple(
        (name, value)
        for name, value in fields
        if name.lower() not in dropped and not name.lower().startswith(b"proxy-")
    )


def connect(asked: ProxyRequest, fields: tuple[tuple[bytes, bytes], ...]) -> bytes:
    """Word a request for a tunnel, to a further proxy."""
    place = asked.place.encode()
    lines = [b"CONNECT " + place + b" HTTP/1.1", b"Host: " + place]
    return b"\r\n".join([*lines, *(name + b": " + value for name, value in fields), b"", b""])


def refusal(status: int, sentence: str) -> bytes:
    """Word an answer; the sentence stands in the first line too, which is all that some programs show."""
    body = f"{sentence}\n".encode(errors="replace")
    phrase = f"{PHRASES[status]}: {sentence}".encode("ascii", "replace").decode()
    head = (
        f"HTTP/1.1 {status} {phrase}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def status_of(head: bytes) -> int:
    """Give the status of an answer's head, 0 where it is none."""
    found = re.match(rb"HTTP/1\.[01] (\d{3})\b", head)
    return int(found[1]) if found else 0
