"""What goes along with a request beside its files."""

import subprocess

import pytest
from tests.filing import open_plain, put

from tripletick.agents.templates import load_templates
from tripletick.system import dirs
from tripletick.turn import attachments
from tripletick.turn.clues import (
    describe_extremes,
    describe_ordered_texts,
    find_inputs,
    save_in_place,
    show_ticked,
)
from tripletick.turn.table_joins import describe_join

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
    put(context, "a.txt", PETS)
    request = "a.txt has what I used for a repair. Which is the oldest?"
    assert FOUND in attachments.attach_files(request, TOOLS, context, BASE)


JOINED = {"a.csv": "nr;item;p_id\n1;tea;7\n2;milk;8\n", "b.csv": "id,name\n8,Eva\n7,O'Neill\n9,Ada\n"}


def test_two_tables_are_joined_by_the_columns_that_a_request_names(tmp_path):
    for path, text in JOINED.items():
        (tmp_path / path).write_text(text)
    request = (
        "Join a.csv and b.csv (p_id is id): write c.csv with the columns nr, name and item, in the same order"
    )
    subprocess.run(["bash", "-c", describe_join(JOINED, "c.csv", request)], cwd=tmp_path, check=True)
    assert (tmp_path / "c.csv").read_bytes() == b"nr;name;item\n1;O'Neill;tea\n2;Eva;milk\n"


@pytest.mark.parametrize(
    "request_",
    [
        "Join a.csv and b.csv into c.csv",
        "Join a.csv and b.csv into c.csv with the columns nr,price",
        "Write c.csv with the columns nr,name, only of tea, from a.csv and b.csv",
        "Write c.csv with the columns nr,name of what is not in a.csv and b.csv",
    ],
)
def test_other_requests_for_two_tables_have_no_command(request_):
    assert not describe_join(JOINED, "c.csv", request_)


@pytest.mark.parametrize(
    ("tables", "request_", "rows_of"),
    [
        ({"a.csv": "id,x\n1,2\n", "b.csv": "id,y\n1,2\n"}, "a.csv and b.csv, in the order of b.csv", "b.csv"),
        ({"a.csv": "id,x\n1,2\n", "b.csv": "id,y\n1,2\n"}, "a.csv and b.csv, in the same order", "a.csv"),
        ({"cats.csv": "id,x\n1,2\n", "b.csv": "y,cat_id\n1,1\n"}, "cats.csv and b.csv", "b.csv"),
        ({"cats.csv": "id,x\n1,2\n", "b.csv": "y,cats\n1,1\n"}, "cats.csv and b.csv", "b.csv"),
        ({"cats.csv": "id,x\n1,2\n", "b.csv": "y,dogs\n1,1\n"}, "cats.csv and b.csv", ""),
        ({"a.csv": "id,x\n1,2\n1,3\n", "b.csv": "id,y\n1,2\n1,3\n"}, "a.csv and b.csv", ""),
        ({"a.csv": "id,x\n1,2\n", "b.csv": "id,y\n1,2\n3,4\n"}, "a.csv and b.csv", "a.csv"),
        ({"a.csv": "id,x\n1\n", "b.csv": "id,y\n1,2\n"}, "a.csv and b.csv", ""),
        ({"a.csv": "id,x\n1,2\n"}, "a.csv", ""),
    ],
)
def test_each_row_of_one_table_gets_what_belongs_to_it(tables, request_, rows_of):
    command = describe_join(tables, "c.csv", f"Write c.csv with the columns x,y from {request_}")
    assert f"for row in csv.DictReader(open('{rows_of}')):" in command if rows_of else not command


def test_the_join_is_run_where_a_reply_finds_no_way(session):
    it = session("```python\nprint(open('a.csv').read(99).name)\n```", "It is joined.", "Done.")
    for path, text in JOINED.items():
        put(it.loop.context, path, text)
    request = "Write c.csv with the columns nr,name from a.csv and b.csv"
    attachments.attach_files(request, TOOLS, it.loop.context, BASE)
    it.play(request)
    assert (it.folder / "c.csv").read_text() == "nr;name\n1;O'Neill\n2;Eva\n"
