"""The questions about a block as a person meets them, at a real terminal."""

import json
import subprocess

import pytest
from tests.terminal import CTRL_C, opened

BLOCK = "I clean up.\n\n```bash\nrm -rf src; touch ran\n```"
ASKED = "This deletes src (12 files). Run it? [y/n/s/e/?]"
EDITOR = "#!/bin/sh\necho 'echo edited > ran' > \"$1\"\n"


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project" / "src").mkdir(parents=True)
    for number in range(12):
        (tmp_path / "project" / "src" / f"{number}.txt").write_text("")
    return tmp_path


@pytest.fixture
def chat(home):
    """Open the chat on scripted replies."""

    def start(*replies, words=("-y",), **env):
        (home / "script.json").write_text(json.dumps(replies))
        return opened(home, "-m", f"scripted:{home / 'script.json'}", "-C", ".", *words, **env)

    return start


def begin(terminal):
    return terminal.wait("coder>").send("clean up").wait(ASKED)


def test_a_yes_runs_the_block_and_a_question_mark_says_why(chat, home):
    with chat(BLOCK, "It is gone.", words=()) as terminal:
        begin(terminal).send("?").wait("tripletick undo restores them", "s yes, for this session")
        terminal.send("y").wait("It is gone.")
    assert not (home / "project" / "src").exists()


def test_a_no_with_a_word_goes_on_without_it(chat, home):
    with chat(BLOCK, "Then not.", words=()) as terminal:
        begin(terminal).send("n keep them").wait("refused by the person: keep them", "Then not.")
    assert not (home / "project" / "ran").exists()


def test_what_was_typed_before_a_question_of_a_single_task_does_not_answer_it(home):
    (home / "script.md").write_text(
        f"```bash\nprintf begun; until [ -e wait ]; do sleep 0.1; done\n```\n---\n{BLOCK}\n---\nThen not."
    )
    with opened(home, "-m", f"scripted:{home / 'script.md'}", "-a", "coder", "clean up") as terminal:
        terminal.wait("begun").type("y\r").wait("\ny")
        (home / "project" / "wait").write_text("go on")
        terminal.wait(ASKED).send("n").wait("refused by the person", "Then not.")
    assert (home / "project" / "src").exists()


def test_ctrl_c_at_a_question_is_a_no(chat, home):
    with chat(BLOCK, "Then not.", words=()) as terminal:
        begin(terminal).type(CTRL_C).wait("refused by the person", "Then not.")
    assert not (home / "project" / "ran").exists()


def test_the_persons_editor_gets_the_block(chat, home):
    (home / "editor").write_text(EDITOR)
    (home / "editor").chmod(0o755)
    with chat(BLOCK, "Good.", words=(), EDITOR=str(home / "editor")) as terminal:
        begin(terminal).send("e").wait("The person ran this instead", "Good.")
    assert (home / "project" / "ran").read_text() == "edited\n"
    assert (home / "project" / "src").exists()


def test_an_editor_that_lies_in_the_folder_is_not_started(chat, home):
    (home / "project" / "editor").write_text(EDITOR)
    (home / "project" / "editor").chmod(0o755)
    with chat(BLOCK, "Good.", words=(), EDITOR=str(home / "project" / "editor")) as terminal:
        begin(terminal).send("e").wait("Run instead (one line):").send("echo typed > ran").wait("Good.")
    assert (home / "project" / "ran").read_text() == "typed\n"


def test_after_a_yes_on_the_command_line_nobody_is_asked(chat, home):
    with chat(BLOCK, "It is gone.") as terminal:
        terminal.wait("coder>").send("clean up").wait("It is gone.")
        assert "[y/n" not in terminal.text()
    assert not (home / "project" / "src").exists()


def test_what_the_person_types_himself_is_not_asked_for(chat, home):
    with chat("Hello.", words=()) as terminal:
        terminal.wait("coder>").send("!rm -rf src").wait("bash: ok")
    assert not (home / "project" / "src").exists()


def test_without_a_box_the_person_is_asked_for_what_he_types_too(chat, home):
    with chat("Hello.", words=("--sandbox", "bare")) as terminal:
        terminal.wait("coder>").send("!touch ran").wait("NO SANDBOX. Run this bash block").send("n")
        terminal.wait("refused by the person")
    assert not (home / "project" / "ran").exists()


def test_with_quiet_the_block_is_shown_before_its_question(home):
    (home / "script.json").write_text(json.dumps([BLOCK, "Then not."]))
    words = ["-m", f"scripted:{home / 'script.json'}", "-C", ".", "-q", "clean up please"]
    with opened(home, *words) as terminal:
        terminal.wait("    rm -rf src; touch ran", ASKED).send("n").wait("Then not.")


def test_a_commit_shows_its_line_and_is_the_persons(chat, home):
    subprocess.run(
        "git init -q . && rm -r src && git config user.email a@b.test && git config user.name Ann",
        shell=True,
        cwd=home / "project",
        check=True,
    )
    with chat("```bash\ntouch a\ngit add a && git commit -m 'add a'\n```", "Done.", words=()) as terminal:
        terminal.wait("coder>").send("commit it").wait("git add a && git commit -m 'add a'? [y/n/e/?]").send(
            "y"
        ).wait("Done.")
    words = ["git", "log", "--format=%s"]
    assert (
        subprocess.run(words, cwd=home / "project", capture_output=True, text=True, check=True).stdout
        == "add a\n"
    )
