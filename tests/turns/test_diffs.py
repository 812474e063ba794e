"""What the user sees of a change before they say yes to it, and what becomes of a no."""

import io
import tempfile
from pathlib import Path
from typing import Any

import pytest
from tests.planners import open_sitting
from tests.playing import last

from tripletick.events import Answered, Ask, Returned
from tripletick.messages import Answer
from tripletick.trust import Permission
from tripletick.ui.questions import MOST, ask_question
from tripletick.ui.renderer import PlainRenderer

YES, NO, SESSION = Answer("y"), Answer("n", "keep it"), Answer("s")
DIFF = {"approval": {"diff": True}}
WRITE = "```text:notes.txt\none\n2\nthree\n```"
EDIT = "```edit:notes.txt\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n```"
LINES = ("--- a/notes.txt", "+++ b/notes.txt", "@@ -1,3 +1,3 @@", " one", "-two", "+2", " three")


def notes(it):
    path = it.folder / "notes.txt"
    path.write_text("one\ntwo\nthree\n")
    it.loop.context.ledger.known.add("notes.txt")
    return path


def asked(events):
    return [event for event in events if isinstance(event, Ask)]


def texts(question):
    return tuple(text for _, text in question.diff)


@pytest.mark.parametrize("block", [WRITE, EDIT])
def test_a_file_of_the_user_s_is_replaced_after_its_diff_and_a_yes(session, block):
    it = session(block, "Done.", answers=[YES], **DIFF)
    path = notes(it)
    (question,) = asked(it.play())
    assert question.question == "Replace notes.txt (+1 -1)?" and texts(question) == LINES
    assert path.read_text() == "one\n2\nthree\n"


@pytest.mark.parametrize("block", [WRITE, EDIT])
def test_a_no_leaves_the_file_as_it_was_and_its_words_go_to_the_model(session, block):
    it = session(block, "Then not.", answers=[NO], **DIFF)
    path = notes(it)
    result = last(it.play(), Returned).result
    assert (result.outcome, result.verdict) == ("denied", "refused by the person: keep it")
    assert path.read_text() == "one\ntwo\nthree\n"


def test_a_yes_for_the_session_is_asked_for_once(session):
    it = session(
        WRITE, EDIT.replace("two", "2").replace("\n2\n>", "\ntwo\n>"), "Done.", answers=[SESSION], **DIFF
    )
    path = notes(it)
    assert len(asked(it.play())) == 1 and path.read_text() == "one\ntwo\nthree\n"


def test_in_the_home_folder_the_leave_to_write_is_none_to_replacing_a_file(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "project"))
    write = WRITE.replace("notes.txt", "docs/notes.txt")
    sections: dict[str, Any] = {"agent": {"name": "coder"}, "approval": {"diff": True}}
    with open_sitting(tmp_path, write, "Then not.", person=True, **sections) as it:
        it.app.workspace.permission = Permission("read")
        path = it.app.folder / "docs/notes.txt"
        path.parent.mkdir()
        path.write_text("one\ntwo\nthree\n")
        it.play(YES, NO, turn=it.app.handle_request("change docs/notes.txt"))
        assert [question.question for question in it.asked] == [
            "Let this turn write to ~/docs?",
            "Replace docs/notes.txt (+1 -1)?",
        ]
        assert path.read_text() == "one\ntwo\nthree\n"


def test_nobody_is_asked_for_a_new_file_nor_for_one_that_the_turn_has_made(session):
    again = "```text:new.txt\nfirst\nsecond\n```"
    it = session("```text:new.txt\nfirst\n```", again, "Done.", answers=[NO], **DIFF)
    assert not asked(it.play()) and (it.folder / "new.txt").read_text() == "first\nsecond\n"


def test_without_the_setting_and_without_a_question_nobody_is_asked(session):
    it = session(WRITE, "Done.", answers=[NO])
    path = notes(it)
    assert not asked(it.play()) and path.read_text() == "one\n2\nthree\n"


def test_with_the_setting_and_nobody_there_the_file_stays(session):
    it = session(WRITE, "I cannot.", "I cannot.", **DIFF)
    path = notes(it)
    events = it.play()
    verdict = "was not run: replacing notes.txt needs the person's yes, and nobody is there to ask"
    assert next(event for event in events if isinstance(event, Returned)).result.verdict == verdict
    assert path.read_text() == "one\ntwo\nthree\n"


@pytest.mark.parametrize("block", [WRITE, EDIT])
def test_where_each_block_is_asked_for_the_diff_stands_above_that_one_question(session, block):
    it = session(block, "Done.", answers=[YES], sandbox={"ask": "always"}, **DIFF)
    path = notes(it)
    (question,) = asked(it.play())
    assert question.question.startswith("Run this ") and texts(question) == LINES
    assert path.read_text() == "one\n2\nthree\n"


def test_a_yes_for_the_session_to_blocks_is_none_to_replacing_files(session):
    other = "```text:b.txt\nb\n```"
    it = session(
        other.replace("b.txt", "c.txt"),
        WRITE,
        "Done.",
        answers=[SESSION, YES],
        sandbox={"ask": "always"},
        **DIFF,
    )
    notes(it)
    questions = [event.question for event in asked(it.play())]
    assert len(questions) == 2 and questions[1] == "Replace notes.txt (+1 -1)?"


def test_the_question_whether_lines_may_be_lost_shows_which(session):
    it = session("```text:long.txt\nline 1\n```", "Done.", answers=[YES])
    (it.folder / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 31)))
    it.loop.context.ledger.known.add("long.txt")
    (question,) = asked(it.play())
    assert "would shrink from 30 to 1 lines" in question.question
    assert (
        texts(question)[2:5] == ("@@ -1,30 +1 @@", " line 1", "-line 2") and texts(question)[-1] == "-line 30"
    )


def test_a_file_outside_of_the_folder_is_shown_as_it_would_become(session):
    with tempfile.TemporaryDirectory(prefix="tt-outside-", dir=Path.home()) as folder:
        path = Path(folder, "notes.txt")
        path.write_text("one\ntwo\nthree\n")
        it = session(WRITE.replace("notes.txt", str(path)), "Done.", answers=[YES])
        (question,) = asked(it.play())
        assert "replace" in question.question and texts(question) == LINES
        assert path.read_text() == "one\n2\nthree\n"


def test_a_file_that_is_no_text_is_told_by_its_sizes(session):
    it = session(WRITE, "Done.", answers=[YES], **DIFF)
    notes(it).write_bytes(b"\0\1\2")
    (question,) = asked(it.play())
    assert texts(question) == ("notes.txt: binary or large, 3 to 12 bytes",)


def test_a_long_diff_is_shown_in_part_and_whole_after_a_question_mark():
    lines = tuple(("added", f"+{number}\x1b[2J") for number in range(100))
    stream = io.StringIO()
    question = Ask("Replace a.txt (+100 -0)?", "yn?", "Why.", diff=lines)
    assert ask_question(question, PlainRenderer(stream), io.StringIO("?\ny\n")).choice == "y"
    first, _, second = stream.getvalue().partition("Replace a.txt")
    assert first.count("\n") == MOST and f"... {101 - MOST} more lines (? shows all)" in first
    assert "\x1b" not in stream.getvalue() and "+99" in second and "Why." in second


def test_an_answer_without_blocks_asks_nothing(session):
    it = session("Hello.", answers=[NO], **DIFF)
    assert last(it.play(), Answered).text == "Hello."
