"""What a new program does in another way than its task says, with the program as it should be."""

import re

import pytest

from tripletick.languages.registry import LANGUAGES
from tripletick.tools.decimals import find_unformatted, find_unpadded
from tripletick.tools.example_runs import word_in_language
from tripletick.tools.new_program import NewProgram
from tripletick.tools.task_readings import find_misreadings

LEAP = "Write leap.js (node): takes a year as argument, prints yes if it is a leap year, otherwise no."
LEAPS = "function isLeap(year) {\n  return year % 4 === 0;\n}\n"
ISBN = "Write isbn.py: takes an ISBN-13 and prints valid or invalid, by the check digit."
TALLY = "Write tally.py: reads lines like 'Lions 3' from stdin and prints each team's total."
TALLIES = "for line in sys.stdin:\n    team, goals = line.split()\n"
ROWS = "Write rows.py: reads names from stdin, one per line, and prints them in rows."
KEEP = "Write keep.sh: bash keep.sh letter.txt copies the file and prints saved letter.txt.bak"
COUNT = "Write count.sh: print how many files in the folder, not in subfolders, end with .txt."
DIRECT = "Write count.sh: it prints how many .txt files are directly in that folder."

GREETS = "Write welcome.sh, which greets everyone named on the command line, each on a line."

FROST = 'Write frost.py, which prints the lowest and the highest, like this: "lowest -3" and "highest 14".'

TODOS = "Write todos.sh: bash todos.sh FILE prints how many lines contain TODO in capitals."

ALL = "const all = process.argv.slice(2);\nlet t = 0;\n"


def correct(task, source, tag="python"):
    """Give the number of things told, and the program as it should be."""
    path = re.search(r"[\w-]+\.(?:py|js|sh)\b", task)
    ends = "\nprint()" if tag == "python" and "y = str" not in source else ""
    program = NewProgram(task, path[0] if path else "a.py", f"{source}{ends}", LANGUAGES[tag])
    told, meant = find_misreadings(program)
    return len(told), meant.removesuffix(ends)


