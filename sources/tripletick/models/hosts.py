"""A server's address as Ollama itself reads OLLAMA_HOST, because people copy it from the server.

Nothing is contacted or looked up here, and no other variable than OLLAMA_HOST is read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tripletick.errors import UsageError

if TYPE_CHECKING:
    import ipaddress

PORT = 11434
PORTS = {"http": 80, "https": 443}
"""Of an address with a scheme: `http://h` is port 80, bare `h` is Ollama's own."""
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Where a server listens on every interface, it is spoken to on loopback."""
HOME_NETWORK = (".local", ".lan", ".internal", ".home.arpa", ".localdomain")
CLOUD = "ollama.com"
GOES_THERE = "Files and messages are sent to {host}, which is not this machine."


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a server listens; `path` is what a proxy put in front of the API, without slashes at its ends."""

    scheme: str = "http"
    host: str = "127.0.0.1"
    port: int = PORT
    path: str = ""

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}" + (f"/{self.path}" if self.path else "")

    @property
    def is_loopback(self) -> bool:
        """True where what is sent stays on this machine."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        ip = _parse_ip(self.host)
        return ip is not None and ip.is_loopback

    @property
    def is_private(self) -> bool:
        """True on this machine and in the home network: no proxy leads there."""
        ip = _parse_ip(self.host)
        if ip is not None:
            return ip.is_private or ip.is_loopback or ip.is_link_local
        return self.is_loopback or "." not in self.host or self.host.endswith(HOME_NETWORK)


def warn_remote(where: str) -> Iterator[str]:
    """Name the host where it is not this machine."""
    there = parse_address(where)
    if not there.is_loopback:
        yield GOES_THERE.format(host=there.host)


def resolve_address(given: str | None) -> ServerAddress:
    """Read `given`, else OLLAMA_HOST, else take loopback. Raises UsageError."""
    text = given if given and given.strip() else os.environ.get("OLLAMA_HOST", "")
    return parse_address(text)


def parse_address(text: str) -> ServerAddress:
    """Read one address as `envconfig.Host` of Ollama 0.17 does; a port that is none becomes the default."""
    bare = text.strip().strip("\"'").strip()
    if bare == CLOUD:
        bare = f"https://{CLOUD}"
    scheme, parted, rest = bare.partition("://")
    if not parted:
        scheme, rest = "http", bare
    scheme = scheme.lower()
    if scheme not in PORTS or re.search(r"[\s@?#\\]", rest):
        raise UsageError(
            f"'{text}' is not the address of a server.",
            "Write HOST, HOST:PORT or http://HOST:PORT.",
            "For example: --host http://127.0.0.1:11434",
        )
    place, _, path = rest.partition("/")
    host, port = _split_host_port(place, PORTS[scheme] if parted else PORT)
    return ServerAddress(scheme, EVERYWHERE.get(host, host), port, path.strip("/"))


def _split_host_port(place: str, default: int) -> tuple[str, int]:
    # a zone may be any text: what stands behind the bracket must not be one
    ip = None if "]:" in place else _parse_ip(place.strip("[]"))
    if ip is not None:
        return str(ip), default
    host, colon, port = place.rpartition(":")
    if not colon:
        host, port = place, ""
    inner = _parse_ip(host.strip("[]"))
    known = str(inner) if inner else host.lower()
    valid = re.fullmatch(r"[0-9]{1,5}", port) and int(port) <= 65535
    return known or "127.0.0.1", int(port) if valid else default


def _parse_ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    import ipaddress

    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
