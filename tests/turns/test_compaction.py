"""Room in a long conversation: what goes, what stays, and a model that gives no summary that can be used."""

import pytest
from tests.playing import kinds, last
from tests.writing import EVERY_DIALECT

from tripletick.agents.definitions import Agent
from tripletick.errors import ContextFullError
from tripletick.events import Answered, Called, Compacted, Notice, Usage
from tripletick.messages import Counts, Message
from tripletick.models.conversation import GO_ON, Conversation, TokenBudget
from tripletick.models.scripted import ScriptedReply

LONG = "Words that fill the context and say nothing at all. " * 20
SUMMARY = "The person asked for the count; nothing was made."
CODER, FILE = Agent("coder", "You write.", "code"), Agent("file", "You find.", "files")
TALK = {"agent": "casual"}
RULES = "A line of rules. " * 20
"""Makes the system prompt long enough for the windows here."""
BARE = {"trial": {"restate": False, "effects": False}}
"""Results alone, so that their outputs are what takes the room."""


def texts(messages):
    return [message.text for message in messages]


def roles(messages):
    return "".join(message.role[0] for message in messages)


@pytest.fixture
def talks(session):
    """A chat of long answers that goes over three quarters of its window at the request `more`."""

    def play(*replies, turns=6):
        it = session(*[LONG] * turns, *replies, window=2400)
        it.loop.conversation.system += RULES
        for number in range(turns):
            it.play(f"request {number}", **TALK)
        return it, it.play("more", **TALK)

    return play


def test_at_three_quarters_the_model_sums_up_and_the_turn_goes_on_below_the_target(talks):
    _, events = talks(SUMMARY, "Done.")
    assert kinds(events) == ["Compacting", "Compacted", "Answered"]
    made = last(events, Compacted)
    assert made.before > 0.75 * 2400 >= 0.45 * 2400 >= made.after
    assert (made.summary, made.context, made.messages > 4) == (SUMMARY, 2400, True)
    assert events[-1] == Answered("Done.")


