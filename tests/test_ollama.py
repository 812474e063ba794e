from __future__ import annotations

import json
import socket
import threading
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from tests.bad_server import AHEAD, HANG, RESET, STALL, BadServer, answer, done, line, stream, unmeasured
from urllib3 import HTTPConnectionPool, PoolManager
from urllib3.connection import HTTPConnection

from tripletick.errors import (
    ContextFullError,
    ModelError,
    ServerFailedError,
    ServerUnreachableError,
    StreamCutError,
    TripletickError,
    UsageError,
)
from tripletick.messages import Message, Progress
from tripletick.models import EngineSettings, open_model
from tripletick.models.hosts import parse_address, resolve_address
from tripletick.models.http import watch_connections
from tripletick.models.model import Sampling
from tripletick.models.ollama import Ollama
from tripletick.models.ollama_pull import pull_model

HI = [Message("user", "hi")]
SHORT = Sampling(output=64)
QUICK = {"connect_timeout": 2.0, "first_timeout": 20.0, "token_timeout": 20.0, "lookup_timeout": 20.0}
TAGS = answer(200, json.dumps({"models": [{"name": "qwen2.5-coder:3b"}, {"name": "llama3.2:1b"}]}))
NESTED = {"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 9012, "n_ctx": 4096}
RECORDED = {
    entry["name"]: entry
    for entry in map(
        json.loads, Path(__file__).with_name("data").joinpath("ollama-0.17.4.jsonl").read_text().splitlines()
    )
}


@pytest.fixture
def serve():
    """Start a bad server for chat acts (and acts of other paths) and open a model on it."""
    with ExitStack() as stack:

        def start(*chat, name="m", notices=None, limits=None, **paths):
            acts = {"/api/chat": chat, **{f"/api/{path}": acts for path, acts in paths.items()}}
            server = stack.enter_context(BadServer(acts))
            notice = (notices if notices is not None else []).append
            settings = EngineSettings(
                host=server.url, busy_waits=(0.0, 0.0, 0.0), notice=notice, **{**QUICK, **(limits or {})}
            )
            return server, Ollama(name, settings)

        yield start


def said(model, messages=HI, sampling=SHORT):
    return "".join(chunk.text for chunk in model.stream(messages, sampling))


def failure(model, kind, messages=HI):
    with pytest.raises(kind) as caught:
        list(model.stream(messages, SHORT))
    assert type(caught.value) is kind
    assert caught.value.what
    assert caught.value.why
    assert caught.value.remedy
    return caught.value


def test_a_reply_comes_in_pieces_and_ends_with_finish_and_counts(serve):
    counts = {"load_duration": 5 * 10**8, "prompt_eval_duration": 10**9, "eval_duration": 2 * 10**9}
    _, model = serve(stream(line("Hel"), line(), line("lo"), done(**counts)))
    chunks = list(model.stream(HI, SHORT))
    assert [chunk.text for chunk in chunks] == ["Hel", "lo", ""]
    assert [chunk.finish for chunk in chunks] == [None, None, "stop"]
    told = chunks[-1].counts
    assert (told.prompt, told.output, told.cached) == (10, 2, None)
    assert (told.load_seconds, told.prompt_seconds, told.output_seconds) == (0.5, 1.0, 2.0)


def test_a_piece_comes_out_before_the_next_one_is_sent(serve):
    _, model = serve([*stream(line("first"), end=False), STALL])
    assert next(model.stream(HI, SHORT)).text == "first"


def test_lines_of_an_unmeasured_answer_come_out_as_they_arrive(serve):
    _, model = serve([*unmeasured(line("first")), STALL])
    assert next(model.stream(HI, SHORT)).text == "first"


def test_reasoning_comes_apart_from_the_text(serve):
    thought = {"role": "assistant", "content": "", "thinking": "hm"}
    _, model = serve(stream(line(message=thought), line("yes"), done()))
    assert [(chunk.thought, chunk.text) for chunk in model.stream(HI, SHORT)] == [
        ("hm", ""),
        ("", "yes"),
        ("", ""),
    ]


def test_every_request_fixes_context_and_forbids_silent_cuts(serve):
    server, model = serve(stream(done()))
    model.set_context(2048)
    said(model, sampling=Sampling(output=100, temperature=0.5, seed=7, schema={"type": "object"}))
    body = server.asked[0].body
    assert (body["truncate"], body["shift"], body["stream"], body["keep_alive"]) == (
        False,
        False,
        True,
        "30m",
    )
    assert body["options"] == {
        "num_ctx": 2048,
        "num_predict": 100,
        "temperature": 0.5,
        "seed": 7,
        "repeat_penalty": 1.0,
    }
    assert body["messages"] == [{"role": "user", "content": "hi"}]
    assert body["format"] == {"type": "object"}


def test_what_is_not_chosen_is_not_sent(serve):
    server, model = serve(stream(done()))
    said(model)
    body = server.asked[0].body
    assert not {"think", "format"} & set(body)
    assert "seed" not in body["options"]
    assert body["options"]["num_ctx"] == 4096


def test_a_model_keeps_the_penalty_for_repeats_that_it_brings(serve):
    shown = answer(200, json.dumps({"parameters": 'stop    "<|im_end|>"\nrepeat_penalty    1.05'}))
    server, model = serve(stream(done()), show=[shown], version=[answer(200, '{"version": "0.17.4"}')])
    model.get_info()
    said(model)
    assert "repeat_penalty" not in server.asked[-1].body["options"]


@pytest.mark.parametrize(("given", "sent"), [("30", 30), ("-1", -1), ("5m", "5m")])
def test_keep_alive_without_a_unit_is_sent_as_seconds(serve, given, sent):
    server, model = serve(stream(done()), limits={"keep": given})
    said(model)
    assert server.asked[0].body["keep_alive"] == sent


@pytest.mark.parametrize(
    ("capabilities", "sent"), [(["completion", "thinking"], True), (["completion"], None), (None, None)]
)
def test_think_is_sent_to_a_model_that_can_think_alone(serve, capabilities, sent):
    shown = answer(200, json.dumps({"capabilities": capabilities, "details": {}}))
    server, model = serve(stream(done()), show=[shown], version=[answer(200, '{"version": "0.17.4"}')])
    said(model, sampling=Sampling(output=8, think=True))
    assert server.asked[-1].body.get("think") is sent


def test_the_model_tells_its_own_limit(serve):
    info = {
        "general.architecture": "llama",
        "llama.context_length": 8192,
        "general.parameter_count": 134515008,
    }
    shown = answer(200, json.dumps({"model_info": info, "capabilities": ["thinking"]}))
    server, model = serve(show=[shown], version=[answer(200, '{"version": "0.17.4"}')])
    about = model.get_info()
    assert (about.context, about.parameters, about.thinks, about.version) == (8192, 134515008, True, "0.17.4")
    assert about.where == server.url


def test_a_refused_connection_is_one_error_and_no_second_try():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    error = failure(Ollama("m", EngineSettings(host=url)), ServerUnreachableError)
    assert error.what == f"No model server at {url} (connection refused)."
    assert error.exit == 4


def test_a_host_that_is_not_known_is_named():
    error = failure(Ollama("m", EngineSettings(host="no-such-host.invalid")), ServerUnreachableError)
    assert error.what.startswith("No model server at http://no-such-host.invalid:11434 (")


def test_a_missing_model_names_the_closest_and_the_command_that_gets_it(serve):
    gone = answer(404, '{"error": "model \'x\' not found"}')
    _, model = serve(gone, tags=[TAGS], name="qwen2.5-coder:7b")
    error = failure(model, ModelError)
    assert error.what == "Model 'qwen2.5-coder:7b' is not on this server."
    assert error.why == "Closest: qwen2.5-coder:3b."
    assert error.remedy == "Download it: tripletick models pull qwen2.5-coder:7b"


def test_a_404_of_another_kind_of_server_is_not_a_missing_model(serve):
    strange = answer(404, '{"error": {"code": 404, "message": "File Not Found"}}')
    _, model = serve(strange, tags=[strange])
    assert "is not Ollama" in failure(model, ServerFailedError).what


@pytest.mark.parametrize(
    "act",
    [
        stream(line("half"), end=False),
        stream(line("half")),
        stream(line("half"), line("less")[:20]),
        [*stream(line("half"), end=False), RESET],
        unmeasured(line("half")),
        stream(line("half"), done(done_reason=None)),
        stream(line("half"), done(done_reason="sleepy")),
        stream(line("half"), b'{"error": "llama runner process has terminated"}\n', done()),
        stream(line("half"), b"this is no JSON\n", done()),
        stream(line("half"), b"[1, 2]\n", done()),
        stream(line("half"), b"\xff\xfe\n", done()),
    ],
    ids=[
        "closed",
        "ended without done",
        "inside a line",
        "reset",
        "closed unmeasured",
        "done without reason",
        "unknown reason",
        "error line",
        "malformed line",
        "no object",
        "no text",
    ],
)
def test_an_answer_that_breaks_after_its_beginning_is_cut(serve, act):
    _, model = serve(act)
    pieces = model.stream(HI, SHORT)
    assert next(pieces).text == "half"
    with pytest.raises(StreamCutError) as caught:
        list(pieces)
    assert caught.value.exit == 7
    assert caught.value.remedy


@pytest.mark.parametrize("act", [stream(), answer(200, b""), [], [RESET]])
def test_no_answer_at_all_is_cut(serve, act):
    _, model = serve(act)
    failure(model, StreamCutError)


def test_an_error_that_is_null_is_none(serve):
    _, model = serve(stream(line("Hel", error=None), line("lo", error=None), done(error=None)))
    assert said(model) == "Hello"


def test_a_pull_is_not_ended_by_an_error_that_is_null():
    told = stream(b'{"status": "pulling manifest", "error": null}\n{"status": "success", "error": null}\n')
    with BadServer({"/api/pull": [told]}) as server:
        statuses = list(pull_model("m", EngineSettings(host=server.url)))
    assert [status.doing for status in statuses] == ["pulling manifest", "success"]


def test_an_error_line_is_told_in_the_servers_words(serve):
    _, model = serve(stream(line("half"), b'{"error": "runner died"}\n'))
    assert "runner died" in failure(model, StreamCutError).why


@pytest.mark.parametrize("status", [200, 404, 502])
def test_a_web_page_is_no_answer(serve, status):
    _, model = serve(answer(status, "<html>Welcome</html>", "text/html; charset=utf-8"))
    error = failure(model, ServerFailedError)
    assert ("cannot reach Ollama" if status == 502 else "is not Ollama") in error.what
    assert "text/html" in error.why


def test_a_server_that_knows_no_path_of_ollamas_is_named_whatever_its_status(serve):
    strange = answer(200, '{"error": "Unexpected endpoint or method. (POST /api/show)"}')
    _, model = serve(show=[strange], tags=[strange])
    for ask in (model.get_info, model.list_models):
        with pytest.raises(ServerFailedError, match="is not Ollama") as caught:
            ask()
        assert "Unexpected endpoint" in caught.value.why
        assert "/v1" in caught.value.remedy


def test_what_a_proxy_keeps_back_of_loaded_models_is_done_without(serve):
    _, model = serve(ps=[answer(403, "<html>", "text/html")])
    assert model.find_loaded() is None


def test_a_redirection_is_not_followed(serve):
    elsewhere = [b"HTTP/1.1 307 Moved\r\nLocation: /api/other\r\nContent-Length: 0\r\n\r\n"]
    _, model = serve(elsewhere, other=[stream(line("ok"), done())])
    assert "307 Temporary Redirect" in failure(model, ServerFailedError).why


def test_what_speaks_no_http_is_not_ollama(serve):
    _, model = serve([b"SSH-2.0-OpenSSH_9.2\r\n"])
    assert "is not Ollama" in failure(model, ServerFailedError).what


@pytest.mark.parametrize(
    "act", [[STALL], [*stream(end=False), STALL], [b"HTTP/1.1 200 OK\r\n", STALL]], ids=str
)
def test_silence_before_the_first_token_ends_at_its_own_limit(serve, act):
    _, model = serve(act, limits={"first_timeout": 0.2})
    assert "has sent nothing for 0.2 s" in failure(model, ServerFailedError).what


@pytest.mark.parametrize("rest", [b"", line("y")[:9]], ids=["nothing", "half a line"])
@pytest.mark.parametrize("form", [partial(stream, end=False), unmeasured], ids=["chunks", "unmeasured"])
def test_silence_between_tokens_ends_at_its_own_limit(serve, form, rest):
    _, model = serve([*form(line("x"), rest), STALL], limits={"token_timeout": 0.2})
    assert "has sent nothing for 0.2 s" in failure(model, ServerFailedError).what


def test_a_busy_server_is_asked_again_and_the_person_is_told(serve):
    notices: list[str] = []
    busy = answer(503, '{"error": "server busy, please try again"}')
    server, model = serve(busy, busy, stream(line("ok"), done()), notices=notices)
    assert said(model) == "ok"
    assert len(server.asked) == 3
    assert notices[0] == "The server is busy. Trying again in 0 s (1 of 3)."


def test_a_server_that_stays_busy_is_given_up_after_the_last_wait(serve):
    server, model = serve(answer(503, '{"error": "server busy"}'))
    assert "busy" in failure(model, ServerFailedError).what
    assert len(server.asked) == 4


NGINX = "<html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>"


@pytest.mark.parametrize("body", [NGINX, "", '{"error": "upstream is away"}'])
@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_proxy_without_its_server_is_asked_again(serve, status, body):
    away = answer(status, body, "text/html" if body is NGINX else "application/json")
    server, model = serve(away, away, stream(line("ok"), done()))
    assert said(model) == "ok"
    assert len(server.asked) == 3


def test_a_proxy_whose_server_stays_away_is_told_in_a_sentence(serve):
    server, model = serve(answer(502, NGINX, "text/html"))
    error = failure(model, ServerFailedError)
    assert error.what.endswith("a proxy that cannot reach Ollama (status 502).")
    assert error.why == "It says: 502 Bad Gateway, text/html."
    assert len(server.asked) == 4


def test_what_is_asked_before_the_first_request_waits_for_the_server_too(serve):
    notices: list[str] = []
    away = answer(502, NGINX, "text/html")
    _, model = serve(notices=notices, show=[away, answer(200, '{"model_info": {}}')])
    assert model.get_info().name == "m"
    assert notices == ["The server does not respond (status 502). Trying again in 0 s (1 of 3)."]


def test_a_failed_server_is_asked_once_more(serve):
    died = answer(500, '{"error": "llama runner process has terminated"}')
    server, model = serve(died, stream(line("ok"), done()))
    assert said(model) == "ok"
    assert len(server.asked) == 2


def test_a_server_that_fails_twice_is_given_up(serve):
    server, model = serve(answer(500, '{"error": "llama runner process has terminated"}'))
    assert "llama runner process has terminated" in failure(model, ServerFailedError).why
    assert len(server.asked) == 2


def test_a_model_that_is_too_big_is_unfit_and_not_tried_again(serve):
    big = "model requires more system memory (5.6 GiB) than is available (3.1 GiB)"
    server, model = serve(answer(500, json.dumps({"error": big})))
    assert "5.6 GiB" in failure(model, ModelError).why
    assert len(server.asked) == 1


def test_an_empty_403_is_explained_by_the_host_header(serve):
    _, model = serve(answer(403))
    assert "Host header" in failure(model, ServerFailedError).remedy


@pytest.mark.parametrize(
    ("told", "needed", "available"),
    [
        ("the input length exceeds the context length", 0, 512),
        (json.dumps({"error": NESTED}), 9012, 4096),
        (json.dumps(NESTED), 9012, 4096),
        (NESTED, 9012, 4096),
    ],
)
@pytest.mark.parametrize("as_line", [False, True])
def test_a_full_context_is_told_with_its_numbers(serve, told, needed, available, as_line):
    body = json.dumps({"error": told})
    server, model = serve(stream(body.encode() + b"\n") if as_line else answer(400, body))
    model.set_context(512)
    error = failure(model, ContextFullError)
    assert (error.needed, error.available, len(server.asked)) == (needed, available, 1)
    assert (
        not needed or error.what == "The conversation needs 9 012 tokens, but the model's context is 4 096."
    )


def test_another_kind_of_context_is_not_a_full_one(serve):
    late = "timed out waiting for llama runner to start: context deadline exceeded"
    _, model = serve(answer(500, json.dumps({"error": late})))
    assert late in failure(model, ServerFailedError).why


def test_closing_the_stream_hangs_up(serve):
    server, model = serve([*stream(line("x"), end=False), HANG])
    pieces = model.stream(HI, SHORT)
    next(pieces)
    pieces.close()
    assert server.hung_up.wait(60)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_text_is_whole_wherever_the_answer_is_cut_into_pieces(serve, size):
    whole = json.dumps({"message": {"content": "naïve 🙂 ✓"}, "done": False}, ensure_ascii=False).encode()
    data = whole + b"\r\n\n" + done().rstrip()
    _, model = serve(stream(*(data[at : at + size] for at in range(0, len(data), size))))
    assert said(model) == "naïve 🙂 ✓"


def test_bytes_that_are_no_text_become_a_character_that_is(serve):
    _, model = serve(stream(b'{"message": {"content": "a\xffb"}, "done": false}\n', done()))
    assert said(model) == "a\N{REPLACEMENT CHARACTER}b"


def test_a_lone_surrogate_becomes_a_character_that_can_be_written(serve):
    _, model = serve(stream(b'{"message": {"content": "a\\ud83db"}, "done": false}\n', done()))
    assert said(model).encode() == "a\N{REPLACEMENT CHARACTER}b".encode()


GROWN = [*HI, Message("assistant", "x"), Message("user", "more")]


@pytest.mark.parametrize(
    ("second", "counted", "told"),
    [
        (GROWN, 4, True),
        ([Message("user", "hi\n\nand more")], 4, True),
        (GROWN, 25, False),
        (GROWN, None, False),
        ([Message("user", "another")], 4, False),
    ],
    ids=["dropped", "dropped, last message extended", "grown", "not counted", "another prompt"],
)
def test_messages_that_the_server_dropped_are_noticed(serve, second, counted, told):
    notices: list[str] = []
    _, model = serve(
        stream(done(prompt_eval_count=20)), stream(done(prompt_eval_count=counted)), notices=notices
    )
    said(model)
    said(model, second)
    assert any("dropped old messages" in notice for notice in notices) is told


def test_a_reload_in_the_middle_of_a_session_is_noticed(serve):
    notices: list[str] = []
    _, model = serve(stream(done(load_duration=3_200_000_000)), notices=notices)
    said(model)
    assert not notices
    said(model, GROWN)
    assert notices == ["The model was reloaded (3.2 s) because another program uses it with other settings."]


def test_a_recorded_reply_is_read_as_it_was_meant(serve):
    data = RECORDED["chat stream"]["response"].encode()
    _, model = serve(stream(*(data[at : at + 100] for at in range(0, len(data), 100))))
    chunks = list(model.stream(HI, SHORT))
    assert "".join(chunk.text for chunk in chunks) == "I'm glad to make your acquaintance."
    assert (chunks[-1].finish, chunks[-1].counts.prompt, chunks[-1].counts.output) == ("length", 11, 8)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("chat missing model", ModelError),
        ("chat too long, truncate false", ContextFullError),
        ("chat think unsupported", ModelError),
        ("chat bad format", ServerFailedError),
        ("chat bad json", ServerFailedError),
        ("root", StreamCutError),
    ],
)
def test_a_recorded_failure_is_the_right_error(serve, name, kind):
    recorded = RECORDED[name]
    act = answer(recorded["status"], recorded["response"], recorded["content_type"])
    _, model = serve(act, tags=[answer(200, RECORDED["tags"]["response"])])
    failure(model, kind)


