"""Words how room was made in a conversation: how much there is now, and what was dropped for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tripletick.events import Compacted, Doubted, FreshStart, Repairing
from tripletick.ui.sanitize import to_one_line
from tripletick.ui.status_line import format_thousands

NEEDS = (
    "The conversation needs {before} tokens, but the model's context is {context}. Compacted to {after}; "
    "continuing."
)
WAS = "The conversation was compacted from {before} tokens to {after}."
OUTPUTS = "Dropped: the outputs of {outputs} old messages."
SUMMED = "Summary replacing {messages} old messages:"
WITHOUT = "Dropped without a summary, because the model gave no usable one: {messages} old messages."

ATTEMPT = "{attempt} of {limit}: {error}"
ANEW = "starting over from the request"
BACK = "; restored: {paths}"
KEPT = "; not restored, because changed since: {paths}"
DOUBT = "in doubt: {reasons}; asking again"
NAMED = 5
"""Paths that are named before the rest is counted."""


def format_compaction(event: Compacted) -> Iterator[str]:
    """Say what the model no longer has, and what stands for it."""
    tokens = {"before": format_thousands(event.before), "after": format_thousands(event.after)}
    yield (NEEDS if event.context else WAS).format(context=format_thousands(event.context), **tokens)
    if event.outputs:
        yield OUTPUTS.format(outputs=event.outputs)
    if event.messages:
        yield (SUMMED if event.summary else WITHOUT).format(messages=event.messages)
        yield from (f"  {line}" for line in event.summary.splitlines() if line.strip())


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
