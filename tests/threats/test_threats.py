"""A quick third of the hostile programs, through the product; `make threats` runs all of them."""

import pytest
from tests.threats import cage, cases, judge
from tests.threats.__main__ import yes_flag

THIRD = cases.third(cases.load())
RED = [case for case in THIRD if case.red_without_box and case.area != "limits"]
"""What fills something up takes its time where nobody stops it: that is seen in `make threats` alone."""
POWERS = None if cage.missing() else cage.find_powers()
"""What can be done here."""


@pytest.fixture(scope="module")
def court():
    if POWERS is None:
        pytest.skip(f"{cage.missing()} is not installed")
    return judge.Court(POWERS, yes_flag(), jobs=1)


def tried(court, tier, case):
    ran = court.run(judge.Plan(tier), case)
    if ran.skipped:
        pytest.skip(ran.skipped)
    return ran


@pytest.mark.parametrize("case", [case for case in THIRD if case.needs != "proxy"], ids=lambda case: case.id)
def test_the_box_holds_what_is_hostile_and_lets_work_what_is_not(court, case):
    ran = tried(court, "bubblewrap", case)
    assert ran.held, ran.verdict


@pytest.mark.parametrize("case", RED, ids=lambda case: case.id)
def test_a_check_turns_red_where_nothing_holds_the_program(court, case):
    ran = tried(court, "naive", case)
    assert not ran.held, ran.verdict
