from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import pytest
import requests
from tests.real.ollama_server import CannotServe, create, served, small_model

from tripletick.errors import ContextFullError, ModelError
from tripletick.messages import Message
from tripletick.models import EngineSettings, catalog, llamacpp
from tripletick.models.embedded import EmbeddedModel
from tripletick.models.model import Sampling
from tripletick.models.ollama_store import ModelFiles, find_model
from tripletick.system.cancellation import Cancelled, CancelToken

SHORT = Sampling(output=8)
LONG = "The quick brown fox jumps over the lazy dog, and the dog does not mind it at all. " * 12
ENDLESS = Sampling(output=100_000, schema={"type": "array", "items": {"type": "integer"}, "minItems": 1000})
FORGETTING = f"""
import sys
from pathlib import Path
from tripletick.messages import Message
from tripletick.models import EngineSettings
from tripletick.models.embedded import EmbeddedModel, ModelFiles
from tripletick.models.model import Sampling
engines = Path(sys.argv[2]) if len(sys.argv) > 2 else None
model = EmbeddedModel(ModelFiles("smol", Path(sys.argv[1])), engines, EngineSettings(keep="0s"))
pieces = model.stream([Message("user", "hi")], {ENDLESS})
next(pieces)
"""


def excuse(why):
    # where everything was set up on purpose, a missing engine is a failure and no excuse
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(why)


@pytest.fixture(scope="module")
def gguf():
    if not find_spec("xllamacpp"):
        excuse("xllamacpp is not installed")
    try:
        return small_model()
    except CannotServe as error:
        excuse(str(error))


@pytest.fixture(scope="module")
def pulled(gguf, tmp_path_factory):
    """The store of a real Ollama that has made `smol`, and `agent` with an adapter, and is gone."""
    folder = tmp_path_factory.mktemp("store")
    try:
        with served(folder) as host:
            create(host, "smol", gguf)
            create_adapted(host, "agent", "smol", catalog.ADAPTER)
    except CannotServe as error:
        excuse(str(error))
    return folder / "models"


def create_adapted(host, name, base, adapter):
    digest = "sha256:" + hashlib.sha256(adapter.read_bytes()).hexdigest()
    requests.post(f"{host}/api/blobs/{digest}", data=adapter.read_bytes(), timeout=60).raise_for_status()
    made = {"model": name, "from": base, "adapters": {adapter.name: digest}, "stream": False}
    requests.post(f"{host}/api/create", json=made, timeout=120).raise_for_status()


@pytest.fixture(scope="module", params=["in this process", "shared"])
def model(request, gguf, tmp_path_factory):
    engines = tmp_path_factory.mktemp("engines") if request.param == "shared" else None
    made = EmbeddedModel(ModelFiles("smol", gguf, (catalog.ADAPTER,)), engines, EngineSettings(keep="0s"))
    made.set_context(1024)
    yield made
    made.close()


@pytest.fixture
def opened():
    """Open a file in this process, and unload it after the test."""
    made = []

    def open_file(path, *adapters):
        made.append(EmbeddedModel(ModelFiles("it", path, adapters)))
        return made[-1]

    yield open_file
    for one in made:
        one.close()


def reply(model, messages, sampling=SHORT):
    """The text of one reply and its last chunk."""
    chunks = list(model.stream(messages, sampling))
    return "".join(chunk.text for chunk in chunks), chunks[-1]


def user(text):
    return Message("user", text)


def test_a_chat_that_only_grows_is_read_from_the_cache(model):
    talk = [Message("system", "You help. " + LONG), user("Say hi.")]
    cached = []
    for _ in range(3):
        text, last = reply(model, talk)
        cached.append((last.counts.cached, last.counts.prompt))
        talk += [Message("assistant", text), user("And again.")]
    (cold, first), (warm, second), (hot, third) = cached
    assert cold < 20
    assert first - 5 <= warm < second
    assert second - 5 <= hot < third


