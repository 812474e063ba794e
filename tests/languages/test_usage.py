"""The worked examples of a request that are commands: found, run, and held against what they print."""

import pytest
from tests.filing import open_plain, put, use

from tripletick.languages.registry import detect_language
from tripletick.tools import command_arguments
from tripletick.tools.command_arguments import (
    describe_argument,
    find_fixed_argument,
    find_shown_command,
    find_unasked_input,
    find_unread_argument,
)
from tripletick.tools.command_examples import find_examples
from tripletick.tools.output_match import shows_result

ADD = "import sys\nprint(sum(map(int, sys.argv[1:])))"
TIMES = ADD.replace("sum(map(int, sys.argv[1:]))", "int(sys.argv[1]) * int(sys.argv[2])")


CHOIR = 'python3 add.py "Choir: 2"'


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
        ('`python3 add.py "a b"` prints\n+--+\n| a |\n\nand more', [('python3 add.py "a b"', "+--+\n| a |")]),
        (f"{CHOIR} prints choir-2. Small letters", [(CHOIR, "choir-2")]),
        ('python3 add.py "it prints" b prints\n+--+\n|b |', [('python3 add.py "it prints" b', "+--+\n|b |")]),
        ("python3 add.py 2 prints well-formed words", []),
        ("python3 add.py 2 prints:\n4\n5", [("python3 add.py 2", "4\n5")]),
        ("python3 add.py 1 prints 1. python3 add.py 1 prints 2.", [("python3 add.py 1", "1")]),
        ('"python3 add.py 20" gibt 68.0 aus', [("python3 add.py 20", "68.0")]),
        ("I'd say python3 add.py 2 -> -2.5", [("python3 add.py 2", "-2.5")]),
        ('python3 add.py prints "04.5" but it should be "16.75". Fix it', [("python3 add.py", "16.75")]),
        ("python3 add.py 2 3 prints 23 instead of 5. Fix it.", [("python3 add.py 2 3", "5")]),
        ("Fix it: python3 add.py 2 3 prints 23 when it should print 5.", [("python3 add.py 2 3", "5")]),
        ('python3 add.py 2 3 prints "23" instead of "5"', [("python3 add.py 2 3", "5")]),
        ('Fix it: python3 add.py 4 it says "23", not "5"', [("python3 add.py 4", "5")]),
        ("Fix it so that python3 add.py 2 3 prints 5", [("python3 add.py 2 3", "5")]),
        ("Fix it: python3 add.py 2 3 prints 23", []),
        ("$ python3 add.py 2 3\n23\n\nThat is wrong.", []),
        ("add.py no suma bien: imprime 12.52.33.0 en vez de 17.8. Arréglalo.", [("python3 add.py", "17.8")]),
        ("add.py prints 4 instead of 5", [("python3 add.py", "5")]),
        ("fix add.py, which prints 'a b' but should print 'a-b'", [("python3 add.py", "a-b")]),
        ("add.py 3 prints 4 instead of 5", []),
        ("python3 add.py 4 prints 'a b'. It should print 'a-b'.", [("python3 add.py 4", "a-b")]),
        ('add.py prints "7.00" for 7 8. It should print "7.50".', [("python3 add.py 7 8", "7.50")]),
        ("`python3 add.py 5` prints Sum: 53, it should print Sum: 8. Fix", [("python3 add.py 5", "Sum: 8")]),
        ("fix it: python3 add.py 5 3 prints Sum: 53 instead of Sum: 8", [("python3 add.py 5 3", "Sum: 8")]),
        ("e.g. `python3 add.py ada lovelace` prints AL.", [("python3 add.py ada lovelace", "AL")]),
        ("`python3 add.py a b` prints all in capitals: A B AND AB!", []),
        ("`python3 add.py is it` prints all in capitals: IS IT!", [("python3 add.py is it", "IS IT!")]),
        ("`python3 add.py a` prints JSON.", []),
        ("Write add.py: python3 add.py 135 prints 2 h 15 min.", [("python3 add.py 135", "2 h 15 min")]),
        ("python3 add.py 8 prints 5 lines of text.", []),
        ("python3 add.py 7 gibt ja aus, sonst nein.", [("python3 add.py 7", "ja")]),
        ("python3 add.py 8 prints yes if it is even", []),
        ("python3 add.py 8 prints no lines.", []),
        (
            "python3 add.py 7 prints the table from 7 x 1 = 7 to 7 x 10 = 70, one per line.",
            [("python3 add.py 7", "7 x 1 = 7\n...\n7 x 10 = 70")],
        ),
        ("$ python3 add.py 5\n1\n...\n5", [("python3 add.py 5", "1\n...\n5")]),
        ("$ python3 add.py 5\n1, 2, ...", []),
        ("Write add.py. It prints 5", []),
        ("python3 add.py 20 geeft de temperatuur, met één cijfer (68.0).", [("python3 add.py 20", "68.0")]),
        ("python3 add.py 3 prints the table up to 10 (not 12)", []),
        ("Fix it. It should print\n$ python3 add.py 2 3\n5", [("python3 add.py 2 3", "5")]),
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
        ('"python3 add.py 5" prints 5.', "import sys\nprint(sys.stdin.read(), sys.argv[2:])"),
        ('"python3 add.py 5" prints "5 6".', "print('first')\nprint(5,  6)"),
    ],
)
def test_what_wants_a_file_or_somebody_who_types_tells_nothing(context, task, source):
    context.ledger.begin_turn(task)
    assert use(context, "python", source, "add.py").outcome == "ok"


