"""What a request says of a result, held against the file that was made."""

import pytest

from tripletick.turn.result_checks import (
    FLAW,
    find_disorder,
    find_left_over,
    find_lost_definitions,
    find_unrounded,
)


@pytest.mark.parametrize(
    ("request_", "rows", "wrong"),
    [
        ("sums by category, sorted by category", "category,n;b,1;a,2;c,3", " by category"),
        ("sorted by category", "category,n;a,2;b,1;c,3", None),
        ("sort by n, highest first", "category,n;a,9;b,10;c,2", " by n"),
        ("sort by n, highest first", "category,n;a,10;b,9;c,2", None),
        ("sort by n descending", "category,n;a,2;b,9;c,10", " by n"),
        ("sort by n", "category,n;a,10;b,9;c,2", None),
        ("in alphabetical order", "n,category;3,b;1,c;2,a", ""),
        ("in alphabetical order", "n,category;3,a;1,b;2,c", None),
        ("sorted by date", "date,x;3.1.2024,1;12.1.2024,2;1.2.2024,3", None),
        ("sorted by date", "date,x;3.1.2024,1;12.1.2024,2;2.1.2024,3", " by date"),
        ("sorted by priority", "priority,x;low,1;high,2;medium,3", None),
        ("sorted by name", "name,x;Émile,1;Eva,2;Fynn,3", None),
        ("sorted by price", "name,price;a,$2.50;b,$10.00;c,$11.00", None),
        ("sorted by name", "name,x;b,1;a,2", None),
        ("sorted by name", "name,x;b;a;c", None),
    ],
)
def test_the_rows_of_a_table_are_in_the_order_that_is_asked_for(request_, rows, wrong):
    said = find_disorder("out.csv", rows.replace(";", "\n") + "\n", request_)
    assert said == ("" if wrong is None else f"out.csv is not sorted{wrong}.")
    assert bool(FLAW.fullmatch(said)) is (wrong is not None)


@pytest.mark.parametrize(
    ("request_", "lines", "right"),
    [
        ("sort the names", "Bob\nAda\nCem\n", False),
        ("sort the names", "Ada\nBob\nCem\n", True),
        ("sort the names z to a", "Ada\nBob\nCem\n", False),
        ("sort them", "# Names\n\n- [x] Ada\n- [ ] bob\n- [ ] Cem\n", True),
        ("sort the numbers", "2\n10\n33\n", True),
        ("sort the lines by length", "Bob\nAda\nCem\n", True),
        ("sort the lines by name", "Bob\nAda\nCem\n", False),
    ],
)
def test_the_lines_of_a_list_are_in_order(request_, lines, right):
    assert find_disorder("names.txt", lines, request_) == ("" if right else "names.txt is not sorted.")
    assert find_disorder("names.html", lines, request_) == ""


@pytest.mark.parametrize(
    ("request_", "text", "said"),
    [
        (
            "rounded to 1 decimal",
            '{"a": 7.111111}',
            "a.json has 7.111111, which is not rounded to 1 decimal.",
        ),
        ("with two decimal places", "a,7.1234\n", "a.json has 7.1234, which is not rounded to 2 decimals."),
        ("auf zwei Nachkommastellen", "7.1234", "a.json has 7.1234, which is not rounded to 2 decimals."),
        ("with 2 digits after the point", "a,7.12 1.2.3.4567 v0.1234x\n", ""),
        ("rounded to 2 decimals", "52.520008 7.11", ""),
        ("a PIN of 2 digits", "7.123456", ""),
    ],
)
def test_numbers_have_the_decimals_that_are_asked_for(request_, text, said):
    assert find_unrounded("a.json", text, "52.520008", request_) == said
    assert bool(FLAW.search(f"x\n{said}\ny")) is bool(said)


@pytest.mark.parametrize(
    ("request_", "left"),
    [
        ("rename all .HTML (also in the subfolder) to .html", "site/b/x.HTML is still as it was."),
        ("rename all *.HTML below site", "site/b/x.HTML is still as it was."),
        ("rename all .HTML in site", ""),
        ("rename the pages and those in subfolders", ""),
    ],
)
def test_files_that_were_left_out_in_folders_are_named(request_, left):
    there = ["site/a.html", "site/b/x.HTML", "c.txt"]
    assert find_left_over(["site/a.HTML"], there, request_) == left
    assert find_left_over(["site/a.md"], there, request_) == ""


@pytest.mark.parametrize(
    ("new", "request_", "lost"),
    [
        ("def f(x): return 2\n", "f is wrong", ["class G:", "def h(a):"]),
        ("def f(x): return 2\n", "remove h and G", []),
        ("def f(x): return 2\n", "simplify it", []),
        ("def f(x): return 2\ndef k(): pass\n", "rename something", []),
        ("def f(x): return 2\nclass G: pass\ndef h(a): pass\n", "f is wrong", []),
        ("def f(x: return 2\n", "f is wrong", []),
    ],
)
def test_functions_that_a_new_version_has_lost_are_named(new, request_, lost):
    assert (
        find_lost_definitions("def f(x): return 1\nclass G:\n  a = 1\ndef h(a):\n  pass\n", new, request_)
        == lost
    )
