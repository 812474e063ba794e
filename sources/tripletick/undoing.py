"""Tells person and model that turns were undone, or brought back: what was read is another file now."""

from __future__ import annotations

from tripletick.checkpoint import Undone
from tripletick.events import Notice
from tripletick.loop import Loop, Turn

UNDONE = "The person undid your work on {requests}.\n{files}"
REDONE = "The person took the undo of {requests} back: your work is there again.\n{files}"


def tell(loop: Loop | None, words: str, done: Undone) -> Turn:
    """Tell the person, and the model where there is a conversation already."""
    yield Notice(done.text)
    files = {*done.restored, *done.removed}
    if loop and files:
        loop.bench.ledger.known.difference_update(files)
        requests = ", ".join(f"“{request}”" for request in done.requests)
        loop.replies.talk.say(words.format(requests=requests, files=done.text.partition("\n")[2]))
