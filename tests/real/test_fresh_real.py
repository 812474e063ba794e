"""A fresh start on a real engine: what it has read already of the request is not read again."""

from __future__ import annotations

import os
from dataclasses import replace
from importlib.util import find_spec

import pytest
from tests.real.ollama_server import CannotServe, small_model

from tripletick.events import Answered
from tripletick.models.embedded import EmbeddedModel
from tripletick.models.model import Sampling
from tripletick.models.ollama_store import ModelFiles

FAILS = [f"```bash\nseq {n} {n + 40}; exit {n}\n```" for n in (1, 2, 3)]


class Read:
    """Has a real engine read what the loop sends, and answers from a script, with the engine's counts."""

    def __init__(self, script, engine):
        self.script, self.engine, self.counts = script, engine, []

    def __getattr__(self, name):
        return getattr(self.script, name)

    def stream(self, messages, sampling):
        *_, last = self.engine.stream(messages, Sampling(output=1))
        self.counts.append(last.counts)
        for chunk in self.script.stream(messages, sampling):
            yield replace(chunk, counts=last.counts) if chunk.counts else chunk


@pytest.fixture
def engine(tmp_path):
    try:
        if not find_spec("xllamacpp"):
            raise CannotServe("xllamacpp is not installed")
        made = EmbeddedModel(ModelFiles("smol", small_model()))
    except CannotServe as error:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(str(error))
    made.set_context(4096)
    yield made
    made.close()


def test_the_prefix_of_the_request_is_served_from_the_cache(session, engine, report):
    it = session(*FAILS, "Done.", window=4096)
    it.model = Read(it.model, engine)
    it.__post_init__()
    assert it.play("Count to forty. " * 20)[-1] == Answered("Done.")
    first, *_, anew = it.model.counts
    report(f"fresh start: {anew.cached} of {first.prompt} tokens of the request came from the cache")
    assert anew.prompt < it.model.counts[2].prompt
    assert anew.cached >= 0.95 * first.prompt
