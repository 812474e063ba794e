"""What goes into a pipe may end on a terminal (`| tee`): nothing in it steers one, but JSON is as it was."""

import json
import re

import pytest
from tests.bad_server import BadServer, answer
from tests.program.test_sessions import ABOUT, TAGS, VERSION, run, script

EVIL = "\x1b]52;c;ZXZpbA==\x07\x1b]0;title\x07\x9b2J\x90q\u202e"
SHOWN = "␛]52;c;ZXZpbA==␇␛]0;title␇\\u009b2J\\u0090q\\u202e"
STEERS = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]")
BLOCK = f"I run{EVIL} it.\n\n```bash\nprintf 'out {EVIL}\\n'; echo a > 'x{EVIL}'\n```"
ANSWER = f"It said {EVIL} twice."


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


def work(home, *words):
    return run(home, "-C", ".", *script(home, BLOCK, ANSWER), *words, "do it")


@pytest.mark.parametrize("words", [(), ("-q",), ("-v",), ("--plain",)])
def test_an_answer_steers_nothing_behind_a_pipe(home, words):
    done = work(home, *words)
    assert (done.returncode, done.stdout) == (0, f"It said {SHOWN} twice.\n")
    assert not STEERS.search(done.stderr), done.stderr


def test_json_keeps_the_answer_as_it_is(home):
    assert json.loads(work(home, "-o", "json").stdout)["answer"] == ANSWER
    events = [json.loads(line) for line in work(home, "-o", "jsonl").stdout.splitlines()]
    assert ANSWER in [event.get("text") for event in events if event["event"] == "Answered"]


@pytest.mark.parametrize(
    "words",
    [("sessions", "export", "{id}"), ("sessions", "list"), ("undo",), ("sessions", "search", "twice")],
)
def test_no_command_passes_on_what_a_model_has_written(home, words):
    log = json.loads(work(home, "-o", "json").stdout)["session"]
    done = run(home, *(word.format(id=log) for word in words))
    assert done.returncode == 0
    assert not STEERS.search(done.stdout + done.stderr)


def test_an_export_as_json_keeps_all(home):
    log = json.loads(work(home, "-o", "json").stdout)["session"]
    told = json.loads(run(home, "sessions", "export", log, "--json").stdout)
    assert told["messages"][-1]["text"] == ANSWER


def test_the_blocks_of_an_answer_are_shown_and_steer_nothing(home):
    done = run(home, "blocks", typed=BLOCK)
    assert f"printf 'out {SHOWN}" in done.stdout
    assert (
        json.loads(run(home, "blocks", "--json", typed=BLOCK).stdout)["blocks"][0]["content"].count(EVIL) == 2
    )


@pytest.mark.parametrize("words", [(), ("-v",), ("-o", "json")])
def test_what_a_server_says_steers_nothing_on_standard_error(home, words):
    refused = answer(500, json.dumps({"error": f"no {EVIL}"}))
    acts = {"show": [ABOUT], "version": [VERSION], "tags": [TAGS], "chat": [refused]}
    with BadServer({f"/api/{name}": act for name, act in acts.items()}) as server:
        done = run(home, *words, "-C", ".", "-m", "alpha:7b", "--host", server.url, "do it")
    assert done.returncode == 7
    assert not STEERS.search(done.stderr)