@pytest.mark.parametrize(
    ("task", "source"),
    [
        ('"python3 add.py 2 3" prints Sum: 5.', "print('Sum: 5')"),
        ('"python3 add.py 2 3" prints the sum: 5', "print('2 + 3 = 5')"),
        ('"python3 add.py 2 x" prints "x is no number".', "sys.exit('x is no number')"),
        ("$ python3 add.py 2 3\nSums\n====\n\n5\n", "print('Sums\\n====\\n\\n5')"),
        ('"python3 add.py 2 3" prints "2\\n3"', "print(2)\n    print(3)"),
        ("python3 add.py 9 should tell if it is a prime, with exit code 1 if not", "sys.exit('9 is none')"),
    ],
)
def test_a_program_that_prints_what_is_right_in_its_own_form_holds_the_example(context, task, source):
    context.ledger.begin_turn(task)
    source = f"import sys\nif sys.argv[1:]:\n    {source}"
    assert use(context, "python", source, "add.py").outcome == "ok"


@pytest.mark.parametrize(
    ("task", "source"),
    [
        ('"python3 add.py" prints "heads"', "import random\nprint(random.choice(['tails']))"),
        ('"python3 add.py" prints "25 days"', "import datetime\nprint(datetime.date.today())"),
        (
            '"python3 add.py add tea" saves it, "python3 add.py list" prints "1. tea".',
            "import sys\nif sys.argv[1] == 'add': open('list', 'a').write('tea')\nelse: print()",
        ),
        ("python3 add.py x.txt returns 3 if it is missing.", "import sys\nif sys.argv[1:]: sys.exit(3)"),
        ("python3 add.py returns 0 when all is fine.", "print('ok')"),
        ("`python3 add.py x` should return 3.", "import sys\nif sys.argv[1:]: sys.exit(3)"),
        ('"python3 add.py 60" prints "up"', "import sys, time\nif sys.argv[1:]: time.sleep(60)\nprint('up')"),
    ],
)
def test_what_chance_the_clock_or_an_earlier_command_decides_is_no_example(
    context, monkeypatch, task, source
):
    monkeypatch.setattr("tripletick.tools.example_runs.SECONDS", 1)
    context.ledger.begin_turn(task)
    assert use(context, "python", source, "add.py").outcome == "ok"


@pytest.mark.parametrize(
    ("task", "path", "source", "told"),
    [
        (
            "python3 add.py 12 prints a password",
            "add.py",
            "print(12)",
            "python3 add.py 12 gives it an argument",
        ),
        (
            "start it as 'python3 add.py notes.txt'",
            "add.py",
            "print(input())",
            "sys.argv[1] is the first one",
        ),
        ("python3 add.py < ox prints 2", "add.py", "print(len(input()))", ""),
        ("python3 add.py ox prints the length, here 2", "add.py", "print(len(input()))", "python3 add.py ox"),
        ("python3 add.py FILE counts its lines", "add.py", "print(len(open('FILE').read()))", "add.py FILE"),
        ('"bash a.sh DIR" lists it', "a.sh", "ls", '"$1" is the first one'),
        ("node a.js 'x y' repeats it", "a.js", "console.log('x y')", "process.argv[2]"),
        ("python3 add.py 12 prints it", "add.py", "import sys\nprint(sys.argv[1:])", ""),
        ("run python3 add.py and tell me; python3 add.py. Then stop", "add.py", "print(1)", ""),
        ("run python3 add.py 3 times", "add.py", "print(1)", ""),
        ("after python3 add.py out.txt should contain it", "add.py", "open('out.txt', 'w')\nprint(1)", ""),
        ("danach soll python3 add.py 3 Zeilen ausgeben", "add.py", "print(1)", ""),
        ("with python3 add.py 2 folders are made", "add.py", "print(1)", ""),
        ("python3 add.py e.g. prints 1, python3 add.py and/or it", "add.py", "print(1)", ""),
        ("python3 add.py > out.txt", "add.py", "print(1)", ""),
        ("python3 other.py 3", "add.py", "print(1)", ""),
        ("add.py N: print N numbers", "add.py", "print(1)", "add.py N gives it an argument"),
        (
            "python3 add.py 12 prints so many",
            "add.py",
            "n = 12\nprint(n + 112)",
            "first one, in place of 12: n = int(sys.argv[1])",
        ),
        (
            "add.py FILE: count",
            "add.py",
            "print(open('a.txt'))",
            "sys.argv[1] is the first one, in place of 'a.txt': print(open(sys.argv[1]))",
        ),
        ("write add.py <file>, which counts", "add.py", "print(1)", "add.py <file> gives it an argument"),
        ("mend add.py ASAP. In add.py I have a bug", "add.py", "print(1)", ""),
        ("ruby a.rb 2 doubles it", "a.rb", "puts 4", ""),
        (
            "bash a.sh 3 prints 3, 2 and 1, each on its own line",
            "a.sh",
            "for i in {3..1}; do\n  echo $i\ndone",
            'in place of 3: for i in $(seq "$1" -1 1); do',
        ),
    ],
)
def test_a_program_that_is_given_an_argument_reads_it(task, path, source, told):
    said = (find_unread_argument(task, path, source, language(path)) or ("",))[0]
    assert told in said and bool(told) is bool(said)


