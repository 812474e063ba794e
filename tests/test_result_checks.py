"""What a request says of a result, held against the file that was made."""

import re
import subprocess

import pytest

from tripletick.turn.content_checks import (
    find_doubled,
    find_false_mean,
    find_grown_line,
    find_kept_ending,
    find_kept_line,
    find_twice,
    find_unfiltered,
)
from tripletick.turn.folder_scope import find_left_over
from tripletick.turn.result_checks import (
    Flaw,
    find_disorder,
    find_lost_definitions,
    find_unrounded,
)


def get_text(flaw: Flaw | None) -> str:
    return flaw.text if flaw else ""


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
        ("by team and then by pay descending", "pay,team;9,A;5,A;7,B;3,B", None),
        ("by team, then pay, highest pay first", "pay,team;9,A;5,A;7,B;3,B", None),
        ("by last name", "name,x;Ann Adams,4;Zed Brown,2;Bob Clark,3", None),
        ("by name length", "name,x;Zoe,4;Ann,2;Bernd,3", None),
        ("sorted by date", "date,x;Jan 5 2024,1;Feb 1 2024,2;Mar 3 2024,3;Apr 1 2024,4", None),
        ("sorted by date", "date,x;1 Feb 2024,2;5 Jan 2024,1;3 Mar 2024,3", " by date"),
        ("sorted by date", "date,x;2024-02-01,2;2024-01-05,1;2024-03-03,3", " by date"),
        ("sorted by month", "month,x;Nov 2023,1;Jan 2024,2;Feb 2024,3", None),
        ("sorted by time", "time,x;9:05 AM,1;11:00 AM,3;1:00 PM,2", None),
        ("sorted by size", "size,x;900 B,1;10 KB,3;2 MB,2", None),
        ("sorted by size", "size,x;9 kg,1;10 kg,3;2 kg,2", " by size"),
        ("sorted by version", "version,x;v1.9,1;v1.10,3;v2.0,2", None),
        ("nach Preis sortiert", 'Preis,x;"3,25",1;"12,5",3;"900,00",2;"1.200,50",1', None),
        ("sorted by n", "n,x;9,1;10,3;,2;11,1", None),
        (
            "sorted by time",
            "time,x;1:00:02,1;1:02:09,2;49:30,3;58:41,4",
            " by time",
        ),
        ("sorted by name, ignoring upper and lower case", "name,x;Bob,1;Zoe,2;ada,3", " by name"),
        ("sorted by name, ignoring upper and lower case", "name,x;ada,1;Bob,2;Zoe,3", None),
        ("by its first column, ignoring lower and upper case", "a,x;Bob,1;Zoe,2;ada,3", " by a"),
        ("sort by the second column", "a,n;x,3;y,1;z,2", " by n"),
        ("sort by the last column", "a,n;x,1;y,2;z,3", None),
        ("shortest length first", "length_cm,x;50,1;100,2;25,3", " by length_cm"),
        ("shortest length first", "length_cm,x;25,1;50,2;100,3", None),
        ("sorted by time", "time,x;49:30,1;58:41,2;1:00:02,3;1:02:09,4", None),
        ("sorted by time", "time,x;09:30,1;10:41,2;11:02,3", None),
        ("sorted by name", "name,x;a,1;x,3;z,2;Total,6", None),
        ("sorted by n", "n,x;1e3,1;5e3,3;2e4,2", None),
        ("sorted by n", "n,x;\u221212,1;-2,3;10,2", None),
    ],
)
def test_the_rows_of_a_table_are_in_the_order_that_is_asked_for(request_, rows, wrong):
    said = get_text(find_disorder("out.csv", rows.replace(";", "\n") + "\n", request_))
    assert re.split("[:.] |[.]$", said)[0] == ("" if wrong is None else f"out.csv is not sorted{wrong}")


