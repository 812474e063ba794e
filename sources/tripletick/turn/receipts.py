"""The receipt of a turn: what it did, by its blocks and its snapshots, never by the model's words."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from tripletick.checkpoint.undo_plan import is_folder, list_file_changes
from tripletick.checkpoint.values import Change
from tripletick.dialects.fence.feedback import wrap_in_fence
from tripletick.messages import Call, Receipt, Result
from tripletick.models.conversation import Conversation
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import NUMERALS
from tripletick.tools.tool import FileTracker
from tripletick.turn.attempts import Attempts
from tripletick.turn.losses import find_overwritten

LOOKS = frozenset({"read", "file_finder", "write", "append", "edit", "web_search", "fetch", "browse"})
"""Tags of ours that run no program and change nothing but files of the folder."""
SUMMARIES = lazy_regex(
    r"(?m)^=*[ \t]*\d+ (?:passed|failed|error).* in [\d.:]+m?s.*$"  # pytest
    r"|^test result: .*$"  # cargo
    r"|^(?:#|\u2139) (?:pass|fail) \d+$"  # node --test
    r"|^ +\d+ (?:passing|failing)\b.*$"  # mocha
)
PASSED = lazy_regex(r"(\d{1,9}) pass(?:ed|ing)|pass (\d{1,9})")
FAILED = lazy_regex(r"(\d{1,9}) (?:failed|failing|errors?)\b|fail (\d{1,9})")
STILL = "{command} still fails"
UNTOUCHED = "{path} is as it was"
OUTPUT = "Output:"
UNSAID, UNSAID_LINES = 300, 12
"""Characters and lines of an output that may stand below an answer."""
NUMBER = lazy_regex(r"\d+(?:\.\d+)?")
WORD = lazy_regex(r"\w{3,}")
UNITTEST = lazy_regex(r"(?m)^Ran (\d{1,9}) tests? in .*\n+(?:OK|FAILED \((?P<how>[^)]*)\)|NO TESTS)")
GO = lazy_regex(r"(?m)^[ \t]*--- (PASS|FAIL): ")


def build_receipt(results: Sequence[tuple[Call, Result]], changes: Sequence[Change] | None) -> Receipt:
    """Write the receipt of a turn; `changes` are those of all its blocks, None where they are not known."""
    tried = [(call, result) for call, result in results if result.outcome in ("ok", "failed")]
    reached = [result.outcome for _, result in results if result.outcome != "skipped"]
    saved = dict.fromkeys(change.path for _, result in tried for change in result.files)
    ran = [result for _, result in tried if _has_run(result)]
    counted = [count for _, result in tried if (count := parse_test_counts(result.text))]
    passed, tests = counted[-1] if counted else (0, 0)
    return Receipt(
        ran=len(ran),
        failed=sum(not result.ok for _, result in tried),
        last_failed=bool(tried) and not tried[-1][1].ok,
        last_not_run=reached[-1:] in (["denied"], ["forbidden"]),
        saved=tuple(saved),
        files=None if changes is None else list_file_changes(changes),
        folders=any(is_folder(each.was) or is_folder(each.left) for each in changes or ()),
        lost=tuple(find_overwritten("\n".join(call.body for call, _ in tried), changes or ())),
        elsewhere=any(_is_elsewhere(*pair) for pair in tried),
        tests=tests,
        passed=passed,
    )


def _has_run(result: Result) -> bool:
    """Tell whether a program ran; one that wants arguments and was started without has no exit."""
    return result.exit is not None or ("arguments" in result.flags and "unstarted" not in result.flags)


def _is_elsewhere(call: Call, result: Result) -> bool:
    return result.ok and result.exit is None and not result.files and call.tool not in LOOKS


def describe_unmended(
    conversation: Conversation, ledger: FileTracker, changes: Collection[Change] | None
) -> str:
    """Say what of a repair is still to be done where nothing was changed: what was seen to fail must still do
    so, and a program that the model was shown is as it was.
    """
    repairs = conversation.templates.lacks_words("explains", conversation.asked)
    if not repairs or changes is None or changes:
        return ""
    if ledger.check:
        return STILL.format(command=ledger.check)
    return UNTOUCHED.format(path=ledger.asked) if ledger.lacks_repair(ledger.asked) else ""


def parse_test_counts(text: str) -> tuple[int, int] | None:
    """Read how many tests passed, and of how many, out of what a runner printed; the last summary counts."""
    if found := list(UNITTEST.finditer(text)):
        failed = sum(map(int, re.findall(r"(?:failures|errors)=(\d{1,9})", found[-1]["how"] or "")))
        return int(found[-1][1]) - failed, int(found[-1][1])
    told = "\n".join(SUMMARIES.findall(text))
    good, bad = (sum(int(a or b) for a, b in what.findall(told)) for what in (PASSED, FAILED))
    if good + bad:
        return good, good + bad
    ended = GO.findall(text)
    return (ended.count("PASS"), len(ended)) if ended else None


def find_unreported_output(conversation: Conversation, tries: Attempts, answer: str) -> str:
    """Give the few lines that the last program printed, for the end of an answer that has nothing of them and
    was to tell something, as every one has that follows no change.
    """
    printed, said = tries.printed, conversation.templates
    lines = printed.strip().splitlines()
    asks = said.has_words("tells", conversation.asked.partition("\n")[0])
    asks = asks or (not tries.changed and said.lacks_words("tells", conversation.asked))
    new = _extract_facts(printed) - _extract_facts(conversation.asked) if asks else None
    if not new or len(lines) > UNSAID_LINES or len(printed) > UNSAID or new & _extract_facts(answer):
        return ""
    return (
        f"\n\n{OUTPUT} {lines[0]}"
        if len(lines) == 1
        else f"\n\n{OUTPUT}\n{wrap_in_fence(printed.strip(), 'text')}"
    )


def _extract_facts(text: str) -> set[str]:
    """Give the numbers of a text, also those up to ten in words; where it has none its words."""
    words = set(WORD.findall(text.casefold()))
    numbers = {f"{float(each):g}" for each in NUMBER.findall(text)}
    return numbers | {str(n) for n, word in enumerate(NUMERALS) if word in words} or words