@pytest.mark.parametrize(
    ("task", "path", "said"),
    [
        ("add.py FILE: count", "add.py", "In add.py FILE, sys.argv[1] is FILE."),
        (
            "python3 add.py 135 prints 2 h 15 min.",
            "add.py",
            "In python3 add.py 135, sys.argv[1] is 135; 135 // 60 is 2, and 135 % 60 is 15.",
        ),
        (
            "python3 add.py 12 3 prints 15",
            "add.py",
            "In python3 add.py 12 3, sys.argv[1] is 12, sys.argv[2] is 3, and sys.argv[1:] are all.",
        ),
        (
            "`node a.js hi you` shouts",
            "a.js",
            "In node a.js hi you, process.argv[2] is hi, process.argv[3] is you",
        ),
        ('"bash a.sh DIR" lists it', "a.sh", 'In bash a.sh DIR, "$1" is DIR.'),
        ("write add.py, which counts", "add.py", ""),
        ("ruby a.rb 2 doubles it", "a.rb", ""),
    ],
)
def test_how_a_program_gets_its_argument_is_said(task, path, said):
    found = describe_argument(task, path, language(path))
    assert found.startswith(said) and bool(said) is bool(found)


@pytest.mark.parametrize(
    ("task", "command"),
    [
        ("python3 add.py 12 prints a password", "python3 add.py 12"),
        ("call it like 'python3 add.py \"a b\" -n 3' or so", 'python3 add.py "a b" -n 3'),
        ("python3 add.py 5, then stop", "python3 add.py 5"),
        ("python3 add.py FILE 3 counts", ""),
        ("python3 add.py and then 5", ""),
        ("python3 add.py 100 usd eur converts them", ""),
    ],
)
def test_the_command_that_a_task_shows_is_found(task, command):
    assert find_shown_command(task, "add.py", language("add.py")) == command


@pytest.mark.parametrize(
    ("printed", "right", "holds"),
    [
        ("Average: 6.0", "6", True),
        ("total 17.80", "17.8", True),
        ("Average: 6.5", "6", False),
        ("60.0", "60.00", False),
        ("6 is the average of 3", "6", False),
    ],
)
def test_a_number_is_met_at_the_end_of_a_line(context, printed, right, holds):
    put(context, "add.py", "")
    context.ledger.begin_turn(f"python3 add.py should print {right}")
    assert use(context, "python", f"print({printed!r})", "add.py").ok is holds


def test_a_program_that_the_command_of_the_task_ends_has_failed(context):
    context.ledger.begin_turn("python3 add.py 12 prints a password")
    source = "if __name__ == '__main__':\n    print(int(sys.argv[1]) + 1)"
    result = use(context, "python", source, "add.py")
    assert (
        "python3 add.py 12 fails on line 2, print(int(sys.argv[1]) + 1): NameError: name 'sys' is not"
        in result.text
    )
    result = use(context, "python", f"import sys\n{source}", "add.py")
    assert (result.verdict, result.text) == ("ok, saved add.py", "$ python3 add.py 12\n13")


@pytest.mark.parametrize(
    "source",
    [
        "import sys\nif sys.argv[1:]: sys.exit('Usage: add.py A B')\nprint()",
        "import sys\nif sys.argv[1:]: raise ConnectionError('no network')\nprint()",
    ],
)
def test_what_a_shown_command_lacks_is_no_fault_of_the_program(context, source):
    context.ledger.begin_turn("python3 add.py 12 prints a password")
    assert use(context, "python", source, "add.py").outcome == "ok"


