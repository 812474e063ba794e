"""One session of an editor: a thread of its own, in which its chat is opened, worked in and closed.

A turn is the chat's: the same line, the same loop, the same log. What a block has started ends with its
thread, so there is one for as long as the session lasts. The event loop hands over jobs, and stops a turn by
the token of the session. Not covered: which methods there are (server.py).
"""

from __future__ import annotations

import argparse
import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Literal, Protocol, TypeVar

from acp import schema
from acp.exceptions import RequestError
from acp.interfaces import Client

from tripletick.acp.buffers import EditorBuffers
from tripletick.acp.editor_servers import read_servers
from tripletick.acp.options import BY_ITSELF, OFFERED, Choices
from tripletick.acp.prompt import Block, read_prompt
from tripletick.acp.questions import NO, QuestionSender
from tripletick.acp.updates import ERRORS, EventUpdates
from tripletick.acp.wire import Wire
from tripletick.chat import chat
from tripletick.chat.commands import mentions
from tripletick.chat.commands.chat_context import ChatContext
from tripletick.chat.frontend import Screen
from tripletick.checkpoint import Checkpoints
from tripletick.config.config import Config
from tripletick.errors import TripletickError
from tripletick.event_log.session_log import clean_name, clean_text
from tripletick.events import Event, GaveUp, InTask, PlanChanged
from tripletick.history.history import Past
from tripletick.history.transcript import title
from tripletick.session import builder, model_list
from tripletick.session.session import App
from tripletick.system.cancellation import Cancelled, CancelToken
from tripletick.system.dirs import AppDirs

StopReason = Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
T = TypeVar("T")
SECONDS = 0.5
"""Until a model server that does not answer counts as absent: the editor waits for the list."""
REASONS: dict[str, StopReason] = {"context": "max_tokens", "steps": "max_turn_requests"}
"""By the code of a turn that gave up."""
BUSY = "The session is at work on another request. Cancel it first."
BOXED = (
    "The editor's tool servers run in a sandbox without network: {names}. To give one network access, "
    "configure it yourself by the same name: tripletick help mcp"
)
NOT_TAKEN = "Tool servers of the editor that are not used, since they do not communicate over pipes: {names}."
ELSEWHERE = "/{name} needs a terminal: run tripletick there."


class Sessions(Protocol):
    """What opens sessions, as the program's other commands do."""

    @property
    def places(self) -> AppDirs: ...

    def load_settings(self, options: argparse.Namespace) -> Config: ...

    def restore_options(self, options: argparse.Namespace, past: Past) -> argparse.Namespace: ...

    def open_session(
        self, options: argparse.Namespace, past: Past | None, screen: Screen, name: str
    ) -> AbstractContextManager[tuple[App, Screen, TripletickError | None]]: ...