@pytest.mark.parametrize(
    ("request_", "lines", "right"),
    [
        ("sort the names", "Bob\nAda\nCem\n", False),
        ("sort the names", "Ada\nBob\nCem\n", True),
        ("sort the names z to a", "Ada\nBob\nCem\n", False),
        ("sort them", "# Names\n\n- [x] Ada\n- [ ] bob\n- [ ] Cem\n", True),
        ("sort the numbers", "2\n10\n33\n", True),
        ("sort the lines by length", "Bob\nAda\nCem\n", True),
        ("alphabetical, one name per line", "Bob\nAda\nCem\n", False),
        ("sort the lines by name", "Bob\nAda\nCem\n", False),
        ("sort the scores, highest first", "Ada: 10\nBob: 9\nCem: 3\nDan: 1\n", True),
        ("sort them, the shortest first", "to\nask\nfind\n", True),
        ("sort both lists", "# A\n- b\n- c\n- d\n# B\n- a\n- b\n- c\n", True),
        ("sort both lists", "# A\n- b\n- c\n- d\n# B\n- c\n- b\n- d\n", False),
        ("sort the list", "Who comes:\n\nIt may be more.\n- Ada\n  - wine\n- Bob\n- Cem\n", True),
        ("sort the files", "file8\nfile9\nfile10\n", True),
        ("sort by points, highest first", "Owls 87\nMoles 66\nHerons 112\n", False),
        ("sort by points, highest first", "Herons 112\nOwls 87\nMoles 66\n", True),
        ("sort by points, highest first", "Owls: 9 points\nHerons: 112 points\nMoles: 3\n", True),
        ("sort by length, longest first", "Owls 87\nMoles 6\nHerons 112\n", True),
        ("sort by points", "Owls 87\nMoles 66\nHerons 112\n", True),
        ("sort the names", "Van Bee\nVance\nVan Dyk\n", True),
        ("sort alphabetically, ignoring 'The'", "Ant\nThe Bee\nCow\n", True),
        ("sort alphabetically, ignoring upper and lower case", "The Bee\nAnt\nCow\n", False),
        ("sort the spices from mild to hot", "paprika\ncurry\nchili\n", True),
        ("sort the names from a to z", "paprika\ncurry\nchili\n", False),
        ("sortiere die Tage von Montag bis Mittwoch", "Montag\nDienstag\nMittwoch\n", True),
        ("sort so that the open ones come first", "write\ncall\nbuy\n", True),
    ],
)
def test_the_lines_of_a_list_are_in_order(request_, lines, right):
    assert get_text(find_disorder("names.txt", lines, request_)).startswith(
        "" if right else "names.txt is not sorted"
    )
    assert bool(get_text(find_disorder("names.txt", lines, request_))) is not right
    assert get_text(find_disorder("names.html", lines, request_)) == ""


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
        ("rounded to 2 decimals", "52.520008 7.11 12:00:01.123456", ""),
        ("a PIN of 2 digits", "7.123456", ""),
    ],
)
def test_numbers_have_the_decimals_that_are_asked_for(request_, text, said):
    assert get_text(find_unrounded("a.json", text, "52.520008", request_)) == said


@pytest.mark.parametrize(
    ("request_", "left"),
    [
        ("rename all .HTML (also in the subfolder) to .html", "site/b/x.HTML is still as it was."),
        ("rename all *.HTML below site", "site/b/x.HTML is still as it was."),
        ("rename all .HTML in site", ""),
        ("rename the .HTML of subfolders", ""),
        ("rename the .HTML older than a week, also in subfolders", ""),
        ("rename the .HTML, but not those in all folders", ""),
        ("rename the pages and those in subfolders", ""),
    ],
)
def test_files_that_were_left_out_in_folders_are_named(request_, left):
    there = ["site/a.html", "site/b/x.HTML", "c.txt"]
    assert get_text(find_left_over(["site/a.HTML"], there, request_)) == left
    assert get_text(find_left_over(["site/a.md"], there, request_)) == ""
    assert get_text(find_left_over(["pages/a.HTML"], there, request_)) == ""


@pytest.mark.parametrize(
    "request_",
    [
        "Count lines per user, the highest number first, users with the same number in alphabetical order",
        "users and failures, most failures first; where two have the same number, order them by user",
    ],
)
def test_the_order_of_those_that_are_equal_is_not_that_of_all(request_):
    assert find_disorder("a.csv", "user,failures\nwei,3\nsofia,2\ntomas,2\nabel,1\n", request_) is None
    assert find_disorder(
        "a.csv", "user,failures\nabel,1\nsofia,2\nwei,3\n", "order them by failures, descending"
    )


@pytest.mark.parametrize(
    ("new", "request_", "lost"),
    [
        ("def f(x): return 2\n", "f is wrong", ["class G:", "def h(a):"]),
        ("def f(x): return 2\n", "remove h and G", []),
        ("def f(x): return 2\n", "simplify it", []),
        ("def f(x): return 2\ndef k(): pass\n", "rename something", []),
        ("def f(x): return 2\nclass G: pass\ndef h(a): pass\n", "f is wrong", []),
        ("def f(x: return 2\n", "f is wrong", []),
        ("from g import G\ndef f(x): return 2\nh = G()\n", "f is wrong", []),
        ("from g import *\ndef f(x): return 2\n", "f is wrong", []),
        ("def f(x): return 2\n", "refactor it", []),
        ("def f(x): return 2\n", "clean it up", []),
    ],
)
def test_functions_that_a_new_version_has_lost_are_named(new, request_, lost):
    assert (
        find_lost_definitions("def f(x): return 1\nclass G:\n  a = 1\ndef h(a):\n  pass\n", new, request_)
        == lost
    )


