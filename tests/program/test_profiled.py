"""`--profile` as it is typed: the bar below a turn, and the file beside the session's log."""

import json
import os
import subprocess
import sys

import pytest

from tripletick.history import retention

REPLIES = [
    {"text": "```bash\necho hello\n```", "seconds": 0.3},
    {"text": "Done.", "seconds": 0.2},
]


@pytest.fixture
def told(home):
    """Run one task; gives what it wrote to stderr, and the profiles that it kept."""
    (home / "script.json").write_text(json.dumps(REPLIES))

    def run(*words):
        env = {"HOME": str(home), "PATH": os.environ["PATH"], "COLUMNS": "60"}
        model = ("-m", f"scripted:{home / 'script.json'}", "-a", "coder", "-C", str(home / "project"))
        command = [sys.executable, "-m", "tripletick.cli", *model, *words, "say hello"]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=150, check=True)
        files = [*home.rglob("*.profile"), *home.rglob("kept.json")]
        return done.stderr, [json.loads(line) for file in files for line in file.read_text().splitlines()]

    return run


def test_a_turn_is_drawn_as_a_bar_and_its_seconds_are_kept_beside_the_log(told):
    shown, [kept] = told("--profile")
    bar = next(line for line in shown.splitlines() if line.startswith("|"))
    assert len(bar) == 59 and bar.startswith("|waiting=") and "2 replies, 1 block" in shown
    assert sum(kept["parts"].values()) == pytest.approx(kept["seconds"])
    assert kept["parts"]["waiting"] >= 0.5 and kept["blocks"][0][0] == "bash"


def test_a_profile_is_kept_where_the_person_wants_it_and_not_drawn(told, home):
    shown, [kept] = told("--profile-to", str(home / "kept.json"), "--no-save")
    assert "|" not in shown and len(kept["replies"]) == 2


@pytest.mark.parametrize("words", [("-q",), ("-o", "json"), ("-o", "jsonl")])
def test_where_only_the_answer_is_wanted_the_profile_is_kept_alone(told, words):
    shown, kept = told("--profile", *words)
    assert "turn " not in shown and len(kept) == 1


def test_a_file_that_cannot_be_written_is_told_in_a_line(told):
    shown, kept = told("--profile-to", "/proc/nothing/here")
    assert "The profile cannot be written to /proc/nothing/here: No such file" in shown and not kept


def test_it_goes_with_its_session(told, home):
    told("--profile")
    [path] = home.rglob("*.profile")
    [kept] = retention.list_sessions(path.parent)
    assert path in kept.files and retention.drop_session(kept) and not path.exists()


def test_the_chat_draws_one_below_each_turn(chat):
    with chat("Hello.", "Again.", words=("--profile",)) as terminal:
        terminal.wait("coder>").send("hi").wait("turn ", "1 reply, 0 blocks").wait_line("coder>")
        terminal.send("and now").wait("Again.").wait_line("coder>")
        assert sum(line.startswith("|") and "ours=" in line for line in terminal.lines()) == 2
