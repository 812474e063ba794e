"""Who writes what at the same time as whom: locks of files and of the folder, which no task keeps."""

import random
import threading
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
from tests.crewing import open_team, scripted, to

from tripletick.agents.definitions import Agent
from tripletick.events import Answered, Called, InTask, Output, Prompted, Returned
from tripletick.messages import Answer, FileChange, Result, Task
from tripletick.planner.locks import ALL, PathLocks
from tripletick.planner.plan import Plan
from tripletick.sandbox.box import Grant
from tripletick.system.cancellation import Cancelled, CancelToken
from tripletick.tools.tool import Tool

SIDE_BY_SIDE: dict[str, Any] = {"planner": {"parallel": 2}}
LONG = "".join(f"line {number}\n" for number in range(60))


@pytest.fixture
def team(tmp_path):
    with ExitStack() as stack:
        yield lambda *replies, **words: stack.enter_context(open_team(tmp_path, scripted(*replies), **words))


def task(id, *needs, agent="coder"):
    return Task(id, agent, f"make {id}.", needs)


def replies(id, *texts):
    return to(f"make {id}.", *texts)


def add_tool(it, tool):
    it.staff.loop = replace(it.staff.loop, tools={**it.staff.loop.tools, tool.tag: tool})


@pytest.mark.parametrize(
    ("held", "wanted", "waits"),
    [
        ("a.txt", "a.txt", True),
        ("a.txt", "b.txt", False),
        ("docs", "docs/a.txt", True),
        ("docs/a.txt", "docs", True),
        ("docs", "docs2/a.txt", False),
        ("A.txt", "a.txt", True),
        (ALL, "a.txt", True),
        ("a.txt", ALL, True),
        (ALL, ALL, True),
    ],
)
def test_a_lock_keeps_out_its_path_what_lies_in_it_and_the_whole_folder(held, wanted, waits):
    locks, got = PathLocks(), threading.Event()

    def want():
        with locks.hold(wanted, CancelToken()):
            got.set()

    with locks.hold(held, CancelToken()):
        waiting = threading.Thread(target=want)
        waiting.start()
        assert got.wait(0.2 if waits else 60) != waits
    waiting.join(60)
    assert got.is_set()


def test_who_came_first_has_the_folder_before_later_writers_of_files():
    locks, order, queued = PathLocks(), [], threading.Event()

    def want(path):
        with locks.hold(path, CancelToken()):
            order.append(path)

    with locks.hold("a", CancelToken()):
        threads = [threading.Thread(target=want, args=(path,)) for path in (ALL, "b")]
        for count, thread in enumerate(threads, 2):
            thread.start()
            while len(locks._claims) < count:
                queued.wait(0.01)
    for thread in threads:
        thread.join(60)
    assert order == [ALL, "b"]


def test_a_question_about_one_file_holds_up_its_other_writers_alone(team):
    it = team(
        replies("a", "```read\nlong.txt\n```", "```write:long.txt\none line\n```", "a."),
        replies("b", "```write:other.txt\nb\n```", "b."),
        person=True,
        **SIDE_BY_SIDE,
    )
    (it.folder / "long.txt").write_text(LONG)

    def answer(question):
        while not (it.folder / "other.txt").exists():
            threading.Event().wait(0.02)
        return Answer("y")

    done = it.run(task("a"), task("b"), answer=answer)
    assert [each.status for each in done.values()] == ["done", "done"]
    assert (it.folder / "long.txt").read_text() == "one line\n"
    assert done["a"].files == (FileChange("long.txt", "changed"),)
    assert done["b"].files == (FileChange("other.txt", "created"),)


def test_a_file_is_written_through_a_link_and_by_its_name_one_after_the_other(team):
    it = team(
        replies("a", "```edit:link/n.txt\n<<<<<<< SEARCH\n1\n=======\n2\n>>>>>>> REPLACE\n```", "a."),
        replies("b", "```edit:real/n.txt\n<<<<<<< SEARCH\n0\n=======\n9\n>>>>>>> REPLACE\n```", "b."),
        **SIDE_BY_SIDE,
    )
    (it.folder / "real").mkdir()
    (it.folder / "real/n.txt").write_text("0\n1\n")
    (it.folder / "link").symlink_to("real")
    done = it.run(task("a"), task("b"))
    assert [each.status for each in done.values()] == ["done", "done"]
    assert (it.folder / "real/n.txt").read_text() == "9\n2\n"


def test_blocks_that_may_write_run_one_after_the_other_and_each_has_its_own_changes(team):
    script = "```bash\nls lock 2>/dev/null && echo both; touch lock; sleep 0.2; rm lock; touch {0}\n```"
    it = team(*(replies(id, script.format(id), f"{id}.") for id in "abc"), planner={"parallel": 3})
    done = it.run(task("a"), task("b"), task("c"))
    assert not any("both" in event.result.text for id in "abc" for event in it.of(id, Returned))
    assert [done[id].files for id in "abc"] == [(FileChange(id, "created"),) for id in "abc"]


def test_a_block_that_is_let_write_in_the_home_folder_has_it_for_itself(team, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "project"))
    seen: list[tuple[str, list[str]]] = []

    def stamp(call, bench):
        yield from ()
        seen.append((bench.mode, [claim.path for claim in it.staff._locks._claims]))
        return Result("ok", "ok")

    it = team(replies("a", "```stamp\na\n```", "a."))
    (it.folder / "Pictures").mkdir()
    add_tool(it, Tool("stamp", "", stamp, writes=True))
    it.staff.agents = {"any": Agent("any", "card", "", ("stamp",), folder=False)}
    it.staff.loop = replace(it.staff.loop, context=replace(it.staff.loop.context, mode="read"))
    it.staff.loop.gate.lent["folder"] = Grant(write=(it.folder / "Pictures",))
    it.run(task("a", agent="any"))
    assert seen == [("work", [ALL])]


