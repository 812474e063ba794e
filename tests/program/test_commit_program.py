"""`/commit` and diffs before a yes at a real terminal; `[git] commit = turn` from the shell."""

import json
import os
import subprocess
import sys

APPEND = "```bash\necho three >> notes.txt\n```"
WRITE = "```read\nnotes.txt\n```", "```text:notes.txt\none\n2\n```"


def git(home, *words):
    folder = home / "project"
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def begin(home):
    (home / "project/notes.txt").write_text("one\ntwo\n")
    git(home, "init", "-q")
    git(home, "config", "user.name", "Ann")
    git(home, "config", "user.email", "ann@example.test")
    git(home, "add", "-A")
    git(home, "commit", "-qm", "Begin")


def test_the_chat_commits_the_turn_s_work_after_a_look_at_it(chat, home):
    begin(home)
    (home / "project/mine.txt").write_text("mine\n")
    with chat(APPEND, "Done.", "Add a third note", size=(80, 24)) as terminal:
        terminal.wait("coder>").send("add three").wait("changed notes.txt +1 -0", "Done.").wait_line("coder>")
        terminal.send("/commit").wait(
            "+three", "Commit “Add a third note” (changed notes.txt +1 -0)? [y/n/e/?]"
        )
        terminal.type("y\r").wait("“Add a third note”: changed notes.txt +1 -0.").wait_line("coder>")
        terminal.send("/commit").wait("no turn has uncommitted changes").wait_line("coder>")
    assert git(home, "log", "--format=%an %s") == "Ann Add a third note\nAnn Begin\n"
    assert git(home, "status", "--short") == "?? mine.txt\n"


def test_commits_that_are_turned_off_say_how_they_are_turned_on(chat, home):
    begin(home)
    with chat(TRIPLETICK_GIT_COMMIT="no") as terminal:
        terminal.wait("coder>").send("/commit").wait(
            "[git] commit = no", "tripletick config set git.commit ask"
        )


def test_a_diff_stands_above_the_question_whether_a_file_is_replaced(chat, home):
    begin(home)
    with chat(*WRITE, "Done.", size=(80, 24), TRIPLETICK_APPROVAL_DIFF="yes") as terminal:
        terminal.wait("coder>").send("write 2").wait("-two", "+2", "Replace notes.txt (+1 -1)? [y/n/s/?]")
        assert (home / "project/notes.txt").read_text() == "one\ntwo\n"
        terminal.type("y\r").wait("changed notes.txt +1 -1", "Done.").wait_line("coder>")
    assert (home / "project/notes.txt").read_text() == "one\n2\n"


def one_shot(home, *replies, **env):
    (home / "script.json").write_text(json.dumps(replies))
    words = [
        "-m",
        f"scripted:{home / 'script.json'}",
        "-a",
        "coder",
        "-C",
        str(home / "project"),
        "add three",
    ]
    kept = {name: os.environ[name] for name in ("PATH", "LC_ALL") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-m", "tripletick.cli", *words],
        env={**kept, "HOME": str(home), "LANG": "C.UTF-8", **env},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def test_each_turn_s_work_is_committed_where_the_user_wants_that(home):
    begin(home)
    (home / "project/mine.txt").write_text("mine\n")
    done = one_shot(home, APPEND, "Done.", "Add a third note", TRIPLETICK_GIT_COMMIT="turn")
    assert (done.returncode, done.stdout) == (0, "Done.\n"), done.stderr
    assert "“Add a third note”: changed notes.txt +1 -0." in done.stderr
    assert git(home, "log", "-1", "--format=%s", "--name-only") == "Add a third note\n\nnotes.txt\n"


def test_a_turn_that_gave_up_is_not_committed_nor_one_without_a_repository(home):
    begin(home)
    failing = "```bash\necho x >> notes.txt; exit 3\n```"
    done = one_shot(home, *[failing] * 8, "I cannot.", "I cannot.", TRIPLETICK_GIT_COMMIT="turn")
    assert done.returncode == 1 and git(home, "log", "--format=%s") == "Begin\n"
    subprocess.run(["rm", "-rf", ".git"], cwd=home / "project", check=True)
    done = one_shot(home, APPEND, "Done.", TRIPLETICK_GIT_COMMIT="turn")
    assert done.returncode == 0 and "committed" not in done.stderr.lower()
