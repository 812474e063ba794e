from __future__ import annotations

import json

import pytest

from tripletick.errors import ContextFullError, ModelError, StreamCutError
from tripletick.messages import Chunk, Counts, Message
from tripletick.models import EngineSettings, open_model
from tripletick.models.model import Sampling
from tripletick.models.scripted import ScriptedModel, ScriptedReply

HI = [Message("user", "hello")]
SHORT = Sampling(output=64)


def texts(model):
    return ["".join(chunk.text for chunk in model.stream(HI, SHORT)) for _ in range(len(model.replies))]


def opened(tmp_path, name, content):
    (tmp_path / name).write_text(content, encoding="utf-8")
    return open_model(f"scripted:{tmp_path / name}", EngineSettings(size=4))


def test_a_reply_comes_in_pieces_of_the_size_and_ends_with_counts():
    assert list(ScriptedModel("abcdefgh", size=3).stream(HI, SHORT)) == [
        Chunk(text="abc"),
        Chunk(text="def"),
        Chunk(text="gh"),
        Chunk(finish="stop", counts=Counts(prompt=2, output=2)),
    ]


def test_it_keeps_what_it_was_asked_and_tells_that_it_streams():
    model = ScriptedModel("abc", size=1)
    pieces = model.stream(HI, SHORT)
    next(pieces)
    assert model.streaming
    pieces.close()
    assert not model.streaming
    assert (model.asked, model.samplings) == ([HI], [SHORT])


def test_a_used_up_script_says_so():
    with pytest.raises(ModelError, match="The script has no reply left") as caught:
        next(ScriptedModel().stream(HI, SHORT))
    assert caught.value.exit == 5


def test_a_prompt_that_does_not_fit_is_told_with_its_numbers():
    model = ScriptedModel("never said")
    model.set_context(10)
    with pytest.raises(ContextFullError) as caught:
        next(model.stream([Message("user", "x" * 41)], SHORT))
    assert (caught.value.needed, caught.value.available) == (11, 10)
    assert len(model.replies) == 1


def test_a_cut_reply_breaks_off_after_its_text():
    pieces = ScriptedModel(ScriptedReply("half", cut=True), size=10).stream(HI, SHORT)
    assert next(pieces).text == "half"
    with pytest.raises(StreamCutError):
        next(pieces)


def test_json_replies_may_have_thoughts_and_finishes(tmp_path):
    entries = ["one", {"text": "two", "thought": "hm", "finish": "length"}]
    model = opened(tmp_path, "replies.json", json.dumps(entries))
    assert [chunk.text for chunk in model.stream(HI, SHORT)] == ["one", ""]
    thought, text, last = model.stream(HI, SHORT)
    assert (thought.thought, text.text, last.finish) == ("hm", "two", "length")


@pytest.mark.parametrize(
    ("content", "replies"),
    [
        ("one\n---\ntwo\n", ["one", "two"]),
        ("---\none\n\n---\r\ntwo\n---\n", ["one\n", "two"]),
        ("```\na\n```\n--- \nb --- c\n----", ["```\na\n```", "b --- c\n----"]),
        ("one\n---\n---\ntwo", ["one", "", "two"]),
    ],
)
def test_markdown_replies_are_parted_by_lines_of_three_hyphens(tmp_path, content, replies):
    assert texts(opened(tmp_path, "replies.md", content)) == replies


@pytest.mark.parametrize(
    "content",
    ["{", '{"text": "x"}', "[3]", '[{"words": "x"}]', '[{"text": 3}]', '[{"text": "x", "finish": "later"}]'],
)
def test_a_script_of_another_form_is_refused_with_the_form_that_it_needs(tmp_path, content):
    with pytest.raises(ModelError, match="cannot be read") as caught:
        opened(tmp_path, "replies.json", content)
    assert caught.value.why
    assert "thought" in caught.value.remedy


@pytest.mark.parametrize("name", ["missing.md", "folder.md", "bytes.md"])
def test_a_script_that_cannot_be_read_is_an_unreadable_model(tmp_path, name):
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ModelError, match="cannot be read") as caught:
        open_model(f"scripted:{tmp_path / name}")
    assert caught.value.exit == 5
