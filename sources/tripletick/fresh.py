"""A fresh start: after the third failure in a row the turn begins anew, from its request and its files.

The request stays byte for byte as it was sent, so that the engine has it in its cache and reads only what
follows: one sentence on what did not work. Not covered: when it is due (repair), how files are put back
(checkpoint), which of the conversation stays (context).
"""

from __future__ import annotations

from collections.abc import Generator

from tripletick.checkpoint import Checkpoints
from tripletick.checkpoint.turns import listed
from tripletick.context import Conversation
from tripletick.events import Event, FreshStart, Notice, Reply
from tripletick.repair import ANEW, STEPS, Tries
from tripletick.shift import Shift
from tripletick.tools.tool import Ledger

TRIED = "This was tried {count} times and failed, the last time with: {error}"
BACK = "The files are as they were before."
ANOTHER = "Take another way than the one that failed."
BACK_BUT = "The files are as they were before, but for {paths}."


def begun_anew(
    talk: Conversation, ledger: Ledger, checkpoints: Checkpoints, shift: Shift, tries: Tries
) -> Generator[Event, Reply, None]:
    """Begin the turn anew."""
    files = checkpoints.restore_turn()
    ledger.begin_anew()
    talk.begin_anew()
    if shift.before and not shift.said:
        talk.introduce(shift.agent)
    back = BACK_BUT.format(paths=listed(files.kept)) if files.kept else BACK
    tried = TRIED.format(count=tries.failures, error=tries.error)
    hint = tries.known or (STEPS[ANEW] if tries.failures >= ANEW else ANOTHER)
    talk.say("\n".join(filter(None, (tried, back, f"Hint: {hint}", talk.ending))))
    tries.begin_anew()
    shift.ran = False
    yield FreshStart(
        tries.failures, tries.max_attempts, tries.error, files.restored, files.removed, files.kept
    )
    if files.text:
        yield Notice(files.text)
