"""The main jobs on a real coding model of 0.5 billion parameters, in this process and through a real Ollama.

That a turn ends, that blocks are read and run, and that talk has none is asserted; whether the work came out
right is the model's, and is told at the end of the run.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests import chores
from tests.fetched import link
from tests.real.conftest import excused
from tests.real.ollama_server import CODER, CannotServe, coder_model

SETTINGS = ("--ctx", "4096", "--max-steps", "2", "--temperature", "0")
TALK: Any = {"agent": "casual", "setup": [], "request": "Good evening! How are you today?"}
JOBS: dict[str, Any] = {
    "a program is written and run": {
        "agent": "coder",
        "setup": [],
        "request": "Write a program hello.py that prints hello, and run it.",
        "check": {"runscontain": {"hello.py": "hello"}},
    },
    "a program is mended": {
        "agent": "coder",
        "setup": [["total.py", "print(1 + 2\n"]],
        "request": "total.py lacks its closing bracket. Write total.py again, mended, and run it.",
        "check": {"runscontain": {"total.py": "3"}},
    },
    "a folder is made and a file moved": {
        "agent": "file",
        "setup": [["todo.txt", "milk\n"]],
        "request": "Make a folder named notes and move todo.txt into it.",
        "check": {"exists": ["notes/todo.txt"], "absent": ["todo.txt"]},
    },
}


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "project"
    made.mkdir()
    return made


@pytest.fixture(params=["embedded", "ollama"])
def engine(request, tmp_path):
    """The words that choose the model, and what the program finds its file by."""
    if request.param == "ollama":
        served = request.getfixturevalue("coder")
        return ("-m", served.model, "--host", served.host), {}
    try:
        link(CODER, coder_model(), tmp_path / "cache" / "tripletick")
    except CannotServe as error:
        excused(error)
    return ("-m", f"embedded:{CODER}"), {"XDG_CACHE_HOME": str(tmp_path / "cache")}


def do(job, folder, engine):
    """Have a job done; give what `-o json` says, and the events of the session."""
    words, env = engine
    home = folder.parent
    told = chores.do(job, folder, {"HOME": str(home), **env}, *words, *SETTINGS, seconds=300)
    (log,) = (home / ".local/state/tripletick/sessions").glob("*.jsonl")
    return told, [json.loads(line) for line in log.read_text().splitlines()]


@pytest.mark.parametrize("name", JOBS)
def test_blocks_of_the_model_are_read_and_run_and_the_turn_ends(name, folder, engine, report):
    told, events = do(JOBS[name], folder, engine)
    named = [event["event"] for event in events]
    assert told["exit"] in (0, 1), told
    assert told["blocks"] >= 1, told
    assert named.index("Called") < named.index("Returned")
    assert {event["result"]["outcome"] for event in events if event["event"] == "Returned"} & {"ok", "failed"}
    assert named[-1] in ("Answered", "GaveUp")
    right = chores.is_done(JOBS[name]["check"], told, folder)
    report(f"{' '.join(engine[0][:2])}: {name}: {'yes' if right else 'no'}, {told['steps']} replies")


def test_talk_is_answered_in_words(folder, engine):
    told, events = do(TALK, folder, engine)
    assert (told["exit"], told["blocks"]) == (0, 0), told
    assert told["answer"].strip()
    assert "Called" not in [event["event"] for event in events]
    assert list(folder.iterdir()) == []
