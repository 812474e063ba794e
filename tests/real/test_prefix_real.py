"""A session of many turns on real engines: what was sent before is not read again."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest
from bench.prefix import BOUND, KINDS, compute_kept_share, format_table, open_session, play_turns
from tests.real.ollama_server import CannotServe, small_model

from tripletick.events import Compacted, Repairing, Requested

TURNS = 12
"""One of each kind, and more than a context of 2 048 tokens holds; bench/prefix.py has thirty of them."""
FEW = 5


@pytest.fixture
def gguf():
    try:
        if not find_spec("xllamacpp"):
            raise CannotServe("xllamacpp is not installed")
        return small_model()
    except CannotServe as error:
        # where everything was set up on purpose, a missing engine is a failure and no excuse
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(str(error))


def test_of_turns_with_changes_failures_and_routing_nearly_nothing_is_read_twice(gguf, tmp_path, report):
    flags = {"model.keep": "0s", "model.context": "2048"}
    with open_session(tmp_path, f"embedded:{gguf}", **flags) as (app, played):
        play_turns(app, played, TURNS)
    report("prefix reuse, embedded:\n" + "\n".join(format_table(played.sent)))
    assert {KINDS[kind] for kind in (Requested, Repairing, Compacted)} <= {one.kind for one in played.sent}
    assert compute_kept_share(played.sent) >= BOUND


def test_a_server_reads_a_session_s_beginning_once(ollama, tmp_path, report):
    with open_session(tmp_path, f"ollama:{ollama.model}", **{"model.host": ollama.host}) as (app, played):
        play_turns(app, played, FEW)
        sent = played.estimate_cached()
    assert [one.prompt for one in sent] == [one.prompt for one in played.sent]
    report(
        f"prefix reuse, Ollama, by its seconds: {compute_kept_share(sent):.1%} kept\n"
        + "\n".join(format_table(sent))
    )
