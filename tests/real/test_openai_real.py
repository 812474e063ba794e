"""Real servers of OpenAI's kind: llama.cpp's own, as xllamacpp brings it, and Ollama's /v1."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest
from tests.real.ollama_server import CannotServe, small_model

from tripletick.errors import ContextFullError, ModelError, ServerFailedError
from tripletick.messages import Message, Picture
from tripletick.models import EngineSettings
from tripletick.models.model import Sampling
from tripletick.models.openai import OpenAI

SERVE = """
import sys, xllamacpp
made = xllamacpp.CommonParams()
made.model.path, made.n_ctx, made.n_parallel, made.port = sys.argv[1], 2048, 1, 0
made.hostnames, made.verbosity, made.warmup, made.ctx_shift = ["127.0.0.1"], -1, False, False
server = xllamacpp.Server(made)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
HI = [Message("user", "Say hello.")]
SHORT = Sampling(output=8)
LONG = [Message("user", "The quick brown fox jumps over the lazy dog. " * 1200)]
ONE_OF = {"type": "object", "properties": {"pet": {"enum": ["cat", "dog"]}}, "required": ["pet"]}
SCHEMA = Sampling(output=32, schema=ONE_OF)


@pytest.fixture(scope="module")
def llamacpp():
    try:
        if not find_spec("xllamacpp"):
            raise CannotServe("xllamacpp is not installed")
        gguf = small_model()
    except CannotServe as error:
        # where everything was set up on purpose, a missing server is a failure and no excuse
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(str(error))
    command = [sys.executable, "-c", SERVE, str(gguf)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        yield server.stdout.readline().strip()
        server.kill()


@pytest.fixture(params=["llamacpp", "ollama"])
def served(request):
    """Open the small model on each server."""
    found = request.getfixturevalue(request.param)
    host, name = (found, "") if request.param == "llamacpp" else (found.host, f"{found.model}:latest")
    settings = EngineSettings(host=host)
    model = OpenAI(name or OpenAI("", settings).list_names()[0], settings)
    yield model
    model.close()


def test_a_reply_streams_and_is_counted(served):
    served.get_info()
    chunks = list(served.stream(HI, SHORT))
    last = chunks[-1]
    assert "".join(chunk.text for chunk in chunks).strip()
    assert (last.finish, last.counts.output) in {("length", 8), ("stop", last.counts.output)}
    assert last.counts.prompt > 8


def test_it_tells_its_context_its_program_and_that_it_keeps_to_schemas(served):
    about = served.get_info()
    assert about.context in (2048, 4096)
    assert about.version.split()[0] in ("llama.cpp", "Ollama")
    assert about.schemas


def test_an_answer_keeps_to_its_schema(served):
    text = "".join(chunk.text for chunk in served.stream([Message("user", "Which pet?")], SCHEMA))
    assert text.replace(" ", "").replace("\n", "") in ('{"pet":"cat"}', '{"pet":"dog"}')


def test_a_missing_model_is_told_with_what_there_is(served):
    with pytest.raises(ModelError, match="is not on this server"):
        OpenAI("absent", served.settings).get_info()


def test_leaving_a_reply_leaves_the_server_ready(served):
    endless = served.stream(HI, Sampling(output=1500, temperature=1.0))
    next(endless)
    endless.close()
    assert list(served.stream(HI, SHORT))[-1].finish


def test_llama_cpp_tells_a_full_context_with_both_numbers(llamacpp):
    model = OpenAI(OpenAI("", EngineSettings(host=llamacpp)).list_names()[0], EngineSettings(host=llamacpp))
    with pytest.raises(ContextFullError) as caught:
        list(model.stream(LONG, SHORT))
    assert caught.value.needed > caught.value.available == 2048


def test_llama_cpp_without_eyes_refuses_a_picture(llamacpp):
    model = OpenAI(OpenAI("", EngineSettings(host=llamacpp)).list_names()[0], EngineSettings(host=llamacpp))
    picture = Picture("a.png", "", "image/png", b"\x89PNG\r\n\x1a\n")
    with pytest.raises((ModelError, ServerFailedError)):
        list(model.stream([Message("user", "look", pictures=(picture,))], SHORT))
    assert not model.get_info().has_vision


def test_the_same_prefix_comes_from_the_cache_and_is_counted(llamacpp):
    model = OpenAI(OpenAI("", EngineSettings(host=llamacpp)).list_names()[0], EngineSettings(host=llamacpp))
    talk = [Message("user", "Tell me of rivers. " * 20)]
    first = list(model.stream(talk, SHORT))
    said = Message("assistant", "".join(chunk.text for chunk in first))
    again = list(model.stream([*talk, said, Message("user", "More.")], SHORT))[-1].counts
    assert again
    assert 60 < (again.cached or 0) < again.prompt
