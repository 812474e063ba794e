"""Which files go along with a request and with a failure, and how they are shown."""

import os
from dataclasses import replace

import pytest
from tests.filing import open_plain, put, use

from tripletick.agents.templates import Templates, load_templates
from tripletick.messages import Result
from tripletick.session import request_text
from tripletick.system import dirs
from tripletick.turn import attachments, request_files
from tripletick.turn.request_kinds import asks_which

TRACE = 'Traceback:\n  File "{root}/{name}", line 1, in <module>\nZeroDivisionError: division by zero'


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as opened:
        yield opened


def failed(context, name):
    return Result("failed", "failed, exit 1", TRACE.format(root=context.workspace.root, name=name), exit=1)


@pytest.mark.parametrize(
    "request_",
    [
        "fix calc.py",
        "what is wrong with `calc.py`?",
        'mend "calc.py", please',
        "Repariere calc.py.",
        "(see calc.py)",
    ],
)
def test_a_program_that_a_request_names_goes_along_whole_and_counts_as_read(context, request_):
    put(context, "calc.py", "print(1)\n")
    assert attachments.attach_named_files(request_, context) == "calc.py, 1 line:\n```python\nprint(1)\n```"
    assert "calc.py" in context.ledger.known


def test_a_file_is_shown_once_until_it_is_another(context):
    file = put(context, "a.py", "print(1)\n")
    assert attachments.attach_named_files("run a.py", context)
    assert attachments.attach_named_files("run a.py again", context) == ""
    file.write_text("print(2)\n")
    assert "print(2)" in attachments.attach_named_files("and a.py now?", context)


def test_what_the_model_has_saved_is_not_shown_to_it(context):
    use(context, "write", "hello", "a.txt")
    assert attachments.attach_named_files("look at a.txt", context) == ""


@pytest.mark.parametrize("name", [".env", "../secret.txt", "gone.py", "picture.png"])
def test_what_is_hidden_outside_missing_or_no_text_does_not_go_along(context, name):
    put(context, ".env", "KEY=1\n")
    put(context, "picture.png", b"\x89PNG\0\0\n")
    (context.workspace.root.parent / "secret.txt").write_text("secret")
    assert attachments.attach_named_files(f"show {name}", context) == ""


def test_a_hidden_file_by_the_persons_list_does_not_go_along(context):
    put(context, ".tripletickignore", "private.txt\n")
    put(context, "private.txt", "secret\n")
    assert attachments.attach_named_files("read private.txt", context) == ""


def test_a_long_file_goes_along_by_its_first_lines_and_does_not_count_as_read(context):
    put(context, "long.py", "".join(f"x{n} = {n}\n" for n in range(2000)))
    shown = attachments.attach_named_files("fix long.py", context)
    assert shown.startswith("long.py, the first ") and "of 2000 lines:" in shown
    assert len(shown) < context.clip
    assert "long.py" not in context.ledger.known


def test_a_long_table_goes_along_by_header_types_count_and_first_rows(context):
    put(context, "d.csv", "name;age\n" + "".join(f"n{n};{n}\n" for n in range(500)))
    shown = attachments.attach_named_files("sum up d.csv", context)
    assert (
        "500 rows separated by semicolons below a header, columns: name (text), age (whole number)" in shown
    )
    assert "n2;2" in shown and "n3;3" not in shown


def test_a_table_with_a_byte_order_mark_says_how_it_is_opened(context):
    put(context, "a.csv", "\ufeffname,age\nAda,36\n")
    shown = attachments.attach_named_files("Who is in a.csv?", context)
    assert "with open('a.csv', encoding='utf-8-sig') and csv.DictReader(file)" in shown


@pytest.mark.parametrize(
    ("request_", "asked", "tag"),
    [
        ("make a page menu.html with a table", "menu.html", "html"),
        ("write a .gitignore that ignores build", ".gitignore", "gitignore"),
        ("create a Makefile for it", "Makefile", "makefile"),
        ("make index.html and style.css", "", ""),
        ("turn data.csv into table.html", "", ""),
        ("explain what a Dockerfile is", "", ""),
        ("write notes.txt", "", ""),
    ],
)
def test_a_page_that_is_to_be_made_is_asked_for_by_its_name(context, request_, asked, tag):
    put(context, "data.csv", "a,b\n1,2\n")
    attachments.attach_files(request_, FILE, context, BASE)
    assert context.ledger.asked == asked
    assert (f"```{tag}:{asked}" in attachments.choose_ending(request_, context.ledger, BASE)) is bool(asked)