def test_system_first_request_summary_and_last_steps_are_what_is_sent(talks):
    it, _ = talks(SUMMARY, "Done.")
    before, sent = it.model.asked[-3], it.model.asked[-1]
    assert sent[:2] == before[:2]
    assert "request 0" in sent[1].text
    assert sent[2] == Message("assistant", SUMMARY)
    assert roles(sent) == "su" + "au" * (len(sent) // 2 - 1)
    assert sent[-1].text.endswith("more")
    assert LONG.strip() in texts(sent)[-2]


def test_the_question_is_put_behind_all_that_the_engine_has_read_and_is_taken_off(talks):
    it, _ = talks(SUMMARY, "Done.")
    before, asked, after = it.model.asked[-3:]
    assert asked[: len(before)] == before
    assert asked[len(before)] == Message("assistant", LONG)
    assert "Sum up the conversation" in asked[-1].text
    assert not any("Sum up" in text for text in texts(after))


def test_a_summary_is_bounded_and_asked_for_without_reasoning(talks):
    it, _ = talks(SUMMARY, "Done.")
    sampling = it.model.samplings[-2]
    assert (sampling.output, sampling.think, sampling.temperature) == (300, False, 0.0)


def test_where_room_is_scarce_a_shorter_summary_is_asked_for(session):
    counted = "".join(f"And number {n} of those that fill it. " for n in range(28))
    it = session(*[LONG] * 5, LONG + counted, SUMMARY, "Done.", window=2400)
    it.loop.conversation.system += RULES
    for number in range(6):
        it.play(f"request {number}", **TALK)
    events = it.play("more", **TALK)
    words = it.model.asked[-2][-1].text.partition("at most ")[2].partition(" words")[0]
    assert last(events, Compacted).summary == SUMMARY
    assert 64 <= it.model.samplings[-2].output < 300
    assert int(words) == it.model.samplings[-2].output * 3 // 5


@pytest.mark.parametrize(
    "nonsense",
    [
        "  \n",
        "…",
        "```bash\ntouch made\n```",
        "I do it.\n~~~python:made\nx\n~~~",
        ScriptedReply("and then " * 50, finish="length"),
        ScriptedReply("half", cut=True),
        "<think>I only think",
    ],
    ids=["blank", "no word", "block", "tildes", "too long", "cut", "reasoning"],
)
def test_without_a_usable_summary_old_steps_go_all_the_same_and_nothing_of_it_runs(talks, nonsense):
    it, events = talks(nonsense, "Done.")
    assert last(events, Compacted).summary == ""
    assert it.model.asked[-1][2].text == "(Older messages were dropped to save room.)"
    assert not any(isinstance(event, Called) for event in events)
    assert not (it.folder / "made").exists()
    assert events[-1] == Answered("Done.")


def test_reasoning_before_a_summary_is_left_out_of_it(talks):
    it, _ = talks(f"<think>What was it?</think>{SUMMARY}", "Done.")
    assert it.model.asked[-1][2].text.strip() == SUMMARY


@EVERY_DIALECT
def test_outputs_go_first_and_where_they_are_enough_no_summary_is_asked_for(session):
    big = "```bash\nseq {n} {m}\n```"
    it = session(*(big.format(n=n, m=n + 150) for n in range(12)), "Done.", window=2400, **BARE)
    it.loop.conversation.system += RULES
    events = it.play("count on")
    assert last(events, Compacted).outputs
    assert last(events, Compacted).messages == 0
    assert "Compacting" not in kinds(events)


def test_a_long_turn_keeps_its_request_and_its_last_step(session):
    step = LONG[:900] + "\n```bash\necho {n}\n```"
    it = session(*(step.format(n=n) for n in range(7)), SUMMARY, "Done.", window=2400, **BARE)
    events = it.play("the one request")
    assert isinstance(events[-1], Answered)
    sent = texts(it.model.asked[-1])
    assert "the one request" in sent[1]
    assert sent[2:4] == [SUMMARY, GO_ON]
    assert "echo 6" in sent[-2]
    assert "[result 1: bash ok]" in sent[-1]


@EVERY_DIALECT
def test_the_question_follows_the_whole_history_although_outputs_go_too(session):
    step = LONG[:600] + "\n```bash\nseq {n} {m}\n```"
    it = session(*(step.format(n=n, m=n + 80) for n in range(9)), "Done.", window=2400, **BARE)
    it.loop.conversation.system += RULES
    events = it.play("count on")
    assert last(events, Compacted).outputs
    at = next(at for at, asked in enumerate(it.model.asked) if "Sum up" in asked[-1].text)
    before, asked = it.model.asked[at - 1 : at + 1]
    assert asked[: len(before)] == before


def test_the_tokens_of_a_summary_are_counted(talks):
    _, events = talks(SUMMARY, "Done.")
    assert len([event for event in events if isinstance(event, Usage)]) == 2


def test_compact_sums_up_at_once_and_leaves_the_last_step(session):
    it = session("One. " + LONG, "Two. " + LONG, "Three.", SUMMARY)
    for request in ("first", "second", "third"):
        it.play(request, **TALK)
    events = list(it.loop.replies.compact_history())
    assert last(events, Compacted).messages == 3
    assert [text.splitlines()[-1] for text in texts(it.loop.conversation.build_messages()[1:])] == [
        "first",
        SUMMARY,
        "third",
        "Three.",
    ]


def test_compact_of_a_short_conversation_says_that_there_is_nothing(session):
    it = session("Hello.")
    it.play("hi", **TALK)
    (event,) = it.loop.replies.compact_history()
    assert isinstance(event, Notice)
    assert "nothing to compact" in event.text
    assert len(it.model.asked) == 1


def test_a_summary_that_would_free_little_is_not_asked_for(session):
    it = session(LONG, "short", "Done.", window=1100)
    it.play("first " * 100, **TALK)
    events = it.play("second", **TALK)
    assert "Compacting" not in kinds(events)


def test_an_interrupt_while_summing_up_leaves_the_conversation_as_it_was(session):
    it = session(*[LONG] * 6, SUMMARY, window=2400)
    it.loop.conversation.system += RULES
    for number in range(6):
        it.play(f"request {number}", **TALK)
    turn = it.loop.run_turn(it.prompts.agents["casual"], "more")
    while type(next(turn)).__name__ != "Compacting":
        pass
    assert type(turn.throw(KeyboardInterrupt)).__name__ == "Interrupted"
    turn.close()
    assert not it.model.streaming
    talk = texts(it.loop.conversation.build_messages())
    assert [text.splitlines()[-1] for text in talk[-2:]] == ["more", "(interrupted by the person)"]
    assert len(talk) == 15


def test_a_refused_prompt_is_made_shorter_by_what_the_engine_told(session):
    it = session(*[LONG] * 3, "Done.", window=8192)
    for number in range(3):
        it.play(f"request {number}", **TALK)
    it.model.set_context(900)
    events = it.play("more", **TALK)
    assert last(events, Compacted).messages
    assert events[-1] == Answered("Done.")


def test_where_even_the_first_request_is_too_long_it_is_said_with_numbers(session):
    it = session(LONG, SUMMARY, "Done.", window=1300)
    it.play("short", **TALK)
    with pytest.raises(ContextFullError, match="context is 1300"):
        it.play("word " * 1500, **TALK)


def conversation(*requests):
    conversation = Conversation("system")
    for agent, request in requests:
        conversation.add_request(agent, request)
        conversation.add_reply(f"answer to {request}")
    return conversation


def test_a_card_that_went_is_shown_again(session):
    talk = conversation((CODER, "one"), (FILE, "two"), (CODER, "three"), (CODER, "four"))
    talk.apply_summary(talk.find_cuts()[-1], SUMMARY)
    assert talk.introduced == {"coder"}
    talk.add_request(FILE, "five")
    assert "You find." in talk.entries[-1].message.text


@pytest.mark.parametrize("at", range(3))
def test_the_last_request_can_be_taken_back_after_a_summary(at):
    talk = conversation((CODER, "one"), (CODER, "two"), (CODER, "three"), (CODER, "four"))
    talk.apply_summary(talk.find_cuts()[at], SUMMARY)
    talk.remove_request()
    assert not any("four" in text for text in texts(talk.build_messages()))
    assert talk.build_messages()[-1].role == "assistant"


def test_a_request_that_grew_is_taken_back_alone_after_a_summary():
    talk = conversation((CODER, "one"), (CODER, "two"), (CODER, "three"))
    talk.add_user_message("by hand")
    talk.add_request(CODER, "four")
    for said in ("step", "last step"):
        talk.add_reply(said)
        talk.add_user_message("result")
    talk.apply_summary(talk.find_cuts()[-1], SUMMARY)
    assert "four" in texts(talk.build_messages())[3]
    talk.remove_request()
    assert texts(talk.build_messages())[-2:] == [SUMMARY, "by hand"]


def test_the_first_exchange_alone_cannot_be_cut():
    assert conversation((CODER, "one")).find_cuts() == []


def test_a_copy_can_be_cut_while_the_conversation_stays():
    talk = conversation((CODER, "one"), (FILE, "two"), (CODER, "three"))
    look = talk.copy()
    look.apply_summary(look.find_cuts()[-1], SUMMARY)
    assert len(talk.entries) == 6
    assert talk.introduced == {"coder", "file"}


def test_messages_always_take_turns_whatever_is_summed_up():
    for cut in range(20):
        talk = conversation(*[(CODER, str(number)) for number in range(10)])
        talk.add_user_message("result")
        cuts = talk.find_cuts()
        talk.apply_summary(cuts[min(cut, len(cuts) - 1)], SUMMARY)
        assert roles(talk.build_messages()[1:]) == "ua" * (len(talk.entries) // 2) + "u"


def test_a_count_of_the_engine_makes_the_estimate_after_a_cut_smaller():
    talk, budget = conversation((CODER, "one " * 500), (CODER, "two " * 500), (CODER, "3")), TokenBudget(4096)
    budget.apply_counts(Counts(prompt=2000), talk.build_messages())
    talk.apply_summary(talk.find_cuts()[-1], SUMMARY)
    assert budget.estimate_tokens(talk.build_messages()) < 1500
