"""The worked examples of a request and of a program's own text: found, and held against what it does."""

import ast
from pathlib import Path

import pytest
from tests.filing import open_plain, use

from tripletick.languages.registry import LANGUAGES, detect_language
from tripletick.tools import command_examples, output_match, sample_lines
from tripletick.tools import function_examples as examples_module
from tripletick.tools.function_examples import find_arrows, find_examples, find_failures, find_named_inputs
from tripletick.tools.syntax_check import find_error_line

GOOD = "def largest(numbers):\n    return max(numbers)"
BAD = "def largest(numbers):\n    return numbers[0]"


def make_function(name, parameters):
    [function] = ast.parse(f"def {name}({parameters}): 0").body
    assert isinstance(function, ast.FunctionDef)
    return function


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as context:
        yield context


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (">>> f([1, 2], 3)\n    [3]", [("f([1, 2], 3)", "[3]")]),
        (
            ">>> round(f([1]), 2)  # half\n-0.5\n>>> f(f(2))\n7",
            [("round(f([1]), 2)", "-0.5"), ("f(f(2))", "7")],
        ),
        (">>> f(1) == 2\nTrue\n>>> f(3) == 4", [("f(1) == 2", "True"), ("f(3)", "4")]),
        (">>> open(f(1))\n3\n>>> f(1).lower()\n'a'\n>>> [f(n) for n in (1, 2)]\n3\n>>> round(2.5)\n2", []),
        ('    >>> f("a)b")\n    "x"\n', [('f("a)b")', '"x"')]),
        ("f(1) == 2, f(2)==3; f(3) => True", [("f(1)", "2"), ("f(2)", "3"), ("f(3)", "True")]),
        ("For example, f(4) should return 'abc'.", [("f(4)", "'abc'")]),
        ("f(1) => true\nf(2) => null", [("f(1)", "True"), ("f(2)", "None")]),
        ("f(5) ➞ -1.5 # a half less", [("f(5)", "-1.5")]),
        ("`f(x=1)` returns `2`", [("f(x=1)", "2")]),
        ("f((1,)) = (2, 3)", [("f((1,))", "(2, 3)")]),
        ("f(1) gives 7 and f(2) gives 8", [("f(1)", "7"), ("f(2)", "8")]),
        ("f(1) == 2\nf(1) == 3", [("f(1)", "2")]),
        ("f(1) ==> 2, f(2) ==>3, f(3) --> 4, f(4) ~> 5", [(f"f({n})", str(n + 1)) for n in range(1, 5)]),
        ('f(15)   # returns "db"', [("f(15)", '"db"')]),
        ("f(1) === 2 and f(2) >= 3", []),
        ("f(x) returns True if x is even", []),
        ("f(3) == 3 * 2", []),
        ("f(3) is the third", []),
        ("f(3) returns 'a' or 'b'; f(4) returns 1 to 6", []),
        ("f(3) returns 3 letters; f(4) is 10 times 2", []),
        ("f(3) gives 1, 2 or 3", []),
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
    ("task", "right"),
    [
        ("f([1, 2]) returns 1 instead of 1.5", "1.5"),
        ("f([1, 2]) gives 1, but should give 1.5", "1.5"),
        ("f([1, 2]) is 1 but 1.5 would be right", "1.5"),
        ("f([1, 2]) should return 1.5 but returns 1", "1.5"),
        ("Fix it: f([1, 2]) returns 1, not 1.5", "1.5"),
        ("Fix f: f([1, 2]) -> 1, should be 1.5", "1.5"),
        ("Korrigiere a.py: f([1, 2]) == 1 statt 1.5", "1.5"),
        ("f([1, 2]) == 1 aber sollte 1.5 sein", "1.5"),
        ("Fix f so that f([1, 2]) returns 1.5", "1.5"),
        ("Fix f. It must hold that f([1, 2]) == 1.5, and g(3) == 3", "1.5"),
        ("f([1, 2]) returns 1. It should return 1.5. Please fix", "1.5"),
        ("There is a bug: f([1, 2]) returns 1, expected 1.5", "1.5"),
        ("f([1, 2]) returns [2, 3] rather than [3, 2]", "[3, 2]"),
        ("f([1, 2]) returns 1:5, should be 1:05. Fix it", "'1:05'"),
        ("f([1, 2]) returns 2 but the right answer is 3", "3"),
        ("bug: f([1, 2]) returns None", ""),
        ("Fix it: f([1, 2]) returns 0 but f([]) raises", ""),
        ("f([1, 2]) returns 5 instead of raising", ""),
        ("Write f: f([1, 2]) returns 2, but must raise on 0", ""),
    ],
)
def test_what_a_task_says_to_be_wrong_is_no_example(task, right):
    found = find_examples(task, ["f"], faulty=examples_module.speaks_of_fault(task))
    assert found == ([("f([1, 2])", right)] if right else [])


