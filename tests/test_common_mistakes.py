"""Common mistakes in programs that are to be repaired, and what looks like one and is none."""

import pytest

from tripletick.tools.common_mistakes import describe_mistakes
from tripletick.tools.shell_mistakes import correct_script
from tripletick.turn.reply_meaning import apply_described_change

SHOP = "FREE = 50\ndef fee(total):\n    if total {} FREE:\n        return 0\n    return {}"
TOTAL = "def total(x):\n    r = 0\n    for n in x:\n        r += n\n{}"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (TOTAL.format("        return r"), "Line 5, return r, stands inside the loop above it"),
        (TOTAL.format("    return r"), None),
        ("def first(x):\n    for n in x:\n        return n", None),
        ("while True:\n    n = ask()\n    if n:\n        continue\n    break", None),
        ("mean = a + b + c / 3", "only c is divided. (a + b + c) / 3 divides"),
        ("tax = price + price / 5", None),
        ("def add(x, to=[]):\n    to.append(x)", "Line 1: the default of to is made once"),
        ("def add(x, to=()):\n    print(x)", None),
        ("name.strip()\nprint(name)", "must be kept: name = name.strip()."),
        ("sorted(names)", "must be kept: names = sorted(names)."),
        ("names.sort()", None),
        ("def f(x):\n    x + 1\nprint(f(1))", "f returns nothing, so that line 3 gets None."),
        ("def f(x):\n    print(x)\nf(1)", None),
        ("for i in range(1, n):\n    print(i)", None),
        ("def f(name):\n    return name[0] + name[1]", "Its words: for word in name.split()"),
        ("def f(name):\n    name = name.split()\n    return name[0] + name[1]", None),
        ("def f(row):\n    return row[0] + row[1]", None),
        ("for t in ['9:30', '11:00']:\n    if t >= now:\n        print(t)", "Line 2 compares times as texts"),
        ("for t in ['09:30', '11:00']:\n    if t >= now:\n        print(t)", None),
        ("for t in ['9:30', '11:00']:\n    if t == now:\n        print(t)", None),
        (
            "counts = {}\nfor move in moves:\n    counts[move] += 1",
            "Line 3: counts has not move yet the first time. With a value to begin with it reads: "
            "counts[move] = counts.get(move, 0) + 1",
        ),
        ("d = dict()\nd['a', 1] += [2]", "it reads: d[('a', 1)] = d.get(('a', 1), []) + [2]"),
        ("d = {}\nif k not in d:\n    d[k] = 0\nd[k] += 1", None),
        ("d = {}\nd.setdefault(k, 0)\nd[k] += 1", None),
        ("d = {'a': 1}\nd['a'] += 1", None),
        ("d = Counter()\nd['a'] += 1", None),
        ("d = {}\nd.total += 1", None),
        ("def f(", None),
    ],
)
def test_what_is_surely_a_mistake_is_told(source, says):
    found, _ = describe_mistakes("a.py", source)
    assert (says in found[0]) if says else not found


@pytest.mark.parametrize(
    ("task", "source", "says"),
    [
        (
            "orders of exactly 50 should ship free",
            SHOP.format(">", 4),
            "With that too it reads: if total >= FREE:",
        ),
        ("Genau 50 ist frei", SHOP.format(">", 4), "Line 3 leaves out exactly 50."),
        ("with exactly $50 it is wrong", "if (total < 50) {", "reads: if (total <= 50) {"),
        ("exactly 50 is wrong", 'if [ "$n" -gt 50 ]; then', 'reads: if [ "$n" -ge 50 ]; then'),
        ("orders of exactly 50 should ship free", SHOP.format(">=", 4), None),
        ("orders above 50 should ship free", SHOP.format(">", 4), None),
        ("exactly 50", "if a > 50:\n    b = c > 50", None),
        ("exactly 50", "if a > 500 or a > 50.5 or a -> 50", None),
        ("exactly 5.5", "if a > 5:", None),
        ("it prints exactly 5 numbers", "while i < 5:", None),
        ("it takes exactly 3 arguments", "if len(sys.argv) < 3:", None),
        ("exactly 50 is a draw", "if n < 50:\n    a()\nelif n == 50:\n    b()", None),
    ],
)
def test_a_condition_that_leaves_out_what_is_named_exactly_is_told(task, source, says):
    found, _ = describe_mistakes("a.txt", source, task)
    assert (says in found[0]) if says else not found


