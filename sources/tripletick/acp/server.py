"""The agent's side of the protocol: which methods there are, and which session a message is for."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from acp import PROTOCOL_VERSION, helpers, schema
from acp.agent.connection import AgentSideConnection
from acp.exceptions import RequestError
from acp.interfaces import Agent, Client

from tripletick import __version__
from tripletick.acp.options import list_commands
from tripletick.acp.prompt import Block
from tripletick.acp.replay import replay_session
from tripletick.acp.session import EditorSession, Sessions
from tripletick.acp.transport import StdioTransport
from tripletick.errors import TripletickError
from tripletick.event_log.session_log import clean_text, make_session_id
from tripletick.history import index, logs
from tripletick.history.history import Past
from tripletick.paths import resolve_folder
from tripletick.system.lazy_regex import lazy_regex

Servers = Sequence[Any] | None
"""What the protocol has of an editor's own tool servers, each with a name."""
PATIENCE = 10.0
"""Seconds in which a session has to end when the editor is gone."""
PAGE = 50
"""Sessions that are listed at once."""
PLACE = lazy_regex("[0-9]{1,9}")
"""Where a page of the list begins."""
BROKEN_PIPE = 141
ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 143}
"""Exit codes by the signal that ends the program."""
NO_FOLDER = "cwd is no folder, given by its absolute path: {path}"
NOT_ALLOWED = "cwd is not in a folder that is allowed: {path}"
NO_SESSION = "There is no session {name}."
NO_PAGE = "There is no such page of the list."


