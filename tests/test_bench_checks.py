"""How a task is judged: each kind of check on what may have been left, and files that are no tasks."""

import os

import pytest

from tripletick.bench import folders, text_checks
from tripletick.bench.checks import KINDS, Check, CheckContext, ProgramResult
from tripletick.bench.folders import TaskFolder
from tripletick.bench.task import load_tasks, read_task
from tripletick.errors import ConfigError
from tripletick.paths import PathRefused

TASK = 'requests = ["a", "b", "c"]\n\n[[check]]\nkind = "gone"\npath = "old.txt"\n'


@pytest.fixture
def look(tmp_path):
    """Hold a check against files and an answer; gives why it does not hold."""
    start, left = tmp_path / "start", tmp_path / "left"
    for folder in (start, left):
        folder.mkdir()
    (start / "kept.txt").write_text("as it was\n")

    def run(command, stdin, seconds):
        return ProgramResult(
            f"{command}:{stdin}", 3 if command == "fails" else 0, "timeout" if seconds < 1 else ""
        )

    def held(kind, files=(), answer="", **wanted):
        for path, text in dict(files).items():
            (left / path).parent.mkdir(parents=True, exist_ok=True)
            (left / path).write_text(text)
        return Check(kind, wanted).find_failure(CheckContext(TaskFolder(left), start, answer, run))

    held.left = left  # type: ignore[attr-defined]
    return held


GOOD = [
    ("file", {"a": "one\r\ntwo"}, {"path": "a", "equals": "one\ntwo\n"}),
    (
        "file",
        {"a": "one\ntwo\n"},
        {"path": "a", "has": ["one", "two"], "lacks": ["three"], "matches": "^two$"},
    ),
    ("file", {"a": "b\na"}, {"path": "a", "lines": 2, "same_lines": ["a", "b"]}),
    ("file", {"a": ""}, {"path": "a", "lines": 0, "equals": ""}),
    ("gone", {}, {"path": "a/b"}),
    ("folder", {"d/a": "", "d/__pycache__/x": ""}, {"path": "d", "names": ["a"]}),
    ("same", {"kept.txt": "as it was\n", ".tripletick/out/1.txt": ""}, {}),
    ("same", {"kept.txt": "changed", "b.py": ""}, {"except": ["kept.*"], "new": ["*.py"]}),
    ("json", {"a": '{"x": [1, {"y": true}]}'}, {"path": "a", "at": "x.1.y", "equals": True}),
    ("json", {"a": "[1.0, 2]"}, {"path": "a", "equals": [1, 2]}),
    ("csv", {"a": "Nan,1\n"}, {"path": "a", "rows": [["Nan", 1]]}),
    ("csv", {"a": "\ufeffname, n\nx,1.50\n"}, {"path": "a", "rows": [["name", "n"], ["x", 1.5]]}),
    ("run", {}, {"command": "c", "stdin": "in", "stdout": "c:in\n"}),
    ("run", {}, {"command": "fails", "exit": 3, "has": ["fails"]}),
]
BAD = [
    ("file", {}, {"path": "a"}, "a does not exist"),
    ("file", {"a/b": ""}, {"path": "a"}, "a is a folder"),
    ("file", {"a": "x\n\n"}, {"path": "a", "equals": "x"}, "a is 'x\\n\\n'"),
    ("file", {"a": "x"}, {"path": "a", "has": ["y"]}, "a lacks 'y'"),
    ("file", {"a": "x"}, {"path": "a", "lacks": ["x"]}, "a has 'x'"),
    ("file", {"a": "b\nb"}, {"path": "a", "same_lines": ["b"]}, "a has the line 'b'"),
    ("file", {"a": "b\n"}, {"path": "a", "lines": 2}, "a has 1 lines"),
    ("gone", {"a": ""}, {"path": "a"}, "a still exists"),
    ("folder", {"d": ""}, {"path": "d"}, "d is not a folder"),
    ("folder", {"d/a": "", "d/b": ""}, {"path": "d", "names": ["a"]}, "d has 'b'"),
    ("same", {}, {}, "kept.txt does not exist"),
    ("same", {"kept.txt": "as it was"}, {}, "kept.txt was changed"),
    ("same", {"kept.txt": "as it was\n", "new": ""}, {}, "'new' is unexpected"),
    ("json", {"a": "{"}, {"path": "a"}, "a is not valid JSON"),
    ("json", {"a": "[" * 100_000}, {"path": "a"}, "a is not valid JSON"),
    ("json", {"a": "[1]"}, {"path": "a", "at": "0.x"}, "a has no 0.x"),
    ("json", {"a": "1"}, {"path": "a", "equals": True}, "a has a different value at the top level"),
    ("json", {"a": "[" * 900 + "]" * 900}, {"path": "a", "equals": 1}, "a is nested too deeply"),
    ("csv", {"a": "x,1\n"}, {"path": "a", "rows": [["x", 2]]}, "row 1 of a differs"),
    ("csv", {"a": "x\n"}, {"path": "a", "rows": []}, "a has 1 rows"),
    ("run", {}, {"command": "fails"}, "'fails' exited with 3"),
    ("run", {}, {"command": "c", "seconds": 0.5}, "'c' was stopped: timeout"),
    ("run", {}, {"command": "c", "stdout": "d"}, "the output of 'c' is 'c:'"),
]