@pytest.mark.parametrize(
    ("request_", "text", "said"),
    [
        (
            'the names, without folder and without ".txt"',
            "Apple Pie.txt\nb",
            "n.txt has Apple Pie.txt, and .txt is to be left out: sed -i 's/[.]txt$//' n.txt",
        ),
        (
            "the names without the file extension",
            "a.pdf\nb.doc",
            "n.txt has a.pdf, and .pdf is to be left out: sed -i 's/[.]pdf$//' n.txt",
        ),
        (
            "die Namen ohne Endung",
            "a.pdf\nb.pdf",
            "n.txt has a.pdf, and .pdf is to be left out: sed -i 's/[.]pdf$//' n.txt",
        ),
        ('the names, without ".txt"', "Apple Pie\nb", ""),
        ("the names without the extension", "a\nb\nJ. R. Doe Jr.\nv1.2", ""),
        ("the names without the folder", "a.txt", ""),
        ("the names without changing the extension", "a.txt\nb.txt", ""),
        ('the names without the suffix "_old"', "a.txt\nb.txt", ""),
        ("the names without the extension", "v1.final\nb", ""),
        ("do not change .txt", "a.txt", ""),
    ],
)
def test_endings_that_are_to_be_left_out_are(request_, text, said):
    assert get_text(find_kept_ending("n.txt", text, request_)) == said


@pytest.mark.parametrize(
    ("request_", "text", "said"),
    [
        (
            "Take gina@ferry.example off the list",
            "ben@ferry.example\ngina@ferry.example",
            "n.txt still has the line 'gina@ferry.example': sed -i 2d n.txt",
        ),
        (
            'Please strike "Oat milk" from n.txt',
            "- [ ] oat milk\nrice\n- oat milk",
            "n.txt still has the line '- [ ] oat milk': sed -i '1d;3d' n.txt",
        ),
        ("Remove tea from the list", "rice", ""),
        ("Remove tea from the names", "green tea", ""),
        ("Lösche Tee von der Liste", "Tee", "n.txt still has the line 'Tee': sed -i 1d n.txt"),
        ("Add tea to the list", "tea", ""),
    ],
)
def test_a_line_that_is_to_be_taken_off_is_not_there(request_, text, said):
    assert get_text(find_kept_line("n.txt", text, f"{text}\nmore", request_)) == said
    assert get_text(find_kept_line("n.txt", text, "more", request_)) == ""
    assert get_text(find_kept_line("n.txt", text, f"{text}\n{text}", request_)) == ""


@pytest.mark.parametrize(
    ("request_", "text", "twice"),
    [
        ("remove the duplicates", "a b\nc d\na b", "a b"),
        ("Quita las líneas repetidas", "a b\na b", "a b"),
        ("each name once", "Ada\n\n\nada", None),
        ("it has duplicates, save it without them", "a b\na b", "a b"),
        ("each name once, ignoring case", "Ada\nBob\nada", "ada"),
        ("without duplicates, upper/lower case doesnt matter", "Ada\nBob\nada", "ada"),
        ("without duplicates, case doesnt matter", "Ada\nBob\nada", "ada"),
        ("ohne Duplikate", "---\n---\n}\n}", None),
        ("how often is each there", "Ada\nAda", None),
        ("remove the double quotes", "Ada\nAda", None),
        ("die doppelten Leerzeichen entfernen", "Ada\nAda", None),
        ("print it only once", "Ada\nAda", None),
        ("the unique visitors of each day", "Monday\nAda\nTuesday\nAda", None),
    ],
)
def test_no_line_is_there_twice(request_, text, twice):
    said = get_text(find_twice("n.txt", text, request_))
    assert said.startswith(f"n.txt has {twice} more than once: awk '!seen[") if twice else not said
    assert get_text(find_twice("n.html", text, request_)) == ""


ROOMS = "time,room,temp\n06:00,bath,23.1\n06:00,attic,15.2\n12:00,bath,24.1\n"


@pytest.mark.parametrize(
    ("request_", "text", "number"),
    [
        ("average temp per room", '{"bath": 7.9, "attic": 5.0}', "7.9"),
        ("average per room", "bath 7.9 of 3 rows", "7.9"),
        ("average temp per room", '{"bath": 23.6, "attic": 5.0}', None),
        ("Mittelwert je Raum", "24.6", None),
        ("Mittelwert je Raum", "24.7", "24.7"),
        ("sum of temp per room", "62.4", None),
        ("average temp in Fahrenheit", "69", None),
        ("I mean the temp of the bath", "3", None),
        ("average temp per room", "none at 06:00 on 2024-01-02 in b-1/2", None),
    ],
)
def test_a_mean_lies_between_the_least_and_the_greatest(request_, text, number):
    said = get_text(find_false_mean("r.json", text, {"a.csv": ROOMS}, request_))
    begins = f"r.json has {number}, and a mean of temp lies between 15.2 and 24.1: "
    assert said.startswith(begins) if number else not said


