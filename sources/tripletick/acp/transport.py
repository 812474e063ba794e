"""JSON-RPC over the standard streams: one message a line, and nothing else is ever written there.

The streams are taken away from the rest of the program: what is printed goes to stderr, what a child reads is
empty. Two threads read and write, for a pipe, a file and a socket alike. Not covered: what messages mean.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from acp.exceptions import RequestError

from tripletick.system.lazy_regex import lazy_regex

Message = dict[str, Any]

LONGEST = 16 << 20
"""Bytes of one message: a picture of the largest size, as base64, with a request."""
HEAD = 400
"""Bytes of a message that is too long, which are kept to know what it asks for."""
PATIENCE = 2.0
"""Seconds for the last that is written."""
WAITING = 64
"""Messages that are read ahead."""
TOO_LONG = f"A message may have at most {LONGEST >> 20} MiB."
CUT = "The message is not complete JSON."
NO_MESSAGE = "This is no message of JSON-RPC."
_ID = lazy_regex(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,18}|"[^"\\]{0,100}")\s*,')
"""The id of a request that names it first."""


class StdioTransport:
    """The editor's end of the standard streams. `receive` gives None once it has hung up."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._inbox: asyncio.Queue[Message | RequestError | None] = asyncio.Queue(WAITING)
        self._outbox: SimpleQueue[tuple[bytes, Future[None]]] = SimpleQueue()
        self._over = False
        self.broken = False
        """Whether the editor no longer reads."""
        self._input, self._output = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        for work in (self._read_lines, self._write_lines):
            threading.Thread(target=work, name="acp", daemon=True).start()

    async def receive(self) -> Message | None:
        """Give the next message; what is none is answered with the error of the protocol."""
        while not self._over:
            message = await self._inbox.get()
            if isinstance(message, RequestError):
                self._put_message({"jsonrpc": "2.0", "id": message.data, "error": _describe_error(message)})
                continue
            if message is None:
                # what came before is begun, and what can be answered at once is
                await asyncio.sleep(0)
            return message
        return None

    async def send(self, message: Message) -> None:
        """Write a message. Raises ConnectionError where nobody reads it."""
        await asyncio.wrap_future(self._put_message(message))

    async def close(self) -> None:
        """Stop, once all is written or nobody reads; the threads end with the program."""
        self.hang_up()
        with suppress(ConnectionError, TimeoutError):
            await asyncio.wait_for(asyncio.wrap_future(self._put_line(b"")), PATIENCE)

    def _put_message(self, message: Message) -> Future[None]:
        return self._put_line(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def _put_line(self, line: bytes) -> Future[None]:
        written: Future[None] = Future()
        # who no longer waits for it takes back nothing
        written.set_running_or_notify_cancel()
        self._outbox.put((line, written))
        return written

    def hang_up(self) -> None:
        """Have `receive` give None, also from another thread."""
        self._over = True
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._wake_reader)

    def _wake_reader(self) -> None:
        with suppress(asyncio.QueueFull):
            self._inbox.put_nowait(None)

    def _read_lines(self) -> None:
        """Cut what comes into lines; of one that is too long only the head is kept."""
        line, long = bytearray(), False
        try:
            while chunk := os.read(self._input, 1 << 16):
                *ends, rest = chunk.split(b"\n")
                for end in ends:
                    line += end
                    self._deliver(bytes(line), long=long or len(line) > LONGEST)
                    line, long = bytearray(), False
                line += rest
                if len(line) > LONGEST or long:
                    del line[HEAD:]
                    long = True
            if line:
                self._deliver(bytes(line), long=long)
            self._deliver_next(None)
        except (OSError, RuntimeError):
            self.hang_up()

    def _deliver(self, line: bytes, *, long: bool) -> None:
        """Hand a line over, once there is room."""
        message = RequestError(-32600, TOO_LONG, _find_id(line)) if long else parse_message(line)
        if message is not None:
            self._deliver_next(message)

    def _deliver_next(self, message: Message | RequestError | None) -> None:
        asyncio.run_coroutine_threadsafe(self._inbox.put(message), self._loop).result()

    def _write_lines(self) -> None:
        while True:
            line, written = self._outbox.get()
            try:
                left = memoryview(line)
                while left and not self.broken:
                    left = left[os.write(self._output, left) :]
            except OSError:
                self.broken = True
                self.hang_up()
            if self.broken:
                written.set_exception(ConnectionError("the editor is gone"))
            else:
                written.set_result(None)


def parse_message(line: bytes) -> Message | RequestError | None:
    """Read a line: a message, or what is wrong with it, with its id; None where nothing is to be answered."""
    if not line.strip():
        return None
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return RequestError(-32700, CUT)
    if not isinstance(message, dict):
        return RequestError(-32600, NO_MESSAGE)
    name = message.get("id")
    known = name is None or (isinstance(name, int | str) and not isinstance(name, bool))
    if isinstance(message.get("method"), str) and known:
        return message
    if "method" not in message and known and isinstance(message.get("error", {}), dict | None):
        # an answer; to one that nobody waits for there is nothing to say
        return message if isinstance(name, int) else None
    return RequestError(-32600, NO_MESSAGE, name if known else None)


def _find_id(head: bytes) -> int | str | None:
    found = _ID.match(head)
    with suppress(ValueError):
        return json.loads(found[1]) if found else None
    return None


def _describe_error(error: RequestError) -> Message:
    return {"code": error.code, "message": str(error)}
