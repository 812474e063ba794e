"""The proxy that keeps a server's replies for the next run of a bench."""

import urllib.error
import urllib.request
from contextlib import closing

import pytest
from bench.reply_cache import EVENTS, load_reply, serve_cached
from tests.bad_server import DRIP, BadServer, Trick, answer, stream

ASK = "/v1/chat/completions"
PIECES = [b"data: %d\n" % number for number in range(3)]


def post(address, body=b'{"a": 1}'):
    return urllib.request.urlopen(urllib.request.Request(f"{address}{ASK}", body), timeout=100)


@pytest.fixture
def kept(tmp_path):
    return tmp_path / "replies"


def test_a_request_is_asked_once(kept):
    with BadServer({ASK: [stream(*PIECES), answer(200, "other")]}) as server:
        for _ in range(2):
            with serve_cached(server.url, kept) as address, post(address) as reply:
                assert reply.headers["Content-Type"] == "application/x-ndjson"
                assert reply.read() == b"".join(PIECES)
        with serve_cached(server.url, kept) as address, post(address, b'{"a": 2}') as reply:
            assert reply.read() == b"other"
        assert [asked.body for asked in server.asked] == [{"a": 1}, {"a": 2}]


def test_a_client_that_waits_for_what_was_not_kept_hears_of_it(kept):
    lines = [b"data: %d\n\n" % number for number in range(999)]
    slowly: list[bytes | Trick] = [part for piece in stream(*lines, kind=EVENTS) for part in (piece, DRIP)]
    with BadServer({ASK: [slowly, stream(*lines, kind=EVENTS)]}) as server:
        with serve_cached(server.url, kept) as address, closing(post(address)) as reply:
            assert reply.readline() == lines[0][:-1]
        with serve_cached(server.url, kept) as address, post(address) as reply:
            said = reply.read()
        assert said.replace(b": kept\n\n", b"") == b"".join(lines)
        assert b": kept" in said


def test_what_is_not_a_reply_is_not_kept(kept):
    acts = {ASK: [answer(500, "no"), answer(200, "yes")], "/v1/models": [answer(200, "1"), answer(200, "2")]}
    with BadServer(acts) as server, serve_cached(f"{server.url}/v1", kept) as address:
        assert address.endswith("/v1")
        for said in (b"1", b"2"):
            assert urllib.request.urlopen(f"{address}/models", timeout=100).read() == said
        with pytest.raises(urllib.error.HTTPError):
            post(address.removesuffix("/v1"))
        assert post(address.removesuffix("/v1")).read() == b"yes"


def test_a_reply_that_was_broken_off_is_kept_as_far_as_it_came(kept):
    lines = [b"data: %d\n" % number for number in range(999)]
    slowly: list[bytes | Trick] = [part for piece in stream(*lines) for part in (piece, DRIP)]
    with BadServer({ASK: [slowly, stream(*lines)]}) as server:
        with serve_cached(server.url, kept) as address, closing(post(address)) as reply:
            assert [reply.readline() for _ in range(2)] == lines[:2]
        [name] = kept.iterdir()
        part = load_reply(name)
        assert part
        assert not part.whole
        assert list(part.lines) == lines[: len(part.lines)]
        with serve_cached(server.url, kept) as address, closing(post(address)) as reply:
            assert [reply.readline() for _ in range(2)] == lines[:2]
        assert len(server.asked) == 1
        with serve_cached(server.url, kept) as address, post(address) as reply:
            assert reply.read() == b"".join(lines)
        assert len(server.asked) == 2
        whole = load_reply(name)
        assert whole
        assert whole.whole
