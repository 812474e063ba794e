"""How the thread of a session speaks to the editor, whose connection lives in the event loop.

Whoever asks waits, and a halt of the session ends that. Once the editor is gone, what it is told is dropped.
What it shows has no secret that is known, as on a terminal; files that it reads and writes for us stay whole.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from acp import helpers, schema
from acp.exceptions import RequestError
from acp.interfaces import Client

from tripletick.system.cancellation import CancelToken
from tripletick.system.redaction import KNOWN, Stream

T = TypeVar("T")
GONE = (ConnectionError, RuntimeError, RequestError, ValueError)
"""What an answer that does not come, or is none, raises; pydantic's are ValueErrors."""
SLICE = 1.0
"""Seconds after which it is looked whether an update is still to be waited for."""
Update = (
    schema.UserMessageChunk
    | schema.AgentMessageChunk
    | schema.AgentThoughtChunk
    | schema.ToolCallStart
    | schema.ToolCallProgress
    | schema.AgentPlanUpdate
    | schema.AvailableCommandsUpdate
    | schema.CurrentModeUpdate
    | schema.ConfigOptionUpdate
    | schema.SessionInfoUpdate
    | schema.UsageUpdate
)


M = TypeVar("M", bound=Update | schema.ToolCallUpdate)
Chunk = schema.AgentMessageChunk | schema.AgentThoughtChunk
MAKES: dict[type[Chunk], Callable[[str], Chunk]] = {
    schema.AgentMessageChunk: helpers.update_agent_message_text,
    schema.AgentThoughtChunk: helpers.update_agent_thought_text,
}


def redact_update(update: M) -> M:
    """Give what is told without the secrets that are known."""
    text = update.model_dump_json(by_alias=True, exclude_none=True)
    redacted = KNOWN.redact(text)
    return update if redacted == text else cast("M", type(update).model_validate_json(redacted))


@dataclass(frozen=True, slots=True)
class Wire:
    """One session's way to the editor; `halt` gives the token of the thread that is at work."""

    client: Client
    able: schema.ClientCapabilities
    """What the editor can do."""
    loop: asyncio.AbstractEventLoop
    session: str
    halt: Callable[[], CancelToken]
    over: threading.Event
    """Set once the editor is gone."""
    texts: dict[type[Chunk], Stream] = field(default_factory=dict)
    """What came of the text that is told in pieces."""

    def send_update(self, update: Update) -> None:
        """Tell the editor something, in its turn; one that reads nothing holds nobody up who is to stop."""
        if isinstance(update, Chunk) and isinstance(update.content, schema.TextContentBlock):
            kind = type(update)
            self.send_held_text(but=kind)
            text = self.texts.setdefault(kind, Stream()).feed(update.content.text)
            if text:
                self._send(MAKES[kind](text))
        else:
            self.send_held_text()
            self._send(redact_update(update))

    def send_held_text(self, but: type[Chunk] | None = None) -> None:
        """Tell what was held back because a secret may begin with it."""
        for kind in [kind for kind in self.texts if kind is not but]:
            if text := self.texts.pop(kind).close():
                self._send(MAKES[kind](text))

    def _send(self, update: Update) -> None:
        with suppress(*GONE):
            future = self._start(self.client.session_update(self.session, update))
            while not concurrent.futures.wait([future], SLICE).done:
                if self.over.is_set() or self.halt().due:
                    future.cancel()

    def wait_for(self, coroutine: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
        """Run it in the event loop to its end. Raises Cancelled, TimeoutError, and what it raises."""
        future = self._start(coroutine)
        with self.halt().on_cancel(future.cancel):
            concurrent.futures.wait([future], seconds)
        if not future.done():
            future.cancel()
            raise TimeoutError
        if future.cancelled():
            raise ConnectionError("the editor is gone")
        return future.result()

    def _start(self, coroutine: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        try:
            if self.over.is_set():
                raise ConnectionError("the editor is gone")
            return asyncio.run_coroutine_threadsafe(coroutine, self.loop)
        except (ConnectionError, RuntimeError):
            coroutine.close()
            raise