def test_a_program_that_prints_the_name_of_its_file_has_not_read_it(context):
    put(context, "verses.txt", "one\nthe longest of them\n")
    context.ledger.begin_turn("Write a.py: python3 a.py verses.txt prints the longest line of the file.")
    result = use(context, "python", "import sys\nprint(max(sys.argv[1].split('\\n'), key=len))", "a.py")
    assert result.outcome == "failed" and "prints the name of the file" in result.text


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("print(int(sys.argv[1]) * 60)", "'3:25'.split(':') gives its 2 parts"),
        (
            "def f(t):\n    a, b = t.split(':')\n    return int(a)\nprint(f('3:25'))",
            "print(f(sys.argv[1]))",
        ),
    ],
)
def test_an_argument_of_two_parts_that_is_read_wrongly_is_told(context, source, said):
    context.ledger.begin_turn("Write seconds.py: python3 seconds.py 3:25 prints 205.")
    result = use(context, "python", f"import sys\n{source}", "seconds.py")
    assert result.outcome == "failed" and said in result.text


FARES = "Under 6: 0.00, 6 to 15: 4.00, 16 and over: 8.00."
FARE = (
    "import sys\nage = int(sys.argv[1])\nprint(f'{{0 if age < 6 else 8 if age {sign} 16 else 4:.2f}}'{unit})"
)


@pytest.mark.parametrize("unit", ["", ", 'EUR'"])
@pytest.mark.parametrize(("sign", "outcome"), [(">=", "ok"), (">", "failed")])
def test_the_steps_of_a_task_are_examples(context, unit, sign, outcome):
    context.ledger.begin_turn(f"Write fare.py, which prints the fare for an age. {FARES}")
    result = use(context, "python", FARE.format(unit=unit, sign=sign), "fare.py")
    assert result.outcome == outcome
    assert outcome == "ok" or "python3 fare.py 16 prints" in result.text


MEAN = "import sys\nprint(sum(map(int, sys.argv[1:])) / (len(sys.argv) - {less}))"


@pytest.mark.parametrize(
    ("less", "outcome", "said"),
    [
        (1, "ok", "$ python3 mean.py 2 4 6\n4.0"),
        (4, "failed", "mean.py: python3 mean.py 2 4 6 fails on line 2"),
    ],
)
def test_a_program_that_fails_without_arguments_is_judged_by_those_of_the_task(context, less, outcome, said):
    context.ledger.begin_turn("python3 mean.py 2 4 6 prints 3.0, but the mean is 4.0. Fix mean.py.")
    result = use(context, "python", MEAN.format(less=less), "mean.py")
    assert result.outcome == outcome and result.text.startswith(said)


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ('if [ -z "$1" ]; then echo "Usage: $0 DIR"; exit 1; fi\nls "$1"', "takes arguments"),
        ('for file in "$1"/*; do mv "$file" "${file,,}"; done', "takes arguments"),
        ('hi() { echo "hi $1"; }\nhi Ada', "ok, saved a.sh"),
        ("echo one two | awk '{print $1}'", "ok, saved a.sh"),
        ('# the $1 is none\necho "$0"', "ok, saved a.sh"),
    ],
)
def test_a_script_that_wants_arguments_has_not_failed_without_them(context, source, status):
    result = use(context, "bash", source, "a.sh")
    assert result.outcome == "ok" and status in result.verdict


def test_a_command_that_fails_is_told_with_its_last_line(context):
    context.ledger.begin_turn('"python3 add.py two" prints 2.')
    result = use(context, "python", "import sys\nif sys.argv[1:]: print(int(sys.argv[1]))", "add.py")
    assert result.text.startswith("add.py: python3 add.py two fails on line 2, if sys.argv[1:]: print(int(")
    assert ": ValueError: invalid literal for int" in result.text


GREETS = 'Write a.sh: `bash a.sh Lena` prints "Good morning, Lena!", and without a name "Good morning!"'


@pytest.mark.parametrize(
    ("source", "fixed"),
    [
        ('if [ "$1" == "Lena" ]; then echo "Good morning, Lena!"; fi', True),
        ('echo "Good morning, $1!"', False),
        ('# as in Lena\necho "Good morning${1:+, $1}!"', False),
        ('[ "$1" == "Lena" ] && echo "Good morning, $1!"', False),
        ("names = {'Lena': 'Good morning, Lena!'}\nprint(names[sys.argv[1]])", False),
        ("if sys.argv[1] in ['Ada', 'Lena']:\n    print(f'Good morning, {sys.argv[1]}!')", False),
    ],
)
def test_a_program_does_not_know_the_argument_of_an_example_by_heart(source, fixed):
    said = find_fixed_argument(GREETS, "a.sh", source, language("a.sh"))
    assert bool(said) == fixed
    assert not fixed or said.startswith("'Lena' in bash a.sh Lena is only an example")


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ("mkdir -p 5b/tests\ncd 5b", 'mkdir -p "$1"/tests\ncd "$1"'),
        ("mkdir -p x5b", None),
        ("# 5b\nmkdir tests", None),
        ("5b=1\nmkdir 5b", None),
        ("for 5b in *; do echo 5b; done", None),
        ("echo 'the 5b of all'", None),
        ("mkdir 'my 5b' 5b", None),
        ('mkdir 5b\necho "Class 5b" > 5b/list.txt', 'mkdir "$1"\necho "Class $1" > "$1"/list.txt'),
    ],
)
def test_the_argument_of_an_example_in_a_script_is_read(source, right):
    task = "Write a.sh: `bash a.sh 5b` makes a folder 5b with the folder tests."
    found = find_unread_argument(task, "a.sh", source, language("a.sh"))
    assert ((found and found.source) or None) == right


