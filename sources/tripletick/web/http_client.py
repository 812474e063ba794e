"""One request and its answer, bounded: the head, the bytes with and without compression, the time.

The way out is the box's (sandbox/net): a name is looked up once, judged, and that very address is connected
to, over the user's own proxy where the environment names one. Redirects are not followed here.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import string
import zlib
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from email.message import Message
from email.parser import BytesHeaderParser
from typing import Any
from urllib.parse import quote

from tripletick import __version__
from tripletick.sandbox.box import ignore_notice
from tripletick.sandbox.net.access_rules import HostPolicy, Refusal
from tripletick.sandbox.net.http_heads import HEAD, ProxyRequest
from tripletick.sandbox.net.relay import PIECE, Link
from tripletick.sandbox.net.upstream import Connector, ProxyTerms, Resolve, look_up
from tripletick.system.cancellation import CancelToken
from tripletick.system.lazy_regex import lazy_regex
from tripletick.web.address import PORTS, FetchError, WebAddress

FIELDS = (
    (b"User-Agent", f"tripletick/{__version__} (an agent acting for one user)".encode()),
    (b"Accept", b"text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.5"),
    (b"Accept-Encoding", b"gzip, deflate"),
)
"""What is sent with each request: never a cookie, a referer or a word of the user's."""
INTERIM = 8
"""Answers before the answer (RFC 9110, 15.2) that are skipped."""
PACKED = {"gzip", "x-gzip", "deflate"}
_STATUS = lazy_regex(rb"HTTP/1\.[01] (?P<status>[1-5]\d\d)(?: [^\r\n]*)?\r?\n")
_SIZE = lazy_regex(rb"\s*([0-9A-Fa-f]{1,15})\s*(?:;[^\n]*)?\n")
_EITHER = zlib.MAX_WBITS | 32
_GZIP = b"\x1f\x8b"

SLOW = "{host} did not answer whole within {seconds:g} s"
CUT = "{host} hung up before it had answered"
ENDLESS = "{host} sends a head without end"
RUBBISH = "{host} does not answer as a web server does"
BAD_TLS = "{host} has no valid certificate: {why}"
CLOSED = "{host} is refused: {why}; the user can open it with [web] allow = {place}"
BAD_PACKING = "{host} packs the page in a way that cannot be read: {how}"


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one page may take, and what may be reached although it is in a network of the user's own."""

    seconds: float = 30.0
    size: int = 8 << 20
    allowed: frozenset[str] = frozenset()
    """`host:port`, from the user's settings."""
    resolve: Resolve = look_up


@dataclass(frozen=True, slots=True)
class WebResponse:
    """An answer. `cut`: there was more than `body` holds."""

    address: WebAddress
    status: int
    head: Message
    body: bytes = b""
    cut: bool = False

    @property
    def media_type(self) -> str:
        """The media type as it is told, "" where it is not."""
        return sanitize_name(self.head.get_content_type()) if "content-type" in self.head else ""

    @property
    def location(self) -> str:
        """Where it leads on to, "" where it does not say; bytes that are not ASCII as an address has them."""
        told = next((value for name, value in self.head.raw_items() if name.lower() == "location"), "")
        return quote(str(told).encode("ascii", "surrogateescape"), safe=string.printable)


Wanted = Callable[[WebResponse], bool]
"""Told the head of an answer: whether its body is worth reading."""


@dataclass(frozen=True, slots=True)
class WebClient:
    """Where requests go out; `halt` ends one from another thread."""

    bounds: FetchLimits
    environ: Mapping[str, str]
    halt: CancelToken

    def send_request(self, address: WebAddress, seconds: float, wanted: Wanted) -> WebResponse:
        """Get what is there. Raises UnreachedError with the reason."""
        host = address.display_host
        try:
            return asyncio.run(self._exchange_with_limits(address, seconds, wanted))
        except TimeoutError as error:
            raise FetchError(SLOW.format(host=host, seconds=self.bounds.seconds)) from error
        except asyncio.LimitOverrunError as error:
            raise FetchError(ENDLESS.format(host=host)) from error
        except ssl.SSLError as error:
            why = getattr(error, "verify_message", "") or error.reason or "it speaks no TLS"
            raise FetchError(BAD_TLS.format(host=host, why=why)) from error
        except (OSError, asyncio.IncompleteReadError) as error:
            raise FetchError(CUT.format(host=host)) from error
        except zlib.error as error:
            raise FetchError(BAD_PACKING.format(host=host, how="it is broken")) from error

    async def _exchange_with_limits(self, address: WebAddress, seconds: float, wanted: Wanted) -> WebResponse:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task
        with self.halt.on_cancel(lambda: loop.call_soon_threadsafe(task.cancel)):
            async with asyncio.timeout(seconds):
                return await self._send_and_receive(address, wanted)

    async def _send_and_receive(self, address: WebAddress, wanted: Wanted) -> WebResponse:
        reader, writer = await self._open_connection(address)
        try:
            if address.scheme == "https":
                await writer.start_tls(_make_tls_context(), server_hostname=address.host)
                writer.write(_build_request(address).head())
            got = await _read_head(address, reader)
            return await self._read_body(got, reader) if wanted(got) else got
        finally:
            writer.transport.abort()

    async def _open_connection(self, address: WebAddress) -> Link:
        """Connect, and ask where that needs no TLS. Raises UnreachedError where it is refused."""
        way = Connector(
            HostPolicy(allowed=self.bounds.allowed),
            self.environ,
            ignore_notice,
            ProxyTerms(resolve=self.bounds.resolve),
        )
        safe = address.scheme == "https"
        opened = await way.open(ProxyRequest(address.host, address.port) if safe else _build_request(address))
        if isinstance(opened, Refusal):
            closed = CLOSED.format(host=address.host, why=opened.why, place=address.host_port)
            raise FetchError(closed if opened.why else opened.sentence)
        return opened

    async def _read_body(self, got: WebResponse, reader: asyncio.StreamReader) -> WebResponse:
        """Read on up to the bound of what is unpacked; what comes then is left on the line."""
        how = str(got.head.get("content-encoding", "")).strip().lower()
        if how not in {"", "identity", *PACKED}:
            raise FetchError(BAD_PACKING.format(host=got.address.display_host, how=sanitize_name(how)))
        unpack = Unpacker(bare=how == "deflate").unpack if how in PACKED else _pass_through
        body, most = bytearray(), self.bounds.size
        try:
            async with aclosing(_iter_body(got, reader)) as pieces:
                async for piece in pieces:
                    body += unpack(piece, most + 1 - len(body))
                    if len(body) > most:
                        break
        except asyncio.IncompleteReadError:
            return replace(got, body=bytes(body), cut=True)
        return replace(got, body=bytes(body[:most]), cut=len(body) > most)


