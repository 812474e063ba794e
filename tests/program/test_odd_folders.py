"""A folder whose name is not UTF-8, and holds what would steer a terminal: every command works there."""

import json
import os
import re
import subprocess
import sys

import pytest
from tests.program.test_sessions import script
from tests.terminal import opened

NAME = b"caf\xe9 \x1b]0;x\x07\n"
BLOCK = "```bash\nprintf new > \"$(printf 'b\\377c')\"; pwd\n```"
TASK = '{"id": "one", "request": "do it", "folder": "."}\n'
STEERS = re.compile(rb"[\0-\x08\x0b-\x1f\x7f]")
COMMANDS = (
    ("sessions", "list"),
    ("sessions", "list", "--all"),
    ("sessions", "search", "do"),
    ("sessions", "search", "caf\udce9"),
    ("sessions", "export", "{id}"),
    ("sessions", "export", "{id}", "--html"),
    ("sessions", "export", "{id}", "--json"),
    ("sessions", "fork", "{id}"),
    ("doctor",),
    ("doctor", "--json"),
    ("agents",),
    ("tools",),
    ("config", "show", "--origin"),
    ("init",),
    ("undo",),
    ("redo",),
    ("diff",),
    ("completion", "bash"),
    ("route", "do \udce9 it"),
    ("blocks", "none\udce9"),
    ("-C", "none\udce9", "do it"),
)


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / os.fsdecode(NAME)
    folder.mkdir()
    (tmp_path / "project").symlink_to(folder)
    (tmp_path / "project" / "tasks.jsonl").write_text(TASK)
    return tmp_path


def run(home, *words):
    kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "tripletick.cli", *words],
        cwd=home / "project",
        env={**kept, "HOME": str(home), "LANG": "C.UTF-8", "TRIPLETICK_AGENT": "coder"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=150,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode("utf-8", "replace")
    return done


def work(home, *words):
    done = run(home, *script(home, BLOCK, "Done."), "-C", ".", *words)
    assert done.returncode == 0
    return done


@pytest.mark.parametrize(
    "words", COMMANDS, ids=lambda words: " ".join(words).encode("ascii", "replace").decode()
)
def test_every_command_works(home, words):
    log = json.loads(work(home, "-o", "json", "do it").stdout)["session"]
    done = run(home, *(word.format(id=log) for word in words))
    assert words in (("diff",), ("completion", "bash")) or not STEERS.search(done.stdout + done.stderr)


@pytest.mark.parametrize("how", ["text", "json", "jsonl"])
def test_a_task_works_and_is_undone(home, how):
    told = work(home, "-o", how, "do it").stdout
    assert all(map(json.loads, told.splitlines())) if how != "text" else told == b"Done.\n"
    assert b"Removed: " in run(home, "undo").stdout


def test_the_folders_sessions_are_its_own(home):
    other = home / os.fsdecode(b"caf\xe8")
    other.mkdir()
    name = json.loads(work(home, "-o", "json", "do it").stdout)["session"]
    json.loads(work(home, "-o", "json", "-C", str(other), "do that").stdout)
    lines = run(home, "sessions", "list").stdout.decode().splitlines()
    assert [line.split()[0] for line in lines] == [name.rpartition("-")[2]]
    went_on = run(home, *script(home, "Again."), "resume", "-q", name[-4:], "go on")
    assert b"gone" not in went_on.stderr


def test_a_batch_works(home):
    done = run(home, "batch", "tasks.jsonl", *script(home, BLOCK, "Done."), "--in-place", "-y")
    assert done.returncode == 0


def test_the_chat_begins_goes_on_and_lists_its_sessions(home):
    with opened(home, *script(home, BLOCK, "Done."), "-C", ".") as terminal:
        terminal.wait("coder>").send("do it").wait("Done.").wait_line("coder>")
        terminal.send("/status").wait("caf").wait_line("coder>").send("/diff").wait_line("coder>")
        terminal.send("/undo").wait("Removed: ").wait_line("coder>").send("/exit")
        terminal.end()
    with opened(home, *script(home, "Again."), "resume") as terminal:
        terminal.wait("coder>").send("go on").wait("Again.").wait_line("coder>").send("/exit")
        terminal.end()
