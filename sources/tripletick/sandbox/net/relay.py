"""Copies between two connections until both directions have ended, or nothing moves any more."""

from __future__ import annotations

import asyncio
import select

Link = tuple[asyncio.StreamReader, asyncio.StreamWriter]
PIECE = 64 << 10


def is_gone(writer: asyncio.StreamWriter) -> bool:
    """Tell whether the other end has closed altogether, which reads like one that only sends no more."""
    handle = writer.get_extra_info("socket").fileno()
    if handle < 0:
        return True
    poll = select.poll()
    poll.register(handle, 0)
    return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))


class Relay:
    """Two directions that share a clock: silence counts when neither moves."""

    def __init__(self, near: Link, far: Link) -> None:
        self._near, self._far = near, far
        for _, writer in (near, far):
            # What is drained is with the kernel then: who closes after it loses nothing.
            writer.transport.set_write_buffer_limits(0)
        self._last = 0.0

    async def run(self, idle: float, linger: float) -> None:
        """Copy; end after `idle` seconds of silence, `linger` once one side has ended."""
        loop = asyncio.get_running_loop()
        self._last = loop.time()
        up = loop.create_task(self._copy(self._near[0], self._far[1]))
        down = loop.create_task(self._copy(self._far[0], self._near[1]))
        pending = {up, down}
        try:
            while pending and not self._is_over(down):
                left = self._last + (idle if len(pending) == 2 else linger) - loop.time()
                if left <= 0:
                    break
                _, pending = await asyncio.wait(pending, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        finally:
            up.cancel()
            down.cancel()
            await asyncio.gather(up, down, return_exceptions=True)

    def _is_over(self, down: asyncio.Task[None]) -> bool:
        """Tell whether nobody is left to read the answer; one who only refuses to read may still answer."""
        failed = down.done() and not down.cancelled() and down.exception()
        return bool(failed) or is_gone(self._near[1])

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        clock = asyncio.get_running_loop()
        while piece := await reader.read(PIECE):
            self._last = clock.time()
            writer.write(piece)
            await writer.drain()
        self._last = clock.time()
        if writer.can_write_eof():
            writer.write_eof()
