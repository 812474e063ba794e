"""Has a server load a model, and read what comes first, while the user types.

One request, in a thread; what comes of it is of no interest, the first real request tells what is
wrong. It is not hung up on when that request comes: the server would begin to load again. Not covered:
servers behind TLS or a proxy, where the first request loads.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any

from tripletick.models import EngineSettings
from tripletick.models.hosts import ServerAddress

ENOUGH = 65536
"""Bytes of an answer that says no more than that it is done."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """What the server made of the model: tokens of context, bytes, and bytes of these in video memory."""

    context: int
    size: int
    video: int

    @property
    def placement(self) -> str:
        """Say where it lies: `100 % GPU`, `52 % GPU, 48 % CPU`."""
        gpu = min(100, 100 * self.video // max(1, self.size))
        return ", ".join(f"{part} % {name}" for part, name in ((gpu, "GPU"), (100 - gpu, "CPU")) if part > 0)


class Preload:
    """One request ahead of all others; `start` returns at once, `stop` hangs up and waits for the thread."""

    def __init__(
        self, address: ServerAddress, settings: EngineSettings, path: str, body: Mapping[str, Any]
    ) -> None:
        self._address, self._settings = address, settings
        self._path = "/".join(filter(None, ("", address.path))) + path
        self._body = json.dumps(body).encode()
        self._stopped = threading.Event()
        self._socket: socket.socket | None = None
        self._thread = threading.Thread(target=self._send_request, daemon=True)

    def start(self) -> None:
        """Begin, where the server is reached directly."""
        if self._address.is_private and self._address.scheme == "http":
            self._thread.start()

    def is_still_running(self, seconds: float) -> bool:
        """Wait so long for its end; tell whether it goes on."""
        if self._thread.is_alive():
            self._thread.join(seconds)
        return self._thread.is_alive()

    def stop(self) -> None:
        """End it, whatever the server does."""
        self._stopped.set()
        if self._socket:
            with contextlib.suppress(OSError):
                # it may have ended by itself
                self._socket.shutdown(socket.SHUT_RDWR)
        if self._thread.is_alive():
            self._thread.join()

    def _send_request(self) -> None:
        limit = self._settings.connect_timeout
        # the first request says what is wrong
        with (
            contextlib.suppress(OSError, HTTPException, UnicodeError),
            closing(HTTPConnection(self._address.host, self._address.port, limit)) as connection,
        ):
            connection.connect()
            self._socket = connection.sock
            self._socket.settimeout(self._settings.first_timeout)
            if not self._stopped.is_set():
                connection.request("POST", self._path, self._body, {"Content-Type": "application/json"})
                connection.getresponse().read(ENOUGH)