@pytest.mark.parametrize("name", ["recipes/lemon cake.txt", "lemon cake.txt", "'lemon cake.txt'"])
def test_a_name_with_blanks_in_a_folder_is_one_name(context, name):
    put(context, "recipes/lemon cake.txt", "160 degrees\n")
    shown = attachments.attach_named_files(f"how hot does it bake? its in {name}", context)
    assert "160 degrees" in shown
    assert context.ledger.absent == ()


def test_a_folder_that_a_request_names_is_listed(context):
    put(context, "docs/a.md", "x")
    put(context, "docs/sub/b.md", "x")
    assert attachments.attach_named_files("what is in docs?", context) == "docs/ holds: a.md, sub/"


def test_a_hidden_folder_is_named_nowhere(session):
    it = session("```bash\nmkdir new; touch a b\n```", "Done.")
    for path in (".tripletickignore", "own/private/a.md", "own/b.md", "private/c.md"):
        put(it.loop.context, path, "private/\n")
    assert attachments.attach_named_files("what is in own?", it.loop.context) == "own/ holds: b.md"
    assert request_text.format_folder_line(it.loop.context.workspace, Templates()) == "Folder: own/"
    it.play()
    assert "Files here now: a, b, new/, own/\n" in it.model.asked[-1][-1].text


def test_a_fence_in_a_file_does_not_end_its_own(context):
    put(context, "README.md", "```bash\nls\n```\n")
    assert attachments.attach_named_files("look at README.md", context).endswith(
        "````markdown\n```bash\nls\n```\n````"
    )


def test_the_program_of_a_failure_goes_along_with_the_name_it_is_saved_by(context):
    put(context, "calc.py", "print(1/0)\n")
    first, again = (attachments.find_failed_program(failed(context, "calc.py"), context) for _ in range(2))
    assert first and again
    assert (first.tag, first.path) == ("python", "calc.py")
    assert "print(1/0)" in first.text
    assert again.text == ""


def test_a_failure_in_a_library_shows_nothing(context):
    assert (
        attachments.find_failed_program(failed(context, "../usr/lib/python3/json/decoder.py"), context)
        is None
    )


def test_nothing_goes_along_where_that_is_turned_off(session):
    it = session("Done.", trial={"files": False})
    put(it.loop.context, "a.py", "print(1)\n")
    assert attachments.attach_named_files("fix a.py", it.loop.context) == ""


LETTERS = {
    "letters/a.txt": "Dear Sir,\nabout invoice 4711 we write\n",
    "letters/b.txt": "Dear Sir,\nwe love the files\n",
    "letters/c.txt": "Where are you?\n",
    "papers/tax-2023.pdf": b"%PDF\0",
    "papers/rent.pdf": b"%PDF\0",
    ".env": "INVOICE=4711\n",
    "private/invoice.txt": "4711\n",
    ".tripletickignore": "private/\n",
}
FILE, BASE = ("bash", "file_finder"), load_templates(dirs.find_dirs().prompts)
CODER = (*FILE, "languages")


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ("Which file speaks of invoice 4711?", ["letters/a.txt:2: about invoice 4711 we write"]),
        ("Wo steht etwas über 4711?", ["letters/a.txt:2: about invoice 4711 we write"]),
        ("find my tax pdf", ["papers/tax-2023.pdf"]),
        ("find all pdf", ["papers/rent.pdf", "papers/tax-2023.pdf"]),
        ("find the recipe for apple pie", []),
        ("delete invoice 4711", []),
    ],
)
def test_what_a_search_finds_goes_along_where_a_file_is_looked_for(context, request_, found):
    for name, text in LETTERS.items():
        put(context, name, text)
    shown = attachments.attach_files(request_, FILE, context, BASE)
    assert shown.splitlines()[1:] == found
    assert attachments.FOUND[:8] not in attachments.attach_files(request_, ("bash",), context, BASE)


