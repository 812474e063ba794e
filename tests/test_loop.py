import time

import pytest
from tests.playing import kinds, last
from tests.writing import EVERY_DIALECT, words, written

from tripletick.errors import ContextFullError, StreamCutError, UserNeededError
from tripletick.events import (
    Answered,
    Ask,
    Called,
    Compacted,
    Interrupted,
    Prompted,
    Refused,
    Repairing,
    Returned,
    Text,
    Thought,
)
from tripletick.messages import Answer
from tripletick.models.scripted import ScriptedReply

HELLO = "I write it.\n\n```python:hello.py\nprint('hello')\n```\n"
BROKEN = "```bash\necho trying; exit {n}\n```\n"
NO = Answer("n")
NONE = {"sandbox": {"tier": "none"}}


pytestmark = EVERY_DIALECT


def said(session, request=-1, message=-1):
    """What the model was sent: one message of one request, without the signs of its dialect."""
    return words(session.model.asked[request][message])


def test_a_program_is_saved_run_and_answered(session):
    it = session(HELLO, "It says hello.")
    events = it.play("Write hello.py that prints hello and run it")
    assert (it.folder / "hello.py").read_text() == "print('hello')\n"
    assert kinds(events) == ["Called", "Output", "Returned", "Answered"]
    assert said(it) == "[result 1: python ok, saved hello.py]\n```output\nhello\n```"
    assert events[-1] == Answered("It says hello.")


def test_text_comes_while_the_model_speaks_and_calls_when_it_has_ended(session):
    it = session(HELLO + "x" * 500, "Done.")
    turn = it.loop.run_turn(it.prompts.agents["coder"], "do it")
    assert isinstance(next(turn), Prompted)
    assert isinstance(next(turn), Text)
    assert it.model.streaming
    event = next(event for event in turn if not isinstance(event, Text))
    assert not it.model.streaming
    assert "Called" not in type(event).__name__
    turn.close()


def test_closing_a_turn_stops_the_model(session):
    it = session("a long answer " * 20)
    turn = it.loop.run_turn(it.prompts.agents["casual"], "talk")
    next(turn)
    next(turn)
    turn.close()
    assert not it.model.streaming


def test_the_first_failing_block_stops_the_rest_and_each_is_named(session):
    it = session("```bash\nfalse\n```\n```bash\ntouch ran\n```\n", "Sorry.")
    it.play()
    assert not (it.folder / "ran").exists()
    assert said(it).startswith(
        "[result 1: bash failed, exit 1]\n(no output)\n[result 2: bash was not run, because block 1 failed]"
    )


def test_a_failure_is_repaired(session):
    it = session(BROKEN.format(n=3), HELLO, "Done.")
    events = it.play()
    assert last(events, Repairing) == Repairing(1, 5, "bash failed, exit 3: trying")
    assert events[-1] == Answered("Done.")


def test_five_failures_in_a_row_end_the_turn_each_with_advice(session):
    it = session(*(BROKEN.format(n=n) for n in range(1, 6)))
    events = it.play()
    assert [event.attempt for event in events if isinstance(event, Repairing)] == [1, 2, 3, 4, 5]
    assert events[-1].code == "attempts"
    hints = [said(it, n).partition("Hint: ")[2] for n in range(1, 5)]
    assert all(hints)
    assert "another way" in hints[2]
    assert "smaller step" in hints[3]


def test_a_success_between_them_starts_the_count_of_failures_anew(session):
    it = session(
        *[BROKEN.format(n=n) for n in range(1, 5)], HELLO, *[BROKEN.format(n=n) for n in range(5, 9)], "No."
    )
    assert it.play()[-1] == Answered("No.")


def test_the_step_limit_ends_a_turn(session):
    it = session(*(f"```bash\necho {n}\n```" for n in range(9)), agent={"max_steps": 3})
    assert it.play()[-1].code == "steps"


def test_the_same_block_with_the_same_result_is_told_and_the_third_time_the_end(session):
    it = session(*["```bash\necho same\n```"] * 3, "never")
    events = it.play()
    assert "The same block gave the same result" in said(it)
    assert events[-1].code == "repeat"


def test_a_question_of_the_model_is_asked_and_the_turn_goes_on(session):
    it = session("REQUEST_CLARIFICATION Which name?", "Hello Ann.", answers=[Answer("", "Ann")])
    events = it.play()
    assert last(events, Ask).question == "Which name?"
    assert said(it) == "Ann"
    assert events[-1] == Answered("Hello Ann.")


