"""`@path`, what Tab completes, and `/run`, in a real terminal."""

import json

import pytest
from tests.terminal import CTRL_C, TAB, requests


@pytest.fixture
def project(home):
    files = {"notes.txt": "the first\nthe second\n", "my notes.txt": "mine\n", ".env": "KEY=1\n"}
    for name, text in files.items():
        (home / "project" / name).write_text(text)
    (home / "project" / "sources").mkdir()
    (home / "project" / "sources" / "main.py").write_text("print('hello')\n" * 400)
    return home / "project"


def sent(home):
    """The last request as the model was sent it."""
    logs = sorted((home / ".local" / "state" / "tripletick" / "sessions").glob("*.jsonl"))
    return logs[-1].read_text()


@pytest.mark.usefixtures("project")
def test_a_file_that_is_mentioned_goes_along_as_read_shows_it(chat, home):
    with chat("Read.") as terminal:
        terminal.wait("coder>").send("what is @notes.txt, please").wait("+ notes.txt: ", "Read.")
        terminal.wait_line("coder>")
    assert requests(home) == ["what is notes.txt, please"]
    assert "notes.txt, 2 lines:\\n1|the first\\n2|the second" in sent(home)


@pytest.mark.usefixtures("project")
def test_a_name_with_blanks_stands_in_quotes_and_lines_behind_a_colon(chat, home):
    with chat("Read.") as terminal:
        terminal.wait("coder>").send('@"my notes.txt" and @notes.txt:2-2').wait("Read.").wait_line("coder>")
    assert requests(home) == ['"my notes.txt" and notes.txt:2-2']
    assert "1|mine" in sent(home) and "2|the second" in sent(home) and "1|the first" not in sent(home)


@pytest.mark.usefixtures("project")
def test_a_word_that_names_no_file_stays_a_word(chat, home):
    with chat("One.", "Two.") as terminal:
        terminal.wait("coder>").send("mail a@b.org about @app.route").wait("@app.route: no such file here")
        terminal.wait("One.").wait_line("coder>").send("and @property").wait("Two.").wait_line("coder>")
        assert "@property: there" not in terminal.text()
    assert requests(home) == ["mail a@b.org about @app.route", "and @property"]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("path", [".env", "../elsewhere.txt", "/etc/passwd"])
def test_what_is_kept_from_the_model_is_not_sent_and_said(chat, home, path):
    with chat("Read.") as terminal:
        terminal.wait("coder>").send(f"see @{path}").wait(f"{path} was not sent.").wait_line("coder>")
    assert requests(home) == []


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../elsewhere.txt", "was not sent."),
        ("/etc/passwd", "was not sent."),
        ("no.txt", ": no such file here"),
    ],
)
def test_a_path_at_the_beginning_is_no_agent_s_name(chat, path, said):
    with chat("Read.") as terminal:
        terminal.wait("coder>").send(f"@{path} what is that").wait(f"{path}{' ' * (said[0] == 'w')}{said}")
        terminal.wait_line("coder>")
        assert "no agent" not in terminal.text()


def test_a_folder_counts_by_the_names_that_go_along(chat, project):
    with chat() as terminal:
        terminal.wait("coder>").type("see @sources").wait("+2 tokens")


@pytest.mark.usefixtures("project")
def test_paths_are_completed_with_their_tokens(chat):
    with chat() as terminal:
        terminal.wait("coder>").type(f"see @no{TAB}").wait("see @notes.txt", "+6 tokens").type(CTRL_C)
        terminal.wait_line("coder>").type(f"see @s{TAB}{TAB}").wait("@sources/main.py", "+1.9k tokens")
        terminal.type(CTRL_C).wait_line("coder>").type(f"see @my{TAB}").wait('see @"my notes.txt"')


@pytest.mark.usefixtures("project")
def test_several_paths_are_listed_with_their_tokens_and_no_hidden_one(chat):
    with chat() as terminal:
        terminal.wait("coder>").type(f"see @{TAB}").wait("notes.txt (6 tokens)", "sources/")
        assert ".env" not in terminal.text()
        terminal.type(f".e{TAB}x").wait("see @.ex")