@pytest.mark.parametrize(
    ("path", "source", "says"),
    [
        (
            "a.js",
            "const a = process.argv[2];\nconst b = process.argv[3];\nlog(a + b);",
            "Number(a) + Number(b)",
        ),
        ("a.js", "const a = process.argv[2];\nconst b = 3;\nlog(a + b);", None),
        ("a.py", "import sys\na = sys.argv[1]\nb = input('b? ')\nprint(a + b)", "float(a) + float(b)"),
        ("a.py", "a = int(input())\nb = int(input())\nprint(a + b)", None),
        (
            "a.sh",
            'if [ "$age" -lt 65 ]; then\n  echo 1\nelif [ "$age" -lt 14 ]; then',
            "Line 3 is never reached: line 1",
        ),
        ("a.sh", 'age=$1\nif [ "$age" -lt 14 ]; then\n  echo 1\nelif [ "$age" -lt 65 ]; then', None),
        ("a.sh", "for i in $(seq 3 1); do", "It should read: for i in $(seq 3 -1 1); do"),
        ("a.sh", 'for i in $(seq "$1" 1); do', """It should read: for i in $(seq "$1" -1 1); do"""),
        ("a.sh", "for i in $(seq 1 12); do\n  seq 5; seq 9 -1 1; seq 1 $2", None),
        ("a.sh", "for i in {1..$1}; do", """It should read: for i in $(seq 1 "$1"); do"""),
        ("a.sh", "for i in {$1..1}; do", """It should read: for i in $(seq "$1" -1 1); do"""),
        ("a.sh", "for i in {3..1} {a..z}; do", None),
        ("a.sh", "best=1\nif (( best > longest )); then\n  echo", "Line 2: nothing sets longest"),
        ("a.sh", 'total=0\necho "It\'s $totl"', "Line 2: nothing sets totl"),
        ("a.sh", "awk '{n += $1\n} END {print $nf}' a.txt\nread -r a b\necho $a $b", None),
        ("a.sh", "local n=3 m; m=1\nprintf -v x 3\necho $n $m $x ${y:-5} ${HOME} $http_proxy", None),
        (
            "a.sh",
            "while IFS=, read -r name sum; do\n  ((all += sum)); n[2]=1\ndone\necho $name $all ${n[2]}",
            None,
        ),
        ("a.sh", "source lib.sh\necho $from_lib", None),
        ("a.sh", "cat <<'END'\n$name\nEND", None),
        ("a.sh", 'ssh host "echo \\$name"\n: ${n:=5}\nselect x in a b; do echo $n $x; done', None),
        ("a.sh", "# prints $name\nfor ((i=0; i<3; i++)); do echo $i; done", None),
        ("a.js", "if (n > 10) {\n} else if (n > 100) {\n}", "Line 2 is never reached"),
        (
            "a.sh",
            "for f in $(ls $1/*.txt); do\n  wc -l $f",
            'Line 1: $(ls $1/*.txt) cuts names at their blanks. It should read: for f in "$1"/*.txt; do',
        ),
        (
            "a.sh",
            "for f in `ls in | grep '.txt$'`; do",
            "It should read: for f in in/*.txt; do",
        ),
        (
            "a.sh",
            'for f in *; do\n  echo "$f" $(wc -l < in/$f)',
            'Line 2: $f without quotes is cut at blanks. It should read: echo "$f" $(wc -l < in/"$f")',
        ),
        (
            "a.sh",
            'x=1\nfor f in $(ls in); do\n  echo "$f: $(wc -l < in/$f)"',
            'Line 3 then reads: echo "${f##*/}: $(wc -l < "$f")"',
        ),
        ("a.sh", 'for f in *; do\n  echo "$f" "${f}"\n  # $f\n  n=$f', None),
        ("a.sh", "for i in 1 2; do\n  echo ok\ndone\nls", None),
        (
            "a.sh",
            "n=0\nls | while read f; do\n  ((n++))\ndone\necho $n",
            "n is counted in a while loop behind a pipe",
        ),
        ("a.sh", "n=0\nwhile read f; do\n  ((n++))\ndone < <(ls)\necho $n", None),
        ("a.sh", "ls | while read f; do\n  n=$((n+1))\n  echo $n\ndone\necho ok", None),
        ("a.js", 'x = y.replace(" ", "-").trim()', """.replace(" ", "-") takes the first " " alone"""),
        ("a.js", 'x = y.replace(/ /g, "-").replaceAll(" ", "-")', None),
        ("a.py", 'x = y.replace(" ", "-")', None),
        ("a.py", "if n < 9:\n    pass\nelif m < 3:\n    pass\nif n < 3:\n    pass", None),
    ],
)
def test_texts_that_are_added_and_conditions_in_a_wrong_order_are_told(path, source, says):
    found, _ = describe_mistakes(path, source)
    assert any(says in each for each in found) if says else not found


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (
            "for i in range(1, n):\n    print(i)",
            "Line 1 stops before n. With n too it reads: for i in range(1, n + 1):",
        ),
        ("for i in range(5):\n    print(i)", "it reads: for i in range(6):"),
        (
            "for i in range(1, len(x)):\n    print(i)",
            "Line 1 leaves out the first, which is number 0. With that too it reads: for i in range(0, ",
        ),
        (
            "for i in range(n, 1, -1):\n    print(i)",
            "range(n, 0, -1)",
        ),
        ("for i in range(9, m, -1):\n    print(i)", "range(9, m - 1, -1)"),
        ("for i in range(0, 9, 2):\n    print(i)", "range(0, 10, 2)"),
        ("for i in range(len(x)):\n    print(i)", None),
    ],
)
def test_where_loops_end_is_told_when_asked_for(source, says):
    _, found = describe_mistakes("a.py", source)
    assert (says in found[0]) if says else not found