def test_recorded_lists_are_read(serve):
    told = {name: [answer(200, RECORDED[name]["response"])] for name in ("tags", "ps")}
    _, model = serve(name="smol", **told)
    assert model.list_names() == ("smol:latest", "tiny:latest")
    assert (model.find_loaded().context, model.find_loaded().size, model.find_loaded().video) == (
        1024,
        120169728,
        0,
    )


@pytest.mark.parametrize("body", ["[]", '{"models": null}', '{"models": 3}', '{"models": [3, {}]}'])
def test_a_strange_list_holds_no_models(serve, body):
    _, model = serve(tags=[answer(200, body)], ps=[answer(200, body)])
    try:
        assert model.list_names() == ()
        assert model.find_loaded() is None
    except ServerFailedError as error:
        assert "is not Ollama" in error.what


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        (" ' ' ", "http://127.0.0.1:11434"),
        ('"10.0.0.5"', "http://10.0.0.5:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("gpu", "http://gpu:11434"),
        ("gpu:1234/", "http://gpu:1234"),
        ("http://gpu", "http://gpu:80"),
        ("https://gpu", "https://gpu:443"),
        ("https://gpu:8443/ollama/", "https://gpu:8443/ollama"),
        ("gpu/a/b", "http://gpu:11434/a/b"),
        ("HTTP://GPU", "http://gpu:80"),
        ("::1", "http://[::1]:11434"),
        ("[::1]:99", "http://[::1]:99"),
        ("http://[fe80::1%eth0]:99", "http://[fe80::1%eth0]:99"),
        ("fe80::1%eth0", "http://[fe80::1%eth0]:11434"),
        ("[::]", "http://[::1]:11434"),
        ("gpu:70000", "http://gpu:11434"),
        ("gpu:port", "http://gpu:11434"),
        ("ollama.com", "https://ollama.com:443"),
    ],
)
def test_an_address_is_read_as_ollama_reads_it(text, url):
    assert parse_address(text).url == url