def test_a_function_with_a_fault_is_held_against_what_is_right(tmp_path):
    (tmp_path / "a.py").write_text('def f(n):\n    """f(1) returns 2"""\n    return n + 1\n')
    assert find_failures(str(tmp_path / "a.py"), "f(3) returns 5 instead of 4. In f, 1 -> 3 is wrong.") == []
    assert find_failures(str(tmp_path / "a.py"), "f(3) is 4 but should be 5") == [
        "f(3) gives 4, and right is 5"
    ]


@pytest.mark.parametrize(
    ("given", "right", "said"),
    [
        ("2h 5m", "2h 05m", "; an f-string writes number 2 of that with {number:02}, no other"),
        ("02h 05m", "2h 05m", "; an f-string writes number 1 of that with {number}, no other"),
        ("7-01", "007-01", "; an f-string writes number 1 of that with {number:03}, no other"),
        ("2.5 EUR", "2.50 EUR", "; an f-string writes 2 decimals with {number:.2f}"),
        ("60.0", "60.00", "; an f-string writes 2 decimals with {number:.2f}"),
        ("total: 3", "Total: 3", "; only upper and lower case differ"),
        ("1,2", "1, 2", "; only blanks differ"),
        ("20.0 is 68.0 F", "68.0", "; that alone is to be there"),
        ("2h 6m", "2h 05m", ""),
        ("a***b.org", "a***@b.org", "; '@' is missing behind 'a***'"),
        ("a,b,", "a,b", "; ',' is too much behind 'a,b'"),
        ("bc", "abc", "; 'a' is missing at the start"),
        ("2.5", "2.49", ""),
        ("a", "b", ""),
        ("212.0 C", "212.0 F", "; 'F' is to stand in the place of 'C'"),
        ("212 C", "212.0 F", "; an f-string writes 1 decimal with {number:.1f}"),
    ],
)
def test_what_alone_differs_is_said(given, right, said):
    assert examples_module.describe_difference(given, right) == said