def test_a_number_such_as_that_of_an_order_is_what_is_looked_for(context):
    put(context, "in/vacuum.txt", "no serial number found\n")
    put(context, "in/washer.txt", "Serial: SN-48213\n")
    shown = attachments.attach_files("Which file has the serial number SN-48213?", FILE, context, BASE)
    assert "in/washer.txt:1: Serial: SN-48213" in shown and "vacuum.txt:1" not in shown


def test_the_name_of_a_file_that_is_to_be_made_is_not_searched_for(context):
    for name, text in (("a", "Allergic to penicillin."), ("b", "NOTE: PENICILLIN"), ("c", "Nothing")):
        put(context, f"in/{name}.txt", text)
    request_ = "List the files in in/ that mention penicillin (any case) in allergic.txt, one name per line"
    shown = attachments.attach_files(request_, FILE, context, BASE)
    assert "in/a.txt:1: Allergic to penicillin." in shown and "in/b.txt:1: NOTE: PENICILLIN" in shown


def test_nothing_is_searched_for_where_the_named_file_goes_along_or_files_do_not(context):
    put(context, "a.txt", "word\n")
    put(context, "b.txt", "the word invoice\n")
    assert "invoice" not in attachments.attach_files(
        "find the word in a.txt, invoice or not", FILE, context, BASE
    )
    context = replace(context, trial=replace(context.trial, files=False))
    assert attachments.attach_files("find the invoice", FILE, context, BASE) == ""


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (
            "Which file here is the largest?",
            "Largest file: c/big.txt (3 KiB)\nSmaller files: b.txt (2 B), 'no text.txt' (0 B)",
        ),
        ("delete the empty files", "Empty files: 'no text.txt'"),
        ("what did I work on last? show the newest file", "Newest file: b.txt (2030-"),
        ("rename the files by their date", "Newest file: b.txt (2030-"),
        ("put the files into folders by modification date", "Newest file: b.txt (2030-"),
        ("is all of this up to date?", ""),
        ("which row of b.txt is the longest, or the largest?", "b.txt, 1 line:"),
        ("when was b.txt changed?", "Last changed: b.txt (2030-"),
        ("greet her", ""),
    ],
)
def test_sizes_and_dates_go_along_where_a_request_asks_for_them(context, request_, says):
    put(context, "c/big.txt", "x" * 3072)
    put(context, "no text.txt", "")
    os.utime(put(context, "b.txt", "b\n"), (1900000000, 1900000000))
    shown = attachments.attach_files(request_, FILE, context, BASE)
    assert says in shown and bool(says) == bool(shown)


@pytest.mark.parametrize(
    ("request_", "shows"),
    [
        ("what is in report.txt?", "docs/2024/report.txt, 1 line:"),
        ("what do I have in recipes", "kitchen/recipes/ holds: soup.txt"),
        ("what is in twice.txt?", ""),
        ("what is in secret.txt?", ""),
    ],
)
def test_files_and_folders_below_others_are_known_by_their_names(context, request_, shows):
    for path in (
        "docs/2024/report.txt",
        "kitchen/recipes/soup.txt",
        "a/twice.txt",
        "b/twice.txt",
        "private/secret.txt",
    ):
        put(context, path, "text\n")
    put(context, ".tripletickignore", "private/\n")
    assert attachments.attach_named_files(request_, context).startswith(shows)


def test_an_apostrophe_is_no_quote(context):
    put(context, "a.txt", "text\n")
    assert attachments.attach_named_files("I'd like a.txt sorted, don't print it", context).startswith(
        "a.txt, 1 line"
    )


@pytest.mark.parametrize("names", [("a.txt", "b.txt"), ("backup-2025-01-30.txt", "info.txt")])
def test_dates_that_say_nothing_are_left_out(context, names):
    for number, name in enumerate(names):
        os.utime(
            put(context, name, "text\n"), (1900000000, 1900000000 + 5 * number + 9000 * ("info" in name))
        )
    assert "Newest" not in attachments.attach_files("copy the newest file to c.txt", FILE, context, BASE)


