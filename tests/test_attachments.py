"""Which files go along with a request and with a failure, and how they are shown."""

from dataclasses import replace

import pytest
from tests.filing import open_plain, put, use

from tripletick.agents.templates import Templates, load_templates
from tripletick.messages import Result
from tripletick.session import request_text
from tripletick.system import dirs
from tripletick.turn import attachments

TRACE = 'Traceback:\n  File "{root}/{name}", line 1, in <module>\nZeroDivisionError: division by zero'


@pytest.fixture
def bench(tmp_path):
    with open_plain(tmp_path) as opened:
        yield opened


def failed(bench, name):
    return Result("failed", "failed, exit 1", TRACE.format(root=bench.workspace.root, name=name), exit=1)


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
def test_a_program_that_a_request_names_goes_along_whole_and_counts_as_read(bench, request_):
    put(bench, "calc.py", "print(1)\n")
    assert attachments.attach_named_files(request_, bench) == "calc.py, 1 line:\n```python\nprint(1)\n```"
    assert "calc.py" in bench.ledger.known


def test_a_file_is_shown_once_until_it_is_another(bench):
    file = put(bench, "a.py", "print(1)\n")
    assert attachments.attach_named_files("run a.py", bench)
    assert attachments.attach_named_files("run a.py again", bench) == ""
    file.write_text("print(2)\n")
    assert "print(2)" in attachments.attach_named_files("and a.py now?", bench)


def test_what_the_model_has_saved_is_not_shown_to_it(bench):
    use(bench, "write", "hello", "a.txt")
    assert attachments.attach_named_files("look at a.txt", bench) == ""


@pytest.mark.parametrize("name", [".env", "../secret.txt", "gone.py", "picture.png"])
def test_what_is_hidden_outside_missing_or_no_text_does_not_go_along(bench, name):
    put(bench, ".env", "KEY=1\n")
    put(bench, "picture.png", b"\x89PNG\0\0\n")
    (bench.workspace.root.parent / "secret.txt").write_text("secret")
    assert attachments.attach_named_files(f"show {name}", bench) == ""


def test_a_hidden_file_by_the_persons_list_does_not_go_along(bench):
    put(bench, ".tripletickignore", "private.txt\n")
    put(bench, "private.txt", "secret\n")
    assert attachments.attach_named_files("read private.txt", bench) == ""


def test_a_long_file_goes_along_by_its_first_lines_and_does_not_count_as_read(bench):
    put(bench, "long.py", "".join(f"x{n} = {n}\n" for n in range(2000)))
    shown = attachments.attach_named_files("fix long.py", bench)
    assert shown.startswith("long.py, the first ") and "of 2000 lines:" in shown
    assert len(shown) < bench.clip
    assert "long.py" not in bench.ledger.known


def test_a_long_table_goes_along_by_header_types_count_and_first_rows(bench):
    put(bench, "d.csv", "name;age\n" + "".join(f"n{n};{n}\n" for n in range(500)))
    shown = attachments.attach_named_files("sum up d.csv", bench)
    assert (
        "500 rows separated by semicolons below a header, columns: name (text), age (whole number)" in shown
    )
    assert "n2;2" in shown and "n3;3" not in shown


def test_a_folder_that_a_request_names_is_listed(bench):
    put(bench, "docs/a.md", "x")
    put(bench, "docs/sub/b.md", "x")
    assert attachments.attach_named_files("what is in docs?", bench) == "docs/ holds: a.md, sub/"


def test_a_hidden_folder_is_named_nowhere(session):
    it = session("```bash\nmkdir new; touch a b\n```", "Done.")
    for path in (".tripletickignore", "own/private/a.md", "own/b.md", "private/c.md"):
        put(it.loop.bench, path, "private/\n")
    assert attachments.attach_named_files("what is in own?", it.loop.bench) == "own/ holds: b.md"
    assert request_text.format_folder_line(it.loop.bench.workspace, Templates()) == "Folder: own/"
    it.play()
    assert "Files here now: a, b, new/, own/\n" in it.model.asked[-1][-1].text


def test_a_fence_in_a_file_does_not_end_its_own(bench):
    put(bench, "README.md", "```bash\nls\n```\n")
    assert attachments.attach_named_files("look at README.md", bench).endswith(
        "````markdown\n```bash\nls\n```\n````"
    )


def test_the_program_of_a_failure_goes_along_with_the_name_it_is_saved_by(bench):
    put(bench, "calc.py", "print(1/0)\n")
    first, again = (attachments.find_failed_program(failed(bench, "calc.py"), bench) for _ in range(2))
    assert first and again
    assert (first.tag, first.path) == ("python", "calc.py")
    assert "print(1/0)" in first.text
    assert again.text == ""


def test_a_failure_in_a_library_shows_nothing(bench):
    assert attachments.find_failed_program(failed(bench, "../usr/lib/python3/json/decoder.py"), bench) is None


def test_nothing_goes_along_where_that_is_turned_off(session):
    it = session("Done.", trial={"files": False})
    put(it.loop.bench, "a.py", "print(1)\n")
    assert attachments.attach_named_files("fix a.py", it.loop.bench) == ""


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


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ("Which file speaks of invoice 4711?", ["letters/a.txt:2: about invoice 4711 we write"]),
        ("Wo steht etwas über 4711?", ["letters/a.txt:2: about invoice 4711 we write"]),
        ("find my tax pdf", ["papers/tax-2023.pdf"]),
        ("find all pdf", ["papers/rent.pdf", "papers/tax-2023.pdf"]),
        ("Where is the largest file?", []),
        ("find the recipe for apple pie", []),
        ("delete what is about invoice 4711", []),
    ],
)
def test_what_a_search_finds_goes_along_where_a_file_is_looked_for(bench, request_, found):
    for name, text in LETTERS.items():
        put(bench, name, text)
    shown = attachments.attach_files(request_, FILE, bench, BASE)
    assert shown.splitlines()[1:] == found
    assert attachments.attach_files(request_, ("bash",), bench, BASE) == ""


def test_nothing_is_searched_for_where_the_named_file_goes_along_or_files_do_not(bench):
    put(bench, "a.txt", "word\n")
    put(bench, "b.txt", "the word invoice\n")
    assert "invoice" not in attachments.attach_files(
        "find the word in a.txt, invoice or not", FILE, bench, BASE
    )
    bench = replace(bench, trial=replace(bench.trial, files=False))
    assert attachments.attach_files("find the invoice", FILE, bench, BASE) == ""