@pytest.mark.parametrize(
    ("path", "source", "right"),
    [
        ("count.sh", "grep -c . songs.txt", 'grep -c . "$1"'),
        ("count.py", "print(len(open('songs.txt').readlines()))", "open(sys.argv[1])"),
        ("count.sh", 'grep -c . "$1"  # songs.txt', None),
    ],
)
def test_the_file_of_an_example_is_not_written_down(path, source, right):
    start = "bash" if path.endswith(".sh") else "python3"
    task = f"Write {path}: {start} {path} songs.txt prints 5."
    found = find_unread_argument(task, path, source, language(path))
    assert (right in found.source) if right and found else found is right


def test_a_name_behind_which_something_is_there_is_an_argument():
    task = "Write new.sh: it makes a folder. After bash new.sh chess there is chess/list.txt."
    found = find_unread_argument(task, "new.sh", "mkdir -p chess\ntouch chess/list.txt\n", language("new.sh"))
    assert found and found.source == 'mkdir -p "$1"\ntouch "$1"/list.txt\n'
    assert not find_unread_argument(
        "Write new.sh: bash new.sh then creates a folder.", "new.sh", "mkdir then\n", language("new.sh")
    )
    for word in ("twice", "automatically", "today", "again"):
        task = f"Write new.sh: bash new.sh {word} creates a folder."
        assert not find_unread_argument(task, "new.sh", f"mkdir {word}\n", language("new.sh"))


@pytest.mark.parametrize(
    ("source", "fixed"),
    [
        ('echo "5"', True),
        ("echo 5", True),
        ('grep -c . "$1"', False),
        ("wc -l < songs.txt | sed s/5/5/", False),
        ("while read -r line; do echo 5; done", False),
    ],
)
def test_a_result_that_is_only_written_down_is_told(source, fixed):
    task = "Write count.sh. bash count.sh songs.txt prints 5."
    assert bool(find_fixed_argument(task, "count.sh", source, language("count.sh"))) == fixed


@pytest.mark.parametrize("behind", ["now", "--version", "> out.txt", "| head -1", "< in.txt", "2>/dev/null"])
def test_a_result_without_an_argument_may_be_written_down(behind):
    task = f"Write five.sh: `bash five.sh {behind}` prints 5."
    assert find_fixed_argument(task, "five.sh", "echo 5\n", language("five.sh")) == ""


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ('print(f"{i} x 3 = {i * 3}")', "print(f'{i} x {sys.argv[1]} = {i * int(sys.argv[1])}')"),
        ('print(i, "x 3 =", i * 3)', "print(i, f'x {sys.argv[1]} =', i * int(sys.argv[1]))"),
        ('print(f"{i} x 3.5 = {i * 3}")', "print(f'{i} x 3.5 = {i * int(sys.argv[1])}')"),
        ('n = 3\n    print(f"{i} x {n} = {i * n}")', "n = int(sys.argv[1])"),
    ],
)
def test_a_number_that_is_written_down_is_read_in_all_its_places(source, line):
    task = "Write table.py: python3 table.py 3 prints the table of 3. It must work for other numbers too."
    found = find_unread_argument(
        task, "table.py", f"for i in range(1, 11):\n    {source}\n", language("table.py")
    )
    assert found and found.told.endswith(f"in place of 3: {line}") and line in found.source


@pytest.mark.parametrize(
    ("path", "words", "source", "right"),
    [
        ("a.js", "9 2 5", "const a = [9, 2, 5];", "const a = process.argv.slice(2).map(Number);"),
        ("a.js", '"tea" "milk"', "const a = ['tea', 'milk'];", "const a = process.argv.slice(2);"),
        ("a.py", "9 2", "a = [9, 2]", "import sys\na = [int(each) for each in sys.argv[1:]]"),
        ("a.py", "9.5 2", "a = [9.5, 2]", "import sys\na = [float(each) for each in sys.argv[1:]]"),
        ("a.py", "9 2", "a = [9, 2]\nb = [9, 2]", None),
        ("a.py", "9 2", "a = [9, 2, 3]", None),
    ],
)
def test_a_list_of_all_arguments_is_read_as_one(path, words, source, right):
    start = "node" if path == "a.js" else "python3"
    task = f"Write {path}: {start} {path} {words} should print the highest."
    found = find_unread_argument(task, path, source, language(path))
    assert (
        (found and "in place of [" in found.told and found.source) == right
        if right
        else not (found and "in place of [" in found.told)
    )


