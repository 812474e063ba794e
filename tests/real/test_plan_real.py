"""A real engine writes a plan by schema and carries one of two tasks out; how good they are is reported."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest
from tests.planners import open_sitting

from tripletick.events import Answered, GaveUp, InTask, PlanChanged, Usage
from tripletick.messages import Answer, Task
from tripletick.planner.plan import Plan

SEA = Task("1", "casual", "Tell me in one sentence what the sea is.")
RIVER = Task("2", "casual", "Tell me in one sentence what a river is.", ("1",))


@pytest.fixture
def sitting(ollama, tmp_path):
    with ExitStack() as stack:
        engine = {"name": ollama.model, "host": ollama.host, "context": 4096, "output": 200}
        yield stack.enter_context(open_sitting(tmp_path, person=True, model=engine))


def test_the_real_model_answers_in_the_form_of_a_plan(sitting, report):
    events = sitting.play(
        turn=sitting.app.handle_request("Tell me about the sea, then write a poem on it to sea.txt.")
    )
    talk = sitting.app.loop.conversation.entries
    first = next(entry.message.text for entry in talk if entry.message.role == "assistant")
    assert first.startswith("{") and '"tasks"' in first
    assert isinstance(events[-1], Answered | GaveUp)
    plans = [event.tasks for event in events if isinstance(event, PlanChanged) and event.tasks]
    report(f"a plan: {plans[0] if plans else events[-1]}\n  its first words: {first[:300]!r}")


def test_a_plan_of_two_tasks_is_carried_out_by_the_real_engine(sitting, report):
    sitting.app.plan = Plan((SEA, RIVER))
    end = sitting.play(Answer("y"), turn=sitting.app.resume_plan())[-1]
    assert isinstance(end, Answered)
    assert sitting.states() == {"1": "done", "2": "done"}
    assert all(task.result for task in sitting.tasks.values())
    counted = [event.event for event in sitting.events if isinstance(event, InTask)]
    assert sum(isinstance(event, Usage) for event in counted) == 2
    assert end.text.startswith("Done:\n- 1 casual:")
    report(f"two tasks: {json.dumps([task.result for task in sitting.tasks.values()])[:400]}")