def test_beside_blocks_a_question_is_none(session):
    it = session(
        "```bash\necho a\n```\nREQUEST_CLARIFICATION Which name?", "Done.", answers=[Answer("", "Ann")]
    )
    events = it.play()
    assert "Ask" not in kinds(events)
    assert said(it) == "[result 1: bash ok]\n```output\na\n```"


def test_a_marker_without_a_question_is_a_failed_reply_and_told(session):
    it = session("REQUEST_CLARIFICATION", "Done.", answers=[Answer("", "Ann")])
    events = it.play()
    assert "Ask" not in kinds(events)
    assert "without a question" in said(it)
    assert last(events, Repairing).attempt == 1


def test_two_questions_are_the_most_of_a_turn(session):
    asks = [f"REQUEST_CLARIFICATION Which {n}?" for n in range(3)]
    it = session(*asks, "Done.", answers=[Answer("", "this")] * 3)
    events = it.play()
    assert kinds(events).count("Ask") == 2
    assert "one question too many" in said(it)
    assert events[-1] == Answered("Done.")


def test_ctrl_c_at_a_question_ends_the_turn(session):
    it = session("REQUEST_CLARIFICATION Which?", "never", answers=[Answer("n", said=False)])
    assert isinstance(it.play()[-1], Interrupted)
    assert len(it.model.asked) == 1


def test_the_words_of_a_question_are_shown_by_who_asks_alone(session):
    it = session("I wonder.\n\nREQUEST_CLARIFICATION: Which name?", "Hi.", answers=[Answer("", "Ann")])
    shown = "".join(event.text for event in it.play() if isinstance(event, Text))
    assert "I wonder." in shown
    assert "Which name" not in shown and "CLARIFICATION" not in shown


def test_before_giving_up_the_model_says_what_is_known_and_no_block_of_that_runs(session):
    it = session(*["```bash\necho 7\n```"] * 3, "It is 7.\n```bash\nrm x\n```")
    end = it.play()[-1]
    assert (end.code, end.answer) == ("repeat", "It is 7.")
    assert it.model.samplings[-1].stop[0] == "```"
    assert "Write no block now" in it.model.asked[-1][-1].text


def test_a_block_that_only_echoes_words_after_something_ran_is_the_answer(session, dialect):
    if dialect != "fence":
        pytest.skip("the words of calls are not a reply's")
    it = session("```bash\nls\n```", '```bash\necho "There are 5 lines."\n```', "never")
    events = it.play()
    assert events[-1] == Answered("There are 5 lines.")
    assert kinds(events).count("Called") == 1


def test_an_echo_as_the_first_block_runs(session):
    it = session('```bash\necho "hello you"\n```', "Done.")
    assert kinds(it.play()).count("Called") == 1


def test_a_failing_block_sent_three_times_begins_anew_before_it_ends(session):
    it = session(*["```bash\nexit 1\n```"] * 3, "It did not work.")
    events = it.play()
    assert "FreshStart" in kinds(events)
    assert it.model.samplings[2].temperature >= 0.7


def test_a_question_without_a_person_ends_the_turn_with_the_question_as_the_answer(session):
    end = session("REQUEST_CLARIFICATION: Which name?").play()[-1]
    assert (end.code, end.exit, end.answer, end.hint) == ("clarification", 3, "Which name?", "")


def test_a_reply_that_is_cut_runs_nothing_open_and_is_asked_for_in_parts(session):
    it = session(
        ScriptedReply("```python:big.py\nprint(1)\nprint(", finish="length"),
        "```write:big.py\nprint(1)\n```",
        "```append:big.py\nprint(2)\n```",
        "Saved.",
    )
    events = it.play()
    assert last(events, Refused).problem.code.startswith("unclosed")
    assert "length limit" in said(it, 1)
    assert "append" in said(it, 1)
    assert (it.folder / "big.py").read_text() == "print(1)\nprint(2)\n"


def test_an_answer_in_words_that_is_cut_is_the_answer_and_said(session):
    events = session(ScriptedReply("It is because", finish="length")).play("Why?", "casual")
    assert "Notice" in kinds(events)
    assert events[-1] == Answered("It is because")


def test_reasoning_is_shown_and_never_sent_back(session):
    it = session(
        ScriptedReply("```bash\necho a\n```", thought="hmm"), "<think>so ```bash\nrm -rf /\n```</think>Done."
    )
    events = it.play()
    assert any(isinstance(event, Thought) for event in events)
    assert "hmm" not in said(it, -1, -2)
    assert events[-1] == Answered("Done.")


