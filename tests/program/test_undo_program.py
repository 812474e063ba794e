"""Undo, redo and diff as they are typed, and as a person at a terminal answers them."""

import json
import shutil
import subprocess

import pytest
from tests.program.test_cli import run, task
from tests.terminal import CTRL_C, opened


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "old").write_text("old\n")
    return tmp_path


def write(home, *blocks):
    """Let a turn run these blocks of bash."""
    (home / "script.md").write_text("".join(f"```bash\n{block}\n```\n---\n" for block in blocks) + "Done.")
    return task(home, "do it")


def test_undo_redo_and_diff_work_from_the_shell(home):
    write(home, "echo new > old", "echo more > more")
    assert run(home, "diff").stdout.endswith("--- a/old\n+++ b/old\n@@ -1 +1 @@\n-old\n+new\n")
    assert run(home, "undo").stdout == "Undone: “do it”.\nRestored: old.\nRemoved: more.\n"
    assert run(home, "diff").stderr == "No turn has changed anything here.\n"
    assert run(home, "redo").stdout == "Redone: “do it”.\nRestored: more, old.\n"
    assert (home / "project" / "old").read_text() == "new\n"


@pytest.mark.parametrize("word", ["undo", "redo"])
def test_where_there_is_nothing_to_do_it_is_said(home, word):
    done = run(home, word)
    assert (done.stdout, done.returncode) == (f"There is nothing to {word} here.\n", 0)


@pytest.mark.parametrize(
    "words", [("undo", "0"), ("redo", "two"), ("undo", "9" * 5000), ("diff", "1", "2"), ("undo", "-1")]
)
def test_what_is_no_number_of_turns_is_refused(home, words):
    assert run(home, *words).returncode == 2


def test_without_a_person_a_later_edit_stays_and_is_named(home):
    write(home, "echo new > old")
    (home / "project" / "old").write_text("mine")
    done = run(home, "undo")
    assert "Left as they are: old (changed since)." in done.stdout
    assert done.returncode == 3
    assert (home / "project" / "old").read_text() == "mine"


@pytest.mark.parametrize("name", ["nowhere", "~nobody-here"])
def test_a_folder_that_is_not_there_is_said(home, name):
    assert run(home, "undo", "-C", name).returncode == 2


@pytest.mark.skipif(not shutil.which("patch"), reason="patch is not installed")
def test_a_patch_finds_a_file_whose_name_has_blanks(home):
    (home / "project" / "my").write_text("old\n")
    (home / "project" / "my file").write_text("old\n")
    write(home, "echo new > 'my file'")
    diff = run(home, "diff").stdout
    subprocess.run(["patch", "-R", "-p1"], cwd=home / "project", input=diff, text=True, check=True)
    assert (home / "project" / "my file").read_text() == "old\n"


def test_a_pipe_gets_a_patch_as_it_is_and_a_terminal_what_cannot_steer_it(home):
    write(home, "printf 'a\\033]0;evil\\007b\\n' > old")
    assert "+a\033]0;evil\007b" in run(home, "diff").stdout
    with opened(home, "diff") as terminal:
        terminal.wait("+a␛]0;evil␇b", "-old")


@pytest.mark.parametrize(("key", "left"), [("y", "old\n"), ("n", "mine"), (CTRL_C, "mine")])
def test_a_person_is_asked_before_a_later_edit_is_undone(home, key, left):
    write(home, "echo new > old")
    (home / "project" / "old").write_text("mine")
    with opened(home, "undo") as terminal:
        terminal.wait("old has changed since the turn “do it”").type(key if key == CTRL_C else f"{key}\r")
        terminal.wait("Restored: old." if key == "y" else "Left as they are: old")
    assert (home / "project" / "old").read_text() == left


def test_the_chat_undoes_redoes_and_shows_and_tells_the_model(home):
    replies = ["```bash\necho new > old\n```", "Done.", "Noted."]
    (home / "script.json").write_text(json.dumps(replies))
    with opened(home, "-m", f"scripted:{home / 'script.json'}", "-C", ".") as terminal:
        terminal.wait("coder>").send("do it").wait("Done.").wait_line("coder>")
        terminal.send("/diff").wait("-old", "+new").wait_line("coder>")
        terminal.send("/undo").wait("Restored: old.").wait_line("coder>")
        terminal.send("/redo").wait("Redone: “do it”.").wait_line("coder>")
        terminal.send("/redo soon").wait("Expected a number of turns.").wait_line("coder>")
    assert (home / "project" / "old").read_text() == "new\n"


def test_what_runs_later_is_told_once_a_block(home):
    done = write(home, "echo evil > .envrc; mkdir -p .vscode; echo {} > .vscode/tasks.json", "touch a")
    assert done.stderr.count("Runs later: .envrc (direnv") == 1
    assert done.stderr.count("Runs later: .vscode/tasks.json (your editor") == 1
