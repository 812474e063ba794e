"""Times a running block: its seconds, without the user's answers and the snapshots."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator

from tripletick.events import Ask, Event, Output, Reply
from tripletick.messages import Result
from tripletick.sandbox.box import OutputEnds


def run_timed(
    running: Generator[Event, Reply, Result], printed: OutputEnds, aside: Callable[[], float]
) -> Generator[Event, Reply, tuple[Result, float]]:
    """Run a block to its end; `printed` gets its output, also where the user stops it.
    `aside`: seconds that are not the block's, counted from anywhere.
    """
    answer: Reply = None
    begun, waited = time.monotonic(), -aside()
    try:
        while True:
            event = running.send(answer)
            if isinstance(event, Output):
                printed.add(event.text.encode("utf-8", "replace"))
            shown = time.monotonic()
            answer = yield event
            waited += time.monotonic() - shown if isinstance(event, Ask) else 0.0
    except StopIteration as stop:
        result: Result = stop.value
        return result, max(0.0, time.monotonic() - begun - waited - aside())
    finally:
        running.close()
