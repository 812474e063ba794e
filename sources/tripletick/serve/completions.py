"""Answers in the form of OpenAI's chat completions: one object, or a stream of server-sent events.

Plain models write the reply; an agent's progress is told as reasoning, and what it says at its end is the
reply, with the receipt of what it changed.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from tripletick.errors import (
    ContextFullError,
    ModelError,
    ServerUnreachableError,
    TripletickError,
    UsageError,
)
from tripletick.event_log.session_log import clean_text
from tripletick.messages import Chunk, Counts
from tripletick.serve.agent_tasks import PREFIX, AgentTasks
from tripletick.serve.completion_request import CompletionRequest, parse_request
from tripletick.serve.engines import Engines, ReplyStream
from tripletick.serve.guard import RefusedError, make_error, make_json
from tripletick.system.job import JobOutcome
from tripletick.system.redaction import KNOWN

PING = 15.0
"""Seconds without a piece after which a comment shows that the request is still at work, or waits."""
STATUSES: dict[type[TripletickError], int] = {
    ContextFullError: 400,
    UsageError: 400,
    ModelError: 404,
    ServerUnreachableError: 502,
}
"""Every other error is 500."""
CODES = {ContextFullError: "context_length_exceeded", ModelError: "model_not_found"}
UNFINISHED = {2: 400, 4: 502, 5: 404, 6: 400, 7: 502}
"""HTTP statuses by the exit code of a task that did not begin, or broke off."""

Piece = dict[str, Any]


@dataclass(slots=True)
class Reply:
    """What came of a request, filled piece by piece."""

    model: str
    id: str = field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(12)}")
    created: int = field(default_factory=lambda: int(datetime.now(UTC).timestamp()))
    text: str = ""
    thought: str = ""
    calls: list[Piece] = field(default_factory=list)
    finish: str = "stop"
    counts: Counts = field(default_factory=Counts)
    extra: Piece = field(default_factory=dict)
    """What is not of the protocol, under the name `tripletick`."""

    def add_chunk(self, chunk: Chunk) -> Piece | None:
        """Take a chunk of a model; gives it as the delta of a stream, None for one that tells nothing."""
        calls = [
            {"index": number, "id": call.id or f"call_{secrets.token_hex(8)}", "type": "function"}
            | {"function": {"name": call.name, "arguments": call.arguments}}
            for number, call in enumerate(chunk.calls, len(self.calls))
        ]
        self.text += chunk.text
        self.thought += chunk.thought
        self.calls += calls
        self.counts = chunk.counts or self.counts
        if chunk.finish:
            self.finish = "tool_calls" if self.calls else chunk.finish
        told = {"content": chunk.text, "reasoning_content": chunk.thought, "tool_calls": calls}
        return {name: value for name, value in told.items() if value} or None

    def to_object(self) -> Piece:
        """Give the whole answer."""
        message: Piece = {"role": "assistant", "content": self.text}
        if self.thought:
            message["reasoning_content"] = self.thought
        if self.calls:
            calls = [{name: value for name, value in call.items() if name != "index"} for call in self.calls]
            message |= {"content": self.text or None, "tool_calls": calls}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        return self._make_head("chat.completion") | {"choices": [choice], "usage": self._make_usage()}

    def to_piece(self, delta: Piece, finish: str | None = None) -> Piece:
        """Give a piece of a stream."""
        return self._make_head("chat.completion.chunk") | {
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]
        }

    def to_usage_piece(self) -> Piece:
        return self._make_head("chat.completion.chunk") | {"choices": [], "usage": self._make_usage()}

    def _make_head(self, kind: str) -> Piece:
        own = {"tripletick": self.extra} if self.extra else {}
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model, **own}

    def _make_usage(self) -> Piece:
        prompt, output = self.counts.prompt, self.counts.output
        usage: Piece = {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}
        if self.counts.cached is not None:
            usage["prompt_tokens_details"] = {"cached_tokens": self.counts.cached}
        return usage


@dataclass(frozen=True, slots=True)
class Completions:
    """Answers requests with a model, or with an agent."""

    engines: Engines
    tasks: AgentTasks

    async def answer_request(self, request: Request) -> Response:
        """Answer one. Raises RefusedError."""
        asked = parse_request(await request.body())
        reply = Reply(asked.model)
        if asked.model.startswith(PREFIX):
            deltas = self._run_agent(asked, self._check_task(asked), reply)
        else:
            # a model that is not there is an HTTP status, not the end of a stream
            pool = await self.engines.find_pool(asked.model)
            sampling = asked.make_sampling(self.engines.make_sampling())
            deltas = _read_model(pool.start_reply(asked.messages, sampling), reply)
        if asked.stream:
            return StreamingResponse(_stream_events(deltas, reply, asked), media_type="text/event-stream")
        async with aclosing(deltas):
            await _finish_while_connected(deltas, request)
        return make_json(reply.to_object())

    def _check_task(self, asked: CompletionRequest) -> Path:
        """Give the folder of a task. Raises RefusedError."""
        folder = asked.fields.get("folder", "")
        if not isinstance(folder, str):
            raise RefusedError(400, "`folder` must be a path.")
        return self.tasks.check_request(asked.model.removeprefix(PREFIX), asked.messages, folder)

    async def _run_agent(
        self, asked: CompletionRequest, folder: Path, reply: Reply
    ) -> AsyncGenerator[Piece, None]:
        """Yield a task's progress, then its answer. Raises RefusedError."""
        agent = asked.model.removeprefix(PREFIX)
        async with self.tasks.open_task(agent, asked.messages, folder) as task:
            async for line in task.read():
                delta = reply.add_chunk(Chunk(thought=KNOWN.redact(clean_text(f"{line}\n"))))
                if delta:
                    yield delta
        outcome = task.outcome
        if outcome.exit in UNFINISHED and not outcome.answer:
            raise RefusedError(UNFINISHED[outcome.exit], outcome.error)
        reply.extra = {"outcome": outcome.status, "files": list(outcome.files.values())}
        counts = Counts(outcome.prompt, outcome.output, outcome.cached)
        text = KNOWN.redact(clean_text(word_outcome(outcome)))
        delta = reply.add_chunk(Chunk(text=text, finish="stop", counts=counts))
        if delta:
            yield delta


