"""The user's own check: a turn is done when it passes, and its failure is a failed attempt."""

from dataclasses import replace

import pytest
from tests.playing import kinds, last

from tripletick.events import Answered, GaveUp, Repairing
from tripletick.session.request_text import find_check_command

WRONG, RIGHT = (f"```python:add.py\ndef add(a, b):\n    return a {sign} b\n```" for sign in "-+")
CHECK = "python3 -c 'import add; assert add.add(1, 2) == 3'"


def checked(session, *replies, command=CHECK, **options):
    it = session(*replies, **options)
    it.loop = replace(it.loop, check=command)
    return it


def test_a_check_that_fails_is_told_and_the_turn_goes_on_until_it_passes(session):
    it = checked(session, WRONG, "I wrote add.py.", RIGHT, "I corrected add.py.")
    events = it.play("write add.py")
    end = last(events, Answered)
    assert end.receipt
    assert (end, end.receipt.check, end.receipt.verified) == (Answered("I corrected add.py."), "passed", True)
    assert last(events, Repairing).error.startswith("check failed, exit 1: AssertionError")
    told = it.model.asked[2][-1].text
    assert "AssertionError" in told and CHECK in told and "write add.py" in told


def test_a_check_that_always_fails_ends_the_turn(session):
    it = checked(session, WRONG, *["It is written."] * 9, command="exit 3", agent={"max_attempts": 3})
    end = it.play("write add.py")[-1]
    assert isinstance(end, GaveUp) and end.receipt
    assert (end.code, end.exit, end.receipt.check, end.receipt.verified) == ("check", 1, "failed", False)
    assert "3 failed checks, the last: check failed, exit 3" in end.reason


def test_who_only_talks_is_not_checked(session):
    it = checked(session, "Hello.", command="exit 3")
    events = list(it.loop.run_turn(it.prompts.agents["casual"], "hello"))
    assert events[-1] == Answered("Hello.") and "Called" not in kinds(events)


@pytest.mark.parametrize(
    ("rules", "command"),
    [
        ("# Rules\n\nCheck: make test\nMore", "make test"),
        ("- check: `pytest -q`", "pytest -q"),
        ("Please check: this and that is no line of its own? no", ""),
        ("Rules", ""),
        ("", ""),
    ],
)
def test_the_folders_rules_may_name_it(rules, command):
    assert find_check_command(rules) == command