@pytest.mark.parametrize(
    ("task", "tag", "source", "right"),
    [
        (
            LEAP,
            "javascript",
            f"{LEAPS}\nmodule.exports = isLeap;\n",
            f"{LEAPS}\nconsole.log(isLeap(process.argv[2]));\n",
        ),
        (
            LEAP,
            "javascript",
            "const f = (y) => { return true; };\nconsole.log(f(process.argv[2]));\n",
            "const f = (y) => { return true; };\nconsole.log(f(process.argv[2]) ? 'yes' : 'no');\n",
        ),
        (
            LEAP.replace("leap.js (node)", "leap.py"),
            "python",
            "def f(y):\n    return True\nprint(f(sys.argv[1]))",
            "def f(y):\n    return True\nprint('yes' if f(sys.argv[1]) else 'no')",
        ),
        (ISBN, "python", "x = input('ISBN: ')\nprint(x)", "import sys\nx = sys.argv[1]\nprint(x)"),
        (
            ISBN,
            "python",
            "#!/usr/bin/env python3\nprint(input())",
            "#!/usr/bin/env python3\nimport sys\nprint(sys.argv[1])",
        ),
        (
            "add.py takes two arguments and prints their sum",
            "python",
            "import sys\nprint(int(input('a')) + int(input('b')))",
            "import sys\nprint(int(sys.argv[1]) + int(sys.argv[2]))",
        ),
        (ROWS, "python", "a = sys.stdin.readlines()\nprint(', '.join(a))", None),
        (
            ROWS,
            "python",
            "for n, line in enumerate(sys.stdin):\n    print(f'{n}: {line}')",
            'for n, line in enumerate(sys.stdin):\n    line = line.rstrip("\\n")\n'
            "    print(f'{n}: {line}')",
        ),
        (ROWS, "python", "name = input('Name: ')", "name = input()"),
        (
            TALLY,
            "python",
            f"{TALLIES}    sums[team] = int(goals)",
            f"{TALLIES}    sums[team] = sums.get(team, 0) + int(goals)",
        ),
        (
            "Write tally.py: it prints each name and its number, sorted by name",
            "python",
            "for name, n in counts.items():\n    print(name, n)",
            "for name, n in sorted(counts.items()):\n    print(name, n)",
        ),
        (
            "Write pulse.py: it prints three lines: lowest N, highest N and average N",
            "python",
            "print(f'Lowest: {a}')\nprint('Highest:', b)\nprint(f'average {c:.1f}')",
            "print(f'lowest {a}')\nprint('highest', b)\nprint(f'average {c:.1f}')",
        ),
        (
            'Write deck.py: print what is left as "19 m left"',
            "python",
            "left = 3.0\nprint('19 m left')",
            'left = 3.0\nprint(f"{left:g} m left")',
        ),
        (
            KEEP,
            "bash",
            'cp "$1" "$1.bak"\necho "saved letter.txt.bak"',
            'cp "$1" "$1.bak"\necho "saved $1.bak"',
        ),
        (
            KEEP.replace("keep.sh", "keep.py").replace("bash keep", "python3 keep"),
            "python",
            "x = open(sys.argv[1])\nprint('saved letter.txt.bak')",
            "x = open(sys.argv[1])\nprint(f'saved {sys.argv[1]}.bak')",
        ),
        (COUNT, "bash", 'find "$1" -type f | wc -l', 'find "$1" -maxdepth 1 -type f | wc -l'),
        (COUNT.replace(".sh", ".py"), "python", "list(p.rglob('*.txt'))", "list(p.glob('*.txt'))"),
        (FROST, "python", 'print(f"lowest -{min(a)}")', 'print(f"lowest {min(a)}")'),
        (FROST, "javascript", "console.log(`lowest -${low}`)", "console.log(`lowest ${low}`)"),
        (
            GREETS,
            "bash",
            '#!/bin/bash\necho "Hi, $1!"\necho "Hi, $2!"\n',
            '#!/bin/bash\nfor each in "$@"; do\n    echo "Hi, $each!"\ndone\n',
        ),
        (
            GREETS,
            "python",
            "import sys\nprint('Hi', sys.argv[1])\nprint('Hi', sys.argv[2])\nprint('Hi', sys.argv[3])",
            "import sys\nfor each in sys.argv[1:]:\n    print('Hi', each)",
        ),
        (DIRECT, "bash", 'find "$1" -type f | wc -l', 'find "$1" -maxdepth 1 -type f | wc -l'),
        ("Schreibe a.py: es zählt die Dateien direkt in $1", "python", "p.rglob('*')", "p.glob('*')"),
        (TODOS, "bash", 'grep -i "TODO" "$1" | wc -l', 'grep "TODO" "$1" | wc -l'),
        (
            "Write average.js for node: it prints the average of the numbers given as arguments",
            "javascript",
            "const all = process.argv.slice(2);\nconsole.log(all.reduce((a, b) => a + b, 0) / all.length);",
            "const all = process.argv.slice(2).map(Number);\n"
            "console.log(all.reduce((a, b) => a + b, 0) / all.length);",
        ),
        (
            "Write add.js: node add.js prints the sum of its arguments",
            "javascript",
            f"{ALL}for (const n of all) {{\n  t += n;\n}}\nconsole.log(t);",
            f"{ALL.replace(';', '.map(Number);', 1)}for (const n of all) {{\n  t += n;\n}}\nconsole.log(t);",
        ),
        (TODOS, "bash", 'grep -ci TODO "$1"', 'grep -c TODO "$1"'),
        (TODOS, "bash", 'grep -c -i TODO "$1"', 'grep -c TODO "$1"'),
    ],
)
def test_a_program_is_given_as_its_task_says_it(task, tag, source, right):
    right = "a = [line.strip() for line in sys.stdin]\nprint(', '.join(a))" if right is None else right
    assert correct(task, source, tag) == (1, right)
    assert correct(task, right, tag) == (0, "")