def test_of_which_column_a_mean_is_must_be_known():
    two = "name,price,count\na,2,1\nb,3,1\n"
    assert get_text(find_false_mean("r", "9", {"a.csv": two}, "the average")) == ""
    assert get_text(find_false_mean("r", "9", {"a.csv": two}, "the average price")) != ""
    assert (
        get_text(
            find_false_mean(
                "r", "9", {"a.csv": "name,age\na,\nb,x\n", "b.tsv": "", "c.txt": two}, "the average age"
            )
        )
        == ""
    )


HOW = ("Failed", "Failed line", "Accepted", "Accepted", "Accepted", "Accepted")
LOGINS = "".join(f"Jun 4 03:10:00 sshd: {how} password for ada\n" for how in HOW)
WHO = "Which user has the most failed logins in auth.log?"


@pytest.mark.parametrize(
    ("request_", "code", "word"),
    [
        (WHO, "cut -d' ' -f7 auth.log | sort | uniq -c", "failed"),
        (WHO, "grep Failed auth.log | cut -d' ' -f7", None),
        ("How many lines has auth.log?", "wc -l auth.log", None),
        ("Which passwords were given by ada in auth.log?", "wc -l auth.log", None),
        ("Who failed or was accepted in auth.log?", "grep -c Accepted auth.log", None),
        ("Who failed in auth.log?", "cat notes.txt", None),
        ("Which line of auth.log is longest?", "sort auth.log", None),
    ],
)
def test_the_lines_that_a_word_of_the_request_is_in_are_meant(request_, code, word):
    said = get_text(find_unfiltered(code, {"auth.log": LOGINS, "few.txt": "failed\nok\n"}, request_))
    how = "Begin with: grep -i failed auth.log | cut -d' ' -f7 | sort | uniq -c"
    assert said.endswith(how) if word else not said
    assert said.startswith(f"{word} is in 2 of the 6 lines of auth.log, ") if word else not said


def test_a_line_that_was_put_behind_the_last_one_is_cut_off(tmp_path):
    flaw = find_grown_line("n.txt", "a\nb [1]*, 2c, 3\nd\n", "a\nb [1]*, 2")
    assert flaw and flaw.text.startswith(
        "n.txt has the line 'b [1]*, 2c, 3': 'b [1]*, 2' had no line end when"
    )
    (tmp_path / "n.txt").write_text("a\nb [1]*, 2c, 3\nd\n")
    subprocess.run(["sh", "-c", flaw.command], cwd=tmp_path, check=True)
    assert (tmp_path / "n.txt").read_text() == "a\nb [1]*, 2\nc, 3\nd\n"


@pytest.mark.parametrize(
    ("text", "before"), [("a\nb\n", "a"), ("ab", "a"), ("b\n", "a"), ("a\nb\n", "a\n"), ("a b\n", "a")]
)
def test_lines_that_end_are_left_alone(text, before):
    assert find_grown_line("n.txt", text, before) is None
    assert find_grown_line("n.py", "ab\n", "a") is None


def test_lines_that_a_block_put_there_again_are_told(tmp_path):
    flaw = find_doubled("n.txt", "a\nb\na\nb\n", "x/a\nx/b\n", "write n.txt")
    assert flaw and flaw.text.startswith("n.txt has a more than once: ")
    (tmp_path / "n.txt").write_text("a\nb\na\nb\n")
    subprocess.run(["sh", "-c", flaw.command], cwd=tmp_path, check=True)
    assert (tmp_path / "n.txt").read_text() == "a\nb\n"


@pytest.mark.parametrize(
    ("path", "text", "before"),
    [
        ("n.txt", "a\nb\na\nb\n", "a\nb\na\n"),
        ("n.txt", "a\nb\na\nc\n", "a\nb\n"),
        ("n.txt", "a\na\n", "a\n"),
        ("n.py", "a\nb\na\nb\n", "a\nb\n"),
    ],
)
def test_lines_that_were_there_several_times_are_left_alone(path, text, before):
    assert find_doubled(path, text, before, "write n.txt") is None
    assert find_doubled("n.txt", "a\nb\na\nb\n", "a\nb\n", "write the list twice") is None


@pytest.mark.parametrize("request_", ["sort n.txt randomly", "group n.txt, each group sorted"])
def test_an_order_that_is_not_known_is_right(request_):
    assert find_disorder("n.txt", "b\nc\na\n", request_) is None


def test_a_line_per_name_says_nothing_of_the_order():
    request_ = "Write totals.txt with a line per tenant such as Diaz: 3, sorted by name"
    assert get_text(find_disorder("totals.txt", "Diaz: 3\nWolf: 1\nArcher: 2\n", request_)).startswith(
        "totals.txt is not"
    )
