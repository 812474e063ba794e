"""What can be read once is kept where it is read again, and nowhere else."""

import pytest

from tripletick.tools.iterators import keep_items

READER = """\
import csv
with open('a.csv') as file:  # é
    rows = csv.DictReader(file)
    {first}
    {then}
"""
PAID = "paid = [row for row in rows if row['paid'] == 'yes']"
OPEN = "print(sum(1 for row in rows if row['paid'] == 'no'))"


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (PAID, OPEN),
        ("print(len(rows))", OPEN),
        ("for row in rows: print(row)", "for row in rows: print(row['paid'])"),
        ("a = max(rows, key=len)", "b = min(rows, key=len)"),
    ],
)
def test_what_is_read_twice_is_a_list(first, then):
    source = READER.format(first=first, then=then)
    assert keep_items(source) == source.replace("csv.DictReader(file)", "list(csv.DictReader(file))")


def test_each_of_several_is_kept():
    source = "a = map(int, '12')\nb = zip('ab', 'cd')\nprint(sum(a), max(a), list(b), dict(b))\n"
    right = (
        source.replace("map(int, '12')", "list(map(int, '12'))")
        .replace("zip(", "list(zip(")
        .replace("'cd')", "'cd'))")
    )
    assert keep_items(source) == right


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (PAID, "print(paid)"),
        ("head = next(rows)", OPEN),
        ("for row in rows: break", OPEN),
        ("for n, row in enumerate(rows):\n        if n: break", OPEN),
        ("head = next(row for row in rows if row)", OPEN),
        ("any(row['paid'] for row in rows)", OPEN),
        ("for row in rows:", "    for row in rows: print(row)"),
        ("a = map(b)\n    c = d" + ".e()" * 900, OPEN),
        ("print(rows.fieldnames)", OPEN),
        ("rows = list(rows)", OPEN),
        (PAID, "print("),
    ],
)
def test_what_is_read_once_or_goes_on_stays(first, then):
    source = READER.format(first=first, then=then)
    assert keep_items(source) == source