@pytest.mark.parametrize(
    ("given", "right", "said"),
    [
        ("[5, -3, -4]", "[-4, -3, 5]", "; the values are right, but not their order: sorted"),
        (
            "['b', 'a', 'c']",
            "['c', 'b', 'a']",
            "; the values are right, but not their order: sorted, reverse=True",
        ),
        ("[2, 3, 1]", "[1, 3, 2]", "; the values are right, but not their order: [::-1]"),
        ("[1, 'a']", "['a', 1]", "; the values are right, but not their order: [::-1]"),
        ("[2, 3, 1]", "[3, 2, 1, 0]", ""),
        ("[1, 2]", "[1, 2, 3]", "; the last value is missing"),
        ("[2, 3]", "[1, 2, 3]", "; the first value is missing"),
        ("(0, 1, 2)", "(1, 2)", "; the first value is too much"),
        ("[1, 2, 3]", "[1, 2]", "; the last value is too much"),
        ("'3'", "3", "; that is a text, and int is wanted"),
        ("'3'", "4", ""),
        ("3", "4", ""),
        ("[3]", "[4]", ""),
        ("[]", "[4]", "; the first value is missing"),
    ],
)
def test_in_what_alone_two_values_differ_is_said(given, right, said):
    fault = examples_module.check_example("f()", right, {"f": lambda: ast.literal_eval(given)})
    assert fault == f"f() gives {given}, and right is {right}{said}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Example 1:\n  Input: a = [1, 2], k = 3\n  Output: [3]\n", [("f([1, 2], 3)", "[3]")]),
        ("Input:\n a : [1]\n k : 'x, y'\nOutput: true", [("f([1], 'x, y')", "True")]),
        ("For a = 1 and k = 2 the output should be 14; for a = 2, k = 2, return 15.", [
            ("f(1, 2)", "14"), ("f(2, 2)", "15")]),
        ("a = 1, k = 2. The result is 3", [("f(1, 2)", "3")]),
        ("n = 5\nreturns 6. n = 7 gives", [("g(5)", "6")]),
        ("a = 1, the output is 2", []),
        ("a = b, k = 2, output: 3", []),
        ("a == 1, k == 2, output: 3", []),
        ("a = 1, k = 2 and then the output is 3", []),
        ("a = 1, k = 2, output: k", []),
        ("m = 1, output: 3", []),
        ("Input: 4\nOutput: 5", []),
    ],
)  # fmt: skip
def test_examples_may_name_the_inputs(text, found):
    """The two functions of one parameter that is called alike are left out: either may be meant."""
    names = {"f": "a, k", "g": "n", "one": "m", "other": "m"}
    assert find_named_inputs(text, [make_function(*pair) for pair in names.items()]) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('f(n): 125 -> "2h 05m", 45 -> "0h 45m"', [("f(125)", '"2h 05m"'), ("f(45)", '"0h 45m"')]),
        ("write f: -1.5 => [2], [1, 2] \u2192 3", [("f(-1.5)", "[2]"), ("f([1, 2])", "3")]),
        ("write f: 'a' --> 'b'; 2 -> three", [("f('a')", "'b'")]),
        ("write f: x1 -> 2, f(3) -> 4, a[1] -> 5", []),
        ("125 -> 3", []),
        ("f and g: 125 -> 3", []),
        ("two: 125 -> 3", []),
    ],
)
def test_an_arrow_is_an_example_of_the_only_function_that_is_named(text, found):
    functions = [make_function("f", "x"), make_function("g", "x"), make_function("two", "x, y")]
    assert find_arrows(text, functions) == found


@pytest.mark.parametrize("task", ["Input: 4\nOutput: 5", "Input: [4, (1, 2)]\n  Output: 5", "x=4 output=5"])
def test_an_input_without_a_name_is_that_of_the_only_function(task):
    [(call, result)] = find_named_inputs(task, [make_function("f", "x")])
    assert call.startswith("f(4)" if "[" not in task else "f([4, (1, 2)])")
    assert result == "5"


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
        ("def f(x):\n    return (x,)", "f(1) == (1)", []),
        ("def f(x):\n    return map(abs, x)", "f([1, -2]) gives [1, 2]", []),
        ("from decimal import Decimal\ndef f(x):\n    return Decimal('1.10')", "f(1) is 1.10", []),
        ("a = []\ndef f(x):\n    a.append(x)\n    return a", "f(1) == [1], f(2) == [1, 2]", []),
        ("def f(x):\n    return (2, 1)", "f(1) == [2, 1]", ["f(1) gives (2, 1), and right is [2, 1]"]),
        ("import random\ndef f(x):\n    return random.randint(1, 6) + 9", "f(1) gives 4, for example", []),
        ("def f(x):\n    return [x]", "f(1) == 1", ["f(1) gives [1], and right is 1"]),
        ("def f(x, y):\n    return x", "x = 1, y = 2, output: 3", ["f(1, 2) gives 1, and right is 3"]),
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