@pytest.mark.parametrize(
    ("answer", "new"),
    [
        ("`x = a + b` is wrong because it should be `x = a * b`.", "  x = a * b\ny = a\ny = a\n"),
        ("Change `a + b` to `a - b`.", "  x = a - b\ny = a\ny = a\n"),
        ("`y = a` should be `y = b`.", ""),
        ("`x = a + b` should be `x = a + b`.", ""),
        ("`z = 1` should be `z = 2`.", ""),
        ("The line `x = a + b` is wrong.", ""),
        (
            "`x = a + b` is wrong since `a + b` adds. The correct line is `x = a * b`.",
            "  x = a * b\ny = a\ny = a\n",
        ),
        ("It should be `x = a + b + 1`.", "  x = a + b + 1\ny = a\ny = a\n"),
        ("It should be `y = c`.", ""),
        ("The function should be `called`.", ""),
    ],
)
def test_a_change_is_made_where_one_place_is_meant(answer, new):
    assert apply_described_change(answer, "  x = a + b\ny = a\ny = a\n") == new


def test_programs_with_long_lines_and_many_of_them_are_looked_at_to_the_end():
    assert describe_mistakes("a.sh", f"if [ $a -lt 3{' ' * 200_000}x\n" + "\n" * 200_000) == ([], [])
    assert apply_described_change("It should be `x = a + b + 1`.", "x = a + b\n" + "y = 1\n" * 200_000) == ""


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ("  for f in $(ls *); do\n    cat $f\ndone\n", '  for f in *; do\n    cat "$f"\ndone\n'),
        ("n=0\nls | while read f; do\n  ((n++))\ndone\necho $n", None),
        ("for i in $(seq 3 1); do\n  echo\ndone", "for i in $(seq 3 -1 1); do\n  echo\ndone"),
        ("for i in $(seq 10 5 100); do\n  echo\ndone", "for i in $(seq 10 5 100); do\n  echo\ndone"),
        ("for i in $(seq $a 1 $b); do\n  echo\ndone", "for i in $(seq $a 1 $b); do\n  echo\ndone"),
        ("for i in {1..$n}; do\n  echo\ndone", 'for i in $(seq 1 "$n"); do\n  echo\ndone'),
        ('for f in *; do\n  cat "$f"\ndone', 'for f in *; do\n  cat "$f"\ndone'),
    ],
)
def test_a_script_is_corrected_where_one_form_is_right(source, right):
    right = right or "n=0\nwhile read f; do\n  ((n++))\ndone < <(ls)\necho $n"
    assert correct_script(source) == right


@pytest.mark.parametrize(
    ("task", "line", "told"),
    [
        ("prints 23 instead of 5", "total = total + word", "line 3 reads: total = total + int(word)"),
        ("should print the sum, as 2.5", "total += word", "total = total + float(word)"),
        ("prints them joined", "total = total + word", ""),
        ("prints 23 instead of 5", "total = word", ""),
        ("prints 23 instead of 5", "total = total + ' ' + word", ""),
    ],
)
def test_a_sum_that_begins_as_a_text_is_told(task, line, told):
    source = f"total = ''\nfor word in words:\n    {line}\nprint(total)\n"
    sure, _ = describe_mistakes("a.py", source, task)
    assert told in "\n".join(sure) and bool(told) == bool(sure)


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ('count=$(wc -l < $1)\necho "$count lines"\n', 'count=$(wc -l < "$1")\necho "$count lines"\n'),
        ("file=$1\ncat $file | sort\n", 'file=$1\ncat "$file" | sort\n'),
        ("cp $1 $2\n", 'cp "$1" "$2"\n'),
        ("if [ -f $1 ]; then echo yes; fi\n", 'if [ -f "$1" ]; then echo yes; fi\n'),
        ('echo "$(cat $1)"\n', 'echo "$(cat "$1")"\n'),
        ('cat "$1"\necho "cat $1"\n', ""),
        ("seq 1 $1\n# cat $1\n", ""),
        ("files=$*\nrm $files\n", ""),
    ],
)
def test_an_argument_that_names_a_file_stands_between_quotes(source, right):
    said, _ = describe_mistakes("a.sh", source)
    assert any("without quotes is cut at blanks" in line for line in said) == bool(right)
    assert correct_script(source) == (right or source)
