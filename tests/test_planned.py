"""A plan on the screen: the tree, its place below the status line, and the events of its tasks."""

from __future__ import annotations

import io
import threading
from dataclasses import replace

import pyte
import pytest
from rich.cells import cell_len
from rich.console import Console

from tripletick.events import (
    Answered,
    Called,
    FreshStart,
    GaveUp,
    InTask,
    Interrupted,
    Notice,
    PlanChanged,
    Repairing,
    Returned,
    Text,
)
from tripletick.messages import Call, Result, Task
from tripletick.ui.plan_tree import build_branches
from tripletick.ui.renderer import PlainRenderer, indent_branches
from tripletick.ui.rich_renderer import RichRenderer
from tripletick.ui.terminal import Terminal
from tripletick.ui.turn_display import TurnDisplay

ONE = Task("1", "explorer", "find it")
TWO = Task("2", "coder", "change it", ("1",))
THREE = Task("3", "file", "write notes")
LS = Call("bash", "ls")
RAN = Returned(LS, Result("ok", "ok", "a.py\nb.py"), 1)


def plain(*events, quiet=False):
    stream = io.StringIO()
    screen = Terminal(TurnDisplay(PlainRenderer(stream), quiet=quiet))
    for event in events:
        screen.show_event(event)
    screen.close()
    return stream.getvalue()


