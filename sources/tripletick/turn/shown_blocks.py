"""The block that a model is shown because it does what its last one should have done, and how that is read
back: one that a reply leaves out is run.
"""

from __future__ import annotations

import re

from tripletick.dialects.fence.feedback import wrap_in_fence
from tripletick.messages import Call
from tripletick.system.lazy_regex import lazy_regex
from tripletick.turn.attempts import Results

MENDS = "This block puts that right:\n{block}"
_PLACE_HOLDER = lazy_regex(r"\b(?:FOLDER|FILE|NAME|OLD|NEW)\b")
_MENDING = lazy_regex(
    rf"(?s)(?:.*\n)?{re.escape(MENDS.partition('{')[0])}(?P<fence>`{{3,}})(?P<tag>\w+)(?::(?P<path>[^\n]+))?\n"
    r"(?P<body>.*?)\n(?P=fence)"
)
"""The last block of what is shown, at its end: before it stand files, which may say the same."""


def show_mending(text: str, info: str) -> str:
    """Show the block that puts right what was told, "" without one."""
    return MENDS.format(block=wrap_in_fence(text.rstrip(), info)) if text else ""


def read_way(results: Results) -> str:
    """Give the command with which the result of the last block says how it is done, "" where it has none, or
    one with a place to be filled in.
    """
    way = results[-1][1].way if results else ""
    return "" if _PLACE_HOLDER.search(way) else way


def read_mending(shown: str, *, repairs: bool) -> Call | None:
    """Read the block that `show_mending` shows; that of a program only where one is to be repaired: what
    makes the example of a new one hold may be chance.
    """
    found = _MENDING.fullmatch(shown)
    return (
        Call(found["tag"], found["body"], found["path"]) if found and (repairs or not found["path"]) else None
    )
