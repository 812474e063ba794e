"""A box that fails itself: tried again, and never told as the model's failure."""

import os
import shutil

import pytest

from tripletick.events import Output, Returned

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed")
FAILING = """#!/bin/sh
left=$(cat {folder}/left 2>/dev/null || echo 0)
[ $left -gt 0 ] || exec {bwrap} "$@"
echo $((left - 1)) > {folder}/left
echo "bwrap: out of something" >&2
exit 1
"""


@pytest.fixture
def fail(top, monkeypatch):
    """Have a bubblewrap on PATH that fails as often as is wished from then on."""
    folder = top / "bin"
    folder.mkdir()
    folder.chmod(0o777)
    path = folder / "bwrap"
    path.write_text(FAILING.format(folder=folder, bwrap=shutil.which("bwrap")))
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def times(count: int) -> None:
        (folder / "left").write_text(f"{count}\n")
        (folder / "left").chmod(0o666)

    return times


def test_a_box_that_fails_once_is_tried_again_and_nothing_of_it_is_shown(fail, make):
    place = make()
    fail(1)
    text, finished = place.bash("echo here")
    assert (text, finished.status, finished.broken) == ("here\n", 0, False)


def test_a_box_that_fails_twice_is_told_as_such(fail, make):
    place = make()
    fail(9)
    text, finished = place.bash("echo here")
    assert (text, finished.status, finished.broken) == ("", 125, True)
    assert finished.head == b"bwrap: out of something\n"


def test_a_program_that_ends_as_a_broken_box_does_is_no_broken_box(make):
    assert not make().bash("exit 125")[1].broken


@pytest.mark.parametrize("owner", [os.geteuid()])
def test_the_model_is_not_told_that_its_block_failed(fail, session, owner):
    played = session("```bash\necho here\n```", "```bash\necho again\n```", "Done.")
    fail(2)
    first, second = [each.result for each in played.play() if isinstance(each, Returned)]
    assert first.outcome == "forbidden"
    assert first.verdict == (
        "was not run: its box failed, which is no fault of the block; bwrap: out of something"
    )
    assert second.ok


@pytest.mark.parametrize("owner", [os.geteuid()])
def test_a_script_that_was_taken_from_under_its_box_is_no_failure_of_the_block(session, owner):
    played = session("```bash\necho on; sleep 0.5; exit 127\n```", "Done.")
    home = played.loop.context.box.home
    results = []
    for event in played.loop.run_turn(played.prompts.agents["coder"], "do it"):
        if isinstance(event, Output):
            shutil.rmtree(home)
        results += [event.result] if isinstance(event, Returned) else []
    assert [(each.outcome, "its box failed" in each.verdict) for each in results] == [("forbidden", True)]
