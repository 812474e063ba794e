"""Words what the model is told of its reply: whole, and as it reads without outputs where room is short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from tripletick import attachments, repair
from tripletick.context import Conversation
from tripletick.dialects.dialect import Dialect
from tripletick.messages import Message, Problem, Result
from tripletick.repair import Results, Tries
from tripletick.tools.tool import Bench, Tool

DROPPED = "(output dropped to save room)"
WORTH_DROPPING = 200
"""Characters; a shorter output is not worth breaking the engine's cache for."""


def word(
    dialect: Dialect,
    tools: Mapping[str, Tool],
    tries: Tries,
    results: Results,
    problems: Sequence[Problem],
) -> tuple[Message, Message | None]:
    """Give the message, and as it reads once room is needed (None: the same)."""
    failed = [result.tool for _, result in results if result.outcome == "failed"]
    tag = next((tag for tag in (*failed, *(problem.tag for problem in problems)) if tag), "")
    example = tools[tag].example if tries.trial.teach and tag in tools else None
    hint = repair.hint(tries, results)
    say = partial(dialect.feedback, problems=problems, hint=hint, example=example)
    shorter = [(call, _shortened(result)) for call, result in results]
    return say(results), say(shorter) if shorter != list(results) else None


def close(talk: Conversation, bench: Bench, results: Results, changed: str, *, failed: bool) -> str:
    """Say what has `changed`, again what was asked, and what to do now: a small model forgets it, and undoes
    its own work. The program in which a failure lies goes along.
    """
    wrong = [result for _, result in results if result.outcome == "failed"] if bench.trial.files else []
    if talk.templates.mend and wrong and (lies := attachments.failed(wrong[0], bench)):
        bench.ledger.wanted = lies.path
        said = [lies.text, talk.closing("mend", tag=lies.tag, path=lies.path)]
    else:
        asked = bench.ledger.asked
        same = any("unchanged" in result.flags and call.path == asked for call, result in results[-1:])
        name = "unread" if not results else "failed" if failed else "same" if same else "done"
        said = [talk.closing(name)]
    return "\n\n".join(filter(None, (changed, *said)))


def _shortened(result: Result) -> Result:
    return replace(result, text=DROPPED) if len(result.text) > WORTH_DROPPING else result
