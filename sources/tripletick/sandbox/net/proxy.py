"""The proxy of `net`: the only way out of a box that has network, in a thread of our own process.

It listens on a socket file that is bound into the box, takes CONNECT and plain HTTP, and asks access_rules
about each connection. Covers bounds (connections, heads, silence) and a clean end. Does not look into what
passes: a block that may reach a host may send it anything.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from tripletick.sandbox.net import PORT, http_heads
from tripletick.sandbox.net.access_rules import HostPolicy, Refusal
from tripletick.sandbox.net.http_heads import HEAD, ProxyRequest
from tripletick.sandbox.net.registries import pointers, registries
from tripletick.sandbox.net.relay import PIECE, Link, Relay
from tripletick.sandbox.net.upstream import Connector, ProxyTerms

FORWARDER = Path(__file__).with_name("forwarder.py")
PYTHONS = (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3")
NO_PYTHON = "network needs a python3 that the block's user can start (apt install python3)"
MAVEN = (
    "-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort={port} -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort={port} "
    "-Dhttp.nonProxyHosts=localhost|127.*|[::1] -Duser.home=/tmp"
)
"""Java reads no variable of a proxy's, and takes the home from the password file, where a box has none."""
LONGEST = 100
"""Bytes of a socket's path, of which the kernel takes 107."""
TERMS = ProxyTerms()


