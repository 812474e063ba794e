"""What a plan is: which tasks can run, what is no plan, and the text in which the person edits one."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletick.dialects.fence import FenceDialect
from tripletick.messages import Chunk, FileChange, Result, Task
from tripletick.planner import texts
from tripletick.planner.confirmation import format_tasks, parse_tasks
from tripletick.planner.drafts import build_schema
from tripletick.planner.plan import Plan, describe_surprise
from tripletick.planner.validation import PlanRules, find_cycle, read_tasks

AGENTS = ("coder", "explorer", "file")
RULES = PlanRules(AGENTS)
A, B, C = Task("1", "coder", "a"), Task("2", "coder", "b", ("1",)), Task("3", "file", "c", ("2",))


def task(id, *needs, agent="coder", text=None):
    return {"id": id, "agent": agent, "task": f"do {id}" if text is None else text, "needs": list(needs)}


def faults(*entries, rules=RULES):
    tasks, unread = read_tasks({"tasks": list(entries)}, AGENTS)
    return [fault.text for fault in rules.build_plan(tasks, unread)[1]]


def states(plan):
    return {task.id: task.status for task in plan.tasks}


# running


def test_what_needs_nothing_that_is_not_done_can_begin():
    assert Plan((A, B, C)).list_ready() == (A,)
    assert Plan((replace(A, status="done"), B, C)).list_ready() == (B,)
    assert Plan((replace(A, status="running"), B, C)).list_ready() == ()


@pytest.mark.parametrize("status", ["failed", "skipped"])
def test_what_needs_a_lost_task_is_skipped_and_so_is_what_needs_that(status):
    free = Task("4", "file", "d")
    rest = Plan((replace(A, status=status), B, C, free)).skip_blocked()
    assert states(rest) == {"1": status, "2": "skipped", "3": "skipped", "4": "pending"}
    assert rest.tasks[2].result == "it needs task 2, which was skipped"


def test_a_plan_is_complete_when_each_task_is_done_or_others_do_its_work():
    done = replace(A, status="done")
    assert Plan((done,)).is_complete()
    assert not Plan((done, replace(B, status="failed"))).is_complete()
    assert Plan((done, replace(B, status="failed", replaced=True))).is_complete()


def test_only_a_failed_last_block_and_an_unanswered_question_surprise():
    assert describe_surprise(Result("failed", "failed, exit 1")).endswith("(failed, exit 1)")
    assert describe_surprise(None, unanswered=True)
    for outcome in ("ok", "denied", "forbidden", "skipped"):
        assert not describe_surprise(Result(outcome, outcome))
    assert not describe_surprise(None)


# rules


def test_ids_may_be_numbers_or_words_and_needs_one_alone():
    tasks, unread = read_tasks([task(1), task(2.0, 1), {**task("last one"), "needs": 2}], ["coder"])
    assert [one.id for one in tasks] == ["1", "2", "last_one"]
    assert [one.needs for one in tasks] == [(), ("1",), ("2",)]
    assert RULES.build_plan(tasks, unread)[1] == []


def test_an_agent_may_be_written_as_the_person_does():
    tasks, _ = read_tasks([task(1, agent="@Coder")], AGENTS)
    assert tasks[0].agent == "coder"


@pytest.mark.parametrize(
    ("entries", "wanted"),
    [
        ([], "The plan has no task."),
        ([task(1), task(1)], "The id 1 stands twice."),
        (
            [task(1, agent="painter")],
            "Task 1: there is no agent 'painter'. There are: coder, explorer, file.",
        ),
        ([task(1, agent="coderr")], "Did you mean coder?"),
        ([task(1, agent=None)], "Task 1: there is no agent ''."),
        ([task(1, text=" \n")], "Task 1 says nothing."),
        ([task(1, text=["x"])], "Task 1 says nothing."),
        ([task(1, text="…")], "Task 1 says nothing."),
        ([task(1, text="Look"), task(2, text="look")], "Task 2 says the same as task 1."),
        ([task(1, 2)], "Task 1 needs 2, and there is no such task. There are: none."),
        ([task(1, 1)], "circle: 1, 1."),
        ([task(1, 3), task(2, 1), task(3, 2)], "circle: 1, 3, 2, 1."),
        ([task(None)], "Task '' has no usable id."),
        ([task(True)], "Task '' has no usable id."),
        ([task("a, b")], "has no usable id."),
        ([task("x" * 30)], "has no usable id."),
        ([{**task(1), "needs": {"2": 1}}], 'Task 1: "needs" is a list'),
        ([{**task(1), "needs": [None]}], 'Task 1: "needs" is a list'),
        ([task(n) for n in range(13)], "The plan has 13 tasks, and 12 are the most."),
    ],
)
def test_what_is_wrong_with_a_plan_is_said_so_that_it_can_be_mended(entries, wanted):
    assert any(wanted in fault for fault in faults(*entries))


@pytest.mark.parametrize("given", [None, 3, "x", {}, {"tasks": None}, {"tasks": [1]}, {"plan": []}, [[]]])
def test_what_is_no_list_of_objects_is_no_plan(given):
    (fault,) = read_tasks(given, AGENTS)[1]
    assert fault.text.startswith("This is no plan.")


def test_everything_that_is_wrong_is_said_at_once():
    assert len(faults(task(1, 9, agent="x", text=""), task(1))) == 4


def test_twelve_tasks_are_a_plan():
    assert faults(*(task(n) for n in range(12))) == []


def test_needs_that_stand_twice_count_once():
    tasks, _ = read_tasks([task(1), task(2, 1, "1")], AGENTS)
    assert tasks[1].needs == ("1",)


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [
        (task("1", text="otherwise"), "Task 1 is done and cannot be changed."),
        (
            task("2", text="otherwise"),
            "Task 2 failed and stays so. Give what is tried instead an id of its own",
        ),
        (task("9", "2"), "Task 9 needs task 2, which failed."),
    ],
)
def test_what_is_over_is_not_changed_and_nothing_new_needs_what_failed(entry, wanted):
    kept = (replace(A, status="done"), replace(B, status="failed"))
    assert any(fault.startswith(wanted) for fault in faults(entry, rules=replace(RULES, kept=kept)))


def test_tasks_that_are_over_may_be_repeated_and_needed():
    kept = (replace(A, status="done"), replace(B, status="failed"))
    again = [task("1", text="a"), task("2", "1", text="b"), task("9", "1")]
    tasks, _ = read_tasks(again, AGENTS)
    plan, found = replace(RULES, kept=kept).build_plan(tasks)
    assert found == []
    assert plan.tasks == (*kept, Task("9", "coder", "do 9", ("1",)))


@given(st.lists(st.tuples(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=4)), max_size=8))
def test_a_circle_is_found_exactly_where_a_task_leads_back_to_itself(edges):
    tasks = [Task(str(n), "coder", "x", tuple(map(str, needs))) for n, needs in dict(edges).items()]
    circle = find_cycle(tasks)
    known = {task.id: task.needs for task in tasks}
    assert all(then in known[now] for now, then in pairwise(circle))
    reached = {id: set(needs) for id, needs in known.items()}
    for _ in known:
        reached = {
            id: all_of.union(*(reached.get(one, ()) for one in all_of)) for id, all_of in reached.items()
        }
    assert bool(circle) == any(id in all_of for id, all_of in reached.items())


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["id", "agent", "task", "needs", "tasks"]), inner)
        ),
    )
)
def test_no_json_breaks_the_reading(given):
    tasks, unread = read_tasks(given, AGENTS)
    plan, found = RULES.build_plan(tasks, unread)
    assert found or all(task.id and task.task and task.agent in AGENTS for task in plan.tasks)


def test_the_schema_asks_for_what_the_reading_takes():
    form = build_schema(AGENTS)
    assert json.loads(json.dumps(form)) == form
    entry = form["properties"]["tasks"]["items"]
    assert entry["required"] == ["id", "agent", "task", "needs"]
    assert build_schema(AGENTS, change=True)["required"] == ["decision", "tasks"]


# editing


def test_a_plan_is_a_line_a_task():
    assert format_tasks((A, B)).splitlines()[2:] == ["1 coder: a", "2 coder: b  (needs 1)"]


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1, max_size=30)


@given(st.lists(st.tuples(TEXT, st.sampled_from(AGENTS)), min_size=1, max_size=6))
def test_what_was_not_edited_is_the_same_plan(entries):
    tasks = [
        Task(str(n), agent, f"x{n} {' '.join(text.split())}".strip(), (str(n - 1),) * bool(n))
        for n, (text, agent) in enumerate(entries)
    ]
    assert parse_tasks(format_tasks(tasks), RULES) == (Plan(tuple(tasks)), [])


@pytest.mark.parametrize("words", ["say (needs care)", "go on\nand on", "x: y", "# no comment"])
def test_words_that_look_like_our_own_signs_stay_words(words):
    task = Task("1", "coder", words)
    assert parse_tasks(format_tasks([task]), RULES) == (Plan((task,)), [])


@pytest.mark.parametrize("words", ["write this:\ndef f():\n    return 1", "a\u2028b", "a\x0cb", "a\x85b"])
def test_a_task_that_nobody_edits_keeps_its_indentation_and_every_character(words):
    task = replace(A, task=words)
    assert parse_tasks(format_tasks([task, B]), RULES) == (Plan((task, B)), [])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1 coder: a\n\n# note\n2 codr: b", "Line 4: Task 2: there is no agent 'codr'."),
        ("1 coder: a\nnonsense\n3 coder: c", "Line 2: Expected: ID AGENT"),
        ("  and more\n1 coder: a", "Line 1: There is no task above"),
        ("1 coder: a\n2 coder: b\n  more  (needs 7)", "Line 2: Task 2 needs 7"),
        ("1 coder:", "Line 1: Task 1 says nothing."),
        ("# nothing", "The plan has no task."),
        ("1 coder: a  (needs 2)\n2 coder: b  (needs 1)", "need each other in a circle"),
    ],
)
def test_a_complaint_names_the_line(text, wanted):
    assert any(wanted in fault for fault in parse_tasks(text, RULES)[1])


def test_needs_are_parted_by_commas_or_blanks():
    plan, _ = parse_tasks("1 coder: a\n2 coder: b\n3 @file: c (needs 1 2)\n4 coder: d (needs 1, 2,3)", RULES)
    assert [task.needs for task in plan.tasks] == [(), (), ("1", "2"), ("1", "2", "3")]


# words


def test_the_answer_names_what_was_done_what_not_and_the_files():
    done = replace(A, status="done", result="It is\nthere.", files=(FileChange("a.py", "created"),))
    odd = replace(B, status="done", surprise="its question was not answered")
    text = texts.format_answer(Plan((done, odd, replace(C, status="failed", result="no time"))))
    assert text == (
        "Done:\n- 1 coder: a\n  It is\n  there.\n- 2 coder: b (its question was not answered)\n\n"
        "Not done:\n- 3 file: c (failed: no time)\n\nFiles:\na.py (created)"
    )


def test_a_long_result_is_cut_in_its_middle():
    text = texts.clip_middle("begin " + "x" * 5000 + " end")
    assert len(text) < 420 and text.startswith("begin") and text.endswith("end")


def test_the_places_of_a_question_are_filled_once_whatever_the_tasks_say():
    asked = texts.PlannerQuestions("", "{tasks}\n{agents} {most}").format_replan_request(
        Plan((replace(A, task="{agents}"),)), [], 12
    )
    assert "{agents}" in asked.splitlines()[0]


def test_a_json_block_of_a_reply_is_what_the_reader_of_fences_finds():
    reader = FenceDialect().make_reader(("json",))
    for _ in reader.feed(Chunk(text="```json\n{}\n```\n")):
        pass
    assert [call.body for call in reader.close().calls] == ["{}"]