def test_without_a_box_each_block_is_asked_for_and_a_second_no_ends_the_turn(session):
    it = session(HELLO, "```bash\necho other\n```", answers=[Answer("n"), Answer("n")], **NONE)
    events = it.play()
    assert "NO SANDBOX" in last(events, Ask).question
    assert "refused by the person" in said(it)
    assert not (it.folder / "hello.py").exists()
    assert (events[-1].code, events[-1].exit) == ("refused", 1)


def test_without_a_box_a_yes_runs_the_block(session):
    it = session("```bash\necho a > made\n```", "Done.", answers=[Answer("y")], **NONE)
    assert it.play()[-1] == Answered("Done.")
    assert (it.folder / "made").exists()


def test_the_time_that_a_person_took_to_answer_is_not_the_block_s(session):
    it = session("```bash\ntouch made\n```", "Then not.", answers=[NO], **NONE)
    turn, answer = it.loop.run_turn(it.prompts.agents["coder"], "do it"), None
    while not isinstance(event := turn.send(answer), Returned):
        answer = NO if isinstance(event, Ask) else None
        time.sleep(1.0 * isinstance(event, Ask))
    assert event.seconds < 1.0


def test_without_a_box_and_without_a_person_nothing_runs(session):
    it = session("```bash\ntouch made\n```", **NONE)
    with pytest.raises(UserNeededError, match="no sandbox"):
        it.play()
    assert not (it.folder / "made").exists()


