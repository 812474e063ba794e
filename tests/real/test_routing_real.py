"""A real engine is asked who shall do a request, and reads nothing again that it had read."""

from __future__ import annotations

import os
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise

import pytest
from tests.real.ollama_server import CannotServe, small_model

from tripletick.config.config import Config
from tripletick.event_log.session_log import SessionLog
from tripletick.events import Event, Routed, Usage
from tripletick.messages import Answer
from tripletick.session.session import App
from tripletick.system import dirs

TURNS = 4


@pytest.fixture
def app(tmp_path):
    (tmp_path / "project").mkdir()
    try:
        if not find_spec("xllamacpp"):
            raise CannotServe("xllamacpp is not installed")
        gguf = small_model()
    except CannotServe as error:
        # where everything was set up on purpose, a missing engine is a failure and no excuse
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(str(error))
    base = Config()
    config = replace(
        base,
        model=replace(base.model, name=f"embedded:{gguf}", context=4096, output=48, keep="0s"),
        router=replace(base.router, ask="always"),
    )
    found = dirs.find_dirs()._replace(state=tmp_path / "state")
    opened = App(config, found, tmp_path / "project", SessionLog.open(found.sessions, workspace=tmp_path))
    yield opened
    opened.close()


def play(app, request):
    events: list[Event] = []
    app.run_turn(app.handle_request(request), [events.append], lambda question: Answer(there=False))
    return events


def test_the_question_who_shall_do_it_costs_the_history_no_second_reading(app, report):
    asked, replied = [], []
    for number in range(TURNS):
        events = play(app, f"Tell me something about the sea, number {number}.")
        routed = next(at for at, event in enumerate(events) if isinstance(event, Routed))
        used = [(at, event.counts) for at, event in enumerate(events) if isinstance(event, Usage)]
        asked.append(used[0][1])
        replied.append([counts for at, counts in used if at > routed])
        assert used[0][0] < routed
        assert events[routed].by == "model"
    for (earlier, later), question in zip(pairwise(replied), asked[1:], strict=True):
        # all that had been sent when the turn before ended is served from the cache, both times
        assert (question.cached or 0) >= earlier[-1].prompt
        assert (later[0].cached or 0) >= earlier[-1].prompt
    told = [
        (one.prompt, one.cached, turn[0].prompt, turn[0].cached)
        for one, turn in zip(asked, replied, strict=True)
    ]
    report(f"routing by the model, tokens (question, cached, reply, cached): {told}")