@pytest.mark.parametrize(("kind", "files", "wanted"), GOOD)
def test_a_check_holds(look, kind, files, wanted):
    assert look(kind, files, **wanted) == ""


@pytest.mark.parametrize(("kind", "files", "wanted", "why"), BAD)
def test_a_check_says_why_it_does_not_hold(look, kind, files, wanted, why):
    assert look(kind, files, **wanted) == why


ANSWERS = [
    ("There are 42 files.", {"number": 42}, True),
    ("There are 142 files in v42.", {"number": 42}, False),
    ("It is 1,234,567.", {"number": 1234567}, True),
    ("It is 1.234,50 euros.", {"number": 1234.5}, True),
    ("It is 3,5 or 1 200.", {"number": 1200}, True),
    ("It is \N{MINUS SIGN}7 degrees.", {"number": -7}, True),
    ("Three of them.", {"number": 3}, True),
    ("The capital is PARIS.", {"has": ["Paris"]}, True),
    ("It is in comparison.", {"has": ["Paris"]}, False),
    ("Oslo, I think", {"any": ["Bergen", "oslo"], "lacks": ["Paris"], "matches": "think$"}, True),
    ("Oslo", {"any": ["Bergen"]}, False),
    ("  \n", {}, False),
]


@pytest.mark.parametrize(("answer", "wanted", "good"), ANSWERS)
def test_an_answer_is_read_as_a_person_does(look, answer, wanted, good):
    assert (look("answer", answer=answer, **wanted) == "") is good


def test_a_link_leads_nowhere_outside_and_inside_to_its_file(look, tmp_path):
    (tmp_path / "secret").write_text("x")
    for name, target in (("out", tmp_path / "secret"), ("loop", "loop"), ("in", "real")):
        (look.left / name).symlink_to(target)
    assert look("file", path="out", has=["x"]).startswith("out leads out of this folder")
    assert (
        look("file", path="loop", has=["x"])
        == "loop leads out of this folder; only paths inside it can be used"
    )
    assert look("file", {"real": "x"}, path="in", has=["x"]) == ""
    assert look("gone", path="out") == "out still exists"


def test_what_has_no_end_is_not_read(look):
    os.mkfifo(look.left / "fifo")
    with (look.left / "huge").open("wb") as file:
        file.truncate(1 << 30)
    assert look("file", path="fifo", has=["x"]) == "fifo is not a regular file"
    assert look("json", path="huge") == "huge is larger than 1 MB"