def test_a_reply_streams_and_ends_with_counts(model):
    chunks = list(model.stream([user("Count from one to twenty in words.")], SHORT))
    assert len(chunks) > 2
    assert (chunks[-1].finish, chunks[-1].counts.output) == ("length", 8)
    assert [chunk.finish for chunk in chunks[:-1]] == [None] * (len(chunks) - 1)


def test_a_reply_that_is_done_says_so(model):
    _, last = reply(model, [user("Say hi.")], Sampling(output=60))
    assert last.finish == "stop"
    assert last.counts.output_seconds > 0


def fields(piece):
    assert isinstance(piece, str)
    return json.loads(piece)


def all_ended():
    """Wait for what still writes a reply; unread and not stopped, it would wait for ever."""
    threads = [thread for thread in threading.enumerate() if thread.name == "llama.cpp"]
    for thread in threads:
        thread.join(30)
    return not any(thread.is_alive() for thread in threads)


def test_a_reply_closed_in_its_middle_stops_the_model(model):
    pieces = model.stream([user("Count.")], ENDLESS)
    assert next(piece for piece in pieces if not piece.progress).text
    pieces.close()
    assert all_ended()
    assert reply(model, [user("Say hi.")])[1].counts.output <= 8


def test_a_reply_closed_while_its_prompt_is_read_stops_at_the_next_batch(gguf):
    engine = llamacpp.LlamaEngine(llamacpp.LoadPlan(str(gguf), (), 2048))
    request = {"messages": [{"role": "user", "content": "word " * 1200}], "max_tokens": 1}
    pieces = engine.stream_reply(request)
    assert fields(next(pieces))["prompt_progress"]["total"] > 1200
    pieces.close()
    *_, last = engine.stream_reply(request)
    engine.close()
    assert fields(last)["timings"]["cache_n"] < 800


@pytest.fixture(params=["in this process", "shared"])
def pair(request, gguf, tmp_path):
    """Open two slots of one model; the second has a halt."""
    engines = tmp_path / "engines" if request.param == "shared" else None
    first, halt = (
        EmbeddedModel(ModelFiles("smol", gguf), engines, EngineSettings(slots=2, keep="0s")),
        CancelToken(),
    )
    first.set_context(1024)
    yield first, first.fork(1, halt), halt
    first.close()


def test_two_slots_write_side_by_side_and_each_keeps_its_prefix(pair):
    talks = [[user(f"{name}. {LONG} Say hi.")] for name in ("First", "Second")]
    for cached in (0, 50):
        replies = [model.stream(talk, SHORT) for model, talk in zip(pair[:2], talks, strict=True)]
        assert all(next(chunks).text is not None for chunks in replies)
        ends = [list(chunks)[-1].counts for chunks in replies]
        assert all(counts.cached >= cached and counts.prompt > 100 for counts in ends)


def test_a_halt_stops_one_slot_and_the_other_writes_on(pair):
    first, second, halt = pair
    going, stopped = first.stream([user("Count.")], ENDLESS), second.stream([user("Count.")], ENDLESS)
    next(going), next(stopped)
    halt.cancel()
    with pytest.raises(Cancelled):
        list(stopped)
    assert [next(going).text for _ in range(3)]
    going.close()
    assert reply(second, [user("Say hi.")])[1].counts.output <= 8


@pytest.mark.parametrize("shared", [False, True])
def test_a_program_ends_though_nobody_closed_its_reply(gguf, tmp_path, shared):
    command = [sys.executable, "-c", FORGETTING, gguf, *[tmp_path / "engines"] * shared]
    assert subprocess.run(command, capture_output=True, timeout=120, check=True).stdout == b""


def test_a_prompt_that_is_too_long_is_refused_with_numbers(model):
    with pytest.raises(ContextFullError) as caught:
        reply(model, [user("word " * 3000)])
    assert caught.value.needed > 3000
    assert caught.value.available == 1024


