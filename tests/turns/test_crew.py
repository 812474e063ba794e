"""Tasks of a plan, each a turn of its own agent, side by side: what they do, say, ask, and how they end."""

import threading
from dataclasses import replace

import pytest
from tests.crewing import Seen, open_team, scripted, to

from tripletick.agents.definitions import Agent
from tripletick.events import Answered, Ask, Called, InTask, PlanChanged, Returned
from tripletick.messages import Answer, FileChange, Result, Task
from tripletick.tools.tool import Tool

WRITE = "```write:{0}.txt\n{0}\n```"


@pytest.fixture
def team(tmp_path):
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield lambda *replies, **words: stack.enter_context(open_team(tmp_path, scripted(*replies), **words))


def writes(name):
    return to(f"make {name}", WRITE.format(name), f"{name} is made.")


def task(id, text="", *needs, agent="coder"):
    return Task(id, agent, text or f"make {id}", needs)


def test_tasks_run_when_what_they_need_is_done(team):
    it = team(writes("a"), writes("b"), writes("c"), planner={"parallel": 3})
    done = it.run(task("c", "", "a", "b"), task("a"), task("b", "", "a"))
    assert [done[id].status for id in "abc"] == ["done"] * 3
    ends = [
        event.task for event in it.events if isinstance(event, InTask) and isinstance(event.event, Answered)
    ]
    assert ends == ["a", "b", "c"]


def test_a_task_is_asked_about_an_environment_that_an_earlier_one_has_changed(team):
    change = to("make a", "```bash\nln -sf /bin/true .venv/bin/python\n```", "a.")
    it = team(change, to("make b", "```bash\npip install six\n```", "Then not."), person=True)
    (it.folder / ".venv/bin").mkdir(parents=True)
    asked: list[str] = []

    def answer(question):
        asked.append(question.question)
        return Answer("n")

    it.run(task("a"), task("b", "", "a"), answer=answer)
    assert len(asked) == 1 and "The Python in .venv was created or changed" in asked[0]


def test_a_task_tells_its_answer_and_its_files_and_nobody_elses(team):
    it = team(writes("a"), writes("b"), planner={"parallel": 2})
    done = it.run(task("a"), task("b"))
    assert (done["a"].result, done["b"].result) == ("a is made.", "b is made.")
    assert done["a"].files == (FileChange("a.txt", "created"),)
    assert done["b"].files == (FileChange("b.txt", "created"),)


def test_a_task_is_told_in_short_what_came_of_those_that_it_needs_and_no_history(team):
    it = team(writes("a"), to("use it", "used."))
    it.run(task("a"), task("2", "use it", "a"))
    sent = it.staff.loop.replies.model.asked[-1]
    assert len(sent) == 2
    assert "What came of task a (coder): a is made.\nFiles: a.txt (created)" in sent[1].text
    assert "a is made, says" not in sent[1].text and "print(" not in sent[1].text


def test_each_task_works_as_its_own_agent(team):
    it = team(to("look", "seen."), to("make a", "looked, too."))
    it.run(task("1", "look", agent="explorer"), task("2", "make a"))
    first, second = [asked[1].text for asked in it.staff.loop.replies.model.asked]
    assert (first.startswith("[explorer"), second.startswith("[coder")) == (True, True)


def test_every_change_of_a_status_is_told(team):
    it = team(writes("a"))
    it.run(task("a"))
    told = [event.tasks[0].status for event in it.events if isinstance(event, PlanChanged)]
    assert told == ["running", "done"]


def test_after_a_failure_nothing_new_begins_and_what_runs_is_ended(team):
    """The other one that runs ends only once the plan was told of the failure."""
    failed = threading.Event()

    def wait(call, bench):
        yield from ()
        return Result("ok" if failed.wait(50) else "failed", "ok")

    it = team(
        to("make a", *["```bash\nfalse\n```"] * 5),
        to("make b", "```wait\nfor it\n```", "made."),
        planner={"parallel": 2},
    )
    it.staff.loop = replace(it.staff.loop, tools={**it.staff.loop.tools, "wait": Tool("wait", "", wait)})
    it.staff.agents = {**it.staff.agents, "waiter": Agent("waiter", "card", "", ("wait",))}
    it.events = Seen(lambda event: failed.set() if is_told(event, "failed") else None)
    done = it.run(task("a"), task("b", agent="waiter"), task("c"))
    assert {id: each.status for id, each in done.items()} == {"a": "failed", "b": "done", "c": "pending"}
    assert "Gave up" in done["a"].result


def is_told(event, status):
    """Tell whether an event says of a task that it is so."""
    return isinstance(event, PlanChanged) and any(each.status == status for each in event.tasks)