@pytest.mark.parametrize(
    ("task", "tag", "source"),
    [
        # there it is right
        (
            "Write join.js, which prints its arguments as one word",
            "javascript",
            "console.log(process.argv.slice(2).reduce((a, b) => a + b));",
        ),
        *(
            (
                "Write add.js, which prints the sum of its arguments",
                "javascript",
                f"{ALL}{source}\nconsole.log(t);",
            )
            for source in (
                "for (const n of all) t += Number(n);",
                "for (const n of all) if (n) t += 1;",
                "for (const n of all) t += n.split('a').length;",
                "t = rows.reduce((a, b) => a + b, 0);",
            )
        ),
        *(
            (f"Write todos.sh: it counts lines with TODO {said}", "bash", 'grep -ic "TODO" "$1"')
            for said in (
                ", which must not be case-sensitive",
                "in capitals or todo in small letters",
                "in any case, and then prints DONE in capitals",
            )
        ),
        ("Write a.sh, which says DONE in capitals", "bash", 'grep -ic error "$1"'),
        (TODOS.replace("in capitals", "in any case"), "bash", 'grep -i TODO "$1" | wc -l'),
        ("Write up.sh, which prints the name in capitals", "bash", 'grep -i "$1" names | tr a-z A-Z'),
        ("Write ask.py, which asks for a year", "python", "year = input('Year: ')"),
        ("Write a.py, which takes a name from stdin", "python", "name = input()"),
        ("Write a.py without arguments", "python", "name = input()"),
        (
            "Write add.js with a function that takes two arguments",
            "javascript",
            f"{LEAPS}module.exports = isLeap",
        ),
        (ROWS, "python", "a = sys.stdin.readlines()\nprint(''.join(a))"),
        (ROWS, "python", "a = [x.strip() for x in sys.stdin.readlines()]\nprint(', '.join(a))"),
        (ROWS, "python", "for line in sys.stdin:\n    print(line, end='')"),
        (ROWS, "python", "for line in sys.stdin:\n    line = line.strip()\n    print(line)"),
        (ROWS, "python", "for line in sys.stdin:\n    if line == 'end\\n': break"),
        (TALLY, "python", f"{TALLIES}    sums[team] = sums.get(team, 0) + int(goals)"),
        (TALLY, "python", f"{TALLIES}    if team not in sums:\n        sums[team] = int(goals)"),
        (TALLY.replace("total", "last result"), "python", f"{TALLIES}    sums[team] = int(goals)"),
        ("Count the files in a folder and its subfolders", "bash", 'find "$1" -type f | wc -l'),
        (GREETS, "bash", 'echo "Hi, $1!"\necho "Bye, $2!"'),
        ("Write a.sh, which greets two people", "bash", 'echo "Hi, $1!"\necho "Hi, $2!"'),
        (FROST, "python", 'print(f"highest -{max(a)}")'),
        ("Write a.sh: it copies all files below $1 directly into $2", "bash", 'find "$1" -type f'),
        (COUNT, "bash", 'find "$1" -maxdepth 1 -type f | wc -l'),
        (ROWS, "python", "for line in sys.stdin print(line)"),
        ("a.py prints the lines, which are sorted by name", "python", "print(open('a').read())"),
        ("Write a.py: it prints names, sorted by name", "python", "print(sorted(names))"),
        (KEEP, "bash", 'echo "Usage: keep.sh letter.txt"\necho $1'),
        ("Write a.py with a name in it, and b.py, which prints that name", "python", "x = 1; y = str"),
        ("Write a.py: it prints total N", "python", "print(f'The total is {n}')"),
        ("Write todos.sh that prints all lines with TODO", "bash", "grep -rn TODO ."),
        ("Write disk.py that prints the disk usage", "python", "print(f'Disk usage: {n}')"),
        ("Write hello.py that prints 'Hello 2024'", "python", "print('Hello 2024')"),
        ("Write rev.js that takes a word", "javascript", "const w = process.argv[2]; console.log([...w]);"),
        ("Write rev.js that takes a word", "javascript", "const w = process.argv[2];\nconsole.log([...w]);"),
        (
            "Write list.sh that prints the names in alphabetical order",
            "bash",
            'for f in *.txt; do echo "$f"; done',
        ),
        ("a.txt is in alphabetical order. Write a.py that prints one", "python", "print(x[0])"),
        (COUNT.replace(".sh", ".py"), "python", "print(len(next(os.walk('.'))[2]))"),
        ("Write a.sh that prints all; it must not skip subfolders", "bash", "find . -name '*.txt' | wc -l"),
        (
            "Write a.py that takes N and prints the first N primes",
            "python",
            "print(f'The first {n} primes:')",
        ),
        ("Write a.py which finds folders without subfolders", "python", "list(os.walk('.'))"),
        (TALLY, "python", f"{TALLIES}    sums[team] = int(goals)\nprint(math.fsum(sums.values()))"),
        (TALLY.replace("each", "the last of each"), "python", f"{TALLIES}    sums[team] = int(goals)"),
        ("Write a.py that prints the top N words", "python", "print(f'Top {n} words:')"),
        ("Write a.py, a window which prints the time", "python", "import tkinter; y = str"),
        (LEAP, "python", "def f(y):\n    return True\nprint(f(3), f(4))"),
        (TALLY, "python", "for row in rows:\n    prices[row[0]] = float(row[1])\n    total = total + 1"),
        (ROWS, "python", f"for x in {'-' * 1500}1:\n    print(x)"),
        (KEEP, "bash", 'x=${1:-letter.txt}; echo "saved $x"'),
        ("Write a.py: it copies a.txt to b.txt and prints nothing if all went well.", "python", "y = str(1)"),
        ("Write a.py: the program reads n.txt and prints it into n.html.", "python", "y = str(1)"),
        (
            "Write a.py: it prints the letters of the alphabet in alphabetical order.",
            "python",
            "for c in string.ascii_lowercase:\n    print(c)",
        ),
        (
            "Write a.py: words.txt is not sorted by name; print its lines.",
            "python",
            "print(open('words.txt').read())",
        ),
        (
            "Write a.sh: counts all files including those in subfolders. Do not count the subfolders.",
            "bash",
            "find . -type f | wc -l",
        ),
        (
            "Write a.sh: list the .txt files; hidden subfolders should not be shown.",
            "bash",
            "find . -name '*.txt' -not -path '*/.*'",
        ),
    ],
)
def test_what_a_task_leaves_open_is_left_alone(task, tag, source):
    assert correct(task, source, tag) == (0, "")