@pytest.mark.parametrize(
    ("words", "source", "fixed"),
    [
        ('"maria luisa gomez" -> MLG', "sys.argv[1] = 'MLG'\nprint(sys.argv[1])", True),
        ('"maria luisa gomez" -> MLG', "print(''.join(w[0].upper() for w in sys.argv[1].split()))", False),
        ("'tea at four' prints four at tea", "print('four at tea')", True),
        ("4 prints even", "print('odd' if int(sys.argv[1]) % 2 else 'even')", False),
        ('"the lazy fox says yes" prints yes', "print('yes' if len(sys.argv[1]) > 9 else 'no')", False),
        ('administrator prints "admin"', "print('admin')", True),
        ("administrator prints admin", "print({'a': 'admin'}[sys.argv[1][0]])", False),
        ("level prints yes", "print('yes' if sys.argv[1] == sys.argv[1][::-1] else 'no')", False),
    ],
)
def test_a_program_does_not_know_the_output_of_an_example_by_heart(words, source, fixed):
    said = find_fixed_argument(f"Write a.py: python3 a.py {words}", "a.py", source, language("a.py"))
    assert ("is what python3 a.py" in said) == fixed


@pytest.mark.parametrize(
    ("task", "source", "told"),
    [
        ("Write a.py that asks for a temperature", "import sys\nprint(float(sys.argv[1]))", True),
        ("Write a.py that asks for a temperature", "print(float(input()))", False),
        ("Write a.py that asks for a name, as python3 a.py 3", "import sys\nprint(sys.argv[1])", False),
        ("Write a.py that prints a temperature", "import sys\nprint(sys.argv[1])", False),
        ("My teacher asks me to write a.py, it shouts", "import sys\nprint(sys.argv[1])", False),
    ],
)
def test_a_program_that_is_to_ask_does(task, source, told):
    assert bool(find_unasked_input(task, "a.py", source, language("a.py"))) == told


@pytest.mark.parametrize(
    ("command", "argument"),
    [("`node a.js hello there`", "hello"), ("node a.js hello", None), ("`node a.js`", None)],
)
def test_what_stands_between_backquotes_is_all_of_a_command(command, argument):
    task = f"Write a.js: {command} prints the words loudly"
    said = (find_unread_argument(task, "a.js", "console.log(1)", language("a.js")) or ("",))[0]
    assert ("node a.js hello gives it an argument" in said) if argument else not said


@pytest.mark.parametrize(
    ("task", "printed", "right"),
    [
        ("`python3 add.py 40` prints 46.00", "40.00 + 6.00 = 46.00", False),
        ("`python3 add.py 40` prints 46.00", "46.00", True),
        ("`python3 add.py 40` prints the total: 46.00", "40.00 + 6.00 = 46.00", True),
    ],
)
def test_a_new_program_prints_what_is_shown_and_nothing_beside_it(context, task, printed, right):
    context.ledger.begin_turn(task)
    result = use(context, "python", f"import sys\nif sys.argv[1:]:\n    print({printed!r})", "add.py")
    assert result.ok is right
    assert right or result.text.endswith("; that alone is to be there")


READS = "n = 0\nwhile True:\n    try:\n        n += float(input())\n    except EOFError:\n        break"


@pytest.mark.parametrize(
    ("task", "source", "error"),
    [
        ("Add up what is typed until an empty line", READS, "ValueError: could not convert string to float"),
        ("Add up what is typed", READS, ""),
        ("Say hello to a name that is typed", "name = input()\nprint('Hello', nam)", "NameError: name 'nam'"),
        ("Say hello", "name = input()\nprint('Hello', name)", ""),
        (
            "add.py X Y adds X and Y",
            "import sys\nprint(sys.argv[1] - sys.argv[2])",
            "with 5 3 given it fails: TypeErr",
        ),
        ("add.py X Y adds X and Y", "import sys\nprint(float(sys.argv[1]) + float(sys.argv[2]))", ""),
        ("add.py NAME greets", "import sys\nprint(sys.argv[1], nam)", "with 5 given it fails: NameError"),
        ("add.py NAME shows its price", "import sys\nprint({'tea': 2}.get(sys.argv[1]) * 2)", ""),
        ("add.py DATE shows it", "import re, sys\nprint(re.match('(.+)-', sys.argv[1]).group(1))", ""),
        ("add.py FILE adds", "import sys\nprint(open(sys.argv[1]).read())", ""),
        ("Ask for a date", "import datetime\nprint(datetime.date.fromisoformat(input()))", ""),
    ],
)
def test_a_program_that_is_given_something_is_tried(context, task, source, error):
    context.ledger.begin_turn(task)
    result = use(context, "python", source, "add.py")
    assert result.ok is (not error) and error in result.text


