"""What goes along with a request beside its files."""

import pytest
from tests.filing import open_plain, put

from tripletick.agents.templates import load_templates
from tripletick.system import dirs
from tripletick.turn import attachments
from tripletick.turn.clues import (
    describe_extremes,
    describe_lookup,
    describe_ordered_texts,
    find_inputs,
    save_in_place,
    show_ticked,
)

BASE = load_templates(dirs.find_dirs().prompts)
TOOLS = ("bash", "file_finder", "*")
SORTS = """rows = []
for line in open('scores.txt'):
    name, points = line.split()
    rows.append((points, name))
"""


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as context:
        yield context


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("tick off buy milk", "“- [ ] Buy milk” becomes “- [x] Buy milk” when it is done."),
        ("buy milk and call mum are done", ""),
        ("bread is done", ""),
    ],
)
def test_the_task_that_is_done_is_shown_with_its_tick(request_, said):
    assert show_ticked("- [ ] Buy milk\n- [ ] Call mum\n- [x] bread\n", request_) == said


def test_the_data_of_a_program_that_is_to_be_repaired_go_along(context):
    put(context, "top.py", f"{SORTS}rows.sort(reverse=True)\nprint(rows, 'x.py', 'no.csv')\n")
    put(context, "scores.txt", "Ada 87\nIvo 9\n")
    shown = attachments.attach_files("top.py is wrong: Ivo is above Ada. Fix it", TOOLS, context, BASE)
    assert "scores.txt, 2 lines:\n```text\nAda 87\nIvo 9\n```" in shown
    assert "In top.py, points is a text where it is put in order" in shown
    assert "scores.txt" not in attachments.attach_files("what does top.py do?", TOOLS, context, BASE)[-80:]


def test_files_that_a_program_reads_are_those_between_quotes():
    assert find_inputs("open('./a b.csv'); open(\"d/e.json\"); import c.d; x = 'f.py'") == [
        "a b.csv",
        "d/e.json",
    ]


@pytest.mark.parametrize(
    ("source", "data", "said"),
    [
        (f"{SORTS}rows.sort()", "Ada 87\nIvo 9", True),
        (f"{SORTS}rows.sort()", "Ada 87\nIvo 19", False),
        (f"{SORTS}print(rows)", "Ada 87\nIvo 9", False),
        (f"{SORTS.replace('((points', '((int(points)')}rows.sort()", "Ada 87\nIvo 9", False),
        (f"{SORTS}rows.sort(", "Ada 87\nIvo 9", False),
    ],
)
def test_numbers_that_are_put_in_order_as_texts_are_told(source, data, said):
    assert bool(describe_ordered_texts("a.py", source, data)) is said
    assert describe_ordered_texts("a.js", source, data) == ""


@pytest.mark.parametrize(
    ("script", "right"),
    [
        ("sort a.txt", "sort -o a.txt a.txt"),
        ("sort -r a.txt\n", "sort -r -o a.txt a.txt"),
        ("sed -n '2p' a.txt", ""),
        ("sed --quiet '2p' a.txt", ""),
        ("sed 1q a.txt", ""),
        ("uniq -d a.txt", ""),
        ("nl a.txt", ""),
        ("sort a.txt b.txt", ""),
        ("sort b.txt a.txt", ""),
        ("tac a.txt # turn", ""),
        ("sort *.txt a.txt", ""),
        ("sed 's/a|b/c/' a.txt", "sed -i 's/a|b/c/' a.txt"),
        ("sed 's/a/b/' a.txt", "sed -i 's/a/b/' a.txt"),
        ("tac a.txt", "tac a.txt > a.txt.new && mv a.txt.new a.txt"),
        ("cat a.txt", ""),
        ("grep tea a.txt", ""),
        ("sort a.txt | uniq", ""),
        ("sort a.txt -o a.txt", ""),
        ("sed -n 1p a.txt", ""),
        ("sort b.txt", ""),
        ("sort a.txt\nls", ""),
        ("sort 'a.txt", ""),
        ("", ""),
    ],
)
def test_a_command_that_only_prints_a_changed_text_is_shown_as_one_that_saves_it(script, right):
    assert save_in_place(script, "a.txt") == right


TABLES = {"used.csv": "part,n\nchain,1\nbell,2\nchain,3\n", "prices.csv": "part;price\nchain;18,90\nbell;7\n"}
LOOKUP = "prices = {row['part']: row for row in csv.DictReader(open('prices.csv'), delimiter=';')}"


@pytest.mark.parametrize(
    ("tables", "request_", "said"),
    [
        (
            TABLES,
            "a bill of used.csv with its price from prices.csv",
            (LOOKUP, "used.csv: prices[row['part']]"),
        ),
        (TABLES, "the parts of prices.csv that are not in used.csv", ()),
        ({"a.csv": "id,x\n1,2\n"}, "x of a.csv", ()),
        ({"a.csv": "id,x\n1,2\n1,3\n", "b.csv": "id,y\n1,2\n1,3\n"}, "join a.csv and b.csv", ()),
        (
            {"a.csv": "id,x\n1,2\n", "b.csv": "id,y\n1,2\n"},
            "in b.csv the x of a.csv, in the order of b.csv",
            ("b.csv: a[",),
        ),
        ({"a.csv": "id,x\n1,2\n", "b.csv": "id,y\n1,2\n"}, "a.csv with y of b.csv", ("a.csv: b[",)),
        (
            {"cats.csv": "id,x\n1,2\n", "b.csv": "no,cat_id\n1,1\n"},
            "cats.csv b.csv",
            ("b.csv: cats[row['cat_id']]",),
        ),
        (
            {"cats.csv": "id,x\n1,2\n", "b.csv": "no,cats\n1,1\n"},
            "cats.csv b.csv",
            ("b.csv: cats[row['cats']]",),
        ),
    ],
)
def test_the_rows_of_a_second_table_are_found_by_the_column_of_both(tables, request_, said):
    told = describe_lookup(tables, request_)
    assert bool(told) == bool(said) and all(each in told for each in said), told


PETS = "Pip, hamster, 2 years\n\nMocha, cat, 17 years\nOtis, dog, 14.5 years\n"
FOUND = "the largest is 17, in “Mocha, cat, 17 years”, and the smallest 2, in “Pip, hamster, 2 years”."


@pytest.mark.parametrize(
    ("text", "request_", "said"),
    [
        (PETS, "Which animal in a.txt is the oldest?", FOUND),
        (PETS, "Welches Tier ist das älteste?", FOUND),
        (PETS, "Quel animal est le plus jeune ?", FOUND),
        (PETS, "Which animal has the most interest in cats?", FOUND),
        (PETS, "Which animals are in a.txt?", ""),
        (PETS, "Test a.txt", ""),
        (PETS.replace("2 ", "2 or 3 "), "the oldest?", ""),
        (PETS.replace("14.5", "17"), "the oldest?", ""),
        (PETS.replace("14.5", "14-15"), "the oldest?", ""),
        ("a 1\nb 2\n", "the oldest?", ""),
    ],
)
def test_the_line_with_the_largest_number_is_told_where_a_superlative_asks_for_it(text, request_, said):
    told = describe_extremes("a.txt", text, request_)
    assert told.endswith(said) and bool(told) == bool(said), told


def test_a_repair_that_somebody_speaks_of_is_no_request_to_repair(context):
    for path, text in TABLES.items():
        put(context, path, text)
    request = "used.csv says what I used for a repair. Write bill.csv with its price from prices.csv"
    assert LOOKUP in attachments.attach_files(request, TOOLS, context, BASE)