def test_what_lies_in_folders_is_named_by_its_path_where_that_is_little(context):
    for name in ("a.txt", "trip/day 1/note.md", "trip/b.pdf", ".own/c.md", "trip/.d"):
        put(context, name, "text\n")
    (context.workspace.root / "empty").mkdir()
    line = request_text.format_folder_line(context.workspace, BASE)
    assert line == "Files here: a.txt, empty/, trip/b.pdf, 'trip/day 1/note.md'"
    for number in range(9):
        put(context, f"trip/a_long_name_{number}.txt", "text\n")
    assert request_text.format_folder_line(context.workspace, BASE) == "Files here: a.txt, empty/, trip/"


def test_several_files_of_a_kind_that_a_request_speaks_of_have_their_pattern(context):
    for name in ("a.pdf", "b.pdf", "c.jpg", "d.txt"):
        put(context, name, "text\n")
    line = request_text.format_folder_line(context.workspace, BASE, "move the pdfs")
    assert line == "Files here: *.pdf (2 files), a.pdf, b.pdf, … 2 more"


def test_a_file_that_is_to_be_made_is_none_of_its_name_in_a_folder(context):
    put(context, "examples/hello.py", "print(1)\n")
    assert "print(1)" not in attachments.attach_files("Write hello.py that prints hello", FILE, context, BASE)
    assert context.ledger.is_new_program
    assert "print(1)" in attachments.attach_files("What does hello.py print?", FILE, context, BASE)


@pytest.mark.parametrize(
    ("request_", "absent"),
    [
        ("Rename tax return 2024.txt to tax-2024.txt", ("tax-2024.txt",)),
        ("Write 'tax return 2024.txt' into 2024.txt", ("2024.txt",)),
        ("Write a page with Vue.js about claude.ai as page.html", ("page.html",)),
    ],
)
def test_what_only_looks_like_a_files_name_is_not_to_be_made(context, request_, absent):
    put(context, "tax return 2024.txt", "paid\n")
    attachments.attach_files(request_, FILE, context, BASE)
    assert context.ledger.absent == absent


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        ("in the end _last.txt should be short", True),
        ("what does ./docs/plan.md say?", True),
        ("is docs a word", False),
        ("what does docs.md say?", False),
        ("../notes.txt", False),
        ("/etc/passwd.txt", False),
        ("\0.txt notes.tx", False),
        ("(see notes.txt).", True),
    ],
)
def test_a_request_names_a_file_of_the_folder(tmp_path, request_, named):
    (tmp_path / "ours" / "docs").mkdir(parents=True)
    for path in ("notes.txt", "ours/notes.txt", "ours/docs/plan.md", "ours/_last.txt"):
        (tmp_path / path).write_text("ours\n")
    folder = tmp_path / "ours"
    assert request_files.names_file(request_, folder) is named
    assert not request_files.names_file(request_, folder / "gone")


@pytest.mark.parametrize(
    ("request_", "concerned"),
    [
        ("What do you find in trip_2024?", True),
        ("what's in music?", True),
        ("I like music", False),
        ("what is the tally of json files", True),
        ("wie viele JSON-Dateien habe ich", True),
        ("what is json", False),
        ("how many png files fit on a disk", False),
        ("was trip_2024b nice?", False),
    ],
)
def test_a_request_about_a_folder_or_a_kind_of_files_concerns_them(tmp_path, request_, concerned):
    for name in ("trip_2024", "music"):
        (tmp_path / name).mkdir()
    for name in ("a.json", "b.json", "zebra.bin"):
        (tmp_path / name).write_text("{}")
    assert request_files.concerns_files(request_, tmp_path) is concerned


def test_names_that_have_a_word_of_the_request_come_first_where_not_all_fit(context):
    for name in (*(f"{letter}-{'x' * 20}.txt" for letter in "abcdefg"), "rent-2024.txt"):
        put(context, name, "text\n")
    line = request_text.format_folder_line(context.workspace, BASE, "is there something about the rent?")
    assert line.startswith("Files here: rent-2024.txt, a-xxx")


@pytest.mark.parametrize(
    ("request_", "shows"),
    [
        ("what is left on my todo list?", {"todo.txt"}),
        ("add milk to the shopping list", {"shopping_list.md"}),
        ("move the photos away", set()),
        ("what do I owe?", set()),
    ],
)
def test_a_file_is_known_by_a_word_of_its_name(context, request_, shows):
    for path in ("todo.txt", "shopping_list.md", "notes/rent.txt", "a.md", "b.md"):
        put(context, path, "text\n")
    shown = attachments.attach_files(request_, FILE, context, BASE)
    assert {line.partition(",")[0] for line in shown.splitlines() if line.endswith("1 line:")} == shows


