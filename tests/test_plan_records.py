"""A plan in the log: written, told in transcripts and exports, counted, and gone on with."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from tripletick.event_log import session_log
from tripletick.event_log.session_log import SessionLog
from tripletick.events import (
    Answered,
    Called,
    GaveUp,
    InTask,
    Interrupted,
    Notice,
    Output,
    PlanChanged,
    Requested,
    Returned,
    Routed,
    TakenBack,
    Text,
    Thought,
    Usage,
)
from tripletick.history import export
from tripletick.history.history import rebuild
from tripletick.messages import Call, Counts, FileChange, Result, Task
from tripletick.system.turn_summary import TurnSummary

ONE = Task("1", "explorer", "find <it>")
TWO = Task("2", "coder", "change it", ("1",))
MADE = (FileChange("a.py", "created"),)
RUNS = (replace(ONE, status="running"), TWO)
DONE = (replace(ONE, status="done", result="It is there.", files=MADE), TWO)
LS = Call("bash", "ls")
TURN = (
    Requested("find it and change it"),
    Routed("planner"),
    PlanChanged((ONE, TWO)),
    PlanChanged(RUNS),
    InTask("1", "explorer", Text("I look.\n")),
    InTask("1", "explorer", Called(LS, 1, 1)),
    InTask("1", "explorer", Output("a.py\n")),
    InTask("1", "explorer", Returned(LS, Result("ok", "ok", "a.py"), 1)),
    InTask("1", "explorer", Usage(Counts(10, 5), 4096)),
    InTask("1", "explorer", Answered("It is there.")),
    PlanChanged(DONE),
)


@pytest.fixture
def records(tmp_path):
    def write(*events):
        log = SessionLog.open(tmp_path / "sessions", workspace=tmp_path)
        for event in events:
            log.write_event(event)
        log.close()
        assert log.path
        return session_log.read_records(log.path).records

    return write


def test_pieces_of_tasks_that_talk_at_once_are_joined_for_each(records):
    said = [InTask(task, "coder", Text(piece)) for piece in ("a ", "b ", "c") for task in "12"]
    told = [one for one in records(*said) if one["event"] == "InTask"]
    assert [(one["task"], one["inner"]) for one in told] == [
        (task, {"event": "Text", "text": "a b c"}) for task in "12"
    ]


def test_what_comes_of_one_task_does_not_break_the_line_of_another(records):
    events = (InTask("1", "a", Text("x ")), InTask("2", "b", Notice("!")), InTask("1", "a", Text("y")))
    told = [one["inner"].get("text") for one in records(*events) if one["event"] == "InTask"]
    assert told == ["!", "x y"]


def test_reasoning_and_text_of_a_task_stay_apart(records):
    events = (InTask("1", "a", Thought("hm")), InTask("1", "a", Text("x")), InTask("1", "a", Thought("so")))
    assert [one["inner"]["event"] for one in records(*events)[1:]] == ["Thought", "Text", "Thought"]


def test_a_transcript_has_the_plan_and_under_each_task_what_was_done(records):
    text = export.markdown(records(*TURN, Text("Done:\n"), GaveUp("plan", "Not all is done.")))
    order = [
        "## @planner",
        "**Plan: 2 tasks**",
        "1 explorer: find <it>\n  2 coder: change it  (needs 1)",
        "### 1 explorer: find <it>",
        "I look.",
        "*bash ok*",
        "**Plan: 1 of 2 done**",
        "1 explorer, done: find <it>",
        "Done:",
        "**Not all is done.**",
    ]
    places = [text.index(part) for part in order]
    assert all(first < then for first, then in pairwise(places))


def test_tasks_side_by_side_are_told_one_after_the_other(records):
    both = (replace(ONE, status="running"), replace(TWO, needs=(), status="running"))
    said = [InTask(task, "x", Text(f"{task} says {word}.\n")) for word in ("a", "b") for task in "12"]
    done = tuple(replace(task, status="done") for task in both)
    text = export.markdown(records(Requested("x"), PlanChanged(both), *said, PlanChanged(done)))
    assert text.index("1 says b.") < text.index("### 2 coder") < text.index("2 says a.")


def test_a_page_shows_the_plan_and_its_tasks_escaped(records):
    page = export.html(records(*TURN, Interrupted("")))
    assert "<h3>1 explorer: find &lt;it&gt;</h3>" in page
    assert "Plan: 1 of 2 done" in page and "find <it>" not in page


def test_json_has_the_events_of_tasks_as_they_are(records):
    events = json.loads(export.as_json(records(*TURN)))["events"]
    inner = [one["inner"]["event"] for one in events if one["event"] == "InTask"]
    assert inner == ["Text", "Called", "Output", "Returned", "Usage", "Answered"]


def test_a_plan_that_was_broken_off_is_known_when_its_session_is_gone_on_with(records):
    plan = rebuild(records(*TURN[:5])).plan
    assert plan.tasks == (ONE, TWO)
    assert rebuild(records(*TURN)).plan.tasks == DONE


@pytest.mark.parametrize("later", [Requested("something else"), TakenBack("start"), PlanChanged(())])
def test_a_plan_that_was_left_is_not_gone_on_with(records, later):
    assert rebuild(records(*TURN, later)).plan.tasks == ()


@pytest.mark.parametrize(
    "damage",
    [{"status": "odd"}, {"id": 3}, {"files": None}, {"more": 1}, {"needs": [1]}, {"id": "1", "needs": ["1"]}],
)
def test_a_damaged_plan_is_none(records, damage):
    known = records(*TURN[:3])
    known[-1]["tasks"][1] |= damage
    assert rebuild(known).plan.tasks == ()
    assert "find it and change it" in export.markdown(known)


def test_the_counts_of_tasks_are_those_of_the_turn():
    told = TurnSummary()
    for event in (*TURN, Answered("All done.")):
        told.add_event(event)
    whole = told.to_dict()
    assert (whole["answer"], whole["agent"], whole["steps"], whole["blocks"]) == (
        "All done.",
        "planner",
        1,
        1,
    )
    assert whole["usage"]["output"] == 5
    assert whole["tasks"][0] == {
        "id": "1",
        "agent": "explorer",
        "task": "find <it>",
        "needs": (),
        "status": "done",
        "result": "It is there.",
        "files": [{"path": "a.py", "action": "created"}],
    }
