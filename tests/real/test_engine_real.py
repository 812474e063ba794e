from __future__ import annotations

import json

import pytest

from tripletick.errors import ContextFullError, ModelError
from tripletick.messages import Message
from tripletick.models import EngineSettings
from tripletick.models.model import Sampling
from tripletick.models.ollama import Ollama

SHORT = Sampling(output=8)
LONG = "The quick brown fox jumps over the lazy dog, and the dog does not mind it at all. " * 20


@pytest.fixture
def model(ollama):
    made = Ollama(ollama.model, EngineSettings(host=ollama.host))
    made.set_context(2048)
    return made


def reply(model, messages, sampling=SHORT):
    """The text and the counts of one reply."""
    chunks = list(model.stream(messages, sampling))
    return "".join(chunk.text for chunk in chunks), chunks[-1].counts


def user(text):
    return Message("user", text)


def seconds_a_token(counts):
    return counts.prompt_seconds / counts.prompt


def test_a_reply_streams_and_ends_with_counts(model):
    chunks = list(model.stream([user("Say hi")], SHORT))
    assert len(chunks) > 2
    assert (chunks[-1].finish, chunks[-1].counts.output) == ("length", 8)
    assert chunks[-1].counts.prompt > 5


def test_a_further_turn_is_read_from_the_cache(model):
    first = [user("One. " + LONG)]
    text, cold = reply(model, first)
    _, warm = reply(model, [*first, Message("assistant", text), user("Go on.")])
    assert warm.prompt > cold.prompt
    assert seconds_a_token(warm) < seconds_a_token(cold) / 2


def test_a_changed_first_character_makes_the_server_read_everything_again(model):
    _, cold = reply(model, [user("Two. " + LONG)])
    _, warm = reply(model, [user("Two. " + LONG)])
    _, changed = reply(model, [user("two. " + LONG)])
    assert seconds_a_token(warm) < seconds_a_token(cold) / 2
    assert seconds_a_token(changed) > seconds_a_token(warm) * 2


def test_a_stopped_reply_leaves_the_server_free(ollama, model):
    long = {"type": "array", "items": {"type": "integer"}, "minItems": 1000}
    pieces = model.stream([user("Count.")], Sampling(output=8192, schema=long))
    next(pieces)
    pieces.close()
    hasty = Ollama(ollama.model, EngineSettings(host=ollama.host, first_timeout=15))
    hasty.set_context(2048)
    assert reply(hasty, [user("Say hi")])[1].output == 8


def test_a_prompt_that_is_too_long_is_refused_and_not_cut(model):
    with pytest.raises(ContextFullError) as caught:
        reply(model, [user("word " * 3000)])
    assert caught.value.available == 2048


def test_a_missing_model_names_the_one_that_is_there(ollama):
    with pytest.raises(ModelError, match="Closest: smol:latest"):
        reply(Ollama("smoll", EngineSettings(host=ollama.host)), [user("hi")])


def test_the_context_asked_for_is_the_context_got(model):
    model.set_context(1024)
    reply(model, [user("hi")])
    assert model.find_loaded().context == 1024


def test_the_model_tells_what_it_is(ollama, model):
    about = model.get_info()
    assert (about.context, about.thinks, about.where) == (8192, False, ollama.host)
    assert about.parameters > 100_000_000
    assert model.list_names() == ("smol:latest",)


def test_an_answer_can_be_held_to_a_schema(model):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    text, _ = reply(model, [user("A number?")], Sampling(output=60, schema=schema, think=True))
    assert isinstance(json.loads(text)["n"], int)