class Proxy:
    """Opened at the first need of network, closed with the box."""

    inside = "/run/tripletick.sock"
    """Where the box must show `socket`."""

    def __init__(
        self,
        folder: Path,
        notice: Callable[[str], None],
        environ: Mapping[str, str],
        *,
        owner: tuple[int, int] | None = None,
        terms: ProxyTerms = TERMS,
    ) -> None:
        """Listen in `folder`, a private one. `owner`: user and group of the blocks, where they are not ours.

        `notice` is called from another thread. Raises OSError where no socket can be made there.
        """
        home = Path(environ.get("HOME") or "/nonexistent")
        self.registries = registries(home, environ)
        """Places of private networks, which are named in the question for network."""
        self._pointers = pointers(home, environ)
        self._terms = terms
        gate = HostPolicy(self.registries, terms.allowed, terms.ports, terms.opened)
        self._way = Connector(gate, dict(environ), notice, terms)
        self.take_closed = self._way.take_closed
        self._tasks: set[asyncio.Task[None]] = set()
        self.socket = folder / f"proxy-{len(list(folder.glob('proxy-*')))}.sock"
        self._listener = listen(self.socket, owner)
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._thread.start()

    def command(self, words: Sequence[str], reaches: Callable[[Path], bool] = Path.exists) -> list[str]:
        """Put the forwarder before a command. `reaches` tells what the block's user can start.

        Raises OSError where there is no Python that it can.
        """
        real = (Path(os.path.realpath(python)) for python in PYTHONS)
        python = next((path for path in real if path.exists() and reaches(path)), None)
        if python is None:
            raise OSError(NO_PYTHON)
        source = FORWARDER.read_text("utf-8")
        return [str(python), "-I", "-S", "-c", source, self.inside, str(PORT), "--", *words]

    def env(self) -> dict[str, str]:
        """Give what programs need to find the proxy, and the registries of the user's settings."""
        url, near = f"http://127.0.0.1:{PORT}", "localhost,127.0.0.1,::1"
        lower = {"http_proxy": url, "https_proxy": url, "no_proxy": near}
        upper = {name.upper(): value for name, value in lower.items()}
        others = {"NODE_USE_ENV_PROXY": "1", "MAVEN_OPTS": MAVEN.format(port=PORT)}
        return {**self._pointers, **lower, **upper, **others}

    def close(self) -> None:
        """End all connections; nothing of it stays."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()
        self._listener.close()
        self.socket.unlink(missing_ok=True)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._main())
        finally:
            self._loop.close()

    async def _main(self) -> None:
        accepting = asyncio.create_task(self._accept())
        await self._stop.wait()
        accepting.cancel()
        await asyncio.wait([accepting])
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        # What was aborted is closed in the next round.
        await asyncio.sleep(0)

    async def _accept(self) -> None:
        """Take one connection after another; when all places are taken, the rest waits in the kernel."""
        places = asyncio.Semaphore(self._terms.connections)
        while True:
            await places.acquire()
            await readable(self._loop, self._listener)
            try:
                connection, _ = self._listener.accept()
            except OSError:
                # It has gone, or no descriptor is free: one will be.
                places.release()
                await asyncio.sleep(0.1)
                continue
            task = self._loop.create_task(self._serve(connection))
            self._tasks.add(task)
            task.add_done_callback(partial(self._end, connection, places))

    def _end(self, connection: socket.socket, places: asyncio.Semaphore, task: asyncio.Task[None]) -> None:
        # A task that was cancelled before its first step has closed nothing.
        connection.close()
        self._tasks.discard(task)
        places.release()

    async def _serve(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        links = [await asyncio.open_connection(sock=connection, limit=HEAD)]
        try:
            if no := await self._talk(links):
                await self._refuse(links[0], no)
        except (OSError, asyncio.IncompleteReadError):
            return
        finally:
            for _, writer in links:
                writer.transport.abort()

    async def _talk(self, links: list[Link]) -> Refusal | None:
        """Read what is asked, open the way, and copy until both sides are done."""
        asked = await self._ask(links[0][0])
        if isinstance(asked, Refusal):
            return asked
        link = await self._way.open(asked)
        if isinstance(link, Refusal):
            return link
        links.append(link)
        if asked.is_tunnel:
            links[0][1].write(http_heads.OPENED)
        await Relay(*links).run(self._terms.idle, self._terms.linger)
        return None

    async def _ask(self, reader: asyncio.StreamReader) -> ProxyRequest | Refusal:
        head = b""
        try:
            async with asyncio.timeout(self._terms.head):
                head = await read_head(reader)
        except TimeoutError:
            return Refusal(408, http_heads.TOO_SLOW)
        except asyncio.LimitOverrunError:
            return Refusal(400, http_heads.TOO_LONG)
        return http_heads.parse(head) or Refusal(400, http_heads.NOT_FOR_A_PROXY)

    async def _refuse(self, link: Link, no: Refusal) -> None:
        """Answer, and read on for a while: who is cut off while sending would not see the answer."""
        reader, writer = link
        writer.write(http_heads.refusal(no.status, no.sentence))
        writer.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._terms.linger):
                while await reader.read(PIECE):
                    continue


async def readable(loop: asyncio.AbstractEventLoop, listener: socket.socket) -> None:
    """Wait for a connection without taking it: cancelled, asyncio's sock_accept can lose one."""
    found = asyncio.Event()
    loop.add_reader(listener, found.set)
    try:
        await found.wait()
    finally:
        loop.remove_reader(listener)


async def read_head(reader: asyncio.StreamReader) -> bytes:
    """Read up to an empty line, or as far as it can be the head of a request.

    Raises LimitOverrunError for one that is too long, IncompleteReadError where nothing comes.
    """
    head = await reader.readexactly(1)
    while head[:1].isupper() and not head.endswith((b"\n\n", b"\n\r\n")):
        try:
            head += await reader.readuntil(b"\n")
        except asyncio.IncompleteReadError:
            break
        if len(head) > HEAD:
            raise asyncio.LimitOverrunError("too long", HEAD)
        if not http_heads.FIRST.match(head):
            break
    return head


def listen(path: Path, owner: tuple[int, int] | None) -> socket.socket:
    """Listen on a socket file that only its owner may connect to."""
    listener = socket.socket(socket.AF_UNIX)
    try:
        # Linux gives the file the mode that the socket has; there is no moment at which others get in.
        os.fchmod(listener.fileno(), 0o600)
        bind(listener, path)
        if owner:
            os.chown(path, *owner, follow_symlinks=False)
        listener.listen(128)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def bind(listener: socket.socket, path: Path) -> None:
    """Bind by a short name where the path is longer than the kernel takes."""
    if len(os.fsencode(path)) <= LONGEST:
        return listener.bind(str(path))
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return listener.bind(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)
