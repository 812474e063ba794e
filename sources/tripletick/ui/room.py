"""Words how room was made in a conversation: how much there is now, and what was dropped for it."""

from __future__ import annotations

from collections.abc import Iterator

from tripletick.events import Compacted
from tripletick.ui.status_line import format_thousands

NEEDS = (
    "The conversation needs {before} tokens, but the model's context is {context}. Compacted to {after}; "
    "continuing."
)
WAS = "The conversation was compacted from {before} tokens to {after}."
OUTPUTS = "Dropped: the outputs of {outputs} old messages."
SUMMED = "Summary replacing {messages} old messages:"
WITHOUT = "Dropped without a summary, because the model gave no usable one: {messages} old messages."


def format_compaction(event: Compacted) -> Iterator[str]:
    """Say what the model no longer has, and what stands for it."""
    tokens = {"before": format_thousands(event.before), "after": format_thousands(event.after)}
    yield (NEEDS if event.context else WAS).format(context=format_thousands(event.context), **tokens)
    if event.outputs:
        yield OUTPUTS.format(outputs=event.outputs)
    if event.messages:
        yield (SUMMED if event.summary else WITHOUT).format(messages=event.messages)
        yield from (f"  {line}" for line in event.summary.splitlines() if line.strip())