TABLE = "Write table.py that prints the 7 times table, one per line like this: {}"


@pytest.mark.parametrize(
    ("task", "printed", "wrong"),
    [
        (TABLE.format("7 x 3 = 21"), "1 x 7 = 7\n2 x 7 = 14\n3 x 7 = 21", ("3 x 7 = 21", "7 x 3 = 21")),
        (TABLE.format('"7 x 3 = 21".'), "3 x 7 = 21", ("3 x 7 = 21", "7 x 3 = 21")),
        (TABLE.format("7 x 3 = 21, please"), "3 x 7 = 21", ("3 x 7 = 21", "7 x 3 = 21")),
        ("Gib Zeilen aus wie: 7 x 3 = 21.", "3 x 7 = 21", ("3 x 7 = 21", "7 x 3 = 21")),
        (TABLE.format("7 x 3 = 21"), "7 x 1 = 7\n7 x 2 = 14\n7  x 3 = 21", None),
        (TABLE.format("7 x 3 = 21"), "nothing of the kind", None),
        (TABLE.format("7 x 3 = 21"), "3 x 7 = 21\n7 x 3 = 21", None),
        ("The lines are such as Ida Ben 57; print the points first", "57 Ida Ben", None),
        ("Print it like this", "this like Print it", None),
        ("Swap the names of lines like: Ida Ben 5", "Ben Ida 5", None),
    ],
)
def test_a_line_that_the_task_shows_is_not_printed_in_another_order(task, printed, wrong):
    assert sample_lines.find_misprint(task, printed) == wrong


def test_a_program_that_prints_a_shown_line_in_another_order_has_failed(context):
    context.ledger.begin_turn(TABLE.format("7 x 3 = 21"))
    result = use(context, "python", "print('3 x 7 = 21')", "table.py")
    assert (
        result.text == "table.py: it prints '3 x 7 = 21', and the task shows '7 x 3 = 21': 7 comes before 3"
    )


def test_a_line_that_was_printed_in_another_order_is_not_lost_by_the_repair(context):
    context.ledger.begin_turn(TABLE.format("7 x 3 = 21"))
    assert use(context, "python", "print('3 x 3 = 9')", "table.py").outcome == "ok"
    use(context, "python", "print('3 x 7 = 21')", "table.py")
    context.ledger.restart_turn()
    (context.workspace.root / "table.py").unlink()
    lost = use(context, "python", "print('3 x 3 = 9')", "table.py")
    assert lost.text == "table.py: it prints no '7 x 3 = 21', and the task wants that line"
    assert use(context, "python", "print('7 x 3 = 21')", "table.py").outcome == "ok"
    # in the next turn it may be a line for other data again
    context.ledger.begin_turn(TABLE.format("7 x 3 = 21"))
    assert use(context, "python", "print('3 x 3 = 9')", "table.py").outcome == "ok"


@pytest.mark.parametrize(
    ("task", "says"),
    [
        ("a.py should print Seat 1 to Seat 3, but stops at Seat 2. Fix it", "it prints no 'Seat 3'"),
        ("a.py should print Seat 0 to Seat 2", "it prints no 'Seat 0', and the task wants Seat 0 to Seat 2"),
        ("a.py should print Seat 1 to Seat 2", ""),
        ("a.py should print 1 to 3", ""),
        (
            "a.py prints lines from 'Seat 1' to 'Seat 3'",
            "it prints no 'Seat 3', and the task wants that line",
        ),
        ("a.py prints lines from 'Seat 1' to 'Seat 2'", ""),
    ],
)
def test_all_that_is_counted_through_is_printed(task, says):
    found = sample_lines.find_missing_line(task, "Seat 1\nSeat 2\n")
    assert found.startswith(says) if says else not found


