"""HTTP as an engine needs it: one request, its status, and its lines as they arrive, each within its time.

Requests are sent once; what to try again is the engine's business. Nothing here knows what the lines mean.
Another thread ends a wait by shutting the socket down, of which `http.client` tells nobody.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError, ReadTimeoutError

from tripletick.errors import TripletickError
from tripletick.models import EngineSettings, failures, json_fields
from tripletick.models.hosts import ServerAddress
from tripletick.system.cancellation import CancelToken

LINE_LIMIT = 16 << 20
"""Bytes of one line, or of a short answer: more is no server of ours."""


def watch_connections(manager: Any, took: Callable[[socket.socket], None]) -> None:
    """Have a manager's connections say which socket they have got; they stay of the kind that they are, since
    those through a SOCKS proxy are of a kind of their own.
    """
    pools = manager.pool_classes_by_scheme
    manager.pool_classes_by_scheme = {scheme: _watch_pool(pool, took) for scheme, pool in pools.items()}


def _watch_pool(pool: Any, took: Callable[[socket.socket], None]) -> Any:
    kind = pool.ConnectionCls

    def connect(connection: Any) -> None:
        kind.connect(connection)
        took(connection.sock)

    watched = type(kind.__name__, (kind,), {"connect": connect})
    return type(pool.__name__, (pool,), {"ConnectionCls": watched})


class _SocketAdapter(HTTPAdapter):
    def __init__(self, took: Callable[[socket.socket], None]) -> None:
        self._took = took
        super().__init__()

    def init_poolmanager(self, *args: Any, **words: Any) -> None:
        super().init_poolmanager(*args, **words)
        watch_connections(self.poolmanager, self._took)

    def proxy_manager_for(self, proxy: str, **words: Any) -> Any:
        known = proxy in self.proxy_manager
        manager = super().proxy_manager_for(proxy, **words)
        if not known:
            watch_connections(manager, self._took)
        return manager


@dataclass(frozen=True, slots=True)
class _BearerAuth(requests.auth.AuthBase):
    """Signs a request with a key, which no password of .netrc takes the place of."""

    key: str = field(repr=False)

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self.key}"
        return request


class CancellableSocket:
    """The connection at work."""

    def __init__(self, halt: CancelToken) -> None:
        self.halt = halt
        self._socket: socket.socket | None = None

    def attach_socket(self, connected: socket.socket) -> None:
        """Be told of a new connection. Raises Cancelled."""
        self._socket = connected
        self.halt.raise_if_cancelled()

    def set_timeout(self, seconds: float) -> None:
        """Say how long a read may wait from here on."""
        if self._socket is not None and self._socket.fileno() >= 0:
            self._socket.settimeout(seconds)

    def shut_down(self) -> None:
        """Have whoever waits on it read its end, from another thread."""
        with suppress(OSError):
            if self._socket is not None:
                # an SSL socket's own shutdown would take away what the reader is using
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class HttpReply:
    """A server's answer, read as it arrives: `first` seconds from the request, `between` line to line."""

    def __init__(
        self, response: requests.Response, line: CancellableSocket, where: str, first: float, between: float
    ) -> None:
        self.status = response.status_code
        self.kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        self.retry_after = response.headers.get("Retry-After", "")
        self._response, self._line, self._where = response, line, where
        self._limit, self._between = first, between
        self._end = time.monotonic() + max(0.0, first - response.elapsed.total_seconds())

    def iter_lines(self) -> Generator[bytes, None, None]:
        """Yield each line without its end. Raises StreamCutError, and ServerFailedError on silence."""
        rest = b""
        while data := self._read_chunk():
            *whole, rest = (rest + data).split(b"\n")
            yield from whole
            if whole:
                # counted from here: what the caller did with the lines is not the server's silence
                self._limit, self._end = self._between, time.monotonic() + self._between
            if len(rest) > LINE_LIMIT:
                raise failures.GARBLED(told=f"{len(rest)} bytes without an end")
        if rest:
            yield rest

    def read_body(self) -> bytes:
        """Read a short answer whole."""
        data = b""
        while len(data) < LINE_LIMIT and (more := self._read_chunk()):
            data += more
        return data

    def close(self) -> None:
        """Hang up: the server stops working on what nobody reads.

        Nor is the connection kept for the next request: minutes pass, and it may die without a word.
        """
        self._response.close()
        self._response.connection.close()

    def _read_chunk(self) -> bytes:
        left = self._end - time.monotonic()
        if left <= 0:
            raise self._make_silence_error()
        self._line.set_timeout(left)
        try:
            with self._line.halt.on_cancel(self._line.shut_down):
                return bytes(self._response.raw.read1(65536))
        except (ReadTimeoutError, TimeoutError) as error:
            raise self._make_silence_error() from error
        except (HTTPError, OSError) as error:
            raise failures.make_cut_error(error) from error

    def _make_silence_error(self) -> TripletickError:
        return failures.SILENT(where=self._where, seconds=self._limit)


class HttpClient:
    """The way to one server."""

    def __init__(self, address: ServerAddress, settings: EngineSettings, key: str = "") -> None:
        self.where = address.url
        self._settings = settings
        self._session = requests.Session()
        if key:
            self._session.auth = _BearerAuth(key)
        self._session.headers.update({"Accept-Encoding": "identity", "Connection": "close"})
        self._line = CancellableSocket(settings.halt)
        self._session.mount("http://", _SocketAdapter(self._line.attach_socket))
        self._session.mount("https://", _SocketAdapter(self._line.attach_socket))
        if address.is_private:
            # neither proxies nor .netrc lead to one's own machine, but its certificate may be home-made
            self._session.trust_env = False
            own = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
            self._session.verify = own or True

    def post_stream(self, path: str, body: Mapping[str, Any]) -> HttpReply:
        """Post a request whose answer is a stream.

        Raises ServerUnreachableError, StreamCutError and ServerFailedError.
        """
        return self._send_request("POST", path, body, self._settings.first_timeout)

    def send_query(self, path: str, body: Mapping[str, Any] | None = None) -> HttpReply:
        """Ask something that is answered at once."""
        return self._send_request("POST" if body else "GET", path, body, self._settings.lookup_timeout)

    def get_json(self, path: str) -> dict[str, Any]:
        """Ask for an object; empty where the status is not 200 or the answer is no object."""
        with closing(self.send_query(path)) as reply:
            return json_fields.parse_object(reply.read_body()) if reply.status == 200 else {}

    def cut_connection(self) -> None:
        """Hang up, from another thread than the one that waits."""
        self._line.shut_down()

    def close(self) -> None:
        self._session.close()

    def _send_request(
        self, method: str, path: str, body: Mapping[str, Any] | None, first: float
    ) -> HttpReply:
        limits = (self._settings.connect_timeout, first)
        url = self.where + path
        try:
            with self._line.halt.on_cancel(self._line.shut_down):
                response = self._session.request(
                    method, url, json=body, stream=True, timeout=limits, allow_redirects=False
                )
        except requests.ReadTimeout as error:
            raise failures.SILENT(where=self.where, seconds=first) from error
        except (OSError, HTTPError) as error:
            # requests lets through what urllib3 thinks of a host's name, and certificates that are not there
            raise failures.make_connection_error(error, self.where) from error
        return HttpReply(response, self._line, self.where, first, self._settings.token_timeout)