def test_every_request_begins_with_the_whole_of_the_one_before(session):
    it = session(
        *[BROKEN.format(n=1), "  ", "```python\nnever closed", HELLO, "Odd:\r\n\ttabs and \u00e9\u4e16 "],
        *["Hello.", "REQUEST_CLARIFICATION: Who?", "Fine.", "```bash\ncat hello.py\n```", "Shown."],
        answers=[Answer("", "Ann")],
    )
    it.play("first", "coder")
    it.play("second", "casual")
    it.play("third", "casual")
    it.play("fourth", "file")
    assert len(it.model.asked) == 10
    for before, after in zip(it.model.asked, it.model.asked[1:], strict=False):
        assert after[: len(before) - 1] == before[:-1]
        assert after[len(before) - 1].role == before[-1].role
        assert words(after[len(before) - 1]).startswith(words(before[-1]))
    roles = [message.role for message in it.model.asked[-1]]
    assert roles == ["system", *["user", "assistant"] * (len(roles) // 2 - 1), "user"]


def test_raw_replies_stand_in_the_history(session, dialect):
    raw = "Look:\r\n\n\n```bash\necho 'a'   \n```  \n\n"
    it = session(raw, "Done.")
    it.play()
    reply, kept = written(raw, dialect), it.model.asked[-1][-2]
    assert kept.text == reply.text
    assert [call.arguments for call in kept.calls] == [call.arguments for call in reply.calls]


def test_an_agent_is_introduced_once_and_named_in_each_request(session):
    it = session("One.", "Two.", "Three.")
    it.play("a")
    it.play("b")
    it.play("c", "casual")
    assert said(it, 0).startswith("[coder: bash python read write edit file_finder")
    assert "You write and run programs" in said(it, 0)
    assert said(it, 1).splitlines()[1:3] == ["Task: b", ""]
    assert said(it, 2).startswith("[casual]\nYou talk")


def test_a_cut_stream_runs_nothing_and_is_asked_for_once_more(session):
    it = session(ScriptedReply("```bash\ntouch made\n```\n", cut=True), "Done.")
    events = it.play()
    assert "Notice" in kinds(events)
    assert not (it.folder / "made").exists()
    assert it.model.asked[0] == it.model.asked[1]


def test_a_stream_that_is_cut_twice_is_an_error(session):
    it = session(ScriptedReply("a", cut=True), ScriptedReply("a", cut=True))
    with pytest.raises(StreamCutError):
        it.play()


def test_an_empty_reply_is_asked_for_once_more_and_then_the_end(session):
    it = session(" ", "\n")
    events = it.play("Say hi")
    assert "The request was: Say hi" in said(it)
    assert events[-1].code == "silent"


def test_an_agent_without_tags_runs_nothing(session):
    it = session("Like this:\n```bash\ntouch made\n```")
    events = it.play("How?", "casual")
    assert isinstance(events[-1], Answered)
    assert not (it.folder / "made").exists()


def test_old_outputs_are_dropped_before_the_context_is_full(session):
    big = "```bash\nseq {n} {m}\n```"
    it = session(*(big.format(n=n, m=n + 400) for n in range(9)), "Done.", window=2900)
    events = it.play("count on")
    assert any(isinstance(event, Compacted) for event in events)
    assert "(output dropped to save room)" in "".join(map(words, it.model.asked[-1]))
    assert "count on" in said(it, -1, 1)
    assert events[-1] == Answered("Done.")


def test_a_request_that_does_not_fit_is_an_error_with_numbers(session):
    it = session("never", window=1024)
    with pytest.raises(ContextFullError, match="context is 1024") as caught:
        it.play("word " * 3000)
    assert caught.value.exit == 6
    assert it.model.asked == []


def test_an_interrupt_keeps_what_was_said_and_runs_nothing(session):
    it = session("```bash\ntouch made\n```\n" + "words " * 50, "Fine.")
    turn = it.loop.run_turn(it.prompts.agents["coder"], "do it")
    next(turn)
    next(turn)
    assert isinstance(turn.throw(KeyboardInterrupt), Interrupted)
    assert not it.model.streaming
    turn.close()
    it.play("again")
    assert said(it, -1, -2).endswith("(interrupted by the person)")
    assert not (it.folder / "made").exists()


def test_an_interrupt_in_a_block_kills_it_and_is_told(session):
    it = session("```bash\necho begun; sleep 600\n```", "Fine.")
    turn = it.loop.run_turn(it.prompts.agents["coder"], "do it")
    while type(event := next(turn)).__name__ != "Output":
        pass
    assert event.text.startswith("begun")
    events = [turn.throw(KeyboardInterrupt), *turn]
    assert kinds(events) == ["Returned", "Interrupted"]
    it.play("again")
    assert "bash interrupted by the person]\n```output\nbegun" in said(it)


def test_the_engine_never_gets_a_reply_limit_below_what_is_useful(session):
    it = session("Fine.", window=1500)
    it.play()
    (sampling,) = it.model.samplings
    assert 256 <= sampling.output < 1500


def test_undo_takes_a_turn_back(session):
    it = session("```bash\nrm keep; echo b > new\n```", "Done.")
    (it.folder / "keep").write_text("a")
    it.play()
    it.loop.checkpoints.undo(1, ask=lambda question: False)
    assert [path.name for path in it.folder.iterdir() if path.name != ".tripletick"] == ["keep"]


def test_giving_up_says_why_and_what_to_type(session):
    end = session(*["```bash\ntrue\n```"] * 3).play()[-1]
    assert end.reason == "Gave up: the same block gave the same result 3 times."
    assert (end.exit, end.hint.partition(";")[0]) == (1, "No files were changed")


def test_giving_up_names_the_files_that_the_turn_changed_also_by_the_shell(session):
    it = session("```python:a.py\nprint(1)\n```", *["```bash\necho >> b; rm -f a.py\n```"] * 3)
    (it.folder / "c.txt").write_text("mine")
    end = it.play()[-1]
    assert end.hint == "Changed: b. To restore the files: tripletick undo"


def test_an_answer_carries_what_differs_from_before_the_turn(session):
    it = session("```text:new.txt\na\n```\n```bash\nrm old; echo 2 >> kept\n```", "Done.")
    for name in ("old", "kept", "same"):
        (it.folder / name).write_text("1\n")
    changes = {change.path: change.action for change in it.play()[-1].files}
    assert changes == {"new.txt": "created", "old": "deleted", "kept": "changed"}


def test_the_second_yes_that_nobody_could_give_needs_a_person(session):
    it = session(
        "```read\na.py\n```", *[f"```python:a.py\n# ... existing code ...\nx = {n}\n```" for n in (1, 2)]
    )
    (it.folder / "a.py").write_text("print(1)\n")
    end = it.play()[-1]
    assert (end.code, end.exit) == ("refused", 3)
    assert (it.folder / "a.py").read_text() == "print(1)\n"


def test_what_is_only_for_the_log_is_an_event_and_not_told(session):
    it = session("```bash\necho a\n```\n```bash\necho a\n```", "Done.")
    events = it.play()
    assert last(events, Refused).problem.code == "repeat"
    assert said(it) == "[result 1: bash ok]\n```output\na\n```"


def test_results_carry_their_numbers(session):
    it = session("```bash\necho a\n```\n```bash\necho b\n```", "Done.")
    events = it.play()
    assert [event.number for event in events if isinstance(event, Called)] == [1, 2]
    assert [event.number for event in events if isinstance(event, Returned)] == [1, 2]
