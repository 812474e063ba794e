"""The routes: OpenAI's API under /v1, the page's own under the rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from tripletick import __version__
from tripletick.errors import TripletickError
from tripletick.history import page
from tripletick.serve.browser import BrowserTransport, PageConnections
from tripletick.serve.completions import Completions, make_failure
from tripletick.serve.guard import RefusedError, make_json
from tripletick.serve.tokens import AccessToken
from tripletick.system.dirs import abbreviate_home
from tripletick.system.lazy_regex import lazy_regex

LAST_EVENT = lazy_regex(r"[0-9]{1,18}")
FILES = Path(__file__).parent / "page"
KINDS = {
    "index.html": "text/html",
    "page.css": "text/css",
    "page.js": "text/javascript",
    "client.js": "text/javascript",
    "diff.js": "text/javascript",
    "talk.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
NO_CONNECTION = "This connection has ended. Load the page again."
WRONG_TOKEN = "This is not the token. It is in {path}."
NOT_TEXT = "The body is not JSON with a `{name}`."


@dataclass(frozen=True, slots=True)
class ServedApp:
    """All that is served, and what it is made of."""

    token: AccessToken
    cookie: str
    folders: tuple[Path, ...]
    completions: Completions
    pages: PageConnections

    def build(self) -> Starlette:
        """Give the app, for a guard to stand before it."""
        files = [
            Route(f"/{'' if name == 'index.html' else name}", partial(_send_file, name)) for name in KINDS
        ]
        return Starlette(
            routes=[
                *files,
                Route("/markdown.css", self._send_styles),
                Route("/login", self._log_in, methods=["POST"]),
                Route("/about", self._tell_about),
                Route("/markdown", self._render_markdown, methods=["POST"]),
                Route("/acp", self._open_connection, methods=["POST"]),
                Route("/acp/{name}", self._take_message, methods=["POST"]),
                Route("/acp/{name}", self._close_connection, methods=["DELETE"]),
                Route("/acp/{name}/events", self._stream_events),
                Route("/v1/models", self._list_models),
                Route("/v1/chat/completions", self.completions.answer_request, methods=["POST"]),
            ],
            exception_handlers={RefusedError: _answer_failure, TripletickError: _answer_failure},
            lifespan=self._run_pages,
        )

    @asynccontextmanager
    async def _run_pages(self, _: Starlette) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(self.pages.close_stale())
        try:
            yield
        finally:
            sweeping.cancel()
            await self.pages.close()
            await asyncio.to_thread(self.completions.engines.close)

    async def _log_in(self, request: Request) -> Response:
        """Give a browser its cookie for the token."""
        if not self.token.matches(await _read_field(request, "token")):
            raise RefusedError(401, WRONG_TOKEN.format(path=abbreviate_home(self.token.path)))
        answer = Response(status_code=204)
        answer.set_cookie(
            self.cookie,
            self.token.cookie,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return answer

    async def _tell_about(self, _: Request) -> Response:
        return make_json({"version": __version__, "folders": list(map(str, self.folders))})

    async def _render_markdown(self, request: Request) -> Response:
        text = await _read_field(request, "text")
        return make_json({"html": await asyncio.to_thread(page.render_markdown, text)})

    async def _send_styles(self, _: Request) -> Response:
        return Response(page.build_styles(), media_type="text/css")

    async def _list_models(self, _: Request) -> Response:
        names = [
            *self.completions.tasks.list_names(),
            *await asyncio.to_thread(self.completions.engines.list_names),
        ]
        rows = [{"id": name, "object": "model", "created": 0, "owned_by": "local"} for name in names]
        return make_json({"object": "list", "data": rows})

    async def _open_connection(self, _: Request) -> Response:
        try:
            return make_json({"name": await self.pages.open_connection()})
        except OverflowError as error:
            raise RefusedError(503, str(error)) from error

    async def _take_message(self, request: Request) -> Response:
        wrong = self._find_transport(request).take_message(await request.body())
        if wrong is not None:
            raise RefusedError(400, str(wrong))
        return Response(status_code=202)

    async def _close_connection(self, request: Request) -> Response:
        await self.pages.close_connection(request.path_params["name"])
        return Response(status_code=204)

    async def _stream_events(self, request: Request) -> Response:
        after = LAST_EVENT.fullmatch(request.headers.get("last-event-id", ""))
        events = self._find_transport(request).stream_events(int(after[0]) if after else 0)
        return StreamingResponse(events, media_type="text/event-stream")

    def _find_transport(self, request: Request) -> BrowserTransport:
        transport = self.pages.find_transport(request.path_params["name"])
        if transport is None:
            raise RefusedError(404, NO_CONNECTION)
        return transport


async def _send_file(name: str, _: Request) -> Response:
    return FileResponse(FILES / name, media_type=KINDS[name])


async def _read_field(request: Request, name: str) -> str:
    with suppress(ValueError, RecursionError):
        given = await request.json()
        if isinstance(given, dict) and isinstance(given.get(name), str):
            return str(given[name])
    raise RefusedError(400, NOT_TEXT.format(name=name))


async def _answer_failure(_: Request, error: Exception) -> Response:
    assert isinstance(error, RefusedError | TripletickError)
    return make_failure(error)
