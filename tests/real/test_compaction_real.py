"""A chat that outgrows its context on a real engine, and a model that is loaded before it is asked."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest
import requests

from tripletick.config.config import Config
from tripletick.event_log.session_log import SessionLog
from tripletick.events import Answered, Compacted, Event, GaveUp, Usage
from tripletick.messages import Message
from tripletick.models import EngineSettings
from tripletick.models.model import Sampling
from tripletick.models.ollama import Ollama
from tripletick.session.session import App
from tripletick.system import dirs

FIRST = "My name is Ada and my boat is called Perseverance. Please remember both."
TURNS = 20


@pytest.fixture
def app(ollama, tmp_path):
    (tmp_path / "project").mkdir()
    model = replace(Config().model, name=ollama.model, host=ollama.host, context=1024, output=96)
    config = replace(Config(), model=model, agent=replace(Config().agent, name="casual"))
    found = dirs.find_dirs()._replace(state=tmp_path / "state")
    opened = App(config, found, tmp_path / "project", SessionLog.open(found.sessions, workspace=tmp_path))
    yield opened
    opened.close()


def play(app, request):
    events: list[Event] = []
    app.run_turn(app.handle_request(request), [events.append], lambda question: None)
    return events


def test_twenty_turns_in_a_small_context_all_hold_the_first_request(app, report):
    events = play(app, FIRST)
    sent = []
    for number in range(1, TURNS):
        events += play(app, f"Tell me something about the sea, number {number}.")
        sent.append(app.loop.conversation.build_messages()[1].text)
    made = [event for event in events if isinstance(event, Compacted)]
    used = [event.counts.prompt for event in events if isinstance(event, Usage)]
    assert [event for event in events if isinstance(event, GaveUp)] == []
    assert len([event for event in events if isinstance(event, Answered)]) == TURNS
    assert len(made) > 1
    assert all(FIRST in text for text in sent)
    assert all(event.after < event.before for event in made)
    assert max(used) <= 1024
    summed = sum(bool(event.summary) for event in made)
    report(
        f"compaction: {TURNS} turns at 1024 tokens, {len(made)} times, {summed} with a summary, "
        f"{[(event.before, event.after) for event in made]}"
    )


def test_the_question_for_a_summary_is_read_behind_what_the_engine_has_in_its_cache(app, report):
    for number in range(3):
        events = play(app, f"Tell me something about the sea, number {number}." + " Be quick." * 10)
    cold = next(event.counts for event in events if isinstance(event, Usage))
    events = []
    app.run_turn(app.loop.replies.compact_history(), [events.append], lambda question: None)
    asked = next(event.counts for event in events if isinstance(event, Usage))
    whole = [Message("user", "x " * 400)]
    model = app.loop.replies.model
    read = [chunk.counts for chunk in model.stream(whole, Sampling(output=8))][-1]
    assert asked.prompt > cold.prompt
    assert asked.prompt_seconds / asked.prompt < read.prompt_seconds / read.prompt / 2
    report(f"summary: {asked.prompt} tokens asked in {asked.prompt_seconds:.2f} s")


def test_a_preloaded_model_answers_without_loading(ollama, report):
    requests.post(f"{ollama.host}/api/generate", json={"model": ollama.model, "keep_alive": 0}, timeout=60)
    with closing(Ollama(ollama.model, EngineSettings(host=ollama.host))) as model:
        model.set_context(1536)
        while model.find_loaded():
            # it is being unloaded
            pass
        model.preload()
        while not model.find_loaded():
            # each question to the server waits for its answer
            pass
        hi = [Message("user", "hi")]
        *_, last = model.stream(hi, Sampling(output=8))
        loaded = model.find_loaded()
    assert loaded and last.counts
    assert (loaded.context, last.counts.load_seconds < 1) == (1536, True)
    report(f"preload: the first reply waited {last.counts.load_seconds:.2f} s for loading")