def test_a_task_that_dies_while_it_holds_a_lock_frees_it(team):
    def die(call, bench):
        yield from ()
        raise RuntimeError("boom")

    it = team(replies("a", "```die\nnow\n```"), replies("b", "```bash\ntouch b\n```", "b."), **SIDE_BY_SIDE)
    add_tool(it, Tool("die", "", die, writes=True))
    it.staff.agents = {**it.staff.agents, "breaker": Agent("breaker", "card", "", ("die",))}
    done = it.run(task("a", agent="breaker"), task("b"))
    assert (done["a"].status, done["a"].result) == ("failed", "it broke off: RuntimeError: boom")
    assert (done["b"].status, (it.folder / "b").exists()) == ("done", True)


def block(number):
    """Give what a task does: a file tool's block, one of a stand-in for any program, or nothing."""
    tag = (f"write:folder{number % 7}/{number}.txt", "stamp", "")[number % 3]
    return [f"```{tag}\n{number}\n```"] if tag else []


@pytest.mark.parametrize("seed", range(20))
def test_random_graphs_of_fifty_tasks_come_to_their_end(team, seed):
    chance, busy = random.Random(seed), threading.Lock()

    def stamp(call, bench):
        yield from ()
        assert busy.acquire(blocking=False)
        (bench.workspace.root / call.body).touch()
        busy.release()
        return Result("ok", "ok")

    it = team(*(replies(id, *block(id), f"{id}.") for id in range(50)), planner={"parallel": 4})
    add_tool(it, Tool("stamp", "", stamp, writes=True))
    it.staff.agents = {"any": Agent("any", "card", "", ("stamp", "write"), folder=False)}
    needs = {id: chance.sample(range(id), min(id, chance.randrange(4))) for id in range(50)}
    tasks = [task(str(id), *map(str, needs[id]), agent="any") for id in range(50)]
    done = it.run(*chance.sample(tasks, 50))
    assert {each.status for each in done.values()} == {"done"}
    happened = [(event.task, type(event.event)) for event in it.events if isinstance(event, InTask)]
    for id in needs:
        begun = happened.index((str(id), Prompted))
        assert all(happened.index((str(need), Answered)) < begun for need in needs[id])


def save(call, bench):
    """Write a file, and take some time over its end, unless the file is there that the body names."""
    yield from ()
    (bench.workspace.root / call.path).touch()
    for _ in range(30):
        if (bench.workspace.root / call.body).exists():
            break
        threading.Event().wait(0.01)
    return Result("ok", "ok")


def test_what_one_file_tool_has_written_is_recorded_before_the_next_one_writes(team):
    first, second = "```save:a.txt\nb.txt\n```", "```save:b.txt\nnever\n```"
    it = team(replies("a", first, "a."), replies("b", second, "b."), **SIDE_BY_SIDE)
    add_tool(it, Tool("save", "", save, writes=True, one_file=True))
    it.staff.agents = {"any": Agent("any", "card", "", ("save",), folder=False)}
    done = it.run(task("a", agent="any"), task("b", agent="any"))
    assert [done[id].files for id in "ab"] == [(FileChange(f"{id}.txt", "created"),) for id in "ab"]


def test_what_a_block_that_was_broken_off_has_changed_is_recorded_before_the_next_one_writes(team):
    script = "```bash\necho it | tee {0}; sleep {1}\n```"
    it = team(replies("a", script.format("a", 4325)), replies("b", script.format("b", 0), "b."))
    first, second = (it.staff.make_context(task(id), number) for number, id in enumerate("ab"))
    turns = [post.loop.run_turn(post.agent, f"make {id}.") for post, id in ((first, "a"), (second, "b"))]
    next(event for event in turns[0] if isinstance(event, Output))
    assert isinstance(turns[0].throw(Cancelled), Returned)
    next(event for event in turns[1] if isinstance(event, Output))
    assert [list(turn) for turn in turns]
    changed = [post.loop.checkpoints.changed for post in (first, second)]
    assert changed == [(FileChange("a", "created"),), (FileChange("b", "created"),)]


def test_a_path_that_means_another_file_once_its_turn_has_come_is_locked_as_that_one(team):
    held: list[str] = []

    def save(call, bench):
        yield from ()
        held.extend(claim.path for claim in it.staff._locks._claims)
        return Result("ok", "ok")

    it = team(replies("a", "```save:old/n.txt\na\n```", "a."))
    add_tool(it, Tool("save", "", save, writes=True, one_file=True))
    it.staff.agents = {"any": Agent("any", "card", "", ("save",), folder=False)}
    (it.folder / "new").mkdir()
    running = it.crew.run_plan(Plan((task("a", agent="any"),)))
    with it.staff._locks.hold(ALL, CancelToken()):
        next(event for event in running if isinstance(event, InTask) and isinstance(event.event, Called))
        while len(it.staff._locks._claims) < 2:
            threading.Event().wait(0.01)
        (it.folder / "old").symlink_to("new")
    list(running)
    assert held == ["new/n.txt", "/"]
