"""Tables with another separator than the comma are read with theirs."""

import pytest
from tests.filing import open_plain

from tripletick.messages import Call
from tripletick.tools.path_inference import infer_path
from tripletick.tools.table_readers import add_separators, read_rows

READ = "import csv\n\nwith open({path!r}) as f:\n    rows = list(csv.DictReader(f{more}))  # é\nprint(rows)\n"


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as opened:
        tables = {"a.csv": "day;cost\n1;2\n3;4\n", "b.tsv": "day\tcost\n1\t2\n", "c.csv": "day,cost\n1,2\n"}
        for name, text in tables.items():
            (opened.workspace.root / name).write_text(text)
        yield opened


@pytest.mark.parametrize(("path", "mark"), [("a.csv", "';'"), ("b.tsv", "'\\t'")])
def test_a_reader_gets_the_separator_of_its_table(context, path, mark):
    source = READ.format(path=path, more="")
    right = READ.format(path=path, more=f", delimiter={mark}")
    assert add_separators(source, context) == right
    assert infer_path(Call("python", source), context).body == right


def test_a_comma_that_is_there_is_enough(context):
    source = "import csv\nf = open('a.csv')\nrows = csv.reader(\n    f,\n)\n"
    right = add_separators(source, context)
    assert right != source and compile(right, "a.py", "exec") and ",," not in right.replace(" ", "")


@pytest.mark.parametrize(
    "source",
    [
        READ.format(path="c.csv", more=""),
        READ.format(path="a.csv", more=", delimiter=','"),
        READ.format(path="none.csv", more=""),
        READ.format(path="../a.csv", more=""),
        READ.format(path="a.csv", more="") + "open('c.csv')\n",
        "import csv\nprint(csv.reader(",
        "import csv\nprint([*csv.reader(line for line in open('a.csv'))])\n",
        "import csv\nprint([*csv.reader(open('a.csv'), **{'delimiter': ';'})])\n",
        "import csv\nt = open('a.csv').read().replace(';', ',')\nprint([*csv.reader(t)])\n",
        "def reader(path):\n    return path  # csv\nreader('a.csv')\n",
        "import csv\nf = open('a.csv')\nprint(csv.reader(f), csv.reader(f))\n",
    ],
)
def test_others_stay_as_they_are(context, source):
    assert add_separators(source, context) == source


def test_a_program_in_a_script_is_completed_too(context):
    body = READ.format(path="a.csv", more="").removeprefix("import csv\n\n")
    script = "python3 - <<'END'\n{}END\necho done\n"
    right = "import csv\n" + READ.format(path="a.csv", more=", delimiter=';'").removeprefix("import csv\n\n")
    assert infer_path(Call("bash", script.format(body)), context).body == script.format(right)
    given = "import csv, sys\nprint([*csv.reader(open(sys.argv[1]){})])\n"
    context.ledger.named = frozenset({"a.csv"})
    called = "python3 - a.csv <<'END'\n{}END\n"
    right = called.format(given.format(", delimiter=';'"))
    assert infer_path(Call("bash", called.format(given.format(""))), context).body == right
    other = script.format(body).replace("'END'", "END")
    assert infer_path(Call("bash", other), context).body == other


LINES = "with open({path!r}) as f, open('b.csv', 'w') as out:\n    for row in f:\n        {does}\n"


@pytest.mark.parametrize("does", ["print(row['paid'])", "if row['paid'] == 'no': out.write(row['name'])"])
def test_lines_that_are_taken_for_rows_are_read_as_such(context, does):
    source = LINES.format(path="a.csv", does=does)
    right = source.replace("in f:", "in csv.DictReader(f):")
    assert read_rows(source) == right
    assert infer_path(Call("python", source), context).body.startswith("import csv\n")


@pytest.mark.parametrize(
    ("path", "does"),
    [
        ("a.csv", "print(row.split(',')['paid' == 1])"),
        ("a.csv", "print(row[0])"),
        ("a.csv", "print(known['paid'])"),
        ("a.txt", "print(row['paid'])"),
        ("a.csv", "print(row['paid'"),
    ],
)
def test_lines_that_are_read_as_lines_stay(path, does):
    source = LINES.format(path=path, does=does)
    assert read_rows(source) == source