@pytest.mark.parametrize("text", ["ftp://gpu", "two words", "http://me:secret@gpu", "gpu?x=1"])
def test_what_is_no_address_is_refused_with_an_example(text):
    with pytest.raises(UsageError, match="For example"):
        parse_address(text)


def test_the_flag_wins_over_the_variable(monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "'gpu:1234'")
    assert resolve_address(None).url == "http://gpu:1234"
    assert resolve_address("other").url == "http://other:11434"


@pytest.mark.parametrize(
    ("text", "loopback", "private"),
    [
        ("localhost", True, True),
        ("127.0.0.9", True, True),
        ("::1", True, True),
        ("192.168.1.7", False, True),
        ("nas", False, True),
        ("nas.local", False, True),
        ("8.8.8.8", False, False),
        ("models.example.com", False, False),
    ],
)
def test_an_address_tells_how_far_away_it_is(text, loopback, private):
    assert (parse_address(text).is_loopback, parse_address(text).is_private) == (loopback, private)


def test_proxy_variables_do_not_reach_ones_own_machine(serve, monkeypatch):
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    _, model = serve(stream(line("ok"), done()))
    assert said(model) == "ok"


@pytest.fixture
def no_exceptions(monkeypatch):
    for variable in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(variable, raising=False)


def test_a_proxy_that_is_not_there_is_named_as_the_cause(monkeypatch, no_exceptions):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    error = failure(Ollama("m", EngineSettings(host="http://models.example.com")), ServerUnreachableError)
    assert "through a proxy: connection refused" in error.what