def test_a_name_that_would_steer_the_terminal_is_not_offered(chat, project):
    (project / "no\x1b[2Jtes.txt").write_text("")
    (project / "no\u202ecod.txt").write_text("")
    with chat() as terminal:
        terminal.wait("coder>").type(f"see @no{TAB}|").wait("see @notes.txt|")


@pytest.mark.parametrize(
    ("typed", "whole"),
    [("/und", "/undo "), ("/think a", "/think auto"), ("/agent fi", "/agent file"), ("@ca", "@casual ")],
)
def test_commands_and_what_they_take_are_completed(chat, typed, whole):
    with chat() as terminal:
        terminal.wait("coder>").type(f"{typed}{TAB}|").wait(f"coder> {whole}|")


GAME = "import sys\nname = input('Your name? ')\nprint('Hello', name, sys.stdin.isatty())\nsys.exit(3)\n"


def test_a_program_is_run_in_the_persons_own_terminal_after_a_yes(chat, home):
    (home / "project" / "game.py").write_text(GAME)
    with chat() as terminal:
        terminal.wait("coder>").send("/run game.py").wait(
            "NO SANDBOX: run game.py (sha256 12f0badc5956) with python3"
        )
        terminal.type("?\r").wait("use the network").type("y\r").wait("Your name?").type("Ann\r")
        terminal.wait("Hello Ann True", "game.py ended with exit 3.").wait_line("coder>")
    assert requests(home) == []


def test_the_model_is_told_what_was_run_and_how_it_ended(chat, home):
    (home / "project" / "game.py").write_text("raise SystemExit(3)")
    with chat("I see.") as terminal:
        terminal.wait("coder>").send("/run game.py").wait("NO SANDBOX").type("y\r").wait("exit 3.")
        terminal.wait_line("coder>").send("why 3?").wait("I see.").wait_line("coder>")
        terminal.send("/export told.json").wait("Saved").wait_line("coder>")
    first, answer = json.loads((home / "project" / "told.json").read_text())["messages"]
    assert "own, not you. game.py ended with exit 3. You have not seen its output." in first["text"]
    assert ("why 3?" in first["text"], answer["text"]) == (True, "I see.")


STUBBORN = """\
import time
try:
    print("Begun?", flush=True)
    while True:
        # a key that comes between two waits for one is heard at the next
        time.sleep(0.05)
except KeyboardInterrupt:
    print("Caught", input("Still? "))
"""


def test_ctrl_c_is_the_programs_and_the_chat_waits_for_its_end(chat, home):
    (home / "project" / "game.py").write_text(STUBBORN)
    with chat() as terminal:
        terminal.wait("coder>").send("/run game.py").wait("NO SANDBOX").type("y\r").wait("Begun?").type(
            CTRL_C
        )
        terminal.wait("Still?").type("yes\r").wait("Caught yes", "game.py ended with exit 0.")
        terminal.wait_line("coder>")


def test_what_changed_after_the_question_is_not_run(chat, home):
    game = home / "project" / "game.py"
    game.write_text(GAME)
    with chat() as terminal:
        terminal.wait("coder>").send("/run game.py").wait("NO SANDBOX")
        game.write_text("print('another')\n")
        terminal.type("y\r").wait("The file changed after").wait_line("coder>")
        assert "another" not in terminal.text()


def test_a_page_opens_in_the_browser(chat, home):
    (home / "project" / "page.html").write_text("<p>")
    browser = home / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {home}/seen\n')
    browser.chmod(0o755)
    with chat(BROWSER=str(browser)) as terminal:
        terminal.wait("coder>").send("/run page.html").wait("NO SANDBOX: open page.html").type("y\r")
        terminal.wait("Opened page.html in your browser.").wait_line("coder>")
    assert (home / "seen").read_text().strip().endswith("/project/page.html")


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("/run", "No file was named."),
        ("/run note.txt", "Similar names: notes.txt"),
        ("/run notes.txt", "Its name is not that of a program."),
        ("/run ../x.py", "was not run."),
    ],
)
def test_what_is_no_program_here_is_not_run(chat, typed, told):
    with chat() as terminal:
        terminal.wait("coder>").send(typed).wait(told).wait_line("coder>")
