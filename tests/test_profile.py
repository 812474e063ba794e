"""Where the time of a turn goes: measured by its events, kept as JSON, drawn as a bar."""

import json

import pytest

from tripletick.events import (
    Answered,
    Ask,
    Called,
    Compacting,
    Interrupted,
    Notice,
    Output,
    Prompted,
    Refused,
    Requested,
    Returned,
    Text,
    Thought,
    Usage,
)
from tripletick.messages import Call, Counts, Problem, Result
from tripletick.session.profile import TurnProfiler, append_profile
from tripletick.ui import timing_bar

CALL, DONE = Call("bash", "ls"), Result("ok", "ok")
CUT = Refused(Problem("cut", 0, ""))
CALLED, RETURNED = Called(CALL, 1, 1), Returned(CALL, DONE, 1, 3.0)
COUNTED = Usage(Counts(prompt=90, output=5, load_seconds=1.0, prompt_seconds=2.0), 4096)


def measured(*told):
    """Tell events with the seconds that pass before each; gives the profile of the turn."""
    now = [0.0]
    meter = TurnProfiler(clock=lambda: now[0])
    meter.take_event(Requested("hello"))
    for seconds, event in told:
        now[0] += seconds
        profile = meter.take_event(event)
    return profile


def spent(*told):
    profile = measured(*told)
    assert sum(profile.parts.values()) == pytest.approx(profile.seconds) == sum(each for each, _ in told)
    return {name: round(seconds, 3) for name, seconds in profile.parts.items() if seconds}


TURNS = {
    "what passes before the first piece is parted by what the engine counted": (
        [(1, Prompted(9)), (4, Text("a")), (2, COUNTED), (0, Answered("a"))],
        {"ours": 1, "loading": 1, "reading": 2, "waiting": 1, "writing": 2},
    ),
    "an engine that counts no seconds is waited for": (
        [(0, Prompted(9)), (4, Thought("a")), (2, Usage(Counts(prompt=9), 4096)), (1, Answered("a"))],
        {"waiting": 4, "writing": 2, "ours": 1},
    ),
    "counts that are longer than the wait do not make it longer": (
        [(0, Prompted(9)), (1.5, Text("a")), (0, COUNTED), (1, Answered("a"))],
        {"loading": 1, "reading": 0.5, "ours": 1},
    ),
    "a block is the tools' until it returns, whatever it prints": (
        [(0, CALLED), (1, Output("a")), (1, Notice("b")), (1, RETURNED), (1, Answered("a"))],
        {"tools": 3, "ours": 1},
    ),
    "the person's time to answer is nobody's work": (
        [(0, CALLED), (1, Ask("may it?")), (8, Output("a")), (2, RETURNED), (0, Answered("a"))],
        {"tools": 3, "asking": 8},
    ),
    "a question beside the conversation is the engine's although no event begins it": (
        [(5, Usage(Counts(prompt_seconds=3.0, output_seconds=0.5), 4096, 4.0)), (1, Answered("a"))],
        {"ours": 2, "reading": 3, "waiting": 0.5, "writing": 0.5},
    ),
    "a summary is the engine's": (
        [
            (1, Compacting()),
            (3, Usage(Counts(prompt_seconds=2.0, output_seconds=1.0), 9)),
            (1, Answered("a")),
        ],
        {"ours": 2, "reading": 2, "writing": 1},
    ),
    "a reply that is cut and asked for again counts twice": (
        [(0, Prompted(9)), (1, Text("a")), (1, CUT), (1, Prompted(9)), (2, Text("b")), (1, Answered("b"))],
        {"waiting": 3, "writing": 2, "ours": 1},
    ),
    "a turn that is stopped while the engine reads has waited": (
        [(1, Prompted(9)), (4, Interrupted(""))],
        {"ours": 1, "waiting": 4},
    ),
}


@pytest.mark.parametrize(("told", "parts"), TURNS.values(), ids=TURNS)
def test_every_second_of_a_turn_is_one_part_s(told, parts):
    assert spent(*told) == parts


def test_each_reply_and_each_block_is_told_too():
    profile = measured(
        (0, Prompted(9)), (4, Text("a")), (1, COUNTED), (0, CALLED), (3, RETURNED), (0, Answered(""))
    )
    counts = {"prompt": 90, "cached": None, "output": 5}
    assert profile.replies == ({"loading": 1, "reading": 2, "waiting": 1, "writing": 1, **counts},)
    assert (profile.blocks, profile.summary) == ((("bash", 3.0),), "turn 8.00 s, 1 reply, 1 block")


def test_the_next_turn_begins_at_its_request():
    now = iter([0.0, 0.0, 2.0, 9.0, 9.0, 10.0])
    meter = TurnProfiler(clock=lambda: next(now))
    told = [meter.take_event(event) for event in (Requested("a"), Answered(""), Requested("b"), Answered(""))]
    assert [profile.seconds for profile in told if profile] == [2.0, 1.0]


def test_a_file_gets_a_line_a_turn_and_only_its_owner_reads_it(tmp_path):
    profile, path = measured((2, Answered(""))), tmp_path / "it.profile"
    append_profile(profile, path)
    append_profile(profile, path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["parts"]["ours"] for line in lines] == [2.0, 2.0]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("width", [8, 24, 60, 300])
def test_a_bar_is_as_wide_as_there_is_room_and_its_parts_as_long_as_they_took(width):
    told, *rows = timing_bar.draw_timing({"reading": 3.0, "tools": 0.0, "writing": 1.0}, "turn", width)
    bars = [row for row in rows if row.startswith("|")]
    assert told == "turn" and "reading 3.00 s 75%" in rows[len(bars)] and "tools" not in "".join(rows)
    assert len(bars) == (width >= timing_bar.NARROW)
    for bar in bars:
        assert len(bar) == min(width, timing_bar.WIDEST) - 1 and bar.isascii()
        assert [len(part) + 1 for part in bar.split("|")[1:-1]] == timing_bar.split_proportionally(
            [3, 1], len(bar) - 1
        )


@pytest.mark.parametrize(("values", "whole"), [([1, 1, 1], 100), ([0.001, 9], 50), ([5], 7), ([], 0)])
def test_shares_add_up_to_the_whole(values, whole):
    assert sum(timing_bar.split_proportionally(values, whole)) == whole