@pytest.mark.parametrize("host", ["a" * 64, "http://gpu..local"])
def test_a_host_that_no_name_server_can_know_is_not_reached(host):
    model = Ollama("m", EngineSettings(host=host))
    model.preload()
    assert "too long" in failure(model, ServerUnreachableError).what
    model.close()


def test_certificates_that_are_not_there_are_named_as_the_cause(monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/no/such.pem")
    error = failure(Ollama("m", EngineSettings(host="https://127.0.0.1:9")), ServerUnreachableError)
    assert "/no/such.pem" in error.what


def test_connections_stay_of_the_kind_that_their_proxy_needs():
    class Own(HTTPConnection):
        """As those through a SOCKS proxy are."""

    class OwnPool(HTTPConnectionPool):
        ConnectionCls = Own

    manager, took = PoolManager(), list[socket.socket]()
    manager.pool_classes_by_scheme = {"http": OwnPool}
    watch_connections(manager, took.append)
    with BadServer({"/": [answer(200)]}) as server:
        connection = manager.connection_from_url(server.url)._get_conn()
        connection.connect()
        assert isinstance(connection, Own)
        assert took == [connection.sock]
        connection.close()


def test_a_far_host_is_reached_through_the_proxy(monkeypatch, no_exceptions):
    with BadServer({"http://models.example.com:80/api/chat": [stream(line("ok"), done())]}) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        assert said(Ollama("m", EngineSettings(host="http://models.example.com"))) == "ok"


@pytest.mark.parametrize(
    "name",
    ["m", "qwen2.5:7b", "mistral:instruct", "smol:lates", "hf.co/a/B-GGUF:Q4_K_M", "localhost:5000/a/b:c"],
)
def test_a_bare_name_is_ollamas(name):
    model = open_model(name)
    assert isinstance(model, Ollama)
    assert model.name == name


@pytest.mark.parametrize("name", ["olama:thing", "embeded:a.gguf", "opnai:gpt", "nosuch:qwen2.5:7b"])
def test_an_unknown_engine_lists_what_there_is(name):
    with pytest.raises(UsageError, match="ollama, scripted") as caught:
        open_model(name)
    assert caught.value.exit == 2
    assert f"-m ollama:{name}" in caught.value.remedy


@pytest.mark.parametrize("name", ["", "ollama:", "scripted: "])
def test_a_model_without_a_name_is_refused(name):
    with pytest.raises(TripletickError, match="No model is named"):
        open_model(name)


def test_an_engine_in_front_of_a_tagged_name_is_taken_off():
    model = open_model("ollama:qwen2.5:7b", EngineSettings(host="gpu"))
    assert isinstance(model, Ollama)
    assert model.name == "qwen2.5:7b"


def test_a_model_is_preloaded_by_one_empty_request_with_the_options_of_all_others(serve):
    server, model = serve(stream(line("x"), done()), generate=[answer(200, "{}")])
    model.set_context(2048)
    model.preload()
    model.preload()
    server.wait_for("/api/generate")
    said(model)
    model.close()
    first, second = (asked.body for asked in server.asked)
    assert first["options"]["num_ctx"] == second["options"]["num_ctx"] == 2048
    assert first["keep_alive"] == second["keep_alive"]
    assert "prompt" not in first


def test_a_request_does_not_wait_for_the_preloading_which_ends_with_the_model(serve):
    server, model = serve(stream(line("at once"), done()), generate=[[HANG]])
    model.preload()
    server.wait_for("/api/generate")
    assert said(model) == "at once"
    assert not server.hung_up.is_set()
    model.close()
    assert server.hung_up.wait(60)


@pytest.fixture
def loading(serve):
    """Ask for a reply on a server that still loads its model; give what is left of it once it reads."""

    def start(reply):
        loaded = threading.Event()

        def load():
            loaded.wait(60)
            yield from answer(200, "{}")

        server, model = serve(reply, generate=[load()])
        model.preload()
        server.wait_for("/api/generate")
        chunks = model.stream(HI, SHORT)
        assert next(chunks).progress == Progress("loading")
        loaded.set()
        assert next(chunks).progress == Progress("reading")
        server.wait_for("/api/chat")
        return server, chunks

    return start


def test_loading_is_reported_until_the_model_is_there_then_reading(loading):
    read = threading.Event()

    def reply():
        read.wait(60)
        yield from stream(line("x"), done())

    _, chunks = loading(reply())
    read.set()
    assert [chunk.text for chunk in chunks] == ["x", ""]


def test_leaving_while_the_prompt_is_read_after_loading_hangs_up(loading):
    server, chunks = loading([HANG])
    chunks.close()
    assert server.hung_up.wait(60)


def test_a_preloading_that_fails_is_told_by_the_first_request_alone(serve):
    notices: list[str] = []
    server, model = serve(stream(line("x"), done()), notices=notices, generate=[[RESET]])
    model.preload()
    server.wait_for("/api/generate")
    assert (said(model), notices) == ("x", [])
    model.close()


@pytest.mark.parametrize("host", ["http://example.invalid:1", "https://127.0.0.1:1"])
def test_a_server_behind_a_proxy_or_tls_is_not_preloaded(host):
    model = Ollama("m", EngineSettings(host=host))
    model.preload()
    model.close()


def test_what_stands_before_the_request_is_read_ahead_with_the_options_of_all_others(serve):
    server, model = serve(stream(line("x"), done()))
    model.set_context(2048)
    beginning = [Message("system", "Be brief.")]
    model.read_ahead(beginning, SHORT)
    model.read_ahead(beginning, SHORT)
    server.wait_for(AHEAD)
    said(model)
    model.close()
    ahead, first = (asked.body for asked in server.asked)
    assert ahead["messages"] == [{"role": "system", "content": "Be brief."}]
    assert ahead["options"]["num_ctx"] == first["options"]["num_ctx"] == 2048
    assert ahead["keep_alive"] == first["keep_alive"]
