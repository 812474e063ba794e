"""The disk of our state folder is full: the work goes on, and what cannot be taken back is said."""

import json
import os
import subprocess
import sys

import pytest
from tests.program.test_reliability import environment

REPLIES = ["```bash\necho run > ran; cat notes.txt\n```", "```python:hello.py\nprint('hi')\n```", "Done."]
PLAYED = """\
mkdir -p $HOME/.local/state && mount -t tmpfs -o size={size}k tmpfs $HOME/.local/state || exit 77
head -c {fill}k /dev/zero > $HOME/.local/state/fill
"$@" "do it"; echo "exit $?"
tripletick() {{ "$1" -m tripletick.cli "$2"; echo "exit $?"; }}
tripletick "$1" undo
rm $HOME/.local/state/fill
tripletick "$1" undo
tripletick "$1" undo
"""
FREE = (0, 4, 8, 40, 100, 300)
SIZE = 2000


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "notes.txt").write_text("mine\n")
    (tmp_path / "script.json").write_text(json.dumps(REPLIES))
    return tmp_path


@pytest.fixture
def play(home):
    """Do a task with so little room, then undo: on the full disk, and twice once there is room again."""

    def played(fill, size=SIZE):
        cage = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-Urm"]
        shell = ["sh", "-c", PLAYED.format(size=size, fill=fill), "sh"]
        program = [sys.executable, "-m", "tripletick.cli", "-m", f"scripted:{home}/script.json", "-C", "."]
        done = subprocess.run(
            [*cage, *shell, *program],
            cwd=home / "project",
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=150,
        )
        if done.returncode == 77:
            pytest.skip(f"no disk can be mounted here: {done.stdout}")
        return done.stdout.split("exit ")

    return played


@pytest.mark.parametrize("free", FREE)
def test_a_turn_goes_on_however_little_room_there_is(play, home, free):
    turn, *undone = play(SIZE - free)
    assert "Traceback" not in "".join([turn, *undone])
    assert "not run" not in turn
    assert "Done." in turn
    for said in ("cannot be written", "cannot be undone"):
        assert turn.count(said) <= 1
    whole = "cannot be undone" not in turn
    assert whole or "Nothing was undone: the disk of " in undone[0]
    assert whole or "A turn was not recorded and cannot be undone" in undone[1]
    assert "was not recorded" not in undone[2]
    assert all((home / "project" / name).exists() == (not whole) for name in ("ran", "hello.py"))


def test_what_the_snapshots_fill_leaves_room_for_blocks(play, home):
    (home / "project" / "large.bin").write_bytes(os.urandom(12_000_000))
    turn, *undone = play(0, 10_000)
    assert "not run" not in turn
    assert "No space left on device): this turn cannot be undone" in turn
    assert (home / "project" / "ran").read_text() == "run\n"
    assert "Nothing was undone: the disk of " in undone[0]


def test_what_is_kept_already_needs_no_room(play, home):
    (home / "project" / "large.bin").write_bytes(os.urandom(3_000_000))
    blocks = ["mv large.bin /tmp/away", "cp /tmp/away large.bin; echo run > ran"]
    (home / "script.json").write_text(json.dumps([*(f"```bash\n{block}\n```" for block in blocks), "Done."]))
    turn, *_ = play(0, 10_000)
    assert "Done." in turn and "cannot be undone" not in turn
    assert not (home / "project" / "ran").exists()