@pytest.mark.parametrize(
    ("request_", "size", "shows"),
    [
        ("how many guests will come?", 1, True),
        ("how many guests will come?", 400, False),
        ("write a program that greets", 1, False),
    ],
)
def test_a_few_short_texts_go_along_with_a_question(context, request_, size, shows):
    put(context, "rsvp.txt", "yes, with pleasure\n" * size)
    put(context, "logo.py", "print(1)\n")
    shown = attachments.attach_files(request_, FILE, context, BASE)
    assert ("with pleasure" in shown) == shows and "print" not in shown


@pytest.mark.parametrize(
    ("request_", "shows"),
    [
        ("what does the log say?", {"server.log"}),
        ("how many rows are in the csv?", set()),
        ("what is in app.log?", set()),
    ],
)
def test_a_file_is_known_by_its_ending(context, request_, shows):
    for path in ("server.log", "a.md", "b.md", "c.md", "d.csv", "e.csv", "f.csv", "g.csv"):
        put(context, path, "text\n")
    shown = attachments.attach_files(request_, FILE, context, BASE)
    assert {line.partition(",")[0] for line in shown.splitlines() if line.endswith("1 line:")} == shows


def test_a_few_texts_are_all_that_there_are(context):
    for path in ("a.txt", "b.txt", "c.txt", "notes/d.txt"):
        put(context, path, "yes, with pleasure\n")
    assert attachments.attach_files("how many guests will come?", FILE, context, BASE) == ""


@pytest.mark.parametrize(
    ("request_", "hit"),
    [
        ("the registration should be off", "game.ini:2: registration=yes"),
        ("who is our plumber?", "notes/home.md:1: Plumber: Joe"),
        ("which of my files mentions the plumber?", "notes/home.md:1: Plumber: Joe"),
        ("move the plumber away", ""),
        ("write a poem about a plumber", ""),
    ],
)
def test_a_question_or_a_setting_is_looked_for_in_the_files(context, request_, hit):
    put(context, "game.ini", "[all]\nregistration=yes\n")
    put(context, "notes/home.md", "Plumber: Joe\n")
    for name in "abc":
        put(context, f"{name}.md", "nothing of that\n")
    shown = attachments.attach_files(request_, FILE, context, BASE)
    assert shown == (attachments.FOUND.format(hits=hit) if hit else "")


@pytest.mark.parametrize(
    ("request_", "ending"),
    [
        ("s.json is not valid JSON. Fix it.", "```json:s.json"),
        ("fix it: good.json has a wrong value", "```python"),
        ("Rename s.json to t.json and good.json to u.json", "Write the block that does this"),
        ("Rename page.html to main.html, and change its links", "Write the block that does this"),
        ("p.html: simple page with the days of days.txt", "```html:p.html"),
        ("p.html: simple page with the rows of rows.csv", "```python"),
        ("What is the number of days in days.txt?", "Answer in one sentence"),
        ("When is it open on Monday, according to days.txt?", "Answer in one sentence"),
        ("How many hours is it open on Monday? See days.txt", "Answer in one sentence"),
        ("How many days are in days.txt?", "```python"),
        ("Which day has the most hours in days.txt?", "```python"),
        ("What stands in days.txt and s.json?", "```python"),
        ("What is a in rows.csv?", "```python"),
        ("Who is in gone.txt?", "Write the block that does this"),
        ("What is the biggest file here?", "All of it is shown above."),
    ],
)
def test_what_is_asked_for_goes_by_the_files(context, request_, ending):
    for name, text in (
        ("s.json", '{"a": 1,}\n'),
        ("page.html", "<p>"),
        ("good.json", '{"a": 1}\n'),
        ("days.txt", "Monday 9-18\n"),
        ("rows.csv", "a,b\n1,2\n"),
    ):
        put(context, name, text)
    attachments.attach_files(request_, CODER, context, BASE)
    assert ending in attachments.choose_ending(request_, context.ledger, BASE)


