"""The page's way to its sessions: the protocol of editors (ACP) over HTTP, posted to us and streamed back.

A connection is a page's: it outlives a reload and a lost network, since all that was said on it is kept, and
told again from where the page was. What nobody listens to ends after a while.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from argparse import Namespace
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from acp.agent.connection import AgentSideConnection
from acp.exceptions import RequestError
from acp.interfaces import Agent

from tripletick.acp.server import AcpServer
from tripletick.acp.session import Sessions
from tripletick.acp.transport import Message, parse_message

KEPT = 16 << 20
"""Characters of a connection's messages that are kept for a page that is loaded again."""
PING = 15.0
"""Seconds without a message after which a line shows that the connection stands."""
LINGER = 900.0
"""Seconds without a listener, and without news, after which a connection ends."""
MOST = 50
"""Connections at a time."""
SWEEP = 30.0
FULL = "There are too many open pages. Close some."


class BrowserTransport:
    """One page's end of the protocol, and the journal of all that was said in both directions."""

    def __init__(self) -> None:
        self._inbox: asyncio.Queue[Message | None] = asyncio.Queue()
        self._journal: deque[tuple[int, str, str]] = deque()
        self._size, self._count = 0, 0
        self._news = asyncio.Event()
        self.is_closed = False
        self.listeners = 0
        self.last_news = time.monotonic()

    async def receive(self) -> Message | None:
        """Give what the page has sent, None once it is gone."""
        return None if self.is_closed else await self._inbox.get()

    async def send(self, message: Message) -> None:
        """Keep a message for the page; who reads slowly holds nobody up."""
        self._keep("message", json.dumps(message, separators=(",", ":")))

    async def close(self) -> None:
        self.is_closed = True
        self._inbox.put_nowait(None)
        self._wake()

    def take_message(self, line: bytes) -> RequestError | None:
        """Take what the page posts; gives what is wrong with it."""
        message = parse_message(line)
        if isinstance(message, RequestError) or message is None:
            return message
        self._keep("sent", json.dumps(message, separators=(",", ":")))
        self._inbox.put_nowait(message)
        return None

    async def stream_events(self, after: int) -> AsyncIterator[str]:
        """Yield server-sent events: all that is kept and is later than number `after`, then what comes."""
        self.listeners += 1
        try:
            while not self.is_closed:
                for number, kind, text in [entry for entry in self._journal if entry[0] > after]:
                    yield f"id: {number}\nevent: {kind}\ndata: {text}\n\n"
                    after = number
                if after < self._count:
                    continue
                try:
                    await asyncio.wait_for(self._news.wait(), PING)
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            self.listeners -= 1
            self.last_news = time.monotonic()

    def _keep(self, kind: str, text: str) -> None:
        self._count += 1
        self._journal.append((self._count, kind, text))
        self._size += len(text)
        while self._size > KEPT and len(self._journal) > 1:
            self._size -= len(self._journal.popleft()[2])
        self.last_news = time.monotonic()
        self._wake()

    def _wake(self) -> None:
        """Wake all who listen; who comes later waits for the next."""
        self._news.set()
        self._news = asyncio.Event()


@dataclass(slots=True)
class PageConnection:
    """A page with its sessions."""

    transport: BrowserTransport
    server: AcpServer
    task: asyncio.Task[None]

    @property
    def is_stale(self) -> bool:
        return not self.transport.listeners and time.monotonic() - self.transport.last_news > LINGER


@dataclass(slots=True)
class PageConnections:
    """All pages that are open; their sessions work in folders that are allowed."""

    options: Namespace
    sessions: Sessions
    allows: Callable[[Path], bool]
    _open: dict[str, PageConnection] = field(default_factory=dict)

    async def open_connection(self) -> str:
        """Open one; gives its name, which nobody can guess. Where there are too many, the one that nobody has
        listened to for the longest time ends. Raises OverflowError where there is none.
        """
        if len(self._open) >= MOST:
            left = [name for name, one in self._open.items() if not one.transport.listeners]
            if not left:
                raise OverflowError(FULL)
            await self.close_connection(min(left, key=lambda name: self._open[name].transport.last_news))
        name, transport = secrets.token_urlsafe(16), BrowserTransport()
        server = AcpServer(self.options, self.sessions, self.allows, confined=True)
        self._open[name] = PageConnection(
            transport, server, asyncio.create_task(_serve_page(transport, server))
        )
        return name

    def find_transport(self, name: str) -> BrowserTransport | None:
        found = self._open.get(name)
        return found.transport if found and not found.transport.is_closed else None

    async def close_connection(self, name: str) -> None:
        """End a page's sessions and what they are at work on."""
        if found := self._open.pop(name, None):
            await found.transport.close()
            await found.task

    async def close(self) -> None:
        await asyncio.gather(*map(self.close_connection, list(self._open)))

    async def close_stale(self) -> None:
        """Close, again and again, what nobody listens to any more."""
        while True:
            await asyncio.sleep(SWEEP)
            for name in [name for name, one in self._open.items() if one.is_stale]:
                await self.close_connection(name)


async def _serve_page(transport: BrowserTransport, server: AcpServer) -> None:
    connection = AgentSideConnection(
        cast("Agent", server), transport, listening=False, use_unstable_protocol=True
    )
    try:
        with suppress(ConnectionError):
            await connection.listen()
    finally:
        await server.close()
        await connection.close()
