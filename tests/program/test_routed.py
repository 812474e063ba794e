"""Requests find their agents in the program as it is run; where that is unsure the model is asked."""

import json
from functools import partial

import pytest
from tests.bad_server import BadServer, answer, done, line, stream
from tests.program.test_cli import run as run_as
from tests.program.test_sessions import ids, script
from tests.terminal import opened

ABOUT = answer(200, json.dumps({"model_info": {"general.architecture": "a", "a.context_length": 8192}}))
VERSION = answer(200, json.dumps({"version": "0.12.9"}))
run = partial(run_as, TRIPLETICK_AGENT="auto")
FIND = "```file_finder\nnotes.txt\n```"


def said(text):
    return stream(line(text), done())


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


@pytest.fixture
def server():
    """Serve a model that says these; gives the server."""

    def serve(*texts):
        acts = {"/api/show": [ABOUT], "/api/version": [VERSION], "/api/chat": list(map(said, texts))}
        return BadServer(acts)

    return serve


def events(home, kind):
    log = home / ".local/state/tripletick/sessions" / f"{ids(home)[-1]}.jsonl"
    return [one for one in map(json.loads, log.read_text().splitlines()) if one["event"] == kind]


@pytest.mark.parametrize(
    ("request_", "agent"),
    [("tell me about regular expressions", "casual"), ("find my tax pdf", "file"), ("fix app.py", "coder")],
)
def test_a_request_goes_to_the_agent_that_it_fits(home, request_, agent):
    assert run(home, "-C", ".", *script(home, "Fine."), request_).returncode == 0
    (routed,) = events(home, "Routed")
    assert (routed["agent"], routed["by"]) == (agent, "router")
    assert 0 < routed["confidence"] <= 1


def test_the_agent_that_was_chosen_is_told_in_one_line(home):
    done = run(home, "-C", ".", *script(home, "Fine."), "find my tax pdf")
    assert "agent: file\n" in done.stderr


def test_the_model_is_asked_behind_the_history_and_the_prefix_survives(home, server):
    with server('{"agent": "coder"}', "Fine.") as one:
        flags = ("-m", "alpha:7b", "--host", one.url)
        assert run(home, "-C", ".", *flags, "hm, you know", TRIPLETICK_ROUTER_ASK="always").returncode == 0
        question, request = [each.body for each in one.asked if each.path == "/api/chat"]
    assert "agent" in question["format"]["properties"]
    assert "format" not in request
    assert question["messages"][:-1] == request["messages"][:-1]
    assert question["options"]["num_ctx"] == request["options"]["num_ctx"]
    assert events(home, "Routed")[0]["by"] == "model"


@pytest.mark.parametrize(("parameters", "asked"), [(135e6, 1), (7e9, 2), (0, 2)])
def test_where_the_classifier_is_unsure_a_model_that_is_large_enough_is_asked(home, parameters, asked):
    info = {"general.architecture": "a", "a.context_length": 8192, "general.parameter_count": int(parameters)}
    replies = ['{"agent": "casual"}', "Fine."][2 - asked :]
    acts = {"/api/show": [answer(200, json.dumps({"model_info": info}))], "/api/version": [VERSION]}
    with BadServer({**acts, "/api/chat": list(map(said, replies))}) as one:
        words = ("-C", ".", "-m", "alpha:7b", "--host", one.url, "the blue one over there")
        assert run(home, *words).returncode == 0
        assert [each.path for each in one.asked].count("/api/chat") == asked


def test_with_ask_never_the_model_is_not_asked(home, server):
    with server("Fine.") as one:
        flags = ("-m", "alpha:7b", "--host", one.url)
        assert run(home, "-C", ".", *flags, "hm, you know", TRIPLETICK_ROUTER_ASK="never").returncode == 0
        assert [each.path for each in one.asked].count("/api/chat") == 1


