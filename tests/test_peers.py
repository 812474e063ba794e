import http.client
import json
import socket
from contextlib import closing, contextmanager

import pytest
from bench.peers.engine import NAME, open_engine
from bench.peers.proxy import Exchange, count_reusable, parse_counts, record_exchanges
from bench.peers.roster import HERE, load_peers
from bench.peers.run import append_record, check_run_settings, main, parse_options, read_records
from bench.peers.table import format_table
from bench.peers.trial import compute_cost, fill_command, fill_placeholders
from tests.bad_server import HANG, BadServer, answer, done, line, stream

HELLO = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
SPOKEN = [line("Hel"), line("lo"), done(prompt_eval_count=31, eval_count=2)]
EVENT = b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n'
USAGE = b'data: {"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":5}}\n\ndata: [DONE]\n\n'
HEAD = {
    "peer": "a",
    "version": "1",
    "installed": {"version": "1", "megabytes": 12.4, "packages": 9},
    "alone": "all",
}


@contextmanager
def proxied(server, path):
    """A connection to the server through the proxy, and what the proxy records."""
    asking = http.client.HTTPConnection("cage", timeout=20)
    with record_exchanges(server.url, path) as record, closing(asking):
        asking.sock = socket.socket(socket.AF_UNIX)
        asking.sock.connect(str(path))
        yield asking, record


def ask(asking, path, body=HELLO):
    asking.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    return asking.getresponse()


def trial(peer="a", version="1", why="", late=False, ctx=None, **cost):
    told = {
        "requests": 2,
        "first": 300,
        "read": 1500,
        "written": 40,
        "kept": 0,
        "sent": 0,
        "refused": 0,
    } | cost
    return {
        "peer": peer,
        "version": version,
        "task": "t",
        "ctx": ctx,
        "why": why,
        "late": late,
        "seconds": 3.0,
        "cost": told,
    }


def test_a_stream_passes_unchanged_and_is_counted(tmp_path):
    with (
        BadServer({"/api/chat": [stream(*SPOKEN)]}) as server,
        proxied(server, tmp_path / "s") as (asking, record),
    ):
        response = ask(asking, "/api/chat")
        assert response.read() == b"".join(SPOKEN)
        assert response.getheader("Content-Type") == "application/x-ndjson"
    assert server.asked[0].body == HELLO
    assert [(each.status, each.read, each.written) for each in record.exchanges] == [(200, 31, 2)]


def test_what_comes_first_is_passed_on_before_the_rest_is_there(tmp_path):
    with (
        BadServer({"/api/chat": [[*stream(line("Hel"), end=False), HANG]]}) as server,
        proxied(server, tmp_path / "s") as (asking, _),
    ):
        assert ask(asking, "/api/chat").readline() == line("Hel")


def test_leaving_ends_at_the_server_what_was_left_running(tmp_path):
    with BadServer({"/api/chat": [[*stream(line("Hel"), end=False), HANG]]}) as server:
        with proxied(server, tmp_path / "s") as (asking, record):
            ask(asking, "/api/chat").readline()
        assert server.hung_up.wait(60)
    assert [(each.read, each.written) for each in record.exchanges] == [(None, 1)]


def test_an_answer_that_was_cut_stays_cut(tmp_path):
    with (
        BadServer({"/api/chat": [stream(line("Hel"), end=False)]}) as server,
        proxied(server, tmp_path / "s") as (asking, _),
        pytest.raises(http.client.IncompleteRead),
    ):
        ask(asking, "/api/chat").read()


def test_what_asks_no_model_is_passed_on_and_not_noted(tmp_path):
    with (
        BadServer({"/api/show": [answer(404, '{"error": "none"}')]}) as server,
        proxied(server, tmp_path / "s") as (asking, record),
    ):
        response = ask(asking, "/api/show?x=1")
        assert (response.status, response.read()) == (404, b"404 page not found")
    assert record.exchanges == []


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"".join(SPOKEN), (31, 2)),
        (SPOKEN[0], (None, 1)),
        (EVENT * 3, (None, 3)),
        (EVENT + USAGE, (12, 5)),
        (b'{\n "choices": [{"message": {"content": "x"}}],\n "usage": {"prompt_tokens": 7}}', (7, 0)),
        (b'{"response": "x", "prompt_eval_count": 3, "eval_count": 1}', (3, 1)),
        (b'{"error": "no"}', (None, 0)),
        (b"\xff rubbish", (None, 0)),
    ],
)
def test_tokens_are_counted_as_the_server_tells_them_or_by_the_pieces(body, found):
    assert parse_counts(body) == found


def test_the_share_of_the_prefix_is_that_of_the_best_earlier_request():
    assert count_reusable(["abcd", "abcdef", "abX", "abcdefgh"]) == (4 + 2 + 6, 6 + 3 + 8)
    assert count_reusable(["alone"]) == count_reusable([]) == (0, 0)


def test_costs_are_those_of_the_requests_that_were_not_refused():
    first, second = ({"messages": [{"role": "user", "content": text}]} for text in ("one", "one two"))
    cost = compute_cost(
        [
            Exchange("/api/chat", first, 400, None, 0, 0.1),
            Exchange("/api/chat", first, 200, 30, 5, 0.1),
            Exchange("/api/chat", second, 0, 45, 2, 0.1),
        ]
    )
    assert (cost.requests, cost.first, cost.read, cost.written, cost.refused) == (2, 30, 75, 7, 1)
    assert (cost.kept, cost.sent) == (
        len('{"role": "user", "content": "one'),
        len(json.dumps(second["messages"][0])) + 1,
    )


