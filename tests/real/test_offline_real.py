"""The offline model as an agent: ten chores through the real command line. How many it solves is printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.real.ollama_server import CannotServe, small_model
from tests.terminal import CTRL_D, opened

DATA = Path(__file__).parents[1] / "data"
CHORES = [json.loads(line) for line in (DATA / "chores.jsonl").read_text("utf-8").splitlines()]
ENOUGH = 6


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache of ours in which the offline model lies as `[o]` would have left it."""
    from tripletick.models import offline

    folder = tmp_path_factory.mktemp("cache")
    try:
        model = small_model()
    except CannotServe as error:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(str(error))
    kept = offline.kept(folder / "tripletick")
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.symlink_to(model)
    return folder


def do(chore, folder, cache):
    """Do one chore; gives what `-o json` says."""
    for name, text in chore["setup"]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tripletick.cli", "-C", ".", "-m", "embedded:offline", "--ctx", "4096"),
            *("-a", chore["agent"], "-o", "json", "--", chore["request"]),
        ],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder.parent), "XDG_CACHE_HOME": str(cache)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return json.loads(done.stdout)


def is_done(check, told, folder):
    """Look at the answer and at the files, never at how they came about."""
    answer = (told["answer"] or "").lower()
    holds = [
        all(part.lower() in answer for part in check.get("ans", [])),
        not check.get("order") or _stand_in_order(check["ans"], answer),
        any(part.lower() in answer for part in check.get("any", [""])),
        all((folder / name).exists() for name in check.get("exists", [])),
        not any((folder / name).exists() for name in check.get("absent", [])),
        all(_holds(folder / name, parts) for name, parts in check.get("contains", {}).items()),
        all(_prints(folder / name, parts) for name, parts in check.get("runscontain", {}).items()),
        not (check.get("noblock") and told["blocks"]),
        not check.get("clarify") or (told["error"] or {}).get("code") == "clarification",
    ]
    return all(holds)


def _stand_in_order(parts, answer):
    places = [answer.find(part.lower()) for part in parts]
    return places == sorted(places)


def _holds(path, parts):
    text = path.read_text().lower() if path.is_file() else ""
    return all(part.lower() in text for part in ([parts] if isinstance(parts, str) else parts))


def _prints(path, parts):
    done = subprocess.run([sys.executable, path], cwd=path.parent, capture_output=True, text=True, timeout=20)
    return done.returncode == 0 and all(part.lower() in done.stdout.lower() for part in parts)


def test_the_offline_model_does_most_simple_chores(tmp_path, cache, report):
    solved = []
    for number, chore in enumerate(CHORES):
        folder = tmp_path / str(number) / "project"
        folder.mkdir(parents=True)
        told = do(chore, folder, cache)
        if is_done(chore["check"], told, folder):
            solved.append(chore["request"])
    report(f"chores solved by embedded:offline: {len(solved)} of {len(CHORES)}")
    assert len(solved) >= ENOUGH, solved


def test_the_chat_goes_on_with_the_offline_model_where_no_server_answers(tmp_path, cache):
    (tmp_path / "project").mkdir()
    with opened(tmp_path, OLLAMA_HOST="127.0.0.1:9", XDG_CACHE_HOME=str(cache)) as terminal:
        terminal.wait("The small offline model goes on").wait_line("coder>")
        terminal.type("@casual Good evening!\r").wait("tokens").wait_line("coder>")
        assert terminal.type(CTRL_D).end() == 0
