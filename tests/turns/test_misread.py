"""What small models send that is not what it looks like: no arguments, a file as it was, a wrong tag."""

import pytest
from tests.filing import open_plain, put, use

from tripletick.messages import Call, Result
from tripletick.tools.path_inference import infer_path
from tripletick.tools.shell import extract_echoes
from tripletick.turn import attachments
from tripletick.turn.advice import choose_advice


@pytest.mark.parametrize(
    "body",
    [
        "import sys\nprint(sys.argv[1][::-1])",
        'import sys\nif len(sys.argv) < 2:\n    print("Usage: a.py WORD")\n    sys.exit(1)',
        'print("Hello, " + input("Name? "))',
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('word')\np.parse_args()",
    ],
)
def test_a_saved_program_that_got_no_arguments_is_no_failure(session, body):
    it = session(f"```python:a.py\n{body}\n```", "It did not work.")
    events = it.play()
    assert [type(event).__name__ for event in events].count("Repairing") == 0
    assert "takes arguments or input" in it.model.asked[-1][-1].text


@pytest.mark.parametrize(
    "body",
    [
        "import sys\nx = []\nprint(x[1])",
        "import sys\nprint(1 / 0)",
        "print(int('x'))",
        "import sys\nsys.exit(3)",
    ],
)
def test_a_saved_program_that_is_wrong_still_fails(session, body):
    it = session(f"```python:a.py\n{body}\n```", "It did not work.")
    assert "Repairing" in [type(event).__name__ for event in it.play()]


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as opened:
        yield opened


def test_a_program_tag_does_not_replace_most_of_a_text(context):
    put(context, "router.txt", "Model: X\nWifi password: maple\nUser: admin\n")
    attachments.attach_named_files("what is the password in router.txt?", context)
    result = use(context, "python", "Wifi password: maple", "router.txt")
    assert result.outcome == "failed"
    assert (context.workspace.root / "router.txt").read_text().startswith("Model: X")


def test_a_text_that_keeps_its_lines_may_be_saved_under_any_tag(context):
    put(context, "list.txt", "milk\nbread\n")
    attachments.attach_named_files("add eggs to list.txt", context)
    assert use(context, "python", "milk\nbread\neggs", "list.txt").ok


@pytest.mark.parametrize(
    ("request_", "call", "path"),
    [
        ("Write names.py, which lists names.", Call("python", "print(1)", "files.py"), "names.py"),
        ("Write names.py, which lists names.", Call("python", "print(1)"), "names.py"),
        ("Write names.py, which uses files.py.", Call("python", "print(1)", "files.py"), "files.py"),
        ("Write a.py and b.py.", Call("python", "print(1)", "c.py"), "c.py"),
        ("Write a.py and b.py.", Call("python", "print(1)"), "a.py"),
        ("Write names.py.", Call("bash", "ls"), None),
    ],
)
def test_the_one_program_that_a_request_asks_for_is_saved_under_its_name(context, request_, call, path):
    attachments.attach_named_files(request_, context)
    assert infer_path(call, context).path == path


@pytest.mark.parametrize(
    ("request_", "ending"),
    [
        ("Write names.py, which lists names.", "in a block that begins with ```python:names.py"),
        ("calc.py is wrong, fix it", "Find what is wrong in calc.py"),
        ("calc.py stürzt ab", "Find what is wrong in calc.py"),
        ("What does calc.py do?", "All of it is shown above. Answer in one sentence, without any block."),
        ("What does calc.py print?", "Write the block that does this, and nothing more."),
        ("Rename calc.py to new.py", "Write the block that does this, and nothing more."),
        ("Count the files.", "Write the block that does this, and nothing more."),
    ],
)
def test_a_request_ends_with_what_the_first_block_is(session, request_, ending):
    it = session("It could not be done.", "It could not.")
    put(it.loop.context, "calc.py", "print(1)\n")
    files = attachments.attach_named_files(request_, it.loop.context)
    list(it.loop.run_turn(it.prompts.agents["coder"], request_, files=files))
    assert ending in it.model.asked[0][-1].text.splitlines()[-1]


def test_a_program_that_comes_back_as_it_was_is_told_so(session):
    it = session("```python:calc.py\nprint(1)\n```", "It did not work.", "It did not.")
    put(it.loop.context, "calc.py", "print(1)\n")
    files = attachments.attach_named_files("fix calc.py", it.loop.context)
    list(it.loop.run_turn(it.prompts.agents["coder"], "fix calc.py", files=files))
    assert "That is the file as it was" in it.model.asked[1][-1].text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('echo "There are 5 lines."', "There are 5 lines."),
        ("echo 'One.  Two.'", "One.  Two."),
        ('echo "a b" > f', ""),
        ('echo "It is $(date)"', ""),
        ('echo "a b" | wc', ""),
        ("echo done", ""),
        ('echo "a b"; rm x', ""),
    ],
)
def test_only_plain_words_that_are_echoed_are_an_answer(body, said):
    assert extract_echoes([Call("bash", body)]) == said


@pytest.mark.parametrize(
    ("body", "text", "hint"),
    [
        (
            "python:orders.json",
            "python:orders.json: command not found",
            "orders.json no program. To change text in it: sed -i 's/OLD/NEW/' orders.json",
        ),
        ('python3 -c "import a; with b: c"', "SyntaxError: invalid syntax", "in a python block"),
        ("mv d/a d/", "mv: 'd/a' and 'd/a' are the same file", "d/a is there already"),
    ],
)
def test_hints_from_transcripts_of_a_model_of_one_and_a_half_billion(body, text, hint):
    assert hint in choose_advice(Call("bash", body), Result("failed", "failed, exit 1", text, exit=1))
