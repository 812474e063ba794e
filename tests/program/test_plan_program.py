"""A plan as a person meets it, at a real terminal: shown, edited, watched, stopped, gone on with."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest
from tests.planners import made, plan, slow, to
from tests.terminal import CTRL_C, opened

AB = plan(("1", "coder", "make a"), ("2", "file", "make b", "1"))
ASKED = "Run this plan? [Y/n/e/?]"
STOPPED = "Stopped. Continue with the rest of the plan (1 task)? [y/n/?]"
RESUMED = "A plan of this session is unfinished (1 task left). Continue it? [Y/n/?]"
EDITOR = """#!/bin/sh
cp "$1" {seen}/$(ls {seen} | wc -l)
case $(cat "$1") in
*painter*) sed -i 's/painter/file/' "$1" ;;
*) sed -i 's/2 file/2 painter/' "$1" ;;
esac
"""


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


@pytest.fixture
def chat(home):
    """Open the chat with the planner on scripted replies."""

    def start(*replies, words=("-a", "planner"), **env):
        flat = [one for reply in replies for one in (reply if isinstance(reply, list) else [reply])]
        (home / "script.json").write_text(json.dumps(flat))
        return opened(home, "-m", f"scripted:{home / 'script.json'}", *words, **env)

    return start


def begin(terminal):
    return terminal.wait("planner>").send("do it all").wait(ASKED)


def test_a_plan_is_shown_agreed_to_watched_and_answered(chat, home):
    with chat(AB, made("a"), made("b")) as terminal:
        begin(terminal)
        assert terminal.lines()[-4:-1] == [
            "Plan: 2 tasks",
            "└── 1 coder: make a",
            "    └── 2 file: make b  (needs 1)",
        ]
        terminal.send("?").wait("each by its agent").send("y").wait("Plan: 2 of 2 done", "a.txt (created)")
        terminal.wait_line("planner>")
    assert (home / "project" / "b.txt").read_text() == "b\n"


def test_while_a_task_runs_the_tree_hangs_below_the_status_line(chat):
    with chat(AB, slow("a")) as terminal:
        begin(terminal).send("y").wait(
            "▸ 1 coder: make a", "▸ 1 coder, running: make a", "└── 2 file: make b"
        )
        terminal.type(CTRL_C).wait("Stopped. Continue with")
        assert "running" not in terminal.text()


def test_an_edited_plan_is_checked_and_what_is_wrong_is_edited_again(chat, home):
    (home / "seen").mkdir()
    (home / "editor").write_text(EDITOR.format(seen=home / "seen"))
    (home / "editor").chmod(0o755)
    with chat(AB, made("a"), made("b"), EDITOR=str(home / "editor")) as terminal:
        begin(terminal).send("e").wait(
            "Line 4: Task 2: there is no agent 'painter'.", "Edit it again? [E/y/n/?]"
        )
        terminal.send("e").wait_line(ASKED)
        terminal.send("y").wait("Plan: 2 of 2 done")
    assert "2 painter: make b" in (home / "seen" / "1").read_text()


def test_ctrl_c_stops_the_plan_and_a_yes_goes_on(chat):
    with chat(AB, made("a"), slow("b")) as terminal:
        begin(terminal).send("y").wait("2 file, running: make b")
        terminal.type(CTRL_C).wait(STOPPED).send("y").wait("Plan: 2 of 2 done")


def test_go_on_does_what_a_stopped_plan_has_left(chat, home):
    with chat(AB, made("a"), slow("b")) as terminal:
        begin(terminal).send("y").wait("2 file, running: make b")
        terminal.type(CTRL_C).wait(STOPPED).send("n").wait("Plan: 1 of 2 done").wait_line("planner>")
        terminal.send("go on").wait("Plan: 2 of 2 done").wait_line("planner>")
    assert (home / "project" / "b.txt").exists()


def test_go_on_to_an_agent_by_name_is_its_request_and_no_plan(chat, home):
    with chat(AB, made("a"), slow("b"), "What is it?") as terminal:
        begin(terminal).send("y").wait("2 file, running: make b")
        terminal.type(CTRL_C).wait(STOPPED).send("n").wait("Plan: 1 of 2 done").wait_line("planner>")
        terminal.send("@coder go on").wait("What is it?").wait_line("planner>")
    assert not (home / "project" / "b.txt").exists()


def test_words_instead_of_a_plan_are_told_once_and_one_agent_does_the_request(chat, home):
    replies = ["Sure, I will.", "I am on it.", "```write:a.txt\na\n```", "It is made."]
    with chat(*replies, words=(), agent="") as terminal:
        terminal.wait_line(">").send("make a site and deploy it and write the docs")
        terminal.wait(
            "1 of 5: the model answered without a plan", "The model wrote no plan: coder handles the request."
        )
        terminal.wait("It is made.").wait_line(">")
        assert "There is no plan" not in terminal.text()
    assert (home / "project" / "a.txt").exists()


def test_ctrl_c_and_a_no_leave_what_is_done(chat, home):
    with chat(AB, made("a"), slow("b")) as terminal:
        begin(terminal).send("y").wait("2 file, running: make b")
        terminal.type(CTRL_C).wait(STOPPED).send("n").wait("Plan: 1 of 2 done", "stopped")
        terminal.wait_line("planner>")
    assert [path.name for path in (home / "project").glob("*.txt")] == ["a.txt"]


def test_a_plan_whose_program_was_killed_is_gone_on_with(chat, home):
    with chat(AB, made("a"), slow("b")) as terminal:
        begin(terminal).send("y").wait("2 file, running: make b")
        terminal.program.kill(signal.SIGKILL)
    with chat(made("b"), words=("resume",)) as terminal:
        terminal.wait("✓ 1 coder, done: make a", RESUMED).send("y").wait("Plan: 2 of 2 done")
        terminal.wait_line("planner>")
    assert (home / "project" / "b.txt").exists()


def test_a_no_at_the_plan_leaves_the_folder_as_it_was(chat, home):
    with chat(AB) as terminal:
        begin(terminal).send("n").wait("was not run", "@coder REQUEST").wait_line("planner>")
    assert not list((home / "project").glob("*.txt"))


def test_a_terminal_that_knows_nothing_gets_plain_lines(chat):
    with chat(AB, made("a"), made("b"), TERM="dumb") as terminal:
        begin(terminal)
        assert terminal.lines()[-3:-1] == ["  1 coder: make a", "    2 file: make b  (needs 1)"]
        terminal.send("y").wait("Plan: 2 of 2 done")
        assert "▸" not in terminal.text() and "─" not in terminal.text()


def test_as_json_the_tasks_are_told_and_the_exit_says_whether_all_is_done(chat, home):
    replies = [AB, *made("a"), *to("make b", "REQUEST_CLARIFICATION Where?"), "go on"]
    (home / "script.json").write_text(json.dumps(replies))
    words = ("-C", ".", "-o", "json", "-a", "planner", "-m", f"scripted:{home / 'script.json'}", "do it all")
    ran = subprocess.run(
        [sys.executable, "-m", "tripletick.cli", *words],
        cwd=home / "project",
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["exit"], told["ok"]) == (1, 1, False)
    assert [(task["id"], task["status"]) for task in told["tasks"]] == [("1", "done"), ("2", "failed")]
    assert told["tasks"][0]["files"] == [{"path": "a.txt", "action": "created"}]
    assert "Where?" in told["tasks"][1]["result"]


def test_a_role_is_used_by_hand_and_changes_nothing(chat, home):
    with chat("```bash\ntouch made.txt\n```", "It cannot be.", words=("-a", "coder")) as terminal:
        terminal.wait("coder>").send("@reviewer look at the last change").wait(
            "touch: cannot touch", "It cannot be."
        )
    assert not (home / "project" / "made.txt").exists()