@pytest.mark.parametrize(
    ("task", "source", "says"),
    [
        (
            'Write cut.js, usable as require("./cut.js").cut, with cut(text)',
            "const cut = (text) => text;",
            "it exports nothing, and is to be loaded: its last line must be module.exports = { cut };",
        ),
        ("Write cut.js (CommonJS)", "function cut(text) {}\nmodule.exports = { cut };", ""),
        ("Write cut.js with cut(text)", "function cut(text) {}", ""),
    ],
)
def test_a_module_that_is_to_be_loaded_exports_something(context, task, source, says):
    context.ledger.begin_turn(task)
    result = use(context, "javascript", source, "cut.js")
    assert (result.outcome == "failed" and says in result.text) if says else result.ok


def test_a_count_that_is_lost_behind_its_loop_is_told(context):
    context.ledger.begin_turn("Write count.sh: bash count.sh FOLDER prints how many files it has")
    lost = 'find "$1" | while read -r file; do\n  ((n++))\ndone\necho "$n"'
    result = use(context, "bash", lost, "count.sh")
    assert result.outcome == "failed" and "n is counted in a while loop behind a pipe" in result.text


@pytest.mark.parametrize(
    ("task", "source", "fails"),
    [
        ("print what each pays, two decimals", "print(round(84.5 / 3, 2))", True),
        ("print what each pays, two decimals", "print(f'{84.5 / 3:.2f}')", False),
        ("print what each pays, two decimals", "print(84.5 / 3)", True),
        ("print what each pays, rounded to two decimals", "print(round(84.5 / 3, 2))", False),
        ("print the mean with 1 decimal, and nothing else", "import sys\nx = 1 / 3\nprint(x)", True),
        ("a function that gives it with two decimals", "def f(x):\n    return round(x, 2)", False),
    ],
)
def test_a_number_has_its_decimals_also_where_they_are_zeros(context, task, source, fails):
    context.ledger.begin_turn(f"Write pay.py: {task}")
    result = use(context, "python", source, "pay.py")
    assert result.ok is not fails
    assert (":.2f}" in result.text or "{x:.1f}" in result.text) is fails


@pytest.mark.parametrize(
    ("printed", "right", "shown"),
    [
        ("1\n2\n3\n", "1\n...\n3", True),
        ("1\n3\n", "1\n…\n3", True),
        ("1\n", "1\n...\n1", False),
        ("3\n2\n1\n", "1\n...\n3", False),
        ("1\n2\n33\n", "1\n...\n3", False),
    ],
)
def test_lines_of_an_output_may_be_left_out(printed, right, shown):
    assert shows_result(printed, right) is shown


@pytest.mark.parametrize(
    ("rows", "code", "right"),
    [
        (
            "Blue Lake 3:45\nStay 2:58\n",
            "title, time = line.strip().split()",
            "title, time = line.strip().rsplit(maxsplit=1)",
        ),
        ("500 g flour\n2 eggs\n", "n, what = line.split(' ')", "n, what = line.split(maxsplit=1)"),
        ("a b c\n", "one, other = line.split()", ""),
    ],
)
def test_a_part_of_a_line_that_has_blanks_is_kept_whole(context, rows, code, right):
    (context.workspace.root / "list.txt").write_text(rows)
    context.ledger.begin_turn("Write add.py: python3 add.py list.txt prints what it holds, line by line")
    source = f"import sys\nfor line in open(sys.argv[1]):\n    {code}\n    print(line)\n"
    result = use(context, "python", source, "add.py")
    assert "fails on line 3" in result.text and (not right or right in result.text)
    assert context.ledger.corrected == (source.replace(code, right) if right else "")


@pytest.mark.parametrize(
    ("task", "printed", "right"),
    [
        ('python3 add.py b prints "a & b" and then "c"', "a & b\nc & ", False),
        ('python3 add.py b prints "a & b" and then "c"', "a & b\nc", True),
        ("python3 add.py 'ada may' prints A.M. - each letter", "A.", False),
        ("python3 add.py 'ada may' prints A.M. - each letter", "A.M.", True),
        (
            'python3 add.py list.txt prints every amount doubled. A line: "2 eggs" becomes "4 eggs"',
            "2 eggs",
            False,
        ),
        (
            'python3 add.py list.txt prints every amount doubled. A line: "2 eggs" becomes "4 eggs"',
            "1 g\n4 eggs",
            True,
        ),
    ],
)
def test_more_ways_to_show_what_is_printed(context, task, printed, right):
    (context.workspace.root / "list.txt").write_text("1 g\n2 eggs\n")
    context.ledger.begin_turn(f"Write add.py: {task}")
    result = use(context, "python", f"import sys\nif sys.argv[1:]:\n    print({printed!r})", "add.py")
    assert result.ok is right


def test_a_program_of_javascript_reads_its_argument_in_the_form_that_is_shown(context):
    context.ledger.begin_turn("Write total.js: node total.js a.json prints the names, one per line")
    source = "const all = JSON.parse(require('fs').readFileSync('a.json'));\nconsole.log(all.join());\n"
    (context.workspace.root / "a.json").write_text('["x"]')
    assert use(context, "javascript", source, "total.js").outcome == "failed"
    assert context.ledger.corrected == source.replace("'a.json'", "process.argv[2]")


