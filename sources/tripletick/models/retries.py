"""Requests a stream from a server, retrying while it is busy, and once if it failed.

A cut answer is not asked for again here: that is the loop's, which knows what was shown of it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tripletick.errors import ServerFailedError, TripletickError
from tripletick.models import EngineSettings
from tripletick.models.http import HttpReply

LONGEST = 120.0
"""Seconds that a server may ask to be left alone and is waited for; what asks for more is told."""
LONGEST_SAID = 300
GATEWAY = (502, 503, 504)
"""What a proxy says while the server behind it is not there, or is not there yet."""
BUSY = "The server is busy. Trying again in {seconds:g} s ({number} of {of})."
ABSENT = "The server does not respond (status {status}). Trying again in {seconds:g} s ({number} of {of})."
FAILED_ONCE = "The server failed ({told}). Trying again."
LEFT_ALONE = "The server is rate-limiting requests. Trying again in {seconds:g} s, as it asked."


@dataclass(slots=True)
class RequestRetries:
    """The tries of one request; `refused` words what is no stream, from the reply and its body."""

    settings: EngineSettings
    refused: Callable[[HttpReply, bytes], TripletickError]
    said: Callable[[bytes], str]
    """Takes the server's words out of a body."""
    busy: list[float] = field(default_factory=list)
    asked_once: set[int] = field(default_factory=set)

    def request_stream(self, send: Callable[[], HttpReply]) -> HttpReply:
        """Give the first reply that is a stream. Raises what `refused` gives."""
        self.busy = list(self.settings.busy_waits)
        while True:
            reply = send()
            if reply.status == 200 and reply.kind != "text/html":
                return reply
            with closing(reply):
                body = reply.read_body()
            error = self.refused(reply, body)
            wait = self._plan_wait(reply, self.said(body)) if isinstance(error, ServerFailedError) else None
            if wait is None:
                raise error
            seconds, words = wait
            self.settings.notice(words)
            self.settings.halt.wait(seconds)

    def request_answer(self, send: Callable[[], HttpReply]) -> tuple[HttpReply, bytes]:
        """Give a short answer with its body, whatever it says, unless it is a proxy's that passes."""
        self.busy = list(self.settings.busy_waits)
        while True:
            with closing(send()) as reply:
                body = reply.read_body()
            if reply.status not in GATEWAY or not self.busy:
                return reply, body
            seconds, words = self._next_wait(reply.status)
            self.settings.notice(words)
            self.settings.halt.wait(seconds)

    def _plan_wait(self, reply: HttpReply, told: str) -> tuple[float, str] | None:
        """Say how long to wait and why, None where it is not worth another try."""
        asked = parse_retry_after(reply.retry_after) if reply.status == 429 else None
        if reply.status == 500 or asked is not None:
            first = reply.status not in self.asked_once and (asked or 0.0) <= LONGEST
            self.asked_once.add(reply.status)
            said = " ".join(told.split())[:LONGEST_SAID] or f"status {reply.status}"
            words = FAILED_ONCE.format(told=said) if asked is None else LEFT_ALONE.format(seconds=asked)
            return (asked or 0.0, words) if first else None
        return self._next_wait(reply.status) if reply.status in (429, *GATEWAY) and self.busy else None

    def _next_wait(self, status: int) -> tuple[float, str]:
        of, seconds = len(self.settings.busy_waits), self.busy.pop(0)
        words = BUSY if status in (429, 503) else ABSENT
        return seconds, words.format(status=status, seconds=seconds, number=of - len(self.busy), of=of)


def parse_retry_after(retry_after: str) -> float | None:
    """Read a Retry-After, which is seconds or a date (RFC 9110, 10.2.3); None where it is neither."""
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return None
    now = datetime.now(UTC)
    return max(
        0.0, round((until if until.tzinfo else until.replace(tzinfo=UTC)).timestamp() - now.timestamp())
    )
