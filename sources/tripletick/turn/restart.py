"""A fresh start: after the third failure in a row the turn starts over, from its request and its files.

The request stays byte for byte as it was sent, so that the engine has it in its cache and reads only what
follows: one sentence on what did not work. Not covered: when it is due (repair), how files are put back
(checkpoint), which of the conversation stays (context).
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from pathlib import PurePosixPath

from tripletick.checkpoint import Checkpoints
from tripletick.checkpoint.undo_plan import format_paths
from tripletick.events import Event, FreshStart, Notice, Reply
from tripletick.models.conversation import Conversation
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.tool import FileTracker
from tripletick.turn.attempts import ANEW, STEPS, Attempts
from tripletick.turn.handover import Handover

TRIED = "This was tried {count} and failed"
SAVED = lazy_regex(r"\bsaved [^,\n]+, ")
"""What a verdict says of a file."""
WRONG = lazy_regex(r" (?:it )?(?:prints|gives) .+?, and (?:right is|the task shows) ", re.DOTALL)
"""What an example says of a result that is wrong …"""
ENDED = lazy_regex(r" (?:fails|raises)[ :].+", re.DOTALL)
"""… and of a program that failed: its line and its error are copied where they are read, too."""
ABSENT = ("does not exist", "No such file")
"""What is said of names that are not there."""
BACK = "The files are as they were before."
ANOTHER = "Take another way than the one that failed."
BACK_BUT = "The files are as they were before, but for {paths}."


def keep_progress(
    conversation: Conversation, ledger: FileTracker, checkpoints: Checkpoints, tries: Attempts
) -> None:
    """Have a fresh start go back to here: what has succeeded is neither lost nor done again."""
    conversation.mark_restart()
    ledger.keep_progress()
    checkpoints.keep_changes()
    tries.kept = len(tries.done)


def restart_turn(
    conversation: Conversation,
    ledger: FileTracker,
    checkpoints: Checkpoints,
    shift: Handover,
    tries: Attempts,
) -> Generator[Event, Reply, None]:
    """Begin the turn again."""
    files = checkpoints.restore_turn()
    ledger.restart_turn()
    conversation.restart_request()
    if shift.before and not shift.said:
        conversation.introduce_agent(shift.agent)
    back = BACK_BUT.format(paths=format_paths(files.kept)) if files.kept else BACK
    # what was said of files that were put back since is not true any more
    back_again = [PurePosixPath(path).name for path in (*files.restored, *files.removed)]
    error = SAVED.sub("", tries.error)
    if tries.proven_wrong:
        # what was wrong is copied where it is read: what is right stays
        error = ENDED.sub(" fails", WRONG.sub(" must give ", error.partition(": ")[2]))
    elif _is_outdated(error, back_again):
        error = ""
    once = tries.failures == 1
    tried = TRIED.format(count="once" if once else f"{tries.failures} times")
    tried += f"{'' if once else ', the last time'} with: {error}" if error else "."
    known = "" if _is_outdated(tries.known, back_again) else tries.known
    hint = "\n".join(ledger.mistakes) or known or (STEPS[ANEW] if tries.failures >= ANEW else ANOTHER)
    if ledger.mistakes or tries.failures < tries.max_attempts:
        conversation.add_user_message(
            "\n".join(filter(None, (tried, back, f"Hint: {hint}", conversation.ending)))
        )
    tries.reset_for_restart()
    shift.ran = bool(tries.done)
    yield FreshStart(tries.failures, tries.limit, tries.error, files.restored, files.removed, files.kept)
    if files.text:
        yield Notice(files.text)


def _is_outdated(said: str, back_again: Sequence[str]) -> bool:
    """Tell whether something speaks of files that were put back since: by name, or as not there."""
    return bool(back_again) and any(name in said for name in (*back_again, *ABSENT))