def word_outcome(outcome: JobOutcome) -> str:
    """Word what came of a task: the answer, and as a quote what holds against it, and what was changed."""
    notes = [outcome.error, *(f"{file['path']} {file['action']}" for file in outcome.files.values())]
    quoted = "\n".join(f"> {line}" for note in notes if note for line in note.splitlines())
    return "\n\n".join(filter(None, (outcome.answer, quoted)))


def make_failure(error: TripletickError | RefusedError) -> Response:
    """Give the answer to a request that failed."""
    if isinstance(error, RefusedError):
        return make_error(error.status, str(error))
    status = next((number for kind, number in STATUSES.items() if isinstance(error, kind)), 500)
    code = next((word for kind, word in CODES.items() if isinstance(error, kind)), error.code)
    return make_error(status, KNOWN.redact(clean_text(str(error))), code)


async def _read_model(stream: ReplyStream, reply: Reply) -> AsyncGenerator[Piece, None]:
    """Yield what a model writes. Raises TripletickError."""
    try:
        async for chunk in stream.read():
            if delta := reply.add_chunk(chunk):
                yield delta
    finally:
        await stream.close()


async def _finish_while_connected(deltas: AsyncIterator[Piece], request: Request) -> None:
    """Read to the end, unless the client goes. Raises what the reply raises."""

    async def read_all() -> None:
        async for _ in deltas:
            pass

    reading, gone = asyncio.create_task(read_all()), asyncio.create_task(_wait_for_disconnect(request))
    try:
        await asyncio.wait([reading, gone], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (reading, gone):
            task.cancel()
        await asyncio.wait([reading, gone])
    if not reading.cancelled():
        reading.result()


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _stream_events(
    deltas: AsyncGenerator[Piece, None], reply: Reply, asked: CompletionRequest
) -> AsyncIterator[str]:
    """Yield server-sent events; an error is one of them, since the status is sent already."""
    yield _format_event(reply.to_piece({"role": "assistant", "content": ""}))
    async with aclosing(deltas):
        try:
            async for delta in _with_pings(deltas):
                yield _format_event(reply.to_piece(delta)) if delta else ": at work\n\n"
        except (TripletickError, RefusedError) as error:
            yield f"data: {bytes(make_failure(error).body).decode()}\n\n"
            yield "data: [DONE]\n\n"
            return
    yield _format_event(reply.to_piece({}, reply.finish))
    if asked.reports_usage:
        yield _format_event(reply.to_usage_piece())
    yield "data: [DONE]\n\n"


async def _with_pings(deltas: AsyncIterator[Piece]) -> AsyncIterator[Piece | None]:
    """Yield each delta, and None when nothing has come for a while."""
    coming: asyncio.Future[Piece] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(deltas))
            done, _ = await asyncio.wait([coming], timeout=PING)
            if not done:
                yield None
                continue
            try:
                delta = coming.result()
            except StopAsyncIteration:
                return
            finally:
                coming = None
            yield delta
    finally:
        if coming:
            coming.cancel()
            await asyncio.wait([coming])


def _format_event(piece: Piece) -> str:
    return f"data: {json.dumps(piece, separators=(',', ':'))}\n\n"
