"""Servers of OpenAI's kind on a real socket: what they stream, what they refuse, what they tell."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest
from tests.bad_server import HANG, RESET, STALL, BadServer, answer, stream, unmeasured

from tripletick.errors import (
    ContextFullError,
    ModelError,
    ServerFailedError,
    ServerUnreachableError,
    StreamCutError,
    UsageError,
)
from tripletick.messages import Message, Picture, Progress, ToolCall, ToolResult
from tripletick.models import EngineSettings, open_model
from tripletick.models.model import Sampling
from tripletick.models.openai import OpenAI, may_hold_key, resolve_base_address

HI = [Message("user", "hi")]
SHORT = Sampling(output=64)
QUICK = {"connect_timeout": 2.0, "first_timeout": 20.0, "token_timeout": 20.0, "lookup_timeout": 20.0}
CHAT = "/v1/chat/completions"
USAGE = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
NO_LIST = answer(404, '{"error": {"message": "File Not Found"}}')


def event(text=None, *, finish=None, **fields):
    """One event of a stream, as servers write it."""
    delta = {"content": text} if text is not None else {}
    choice = {"index": 0, "delta": {**delta, **fields.pop("delta", {})}, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice], **fields}).encode() + b"\n\n"


COUNTED = b"data: " + json.dumps({"choices": [], "usage": USAGE}).encode() + b"\n\n"
DONE = b"data: [DONE]\n\n"
STOP = event(finish="stop")
HELLO = (event("Hel"), event("lo"), STOP, COUNTED, DONE)


def refusal(status, message="no", **fields):
    return answer(status, json.dumps({"error": {"message": message, **fields}}))


def limited(status, *headers, message="slow down"):
    """A refusal with further headers."""
    head, body = refusal(status, message)
    return [head.replace(b"\r\n\r\n", b"\r\n" + "\r\n".join(headers).encode() + b"\r\n\r\n"), body]


def models(*entries):
    return answer(200, json.dumps({"object": "list", "data": list(entries)}))


@pytest.fixture
def serve():
    """Start a bad server for chat acts (and acts of other paths) and open a model on it."""
    with ExitStack() as stack:

        def start(*chat, name="m", notices=None, limits=None, paths=None):
            server = stack.enter_context(BadServer({CHAT: chat, **(paths or {})}))
            notice = (notices if notices is not None else []).append
            settings = EngineSettings(
                host=server.url, busy_waits=(0.0, 0.0), notice=notice, **QUICK | (limits or {})
            )
            return server, OpenAI(name, settings)

        yield start


def said(model, messages=HI, sampling=SHORT):
    return "".join(chunk.text for chunk in model.stream(messages, sampling))


def failure(model, kind, messages=HI):
    with pytest.raises(kind) as caught:
        list(model.stream(messages, SHORT))
    assert type(caught.value) is kind
    assert all((caught.value.what, caught.value.why, caught.value.remedy))
    return caught.value


def test_a_reply_comes_in_pieces_and_ends_with_finish_and_counts(serve):
    _, model = serve(stream(*HELLO, kind="text/event-stream"))
    chunks = list(model.stream(HI, SHORT))
    assert [(chunk.text, chunk.finish) for chunk in chunks] == [("Hel", None), ("lo", None), ("", "stop")]
    counts = chunks[-1].counts
    assert (counts.prompt, counts.output, counts.cached) == (9, 2, 4)
    assert counts.output_seconds > 0


def test_how_far_the_prompt_is_read_is_asked_of_llama_cpp_and_reported(serve):
    told = {"total": 1100, "cache": 100, "processed": 356, "time_ms": 9}
    listed = {"/v1/models": [models({"id": "m"})], "/props": [answer(200, json.dumps(PROPS))]}
    server, model = serve(stream(event(prompt_progress=told), *HELLO), paths=listed)
    model.get_info()
    first, *rest = model.stream(HI, SHORT)
    assert first.progress == Progress("reading", 256, 1000)
    assert "".join(chunk.text for chunk in rest) == "Hello"
    assert server.asked[-1].body["return_progress"] is True


def test_a_piece_comes_out_before_the_next_one_is_sent(serve):
    _, model = serve([*stream(event("first"), end=False), STALL])
    assert next(model.stream(HI, SHORT)).text == "first"


def test_leaving_the_stream_hangs_up(serve):
    server, model = serve([*stream(event("first"), end=False), HANG])
    chunks = model.stream(HI, SHORT)
    next(chunks)
    chunks.close()
    assert server.hung_up.wait(60)


@pytest.mark.parametrize(
    "pieces",
    [
        [piece.replace(b"\n", b"\r\n") for piece in HELLO],
        [b": ping\n\n", HELLO[0], b":\n\n: PROCESSING\n\n", *HELLO[1:]],
        [b"event: message\nid: 7\nretry: 10\n" + piece for piece in HELLO],
        [b"".join(HELLO).replace(b"\n\n", b"\n")],
        [b"".join(HELLO[:-1]).rstrip(b"\n")],
        [b"".join(HELLO).replace(b", ", b",\ndata: ")],
        [bytes([byte]) for byte in b"".join(HELLO)],
        [b"\xef\xbb\xbf"[:0] + b"".join(HELLO).replace(b"data: ", b"data:")],
        [*HELLO[:2], STOP],
    ],
    ids=[
        "crlf",
        "comments",
        "fields",
        "no blank lines",
        "no end",
        "several lines",
        "bytes",
        "no blank",
        "no count",
    ],
)
def test_a_stream_is_read_however_it_is_written(serve, pieces):
    _, model = serve(stream(*pieces, kind="text/event-stream"))
    assert said(model) == "Hello"


def test_a_server_that_does_not_stream_is_read_all_the_same(serve):
    whole = {"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}], "usage": USAGE}
    _, model = serve(answer(200, json.dumps(whole)))
    chunks = list(model.stream(HI, SHORT))
    assert ("".join(chunk.text for chunk in chunks), chunks[-1].counts.prompt) == ("Hello", 9)


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "thinking"])
def test_reasoning_comes_apart_from_the_text(serve, name):
    _, model = serve(stream(event(delta={name: "hm"}), event("yes"), STOP, DONE))
    assert [(chunk.thought, chunk.text) for chunk in model.stream(HI, SHORT)][:2] == [("hm", ""), ("", "yes")]


def test_content_in_parts_is_put_together(serve):
    thinks = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    parts = [{"type": "text", "text": "y"}, {"type": "text", "text": "es"}, {"type": "image_url"}, "?"]
    _, model = serve(stream(event(delta={"content": [thinks]}), event(delta={"content": parts}), STOP, DONE))
    assert [(chunk.thought, chunk.text) for chunk in model.stream(HI, SHORT)][:2] == [("hm", ""), ("", "yes")]


def test_a_reply_at_its_length_says_so(serve):
    _, model = serve(stream(event("Hel"), event(finish="length"), DONE))
    assert list(model.stream(HI, SHORT))[-1].finish == "length"


@pytest.mark.parametrize("word", ["eos_token", "stop_sequence", "end_turn"])
def test_a_reply_has_ended_in_the_words_of_every_server(serve, word):
    _, model = serve(stream(event("Hello"), event(finish=word), DONE))
    assert list(model.stream(HI, SHORT))[-1].finish == "stop"


@pytest.mark.parametrize("word", ["max_tokens", "model_length"])
def test_a_reply_at_its_length_is_known_in_the_words_of_every_server(serve, word):
    _, model = serve(stream(event("Hel"), event(finish=word), DONE))
    assert list(model.stream(HI, SHORT))[-1].finish == "length"


READ, BASH = ToolCall("read", '{"a": 1}', "a"), ToolCall("bash", '{"b": 2}', "b")


def piece(key, name, arguments, **place):
    return event(
        delta={"tool_calls": [{"id": key, "function": {"name": name, "arguments": arguments}, **place}]}
    )


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [
        ([("a", "read", '{"a": 1}'), ("b", "bash", '{"b": 2}')], (READ, BASH)),
        (
            [("a", "read", '{"a"'), ("b", "bash", '{"b"'), ("a", None, ": 1}"), ("b", None, ": 2}")],
            (READ, BASH),
        ),
        ([("a", "read", '{"a"'), ("a", "read", ": 1}")], (READ,)),
        ([("a", "read", '{"a"'), ("new", None, ": 1}")], (READ,)),
        ([("a", "read", '{"a"'), (None, None, ": 1}")], (READ,)),
    ],
)
@pytest.mark.parametrize("place", [{"index": 0}, {}])
def test_calls_that_share_a_place_are_told_apart_by_their_ids(serve, pieces, calls, place):
    _, model = serve(stream(*(piece(*one, **place) for one in pieces), event(finish="tool_calls"), DONE))
    assert list(model.stream(HI, SHORT))[-1].calls == calls


def test_calls_are_put_together_from_their_pieces(serve):
    def call(place, **made):
        key = made.pop("id", None)
        return event(delta={"tool_calls": [{"index": place, "id": key, "function": made}]})

    pieces = [
        call(0, id="a", name="bash", arguments=""),
        call(0, arguments='{"com'),
        call(0, arguments='mand": 1}'),
    ]
    _, model = serve(stream(*pieces, call(1, name="read", arguments="{}"), event(finish="tool_calls"), DONE))
    assert list(model.stream(HI, SHORT))[-1].calls == (
        ToolCall("bash", '{"command": 1}', "a"),
        ToolCall("read", "{}", "call_2"),
    )


@pytest.mark.parametrize(
    "act",
    [
        stream(event("Hel"), end=False),
        stream(event("Hel")),
        stream(event("Hel"), DONE),
        unmeasured(event("Hel")),
        [*stream(event("Hel"), end=False), RESET],
        [RESET],
        stream(event("Hel"), event(finish="abort"), DONE),
        stream(event("Hel"), event(finish="content_filter")),
        stream(b"<html>\n", kind="text/event-stream"),
        stream(b"data: {{{\n\n"),
        stream(b"\x00\xff\xfe rubbish\n"),
        stream(event("Hel"), b'data: {"error": {"message": "worker died", "code": 500}}\n\n'),
        stream(event("Hel"), b'error: {"code": 500, "message": "worker died"}\n\n'),
        stream(b'{"object": "error", "message": "worker died"}\n'),
        stream(event("Hel") * 3000, STOP),
    ],
)
def test_an_answer_that_has_no_end_is_cut(serve, act):
    _, model = serve(act)
    failure(model, StreamCutError)


def test_what_breaks_after_the_end_of_a_reply_breaks_nothing(serve):
    _, model = serve([*stream(event("Hello"), STOP, end=False), RESET])
    assert said(model) == "Hello"


def test_an_error_that_is_null_is_none(serve):
    _, model = serve(stream(event("Hel", error=None), event("lo", error=None), STOP))
    assert said(model) == "Hello"


def test_silence_ends_after_its_time(serve):
    _, model = serve([*stream(event("Hel"), end=False), STALL], limits={"token_timeout": 0.2})
    assert "sent nothing for 0.2 s" in failure(model, ServerFailedError).what


def test_what_is_sent_is_the_standard_and_what_was_chosen(serve):
    server, model = serve(stream(*HELLO))
    said(model, sampling=Sampling(output=100, temperature=0.5, seed=7, schema={"type": "object"}))
    body = server.asked[0].body
    assert body.pop("response_format")["json_schema"]["schema"] == {"type": "object"}
    assert body == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": 100,
        "temperature": 0.5,
        "seed": 7,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_calls_and_their_results_go_back_in_the_servers_words(serve):
    server, model = serve(stream(*HELLO))
    asked = Message("assistant", "", (ToolCall("bash", "{}", "a"),))
    said(model, [*HI, asked, Message("user", "and now", results=(ToolResult("a", "bash", "done"),))])
    _, call, result, words = server.asked[0].body["messages"]
    assert call["tool_calls"][0]["function"] == {"name": "bash", "arguments": "{}"}
    assert result == {"role": "tool", "tool_call_id": "a", "content": "done"}
    assert words == {"role": "user", "content": "and now"}


def test_a_picture_goes_as_a_data_url(serve):
    server, model = serve(stream(*HELLO))
    said(model, [Message("user", "look", pictures=(Picture("a.png", "0", "image/png", b"abc"),))])
    _, image = server.asked[0].body["messages"][0]["content"]
    assert image == {"type": "image_url", "image_url": {"url": "data:image/png;base64,YWJj"}}


@pytest.mark.parametrize("word", ["stream_options", "temperature", "seed", "chat_template_kwargs"])
def test_a_word_that_the_server_does_not_know_is_left_out_from_then_on(serve, word):
    server, model = serve(refusal(400, f"Unsupported parameter: '{word}'"), stream(*HELLO))
    sampling = Sampling(output=64, seed=7, think=True)
    assert said(model, sampling=sampling) + said(model, sampling=sampling) == "HelloHello"
    assert [word in asked.body for asked in server.asked] == [True, False, False]


def test_the_length_is_named_as_the_server_names_it(serve):
    server, model = serve(
        refusal(400, "'max_tokens' is not supported, use 'max_completion_tokens'"), stream(*HELLO)
    )
    said(model)
    assert server.asked[1].body["max_completion_tokens"] == 64
    assert "max_tokens" not in server.asked[1].body


NESTED = {"type": "exceed_context_size_error", "n_prompt_tokens": 9012, "n_ctx": 4096, "message": "too long"}
TOO_LONG = {
    "llama.cpp": NESTED,
    "llama.cpp's words": "request (9012 tokens) exceeds the available context size (4096 tokens)",
    "vLLM": "This model's maximum context length is 4096 tokens. However, you requested 9076 tokens "
    "(9012 in the messages, 64 in the completion). Please reduce the length of the messages.",
    "newer vLLM": "You passed 9012 input tokens and requested 64 output tokens. However, the model's "
    "context length is only 4096 tokens.",
    "vLLM's prompt": "The decoder prompt (length 9012) is longer than the maximum model length of 4096.",
    "LM Studio": "Trying to keep the first 9012 tokens when context the overflows. However, the model is "
    "loaded with context length of only 4096 tokens, which is not enough.",
    "OpenAI": "This model's maximum context length is 4096 tokens. However, your messages resulted in "
    "9012 tokens.",
    "TGI": "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9012 `inputs` tokens and 64 "
    "`max_new_tokens`",
}


@pytest.mark.parametrize("told", TOO_LONG.values(), ids=TOO_LONG)
@pytest.mark.parametrize("late", [False, True], ids=["refused", "streamed"])
def test_a_full_context_is_read_in_the_words_of_every_server(serve, told, late):
    body = json.dumps({"error": told})
    _, model = serve(stream(f"data: {body}\n\n".encode()) if late else answer(400, body))
    error = failure(model, ContextFullError)
    assert (error.needed, error.available) == (9012, 4096)


@pytest.mark.parametrize("around", [lambda detail: detail, lambda detail: {"message": detail}])
def test_a_word_that_is_refused_in_a_list_is_left_out_too(serve, around):
    entry = {"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}
    refused = answer(422, json.dumps(around({"detail": [entry]})))
    server, model = serve(refused, stream(*HELLO))
    assert said(model, sampling=Sampling(output=64, seed=7)) == "Hello"
    assert "seed" not in server.asked[1].body


@pytest.mark.parametrize("number", ["NaN", "-1", "1" + "0" * 400])
def test_times_that_can_be_none_are_measured_here(serve, number):
    told = b'"timings": {"prompt_n": 7, "predicted_n": 1, "predicted_ms": %s}' % number.encode()
    ended = b'data: {"choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}], %s}\n\n' % told
    _, model = serve(stream(ended, DONE))
    *_, last = model.stream(HI, SHORT)
    assert (last.counts.prompt, 0 <= last.counts.output_seconds < 60) == (7, True)


def test_a_full_context_without_figures_takes_those_that_are_known(serve):
    words = "The number of tokens to keep from the initial prompt is greater than the context length."
    _, model = serve(refusal(400, words))
    model.set_context(2048)
    error = failure(model, ContextFullError)
    assert (error.needed, error.available) == (0, 2048)


def test_a_reply_that_would_not_fit_is_asked_for_shorter(serve):
    words = "context length is 4096 tokens, you requested 4106 tokens (4010 in the messages, 96 in the rest)"
    server, model = serve(refusal(400, words), stream(*HELLO))
    assert said(model, sampling=Sampling(output=96)) == "Hello"
    assert server.asked[1].body["max_tokens"] == 4096 - 4010 - 32


@pytest.mark.parametrize(
    ("status", "kind", "word"),
    [
        (400, ServerFailedError, "status 400"),
        (401, ServerFailedError, "requires an API key"),
        (403, ServerFailedError, "rejects this API key"),
        (500, ServerFailedError, "failed"),
        (503, ServerFailedError, "busy"),
    ],
)
def test_a_refusal_is_told_by_its_status_and_in_the_servers_words(serve, status, kind, word):
    _, model = serve(refusal(status, "because of this"))
    error = failure(model, kind)
    assert word in error.what
    assert "because of this" in error.why


@pytest.mark.parametrize(
    "body",
    [
        '{"detail": "why"}',
        '{"message": "why"}',
        '{"error": "why"}',
        '{"error": {"message": "why"}}',
        '{"detail": [{"loc": [], "msg": "why"}]}',
        '[{"error": {"message": "why"}}]\n',
    ],
)
def test_the_reason_is_found_wherever_a_server_puts_it(serve, body):
    _, model = serve(answer(400, body))
    assert failure(model, ServerFailedError).why == "It says: why."


@pytest.mark.parametrize(
    "act",
    [answer(404, "<html>", "text/html"), answer(200, "<html>", "text/html"), answer(404, '{"detail": "No"}')],
)
def test_what_is_no_such_server_is_named(serve, act):
    _, model = serve(act)
    assert "is not an OpenAI-style server" in failure(model, ServerFailedError).what


@pytest.mark.parametrize(
    "act",
    [
        refusal(404, "The model `m` does not exist.", code="model_not_found"),
        refusal(404, 'model "m" not found, try pulling it first'),
        refusal(400, "Invalid model identifier. Model not loaded", code="model_not_found"),
    ],
)
def test_a_missing_model_is_told_with_the_closest_name(serve, act):
    _, model = serve(act, name="qwen-7b", paths={"/v1/models": [models({"id": "qwen-8b"}, {"id": "llama"})]})
    assert failure(model, ModelError).why == "Closest: qwen-8b."


def test_a_missing_model_is_told_where_the_list_is_kept_back(serve):
    _, model = serve(
        refusal(404, "The model m does not exist"), paths={"/v1/models": [refusal(403, "Missing scopes")]}
    )
    assert failure(model, ModelError).why == "It does not list its models."


def test_a_list_of_models_is_refused_in_words_of_a_missing_model(serve):
    refused = refusal(400, "model m not available for this key")
    _, model = serve(refused, paths={"/v1/models": [refused]})
    failure(model, ModelError)
    with pytest.raises(ServerFailedError, match="refused"):
        model.get_info()


@pytest.mark.parametrize("time", ["soon", "Wed, 21 Oct 99999999999999999999 07:28:00 GMT"])
def test_a_time_that_is_none_is_as_if_it_were_not_named(serve, time):
    _, model = serve(limited(429, f"Retry-After: {time}"), stream(*HELLO))
    assert said(model) == "Hello"


def test_a_model_that_cannot_see_is_told(serve):
    _, model = serve(refusal(500, "image input is not supported - hint: you may need to provide the mmproj"))
    assert "does not support this request" in failure(model, ModelError).what


def test_a_busy_server_is_asked_again_and_that_is_told(serve):
    notices: list[str] = []
    _, model = serve(refusal(503, "Loading model"), stream(*HELLO), notices=notices)
    assert said(model) == "Hello"
    assert notices == ["The server is busy. Trying again in 0 s (1 of 2)."]


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_proxy_without_its_server_is_asked_again_then_told(serve, status):
    away = answer(status, "<html><title>Bad Gateway</title></html>", "text/html")
    server, model = serve(away, stream(*HELLO))
    assert said(model) == "Hello"
    server, model = serve(away)
    assert failure(model, ServerFailedError).why.endswith(", text/html.")
    assert len(server.asked) == 3


def test_a_list_that_a_proxy_keeps_back_is_asked_for_again(serve):
    away = answer(502, "<html>", "text/html")
    _, model = serve(paths={"/v1/models": [away, models({"id": "m"})]})
    assert model.get_info().name == "m"


def test_a_server_that_names_its_time_is_waited_for_once(serve):
    notices: list[str] = []
    server, model = serve(limited(429, "Retry-After: 0"), notices=notices)
    assert "is rate-limiting requests" in failure(model, ServerFailedError).what
    assert notices == ["The server is rate-limiting requests. Trying again in 0 s, as it asked."]
    assert len(server.asked) == 2


@pytest.mark.parametrize("time", ["3600", "Fri, 31 Dec 2199 23:59:59 GMT", "inf"])
def test_a_server_that_wants_long_is_not_waited_for(serve, time):
    server, model = serve(limited(429, f"Retry-After: {time}"))
    failure(model, ServerFailedError)
    assert len(server.asked) == 1


def test_nothing_listens():
    model = OpenAI("m", EngineSettings(host="http://127.0.0.1:9"))
    error = failure(model, ServerUnreachableError)
    assert error.what == "No model server at http://127.0.0.1:9/v1 (connection refused)."
    with pytest.raises(ServerUnreachableError, match="connection refused"):
        model.get_info()


def test_the_key_is_sent_and_never_told(serve, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-secret")
    server, model = serve(refusal(401, "wrong key"), limits={"key_env": "MY_KEY"})
    error = failure(model, ServerFailedError)
    assert server.asked[0].headers["authorization"] == "Bearer sk-secret"
    assert "export MY_KEY=" in error.remedy
    assert "sk-secret" not in f"{error}{model.settings}{vars(model)}"


def test_a_key_that_no_header_can_hold_is_told_without_it(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "two\nlines")
    with pytest.raises(UsageError, match="OPENAI_API_KEY cannot be sent"):
        OpenAI("m", EngineSettings(host="http://127.0.0.1:9"))


@pytest.mark.parametrize(
    ("host", "sent"),
    [
        ("https://api.example.com/v1", True),
        ("http://127.0.0.1:1234", True),
        ("http://192.168.1.5:1234", True),
        ("http://api.example.com/v1", False),
        ("http://8.8.8.8:8000", False),
    ],
)
def test_a_key_goes_nowhere_unencrypted_but_in_the_home_network(host, sent):
    assert may_hold_key(resolve_base_address(host)) is sent


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("http://127.0.0.1:1234", "http://127.0.0.1:1234/v1"),
        ("http://127.0.0.1:1234/", "http://127.0.0.1:1234/v1"),
        ("http://127.0.0.1:1234/v1/", "http://127.0.0.1:1234/v1"),
        ("https://api.example.com/openai/v1", "https://api.example.com:443/openai/v1"),
        ("localhost:8080", "http://localhost:8080/v1"),
    ],
)
def test_an_address_is_taken_as_it_is_and_without_a_path_as_the_standards(host, url):
    assert resolve_base_address(host).url == url


def test_nothing_is_sent_where_no_server_was_named(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="No server is set for openai:m"):
        open_model("openai:m", EngineSettings())
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1234/v1")
    assert OpenAI("m", EngineSettings()).address.port == 1234


PROPS = {
    "default_generation_settings": {"n_ctx": 2048},
    "build_info": "b6000",
    "modalities": {"vision": True},
}
LMSTUDIO = {"data": [{"id": "m", "type": "vlm", "max_context_length": 32768, "loaded_context_length": 4096}]}


@pytest.mark.parametrize(
    ("entry", "paths", "told"),
    [
        ({"max_model_len": 8192}, {}, (8192, "vLLM", True, True)),
        ({"meta": {"n_ctx_train": 32768}}, {"/props": PROPS}, (2048, "llama.cpp b6000", True, True)),
        ({"meta": {"n_ctx_train": 32768}}, {}, (32768, "", False, True)),
        ({}, {"/api/v0/models": LMSTUDIO}, (4096, "LM Studio", True, True)),
        (
            {},
            {"/api/ps": {"models": [{"name": "m", "context_length": 16384}]}},
            (16384, "Ollama", True, True),
        ),
        ({}, {"/api/ps": {"models": []}}, (4096, "Ollama", True, True)),
        ({"context_length": 131072}, {}, (131072, "", False, True)),
        ({"context_length": "many"}, {"/props": {"rubbish": []}}, (0, "", False, True)),
        ({}, {}, (0, "", False, True)),
        ({}, {"/props": {**PROPS, "modalities": {"vision": False}}}, (2048, "llama.cpp b6000", True, False)),
    ],
)
def test_what_a_server_tells_of_its_model_is_found(serve, entry, paths, told):
    acts = {path: [answer(200, json.dumps(each))] for path, each in paths.items()}
    _, model = serve(paths={"/v1/models": [models({"id": "m", **entry})], **acts})
    about = model.get_info()
    assert (about.context, about.version, about.schemas, about.has_vision) == told


def test_a_server_without_a_list_of_models_is_taken_at_its_word(serve):
    _, model = serve(paths={"/v1/models": [NO_LIST]})
    assert model.get_info().name == "m"


@pytest.mark.parametrize(
    ("act", "kind", "word"),
    [
        (refusal(401), ServerFailedError, "requires an API key"),
        (answer(200, "<html>", "text/html"), ServerFailedError, "is not an OpenAI-style server"),
        (answer(200, "[]"), ServerFailedError, "is not an OpenAI-style server"),
        (models({"id": "mm"}), ModelError, "Model 'm' is not on this server"),
        (models(), ModelError, "Model 'm' is not on this server"),
    ],
)
def test_what_is_wrong_is_told_before_the_first_request(serve, act, kind, word):
    _, model = serve(paths={"/v1/models": [act]})
    with pytest.raises(kind, match=word):
        model.get_info()


def test_the_context_is_the_servers_and_more_is_not_given(serve):
    notices: list[str] = []
    _, model = serve(notices=notices, paths={"/v1/models": [models({"id": "m", "max_model_len": 4096})]})
    model.get_info()
    assert (model.set_context(16384), model.set_context(2048)) == (4096, 2048)
    assert notices == [
        "The server gives the model 4 096 tokens of context, not 16 384; change that on the server."
    ]


def test_dropped_messages_are_told(serve):
    notices: list[str] = []
    short = b"data: " + json.dumps({"choices": [], "usage": {"prompt_tokens": 3}}).encode() + b"\n\n"
    _, model = serve(stream(*HELLO), stream(event("Hello"), STOP, short), notices=notices)
    said(model)
    said(model, [*HI, Message("assistant", "Hello"), Message("user", "more")])
    assert [line.partition(".")[0] for line in notices] == ["The server silently dropped old messages"]
