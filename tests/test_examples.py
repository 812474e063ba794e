"""The worked examples of a request and of a program's own text: found, and held against what it does."""

from pathlib import Path

import pytest
from tests.filing import open_plain, use

from tripletick.tools import function_examples as examples_module
from tripletick.tools.function_examples import find_examples, find_failures

GOOD = "def largest(numbers):\n    return max(numbers)"
BAD = "def largest(numbers):\n    return numbers[0]"


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as context:
        yield context


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (">>> f([1, 2], 3)\n    [3]", [("f([1, 2], 3)", "[3]")]),
        ('    >>> f("a)b")\n    "x"\n', [('f("a)b")', '"x"')]),
        ("f(1) == 2, f(2)==3; f(3) => True", [("f(1)", "2"), ("f(2)", "3"), ("f(3)", "True")]),
        ("For example, f(4) should return 'abc'.", [("f(4)", "'abc'")]),
        ("f(1) => true\nf(2) => null", [("f(1)", "True"), ("f(2)", "None")]),
        ("f(5) ➞ -1.5 # a half less", [("f(5)", "-1.5")]),
        ("`f(x=1)` returns `2`", [("f(x=1)", "2")]),
        ("f((1,)) = (2, 3)", [("f((1,))", "(2, 3)")]),
        ("f(1) gives 7 and f(2) gives 8", [("f(1)", "7"), ("f(2)", "8")]),
        ("f(1) == 2\nf(1) == 3", [("f(1)", "2")]),
        ("f(x) returns True if x is even", []),
        ("f(3) == 3 * 2", []),
        ("f(3) is the third", []),
        ("if f(3): g(3) == 4; a.f(3) == 5; off(3) == 6", []),
        (">>> f(3)\n\nNext", []),
        (">>> f(3)", []),
        ("f(" * 3000, []),
    ],
)
def test_examples_are_calls_and_results_of_literals(line, found):
    found = [(call.replace("`", ""), result) for call, result in found]
    assert find_examples(line.replace("`", ""), ["f"]) == found


@pytest.mark.parametrize(
    ("program", "task", "wrong"),
    [
        (GOOD, "largest([1, 3, 2]) == 3", []),
        (BAD, "largest([1, 3, 2]) == 3", ["largest([1, 3, 2]) gives 1, and right is 3"]),
        (BAD, "largest([]) => 0", ["largest([]) raises IndexError: list index out of range"]),
        (BAD, "no example", []),
        (
            'def f(x):\n    """\n    >>> f(1)\n    2\n    """\n    return x',
            "",
            ["f(1) gives 1, and right is 2"],
        ),
        ("def f(x):\n    return x / 3", "f(1) == 0.3333333", []),
        ("def f(x):\n    print(x)", ">>> f('a')\n'a'", []),
        ("def f(x):\n    open('/no/file')", "f(1) == 2", []),
        ("def f(x):\n    while True: pass", "f(1) == 2", ["f(1) does not end"]),
        ("def f(x):\n    return x\nraise SystemExit(3)", "f(1) == 1", SystemExit),
        ("if __name__ == '__main__':\n    1 / 0\ndef f(x):\n    return x", "f(1) == 1", []),
    ],
)
def test_what_does_not_hold_is_said(tmp_path, monkeypatch, program, task, wrong):
    monkeypatch.setattr("tripletick.tools.function_examples.SECONDS", 1)
    (tmp_path / "a.py").write_text(program)
    if isinstance(wrong, list):
        assert find_failures(str(tmp_path / "a.py"), task) == wrong
        return
    with pytest.raises(wrong):
        find_failures(str(tmp_path / "a.py"), task)


def test_a_saved_program_that_breaks_an_example_of_the_task_has_failed(context):
    context.ledger.begin_turn("Write largest.py: largest([1, 3, 2]) is 3")
    result = use(context, "python", BAD, "largest.py")
    assert result.outcome == "failed"
    assert result.verdict == "failed, saved largest.py, an example of the task does not hold"
    assert result.text == "largest.py: largest([1, 3, 2]) gives 1, and right is 3"
    assert use(context, "python", GOOD, "largest.py").outcome == "ok"


def test_what_the_box_runs_is_ascii_whatever_the_task_is(context):
    assert Path(examples_module.__file__).read_bytes().isascii()
    context.ledger.begin_turn("Schreibe größte.py: largest([1, 3, 2]) ➞ 3" + " ö" * 200_000)
    assert use(context, "python", BAD, "largest.py").outcome == "failed"


def test_examples_of_an_earlier_turn_and_blocks_that_are_not_saved_are_left_alone(context):
    context.ledger.begin_turn("largest([1, 3, 2]) is 3")
    assert use(context, "python", BAD).outcome == "ok"
    context.ledger.begin_turn("Something else")
    assert use(context, "python", BAD, "largest.py").outcome == "ok"
