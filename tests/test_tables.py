"""Files of data in a few words."""

import pytest
from tests.filing import open_plain, put, use

from tripletick.tools.data_summary import suggest_reader, summarize_data
from tripletick.tools.text_compare import find_text_comparison
from tripletick.turn import attachments


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as opened:
        yield opened


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        ("a.csv", "n,x\nA,1\nB,2.5\n", "2 rows below a header, columns: n (text), x (number)"),
        (
            "a.tsv",
            "n\tx\nA\t1\n",
            "1 row separated by tabs below a header, columns: n (text), x (whole number)",
        ),
        ("a.csv", 'n,x\n"a,b",1\n', "1 row below a header, columns: n (text), x (whole number)"),
        ("a.csv", "n;x\nA;\n", "1 row separated by semicolons below a header, columns: n (text), x (empty)"),
        (
            "a.csv",
            "n;x\nA;1.249,90\nB;880,00\n",
            "2 rows separated by semicolons below a header, columns: n (text), "
            "x (number with a comma for the point, such as 1.249,90)",
        ),
        (
            "a.csv",
            'n,x\nA,"1,250"\n',
            "1 row below a header, columns: n (text), x (number with commas, such as 1,250)",
        ),
        (
            "a.csv",
            "n,x\nA,1\nB,n/a\nC,2.5\nD,\nE,3\n",
            "5 rows below a header, columns: n (text), x (number, but n/a or empty in some rows)",
        ),
        ("a.csv", "n,x\nA,1\nB,2.5\nC,\n", "3 rows below a header, columns: n (text), x (number)"),
        ("a.csv", "n,x\nA,1\nB,tea\nC,cake\n", "3 rows below a header, columns: n (text), x (text)"),
        ("a.json", '{"a": 1, "b": [1]}', "an object with the keys a (number), b (list)"),
        (
            "a.json",
            '[{"id": 1, "ok": true}]',
            "a list of 1 entry, objects with the keys id (number), ok (true or false)",
        ),
        ("a.json", "[1, 2]", "a list of 2 entries"),
        ("a.csv", "Helen,yes\nMarek,no\nPriya,yes\n", "3 rows without a header, columns: text, text"),
        ("a.csv", "1,yes\n2,yes\n", "2 rows without a header, columns: whole number, text"),
        ("a.csv", "Hammer,A1\nSaw,B2\nNail,C3\n", "3 rows without a header, columns: text, text"),
        ("a.csv", "tea,12.50\nmilk,8\nrye,3.1\n", "3 rows without a header, columns: text, number"),
        ("a.csv", "n,2023\nA,5\nB,7\n", "2 rows below a header, columns: n (text), 2023 (whole number)"),
    ],
)
def test_columns_keys_types_and_counts_are_told(path, text, says):
    told = summarize_data(path, text)
    assert told and told[0] == says


@pytest.mark.parametrize(
    ("path", "text"), [("a.csv", "one column\nx\n"), ("a.json", "{"), ("a.txt", "a,b\n1,2"), ("a.csv", "")]
)
def test_what_is_no_such_file_is_left_as_text(path, text):
    assert summarize_data(path, text) is None


def test_a_number_of_a_hundred_digits_and_odd_rows_raise_nothing():
    assert summarize_data("a.csv", "a,b\n" + "9" * 5000 + ",1\nx\n1,2,3\n")


@pytest.mark.parametrize(
    ("code", "column"),
    [
        ("print(max(row['votes'] for row in rows))", "votes"),
        ("print(max([r['votes'] for r in rows]))", "votes"),
        ("votes = [r['votes'] for r in rows]\nprint(min(votes))", "votes"),
        ("print(max(rows, key=lambda row: row['votes'])['name'])", "votes"),
        ("rows = sorted(rows, key=lambda row: (row['votes'], row['name']))\nprint(rows)", "votes"),
        (
            "best = rows[0]\nfor row in rows:\n    if row['votes'] > best['votes']:\n        best = row",
            "votes",
        ),
        ("print(max(int(row['votes']) for row in rows))", ""),
        ("print(max(rows, key=lambda row: float(row['votes'])))", ""),
        ("print(sorted(row['name'] for row in rows))", ""),
        ("print(sorted(row['year'] for row in rows))", ""),
        ("print(max(map(int, [row['votes'] for row in rows])))", ""),
        ("print(len(rows[0]['votes']) > 1)", ""),
        ("for r in rows: r['votes'] = int(r['votes'])\nprint(max(rows, key=lambda r: r['votes']))", ""),
        ("rows = [{'votes': int(r['votes'])} for r in rows]\nprint(max(r['votes'] for r in rows))", ""),
        ("rows = [{**r, 'votes': 1} for r in rows]\nprint(max(r['votes'] for r in rows))", ""),
        ("rows = [dict(r, votes=int(r['votes'])) for r in rows]\nprint(max(r['votes'] for r in rows))", ""),
        ("for r in rows:\n    for key in ['votes']: r[key] = int(r[key])\nprint(rows[0]['votes'] > 3)", ""),
        ("rows = [{k: int(r[k]) for k in ['votes']} for r in rows]\nprint(rows[0]['votes'] > 3)", ""),
        ("n = {}\nfor r in rows: n[r['name']] = r['year']\nprint(max(r['votes'] for r in rows))", "votes"),
    ],
)
def test_numbers_are_not_compared_as_texts(context, code, column):
    put(context, "a.csv", "name,votes,year\nAnn,9,2001\nBea,10,1999\n")
    attachments.attach_named_files("a.csv", context)
    result = use(context, "python", f"import csv\nrows = list(csv.DictReader(open('a.csv')))\n{code}\n")
    assert (f"{column} would be compared as text" in result.verdict) == bool(column), result
    assert bool(column) == ("write float(" in result.text)


@pytest.mark.parametrize(
    ("code", "wrong"),
    [("print('\\d')\nprint(max(row['x'] for row in rows))", True), ("-" * 300_000 + "1", False)],
)
def test_a_program_that_python_would_warn_of_is_looked_at_in_silence(context, code, wrong):
    put(context, "a.csv", "n,x\na,9\nb,10\n")
    attachments.attach_named_files("a.csv", context)
    assert bool(find_text_comparison(f"import csv\n{code}\n", context)) == wrong


@pytest.mark.parametrize("text", ['{"\\ud83d": 1}', '["\\ud83d"]'])
def test_half_a_character_of_a_json_file_is_not_sent(text):
    assert all(part.encode() for part in summarize_data("a.json", text) or [""])


def test_a_table_without_a_header_is_read_by_rows():
    assert suggest_reader("a.csv", "Helen;yes\nMarek;yes\n").startswith("csv.reader(file, delimiter=';'), ")
    assert suggest_reader("a.csv", "name,reply\nMarek,yes\n").startswith("csv.DictReader(file), ")


def test_what_is_no_table_is_not_read_as_one(tmp_path):
    assert suggest_reader("build.log", "start\n10%\r20%\rdone\n").startswith("csv.DictReader(file)")
    assert suggest_reader("a.csv", "a,b\n1\r2,3\n").startswith("csv.DictReader(file)")
    assert suggest_reader("a.html", "x" * 200_000)
    assert suggest_reader("a.csv", "name,city\nAnna,Bonn\nname,city\nBen,Ulm\n").startswith("csv.DictReader(")
