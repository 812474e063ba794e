"""What every HTTP request must pass before it is looked at: host, origin, token, size.

A browser runs what any page tells it to: a foreign page may send requests here (their Origin is another), and
a name may be bound anew to this machine's address (the Host is that name). Neither is answered.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tripletick.serve.tokens import AccessToken

LARGEST = 16 << 20
"""Bytes of a request."""
PATIENCE = 60.0
"""Seconds in which all of a request must have come."""
OPEN = frozenset(
    {
        "/",
        "/page.css",
        "/markdown.css",
        "/page.js",
        "/client.js",
        "/diff.js",
        "/talk.js",
        "/icon.svg",
        "/login",
    }
)
"""What may be had without the token: the page without any content, and the way to log in."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}
WRONG_HOST = "This server is not called {host}. Use its address, or start it with --listen {host}."
WRONG_ORIGIN = "Requests from pages of {origin} are not answered."
NO_TOKEN = "A token is needed, in the header: Authorization: Bearer TOKEN. It is in {path}."
TOO_LARGE = f"A request may have at most {LARGEST >> 20} MiB."
TOO_SLOW = f"The request did not arrive within {PATIENCE:g} s."


class RefusedError(Exception):
    """A request that is not answered: the HTTP status, and why in a sentence."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def make_json(value: Any, status: int = 200) -> Response:
    """Give a value as JSON in ASCII: what is told may hold lone surrogates, which have no UTF-8."""
    return Response(json.dumps(value, separators=(",", ":")), status, media_type="application/json")


def make_error(status: int, why: str, code: str = "") -> Response:
    """Give an error in the form that OpenAI's clients read."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    return make_json({"error": {"message": why, "type": kind, "code": code or None}}, status)


@dataclass(frozen=True, slots=True)
class RequestGuard:
    """Stands before the app; `names` are the host names that are this server's, beside IP addresses."""

    app: ASGIApp
    token: AccessToken
    names: Collection[str]
    cookie: str
    """The name of the page's cookie."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        body = BodyReader(receive)
        try:
            self._check(scope, Headers(scope=scope))
            body.check_length(Headers(scope=scope))
            await self.app(scope, body.receive, send_guarded)
        except RefusedError as refused:
            await make_error(refused.status, str(refused))(scope, receive, send_guarded)

    def _check(self, scope: Scope, headers: Headers) -> None:
        host = headers.get("host", "")
        if not is_own_name(host, self.names):
            raise RefusedError(421, WRONG_HOST.format(host=host.rpartition(":")[0] or host))
        origin = headers.get("origin")
        if origin is not None and origin != f"{scope['scheme']}://{host}":
            raise RefusedError(403, WRONG_ORIGIN.format(origin=origin))
        if scope["path"] not in OPEN and not self._is_known(headers):
            raise RefusedError(401, NO_TOKEN.format(path=self.token.path))

    def _is_known(self, headers: Mapping[str, str]) -> bool:
        kind, _, said = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self.token.matches(said.strip())
        try:
            held = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return held is not None and self.token.matches_cookie(held.value)


class BodyReader:
    """Hands over a request's body as far as it is small, and comes in time."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._left, self._ended = receive, LARGEST, False
        self._until = asyncio.get_running_loop().time() + PATIENCE

    def check_length(self, headers: Headers) -> None:
        """Raise RefusedError for a body that says itself that it is too large."""
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST:
            raise RefusedError(413, TOO_LARGE)

    async def receive(self) -> Message:
        """Give what comes next. Raises RefusedError."""
        if self._ended:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError as error:
            raise RefusedError(408, TOO_SLOW) from error
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise RefusedError(413, TOO_LARGE)
        self._ended = not message.get("more_body", False)
        return message


def is_own_name(host: str, names: Collection[str]) -> bool:
    """Tell whether a Host means this server; an IP address cannot be bound to another machine."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name.lower() in names or name.lower().endswith(".localhost")
    return True
