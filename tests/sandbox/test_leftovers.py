"""The session's folder: made for one session, gone with it, swept when its session could not."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tripletick.sandbox.user import Session, find_user

SOURCES = str(Path(__file__).parents[2] / "sources")
CODE = """
import os, signal, sys
from pathlib import Path
from tripletick.sandbox.user import Session, find_user
session = Session(Path(sys.argv[1]), find_user(Path(sys.argv[2])))
(session.home / "cache").write_text("big")
print(session.home.parent, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def start(top):
    """Start sessions in the workspace's name; those that live are closed at the end."""
    opened = []

    def open_session() -> Session:
        opened.append(Session(top / "state", find_user(top / "ws")))
        return opened[-1]

    yield open_session
    for session in opened:
        session.close()


@pytest.fixture
def die(top):
    """Let a session be killed; give the folder that it leaves."""

    def open_and_die() -> Path:
        command = [sys.executable, "-c", CODE, str(top / "state"), str(top / "ws")]
        done = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": SOURCES}, capture_output=True, text=True
        )
        return Path(done.stdout.strip())

    return open_and_die


def test_a_session_that_nobody_closed_goes_with_its_program(top):
    code = CODE.replace("os.kill(os.getpid(), signal.SIGKILL)", "raise KeyboardInterrupt")
    command = [sys.executable, "-c", code, str(top / "state"), str(top / "ws")]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": SOURCES}, capture_output=True, text=True)
    assert "KeyboardInterrupt" in done.stderr
    assert not Path(done.stdout.strip()).exists()


def test_what_a_killed_session_left_goes_at_the_next_start(start, die):
    left = die()
    assert (left / "home/cache").exists()
    start()
    assert not (left / "home/cache").exists()


def test_what_a_killed_session_s_block_has_closed_goes_too(start, die):
    left = die()
    (left / "home/deep/down").mkdir(parents=True)
    (left / "home/deep").chmod(0)
    start()
    assert not (left / "home/deep").exists()


def test_living_sessions_keep_theirs(start):
    sessions = [start() for _ in range(3)]
    assert len({session.home for session in sessions}) == 3
    assert all(session.home.is_dir() for session in sessions)


def test_a_closed_session_leaves_nothing_and_can_be_closed_again(start):
    session = start()
    session.close()
    session.close()
    assert not session.home.parent.exists()


def test_only_folders_of_ours_are_swept(start, top, owner):
    above = top / "state/boxes" if owner == os.geteuid() else Path(tempfile.gettempdir())
    above.mkdir(parents=True, exist_ok=True)
    others = [above / name for name in (f"tripletick-{owner}7", "tripletick", "other")]
    for folder in others:
        folder.mkdir()
    start()
    missing = [folder for folder in others if not folder.is_dir()]
    for folder in others:
        folder.rmdir()
    assert missing == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_a_link_that_bears_our_name_is_not_followed(start, top, owner):
    above, name = (
        (Path(tempfile.gettempdir()), f"tripletick-{owner}-x") if owner else (top / "state/boxes", "box-x")
    )
    above.mkdir(parents=True, exist_ok=True)
    (top / "precious").mkdir()
    (top / "precious/letter").touch()
    (above / name).symlink_to(top / "precious")
    start()
    (above / name).unlink()
    assert (top / "precious/letter").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_a_stranger_s_folder_that_bears_our_name_stays(start, top, owner):
    above, name = (
        (Path(tempfile.gettempdir()), f"tripletick-{owner}-y") if owner else (top / "state/boxes", "box-y")
    )
    (above / name).mkdir(parents=True)
    os.chown(above / name, 64399, 64399)
    start()
    stayed = (above / name).is_dir()
    (above / name).rmdir()
    assert stayed


SWEEPING = """
import sys
from pathlib import Path
from tripletick.sandbox.user import find_user, sweep
user = find_user(Path(sys.argv[2]))
print("on", flush=True)
while not Path(sys.argv[2], "enough").exists(): sweep(Path(sys.argv[1]), user)
"""


def test_a_session_that_begins_while_another_sweeps_keeps_its_folder(top, start):
    words = [sys.executable, "-c", SWEEPING, str(top / "state"), str(top / "ws")]
    env = {**os.environ, "PYTHONPATH": SOURCES}
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE) as other:
        assert other.stdout
        other.stdout.readline()
        begun = [start() for _ in range(100)]
        (top / "ws/enough").touch()
    assert [each.home for each in begun if not each.home.is_dir()] == []
