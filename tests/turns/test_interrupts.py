"""Ctrl-C at each event of a turn: what ran is told to the model, nothing more runs, the turn ends."""

import pytest
from tests.playing import kinds
from tests.writing import EVERY_DIALECT, words

from tripletick.events import Interrupted, Returned

REPLY = "I do both.\n\n```bash\necho first > one\n```\n\n```bash\necho second | tee two\n```"
EVENTS = {
    "the first block is about to run": ("Called", 1, 0),
    "the first block is done": ("Returned", 1, 1),
    "the second block is about to run": ("Called", 2, 1),
    "the second block prints": ("Output", 1, 1),
    "the second block is done": ("Returned", 2, 2),
}


def play_until(it, kind, count):
    """Play a turn up to the event of this kind, then interrupt it; give what came after."""
    turn = it.loop.run_turn(it.prompts.agents["coder"], "do it")
    for event in turn:
        count -= type(event).__name__ == kind
        if not count:
            return [turn.throw(KeyboardInterrupt), *turn]
    raise AssertionError(f"{kind} did not come")


@pytest.mark.parametrize("moment", EVENTS)
@EVERY_DIALECT
def test_what_ran_is_told_and_the_rest_is_not_run(session, moment):
    kind, count, ran = EVENTS[moment]
    it = session(REPLY, "I see.")
    after = play_until(it, kind, count)
    assert kinds(after) == (["Interrupted"] if ran == 2 else ["Returned", "Interrupted"])
    assert (it.folder / "one").exists() == (ran >= 1)
    it.play("and now")
    told = words(it.model.asked[1][-1])
    assert told.count("bash ok]") == ran
    assert told.count("interrupted by the person") == 1


@EVERY_DIALECT
def test_what_a_block_printed_is_not_told_of_the_next_one(session):
    it = session("```bash\necho one\n```\n\n```bash\necho two\n```", "I see.")
    after = play_until(it, "Called", 2)
    (returned,) = [event for event in after if isinstance(event, Returned)]
    assert (returned.result.verdict, returned.result.text) == ("interrupted by the person", "")


@EVERY_DIALECT
def test_a_turn_that_was_stopped_after_its_blocks_keeps_what_came_of_them(session):
    it = session("```bash\necho one\n```\n\n```bash\necho two", "I see.")
    after = play_until(it, "Refused", 1)
    assert kinds(after) == ["Interrupted"]
    it.play("and now")
    assert "```output\none\n```" in words(it.model.asked[1][-1])


@EVERY_DIALECT
def test_files_of_a_block_that_was_interrupted_can_be_undone(session):
    it = session("```bash\necho begun | tee made; sleep 600\n```", "I see.")
    assert any(isinstance(event, Interrupted) for event in play_until(it, "Output", 1))
    assert (it.folder / "made").exists()
    it.loop.checkpoints.undo(ask=lambda line: False)
    assert not (it.folder / "made").exists()