def test_a_copy_holds_the_files_alone_and_not_too_much(look, tmp_path):
    (look.left / "d").mkdir()
    (look.left / "d" / "run.sh").write_text("#!/bin/sh\n")
    (look.left / "d" / "run.sh").chmod(0o755)
    (look.left / "link").symlink_to("/etc/passwd")
    into = tmp_path / "copy"
    into.mkdir()
    TaskFolder(look.left).copy_files(into)
    assert [path.name for path in into.rglob("*")] == ["d", "run.sh"]
    assert os.access(into / "d" / "run.sh", os.X_OK)
    with (look.left / "huge").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(PathRefused, match="too large"):
        TaskFolder(look.left).copy_files(into)


def test_a_folder_without_end_is_not_walked(look):
    for number in range(folders.DEEP + 3):
        (look.left / "/".join(["d"] * (number + 1))).mkdir()
    (look.left / "/".join(["d"] * (folders.DEEP + 3)) / "f").write_text("")
    assert look("same", {"kept.txt": "as it was\n"}) == "the folder is too large"


WRONG = [
    ("requests = [", "cannot be read"),
    (TASK.replace('"c"', '"c", "d"'), "task.toml:1: requests is wrong."),
    (TASK + "size = 3\n", "task.toml:6: there is no key size."),
    (TASK.replace('"gone"', '"going"'), "task.toml:4: there is no check 'going'."),
    (TASK.replace('path = "old.txt"', ""), "task.toml:4: path is missing."),
    (TASK + '\n[[check]]\nkind = "file"\npath = "a"\nmatches = "("\n', "task.toml:10: the pattern is wrong"),
    (TASK + '\n[[check]]\nkind = "file"\npath = "a"\nlines = true\n', "task.toml:10: lines is wrong."),
    ("seconds = 'x'\n" + TASK, "task.toml:1: seconds is wrong."),
    *((f"seconds = {odd}\n{TASK}", "task.toml:1: seconds is wrong.") for odd in ("0", "-1", "inf", "nan")),
    (TASK.replace("old.txt", "\\u0000"), "task.toml:5: path is wrong."),
    (TASK + f'\n[[check]]\nkind = "answer"\nmatches = "a{{{9**30}}}"\n', "the pattern is wrong"),
    ("a = " + "[" * 9000, "cannot be read"),
    (
        TASK + f'\n[[check]]\nkind = "run"\ncommand = "cat"\nstdin = "{"x" * 120_001}"\n',
        "stdin is wrong.\nAllowed: a text of at most 120000 bytes",
    ),
    ('requests = ["a", "b", "c"]\n', "task.toml:1: check is missing."),
    ('requests = ["a", "b", "c"]\ncheck = 1\n', "task.toml:2: check is wrong."),
    ('requests = ["a", "b", "c"]\ncheck = [1]\n', "task.toml:2: check is wrong."),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_a_task_that_is_wrong_is_told_with_its_line(tmp_path, text, said):
    (tmp_path / "task.toml").write_text(text)
    with pytest.raises(ConfigError) as raised:
        read_task(tmp_path / "task.toml")
    assert said in str(raised.value)


def test_tasks_lie_alone_or_in_families(tmp_path):
    for folder in ("family/a", "family/b"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "task.toml").write_text(TASK)
    assert [task.id for task in load_tasks(tmp_path)] == ["family/a", "family/b"]
    assert [task.id for task in load_tasks(tmp_path / "family")] == ["family/a", "family/b"]
    assert [task.id for task in load_tasks(tmp_path / "family" / "b")] == ["family/b"]


def test_every_key_of_a_text_has_a_look():
    known = {*text_checks.TEXT, *text_checks.ANSWER, "path", "command", "stdin", "exit", "seconds"}
    for name in ("file", "run", "answer"):
        assert {*KINDS[name].must, *KINDS[name].may} <= known