def test_a_reply_that_meets_the_end_of_the_context_is_cut_at_its_length(model):
    _, last = reply(model, [user("Count. " + LONG * 4)], ENDLESS)
    assert last.finish == "length"
    assert last.counts.prompt + last.counts.output <= 1025


def test_an_answer_can_be_held_to_a_schema(model):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    text, _ = reply(model, [user("A number?")], Sampling(output=60, schema=schema, think=True))
    assert isinstance(json.loads(text)["n"], int)


def test_the_same_seed_gives_the_same_text(model):
    warm = [Sampling(output=20, temperature=1.5, seed=seed) for seed in (1, 1, 2)]
    reply(model, [user("Tell me a story.")])
    first, again, other = (reply(model, [user("Tell me a story.")], one)[0] for one in warm)
    assert first == again != other


def test_text_that_is_no_unicode_does_not_break_the_request(model):
    assert reply(model, [user("What is \ud800 this?")])[1].finish


def test_an_adapter_changes_what_the_model_says(model, gguf, opened):
    asked = [user("List the files.")]
    assert reply(model, asked, Sampling(output=30))[0] != reply(opened(gguf), asked, Sampling(output=30))[0]


def test_the_model_tells_what_it_is(model, gguf):
    about = model.get_info()
    assert (about.context, about.parameters, about.thinks) == (8192, 134_515_008, False)
    assert (about.engine, about.where) == ("embedded", str(gguf))


def rows(name):
    return [line.split() for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]


def listening():
    """The sockets of this process that wait for somebody: TCP ports, and unix sockets that have a file."""
    ours = {str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()}
    tcp = [row for row in [*rows("tcp"), *rows("tcp6")] if row[3] == "0A" and f"socket:[{row[9]}]" in ours]
    unix = [row for row in rows("unix") if len(row) > 7 and f"socket:[{row[6]}]" in ours]
    return tcp + [row for row in unix if Path(row[7]).exists()]


def test_nothing_of_the_engine_can_be_reached_from_outside(model):
    reply(model, [user("hi")])
    assert listening() == []


def test_a_model_that_was_closed_can_be_loaded_again(gguf, opened):
    model = opened(gguf)
    for _ in range(2):
        assert reply(model, [user("hi")])[1].counts.load_seconds > 0
        model.close()


@pytest.mark.parametrize(("name", "adapters"), [("smol", []), ("agent", [catalog.ADAPTER.stat().st_size])])
def test_a_model_in_ollamas_store_runs_without_its_server(pulled, opened, name, adapters):
    stored = find_model(name, [pulled])
    assert [path.stat().st_size for path in stored.adapters] == adapters
    assert reply(opened(stored.model, *stored.adapters), [user("Say hi.")])[1].counts.output


def test_a_file_cut_off_while_it_was_fetched_is_refused_before_it_is_loaded(gguf, opened, tmp_path):
    (tmp_path / "cut.gguf").write_bytes(gguf.read_bytes()[:50_000_000])
    with pytest.raises(ModelError, match="it is truncated: blk"):
        reply(opened(tmp_path / "cut.gguf"), [user("hi")])


@pytest.mark.parametrize(
    ("swap", "told"),
    [
        ((b"llama", b"xlama"), "unknown model architecture: 'xlama'"),
        ((b"blk.3.ffn_up", b"blk.3.ffn_ux"), "tensor 'blk.3.ffn_up.weight' not found"),
        ((b"{% for", b"{% xor"), "Unknown statement: xor"),
    ],
)
def test_what_llama_cpp_refuses_is_told_in_its_words(gguf, opened, tmp_path, swap, told):
    (tmp_path / "odd.gguf").write_bytes(gguf.read_bytes().replace(*swap))
    with pytest.raises(ModelError, match=told):
        reply(opened(tmp_path / "odd.gguf"), [user("hi")])
