"""The one small change with which the examples of a task hold: found, or nothing is said."""

import shutil

import pytest
from tests.filing import open_plain
from tests.programs import open_bench

from tripletick.languages.registry import LANGUAGES
from tripletick.tools.corrected_program import correct_lines, describe_change
from tripletick.tools.mutations import LARGEST, list_mutants
from tripletick.tools.repair_search import PLACE, find_repair

AVERAGE = """\
import sys
total = days = 0
for line in open(sys.argv[1]):
    total += int(line)
    days += 1
print(total // days)
"""
FIRST = """\
def total(prices):
    result = 0
    for price in prices:
        result += price
        return result


print("Total:", total([3.5, 2, 4]))
"""
LANES = "lanes = 3\nfor lane in range(1, lanes):\n    print(f'Lane {lane}')\n"
VOTES = """\
votes = {}
for name in open('votes.txt').read().split():
    votes.setdefault(name, 0)
    votes[name] = 1
for name in votes:
    print(f'{name}: {votes[name]}')
"""
LIST = """\
names = ['Ann', 'Bob']
for i in range(len(names) + 1):
    print(i + 1, names[i])
"""
CLOCK = "import sys\nm = int(sys.argv[1])\nprint(f'{m // 60}:{m % 60}')\n"
TICKETS = "function cost(n) {\n    const total = n * 12;\n}\nconsole.log(cost(Number(process.argv[2])));\n"
BADGE = 'name = $1\necho "Badge for $name"\n'
OVEN = "import sys\nf = float(sys.argv[1])\nc = f - 32 * 5 / 9\nprint(round(c, 1))\n"
DOWN = "for (let n = process.argv[2]; n > 1; n--) {\n  console.log(n);\n}\nconsole.log('Go!');\n"
TEXT = {"week.txt": "2\n0\n7\n5\n", "votes.txt": "tea milk tea tea\n"}


@pytest.fixture
def context(tmp_path):
    with open_bench(tmp_path) as opened:
        for name, text in TEXT.items():
            (opened.workspace.root / name).write_text(text)
        yield opened


def look(context, path, source, task, *, mends=True):
    context.ledger.begin_turn(task)
    context.ledger.mends = mends
    tags = {"py": "python", "js": "javascript", "sh": "bash"}
    return find_repair(path, source, LANGUAGES[tags[path.rpartition(".")[2]]], context)


@pytest.mark.parametrize(
    ("path", "source", "task", "change"),
    [
        ("a.py", AVERAGE, "python3 a.py week.txt should print 3.5", ("//", "/")),
        ("a.py", AVERAGE, "a.py week.txt prints 3, but the average is 3.5", ("//", "/")),
        ("a.py", AVERAGE, "a.py week.txt: that's 3.5, but I get 3. What's wrong?", ("//", "/")),
        ("a.py", OVEN, "python3 a.py 212 should print 100.0 but prints 194.2", ("f - 32", "(f - 32)")),
        (
            "a.py",
            "import sys\n\nhens = sys.argv[1]\nprint(hens * 120)\n",
            "python3 a.py 3 prints 333333333... instead of 360 (three hens at 120 grams each). fix it",
            ("sys.argv[1]", "int(sys.argv[1])"),
        ),
        ("a.py", FIRST, "the total in a.py should be 9.5, not 3.5", ("        return", "    return")),
        ("a.py", FIRST, "total([1, 2]) gives 1 and not 3, fix a.py", ("        return", "    return")),
        ("a.py", LANES, "a.py leaves out Lane 3", ("lanes)", "lanes + 1)")),
        ("a.js", DOWN, "node a.js 3 prints 3, 2 and then Go! but the 1 is missing", ("> 1", ">= 1")),
        ("a.js", DOWN, "a.js 3 skips the 1", ("> 1", ">= 1")),
        ("a.py", VOTES, "it prints 1 for all, but tea has 3 votes and milk has 1", ("] = 1", "] += 1")),
        ("a.py", LIST, "the list of a.py is right, then it crashes with an IndexError", (" + 1)", ")")),
        ("a.py", CLOCK, "python3 a.py 545 prints 9:5, it should print 9:05", ("60}'", "60:02}'")),
        ("a.js", TICKETS, "node a.js 3 prints undefined and should print 36", ("const total =", "return")),
        ("a.sh", BADGE, 'bash a.sh Omar fails. It should print "Badge for Omar".', ("name = $1", "name=$1")),
    ],
)  # fmt: skip
def test_one_small_change_is_found(context, path, source, task, change):
    before = {each: each.read_bytes() for each in context.workspace.root.iterdir()}
    found = look(context, path, source, task)
    assert found == source.replace(*change, 1), found
    assert {each: each.read_bytes() for each in context.workspace.root.iterdir()} == before
    assert not (context.box.home / PLACE).exists()