def test_what_has_no_one_form_is_only_told():
    task = COUNT.replace(".sh", ".py")
    assert correct(task, "for a, b, c in os.walk('.'):\n    n += len(c)") == (1, "")
    assert correct(ISBN, "while True:\n    x = input()") == (1, "")
    assert correct(ISBN, "for n in range(3):\n    total += float(input('Number: '))") == (1, "")
    adds = "function add(a, b) { return a + b; }\nmodule.exports = add;"
    assert correct(LEAP, adds, "javascript") == (2, "")  # nothing is printed either
    assert correct(ROWS, "for line in sys.stdin: print(line)") == (1, "")
    assert correct(TALLY.replace("total", "name, sorted by name"), "print(names)") == (1, "")
    assert correct("dough.sh PIZZAS prints what they take", "N=$1\necho 'flour 160 g'", "bash") == (1, "")
    deck = 'Write deck.py: print what is left as "19 m left"'
    assert correct(deck, "def f(left):\n    print('19 m left')") == (1, "")


def test_what_an_example_shows_is_not_told_where_it_holds(session):
    task = "Write a.py: python3 a.py 3 prints 6, the sum in alphabetical order"
    it = session("```python:a.py\nimport sys\nprint(int(sys.argv[1]) * 2)\n```", "It prints it.")
    it.play(task)
    assert "nothing in it sorts" not in it.model.asked[1][-1].text
    told, _ = find_misreadings(NewProgram(task, "a.py", "print(6)", LANGUAGES["python"]))
    assert "nothing in it sorts" in told[0]


def test_the_model_is_shown_the_program_as_it_should_be(session):
    it = session("```python:isbn.py\nprint(input('ISBN: '))\n```", "It prints it.")
    it.play(ISBN)
    right = "import sys\nprint(sys.argv[1])"
    assert f"This block puts that right:\n```python:isbn.py\n{right}\n```" in it.model.asked[1][-1].text


