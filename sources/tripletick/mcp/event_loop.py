"""An event loop in a thread of its own: the SDK is asynchronous, the rest of tripletick is not."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from tripletick.mcp.values import McpServerError
from tripletick.system.cancellation import CancelToken

T = TypeVar("T")
LONGEST = 300
ERROR = "speaking to it gave an error"


class EventLoopThread:
    """Begins at its first use."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run_coroutine(self, coroutine: Coroutine[Any, Any, T], seconds: float, halt: CancelToken) -> T:
        """Run it to its end. Raises TimeoutError, Cancelled, and McpServerError for whatever it raised."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._ensure_loop())
        try:
            with halt.on_cancel(future.cancel):
                concurrent.futures.wait([future], seconds)
        finally:
            late = future.cancel()
        if late:
            raise TimeoutError
        if wrong := future.exception():
            raise McpServerError(ERROR, _format_error(wrong)) from wrong
        return future.result()

    def finish_within(self, coroutine: Coroutine[Any, Any, object], seconds: float) -> None:
        """Give it this time to end by itself."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._ensure_loop())
        concurrent.futures.wait([future], seconds)

    def close(self) -> None:
        """End the thread; what still runs in it is cancelled."""
        if self._loop and self._thread:
            asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
        self._loop = self._thread = None

    def _ensure_loop(self) -> asyncio.AbstractEventLoop:
        with self._guard:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="mcp", daemon=True)
                self._thread.start()
            return self._loop


async def _cancel_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=1)


def _format_error(wrong: BaseException) -> str:
    """Word an error in one line: of several the first."""
    while isinstance(wrong, BaseExceptionGroup):
        wrong = wrong.exceptions[0]
    words = " ".join(str(wrong).split()) or type(wrong).__name__
    return words[:LONGEST]
