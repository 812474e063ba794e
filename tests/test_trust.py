"""What is remembered of a folder, when it is asked about, and which paths the person's words name."""

import json
import os
from pathlib import Path

import pytest

from tripletick.events import Ask
from tripletick.messages import Answer
from tripletick.trust import AnswerStore, FolderFlags, ask_permission, find_outside_paths, find_refusal_reason

NEW = FolderFlags(given=False)


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home/project").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


def settled(folder, home, memory, *answers, said=NEW, person=True):
    """Give what blocks may do, and the questions that were asked."""
    asking, waiting, reply = ask_permission(folder, home, said, memory, person), list(answers), None
    asked: list[str] = []
    while True:
        try:
            question = asking.send(reply)
        except StopIteration as stop:
            return stop.value, asked
        assert isinstance(question, Ask)
        asked.append(question.question)
        reply = answer if isinstance(answer := waiting.pop(0), Answer) else Answer(answer)


@pytest.mark.parametrize(
    ("letter", "mode", "allowed"), [("y", "work", True), ("r", "read", True), ("n", "read", False)]
)
def test_a_new_folder_is_asked_about_once(home, state, letter, mode, allowed):
    for times, memory in ((1, AnswerStore(state)), (0, AnswerStore(state))):
        leave, asked = settled(home / "project", home, memory, letter)
        assert (leave.mode, leave.allowed) == (mode, allowed)
        assert len(asked) == times
        assert bool(leave.notice) == (times == 0 and letter != "y")


def test_a_question_that_the_person_left_is_asked_again_the_next_time(home, state):
    left, _ = settled(home / "project", home, AnswerStore(state), Answer("n", said=False))
    assert not left.allowed
    assert len(settled(home / "project", home, AnswerStore(state), "y")[1]) == 1


@pytest.mark.parametrize("person", [True, False])
def test_a_flag_answers_for_this_session_alone(home, state, person):
    leave, asked = settled(
        home / "project", home, AnswerStore(state), said=FolderFlags(given=True), person=person
    )
    assert (leave.mode, asked) == ("work", [])
    assert len(settled(home / "project", home, AnswerStore(state), "y")[1]) == 1


def test_a_flag_takes_an_old_no_back_so_that_it_is_asked_again(home, state):
    settled(home / "project", home, AnswerStore(state), "n")
    settled(home / "project", home, AnswerStore(state), said=FolderFlags(given=True))
    assert len(settled(home / "project", home, AnswerStore(state), "y")[1]) == 1


def test_without_a_person_blocks_may_only_read_and_a_flag_is_named(home, state):
    leave, asked = settled(home / "project", home, AnswerStore(state), person=False)
    assert (leave.mode, leave.allowed, asked) == ("read", True, [])
    assert "-y" in leave.notice
    assert not state.exists()


def test_an_answer_that_was_given_holds_without_a_person(home, state):
    settled(home / "project", home, AnswerStore(state), "y")
    leave, _ = settled(home / "project", home, AnswerStore(state), person=False)
    assert (leave.mode, leave.notice) == ("work", "")


def test_another_folder_at_the_same_path_is_asked_about(home, state):
    settled(home / "project", home, AnswerStore(state), "y")
    (home / "project").rename(home / "old")
    (home / "project").mkdir()
    assert len(settled(home / "project", home, AnswerStore(state), "y")[1]) == 1


def test_a_link_to_a_folder_is_that_folder(home, state):
    settled(home / "project", home, AnswerStore(state), "y")
    (home / "way").symlink_to("project")
    assert settled(home / "way", home, AnswerStore(state))[1] == []


@pytest.mark.parametrize("said", [NEW, FolderFlags(given=True), FolderFlags(given=True, yes=True)])
@pytest.mark.parametrize("above", [False, True])
def test_in_the_home_folder_blocks_only_read_and_nothing_is_asked(home, state, said, above):
    leave, asked = settled(home.parent if above else home, home, AnswerStore(state), said=said)
    assert (leave.mode, leave.allowed, asked) == ("read", True, [])
    assert "you are asked before" in leave.notice


def test_answers_are_their_owner_s_alone_and_other_folders_stay(home, state):
    (home / "other").mkdir()
    old = os.umask(0)
    try:
        settled(home / "project", home, AnswerStore(state), "y")
        settled(home / "other", home, AnswerStore(state), "r")
    finally:
        os.umask(old)
    assert {path.stat().st_mode & 0o777 for path in state.iterdir()} == {0o600}
    assert state.stat().st_mode & 0o777 == 0o700
    assert settled(home / "project", home, AnswerStore(state))[0].mode == "work"