def test_what_the_box_runs_is_ascii_whatever_the_task_is(context):
    assert Path(examples_module.__file__).read_bytes().isascii()
    context.ledger.begin_turn("Schreibe größte.py: largest([1, 3, 2]) ➞ 3" + " ö" * 200_000)
    assert use(context, "python", BAD, "largest.py").outcome == "failed"


def test_examples_of_an_earlier_turn_and_blocks_that_are_not_saved_are_left_alone(context):
    context.ledger.begin_turn("largest([1, 3, 2]) is 3")
    assert use(context, "python", BAD).outcome == "ok"
    context.ledger.begin_turn("Something else")
    assert use(context, "python", BAD, "largest.py").outcome == "ok"


EITHER = "Scrivi p.py: python3 p.py 'a b' stampa sì se la frase è un palindromo, altrimenti no."


@pytest.mark.parametrize(
    ("task", "printed", "wrong"),
    [
        (EITHER, "Sì", {"Sì": "sì"}),
        (EITHER, "NO\n", {"NO": "no"}),
        (EITHER, "sì", {}),
        (EITHER, "forse", {}),
        ('It prints "yes" if the year is a leap year, and otherwise "no".', "Yes", {"Yes": "yes"}),
        ("It prints yes if the year is a leap year", "Yes", {}),
    ],
)
def test_one_of_two_words_is_printed_as_the_task_has_it(task, printed, wrong):
    assert sample_lines.find_other_case(task, printed) == wrong


def test_the_word_that_was_not_printed_is_as_the_task_has_it_too():
    source = "if same:\n    print('Sì')\nelse:\n    print( 'No')\nx = 'NO'"
    assert sample_lines.find_other_case(EITHER, "Sì", source) == {"Sì": "sì", "No": "no"}


COUNTDOWN = "Write down.sh: bash down.sh 3 {}"
MEAN = "Write mean.py: it reads standard input. {}"