@pytest.mark.parametrize(
    ("source", "task"),
    [
        ("print(2)\n", "a.py prints something wrong, fix it"),
        ("print(2)\n", "a.py should print 2"),
        ("print(2)\n", "a.py should print 700"),
        ("print(2\n", "a.py should print 3"),
        ("print(2)\n" + "# more\n" * LARGEST, "a.py should print 3"),
        ("open('made', 'w').write('x')\nprint(2)\n", "a.py should print 700"),
    ],
)
def test_nothing_is_said_without_an_example_that_one_change_meets(context, source, task):
    assert look(context, "a.py", source, task) == ""
    assert not (context.workspace.root / "made").exists()


def test_of_a_new_program_only_its_examples_are_right(context):
    task = "Write a.py that prints the average. A ticket is 2 euros, for 3 people."
    assert look(context, "a.py", "print(4 - 2)\n", task, mends=True)
    assert not look(context, "a.py", "print(4 - 2)\n", task, mends=False)
    assert look(context, "a.py", CLOCK, "python3 a.py 545 prints 9:05", mends=False)


def test_nothing_is_tried_where_no_box_holds(tmp_path):
    with open_plain(tmp_path) as context:
        assert look(context, "a.py", "print(2)\n", "a.py should print 3") == ""


@pytest.mark.parametrize(
    ("path", "source", "right"),
    [
        (
            "slug.py",
            "import sys\nprint(sys.argv[1].lower())\n",
            'import sys\nprint(sys.argv[1].lower().replace(" ", "-"))\n',
        ),
        (
            "slug.sh",
            "echo \"$1\" | tr '[:upper:]' '[:lower:]'\n",
            "echo \"$1\" | tr '[:upper:]' '[:lower:]' | tr ' ' -\n",
        ),
        (
            "slug.js",
            "console.log(process.argv[2]);\n",
            'console.log(process.argv[2].toLowerCase().replaceAll(" ", "-"));\n',
        ),
    ],
)
def test_what_is_printed_in_another_form_gets_that(context, path, source, right):
    runs = {"py": "python3", "sh": "bash", "js": "node"}[path.rpartition(".")[2]]
    if not shutil.which(runs):
        pytest.skip(f"{runs} is not there")
    task = f'Write {path}: {runs} {path} "Red Summer Hat" prints red-summer-hat'
    assert look(context, path, source, task) == right


@pytest.mark.parametrize(
    ("wrong", "right", "task"),
    [
        ("round(b / a, 1)", "round(b / a * 100, 1)", "python3 a.py 450 36 prints 8.0"),
        ("b * a", "b * a / 60", "python3 a.py 90 40 prints 60.0"),
        ("a - a * b", "a - a * b / 100", "python3 a.py 50 10 prints 45.0"),
        ("a * b", "a * (1 + b / 100)", "python3 a.py 100 20 prints 120.0"),
    ],
)
def test_parts_of_a_hundred_and_of_an_hour_are_tried(context, wrong, right, task):
    source = f"import sys\na, b = map(float, sys.argv[1:])\nprint({wrong})\n"
    assert look(context, "a.py", source, f"Write a.py: {task}") == source.replace(wrong, right)


def test_a_condition_is_turned_round_last(context):
    (context.workspace.root / "guests.txt").write_text("Anna\nKurt\n")
    source = (
        "import sys\nwith open('guests.txt') as file:\n    guests = file.readlines()\n"
        "if sys.argv[1] in guests:\n    print('is invited')\nelse:\n    print('is not on the list')\n"
    )
    task = 'python3 guest.py Anna prints "is not on the list". It should print "is invited". Fix guest.py.'
    assert look(context, "guest.py", source, task) == source.replace("readlines()", "read().splitlines()")


