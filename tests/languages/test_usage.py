"""The worked examples of a request that are commands: found, run, and held against what they print."""

import pytest
from tests.filing import open_plain, use

from tripletick.languages.registry import detect_language
from tripletick.tools.command_examples import find_examples

ADD = "import sys\nprint(sum(map(int, sys.argv[1:])))"
TIMES = ADD.replace("sum(map(int, sys.argv[1:]))", "int(sys.argv[1]) * int(sys.argv[2])")


def language(path):
    found = detect_language(path)
    assert found is not None
    return found


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as context:
        yield context


@pytest.mark.parametrize(
    ("task", "found"),
    [
        ('Write add.py: "python3 add.py 2 3" prints 5.', [("python3 add.py 2 3", "5")]),
        ("add.py pls: sums up what follows. python3 add.py 2 3 => 5 (whole)", [("python3 add.py 2 3", "5")]),
        ("`python add.py 1` should print `one`, else none", [("python add.py 1", "one")]),
        (
            'Call it, for example "python3 add.py 2 3", and it should print their sum, here 5.',
            [("python3 add.py 2 3", "5")],
        ),
        ("When I call './add.py 2', it shows the result: \"two men\"", [("./add.py 2", "two men")]),
        ("\"python3 add.py '2 + 3'\" prints 5", [("python3 add.py '2 + 3'", "5")]),
        ('"echo 2 3 | python3 add.py" gives "5".', [("echo 2 3 | python3 add.py", "5")]),
        (
            "$ python3 add.py 1 2\n3\nok\n\n$ python3 add.py 4\n4\n```",
            [("python3 add.py 1 2", "3\nok"), ("python3 add.py 4", "4")],
        ),
        ("python3 add.py 1 prints 1. python3 add.py 1 prints 2.", [("python3 add.py 1", "1")]),
        ('"python3 add.py 20" gibt 68.0 aus', [("python3 add.py 20", "68.0")]),
        ("I'd say python3 add.py 2 -> -2.5", [("python3 add.py 2", "-2.5")]),
        ("python3 add.py N prints 1", []),
        ("python3 add.py <number> prints 1", []),
        ('"python3 add.py 2" prints 3 numbers', []),
        ('"python3 add.py 3" prints 1, 2 and 3', []),
        ("python3 add.py: it prints 9", []),
        ("Write add.py that prints 9. Test it with python3 add.py and tell what it prints", []),
        ('"python3 badd.py 2" prints 2, "python3 add.pyc 2" prints 2', []),
        ('Run "python3 add.py 2', []),
        ("python3 add.py " + "a " * 5000 + "prints 9", []),
    ],
)  # fmt: skip
def test_examples_are_commands_and_what_they_print(task, found):
    assert find_examples(task, "add.py", language("add.py")) == found


@pytest.mark.parametrize(
    ("path", "command"), [("a.js", "node a.js 2"), ("x/a.sh", "bash x/a.sh 2"), ("a.rb", "ruby a.rb 2")]
)
def test_the_command_is_that_of_the_language(path, command):
    assert find_examples(f'"{command}" prints 4.', path, language(path)) == [(command, "4")]


def test_a_program_that_breaks_the_command_of_the_task_has_failed(context):
    context.ledger.begin_turn('Write add.py: "python3 add.py 2 3" prints 5.')
    result = use(context, "python", TIMES, "add.py")
    assert (result.outcome, result.verdict) == (
        "failed",
        "failed, saved add.py, an example of the task does not hold",
    )
    assert result.text == "add.py: python3 add.py 2 3 prints '6', and right is '5'"
    assert "example" in result.flags


def test_what_a_program_does_with_the_arguments_of_the_task_is_its_result(context):
    context.ledger.begin_turn('Write add.py: "python3 add.py 2 3" prints 6.')
    result = use(context, "python", TIMES, "add.py")
    assert (result.outcome, result.verdict, result.text) == (
        "ok",
        "ok, saved add.py",
        "$ python3 add.py 2 3\n6",
    )
    assert "arguments" not in result.flags


@pytest.mark.parametrize(
    ("task", "source"),
    [
        (
            '"python3 add.py none.txt" prints 5.',
            "import sys\nif sys.argv[1:]: print(open(sys.argv[1]).read())",
        ),
        ('"python3 add.py 5" prints 5.', "import sys\nprint(sys.stdin.read())"),
        ('"python3 add.py 5" prints "5 6".', "print('first')\nprint(5,  6)"),
    ],
)
def test_what_wants_a_file_or_somebody_who_types_tells_nothing(context, task, source):
    context.ledger.begin_turn(task)
    assert use(context, "python", source, "add.py").outcome == "ok"


def test_a_command_that_fails_is_told_with_its_last_line(context):
    context.ledger.begin_turn('"python3 add.py two" prints 2.')
    result = use(context, "python", "import sys\nif sys.argv[1:]: print(int(sys.argv[1]))", "add.py")
    assert result.text.startswith("add.py: python3 add.py two fails: ValueError: invalid literal")