@pytest.mark.parametrize(
    ("task", "path", "found"),
    [
        (
            COUNTDOWN.format("prints 3, 2, 1 and Go!, each on its own line."),
            "down.sh",
            [("bash down.sh 3", "3\n2\n1\nGo!")],
        ),
        (
            COUNTDOWN.format('should print "on your marks" and "go", one per line'),
            "down.sh",
            [("bash down.sh 3", "on your marks\ngo")],
        ),
        (COUNTDOWN.format("prints the numbers 3, 2 and 1, each on its own line"), "down.sh", []),
        (
            MEAN.format("For the lines 4, 7 and 8 it prints 6.3."),
            "mean.py",
            [("printf '%s\\n' 4 7 8 | python3 mean.py", "6.3")],
        ),
        (
            MEAN.format('Given the words "a b" and "c" the program should print `2`'),
            "mean.py",
            [("printf '%s\\n' 'a b' c | python3 mean.py", "2")],
        ),
        (
            'Write t.py: python3 t.py 100 C prints "212.0 F", python3 t.py N C prints "x".',
            "t.py",
            [("python3 t.py 100 C", "212.0 F")],
        ),
        ("Write mean.py. For the numbers 4, 7 and 8 it prints 6.3.", "mean.py", []),
        ("Write t.py: python3 t.py 545 prints 9:05.", "t.py", [("python3 t.py 545", "9:05")]),
        (
            "python3 t.py 545 prints 9:5, but it should print 9:05: two digits. Fix t.py.",
            "t.py",
            [("python3 t.py 545", "9:05")],
        ),
        ("Write t.py: python3 t.py 545 prints 9:05 or so: 7.", "t.py", [("python3 t.py 545", "9:05")]),
        (MEAN.format("For the lines of a.txt it prints 6.3."), "mean.py", []),
        ('k.py: python3 k.py 3 prints "1: a b", "2: c".', "k.py", [("python3 k.py 3", "1: a b\n2: c")]),
        ('s.js: node s.js 2 3 prints "A1 A2" and "B1 B2".', "s.js", [("node s.js 2 3", "A1 A2\nB1 B2")]),
        ('python3 k.py 3 prints "odd" or "even".', "k.py", []),
        (
            "python3 k.py 90 prints\n1 x 50\n2 x 20\ncoins are in cents, dont print coins with 0",
            "k.py",
            [("python3 k.py 90", "1 x 50\n2 x 20")],
        ),
        ("python3 k.py 3 ->\nRow 1\nRow 2\n(odd rows knit)", "k.py", [("python3 k.py 3", "Row 1\nRow 2")]),
        ("run as python3 k.py 3 (rows), prints\nA1\nB1\nmax 26", "k.py", [("python3 k.py 3", "A1\nB1")]),
        (
            "bash k.sh ->\ngz 1\ntxt 2\nie nr of files per kind, sorted",
            "k.sh",
            [("bash k.sh", "gz 1\ntxt 2")],
        ),
        ("python3 k.py 2 ->\n1 x 2\n2 x 2\nand so on", "k.py", [("python3 k.py 2", "1 x 2\n2 x 2\n...")]),
        ("python3 k.py prints\nhello\nworld", "k.py", [("python3 k.py", "hello\nworld")]),
        ("python3 k.py prints\nHello\nworld", "k.py", [("python3 k.py", "Hello\nworld")]),
        (
            "It prints the groups, in their order, for python3 k.py a.txt 3:\nGroup 1: Ali, Bo\nGroup 2: Cy",
            "k.py",
            [("python3 k.py a.txt 3", "Group 1: Ali, Bo\nGroup 2: Cy")],
        ),
        (
            "a.py: python3 a.py never odd prints the first letters of the words, NOO.",
            "a.py",
            [("python3 a.py never odd", "NOO")],
        ),
        (
            "python3 a.py never odd should print NOO and nothing else",
            "a.py",
            [("python3 a.py never odd", "NOO")],
        ),
    ],
)
def test_lines_that_a_program_prints_and_reads_are_examples(task, path, found):
    language = detect_language(path)
    assert language
    assert command_examples.find_examples(task, path, language) == found


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (
            "node:internal\n  throw err;\n\nError: Cannot find module 'slug'\n  at x\n\nNode.js v20",
            "Error: Cannot find",
        ),
        ("Uncaught TypeError [ERR_X]: not a text\n\nNode.js v20", "Uncaught TypeError [ERR_X]: not a text"),
        ("Traceback\nValueError: a\n\nduring that\nKeyError: 'b'", "KeyError: 'b'"),
        ("a.sh: line 3: x: not found\n", "a.sh: line 3: x: not found"),
        ("", ""),
    ],
)
def test_the_line_that_says_what_went_wrong_is_found(output, line):
    found = find_error_line(output)
    assert found.startswith(line) and bool(found) is bool(line)


LONGEST = "Write longest.py: python3 longest.py FILE prints the longest line of FILE."


@pytest.mark.parametrize(
    ("prints", "outcome", "text"),
    [
        ("line", "ok", "$ python3 longest.py menu.txt\nline"),
        ("", "failed", "longest.py: python3 longest.py menu.txt prints nothing"),
    ],
)
def test_a_program_for_any_file_is_tried_with_one_of_the_folder(context, prints, outcome, text):
    (context.workspace.root / "menu.txt").write_text("tea\ncoffee\n")
    context.ledger.begin_turn(LONGEST)
    source = f"import sys\ntext = open(sys.argv[1]).read()\nif {prints!r}:\n    print({prints!r})"
    result = use(context, "python", source, "longest.py")
    assert (result.outcome, result.text) == (outcome, text)


@pytest.mark.parametrize(
    ("says", "told"),
    [("prints Ida and Tom", True), ("prints nothing", False), ("counts as it should", False)],
)
def test_a_program_that_prints_nothing_where_it_is_said_to_print_has_failed(context, says, told):
    context.ledger.begin_turn(f"Write born.py with the names of a month: python3 born.py 5 {says}.")
    result = use(context, "python", "import sys\nif sys.argv[1] == '05':\n    print('Ida')", "born.py")
    assert ("born.py: python3 born.py 5 prints nothing" in result.text) == told


