"""When a turn ends without an answer, and with what words.

The endings are rows; the first that is due counts. Not covered: what they look at (attempts), what the model
is asked before it ends (loop).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from tripletick.events import Answered, GaveUp
from tripletick.messages import FileChange, Receipt
from tripletick.system.text import format_count, join_names
from tripletick.turn.attempts import Attempts

SAME_RESULTS = 3
WORN_OUT = frozenset({"attempts", "repeat", "steps"})
"""Endings before which the model is asked for what is known."""
GAVE_UP = "Gave up: {why}."
UNDO = "Changed: {paths}. To restore the files: tripletick undo"
UNCHANGED = "No files were changed; tripletick undo undoes the last turn that changed any."
NAMED = 5
"""Paths that a hint names before it counts the rest."""

Ending = tuple[Callable[[Attempts], bool], Callable[[Attempts], GaveUp]]
ENDINGS: tuple[Ending, ...] = (
    (
        lambda tries: tries.failures >= tries.limit,
        lambda tries: _make_gave_up(
            "attempts", f"{format_count(tries.failures, 'failure')} in a row, the last: {tries.error}"
        ),
    ),
    (
        lambda tries: tries.failed_checks >= tries.max_attempts,
        lambda tries: _make_gave_up(
            "check", f"{format_count(tries.failed_checks, 'failed check')}, the last: {tries.error}"
        ),
    ),
    (
        lambda tries: any(count > 1 for count in tries.refusals.values()),
        lambda tries: _make_gave_up(
            "refused", f"{_find_most_common(tries.refusals)}, twice", 3 if tries.alone else 1
        ),
    ),
    (
        lambda tries: (
            any(count >= SAME_RESULTS for count in tries.results.values()) and not tries.needs_restart
        ),
        lambda tries: _make_gave_up("repeat", f"the same block gave the same result {SAME_RESULTS} times"),
    ),
    (
        lambda tries: tries.again and tries.unread == "repeated",
        lambda tries: _make_gave_up("repeat", "the model wrote the same again and again, twice"),
    ),
    (
        lambda tries: tries.silent > tries.trial.nudge,
        lambda tries: _make_gave_up(
            "silent", "the model answered with nothing" + ", twice" * (tries.silent > 1)
        ),
    ),
    (
        lambda tries: tries.steps >= tries.max_steps,
        lambda tries: _make_gave_up("steps", f"{format_count(tries.steps, 'step')} without an answer"),
    ),
)


def find_ending(tries: Attempts) -> GaveUp | None:
    """Give the first ending that is due."""
    return next((make(tries) for due, make in ENDINGS if due(tries)), None)


def complete_ending(
    end: Answered | GaveUp, changed: tuple[FileChange, ...] | None, receipt: Receipt
) -> Answered | GaveUp:
    """Put into an ending what the turn did and changed, where that is known, and how it is taken back."""
    if isinstance(end, Answered):
        return replace(end, files=changed, receipt=receipt)
    paths = [change.path for change in changed or ()]
    unchanged = "" if changed is None else end.hint
    hint = UNDO.format(paths=join_names(paths, NAMED, ", ")) if paths else unchanged
    return replace(end, files=changed, hint=hint, receipt=receipt)


def should_ask_findings(tries: Attempts, end: GaveUp) -> bool:
    """Tell whether the model is asked for what it knows first: not where it writes one thing for ever."""
    return end.code in WORN_OUT and tries.steps > 1 and tries.unread != "repeated"


def _make_gave_up(code: str, why: str, exit: int = 1) -> GaveUp:
    return GaveUp(code, GAVE_UP.format(why=why), exit, hint=UNCHANGED)


def _find_most_common(counted: Counter[str]) -> str:
    return counted.most_common(1)[0][0]
