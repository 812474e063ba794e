"""A plan that is stopped, by Ctrl-C, by its owner's end, by a kill: nothing runs on, what is done stays."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from tests.crewing import NOBODY, Seen, open_team, scripted, to

from tripletick.agents.definitions import Agent
from tripletick.checkpoint import Checkpoints
from tripletick.event_log.session_log import SessionLog
from tripletick.events import Ask, Called, InTask, Interrupted, Output, PlanChanged, Prompted
from tripletick.messages import Answer, Result, Task
from tripletick.planner.plan import Plan
from tripletick.session.event_pump import EventPump
from tripletick.system import platforms
from tripletick.tools.tool import Tool

SLEEPS = "```bash\necho begun | tee made.txt; sleep 4323\n```"
WAITS = to("make a", "never said", seconds=600)
ASKS = to("make a", "REQUEST_CLARIFICATION: Which one?", "that one.")
MOMENTS = {
    "the model writes": (WAITS, Prompted),
    "its program runs": (to("make a", SLEEPS, "made."), Output),
    "the person is asked": (ASKS, Ask),
}
KILLED = """
import sys
from pathlib import Path
from tests.crewing import Seen, open_team, scripted, to
from tests.turns.test_crew_stopped import SLEEPS, A, B
with open_team(Path(sys.argv[1]), scripted(to("make a", SLEEPS), to("make b", SLEEPS))) as it:
    it.events = Seen(lambda event: print(type(getattr(event, "event", None)).__name__, flush=True))
    it.run(A, B)
"""
A, B = Task("a", "coder", "make a"), Task("b", "explorer", "make b")


@pytest.fixture
def team(tmp_path):
    with ExitStack() as stack:
        yield lambda *replies, **words: stack.enter_context(open_team(tmp_path, scripted(*replies), **words))


def command_of(pid):
    """Give the command line of a process; what has ended and waits for its parent has none."""
    return platforms.read_text(Path(f"/proc/{pid}/cmdline"))


def is_of(event, kind):
    return isinstance(event, kind) or (isinstance(event, InTask) and isinstance(event.event, kind))


def stop_at(running, kind):
    """Pull until an event of this kind, then stop it; gives what came after it."""
    next(event for event in running if is_of(event, kind))
    return stop(running)


def stop(running):
    after = []
    with pytest.raises(KeyboardInterrupt):
        after.append(running.throw(KeyboardInterrupt))
        after.extend(running)
    return after


@pytest.mark.parametrize("moment", MOMENTS)
def test_all_that_runs_is_stopped_and_waits_again(team, moment):
    replies, kind = MOMENTS[moment]
    it = team(replies, to("make b", "b", seconds=600), person=True, planner={"parallel": 2})
    after = stop_at(it.crew.run_plan(Plan((A, B))), kind)
    assert platforms.list_descendants(os.getpid()) == []
    assert isinstance(after[-1], PlanChanged)
    assert [task.status for task in after[-1].tasks] == ["pending", "pending"]
    assert sum(is_of(event, Interrupted) for event in after) == 2
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("task")]


def test_what_is_done_stays_and_the_plan_can_be_gone_on_with(team):
    it = team(to("make a", "a."), to("make b", SLEEPS, "b."))
    *_, last = stop_at(it.crew.run_plan(Plan((A, B))), Output)
    assert [task.status for task in last.tasks] == ["done", "pending"]
    done = it.run(*last.tasks)
    assert [task.status for task in done.values()] == ["done", "done"]
    assert not it.of("a", Prompted)


def test_a_stopped_task_has_a_history_that_ends_as_that_of_an_interrupted_turn(team):
    it, posts = team(to("make a", SLEEPS)), []

    def staff(task, slot):
        posts.append(it.staff.make_context(task, slot))
        return posts[-1]

    crew = replace(it.crew, staff=staff)
    stop_at(crew.run_plan(Plan((A,))), Output)
    said = posts[0].loop.conversation.entries[-1].message
    assert (said.role, "interrupted by the person" in said.text) == ("user", True)
    assert [change.path for change in posts[0].loop.checkpoints.changed] == ["made.txt"]


def test_a_key_that_is_pressed_stops_it_wherever_it_finds_the_program(team):
    both = threading.Event()

    def press(call, bench):
        yield from ()
        both.wait(60)
        os.kill(os.getpid(), signal.SIGINT)
        return Result("ok", "ok")

    it = team(to("make a", "```press\nnow\n```"), to("make b", "b", seconds=600), planner={"parallel": 2})
    it.staff.loop = replace(it.staff.loop, tools={**it.staff.loop.tools, "press": Tool("press", "", press)})
    it.staff.agents = {
        "coder": Agent("coder", "card", "", ("press",)),
        "explorer": Agent("explorer", "card", ""),
    }
    it.events = Seen(lambda event: both.set() if isinstance(event, InTask) and event.task == "b" else None)
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    EventPump(SessionLog("it"), [], lambda: None).run_turn(
        it.crew.run_plan(Plan((A, B))), [it.events.append], lambda ask: NOBODY
    )
    signal.signal(signal.SIGINT, usual)
    assert is_of(it.events[-1], Interrupted)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("task")]


def test_a_crew_that_nobody_pulls_any_more_leaves_nothing_running(team):
    it = team(to("make a", SLEEPS), to("make b", "b", seconds=600), planner={"parallel": 2})
    running = it.crew.run_plan(Plan((A, B)))
    next(event for event in running if is_of(event, Output))
    running.close()
    assert platforms.list_descendants(os.getpid()) == []
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("task")]


def test_a_task_that_waits_for_a_lock_is_stopped(team):
    it = team(to("make a", SLEEPS), to("make b", "```write:b.txt\nb\n```"), planner={"parallel": 2})
    running = it.crew.run_plan(Plan((A, replace(B, agent="coder"))))
    waited = {("a", Called), ("a", Output), ("b", Called)}
    while waited:
        event = next(running)
        waited -= {(event.task, type(event.event))} if isinstance(event, InTask) else set()
    assert isinstance(stop(running)[-1], PlanChanged)
    assert not (it.folder / "b.txt").exists()


def test_a_task_that_is_late_while_another_is_asked_about_has_its_time(team):
    it = team(
        ASKS, to("make b", "b.", seconds=0.2), person=True, planner={"parallel": 2, "task_timeout": 4.0}
    )

    def slowly(question):
        threading.Event().wait(4.2)
        return Answer("y", "this")

    done = it.run(A, B, answer=slowly)
    assert [task.status for task in done.values()] == ["done", "done"]


def test_a_killed_program_leaves_nothing_running_and_its_files_can_be_undone(tmp_path):
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as program:
        assert program.stdout
        while "Output" not in program.stdout.readline():
            pass
        running = platforms.list_descendants(program.pid)
        program.kill()
    platforms.wait_for_exit(running, 30)
    assert running and not any(command_of(pid) for pid in running)
    points = Checkpoints(tmp_path / "project", next((tmp_path / "state").rglob("snapshots")).parent)
    assert points.undo(ask=lambda line: False).removed == ("made.txt",)
