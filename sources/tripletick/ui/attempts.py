"""Words what a turn does about a failure: another attempt, or a fresh start."""

from __future__ import annotations

from collections.abc import Sequence

from tripletick.events import Doubted, FreshStart, Repairing
from tripletick.ui.sanitize import to_one_line

ATTEMPT = "{attempt} of {limit}: {error}"
ANEW = "starting over from the request"
BACK = "; restored: {paths}"
KEPT = "; not restored, because changed since: {paths}"
DOUBT = "unconfirmed: {reasons}; asking again"
NAMED = 5
"""Paths that are named before the rest is counted."""


def format_attempt(event: Repairing | Doubted | FreshStart) -> str:
    """Give one line."""
    if isinstance(event, Doubted):
        return DOUBT.format(reasons=to_one_line("; ".join(event.reasons)))
    if isinstance(event, Repairing):
        return ATTEMPT.format(attempt=event.attempt, limit=event.limit, error=to_one_line(event.error))
    rows = ((BACK, (*event.restored, *event.removed)), (KEPT, event.kept))
    return ANEW + "".join(words.format(paths=_format_paths(paths)) for words, paths in rows if paths)


def _format_paths(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return ", ".join(map(to_one_line, paths[:NAMED])) + more