SCALE = "Write add.py: python3 add.py list.txt 3 prints its numbers times 3"


@pytest.mark.parametrize(
    ("task", "path", "source", "right"),
    [
        (
            SCALE,
            "add.py",
            "if len(sys.argv) < 3:\n    exit('Usage')\nprint(n * 3, sys.argv[1])",
            "",
        ),
        (SCALE, "add.py", "print(open(sys.argv[1]).read())", ""),
        (
            SCALE,
            "add.py",
            "for n in open(sys.argv[1]):\n    print(int(n) * 3)",
            "for n in open(sys.argv[1]):\n    print(int(n) * int(sys.argv[2]))",
        ),
        (SCALE, "add.py", "print(sys.argv[1], sys.argv[2])", None),
        (SCALE, "add.py", "path, n = sys.argv[1:]\nprint(sys.argv[1])", None),
        (SCALE, "add.py", "print(argparse, sys.argv[1])", None),
        ("bash add.sh a.txt b.txt prints both", "add.sh", 'cat "$1" "b.txt"', 'cat "$1" "$2"'),
        ("bash add.sh a.txt b.txt prints both", "add.sh", 'cat "$@"; echo $1', None),
        ("bash add.sh a.txt prints it", "add.sh", 'cat "$1"', None),
    ],
)
def test_each_argument_of_a_task_is_read(task, path, source, right):
    found = command_arguments.find_unread_others(task, path, source, language(path))
    assert (found[1] if found else None) == right


@pytest.mark.parametrize(
    ("path", "source", "right"),
    [
        ("a.js", "process.argv.slice(2).map(f)", "process.argv[2].split(' ').map(f)"),
        ("a.py", "for word in sys.argv[1:]: print(word)", "for word in sys.argv[1].split(): print(word)"),
        ("a.py", "print(' '.join(sys.argv[1:]).title())", None),
        ("a.py", "print(sys.argv[1].title())", None),
    ],
)
def test_a_text_between_quotes_is_one_argument(path, source, right):
    task = f'{"node" if path == "a.js" else "python3"} {path} "ada may" prints A.M. for it'
    found = command_arguments.find_whole_text(task, path, source, language(path))
    assert (found[1] if found else None) == right


def test_an_argument_that_a_program_has_written_down_is_told_although_its_example_holds(context):
    (context.workspace.root / "list.txt").write_text("2\n")
    context.ledger.begin_turn(f'{SCALE}: "2" becomes "6".')
    source = "import sys\nfor n in open(sys.argv[1]):\n    print(int(n) * 3)"
    assert "it never reads sys.argv[2], which is 3" in use(context, "python", source, "add.py").text
    assert use(context, "python", source.replace("3)", "int(sys.argv[2]))"), "add.py").ok


@pytest.mark.parametrize(
    ("tag", "path", "source", "outcome"),
    [
        ("python", "double.py", "import sys\n\n# Read the number\nprint(int(sys.argv[1]) + 1)", "failed"),
        ("bash", "double.sh", '# read the number\nn=$1; echo "$((n + 1))"', "failed"),
        ("bash", "double.sh", 'n=$1; while IFS= read -r line; do :; done; echo "$((n + 1))"', "ok"),
    ],
)
def test_a_comment_that_says_read_reads_nothing(context, tag, path, source, outcome):
    runner = {"python": "python3"}.get(tag, tag)
    context.ledger.begin_turn(
        f"Write {path}: {runner} {path} N prints N times two. {runner} {path} 4 prints 8."
    )
    assert use(context, tag, source, path).outcome == outcome


@pytest.mark.parametrize(
    ("source", "example", "right"),
    [
        ("print(sys.argv[1] % 4 == 0)", "2024 prints True", "print(int(sys.argv[1]) % 4 == 0)"),
        ("print(f'{sys.argv[1] * 1.2:.2f}')", "10 prints 12.00", "print(f'{float(sys.argv[1]) * 1.2:.2f}')"),
        ("n = sys.argv[1]\nprint(n / 2)", "2.5 prints 1.25", "n = float(sys.argv[1])\nprint(n / 2)"),
        ("print(sys.argv[1] + 2)", "two prints 4", ""),
        ("print(int(sys.argv[1]) / 'a')", "2 prints 4", ""),
    ],
)
def test_an_argument_that_is_computed_with_becomes_a_number(context, source, example, right):
    context.ledger.begin_turn(f"Write a.py: python3 a.py {example}.")
    result = use(context, "python", f"import sys\n{source}", "a.py")
    assert ("sys.argv holds texts" in result.text) == bool(right), result.text
    assert not right or context.ledger.corrected == f"import sys\n{right}"
