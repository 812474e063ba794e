"""Requests to the agents: each is a task in a folder that is allowed, done by a tripletick of its own.

A client sends the whole conversation each time. It is found again among the sessions by what was said in it,
and gone on with, so that the model reads only what is new.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tripletick.agents.definitions import AUTO
from tripletick.errors import TripletickError
from tripletick.event_log.session_log import SessionLog
from tripletick.events import Answered, Requested
from tripletick.history import index, logs
from tripletick.history.transcript import title
from tripletick.messages import Message
from tripletick.paths import resolve_folder
from tripletick.serve.guard import RefusedError
from tripletick.system.cancellation import Cancelled, CancelToken
from tripletick.system.dirs import AppDirs
from tripletick.system.job import JobOutcome, JobSpec, format_progress, run_job
from tripletick.system.turn_summary import Record

PREFIX = "tripletick/"
"""How the agents are named among the models."""
LOOKED_AT = 50
"""Sessions among which a conversation is looked for, the newest ones of those that begin with its words."""
NO_AGENT = "There is no agent {name!r}. There are: {names}."
NOT_ALLOWED = "{folder} is not a folder in which tasks are allowed. There are: {folders}."
NO_FOLDER = "No folder is allowed for agents. Start the server with: tripletick serve --allow DIR"
NO_TEXT = "The last message has no text."
NO_PICTURES = "Agents take no pictures here: put them into the folder, and name them."


@dataclass(slots=True)
class TaskStream:
    """A task at work: lines of progress, then None; `outcome` is there after that."""

    lines: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)
    outcome: JobOutcome = field(default_factory=JobOutcome)

    async def read(self) -> AsyncIterator[str]:
        """Yield what is told while it works."""
        while (line := await self.lines.get()) is not None:
            yield line


@dataclass(slots=True)
class AgentTasks:
    """Does tasks by a command, some at a time, in the order in which they came."""

    command: Sequence[str]
    allowed: Sequence[Path]
    agents: Sequence[str]
    places: AppDirs
    parallel: int
    saves: bool = True
    """Whether sessions are kept; where they are not, each request stands alone."""
    _turns: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._turns = asyncio.Semaphore(self.parallel)

    def list_names(self) -> list[str]:
        """Name the agents as models; none where no folder is allowed."""
        return [PREFIX + name for name in (AUTO, *self.agents)] if self.allowed else []

    def check_request(self, agent: str, messages: Sequence[Message], folder: str) -> Path:
        """Give the folder in which the last message is to be done. Raises RefusedError."""
        if agent not in (AUTO, *self.agents):
            raise RefusedError(404, NO_AGENT.format(name=agent, names=", ".join((AUTO, *self.agents))))
        where = self._resolve_folder(folder)
        if any(message.pictures for message in messages):
            raise RefusedError(400, NO_PICTURES)
        if not messages[-1].text.strip():
            raise RefusedError(400, NO_TEXT)
        return where

    @asynccontextmanager
    async def open_task(
        self, agent: str, messages: Sequence[Message], where: Path
    ) -> AsyncIterator[TaskStream]:
        """Have the last message done once its turn has come; leaving the block before its end stops it."""
        *earlier, last = [message for message in messages if message.role != "system"]
        words = await asyncio.to_thread(self._continue_session, where, earlier)
        errand = JobSpec(last.text, where, "" if agent == AUTO else agent)
        stream = TaskStream()
        task = asyncio.create_task(self._do_task(stream, (*self.command, *words), errand))
        try:
            yield stream
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def _do_task(self, stream: TaskStream, command: Sequence[str], errand: JobSpec) -> None:
        loop, halt = asyncio.get_running_loop(), CancelToken()

        def put(line: str | None) -> None:
            loop.call_soon_threadsafe(stream.lines.put_nowait, line)

        async with self._turns:
            work = asyncio.ensure_future(asyncio.to_thread(self._run_allowed, command, errand, halt, put))
            try:
                stream.outcome = await asyncio.shield(work)
            except asyncio.CancelledError:
                halt.cancel()
                await asyncio.wait([work])
                raise
            finally:
                stream.lines.put_nowait(None)

    def _run_allowed(
        self, command: Sequence[str], errand: JobSpec, halt: CancelToken, put: Callable[[str], None]
    ) -> JobOutcome:
        # while it waited for its turn another task may have put a link in the folder's place
        if find_allowed(str(errand.folder), self.allowed) != errand.folder:
            return JobOutcome(error=self._word_refusal(str(errand.folder)), exit=2)
        return _run_task(command, errand, halt, put)

    def _continue_session(self, folder: Path, earlier: Sequence[Message]) -> list[str]:
        """Give the words that go on with the session of this conversation; one that is not there is made."""
        if not self.saves or not any(message.role == "user" for message in earlier):
            return []
        return ["resume", find_session(self.places, folder, earlier) or self._make_session(folder, earlier)]

    def _make_session(self, folder: Path, earlier: Sequence[Message]) -> str:
        """Make a session of what was said elsewhere; gives its id."""
        log = SessionLog.open(self.places.sessions, workspace=folder)
        for message in earlier:
            log.write_event(Requested(message.text) if message.role == "user" else Answered(message.text))
        log.close()
        return log.id

    def _resolve_folder(self, name: str) -> Path:
        """Give the real path of a folder that is allowed, the first one where none is named."""
        if not self.allowed:
            raise RefusedError(403, NO_FOLDER)
        if not name:
            return self.allowed[0]
        if folder := find_allowed(name, self.allowed):
            return folder
        raise RefusedError(403, self._word_refusal(name))

    def _word_refusal(self, folder: str) -> str:
        return NOT_ALLOWED.format(folder=folder, folders=", ".join(map(str, self.allowed)))


def find_allowed(name: str, allowed: Sequence[Path]) -> Path | None:
    """Give the real path of a folder, None where it is none or lies in none that is allowed."""
    real = resolve_folder(name)
    return real if real and any(real.is_relative_to(one) for one in allowed) else None


def find_session(places: AppDirs, folder: Path, earlier: Sequence[Message]) -> str:
    """Give the id of the newest session in a folder in which exactly this was said, "" where none is."""
    said = _list_texts((message.role, message.text) for message in earlier)
    first = next(message.text for message in earlier if message.role == "user")
    rows = [row for row in index.listed(places, folder) if row.title == title(first)]
    for row in rows[:LOOKED_AT]:
        try:
            records = logs.records(places, row.id).records
        except TripletickError:
            continue
        if _list_texts(_iter_said(records)) == said:
            return row.id
    return ""


def _iter_said(records: Iterable[Record]) -> Iterator[tuple[str, str]]:
    for record in records:
        match record:
            case {"event": "Requested", "text": str(text)}:
                yield "user", text
            case {"event": "Answered", "text": str(text)} | {"event": "GaveUp", "answer": str(text)}:
                yield "assistant", text


def _list_texts(said: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Give who said what, the answers without the quote that the client gets below them."""
    cleaned = ((role, text.strip() if role == "user" else _strip_quote(text)) for role, text in said)
    return [(role, text) for role, text in cleaned if text]


def _strip_quote(text: str) -> str:
    lines = text.strip().splitlines()
    while lines and lines[-1].startswith(">"):
        lines.pop()
    return "\n".join(lines).strip()


def _run_task(
    command: Sequence[str], errand: JobSpec, halt: CancelToken, put: Callable[[str], None]
) -> JobOutcome:
    def watch(record: Record) -> None:
        if line := format_progress(record):
            put(line)

    try:
        return run_job(command, errand, halt=halt, watch=watch)
    except Cancelled:
        return JobOutcome(exit=130)
    except OSError as error:
        return JobOutcome(error=str(error), exit=1)
