"""A block without a path is saved where its path was meant, and run as it is where it was not."""

import pytest
from tests.filing import open_plain, put

from tripletick.agents.templates import load_templates
from tripletick.dialects.fence import parse_reply
from tripletick.messages import Call
from tripletick.system import dirs
from tripletick.tools.path_inference import infer_path
from tripletick.turn import attachments

SAID = load_templates(dirs.find_dirs().prompts)
OLD = "def mean(x):\n    return sum(x) / 2\n\nprint(mean([4, 5, 9]))\n"
NEW = "def mean(x):\n    return sum(x) / len(x)\n\nprint(mean([4, 5, 9]))"


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as opened:
        put(opened, "calc.py", OLD)
        yield opened


@pytest.mark.parametrize(
    ("before", "meant"),
    [
        ("Save this corrected `calc.py`:", "calc.py"),
        ("**calc.py**", "calc.py"),
        ("Here is src/calc.py:\n", "src/calc.py"),
        ("Compare a.py with b.py:", ""),
        ("It reads data.csv:", ""),
        ("Run it.", ""),
        ("calc.py is above.\n\n\nThis is another:", ""),
    ],
)
def test_the_line_before_a_block_names_its_file(before, meant):
    (call,) = parse_reply(f"{before}\n```python\nprint(1)\n```", ["python"]).calls
    assert (call.path, call.meant) == (None, meant)


def test_a_new_version_of_a_file_that_was_seen_is_saved_there(context):
    attachments.attach_named_files("fix calc.py", context)
    assert infer_path(Call("python", NEW, meant="calc.py"), context).path == "calc.py"


def test_it_is_saved_there_too_where_the_request_named_that_file_alone(context):
    attachments.attach_named_files("fix calc.py", context)
    assert infer_path(Call("python", NEW), context).path == "calc.py"


def test_of_several_files_that_the_request_named_it_is_the_one_that_is_much_like_it(context):
    put(context, "start.sh", "python3 calc.py 4 5 9\n")
    request = "start.sh fails: calc.py is wrong"
    attachments.attach_named_files(request, context)
    assert infer_path(Call("python", NEW), context).path == "calc.py"
    assert infer_path(Call("python", "print(1)\nprint(2)"), context).path is None
    put(context, "copy.py", OLD)
    attachments.attach_named_files(f"{request}, and copy.py", context)
    assert infer_path(Call("python", NEW), context).path is None


def test_it_is_the_file_that_is_to_be_repaired(context):
    put(context, "settings.json", '{"a": [1,],}')
    files = attachments.attach_files("python3 calc.py fails. Fix settings.json.", ["*"], context, SAID)
    assert "settings.json, 1 line:" in files
    assert context.ledger.asked == "settings.json"


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("python3 calc.py fails. Fix settings.json.", "settings.json"),
        ("Please repair the script `src/run.sh`, it stops", "src/run.sh"),
        ("fix the bug in calc.py; test.py shows it", "calc.py"),
        ("Korrigiere den Fehler in der calc.py", ""),
        ("Behebe die Fehler in calc.py", "calc.py"),
        ("Corrige l'erreur: calc.py plante", ""),
        ("Fix it so that python3 a.py works", ""),
        ("The prefix of a.py is long", ""),
        ("Fix version 1.2", ""),
    ],
)
def test_what_is_to_be_repaired_stands_behind_the_verb(request_, name):
    assert SAID.find_named_object("mends", request_) == name


def test_a_file_that_was_not_seen_is_left_alone(context):
    assert infer_path(Call("python", NEW, meant="calc.py"), context).path is None


def test_a_new_file_is_made(context):
    assert infer_path(Call("python", NEW, meant="other.py"), context).path == "other.py"


def test_a_file_without_content_is_filled(context):
    put(context, "touched.py", "")
    assert infer_path(Call("python", NEW, meant="touched.py"), context).path == "touched.py"


def test_a_program_begins_below_the_lines_that_repeat_its_fence(context):
    call = infer_path(Call("python", "total.py\npython\nimport csv\n", "total.py"), context)
    assert call.body == "import csv\n"
    assert infer_path(Call("text", "notes.txt\nbuy milk", "notes.txt"), context).body == "notes.txt\nbuy milk"


@pytest.mark.parametrize(
    "body",
    [
        "import calc\nprint(calc.mean([1]))",
        "from calc import mean\nprint(mean([1]))",
        "print(open('calc.py').read())",
        "print(sum([1, 2, 3]) / 3)",
    ],
)
def test_a_program_that_uses_the_file_or_is_another_runs_as_it_is(context, body):
    attachments.attach_named_files("fix calc.py", context)
    assert infer_path(Call("python", body, meant="calc.py"), context).path is None


@pytest.mark.parametrize(
    ("call", "path"),
    [
        (Call("python", "import csv\nprint(1)", "berlin.csv"), None),
        (Call("python", "name,city\nAnn,Berlin", "berlin.csv"), "berlin.csv"),
        (Call("python", "print(1)", "a.py"), "a.py"),
        (Call("write", "import csv", "a.txt"), "a.txt"),
    ],
)
def test_a_program_under_the_path_of_data_is_run_and_not_saved(context, call, path):
    assert infer_path(call, context).path == path


@pytest.mark.parametrize(
    ("body", "path", "left"),
    [
        ("bash:run.sh\necho 2\n", "run.sh", "echo 2\n"),
        ("python:calc.py\nprint(2)\n", "calc.py", "print(2)\n"),
        ("```python:calc.py\nprint(2)\n", "calc.py", "print(2)\n"),
        ("python:calc.txt\nprint(2)\n", None, "python:calc.txt\nprint(2)\n"),
        ("python:calc.py\n", None, "python:calc.py\n"),
    ],
)
def test_a_tag_with_a_path_on_the_first_line_is_the_fence_s(context, body, path, left):
    call = infer_path(Call(body.strip("`").partition(":")[0], body), context)
    assert (call.path, call.body) == (path, left)