@dataclass(slots=True)
class Unpacker:
    """Unpacks a body as it comes; `bare`: deflate may stand without the head of zlib, as some send it."""

    bare: bool
    _held: bytes = b""
    """Its kind is told by two bytes."""
    _inner: Any = None
    _ended: bool = False

    def unpack(self, piece: bytes, most: int) -> bytes:
        """Give what a piece holds, at most so many bytes; gzip may have several members (RFC 1952, 2.2)."""
        data, made = self._held + piece, b""
        while len(data) > (self._inner is None) and len(made) < most:
            if self._inner is None:
                if self._ended and not data.startswith(_GZIP):
                    return made
                self._inner = zlib.decompressobj(self._detect_format(data))
            made += self._inner.decompress(data, most - len(made))
            data, self._ended = self._inner.unused_data, self._inner.eof
            self._inner = None if self._ended else self._inner
        self._held = data
        return made

    def _detect_format(self, data: bytes) -> int:
        headed = data.startswith(_GZIP) or (data[0] & 15 == 8 and not (data[0] << 8 | data[1]) % 31)
        return _EITHER if headed or not self.bare else -zlib.MAX_WBITS


def sanitize_name(told: str) -> str:
    """Give a name that a server gives: what it says besides is not for a sentence of ours."""
    return told if re.fullmatch(r"[\w.+/-]{1,60}", told, re.ASCII) else "something else"


def _pass_through(piece: bytes, most: int) -> bytes:
    return piece[:most]


def _build_request(address: WebAddress) -> ProxyRequest:
    # port 80 is the one that the head leaves out
    usual = address.port == PORTS[address.scheme]
    return ProxyRequest(address.host, 80 if usual else address.port, "GET", address.path, fields=FIELDS)


def _make_tls_context() -> ssl.SSLContext:
    """Trust whom the system trusts; where it has no list, as on some, the one that comes with requests."""
    paths = ssl.get_default_verify_paths()
    if paths.cafile or paths.capath:
        return ssl.create_default_context()
    import certifi

    return ssl.create_default_context(cafile=certifi.where())


async def _read_head(address: WebAddress, reader: asyncio.StreamReader) -> WebResponse:
    for _ in range(INTERIM):
        first = await reader.readuntil(b"\n")
        found = _STATUS.fullmatch(first)
        if not found:
            break
        head = b""
        while (line := await reader.readuntil(b"\n")).strip():
            head += line
            if len(head) > HEAD:
                raise asyncio.LimitOverrunError("too long", HEAD)
        if found["status"][:1] != b"1":
            return WebResponse(address, int(found["status"]), BytesHeaderParser().parsebytes(head))
    raise FetchError(RUBBISH.format(host=address.display_host))


async def _iter_body(got: WebResponse, reader: asyncio.StreamReader) -> AsyncGenerator[bytes, None]:
    """Give the body as it comes. Raises IncompleteReadError where it ends too early."""
    if "chunked" in str(got.head.get("transfer-encoding", "")).lower():
        while size := _parse_chunk_size(await reader.readuntil(b"\n"), got):
            async for piece in _read_exactly(reader, size):
                yield piece
            await reader.readuntil(b"\n")
        return
    told = str(got.head.get("content-length", "")).strip()
    if re.fullmatch(r"\d{1,18}", told, re.ASCII):
        async for piece in _read_exactly(reader, int(told)):
            yield piece
        return
    while piece := await reader.read(PIECE):
        yield piece


async def _read_exactly(reader: asyncio.StreamReader, size: int) -> AsyncGenerator[bytes, None]:
    while size:
        piece = await reader.read(min(size, PIECE))
        if not piece:
            raise asyncio.IncompleteReadError(b"", size)
        size -= len(piece)
        yield piece


def _parse_chunk_size(line: bytes, got: WebResponse) -> int:
    found = _SIZE.fullmatch(line)
    if not found:
        raise FetchError(RUBBISH.format(host=got.address.display_host))
    return int(found[1], 16)
