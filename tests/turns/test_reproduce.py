"""What a request says fails: it is found, run ahead, shown, and run again before the repair counts."""

import pytest
from tests.filing import open_plain, put
from tests.playing import kinds, last

from tripletick.agents import templates
from tripletick.events import Answered, Repairing
from tripletick.system import dirs
from tripletick.tools.reproduction import find_command
from tripletick.turn import attachments

BASE = templates.load_templates(dirs.find_dirs().prompts)
WRONG = "import sys\nprint(int(sys.argv[1]) / 0)\n"
TOOLS = ("bash", "python")


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as context:
        put(context, "a.py", "print(1 / 0)\n")
        put(context, "b.py", WRONG)
        put(context, "start.sh", "exit 3\n")
        yield context


@pytest.mark.parametrize(
    ("request_", "found"),
    [
        ("python3 a.py fails with an error. Fix it.", "python3 a.py"),
        ('"bash start.sh" fails with strange errors', "bash start.sh"),
        ("./start.sh should work. It does not.", "./start.sh"),
        ("python3 b.py 4 1 9 fails though it is right", "python3 b.py 4 1 9"),
        ("python3 b.py numbers.txt -v crashes.. should print 0", "python3 b.py numbers.txt -v"),
        ("python3 b.py 'a b' is wrong", "python3 b.py 'a b'"),
        ("python3 -m unittest fails. Fix b.py, not the test.", "python3 -m unittest"),
        ("run the tests w/ timeout 10 python3 -m unittest -v. fix it", "timeout 10 python3 -m unittest -v"),
        ("pytest -q is red", "pytest -q"),
        ("the tests (make test) fail", "make test"),
        ("python3 gone.py fails", ""),
        ("python3 ../a.py fails", ""),
        ("a.py has a bug", ""),
        ("fix it", ""),
    ],
)
def test_the_command_of_a_request_is_found(context, request_, found):
    assert find_command(request_, "", context) == found


def test_without_one_it_is_the_program_that_is_named(context):
    assert find_command("a.py has a bug", "a.py", context) == "python3 a.py"
    assert find_command("data.csv is wrong", "data.csv", context) == ""


def shown(context, request_):
    return attachments.attach_files(request_, TOOLS, context, BASE)


@pytest.mark.parametrize(
    ("there", "says"), [("scores.txt", "score.txt does not exist; scores.txt does."), ("x.txt", "")]
)
def test_what_a_missing_file_may_be_is_said_with_the_failure(context, there, says):
    put(context, "best.py", 'print(open("score.txt").read())\n')
    put(context, there, "Ida 41\n")
    assert shown(context, "best.py does not work").endswith(says or "'score.txt'\n```")


def test_how_it_fails_goes_along_and_it_is_to_succeed(context):
    text = shown(context, "Fix a.py.")
    assert text.startswith("a.py, 1 line:") and "python3 a.py fails:" in text and "ZeroDivisionError" in text
    assert 'File "a.py", line 1' in text or "a.py:1" in text
    assert str(context.workspace.root) not in text
    assert context.ledger.check == "python3 a.py"


@pytest.mark.parametrize("text", ["exit 3\n", "#!/usr/bin/bahs\n"])
@pytest.mark.parametrize("mode", [0o644, 0o755])
def test_a_program_that_cannot_be_started_fails_too(context, text, mode):
    put(context, "start.sh", text)
    (context.workspace.root / "start.sh").chmod(mode)
    assert "./start.sh fails:" in shown(context, "./start.sh should work. It does not. Fix it.")
    assert context.ledger.check == "./start.sh"


@pytest.mark.parametrize("request_", ["Fix b.py.", "Explain a.py.", "fix c.py"])
def test_what_succeeds_wants_arguments_or_is_not_to_be_repaired_is_not_checked(context, request_):
    put(context, "c.py", "print(1)\n")
    assert "fails:" not in shown(context, request_)
    assert context.ledger.check == ""


def test_nothing_of_the_folder_is_run_where_that_is_off(context):
    from dataclasses import replace

    context = replace(context, trial=replace(context.trial, rerun=False))
    assert "fails:" not in shown(context, "Fix a.py.")


FIXED, BROKEN = (f"```python:a.py\n{body}\n```" for body in ("print(1)", "print(2 / 0)"))
NOTHING = "```text:notes.txt\nlook\n```"


def fixing(session, *replies):
    it = session(*replies)
    (it.folder / "a.py").write_text("print(1 / 0)\n")
    it.loop.context.ledger.known.add("a.py")
    it.loop.context.ledger.check = "python3 a.py"
    return it


def test_an_answer_waits_for_it_once_something_was_done(session):
    it = fixing(session, NOTHING, "I fixed a.py.", FIXED, "I fixed a.py.")
    events = it.play("fix a.py")
    assert "python3 a.py fails:" in it.model.asked[2][-1].text
    assert last(events, Repairing).attempt == 1
    end = last(events, Answered).receipt
    assert end and (end.check, end.doubt, end.verified) == ("passed", (), True)


def test_an_answer_that_leaves_it_failing_is_doubted(session):
    it = fixing(session, NOTHING, "I fixed a.py.", "```text:notes.txt\nmore\n```", "a.py is right now.")
    end = last(it.play("fix a.py"), Answered).receipt
    assert end and (end.check, end.doubt) == ("failed", ("python3 a.py still fails",))
    assert it.loop.conversation.entries[-1].message.role == "assistant"


def test_an_answer_without_any_block_is_taken_as_it_is(session):
    it = fixing(session, "It divides by zero.")
    assert kinds(it.play("why does a.py fail?")) == ["Answered"]
