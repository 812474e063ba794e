"""Runs the app with uvicorn, on an address that is bound before anything is said."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from tripletick.errors import UsageError
from tripletick.system.text import describe_os_error

LOOPBACK = "127.0.0.1"
GRACE = 2
"""Seconds that open connections get once the server is to end."""
BACKLOG = 128
MOST = 500
"""Connections and requests at a time; more are answered with 503."""
NOT_HERE = ("Cannot listen on {address}.", "{why}.", "Choose another: --listen ADDRESS --port N")
NO_KEY = (
    "--tls-cert and --tls-key go together.",
    "One is the certificate, the other its private key, both in PEM.",
    "Give both, or neither.",
)
BAD_KEY = ("The certificate cannot be used.", "{why}.", "Give a certificate and its key in PEM.")


@dataclass(frozen=True, slots=True)
class ListenAddress:
    """Where is listened, and with which certificate."""

    host: str = LOOPBACK
    port: int = 0
    cert: Path | None = None
    key: Path | None = None

    def __post_init__(self) -> None:
        if (self.cert is None) != (self.key is None):
            raise UsageError(*NO_KEY)

    @property
    def is_loopback(self) -> bool:
        """Whether nobody but this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def open_socket(self) -> socket.socket:
        """Bind. Raises UsageError."""
        try:
            family, *_, address = socket.getaddrinfo(
                self.host, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            listener = socket.socket(family)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(BACKLOG)
        except (OSError, UnicodeError) as error:
            what, why, remedy = NOT_HERE
            where = f"{self.host}:{self.port}"
            told = describe_os_error(error) if isinstance(error, OSError) else "It is not a host name"
            raise UsageError(what.format(address=where), why.format(why=told), remedy) from error
        return listener

    def format_url(self, port: int) -> str:
        """Give the address of the page, as this machine reaches it."""
        unbound = self.host in ("0.0.0.0", "::", "")
        host = LOOPBACK if unbound else f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.cert else 'http'}://{host}:{port}"


def run_server(app: ASGIApp, address: ListenAddress, listener: socket.socket) -> None:
    """Serve until a signal ends it, which is raised again then."""
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE,
        limit_concurrency=MOST,
        ssl_certfile=address.cert,
        ssl_keyfile=address.key,
    )
    try:
        config.load()
    except OSError as error:
        what, why, remedy = BAD_KEY
        raise UsageError(what, why.format(why=describe_os_error(error)), remedy) from error
    uvicorn.Server(config).run(sockets=[listener])