def test_without_saving_no_answer_is_kept_but_it_holds_for_the_session(home, state):
    memory = AnswerStore(state, save=False)
    settled(home / "project", home, memory, "r")
    assert settled(home / "project", home, memory)[1] == []
    assert not state.exists()


@pytest.mark.parametrize("text", [b"{", b"\xff", b"[]", b'{"format": 1}', b'{"format": "x", "folders": {}}'])
def test_a_damaged_file_is_told_and_asked_about_again(home, state, text):
    state.mkdir()
    (state / "folders.json").write_bytes(text)
    memory = AnswerStore(state)
    assert len(settled(home / "project", home, memory, "y")[1]) == 1
    assert "folders.json" in memory.problems[0]
    assert settled(home / "project", home, AnswerStore(state))[1] == []


@pytest.mark.parametrize("row", [7, {}, {"blocks": "all"}, {"blocks": "write", "inode": "x", "files": 3}])
def test_a_row_that_is_none_of_ours_is_no_answer(home, state, row):
    state.mkdir()
    whole = {"format": 1, "folders": {str(home / "project"): row}}
    (state / "folders.json").write_text(json.dumps(whole))
    assert len(settled(home / "project", home, AnswerStore(state), "y")[1]) == 1


def test_a_newer_file_is_told_and_left_as_it_is(home, state):
    state.mkdir()
    newer = json.dumps({"format": 2, "folders": {}})
    (state / "folders.json").write_text(newer)
    memory = AnswerStore(state)
    assert len(settled(home / "project", home, memory, "y")[1]) == 1
    assert "newer tripletick" in memory.problems[0]
    assert (state / "folders.json").read_text() == newer


def test_an_answer_that_cannot_be_kept_is_told(home, tmp_path):
    (tmp_path / "state").write_text("a file")
    memory = AnswerStore(tmp_path / "state")
    assert settled(home / "project", home, memory, "y")[0].mode == "work"
    assert any("could not be saved" in problem for problem in memory.problems)


@pytest.fixture
def named(home):
    """Give what words name, from the home folder on."""
    for name in ("Documents", "My Documents/a", "project/in"):
        (home / name).mkdir(parents=True)
    (home / "Documents/x.txt").touch()
    (home / "it's.txt").touch()

    def find(words):
        found = find_outside_paths(words.replace("@", str(home)), home / "project", home)
        return [str(path.relative_to(home)) for path in found]

    return find


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        ("sum up ~/Documents.", ["Documents"]),
        ("sum up ~/Documents/, please", ["Documents"]),
        ("what is in (~/Documents)?", ["Documents"]),
        ("see ~/My Documents/a now", ["My Documents/a"]),
        ("see ~/My\\ Documents now", ["My Documents"]),
        ("see '~/My Documents' now", ["My Documents"]),
        ('see "~/My Documents" and `~/Documents`', ["My Documents", "Documents"]),
        ("see “~/My Documents”", ["My Documents"]),
        ("read @/Documents/x.txt:", ["Documents/x.txt"]),
        ("read $HOME/Documents", ["Documents"]),
        ("compare ../Documents with this", ["Documents"]),
        ("~/Documents,~/Documents/x.txt", ["Documents", "Documents/x.txt"]),
        ("read ~/it's.txt!", ["it's.txt"]),
        ("tidy ~\nand ~/Documents", [".", "Documents"]),
    ],
)
def test_a_path_outside_that_the_words_name_is_found(named, words, paths):
    assert named(words) == paths


@pytest.mark.parametrize(
    "words",
    [
        "and/or 1/2 of it",
        "~/nothing at all",
        "about ~ 5 or ~5",
        "go on ... or ..",
        "http://localhost/Documents",
        "@/project/in and ~/project",
        "in of the project",
        "~nobody-of-that-name/x",
        "",
    ],
)
def test_what_names_nothing_outside_is_not_asked_about(named, words):
    assert named(words) == []


@pytest.mark.parametrize("path", ["/", "/tmp", "/proc", "/dev/null", "/run", "/var", "/sys/kernel"])
def test_what_a_box_has_of_its_own_is_never_let_in(path):
    assert "operating system" in find_refusal_reason(Path(path), [])


def test_keys_and_our_own_folders_are_never_let_in_nor_by_a_link(home):
    (home / ".ssh").mkdir()
    (home / "link").symlink_to(".ssh")
    (home / ".env.local").touch()
    names = (".ssh", "link", ".env.local")
    assert all("stay hidden" in find_refusal_reason(home / name, [home / ".ssh"]) for name in names)
    assert find_refusal_reason(home / "project", [home / ".ssh"]) == ""
    assert "no such" in find_refusal_reason(home / "nothing", [])
