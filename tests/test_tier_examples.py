"""The steps of a task as examples."""

import pytest

from tripletick.languages.registry import detect_language
from tripletick.tools.tier_examples import find_tier_examples

READS = "import sys\nprint(sys.argv[1])"


@pytest.mark.parametrize(
    ("task", "source", "shown"),
    [
        (
            "Under 6: 0.00, 6 to 15: 4.00, 16 and over: 8.00.",
            READS,
            {6: "4.00", 16: "8.00", 5: "0.00", 15: "4.00"},
        ),
        (
            "up to 2 kg: 4.50, up to 5 kg: 6.00, more than 5 kg: 9.00",
            READS,
            {2: "4.50", 5: "6.00", 6: "9.00"},
        ),
        (
            "0-5 -> 'child', 6-17 -> 'teen', 18 and up -> 'adult'",
            READS,
            {0: "child", 6: "teen", 18: "adult", 5: "child", 17: "teen"},
        ),
        ("bis 2 kg: 4.50, bis 5 kg: 6.00", READS, {2: "4.50", 5: "6.00"}),
        # one alone, two arguments, a function, none read
        ("10 or more: 5", READS, {}),
        ("python3 fare.py AGE CARD. Under 6: 0.00, 16 and over: 8.00.", READS, {}),
        ("Under 6: 0.00, 16 and over: 8.00.", "import sys\nprint(sys.argv[1], sys.argv[2])", {}),
        ("a function fare(age). Under 6: 0.00, 16 and over: 8.00.", READS, {}),
        ("Under 6: 0.00, 16 and over: 8.00.", "print(8)", {}),
        ("Meet at 10 to 12: 3 of us, and 4 to 5: 2 of us", READS, {}),
    ],
)
def test_what_is_printed_at_the_ends_of_each_step(task, source, shown):
    language = detect_language("fare.py")
    assert language
    found = find_tier_examples(task, "fare.py", source, language)
    assert found == [(f"python3 fare.py {number}", value) for number, value in shown.items()]