@dataclass(slots=True)
class AcpServer:
    """Serves one editor: any number of sessions side by side."""

    options: argparse.Namespace
    sessions: Sessions
    allows: Callable[[Path], bool] = lambda _: True
    """Whether sessions may work in a folder, and be shown."""
    confined: bool = False
    """The client may reach no more than its sessions' blocks do."""
    client: Client | None = None
    able: schema.ClientCapabilities = field(default_factory=schema.ClientCapabilities)
    open: dict[str, EditorSession] = field(default_factory=dict)

    def on_connect(self, conn: Client) -> None:
        self.client = conn

    async def initialize(
        self, protocol_version: int, client_capabilities: schema.ClientCapabilities | None = None, **_: Any
    ) -> schema.InitializeResponse:
        """Tell what is offered, and learn what the editor can do."""
        self.able = client_capabilities or self.able
        return schema.InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_info=schema.Implementation(name="tripletick", title="tripletick", version=__version__),
            agent_capabilities=schema.AgentCapabilities(
                load_session=True,
                prompt_capabilities=schema.PromptCapabilities(image=True, embedded_context=True),
                session_capabilities=schema.SessionCapabilities(
                    list=schema.SessionListCapabilities(),
                    resume=schema.SessionResumeCapabilities(),
                    close=schema.SessionCloseCapabilities(),
                ),
            ),
            auth_methods=[],
        )

    async def new_session(self, cwd: str, mcp_servers: Servers = None, **_: Any) -> schema.NewSessionResponse:
        """Begin a session; what is slow or asks is done by its first request."""
        session = await self._open_session(make_session_id(), cwd, None)
        session.use_servers(mcp_servers or ())
        choices = session.choices
        return schema.NewSessionResponse(
            session_id=session.name,
            modes=choices.build_mode_state(),
            config_options=[*choices.list_options()],
        )

    async def load_session(
        self, cwd: str, session_id: str, mcp_servers: Servers = None, **_: Any
    ) -> schema.LoadSessionResponse:
        """Go on with a session that is kept, after telling all of it."""
        session = await self._restore_session(cwd, session_id)
        session.use_servers(mcp_servers or ())
        known = await asyncio.to_thread(logs.records, self.sessions.places, session_id)
        for update in replay_session(known.records):
            await session.client.session_update(session_id, update)
        choices = session.choices
        return schema.LoadSessionResponse(
            modes=choices.build_mode_state(), config_options=[*choices.list_options()]
        )

    async def resume_session(
        self, session_id: str, cwd: str, mcp_servers: Servers = None, **_: Any
    ) -> schema.ResumeSessionResponse:
        """Go on with a session that is kept, of which the editor knows what was said."""
        session = await self._restore_session(cwd, session_id)
        session.use_servers(mcp_servers or ())
        choices = session.choices
        return schema.ResumeSessionResponse(
            modes=choices.build_mode_state(), config_options=[*choices.list_options()]
        )

    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, **_: Any
    ) -> schema.ListSessionsResponse:
        """List the sessions that are kept, of one folder or of all, the newest first."""
        if not PLACE.fullmatch(cursor or "0"):
            raise RequestError(-32602, NO_PAGE)
        folder = self._check_folder(cwd) if cwd else None
        found = await asyncio.to_thread(index.listed, self.sessions.places, folder, answered=True)
        rows = [row for row in found if self.allows(Path(row.workspace))]
        first = int(cursor or 0)
        shown = rows[first : first + PAGE]
        return schema.ListSessionsResponse(
            sessions=[
                schema.SessionInfo(
                    session_id=row.id,
                    cwd=clean_text(row.workspace),
                    title=clean_text(row.title),
                    updated_at=datetime.fromtimestamp(row.last, UTC).isoformat(timespec="seconds"),
                )
                for row in shown
            ],
            next_cursor=str(first + PAGE) if rows[first + PAGE :] else None,
        )

    async def close_session(self, session_id: str, **_: Any) -> schema.CloseSessionResponse:
        """End a session; its log is kept."""
        session = self._find_session(session_id)
        del self.open[session_id]
        await session.close(PATIENCE)
        return schema.CloseSessionResponse()

    async def set_session_mode(
        self, session_id: str, mode_id: str, **_: Any
    ) -> schema.SetSessionModeResponse:
        """Choose what blocks may do from the next request on."""
        self._choose(session_id, "mode", mode_id)
        return schema.SetSessionModeResponse()

    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **_: Any
    ) -> schema.SetSessionConfigOptionResponse:
        """Choose mode, model or agent from the next request on."""
        session = self._choose(session_id, config_id, str(value))
        return schema.SetSessionConfigOptionResponse(config_options=[*session.choices.list_options()])

    async def prompt(self, session_id: str, prompt: Sequence[Block], **_: Any) -> schema.PromptResponse:
        """Do what the user has sent."""
        session = self._find_session(session_id)
        if self.confined:
            # a block of another session may have put a link in the folder's place
            folder = Path(session.options.directory)
            if self._check_folder(str(folder)) != folder:
                raise RequestError(-32602, NOT_ALLOWED.format(path=clean_text(str(folder))))
        reason = await session.run_prompt(prompt)
        return schema.PromptResponse(stop_reason=reason)

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Stop the request that a session is at work on."""
        if session := self.open.get(session_id):
            session.cancel()

    async def close(self) -> None:
        """Stop all that is at work and end every session."""
        for session in self.open.values():
            session.over.set()
        await asyncio.gather(*(session.close(PATIENCE) for session in self.open.values()))

    def _choose(self, session_id: str, name: str, value: str) -> EditorSession:
        session = self._find_session(session_id)
        try:
            session.choices.choose(name, value)
        except TripletickError as error:
            raise RequestError(-32602, clean_text(str(error))) from error
        return session

    def _find_session(self, name: str) -> EditorSession:
        if name not in self.open:
            raise RequestError(-32602, NO_SESSION.format(name=clean_text(name)))
        return self.open[name]

    async def _restore_session(self, cwd: str, name: str) -> EditorSession:
        """Open a session that is kept. Raises RequestError."""
        places = self.sessions.places
        known = name in await asyncio.to_thread(logs.ids, places)
        try:
            past = await asyncio.to_thread(logs.past, places, name) if known else None
        except TripletickError as error:
            raise RequestError(-32603, clean_text(str(error))) from error
        if past is None or not self.allows(Path(past.workspace)):
            raise RequestError(-32602, NO_SESSION.format(name=clean_text(name)))
        if session := self.open.pop(name, None):
            await session.close(PATIENCE)
        return await self._open_session(name, cwd, past)

    def _check_folder(self, cwd: str) -> Path:
        """Give the folder of a session. Raises RequestError for what is none, or not allowed."""
        folder = resolve_folder(cwd)
        if folder is None:
            raise RequestError(-32602, NO_FOLDER.format(path=clean_text(cwd)))
        if not self.allows(folder):
            raise RequestError(-32602, NOT_ALLOWED.format(path=clean_text(cwd)))
        return folder

    async def _open_session(self, name: str, cwd: str, past: Past | None) -> EditorSession:
        assert self.client
        options = argparse.Namespace(**vars(self.options))
        options.directory, options.placed = self._check_folder(cwd), True
        try:
            if past:
                options = await asyncio.to_thread(self.sessions.restore_options, options, past)
            session = EditorSession(name, options, past, self.sessions, self.client, self.able, self.confined)
            await session.load_choices()
        except TripletickError as error:
            raise RequestError(-32603, clean_text(str(error))) from error
        self.open[name] = session
        # it runs once this request is answered: an editor knows the session then
        task = asyncio.create_task(_tell_commands(session))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return session


async def _tell_commands(session: EditorSession) -> None:
    with suppress(ConnectionError):
        update = helpers.update_available_commands(list_commands())
        await session.client.session_update(session.name, update)


async def serve_stdio(options: argparse.Namespace, sessions: Sessions) -> int:
    """Serve over standard input and output until the editor hangs up; gives the exit code."""
    # the SDK logs what it has answered with an error already
    logging.getLogger().addHandler(logging.NullHandler())
    transport, server, ended = StdioTransport(), AcpServer(options, sessions), list[int]()

    def stop(number: signal.Signals) -> None:
        ended.append(ENDS[number])
        transport.hang_up()

    for number in ENDS:
        asyncio.get_running_loop().add_signal_handler(number, stop, number)
    # it looks for the methods by name: what is not offered is no method of ours
    agent = cast("Agent", server)
    connection = AgentSideConnection(agent, transport, listening=False, use_unstable_protocol=True)
    try:
        await connection.listen()
    finally:
        await server.close()
        await connection.close()
    return ended[0] if ended else BROKEN_PIPE if transport.broken else 0