@pytest.mark.parametrize(
    ("request_", "listed"),
    [
        ("Two files in d have exactly the same content. Which two?", "d/a.txt = d/'c d.txt'"),
        ("Are there duplicate files here?", "Files with the same content"),
        ("Which files have the same name?", ""),
    ],
)
def test_files_that_hold_the_same_are_named(context, request_, listed):
    for name, text in (
        ("a.txt", "same"),
        ("b.txt", "diff"),
        ("c d.txt", "same"),
        ("e.txt", ""),
        ("f.txt", ""),
    ):
        put(context, f"d/{name}", text)
    shown = attachments.attach_files(request_, FILE, context, BASE)
    assert (
        (listed.partition(" = ")[0] in shown and "e.txt = " not in shown)
        if listed
        else "same content" not in shown
    )


def test_data_that_is_nested_too_deeply_to_be_parsed_is_broken_and_ends_nothing(context):
    put(context, "deep.json", "[" * 100_000)
    attachments.attach_files("deep.json is not valid. Fix it.", CODER, context, BASE)


def test_dates_that_are_to_be_turned_round_go_along_with_how(context):
    put(context, "a.csv", "name,since\nAda,3.1.2024\n")
    request = "change the dates in a.csv from DD.MM.YYYY to YYYY-MM-DD"
    assert "'-'.join(part.zfill(2) for part in reversed('3.1.2024'.split('.'))) is '2024-01-03'." in (
        attachments.attach_files(request, FILE, context, BASE)
    )
    for other in ("from MM/DD/YYYY to YYYY-MM-DD in a.csv", "add 2024-01-02 to a.csv", "dates like 3.1.2024"):
        assert "reversed" not in attachments.attach_files(other, FILE, context, BASE)


def test_a_module_that_lacks_a_name_is_told_by_what_it_defines(context):
    put(context, "shapes.py", "import math\n\ndef area_of_circle(r):\n    return r\n\nclass Square: ...\n")
    put(context, "main.py", "from shapes import circle_area\n")
    said = attachments.attach_files("python3 main.py fails with an ImportError. Fix it", CODER, context, BASE)
    assert "shapes.py has no circle_area: it has area_of_circle, Square." in said
    text = """  File "main.py", line 1, in <module>
ImportError: cannot import name 'circle_area' from 'shapes' (shapes.py)"""
    result = Result("failed", "failed, exit 1", text, exit=1)
    failed = attachments.find_failed_program(result, context)
    assert failed and failed.path == "main.py"


def test_a_file_that_is_named_by_its_path_may_be_named_without_it_later(context):
    put(context, "site/index.html", "<a href=about.htm>x</a>\n")
    request = "Two things do not work in site/index.html. Please make the links in index.html right."
    attachments.attach_files(request, FILE, context, BASE)
    assert context.ledger.absent == ()
    attachments.attach_files("Make index.html for site/index.htm", FILE, context, BASE)
    assert "index.html" in context.ledger.absent


@pytest.mark.parametrize(
    ("request_", "names", "begins"),
    [
        (
            "move what is of 2019",
            ["a_2019.txt", "b-2019.md", "2018.txt"],
            "*2019* (2 files), a_2019.txt, b-2019.md",
        ),
        ("delete the drafts", ["draft1.txt", "draft2.txt", "overdraft.txt"], "*draft* (2 files), draft1.txt"),
        (
            "alle Dateien mit Meyer",
            ["Meyer 1.txt", "b_Meyer.pdf", "x.txt"],
            "*Meyer* (2 files), 'Meyer 1.txt', b_Meyer.pdf",
        ),
        ("the invoices", ["Invoice1.txt", "invoice2.txt", "x.txt"], "*[Ii]nvoice* (2 files), Invoice1.txt"),
        ("rename the files", ["file1.txt", "file2.txt", "x.txt"], "file1.txt"),
        ("delete all that end in ~", ["a.md", "a.md~", "b~"], "*~ (2 files), a.md"),
        ("names that end with `_old`", ["a_old", "b.md", "c_old"], "*_old (2 files), a_old"),
        ("names that end in a", ["a", "b"], "a, b"),
        ("the drafts", ["draft1.txt", "draft2.txt"], "draft1.txt"),
    ],
)
def test_names_that_share_a_word_of_the_request_are_given_by_their_pattern(context, request_, names, begins):
    for name in names:
        put(context, name, "text\n")
    assert request_text.format_folder_line(context.workspace, BASE, request_).startswith(
        f"Files here: {begins}"
    )


