"""A number of the task that a new program has left out."""

import pytest

from tripletick.tools.example_checks import find_echo
from tripletick.tools.example_runs import CommandExample
from tripletick.tools.task_numbers import find_lacking_number

PARCELS = (
    "Write a.py: 4.5 up to and including 2 kg, 7 up to and including 10 kg, and 15 above. cost(3) returns 7."
)
SECOND = "console.log(process.argv[3]);\n"
BARE = "import sys\nprint(sys.argv[1])\n"
LARGEST = "import sys\nprint(max(map(int, sys.argv[1:])))\n"
FIZZ = "Write a.py: Fizz for each multiple of 3, Buzz for each of 5, FizzBuzz for each of 15, up to 100."
TAX = "Write a.py: up to 10000 pay nothing, up to 50000 pay 20, over that 40. Write it in under 60 lines."
CLUB = "Write a.py: members under 12 pay 3, members over 65 pay 5, all others pay 20, minus 10 %."


@pytest.mark.parametrize(
    ("task", "source", "number"),
    [
        (PARCELS, "a = 4.5 if w <= 0.45 else 7 if w <= 10 else 15", "2"),
        (PARCELS, "a = 4.5 if w <= 2 else 7 if w <= 10 else 15", ""),
        (PARCELS, "a = 4.5 if w < 3 else 7 if w < 11 else 15", ""),
        (PARCELS, "a = 4.5 if w <= 5 else 7", ""),
        (CLUB, "pay = 3 if age < 12 else 5 if age > 65 else 20\nprint(pay * 0.9)", ""),
        (CLUB, "pay = 3 if age < 12 else 5 if age > 65 else 20\nprint(pay)", "10"),
        (FIZZ, "for i in range(1, 101): print(i % 3 == 0 and i % 5 == 0)", ""),
        (TAX, "tax = 0 if x <= 10_000 else 20 if x <= 50_000 else 40", ""),
        ("Write a.py: of data from 2024 the rows over 100, between 9 and 17, at most 50.", "100 9 17 50", ""),
        ("a/" * 10_000, "print(1)", ""),
        ("Write a.py that prints 1 to 3, from 5 to 7", "print(1, 3, 5)", ""),
        ("x " * 50_000, "print(1)", ""),
    ],
)
def test_one_number_that_a_new_program_lacks_is_told(task, source, number):
    said = find_lacking_number(task, source)
    assert said.endswith(f"the program has no {number}") if number else not said


@pytest.mark.parametrize(
    ("task", "example", "source", "told"),
    [
        (
            "a.py turns a text into Morse code",
            CommandExample('python3 a.py "help me"', "help me"),
            BARE,
            True,
        ),
        ("a.py turns a text into Morse code", CommandExample("bash a.sh me", "me"), 'echo "$1"', True),
        ("a.py repeats its argument", CommandExample('python3 a.py "help me"', "help me"), BARE, False),
        ("a.py turns a text into Morse code", CommandExample("python3 a.py me", ".... ."), BARE, False),
        ("a.py sorts letters", CommandExample("python3 a.py abc", "abc", "abc"), BARE, False),
        ("a.py prints the largest", CommandExample("python3 a.py 3 1 9", "9"), LARGEST, False),
        ("prints the longest", CommandExample("node a.js fig kiwi", "kiwi", "kiwi"), SECOND, True),
        ("prints the longest", CommandExample("node a.js kiwi", "kiwi", "kiwi"), SECOND, False),
        ("a.py prints nothing", CommandExample("python3 a.py", ""), BARE, False),
    ],
)
def test_a_program_that_only_prints_its_argument_is_told(task, example, source, told):
    assert bool(find_echo(task, example, source)) == told
