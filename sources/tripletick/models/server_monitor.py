"""Tells from the counts of two replies what the server did not say: messages dropped, a model reloaded."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from tripletick.messages import Counts, Message

RELOAD_SECONDS = 1.0
"""A model that is loaded tells 0.04 to 0.09 s."""
RECENTLY = 300.0
DROPPED = "The server silently dropped old messages. Update Ollama (0.12.4 or newer)."
RELOADED = "The model was reloaded ({seconds:.1f} s) because another program uses it with other settings."


class ServerMonitor:
    """The last reply of one engine, to compare the next one with."""

    def __init__(self, notice: Callable[[str], None], dropped: str = DROPPED) -> None:
        self._notice, self._dropped = notice, dropped
        self._before: tuple[Message, ...] = ()
        self._tokens = 0
        self._at = float("-inf")

    def compare_reply(self, messages: Sequence[Message], counts: Counts) -> None:
        """Compare with the reply before; a smaller count for a longer prompt means dropped messages."""
        if counts.prompt and counts.prompt < self._tokens and _is_continuation(self._before, messages):
            self._notice(self._dropped)
        now = time.monotonic()
        if counts.load_seconds >= RELOAD_SECONDS and now - self._at < RECENTLY:
            self._notice(RELOADED.format(seconds=counts.load_seconds))
        self._before, self._tokens, self._at = tuple(messages), counts.prompt, now


def _is_continuation(before: Sequence[Message], now: Sequence[Message]) -> bool:
    """True where nothing was taken away: messages were added, or the last one was extended."""
    if not before or len(now) < len(before):
        return False
    last, same = len(before) - 1, now[len(before) - 1]
    kept = tuple(now[:last]) == tuple(before[:last]) and same.role == before[last].role
    return kept and same.text.startswith(before[last].text)
