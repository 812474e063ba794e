"""Reasoning has a bound of its own: over it the reply is hung up on and asked for again."""

from tests.playing import kinds, last
from tests.writing import EVERY_DIALECT, words

from tripletick.events import Answered, Notice, Refused
from tripletick.models.scripted import ScriptedReply
from tripletick.turn.reply import ANSWER_NOW

pytestmark = EVERY_DIALECT
LONG = "But wait, number {}. "
FEW = {"think_tokens": 100}


def thought(characters):
    return "".join(LONG.format(n) for n in range(characters))[:characters]


def test_an_engine_that_can_leave_it_out_is_asked_so(session):
    it = session(ScriptedReply("Never heard.", thought=thought(2000)), "It is 4.", model=FEW)
    events = it.play("2 + 2?", "casual")
    assert events[-1] == Answered("It is 4.")
    assert [sampling.think for sampling in it.model.samplings] == [None, False]
    assert it.model.asked[0] == it.model.asked[1]
    assert "more than 100 tokens ([model] think_tokens)" in last(events, Notice).text


def test_a_model_that_reasons_in_its_text_is_told_to_answer(session):
    it = session(f"<think>{thought(2000)}</think>Never heard.", "It is 4.", model=FEW)
    assert it.play("2 + 2?", "casual")[-1] == Answered("It is 4.")
    assert words(it.model.asked[1][-1]) == f"{words(it.model.asked[0][-1])}\n\n{ANSWER_NOW}"


def test_it_is_hung_up_on_and_not_heard_to_its_end(session):
    it = session(ScriptedReply("Never heard.", thought=thought(200_000)), "It is 4.", model=FEW)
    events = it.play("2 + 2?", "casual")
    heard = sum(len(event.text) for event in events if type(event).__name__ == "Thought")
    assert 300 < heard < 400
    assert any(isinstance(event, Refused) and event.problem.code == "cut" for event in events)


def test_reasoning_within_the_bound_and_a_long_answer_are_left_alone(session):
    answer = "\n".join(f"{n}. A line of the answer." for n in range(400))
    it = session(ScriptedReply(answer, thought=thought(300)), model=FEW)
    assert it.play("2 + 2?", "casual")[-1] == Answered(answer)


def test_a_second_time_it_is_what_a_reply_without_an_end_is(session):
    endless = f"<think>{thought(2000)}"
    it = session(endless, endless, "```bash\necho 4\n```", "It is 4.", model=FEW)
    events = it.play()
    assert events[-1] == Answered("It is 4.")
    assert kinds(events).count("Repairing") == 1


def test_without_a_bound_it_is_heard_to_its_end(session):
    it = session(ScriptedReply("It is 4.", thought=thought(20_000)), model={"think_tokens": 0})
    assert it.play("2 + 2?", "casual")[-1] == Answered("It is 4.")


def test_the_next_reply_may_reason_again(session):
    over = ScriptedReply("Never.", thought=thought(2000))
    it = session(over, "```bash\ntrue\n```", ScriptedReply("Done.", thought="short"), model=FEW)
    it.play()
    assert [sampling.think for sampling in it.model.samplings] == [None, False, None]