@pytest.mark.parametrize(
    "says", ["prints the lines that have milk", "prints all names of May", "shows an error if there is none"]
)
def test_a_program_may_find_nothing_to_print(context, says):
    (context.workspace.root / "notes.txt").write_text("tea\n")
    context.ledger.begin_turn(f"Write find.py for notes.txt: python3 find.py 5 {says}.")
    source = "import sys\nfor line in open('notes.txt'):\n    if sys.argv[1] in line:\n        print(line)"
    assert "prints nothing" not in use(context, "python", source, "find.py").text


def test_a_program_for_any_file_may_print_nothing_of_it(context):
    (context.workspace.root / "menu.txt").write_text("tea\ncoffee\n")
    context.ledger.begin_turn("Write twice.py: python3 twice.py FILE prints the lines that FILE has twice.")
    assert use(
        context, "python", "import sys\nprint(*open(sys.argv[1]), file=open('/dev/null', 'w'))", "twice.py"
    ).ok


def test_a_program_that_breaks_an_example_is_told_its_common_mistake(context):
    context.ledger.begin_turn('Write initials.py: initials("ada byron") returns "A.B."')
    result = use(context, "python", "def initials(name):\n    return name[0] + name[1]", "initials.py")
    assert "for word in name.split()" in result.text


@pytest.mark.parametrize(
    ("call", "right", "says"),
    [
        ("python3 a.py 135", "2 h 15 min", "; 135 // 60 is 2, and 135 % 60 is 15"),
        ("height(70)", "5 ft 10 in", "; 70 // 12 is 5, and 70 % 12 is 10"),
        ("python3 a.py 135", "1 h 15 min", ""),
        ("python3 a.py 2 15", "2 h 15 min", ""),
        ("python3 a.py 135", "135", ""),
    ],
)
def test_how_a_number_is_divided_is_said(call, right, says):
    assert output_match.describe_parts(call, right) == says


@pytest.mark.parametrize(
    ("task", "printed"),
    [("prints on or off, in capitals", "ON"), ("gibt an oder aus, großgeschrieben", "AN")],
)
def test_words_that_are_wanted_in_capitals_are_right_so(task, printed):
    assert sample_lines.find_other_case(task, printed) == {}


