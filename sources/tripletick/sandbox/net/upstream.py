"""Connects one request: looks the name up, asks `access_rules`, connects, maybe through another proxy."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from tripletick.sandbox.net import http_heads
from tripletick.sandbox.net.access_rules import HostPolicy, Refusal, UpstreamProxy, find_upstream_proxy
from tripletick.sandbox.net.http_heads import HEAD, ProxyRequest
from tripletick.sandbox.net.relay import Link

REACHED = "network: the block contacts {host}"
MORE = "network: the block contacts more hosts, which are not listed"
UNKNOWN = "{host}: no address was found for this name"
NOT_REACHED = "{host} cannot be reached: {why}"
SILENT = "it does not answer"
FURTHER = "the proxy of this computer does not lead to {host}: it answers {status}"
NOTHING = "nothing"
OPENED = 200
MOST_TOLD = 100

Resolve = Callable[[str, int], Sequence[str]]
"""Gives the addresses of a name, raises OSError or UnicodeError where there are none; may take its time."""


def look_up(host: str, port: int) -> list[str]:
    """Ask the system; it also reads the odd ways to write a number, such as 127.1."""
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


@dataclass(frozen=True, slots=True)
class ProxyTerms:
    """How names are looked up, how many connections there may be, how many seconds things may take."""

    resolve: Resolve = look_up
    connections: int = 128
    head: float = 30.0
    connect: float = 15.0
    look_up: float = 20.0
    look_up_chained: float = 3.0
    """A further proxy resolves for itself, often because nothing else can."""
    idle: float = 900.0
    linger: float = 60.0
    """Silence after one side has ended."""
    allowed: frozenset[str] = frozenset()
    """Places, each `host:port`, that the user's settings open; they may even be on this computer."""
    ports: frozenset[int] = frozenset()
    """Ports of public hosts besides 80 and 443."""
    opened: frozenset[str] = frozenset()
    """Places of public hosts, each `host:port`, besides these."""


@dataclass(frozen=True, slots=True)
class Connector:
    """Opens the connections of one session, and tells the user of each new host once."""

    gate: HostPolicy
    environ: Mapping[str, str]
    notice: Callable[[str], None]
    terms: ProxyTerms
    told: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    """Places that were refused for their port alone."""

    async def open(self, asked: ProxyRequest) -> Link | Refusal:
        """Connect to what is asked for and send it the head of a plain request."""
        further = find_upstream_proxy(asked, self.environ)
        if isinstance(further, Refusal):
            return self._say(further)
        addresses = await self._addresses(asked, chained=further is not None)
        if no := self._judge(asked, addresses, chained=further is not None):
            if no.can_be_opened and len(self.closed) < MOST_TOLD:
                self.closed.add(asked.place)
            return self._say(no)
        self._tell(REACHED.format(host=asked.shown))
        if further is None:
            link = await self._connect(asked.shown, asked.port, addresses)
        else:
            link = await self._connect_over(asked, further)
        if not isinstance(link, Refusal) and not asked.is_tunnel:
            link[1].write(asked.head(absolute=bool(further), extra=further.fields if further else ()))
        return link

    def _judge(self, asked: ProxyRequest, addresses: Sequence[str], *, chained: bool) -> Refusal | None:
        if addresses:
            no = self.gate.refuse(asked, addresses)
        else:
            no = self.gate.refuse_name(asked) if chained else Refusal(502, UNKNOWN.format(host=asked.host))
        return no or self.gate.refuse_port(asked)

    async def _addresses(self, asked: ProxyRequest, *, chained: bool) -> Sequence[str]:
        """Resolve; where a further proxy does too, what could not be resolved is not tried again."""
        if not chained:
            return await self._resolve(asked.host, asked.port, self.terms.look_up)
        if asked.host in self.unknown:
            return ()
        found = await self._resolve(asked.host, asked.port, self.terms.look_up_chained)
        if not found and len(self.unknown) < MOST_TOLD:
            self.unknown.add(asked.host)
        return found

    async def _resolve(self, host: str, port: int, seconds: float) -> Sequence[str]:
        """Look a name up in a thread that nobody waits for at the end, as asyncio would for its own."""
        loop = asyncio.get_running_loop()
        found: asyncio.Future[Sequence[str]] = loop.create_future()

        def settle(addresses: Sequence[str]) -> None:
            if not found.done():
                found.set_result(addresses)

        def work() -> None:
            addresses: Sequence[str] = ()
            with suppress(OSError, UnicodeError):
                addresses = self.terms.resolve(host, port)
            # Raised where the loop has been closed meanwhile.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, addresses)

        threading.Thread(target=work, name="look-up", daemon=True).start()
        try:
            return await asyncio.wait_for(found, seconds)
        except TimeoutError:
            return ()

    async def _connect(
        self, shown: str, port: int, addresses: Sequence[str], further: UpstreamProxy | None = None
    ) -> Link | Refusal:
        """Connect to one of these addresses: nothing is resolved again."""
        why = SILENT
        for address in addresses:
            try:
                async with asyncio.timeout(self.terms.connect):
                    return await open_link(address, port, further)
            except TimeoutError:
                why = SILENT
            except OSError as error:
                why = os.strerror(error.errno) if error.errno else SILENT
        return Refusal(502, NOT_REACHED.format(host=shown, why=why))

    async def _connect_over(self, asked: ProxyRequest, further: UpstreamProxy) -> Link | Refusal:
        addresses = await self._resolve(further.host, further.port, self.terms.look_up)
        link = await self._connect(further.host, further.port, addresses, further)
        if isinstance(link, Refusal) or not asked.is_tunnel:
            return link
        status = 0
        try:
            status = await self._tunnel(link, asked, further)
        finally:
            if status != OPENED:
                link[1].transport.abort()
        if status == OPENED:
            return link
        return Refusal(502, FURTHER.format(status=status or NOTHING, host=asked.shown))

    async def _tunnel(self, link: Link, asked: ProxyRequest, further: UpstreamProxy) -> int:
        """Ask the further proxy for a tunnel; give the status of its answer, 0 where there is none."""
        link[1].write(http_heads.connect(asked, further.fields))
        try:
            async with asyncio.timeout(self.terms.head):
                return http_heads.status_of(await link[0].readuntil(b"\r\n\r\n"))
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return 0

    def take_closed(self) -> frozenset[str]:
        """Give what was refused for its port since the last call; from any thread."""
        closed = frozenset(self.closed)
        self.closed.clear()
        return closed

    def _say(self, no: Refusal) -> Refusal:
        self._tell(f"network: {no.sentence}")
        return no

    def _tell(self, line: str) -> None:
        line = line if len(self.told) < MOST_TOLD else MORE
        if line not in self.told:
            self.told.add(line)
            self.notice(line)


async def open_link(address: str, port: int, further: UpstreamProxy | None) -> Link:
    if further is None or not further.tls:
        return await asyncio.open_connection(address, port, limit=HEAD)
    import ssl

    context = ssl.create_default_context()
    return await asyncio.open_connection(address, port, limit=HEAD, ssl=context, server_hostname=further.host)
