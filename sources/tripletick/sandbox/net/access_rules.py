"""Decides whom a block may reach through the proxy, and over which further proxy of the user's.

Names are resolved here and nowhere else; what is connected to is the very address that was judged. Behind a
further proxy names go on as names, so there the judgement holds as far as we resolve what it will resolve.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from tripletick.sandbox.net.addresses import CLOUD, HERE, is_local_name, is_own, judge
from tripletick.sandbox.net.http_heads import ProxyRequest
from tripletick.sandbox.net.registries import place

USUAL = (80, 443)
MAIL = (25, 465, 587)
REFUSED = "{host} is refused: {why}; a block with network reaches public addresses only"
REFUSED_MAIL = "port {port} is refused: a block sends no mail"
REFUSED_PORT = (
    "port {port} is refused: a block with network reaches ports 80 and 443; "
    "the person can open others with [sandbox] ports"
)
OWN = "{host}: no address was found for this name"
ITSELF = "it is {word}"
OWN_NAME = "by its name it is in a private network"
LEADS = "it leads to {address}, {word}"
KIND = "the proxy that the environment of tripletick names is of a kind that it cannot use: {kind}"
BAD = "the address of the proxy that the environment of tripletick names cannot be read"
DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal: the status of HTTP, and the sentence that the model may read."""

    status: int
    sentence: str
    why: str = ""
    """Why the host itself is refused, where a setting can open it."""
    can_be_opened: bool = False
    """The port is closed unless the user opens it."""


@dataclass(frozen=True, slots=True)
class UpstreamProxy:
    """A proxy that stands between this computer and the world."""

    host: str
    port: int
    tls: bool = False
    fields: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class HostPolicy:
    """`registries`: places of private networks that the user's own settings name."""

    registries: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()
    """Places, each `host:port`, that the user's settings open: they may even be on this computer."""
    ports: frozenset[int] | None = None
    """Those of public hosts that are open besides the usual ones; None for all."""
    opened: frozenset[str] = frozenset()
    """Places of public hosts, each `host:port`, that are open besides these."""

    def refuse_port(self, asked: ProxyRequest) -> Refusal | None:
        if asked.port in MAIL:
            return Refusal(403, REFUSED_MAIL.format(port=asked.port))
        named = asked.place in self.allowed | self.opened or self.is_registry(asked)
        if self.ports is None or named or asked.port in {*USUAL, *self.ports}:
            return None
        return Refusal(403, REFUSED_PORT.format(port=asked.port), can_be_opened=True)

    def refuse(self, asked: ProxyRequest, addresses: Sequence[str]) -> Refusal | None:
        """Refuse a name of which any address is refused; None where all may be connected to."""
        if asked.place in self.allowed:
            return None
        for address in addresses:
            reach, word = judge(address)
            if reach == "public" and is_own(address):
                reach, word = "private", HERE
            if reach == "never" or (reach == "private" and not self.is_registry(asked)):
                why = (ITSELF if address == asked.host else LEADS).format(address=address, word=word)
                return Refusal(403, REFUSED.format(host=asked.host, why=why), "" if word == CLOUD else why)
        return None

    def refuse_name(self, asked: ProxyRequest) -> Refusal | None:
        """Judge by the name alone, where a further proxy will resolve it."""
        if is_local_name(asked.host) and asked.place not in self.allowed and not self.is_registry(asked):
            return Refusal(403, REFUSED.format(host=asked.host, why=OWN_NAME), OWN_NAME)
        return None

    def is_registry(self, asked: ProxyRequest) -> bool:
        usual = asked.port in USUAL and place(asked.host, None) in self.registries
        return usual or place(asked.host, asked.port) in self.registries


def find_upstream_proxy(asked: ProxyRequest, environ: Mapping[str, str]) -> UpstreamProxy | Refusal | None:
    """Give the proxy that the user's environment names for this host, as curl and others read it."""
    names = ("https_proxy" if asked.is_tunnel else "http_proxy", "all_proxy")
    url = next(filter(None, (read_variable(name, environ) for name in names)), "")
    if not url or is_excepted(asked, read_variable("no_proxy", environ)):
        return None
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
    except ValueError:
        return Refusal(502, BAD)
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        return Refusal(502, KIND.format(kind=parts.scheme))
    return UpstreamProxy(
        parts.hostname, port, parts.scheme == "https", credentials(parts.username, parts.password)
    )


def read_variable(name: str, environ: Mapping[str, str]) -> str:
    return environ.get(name) or environ.get(name.upper()) or ""


def is_excepted(asked: ProxyRequest, exceptions: str) -> bool:
    """Read no_proxy: hosts, ends of hosts, each with or without a port, or `*` for all."""
    words = [word.lower() for word in exceptions.replace(",", " ").split()]
    ends = tuple(f".{word.lstrip('*.')}" for word in words)
    return "*" in words or f".{asked.host}".endswith(ends) or f".{asked.place}".endswith(ends)


def credentials(name: str | None, password: str | None) -> tuple[tuple[bytes, bytes], ...]:
    if name is None:
        return ()
    pair = f"{unquote(name)}:{unquote(password or '')}".encode()
    return ((b"Proxy-Authorization", b"Basic " + base64.b64encode(pair)),)