@dataclass(eq=False, slots=True)
class EditorSession:
    """One conversation with the user in an editor."""

    name: str
    options: argparse.Namespace
    past: Past | None
    sessions: Sessions
    client: Client
    able: schema.ClientCapabilities
    confined: bool
    choices: Choices = field(init=False)
    wire: Wire = field(init=False)
    over: threading.Event = field(default_factory=threading.Event)
    """The editor is gone."""
    _jobs: SimpleQueue[Callable[[], None] | None] = field(default_factory=SimpleQueue)
    _thread: threading.Thread = field(init=False)
    _updates: EventUpdates = field(init=False)
    _desk: ChatContext | None = None
    _open: ExitStack = field(default_factory=ExitStack)
    _early: CancelToken = field(default_factory=CancelToken)
    """Ends what is waited for before the session is open."""
    _at_work: bool = False
    _cancelled: bool = False
    """The editor has stopped the request at work …"""
    _stopping: bool = False
    """… and the turn has not been told."""
    _notices: list[str] = field(default_factory=list)
    _told: tuple[str, str, str] = ("", "", "")
    """The choices that the editor knows."""

    def __post_init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.wire = Wire(self.client, self.able, loop, self.name, self._get_token, self.over)
        folder = Path(self.options.directory)
        self._updates = EventUpdates(self.wire.send_update, folder.resolve(), self._get_checkpoints)
        self._thread = threading.Thread(target=self._work, name=f"session {self.name}", daemon=True)
        self._thread.start()

    async def load_choices(self) -> Choices:
        """Find out what may be chosen. Raises TripletickError for settings that are wrong."""
        await self._run_job(self._load_choices)
        return self.choices

    async def run_prompt(self, blocks: Sequence[Block]) -> StopReason:
        """Do what the user has sent. Raises RequestError, also while another request is at work."""
        if self._at_work:
            raise RequestError(-32600, BUSY)
        self._at_work, self._cancelled, self._stopping = True, False, False
        for token in (self._early, self._get_token()):
            token.clear()
        try:
            return await self._run_job(lambda: self._do_prompt(blocks))
        finally:
            self._at_work = False

    def use_servers(self, passed: Iterable[Any]) -> None:
        """Take over the editor's own tool servers, before the first request; the user is told of them."""
        servers, left = read_servers(passed)
        self.options.servers = {f"mcp.{name}": server for name, server in servers.items()}
        for text, names in ((BOXED, list(servers)), (NOT_TAKEN, left)):
            if names:
                self._notices.append(text.format(names=", ".join(map(clean_name, names))))

    def cancel(self) -> None:
        """Stop the request that is at work, if one is."""
        if self._at_work:
            self._cancelled = self._stopping = True
            self._early.cancel()
            self._get_token().cancel()

    async def close(self, seconds: float) -> None:
        """Stop what is at work, and end the thread with what was opened in it."""
        self.cancel()
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join, seconds)

    async def _run_job(self, work: Callable[[], T]) -> T:
        done: Future[T] = Future()

        def run() -> None:
            try:
                done.set_result(work())
            except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
                done.set_exception(error)

        done.set_running_or_notify_cancel()
        self._jobs.put(run)
        return await asyncio.wrap_future(done)

    def _work(self) -> None:
        with self._open:
            while job := self._jobs.get():
                job()

    def _get_token(self) -> CancelToken:
        return self._desk.app.halt if self._desk else self._early

    def _get_checkpoints(self) -> Checkpoints | None:
        loop = self._desk.app.loop if self._desk else None
        return loop.checkpoints if loop else None

    def _load_choices(self) -> None:
        options, places = self.options, self.sessions.places
        config = self.sessions.load_settings(options)
        models = model_list.list_model_names(config, places.cache, SECONDS)
        agents = builder.load_prompts(config, places).agents
        model = config.model.name or BY_ITSELF
        self.choices = Choices(config.sandbox.mode, model, config.agent.name, models, agents)
        self._told = self._list_chosen()

    def _do_prompt(self, blocks: Sequence[Block]) -> StopReason:
        self._updates.end = None
        try:
            desk = self._open_desk()
            self._apply_choices(desk)
            words = read_prompt(blocks, desk)
            if desk.app.last_request is None:
                self.wire.send_update(
                    schema.SessionInfoUpdate(session_update="session_info_update", title=title(words))
                )
            self._handle_line(desk, words)
        except TripletickError as error:
            if self._desk is None:
                raise RequestError(-32603, clean_text(str(error))) from error
            self._updates.say(str(error))
        except KeyboardInterrupt:
            return "cancelled"
        finally:
            self.wire.send_held_text()
        self._sync_choices()
        return self._name_end()

    def _open_desk(self) -> ChatContext:
        """Give the chat, opened by the first request, for that may be answered with questions."""
        if self._desk is None:
            asker = QuestionSender(self.wire, self._updates)
            screen = Screen(
                self._show_event,
                lambda question: NO if self._cancelled else asker.ask_question(question),
                say=self._updates.say,
                diff=self._updates.show_diff,
                table=self._updates.show_table,
                person=True,
            )
            taken = argparse.Namespace(**vars(self.options))
            mode, model, agent = self._told
            taken.model = self.choices.model if self.choices.model != model else taken.model
            taken.agent = self.choices.agent if self.choices.agent != agent else taken.agent
            opening = self.sessions.open_session(taken, self.past, screen, self.name)
            app, _, _ = self._open.enter_context(opening)
            app.workspace.editor = EditorBuffers(self.wire)
            app.notices += self._notices
            self._desk = ChatContext(app, screen, {}, confined=self.confined)
            self._told = (mode, app.config.model.name or BY_ITSELF, app.config.agent.name)
            if self.choices.model == model:
                self.choices.model = self._told[1]
            if self.choices.agent == agent:
                self.choices.agent = self._told[2]
            if self._cancelled:
                raise Cancelled
        return self._desk

    def _apply_choices(self, desk: ChatContext) -> None:
        """Take over what the user has chosen in the editor since the last request."""
        app, (mode, model, agent) = desk.app, self._told
        chosen = self.choices
        if chosen.mode != mode:
            app.use_mode(chosen.mode)
        if chosen.agent != agent:
            app.use_agent(chosen.agent)
        if chosen.model not in (model, BY_ITSELF):
            desk.run_turn(app.use_model(chosen.model, model_list.find_host(app.config, chosen.model)))
        self._told = self._list_chosen()

    def _sync_choices(self) -> None:
        """Tell the editor what a slash command has chosen."""
        if self._desk is None:
            return
        config, chosen = self._desk.app.config, self.choices
        chosen.mode, chosen.agent = config.sandbox.mode, config.agent.name
        chosen.model = config.model.name or chosen.model
        if self._told != self._list_chosen():
            self._told = self._list_chosen()
            options = [*chosen.list_options()]
            self.wire.send_update(
                schema.ConfigOptionUpdate(session_update="config_option_update", config_options=[*options])
            )

    def _list_chosen(self) -> tuple[str, str, str]:
        return self.choices.mode, self.choices.model, self.choices.agent

    def _handle_line(self, desk: ChatContext, words: str) -> None:
        """Do what a line says, as the chat does; a path that begins with a slash is no command."""
        name = words[1:].split(maxsplit=1)[0] if words[1:2].strip() else ""
        if words.startswith("/") and (name in OFFERED or name not in chat.COMMANDS):
            if name in OFFERED:
                chat.run_slash_command(desk, words[1:].strip())
            else:
                mentions.send_request(desk, words.removeprefix("/") if words.startswith("//") else words)
        elif words.startswith("/"):
            self._updates.say(ELSEWHERE.format(name=name))
        elif opener := chat.OPENERS.get(words[:1]):
            opener(desk, words[1:].strip())
        else:
            mentions.send_request(desk, words)

    def _show_event(self, event: Event) -> None:
        """Tell an event. Raises Cancelled where the turn is to stop and waits for nothing that would."""
        self._updates.show_event(event)
        if self._stopping and (self._get_token().due or isinstance(event, InTask | PlanChanged)):
            self._stopping = False
            self._get_token().clear()
            raise Cancelled

    def _name_end(self) -> StopReason:
        """Say how the turn ended. Raises RequestError for what the user must set right."""
        if self._cancelled:
            return "cancelled"
        match self._updates.end:
            case GaveUp(code=code) as end if code in ERRORS:
                raise RequestError(-32603, clean_text("\n".join(filter(None, (end.reason, end.hint)))))
            case GaveUp(code=code):
                return REASONS.get(code, "end_turn")
        return "end_turn"