def test_the_tools_count_as_the_beginning_of_a_prompt():
    tools = Exchange("/api/chat", {"messages": [{"a": 1}], "tools": [{"b": 2}]}, 200, 1, 1, 0.1)
    assert tools.prompt_text == '{"b": 2}\n{"a": 1}\n'


def test_the_words_of_a_command_are_filled_in_and_other_braces_left(tmp_path):
    (tmp_path / "a b.txt").touch()
    asked = {"request": "say {model}; it's {x}", "model": "m"}
    found = [*fill_command(["p", "--model={model}", "{request}", "{files}"], asked, tmp_path)]
    assert found == ["p", "--model=m", "say {model}; it's {x}", "a b.txt"]
    assert fill_placeholders('{"model": {"name": "{model}"}}', asked) == '{"model": {"name": "m"}}'
    assert fill_placeholders("{unknown}", asked) == "{unknown}"


def test_the_table_has_a_row_an_agent_with_its_means():
    lines = [
        HEAD,
        trial(why="no file", kept=995, sent=1000),
        trial(read=500, late=True),
        {"about": {"model": "m", "threads": None}},
    ]
    drawn = format_table(lines).splitlines()
    assert drawn[2] == "| a 1 | 12 | 9 | 300 | 2.0 | 1 000 | 40 | 99 % | 3 | 1 | 1 of 2 | all |"
    assert drawn[-1] == "model m"


def test_a_first_prompt_that_fills_the_context_is_said_to_be_cut():
    drawn = format_table([HEAD, trial(first=4096), {"about": {"ctx": 4096}}])
    assert "| 4 096, cut |" in drawn


def test_a_context_of_its_own_stands_by_an_agents_name():
    lines = [{"about": {"ctx": 4096}}, HEAD | {"ctx": 16384}, trial(ctx=16384, first=9000), trial(ctx=4096)]
    drawn = format_table(lines)
    assert "| a 1, context 16 384 | 12 | 9 | 9 000 |" in drawn and "1 of 1" in drawn


def test_an_agent_can_have_another_context_on_the_same_server():
    acts = {f"/api/{name}": [answer(200, "{}")] for name in ("create", "delete", "generate")}
    acts["/api/version"] = [answer(200, '{"version": "9"}')]
    with (
        BadServer(acts) as server,
        open_engine(server.url, "m", 4096) as model,
        model.resize_context(16384) as larger,
        model.resize_context(4096) as same,
    ):
        larger.clear_cache()
    assert (same, larger.context, larger.name) == (model, 16384, f"{NAME}-16384")
    made = [one.body for one in server.asked if one.path == "/api/create"]
    assert [(body["model"], body["from"]) for body in made] == [(NAME, "m"), (larger.name, NAME)]
    assert made[1]["parameters"] == made[0]["parameters"] | {"num_ctx": 16384}
    gone = [one.body["model"] for one in server.asked if one.path == "/api/delete"]
    assert gone == [larger.name, NAME]
    assert [one.body["model"] for one in server.asked if one.path == "/api/generate"] == [larger.name]


def test_all_of_core_is_done_unless_other_tasks_are_named():
    options = parse_options([])
    assert (options.suite, options.tasks, options.peers) == ("core", [], None)
    assert parse_options(["--suite", "quick", "--tasks", "a/b", "--peers", "gptme"]).peers == ["gptme"]
    assert load_peers()["gptme"].ctx > options.ctx


def test_no_agent_is_judged_by_a_dialogue_of_which_it_heard_the_first_turn():
    with pytest.raises(SystemExit, match="several turns"):
        main(["--suite", "dialogue"])


def test_the_table_counts_the_trials_of_the_version_that_is_installed_now():
    newer = HEAD | {"version": "2"}
    drawn = format_table([HEAD, trial(), newer, trial(version="2", why="no"), trial(peer="b", version="2")])
    assert "| a 2 |" in drawn and "0 of 1" in drawn and "| a 1 |" not in drawn


def test_an_agent_that_cannot_be_installed_has_a_row_that_says_so():
    absent = {"peer": "a", "version": "", "installed": None, "alone": "cannot be installed here"}
    assert format_table([absent]).splitlines()[2] == "| a |" + " - |" * 10 + " cannot be installed here |"


def test_a_run_goes_on_after_a_line_that_was_cut(tmp_path):
    out = tmp_path / "run.jsonl"
    append_record(out, HEAD)
    out.write_text(out.read_text() + '\n{"peer": "a", "ta')
    append_record(out, trial())
    append_record(out, HEAD)
    assert [*read_records(out)] == [HEAD, trial()]


def test_a_file_takes_no_run_with_other_settings(tmp_path):
    check_run_settings(tmp_path / "run.jsonl", {"model": "m", "seconds": 60})
    check_run_settings(tmp_path / "run.jsonl", {"model": "m", "seconds": 60})
    with pytest.raises(SystemExit, match="--out"):
        check_run_settings(tmp_path / "run.jsonl", {"model": "m", "seconds": 120})


@pytest.mark.parametrize("peer", load_peers().values(), ids=list(load_peers()))
def test_every_agent_has_its_versions_pinned(peer):
    versions = HERE / f"{peer.name}.txt"
    lines = versions.read_text().splitlines() if peer.name != "tripletick" else []
    assert all(line.count("==") == 1 for line in lines if not line.startswith("#"))
    assert bool(lines) == (peer.name != "tripletick")