def test_a_long_program_costs_no_time():
    assert correct(f"{ISBN} {COUNT}", "x = 1\n" * 200_000 + "find . " * 200_000) == (0, "")


@pytest.mark.parametrize(
    ("source", "right"),
    [
        (
            "import sys\nprint(float(sys.argv[1]) * (1 - float(sys.argv[2]) / 100))\n",
            'print(f"{float(sys.argv[1]) * (1 - float(sys.argv[2]) / 100):.2f}")',
        ),
        ("print('Total', 3 / 2)\n", ""),
        ("print(1 / 3)\nprint(2 / 3)\n", ""),
        ("print(float('1') / 3)\n", ""),
    ],
)
def test_what_is_computed_where_it_is_printed_gets_its_decimals(source, right):
    task = "Write discount.py: it prints the price after that many percent off, with two decimals."
    found = find_unformatted(task, "discount.py", source)
    assert (found.source.splitlines()[-1] if found else "") == right


def test_others_than_python_are_told_how_they_write_decimals():
    said = "x prints '2.5', and right is '2.50'; an f-string writes 2 decimals with {number:.2f}"
    assert word_in_language(said, "python") == said
    assert word_in_language(said, "javascript").endswith("; toFixed(2) writes that many decimals")
    assert word_in_language(said, "bash").endswith("; printf '%.2f\\n' writes that many decimals")
    assert word_in_language(said, "ruby") == "x prints '2.5', and right is '2.50'"
    told = "x prints '2h 5m', and right is '2h 05m'; an f-string writes number 2 of that with {number:02}"
    assert word_in_language(told, "javascript") == "x prints '2h 5m', and right is '2h 05m'"
    assert word_in_language("x does not end", "go") == "x does not end"


@pytest.mark.parametrize(
    ("task", "path", "source"),
    [
        (
            "t.txt has numbers with one decimal; a.py prints fever or healthy",
            "a.py",
            "t = float(x)\nstate = 'fever' if t >= 38 else 'healthy'\nprint(state)",
        ),
        (
            "a.js prints the price with two decimals",
            "a.js",
            "const s = n / 2;\nconsole.log(s.toLocaleString('de'));",
        ),
        ("a.py reads amounts with two decimals and prints the coins", "a.py", "n = float(a) // 2\nprint(n)"),
        ("a.py prints the item with two decimals", "a.py", "a = float(x[1])\nprint(x[0])"),
        ("a.py prints the item with two decimals", "a.py", "x = float(a) / 2\nprint(f'Best: {row[0]}')"),
        ("a.py prints the day; the prices have one decimal", "a.py", "y = 1 / 2\nday = row\nprint(day)"),
    ],
)
def test_a_text_is_not_printed_with_decimals(task, path, source):
    assert find_unformatted(task, path, source) is None


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ("print(round(x * 1.5, 2))", "print(f'{x * 1.5:.2f}')"),
        ("print(f'{round(x, 2)} km')", "print(f'{x:.2f} km')"),
        ("y = round(x, 2)\nprint('km', y)", "y = f'{x:.2f}'\nprint('km', y)"),
        ("def f(x):\n    return round(x, 2)\nprint(f(x))", "def f(x):\n    return f'{x:.2f}'\nprint(f(x))"),
        ("y = round(x, 2)\nprint(y * 2)", ""),
        ("def f(x):\n    return round(x, 2)\nprint(f(x) + 1)", ""),
        ("print(round(x, 2) + 1)", ""),
        ("print(round(x, 2), round(x, 1))", "print(f'{x:.2f}', round(x, 1))"),
        ("print(round(x, 1))", ""),
    ],
)
def test_a_rounded_number_is_written_with_its_zeros(source, right):
    found = find_unpadded("a.py prints it with two decimals", "a.py", source)
    assert found and found.source == right


def test_at_most_so_many_decimals_need_no_zeros():
    source = "print(round(10.0 * 1.2, 2))"
    assert find_unpadded("a.py prints it with two decimals", "a.py", source)
    assert not find_unpadded("a.py prints it with at most two decimals", "a.py", source)
    assert not find_unpadded(
        "a.py prints it with two decimals", "a.py", "print(round(float(a) * 100) // 200)"
    )