def test_a_block_of_a_talking_agent_hands_over_once_the_person_let_blocks_run(home):
    with opened(home, *script(home, FIND, "None."), given=False, agent="") as terminal:
        terminal.wait("n no").type("y\r").wait_line(">").send("tell me a joke")
        terminal.wait("file takes over", "None.").wait_line(">").send("/exit")
        assert terminal.end() == 0
    assert events(home, "HandedOver")[0]["agent"] == "file"


def test_without_a_person_a_block_of_a_talking_agent_hands_over_too(home):
    (home / "project/notes.txt").write_text("milk\n")
    done = run(home, "-C", ".", *script(home, FIND, "It is there."), "tell me a joke")
    assert (done.returncode, done.stdout) == (0, "It is there.\n")
    assert events(home, "Returned")[0]["result"]["outcome"] == "ok"


def test_code_that_is_shown_says_who_runs_it(home):
    told = run(home, "-C", ".", *script(home, "So:\n\n```python\nprint(1)\n```"), "tell me a joke")
    assert told.returncode == 0
    assert "Not run; @coder can run it." in told.stderr


def test_a_mention_is_for_one_request(home):
    told = run(home, "-C", ".", *script(home, "Fine."), "@casual find my tax pdf")
    assert told.returncode == 0
    assert (events(home, "Routed")[0]["agent"], events(home, "Routed")[0]["by"]) == ("casual", "mention")


def test_a_chat_that_is_gone_on_with_routes_on_and_knows_who_was_at_work(home):
    assert run(home, "-C", ".", *script(home, "One."), "find my tax pdf").returncode == 0
    (home / "script.json").write_text(json.dumps(["Two."]))
    with opened(home, "resume", agent="") as terminal:
        terminal.wait_line(">").send("and the other one").wait("Two.").wait_line(">").send("/exit")
        assert terminal.end() == 0
    assert [one["agent"] for one in events(home, "Routed")] == ["file", "file"]


def test_an_agent_of_ones_own_gets_what_its_sentence_says(home):
    folder = home / ".config/tripletick/agents"
    folder.mkdir(parents=True)
    when = "Glazing, kilns, clay and the pottery wheel."
    (folder / "potter.md").write_text(f"---\nwhen = {when}\ntools =\n---\nYou know clay.\n")
    asked = "which glazing do I take for clay in a kiln?"
    assert run(home, "-C", ".", *script(home, "Blue."), asked).returncode == 0
    assert (events(home, "Routed")[0]["agent"], events(home, "Routed")[0]["by"]) == ("potter", "when")


@pytest.mark.parametrize("name", ["potter", "coder"])
def test_a_broken_agent_of_ones_own_is_told_in_one_line_and_ends_only_what_asks_for_it(home, name):
    folder = home / ".config/tripletick/agents"
    folder.mkdir(parents=True)
    (folder / f"{name}.md").write_text("You know clay.\n")
    line = f"agents/{name}.md is not used: expected settings between two lines of ---, then the card."
    told = run(home, "-C", ".", *script(home, "Blue."), "good morning")
    assert (told.returncode, told.stderr.count(line)) == (0, 1)
    assert run(home, "agents").stderr.count(line) == 1
    routed = ("-a", "auto", "write primes.py, which prints the first ten primes, and run it")
    for words in (
        ("-a", name, "hello to you"),
        ("-a", "auto", f"@{name} hello to you"),
        *([routed] if name == "coder" else []),
    ):
        asked = run(home, "-C", ".", *script(home, "Blue."), *words)
        assert asked.returncode == 2
        assert f"Agent {name} cannot be read." in asked.stderr
        assert f"agents/{name}.md" in asked.stderr


def test_a_broken_agent_of_the_folder_is_listed_with_the_reason(home):
    folder = home / "project/.tripletick/agents"
    folder.mkdir(parents=True)
    (folder / "potter.md").write_text("You know clay.\n")
    told = run(home, "agents")
    assert ".tripletick/agents/potter.md is not used: expected settings" in told.stderr
