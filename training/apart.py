"""What tests the model and so may not be in its training: the requests of the bench and of the sets here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from training.script import Ask, Script
from training.stage import OffScriptError
from tripletick.bench import humaneval, suites
from tripletick.bench.task import DIALOGUES, SHIPPED, load_tasks
from tripletick.system import dirs

HERE = Path(__file__).parent
TESTED = "a test asks that"
SETS = (
    *("held", "stranger", "second", "unseen", "fresh"),
    *("outside", "people", "visitors", "neighbours", "lodgers"),
    *("boarders", "callers", "tenants", "subtenants", "market"),
    *("village", "cottage", "harbour", "terrace", "parish", "abbey", "orchard"),
    *("quarry", "mill", "chapel"),
)


def is_apart(request: str) -> bool:
    """Tell whether no test asks this."""
    return _normalize_request(request) not in requests()


def keep_apart(script: Script) -> Script:
    """Play a script as it is, but for one that asks what a test asks: that raises OffScriptError."""
    line = next(script)
    with suppress(StopIteration):
        while True:
            if isinstance(line, Ask) and not is_apart(line.text):
                raise OffScriptError(TESTED)
            line = script.send((yield line))


@cache
def requests() -> frozenset[str]:
    """Read all requests that test it, as `_normalize_request` gives them."""
    return frozenset(map(_normalize_request, _iter_requests()))


def _iter_requests() -> Iterator[str]:
    for folder in (SHIPPED, DIALOGUES, *(HERE / name for name in SETS)):
        for task in load_tasks(folder):
            yield from (*task.requests, *task.further)
    yield from (trial.request for trial in suites.make_trials("free"))
    cache = dirs.find_dirs().cache
    if humaneval.get_cache_path(cache).exists():
        yield from (one for task in suites.load_suite(humaneval.NAME) for one in task.requests)


def _normalize_request(request: str) -> str:
    """Give the letters and digits of a request; how it is punctuated makes no other of it."""
    return re.sub(r"[\W_]+", "", request.casefold())
