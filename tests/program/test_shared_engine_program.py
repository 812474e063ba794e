"""Local models in the program: two terminals with one engine, `ps` and `stop`, a turn that outlives it."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest
from tests.terminal import CTRL_C, CTRL_D, opened
from tests.tiny_model import write_model

from tripletick.models.shared_engine import status

pytest.importorskip("xllamacpp")

NONE = "No local model is loaded; the next request to one loads it.\n"


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    write_model(tmp_path / "tiny.gguf")
    yield tmp_path
    for one in running(tmp_path):
        one.end_process()


def running(home):
    return status.list_running(home / ".local/state/tripletick/engines")


def words(home, *more):
    return ("-C", ".", "-a", "casual", "-m", f"embedded:{home / 'tiny.gguf'}", *more)


def start(home, *words, **env):
    kept = {name: os.environ[name] for name in ("PATH", "LC_ALL") if name in os.environ}
    own = {"HOME": str(home), "LANG": "C.UTF-8", "PYTHONWARNINGS": "error", "TRIPLETICK_MODEL_OUTPUT": "64"}
    return subprocess.Popen(
        [sys.executable, "-m", "tripletick.cli", *words],
        cwd=home / "project",
        env={**kept, **own, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(home, *words, **env):
    begun = start(home, *words, **env)
    out, err = begun.communicate(timeout=150)
    return begun.returncode, out, err


def test_a_task_is_done_while_a_chat_has_the_model_and_ps_tells_of_the_chat(home):
    with opened(home, *words(home)[2:], agent="casual", TRIPLETICK_MODEL_OUTPUT="64") as terminal:
        terminal.wait_line("casual>").type("Hello there you!\r").wait("tokens").wait_line("casual>")
        code, answer, _ = run(home, *words(home), "Hello there you!")
        assert code == 0 and re.fullmatch(r"[a-z]+\n", answer)
        _, listed, _ = run(home, "ps")
        assert re.fullmatch(
            r"tiny\.gguf  process \d+  [\d.]+ MiB  4 096 tokens  1 program  idle for \d+ \w+\n", listed
        )


def test_an_engine_that_is_stopped_is_started_again_by_the_chat_that_needs_it(home):
    with opened(home, *words(home)[2:], agent="casual", TRIPLETICK_MODEL_OUTPUT="64") as terminal:
        terminal.wait_line("casual>").type("Hello there you!\r").wait("tokens").wait_line("casual>")
        _, told, _ = run(home, "stop", "tiny.gguf")
        assert re.fullmatch(
            r"Stopped tiny\.gguf \(process \d+\), which was in use by 1 program; "
            r"the next request loads it again\.\n",
            told,
        )
        assert running(home) == []
        terminal.send("/clear").wait("new conversation").wait_line("casual>")
        terminal.send("And you there?").wait_line("casual>")
        assert len(running(home)) == 1
        assert terminal.type(CTRL_D).end() == 0
    (left,) = json.loads(run(home, "ps", "--json")[1])
    assert (left["model"], left["clients"]) == ("tiny.gguf", [])
    assert 1000 < left["ends_in"] <= 1800


def test_ctrl_c_in_the_middle_of_a_reply_frees_the_engine_and_the_chat_goes_on(home):
    flags = words(home, "--temperature", "1", "--seed", "1")[2:]
    with opened(
        home, *flags, agent="casual", TRIPLETICK_MODEL_OUTPUT="3000", TRIPLETICK_TRIAL_SIZES="no"
    ) as terminal:
        terminal.wait_line("casual>").send("Tell me a story.")
        while not (running(home) and running(home)[0].working):
            # the test's time limit ends it
            pass
        terminal.type(CTRL_C).wait("stopped").wait_line("casual>")
        while (one := running(home)[0]).working:
            pass
        assert len(one.clients) == 1
        assert terminal.type(CTRL_D).end() == 0


def test_a_turn_goes_on_when_its_engine_is_killed_in_the_middle_of_a_reply(home):
    flags = ("-o", "jsonl", "--temperature", "1", "--seed", "1", "Tell me a story.")
    task = start(home, *words(home, *flags), TRIPLETICK_MODEL_OUTPUT="3000")
    while not (found := running(home)):
        # the test's time limit ends it
        pass
    (killed,) = found
    for line in task.stdout:
        if json.loads(line)["event"] == "Text":
            break
    os.kill(killed.pid, signal.SIGKILL)
    # not with `communicate`, which loses the lines that were read ahead
    events = [json.loads(line) for line in task.stdout]
    err = task.communicate(timeout=150)[1]
    notices = [event["text"] for event in events if event["event"] == "Notice"]
    assert "The engine of tiny.gguf ended in the middle of a reply. Trying again." in notices, err
    assert events[-1]["event"] == "Answered"
    assert [one.pid for one in running(home)] != [killed.pid]


def test_words_that_name_no_engine_are_refused_with_those_that_run(home):
    code, _, err = run(home, "stop", "other")
    assert code == 2 and "No loaded model is called 'other'." in err and "Running: none." in err
    assert run(home, "ps", "all")[0] == 2
    assert run(home, "stop")[:2] == (0, NONE)


def test_remove_data_ends_the_engines(home):
    run(home, *words(home), "Hello there you!")
    (one,) = running(home)
    code, told, err = run(home, "remove-data", "-y")
    assert (code, "what is not" in told) == (0, False), told + err
    assert one.files.wait_until_ended(5)
    assert not (home / ".local/state/tripletick").exists()