@pytest.mark.parametrize(("names", "end"), [("abcd", "dddddddddddddddddddd.txt"), ("abcde", "… 2 more")])
def test_a_last_name_alone_is_not_counted(context, names, end):
    for letter in names:
        put(context, f"{letter * 20}.txt", "text\n")
    assert request_text.format_folder_line(context.workspace, BASE, "hello").endswith(end)


def is_answered_from_text(request_, context):
    attachments.attach_named_files(request_, context)
    return attachments.choose_ending(request_, context.ledger, BASE) == BASE.tell


@pytest.mark.parametrize(
    ("request_", "is_told"),
    [
        ("What does tidy.py do? Explain it in one sentence, and don't run it or change anything.", True),
        ("what does tidy.py do", True),
        ("tidy.py: what is it for? dont run it", True),
        ("Summarise tidy.py", True),
        ("Was macht tidy.py?", True),
        ("I found tidy.py. Can you explain to me what it converts into what? Don't change it.", True),
        ("explain what it changes in tidy.py", True),
        ("explain what tidy.py is for, and convert it to JavaScript", False),
        ("Run tidy.py and explain what it does", False),
        ("Explain tidy.py and fix it", False),
        ("What does tidy.py do? Test it with 3.", False),
        ("Explain tidy.py, then try it with 5.", False),
        ("Explain tidy.py. Translate the comments into German.", False),
        ("Write what tidy.py does into notes.txt", False),
        ("What does tidy.py print?", False),
        ("What does other.py do?", False),
    ],
)
def test_what_a_program_does_is_answered_from_its_text(context, request_, is_told):
    put(context, "tidy.py", "print(1)\n")
    assert is_answered_from_text(request_, context) == is_told


@pytest.mark.parametrize(
    ("request_", "is_told"),
    [
        ("On which day is the hall closed, according to letter.txt? Don't change anything.", True),
        ("When does the choir rehearse? It is in letter.txt. Please do not change the file.", True),
        ("Who wrote letter.txt, and without changing it, please tell me", True),
        ("How many words has letter.txt? Don't change anything.", False),
        ("Change Wednesday to Friday in letter.txt, and don't change anything else.", False),
    ],
)
def test_a_question_on_a_text_that_nothing_may_change_is_answered_from_it(context, request_, is_told):
    put(context, "letter.txt", "On Wednesday the hall is closed.\nHorace\n")
    assert is_answered_from_text(request_, context) == is_told


@pytest.mark.parametrize(
    ("request_", "asks"),
    [
        ("my disk is nearly full, which file in the folder saves takes up the most space?", True),
        ("Which file in scans is the largest? Tell me only its name, and change nothing.", True),
        ("Two of the files in bills have exactly the same content. Which two?", True),
        ("Welche Datei in logs ist die größte?", True),
        ("Which is the largest file? Delete it.", False),
        ("Which files are empty? Don't delete them.", True),
        ("delete the empty files", False),
        ("Which file is the largest? Back it up.", False),
        ("Which two files are the same? Merge them.", False),
        ("Which of my notes is the newest? Show me its content.", False),
        ("What is in the newest file?", False),
        ("What's the biggest file here?", True),
        ("what " * 20_000, False),
        ("Which file is the largest? Write its name to big.txt", False),
    ],
)
def test_a_list_of_files_answers_which_it_is(request_, asks):
    assert asks_which(request_) == asks


@pytest.mark.parametrize(
    ("request_", "ending"),
    [
        ("Find out why a.py fails and fix it, but don't run it", BASE.repair),
        ("Explique pourquoi a.py plante et corrige-le, mais ne l'exécute pas", BASE.repair),
        ("Explain why a.py fails. Don't run or fix it.", BASE.explain),
        ("Explain how I can fix a.py. Do not run it.", BASE.explain),
    ],
)
def test_what_is_to_be_explained_and_fixed_is_fixed(request_, ending):
    assert BASE.choose_ending(request_, "a.py") == ending.format(tag="python", path="a.py")