def drawn(*events, width=60, encoding="utf-8"):
    """What a terminal of so many columns has on its screen."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding, newline="\r\n")
    pen = RichRenderer(Console(file=stream, force_terminal=True, width=width, height=30, color_system=None))
    screen = Terminal(TurnDisplay(pen))
    for event in events:
        screen.show_event(event)
    screen.close()
    shown = pyte.Screen(width, 60)
    pyte.ByteStream(shown).feed(raw.getvalue())
    return [line.rstrip() for line in shown.display if line.strip()]


def at(task, status, result=""):
    return replace(task, status=status, result=result)


def whole(*tasks):
    return PlanChanged(tasks)


def test_each_task_hangs_below_the_last_that_it_needs():
    both = Task("4", "reviewer", "judge it", ("1", "2"))
    assert list(indent_branches(build_branches((ONE, TWO, THREE, both)))) == [
        "  1 explorer: find it",
        "    2 coder: change it  (needs 1)",
        "      4 reviewer: judge it  (needs 1, 2)",
        "  3 file: write notes",
    ]


def test_a_long_chain_stays_in_the_window():
    chain = [Task(str(n), "coder", "go on", (str(n - 1),) if n else ()) for n in range(12)]
    lines = list(indent_branches(build_branches(chain)))
    assert len(lines) == 12
    assert max(len(line) - len(line.lstrip()) for line in lines) == 10


def test_the_plan_is_drawn_whole_at_its_beginning_and_its_end():
    told = plain(
        whole(ONE, TWO),
        whole(at(ONE, "running"), TWO),
        whole(at(ONE, "done"), TWO),
        whole(at(ONE, "done"), at(TWO, "failed", "5 failures in a row")),
        Text("Done:\n"),
        GaveUp("plan", "Not all of the plan is done."),
    )
    assert told.splitlines() == [
        "Plan: 2 tasks",
        "  1 explorer: find it",
        "    2 coder: change it  (needs 1)",
        "1 explorer: find it",
        "1 explorer: done",
        "2 coder: failed: 5 failures in a row",
        "Plan: 1 of 2 done",
        "  1 explorer, done: find it",
        "    2 coder, failed: change it  (needs 1)",
        "Done:",
        "",
        "Not all of the plan is done.",
    ]


def test_a_changed_plan_is_drawn_whole_again():
    other = Task("3", "coder", "change it otherwise", ("1",))
    told = plain(whole(at(ONE, "done"), TWO), whole(at(ONE, "done"), at(TWO, "skipped"), other))
    assert told.count("Plan: 1 of") == 2
    assert "3 coder: change it otherwise  (needs 1)" in told


def test_of_a_task_that_runs_alone_all_is_shown():
    told = plain(
        whole(ONE, TWO),
        whole(at(ONE, "running"), TWO),
        InTask("1", "explorer", Text("I look.\n")),
        InTask("1", "explorer", Called(LS, 1, 1)),
        InTask("1", "explorer", RAN),
        InTask("1", "explorer", Answered("It is there.")),
    )
    assert told.endswith("I look.\n\nbash: ok\n  a.py\n  b.py\n")


def test_of_tasks_side_by_side_each_event_is_a_line_under_its_name():
    told = plain(
        whole(at(ONE, "running"), at(THREE, "running")),
        InTask("1", "explorer", Text("I look.\n")),
        InTask("3", "file", Repairing(1, 5, "no such\nfile")),
        InTask("3", "file", FreshStart(3, 5, "no such\nfile")),
        InTask("1", "explorer", RAN),
        InTask("3", "file", Notice("The server is busy.")),
    )
    assert told.splitlines()[3:] == [
        "repair 3 file: 1 of 5: no such file",
        "repair 3 file: starting over from the request",
        "1 explorer: bash: ok",
        "3 file: The server is busy.",
    ]


def test_the_answer_of_a_task_is_not_the_answer_of_the_turn():
    answers = io.StringIO()
    screen = Terminal(TurnDisplay(PlainRenderer(io.StringIO()), answers, hold=True))
    told = (
        InTask("1", "explorer", Text("It is there.\n")),
        InTask("1", "explorer", Answered("It is there.")),
    )
    for event in (whole(at(ONE, "running"), TWO), *told, Answered("All done.")):
        screen.show_event(event)
    assert answers.getvalue() == "All done.\n"


def test_quiet_shows_nothing_of_a_plan():
    assert plain(whole(ONE, TWO), whole(at(ONE, "running"), TWO), InTask("1", "a", RAN), quiet=True) == ""


def test_an_interrupted_plan_is_drawn_as_it_is():
    told = plain(whole(ONE, TWO), whole(at(ONE, "done"), TWO), Interrupted(""))
    assert told.endswith(
        "Plan: 1 of 2 done\n  1 explorer, done: find it\n    2 coder: change it  (needs 1)\nstopped\n"
    )


@pytest.mark.parametrize("width", [40, 60, 200])
def test_a_terminal_shows_a_tree_that_fits(width):
    wide = replace(TWO, task="改める " * 20)
    lines = drawn(whole(ONE, wide, THREE), width=width)
    assert lines[0] == "Plan: 3 tasks"
    assert lines[1] == "├── 1 explorer: find it" and lines[-1] == "└── 3 file: write notes"
    assert max(map(cell_len, lines)) <= width


def test_a_terminal_without_signs_gets_letters():
    lines = drawn(whole(at(ONE, "done"), TWO), encoding="ascii")
    assert lines[1].endswith("1 explorer, done: find it")
    assert all(line.isascii() for line in lines)


def test_what_a_model_writes_into_a_task_cannot_steer_the_terminal():
    assert "\x1b" not in plain(whole(replace(ONE, task="\x1b[2Jgone", id="\x1b[A"), TWO))


def test_the_tree_hangs_below_the_status_line_and_goes_with_it():
    raw, drawing = io.StringIO(), threading.Semaphore(0)
    pen = RichRenderer(Console(file=raw, force_terminal=True, width=60, height=30, color_system=None))

    def word():
        drawing.release()
        return "busy"

    pen.draw_line("before")
    pen.show_below_status(build_branches((at(ONE, "running"), TWO)))
    pen.show_status(word)
    assert drawing.acquire(timeout=60) and drawing.acquire(timeout=60)
    with pen.lock:
        busy = raw.getvalue()
    pen.close()
    shown = pyte.Screen(60, 10)
    stream = pyte.Stream(shown)
    stream.feed(busy.replace("\n", "\r\n"))
    assert [line.strip()[-27:] for line in shown.display[1:4]] == [
        shown.display[1].strip(),
        "1 explorer, running: find it"[-27:],
        "coder: change it  (needs 1)",
    ]
    assert shown.cursor.y == 1 and "busy" in shown.display[1]
    stream.feed(raw.getvalue()[len(busy) :].replace("\n", "\r\n"))
    assert [line.rstrip() for line in shown.display if line.strip()] == ["before"]


def test_a_plan_takes_at_most_half_of_the_screen_while_it_goes():
    pen = RichRenderer(
        Console(file=io.StringIO(), force_terminal=True, width=60, height=10, color_system=None)
    )
    pen.show_below_status(build_branches([Task(str(n), "coder", "do it " * 30) for n in range(12)]))
    lines = pen._render_branches()
    assert len(lines) == 5 and lines[-1].endswith("8 more")
    assert max(map(cell_len, lines)) < 60