def test_a_script_that_complains_of_half_a_name_gets_quotes(context):
    (context.workspace.root / "my notes.txt").write_text("a\nb\nc\n")
    source = '#!/bin/bash\nfile=$1\ncount=$(cat $file | wc -l)\necho "$count lines in $file"\n'
    task = 'bash lines.sh "my notes.txt" says "my: No such file or directory". Fix lines.sh.'
    assert look(context, "lines.sh", source, task) == source.replace("cat $file", 'cat "$file"')


@pytest.mark.parametrize(
    ("source", "right", "task"),
    [
        (
            "import sys\nitems = sys.argv[1:]\nfor item in items:\n    if item[0] == 'x':\n"
            "        items.remove(item)\nprint(', '.join(items))\n",
            ("in items:", "in items[:]:"),
            'python3 a.py x-milk x-eggs bread prints "x-eggs, bread"; it should print "bread". Fix it.',
        ),
        (
            "import sys\npoints = sys.argv[1:]\npoints.sort(reverse=True)\nprint(' '.join(points))\n",
            ("(reverse", "(key=int, reverse"),
            "python3 a.py 9 120 35 prints 9 35 120. It should print 120 35 9. Fix it.",
        ),
        (
            "import sys\ntotal = sum(map(float, sys.argv[1:]))\nprint(total / len(sys.argv))\n",
            ("len(sys.argv)", "(len(sys.argv) - 1)"),
            "python3 a.py 2 4 6 prints 3.0, but the mean is 4.0. Fix a.py.",
        ),
    ],
)
def test_common_faults_are_among_what_is_tried(context, source, right, task):
    assert look(context, "a.py", source, task) == source.replace(*right)


def test_the_place_of_an_argument_is_no_repair_of_a_new_program(context):
    source = "import sys\nwords = sys.argv[1:]\nprint(words[0])\n"
    task = "Write a.py, which prints the longest word: python3 a.py fig banana kiwi prints banana."
    assert look(context, "a.py", source, task, mends=False) == ""


def test_what_a_program_imports_lies_beside_it(context):
    folder = context.workspace.root / "tools"
    folder.mkdir()
    (folder / "prices.py").write_text("PRICE = 12\n")
    source = "from prices import PRICE\nprint(PRICE - 2)\n"
    found = look(context, "tools/a.py", source, "python3 tools/a.py prints 10 and should print 14")
    assert found == source.replace("- 2", "+ 2")


def test_a_program_that_does_not_end_is_no_repair(context):
    source = "n = 3\nwhile n > 0:\n    print(n)\n    n -= 1\n"
    assert look(context, "a.py", source, "python3 a.py should print 700") == ""


@pytest.mark.parametrize("tag", ["python", "javascript", "bash"])
def test_mutants_differ_each_from_all_others(tag):
    source = {"python": FIRST, "javascript": TICKETS, "bash": BADGE}[tag]
    found = [*list_mutants(source, tag)]
    assert found and len({source, *found}) == len(found) + 1
    assert [*list_mutants(source, "cobol")] == []


@pytest.mark.parametrize(
    ("mistakes", "right"),
    [
        (
            ("Line 2 stops before n. With n too it reads: for i in range(1, n + 1):",),
            "for i in range(1, n + 1):",
        ),
        (("Line 2 stops before n. With n too it reads: a", "Line 2 stops. It should read: b"), ""),
        (("NAME returns nothing, so that line 2 gets None.",), ""),
        (("Line 7 stops before n. With n too it reads: a",), ""),
    ],
)
def test_the_only_common_mistake_that_says_its_line_is_put_right(mistakes, right):
    source = "def f(n):\n    for i in range(1, n):\n        print(i)\n"
    found = correct_lines(source, mistakes)
    assert found == (source.replace("for i in range(1, n):", right) if right else "")


@pytest.mark.parametrize(
    ("source", "right", "said"),
    [
        ("a = 1\nprint(a)", "a = 2\nprint(a)\n", "Line 1, a = 1, should read: a = 2"),
        ("a = 1", "", ""),
        ("a = 1\nb = 2", "a = 2\nb = 1", ""),
        ("a = 1\nb = 2", "b = 2", ""),
    ],
)
def test_a_line_that_differs_is_told(source, right, said):
    assert describe_change(source, right) == said