def test_another_order_at_random_is_no_misprint():
    assert (
        sample_lines.find_misprint(
            "prints three names in random order, for example Ann Bob Cid", "Cid Ann Bob"
        )
        is None
    )


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("Zorro emma Dracula should give Dracula, emma, Zorro, one per line.", "Dracula\nemma\nZorro"),
        ("2024-12-24 -> Tuesday", "Tuesday"),
        ("Anna => Hello Anna", "Hello Anna"),
        ("4 -> 4 is even", "4 is even"),
        ('"Big Day.JPG" should print big-day.jpg (all small letters)', "big-day.jpg"),
        ('speech.txt prints the word that occurs most often, and how often: here it\'s "we 5"', "we 5"),
        ("7 affiche de 7 x 1 = 7 jusqu'à 7 x 9 = 63, une ligne par produit", "7 x 1 = 7\n...\n7 x 9 = 63"),
        ('"TEXT" prints 5', ""),
        ('"tea at four" prints four at tea.', "four at tea"),
        ("'the old man' gives The Old Man", "The Old Man"),
        ("3 Plum prints Plum on three lines", "Plum\nPlum\nPlum"),
        ("Ann Bob prints two lines, 1. Ann and 2. Bob.", "1. Ann\n2. Bob"),
        ("9 2 should print two lines: highest 9, average 5.5 (one decimal).", "highest 9\naverage 5.5"),
        ("9 2 should print two lines: the highest, the average.", ""),
        ("2 3 should print the sum of the numbers given, 5.", "5"),
        ("Anna says Hello, Anna!", "Hello, Anna!"),
        ("a b a prints a: 2 and b: 1 on separate lines", "a: 2\nb: 1"),
        ("Lena gibt Hallo Lena aus.", "Hallo Lena"),
        ("Anna prints Anna backwards.", ""),
        ("anna prints Anna capitalized.", ""),
        ("Lena affiche Lena en majuscules", ""),
        ("Plum 3 prints Plum three times.", ""),
        ("12 -> even or odd.", ""),
        ('add "Buy milk" -> saves it', ""),
        ("Paris prints Weather in Paris", ""),
        ("file.txt prints the number of lines", ""),
        ("notes.txt prints notes.txt", ""),
        ("Anna prints the name Anna and the length on two lines", ""),
        ("5 prints the numbers from 1 to 5", ""),
        ("a.txt b.txt prints a.txt and b.txt side by side", ""),
        ("Anna prints Anna's birthday.", ""),
        ("5 shows 5 random numbers", ""),
        ("3 prints three lines", ""),
        ("Anna says hello to Anna", ""),
        ("Anna says Hello to the user.", ""),
        ("Rome gives the weather in Rome, 3 days.", ""),
        ("Rome -> the weather in Rome", ""),
        ("7 -> error message", ""),
        ("red prints Red if red is a colour", ""),
    ],
)
def test_a_result_without_quotes_is_read_where_its_words_are_known(words, right):
    found = command_examples.find_examples(f"Write a.py: python3 a.py {words}", "a.py", LANGUAGES["python"])
    assert [given for _, given in found] == ([right] if right else [])


ONE_OF = "Write v.py: python3 v.py 7 prints valid or invalid."


def test_one_of_two_words_stands_alone():
    assert sample_lines.find_other_case(ONE_OF, "Valid ISBN") == {"Valid ISBN": "valid"}
    assert sample_lines.find_other_case(ONE_OF, "It is invalid.") == {"It is invalid.": "invalid"}
    assert sample_lines.find_other_case(ONE_OF, "invalid") == {}
    assert sample_lines.find_other_case("t.py prints yes or no.", "No such file") == {}
    assert sample_lines.find_other_case(ONE_OF, "valid or invalid") == {}


@pytest.mark.parametrize(
    ("printed", "more"),
    [
        ("1 x 50\n2 x 20\n1 x 20", True),
        ("Coins:\n1 x 50\n2 x 20\n\nDone.", False),
        ("1 x 50\n2 x 20", False),
        ("1 x 50", False),
    ],
)
def test_further_lines_of_the_same_form_are_wrong(printed, more):
    assert output_match.has_more_alike(printed, "1 x 50\\n2 x 20") == more
    assert not output_match.has_more_alike(printed, "1 x 50")
    assert not output_match.has_more_alike(printed, "1 x 50\nDone.")


def test_a_program_that_prints_further_lines_has_failed(context):
    context.ledger.begin_turn('Write a.py: python3 a.py 90 prints "1 x 50" and then "2 x 20".')
    result = use(context, "python", "import sys\nsys.argv[1]\nprint('1 x 50\\n2 x 20\\n1 x 20')", "a.py")
    assert "right is '1 x 50\\n2 x 20'" in result.text


def test_the_command_of_a_task_is_run_whatever_its_verb(context):
    task = "Write a.py: python3 a.py 3 puts the names in groups of 3"
    context.ledger.begin_turn(task)
    result = use(context, "python", "import sys\nprint(sys.argv[1], 'of them')", "a.py")
    assert result.text == "$ python3 a.py 3\n3 of them"
    context.ledger.begin_turn("Write b.py: python3 b.py sales.csv units, and it prints their sum")
    assert "$ python3 b.py" not in use(context, "python", "import sys\nprint(sys.argv[1])", "b.py").text
