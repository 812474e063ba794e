"""How the thread of a session speaks to the editor, whose connection lives in the event loop.

Whoever asks waits, and a halt of the session ends that. Once the editor is gone, what it is told is dropped.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from acp import schema
from acp.exceptions import RequestError
from acp.interfaces import Client

from tripletick.system.cancellation import CancelToken

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

    def send_update(self, update: Update) -> None:
        """Tell the editor something, in its turn; one that reads nothing holds nobody up who is to stop."""
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