def test_a_task_that_surprises_is_done_and_nothing_new_begins(team):
    it = team(to("make a", "```bash\nfalse\n```", "all is well."))
    done = it.run(task("a"), task("b"))
    assert (done["a"].status, done["b"].status) == ("done", "pending")
    assert "last block had failed" in done["a"].surprise


def test_a_task_that_the_engine_cannot_answer_fails_and_says_why(team):
    done = team().run(task("a"))
    assert (done["a"].status, done["a"].result) == ("failed", "The script has no reply left. It is script.")


def test_a_task_that_takes_too_long_fails_and_leaves_nothing_running(team):
    it = team(to("make a", "```bash\nsleep 4322\n```"), planner={"task_timeout": 0.7})
    done = it.run(task("a"))
    assert (done["a"].status, done["a"].result[:18]) == ("failed", "stopped after 0.7 ")
    assert [event.result.verdict for event in it.of("a", Returned)] == ["interrupted by the person"]


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_question_of_a_task_comes_under_its_name_and_its_answer_goes_back(team, parallel):
    it = team(
        to("make a", "REQUEST_CLARIFICATION: Which one?", "the blue one."),
        to("make b", "REQUEST_CLARIFICATION: How many?", "three."),
        person=True,
        planner={"parallel": parallel},
    )
    asked = []

    def answer(question):
        asked.append(question.question)
        return Answer("y", "blue" if "Which" in question.question else "3")

    done = it.run(task("a"), task("b"), answer=answer)
    assert sorted(asked) == ["task a (coder): Which one?", "task b (coder): How many?"]
    assert [done[id].result for id in "ab"] == ["the blue one.", "three."]
    told = [sent[-1].text for sent in it.staff.loop.replies.model.asked]
    assert any("blue" in text for text in told) and any("3" in text for text in told)


def test_a_question_without_a_person_fails_the_task(team):
    done = team(to("make a", "REQUEST_CLARIFICATION: Which one?")).run(task("a"))
    assert (done["a"].status, "Which one?" in done["a"].result) == ("failed", True)


def test_a_no_in_one_task_does_not_touch_another_that_runs(team):
    it = team(
        to("make a", "```bash\npip install numpy\n```", "left as it is."),
        to("make b", "```bash\nsleep 0.5; echo b > b.txt\n```", "made."),
        person=True,
        planner={"parallel": 2},
    )
    done = it.run(task("a"), task("b"), answer=lambda question: Answer("n"))
    assert [done[id].status for id in "ab"] == ["done", "done"]
    assert [path.name for path in it.folder.iterdir() if path.suffix] == ["b.txt"]
    assert [event.result.outcome for event in it.of("a", Returned)] == ["denied"]


def test_two_tasks_without_a_box_are_asked_for_one_after_the_other(team):
    it = team(
        writes("a"),
        to("make b", "```bash\necho b > b.txt\n```", "made."),
        person=True,
        planner={"parallel": 2},
        sandbox={"tier": "none"},
    )
    asking = threading.Lock()

    def answer(question):
        assert asking.acquire(blocking=False)
        asking.release()
        return Answer("y")

    done = it.run(task("a"), task("b"), answer=answer)
    assert [done[id].status for id in "ab"] == ["done", "done"]
    assert sum(isinstance(event, Ask) for event in it.events) == 2


def test_the_whole_plan_is_one_turn_of_undo(team):
    it = team(writes("a"), to("make b", "```bash\necho b > b.txt\n```", "made."), planner={"parallel": 2})
    it.run(task("a"), task("b"))
    points = it.staff.loop.checkpoints
    points.end_turn()
    assert {change.path for change in points.changed} == {"a.txt", "b.txt"}
    assert points.undo(ask=lambda line: False).removed == ("a.txt", "b.txt")
    assert not (it.folder / "a.txt").exists()


def test_a_plan_of_which_something_is_done_goes_on_with_the_rest(team):
    it = team(writes("b"))
    done = it.run(Task("a", "coder", "make a", status="done", result="a is made."), task("b", "", "a"))
    assert [done[id].status for id in "ab"] == ["done", "done"]
    assert not it.of("a", Called)


def test_blocks_of_a_reading_agent_run_beside_a_block_that_writes(team):
    it = team(
        to("make a", "```bash\nwhile [ ! -e go ]; do sleep 0.05; done\n```", "made."),
        to("look", "```bash\nls\n```", "seen."),
        planner={"parallel": 2},
    )

    def let_go(event):
        if isinstance(event, InTask) and isinstance(event.event, Returned) and event.task == "2":
            (it.folder / "go").touch()

    it.events = Seen(let_go)
    done = it.run(task("1", "make a"), task("2", "look", agent="explorer"))
    assert [done[id].status for id in "12"] == ["done", "done"]
