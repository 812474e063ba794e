"""A request as a plan: asked for, agreed to, carried out, changed, stopped, gone on with, answered."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest
from tests.bad_server import BadServer, answer, done, line, stream
from tests.planners import REQUEST, WRITES, change, failed, made, open_sitting, plan, slow, to

from tripletick.events import (
    Answered,
    Ask,
    GaveUp,
    InTask,
    Interrupted,
    Notice,
    PlanChanged,
    Repairing,
    Returned,
    Routed,
    Text,
)
from tripletick.messages import Answer, FileChange
from tripletick.sandbox.box import Grant

AB = plan(("1", "coder", "make a"), ("2", "coder", "make b", "1"))
ABC = plan(("1", "coder", "make a"), ("2", "coder", "make b", "1"), ("3", "coder", "make c", "2"))

LARGE = "make a site and deploy it and write the docs"


@pytest.fixture
def sitting(tmp_path):
    with ExitStack() as stack:
        yield lambda *replies, **words: stack.enter_context(open_sitting(tmp_path, *replies, **words))


def notices(events):
    return [event.text for event in events if isinstance(event, Notice)]


# asking


def test_the_plan_is_asked_at_the_end_of_the_history_and_read_from_a_json_block(sitting):
    it = sitting(AB, made("a"), made("b"))
    it.play()
    first = it.model.asked[0]
    assert [message.role for message in first] == ["system", "user"]
    assert REQUEST in first[1].text and "- explorer: Look into" in first[1].text
    assert "planner" not in first[1].text.partition("\n")[2]
    assert it.states() == {"1": "done", "2": "done"}


def test_the_engine_is_sent_the_schema_with_the_agents_there_are(sitting):
    it = sitting(AB, made("a"), made("b"))
    it.play()
    schema = it.model.samplings[0].schema
    entry = schema["properties"]["tasks"]["items"]
    assert {"coder", "explorer"} <= set(entry["properties"]["agent"]["enum"])
    assert "planner" not in entry["properties"]["agent"]["enum"]
    assert all(sampling.schema is None for sampling in it.model.samplings[1:])


def test_a_server_that_knows_no_schemas_is_asked_without_one(tmp_path):
    old = {"error": "cannot unmarshal object into Go struct field ChatRequest.format of type string"}
    single = stream(line(plan(("1", "casual", "say it"))), done())
    acts = {
        "/api/chat": [answer(400, json.dumps(old)), single, stream(line("It is said."), done())],
        "/api/show": [answer(200, json.dumps({"model_info": {}}))],
        "/api/version": [answer(200, json.dumps({"version": "0.4.0"}))],
        "/api/generate": [answer(200, json.dumps({"done": True}))],
    }
    with BadServer(acts) as server, open_sitting(tmp_path, model={"name": "m", "host": server.url}) as it:
        end = it.play()[-1]
        sent = [one.body for one in server.asked if one.path == "/api/chat"]
    assert end.text == "It is said."
    assert ["format" in body for body in sent] == [True, False, False]


def test_a_bare_json_answer_is_read_and_not_shown(sitting):
    bare = json.dumps(
        {
            "tasks": [
                {"id": 1, "agent": "coder", "task": "make a"},
                {"id": 2, "agent": "coder", "task": "make b", "needs": [1]},
            ]
        }
    )
    it = sitting(bare, made("a"), made("b"))
    events = it.play()
    assert it.states() == {"1": "done", "2": "done"}
    assert not any(isinstance(event, Text) and "{" in event.text for event in events)


def test_an_invalid_plan_is_told_and_asked_again(sitting):
    it = sitting(plan(("1", "painter", "make a"), ("2", "coder", "make b", "9")), AB, made("a"), made("b"))
    events = it.play()
    assert "there is no agent 'painter'" in it.model.asked[1][-1].text
    assert "Task 2 needs 9, and there is no such task" in it.model.asked[1][-1].text
    assert [event.attempt for event in events if isinstance(event, Repairing)] == [1]
    assert isinstance(events[-1], Answered)


def test_without_a_plan_after_the_attempts_it_is_given_up_with_what_to_type(sitting):
    end = sitting("I would rather not.", "No.").play()[-1]
    assert isinstance(end, GaveUp)
    assert (end.code, end.exit) == ("plan", 1)
    assert "2 attempts" in end.reason and "@coder" in end.hint


def test_words_instead_of_a_plan_are_told_to_the_user_once(sitting):
    events = sitting("I would rather not.", "No.", AB, agent={"name": "planner", "max_attempts": 5}).play()
    told = [event.error for event in events if isinstance(event, Repairing)]
    assert told == ["the model answered without a plan"]
    assert (
        events[-1].reason == "Gave up: no plan after 2 attempts, the last: the model answered without a plan"
    )


def test_where_nobody_named_the_planner_another_agent_does_the_request(sitting):
    it = sitting("Sure, I will.", "I am on it.", WRITES.format("page"), "It is made.", agent={"name": "auto"})
    events = it.play(turn=it.app.handle_request(LARGE))
    assert "The model wrote no plan: coder handles the request." in notices(events)
    assert events[-1].text == "It is made."
    assert (it.app.folder / "page.txt").exists()
    sent = it.model.asked[2]
    assert [message.role for message in sent] == ["system", "user"]
    assert sent[1].text.startswith("[coder: ") and "json" not in sent[1].text


# going on


def test_go_on_after_a_plan_that_was_stopped_does_the_rest_without_asking_again(sitting):
    it = sitting(ABC, made("a"), slow("b"), made("c"), person=True)
    it.play("y", "n", stop="2")
    events = it.play(turn=it.app.handle_request("ok, go on"))
    assert it.states() == {"1": "done", "2": "done", "3": "done"}
    assert len(it.asked) == 2
    assert isinstance(events[-1], Answered)


def test_go_on_takes_back_what_was_lent_to_the_turn_before(sitting):
    it = sitting(AB, made("a"), slow("b"))
    it.play(stop="2")
    it.app.loop.gate.lent["folder"] = Grant(network=True)
    it.app.loop.context.outside.add_page("http://example.test/", "words of a stranger")
    it.play(turn=it.app.handle_request("go on"))
    assert it.states() == {"1": "done", "2": "done"}
    assert not it.app.loop.gate.lent and not it.app.loop.context.outside.sources


def test_go_on_after_a_plan_with_a_failure_does_again_what_failed(sitting):
    it = sitting(AB, failed("a"), "go on", made("a"), made("b"))
    assert it.play()[-1].hint == "To retry the rest: go on"
    it.play(turn=it.app.handle_request("go on"))
    assert it.states() == {"1": "done", "2": "done"}


@pytest.mark.parametrize("name", ["auto", "planner"])
def test_go_on_after_a_plan_that_is_done_goes_to_who_worked_last(sitting, name):
    ab = plan(("1", "coder", "make a"), ("2", "file", "make b", "1"))
    it = sitting(ab, made("a"), made("b"), "All is done.", agent={"name": name})
    it.play(turn=it.app.handle_request(f"@planner {REQUEST}"))
    events = it.play(turn=it.app.handle_request("go on"))
    assert [event.agent for event in events if isinstance(event, Routed)] == ["file"]
    assert events[-1].text == "All is done."


def test_a_request_after_a_plan_leaves_the_plan(sitting):
    it = sitting(ABC, made("a"), slow("b"), "Hello.", "Fine.", person=True, agent={"name": "auto"})
    it.play("y", "n", stop="2", turn=it.app.handle_request(f"@planner {REQUEST}"))
    it.play(turn=it.app.handle_request("@casual hello"))
    assert it.play(turn=it.app.handle_request("go on"))[-1].text == "Fine."


def test_a_session_that_is_resumed_goes_on_with_its_plan_at_the_word(sitting):
    it = sitting(ABC, made("a"), slow("b"), person=True)
    it.play("y", "n", stop="2")
    name = it.app.log.id
    it.app.close()
    again = sitting(made("b"), made("c"), past=name)
    again.play(turn=again.app.handle_request("continue"))
    assert again.states() == {"1": "done", "2": "done", "3": "done"}


def test_two_json_blocks_are_refused_rather_than_guessed_at(sitting):
    it = sitting(f"{AB}\n{ABC}", AB, made("a"), made("b"))
    it.play()
    assert "There are 2 ```json blocks" in it.model.asked[1][-1].text


def test_a_question_of_the_planner_goes_to_the_person(sitting):
    it = sitting("REQUEST_CLARIFICATION Which folder?", AB, made("a"), made("b"), person=True)
    it.play(Answer("y", "this one"), "y")
    assert it.asked[0].question == "Which folder?"
    assert it.model.asked[1][-1].text == "this one"


def test_without_a_person_a_question_of_the_planner_ends_the_turn(sitting):
    end = sitting("REQUEST_CLARIFICATION Which folder?").play()[-1]
    assert (end.code, end.exit, end.answer) == ("clarification", 3, "Which folder?")


def test_a_plan_of_one_task_is_simply_run_in_the_sessions_own_conversation(sitting):
    it = sitting(plan(("1", "coder", "make a")), "```write:a.txt\na\n```", "a is made.", person=True)
    events = it.play()
    assert not it.asked and not any(isinstance(event, PlanChanged) for event in events)
    assert Routed("coder", "planner") in events
    assert events[-1].text == "a is made."
    assert REQUEST in it.model.asked[-1][1].text


# agreeing


def test_a_yes_of_the_person_runs_the_plan_that_was_shown(sitting):
    it = sitting(AB, made("a"), made("b"), person=True)
    events = it.play("y")
    kinds = [type(event) for event in events]
    assert kinds.index(PlanChanged) < kinds.index(Ask) < kinds.index(InTask)
    assert it.asked[0].choices == "yne?"


def test_a_no_ends_it_with_what_to_type_and_nothing_was_run(sitting):
    it = sitting(AB, person=True)
    end = it.play("n")[-1]
    assert (end.code, end.exit) == ("refused", 1)
    assert "@coder" in end.hint
    assert not list(it.app.folder.iterdir()) and it.states() == {}


def test_a_no_with_words_has_the_planner_plan_anew(sitting):
    it = sitting(ABC, AB, made("a"), made("b"), person=True)
    it.play(Answer("n", "leave c out"), "y")
    assert it.model.asked[1][-1].text.endswith("The person wants another plan: leave c out")
    assert it.states() == {"1": "done", "2": "done"}


def test_the_person_edits_the_plan(sitting):
    it = sitting(AB, made("a"), made("c"), person=True)
    text = "1 coder: make a\n2 coder: make c  (needs 1)"
    it.play(Answer("e", text), "y")
    assert "1 coder: make a\n2 coder: make b  (needs 1)" in it.asked[0].edit
    assert sorted(path.name for path in it.app.folder.glob("*.txt")) == ["a.txt", "c.txt"]


def test_what_is_wrong_with_an_edited_plan_is_told_by_its_line_and_nothing_is_lost(sitting):
    it = sitting(AB, made("a"), made("b"), person=True)
    wrong = "1 coder: make a\n2 codr: make b  (needs 7)"
    events = it.play(Answer("e", wrong), Answer("e", wrong.replace("codr", "coder").replace("7", "1")), "y")
    assert notices(events)[0].startswith("Line 2: Task 2: there is no agent 'codr'.")
    assert notices(events)[1].startswith("Line 2: Task 2 needs 7")
    assert it.asked[1].edit == wrong and it.asked[1].default == "e"
    assert it.states() == {"1": "done", "2": "done"}


def test_without_a_person_the_plan_is_run_and_the_log_says_so(sitting):
    events = sitting(AB, made("a"), made("b")).play()
    assert "Running the plan without confirmation: no one is there to confirm it." in notices(events)


def test_yes_on_the_command_line_and_the_setting_count_as_a_yes(sitting, tmp_path):
    it = sitting(AB, made("a"), made("b"), person=True, yes=True)
    assert "Running the plan without confirmation: -y was given." in notices(it.play())
    with open_sitting(tmp_path, AB, made("a"), made("b"), person=True, planner={"confirm": False}) as other:
        assert "Running the plan without confirmation: [planner] confirm is no." in notices(other.play())
    assert not it.asked and not other.asked


# carrying out


def test_the_answer_says_what_was_done_and_which_files_and_stands_in_the_conversation(sitting):
    it = sitting(AB, made("a"), made("b"))
    end = it.play()[-1]
    assert isinstance(end, Answered)
    assert end.text.startswith("Done:\n- 1 coder: make a\n  a is made.\n- 2 coder: make b\n  b is made.")
    assert end.text.endswith("Files:\na.txt (created), b.txt (created)")
    assert end.files == (FileChange("a.txt", "created"), FileChange("b.txt", "created"))
    talk = it.app.loop.conversation.build_messages()
    assert [message.role for message in talk] == ["system", "user", "assistant", "user", "assistant"]
    assert talk[-1].text == end.text


def test_a_plan_of_three_with_a_failure_is_changed_and_done_another_way(sitting):
    other = change(("4", "coder", "make d", "1"), ("3", "coder", "make c", "4"))
    it = sitting(ABC, made("a"), failed("b"), other, made("d"), made("c"))
    end = it.play()[-1]
    assert it.states() == {"1": "done", "2": "failed", "4": "done", "3": "done"}
    assert "- task 2 (coder, needs 1), failed: make b" in it.told()
    assert "- task 3 (coder, needs 2), not begun: make c" in it.told()
    assert isinstance(end, Answered)
    assert "Not done:\n- 2 coder: make b (failed: Gave up: 2 failures in a row" in end.text
    assert "the plan was changed for it" in end.text


def test_go_on_leaves_the_plan_as_it_is_and_skips_what_needs_the_failed_task(sitting):
    free = plan(("1", "coder", "make a"), ("2", "coder", "make b", "1"), ("3", "coder", "make c"))
    it = sitting(free, failed("a"), "Go on.", made("c"))
    end = it.play()[-1]
    assert it.states() == {"1": "failed", "2": "skipped", "3": "done"}
    assert (end.code, end.exit) == ("plan", 1)
    assert "- 2 coder: make b (skipped: it needs task 1, which failed)" in end.answer
    assert "task 1, task 2" in end.reason and end.hint.startswith("Changed: c.txt.")


def test_a_task_that_answered_although_its_last_block_failed_has_the_plan_looked_at(sitting):
    it = sitting(AB, to("make a", "```bash\nfalse\n```", "a is made."), "go on", made("b"))
    it.play()
    assert "done, but it answered although its last block had failed (failed, exit 1)" in it.told()
    assert it.states() == {"1": "done", "2": "done"}


def test_the_planner_may_drop_what_is_pending(sitting):
    it = sitting(ABC, made("a"), failed("b"), change())
    end = it.play()[-1]
    assert it.states() == {"1": "done", "2": "failed", "3": "skipped"}
    assert "- 3 coder: make c (skipped: left out when the plan was changed)" in end.answer


def test_what_is_done_is_not_changed(sitting):
    wrong = change(("1", "coder", "make it otherwise"), ("4", "coder", "make d"))
    it = sitting(AB, made("a"), failed("b"), wrong, change(("4", "coder", "make d")), made("d"))
    it.play()
    assert "Task 1 is done and cannot be changed" in it.told()
    assert it.states() == {"1": "done", "2": "failed", "4": "done"}


def test_a_change_that_cannot_be_read_leaves_the_plan_as_it_is(sitting):
    it = sitting(ABC, made("a"), failed("b"), "What?", "Pardon?")
    events = it.play()
    assert any(text.startswith("The plan could not be changed") for text in notices(events))
    assert it.states() == {"1": "done", "2": "failed", "3": "skipped"}


def test_an_engine_that_fails_while_the_plan_is_looked_at_loses_nothing(sitting):
    it = sitting(ABC, made("a"), failed("b"))
    events = it.play()
    assert "The script has no reply left." in notices(events)
    assert it.states() == {"1": "done", "2": "failed", "3": "skipped"}
    assert events[-1].code == "plan"


def test_changes_are_bounded(sitting):
    first = plan(("1", "coder", "make a"), ("2", "coder", "make z"))
    again = change(("3", "coder", "make b"), ("2", "coder", "make z"))
    it = sitting(first, failed("a"), again, failed("b"), made("z"), planner={"max_replans": 1})
    it.play()
    assert it.states() == {"1": "failed", "3": "failed", "2": "done"}
    assert len([sent for sent in it.model.asked if REQUEST in sent[1].text]) == 2


def test_the_tasks_of_a_plan_are_bounded_with_all_that_its_changes_add(sitting):
    many = change(*((str(n), "coder", f"make {n}") for n in range(5, 8)))
    it = sitting(AB, failed("a"), many, "go on", planner={"max_tasks": 3})
    it.play()
    assert "With these the plan has had 4 tasks, and 3 are the most" in it.told()


def test_the_question_of_a_task_goes_to_the_person_under_its_name(sitting):
    asks = to("make a", "REQUEST_CLARIFICATION Which colour?", "a is red.")
    it = sitting(AB, asks, made("b"), person=True)
    it.play("y", Answer("y", "red"))
    assert it.asked[1].question == "task 1 (coder): Which colour?"
    assert it.states() == {"1": "done", "2": "done"}


def test_without_a_person_a_task_that_asks_fails(sitting):
    it = sitting(AB, to("make a", "REQUEST_CLARIFICATION Which colour?"), "go on")
    it.play()
    assert it.tasks["1"].status == "failed"
    assert "Which colour?" in it.tasks["1"].result


def test_the_whole_plan_is_one_turn_of_undo(sitting):
    it = sitting(AB, made("a"), made("b"))
    it.play()
    it.play(turn=it.app.undo_turns(1, lambda line: True))
    assert not list(it.app.folder.glob("*.txt"))


def test_a_request_that_follows_knows_what_came_of_the_plan(sitting):
    it = sitting(AB, made("a"), made("b"), plan(("1", "casual", "say it")), "It is a and b.")
    it.play()
    it.play()
    assert any("b is made." in message.text for message in it.model.asked[-1])


# stopping and going on


def test_ctrl_c_keeps_what_is_done_and_asks_whether_to_go_on(sitting):
    it = sitting(AB, made("a"), slow("b"), person=True)
    events = it.play("y", "y", stop="2")
    assert it.asked[1].question == "Stopped. Continue with the rest of the plan (1 task)?"
    assert it.states() == {"1": "done", "2": "done"}
    assert isinstance(events[-1], Answered)


def test_a_no_after_ctrl_c_ends_the_turn_as_interrupted(sitting):
    it = sitting(AB, made("a"), slow("b"), person=True)
    events = it.play("y", "n", stop="2")
    assert isinstance(events[-1], Interrupted)
    assert it.states() == {"1": "done", "2": "pending"}
    assert "- 2 coder: make b (not begun)" in it.app.loop.conversation.build_messages()[-1].text


def test_ctrl_c_that_comes_when_all_is_done_loses_nothing(sitting):
    it = sitting(AB, made("a"), made("b"))
    end = it.play(stop="2")[-1]
    assert it.states()["1"] == "done"
    assert isinstance(end, Answered | Interrupted)
    assert isinstance(end, Answered) == (it.states()["2"] == "done")


def test_ctrl_c_without_a_person_ends_the_turn(sitting):
    it = sitting(AB, made("a"), slow("b"))
    assert isinstance(it.play(stop="2")[-1], Interrupted)
    assert not it.asked


def test_a_plan_that_was_stopped_is_gone_on_with_in_a_resumed_session(sitting, tmp_path):
    it = sitting(AB, made("a"), slow("b"))
    it.play(stop="2")
    it.app.close()
    with open_sitting(tmp_path, made("b"), person=True, past=it.app.log.id) as later:
        later.play(turn=later.app.open_session())
        end = later.play("y", turn=later.app.resume_plan())[-1]
    assert later.asked[0].question == "A plan of this session is unfinished (1 task left). Continue it?"
    assert later.states() == {"1": "done", "2": "done"}
    assert "a is made." in end.text and "b is made." in end.text


def test_a_no_leaves_the_plan_and_it_is_not_asked_again(sitting, tmp_path):
    it = sitting(AB, made("a"), slow("b"))
    it.play(stop="2")
    it.app.close()
    with open_sitting(tmp_path, person=True, past=it.app.log.id) as later:
        assert later.play("n", turn=later.app.resume_plan())[-1].code == "refused"
    with open_sitting(tmp_path, person=True, past=it.app.log.id) as again:
        assert again.play(turn=again.app.resume_plan()) == []


def test_a_task_whose_agent_is_gone_fails_when_its_plan_is_gone_on_with(sitting, tmp_path):
    it = sitting(AB, made("a"), slow("b"))
    it.play(stop="2")
    it.app.close()
    log = it.app.log.path
    log.write_text(
        log.read_text().replace('"agent":"coder","task":"make b"', '"agent":"gone","task":"make b"')
    )
    with open_sitting(tmp_path, person=True, past=it.app.log.id) as later:
        end = later.play("y", turn=later.app.resume_plan())[-1]
    assert "- 2 gone: make b (failed: its agent is not there any more)" in end.answer


def test_retry_goes_back_to_before_the_plan(sitting):
    it = sitting(plan(("1", "casual", "say it")), "It is a.", plan(("1", "casual", "say it")), "It is b.")
    it.play()
    it.play(turn=it.app.retry_request())
    assert [len(sent) for sent in it.model.asked] == [2, 4, 2, 4]


def test_blocks_of_a_task_are_run_and_told(sitting):
    events = sitting(AB, made("a"), made("b")).play()
    ran = [
        event.event.result.verdict
        for event in events
        if isinstance(event, InTask) and isinstance(event.event, Returned)
    ]
    assert ran == ["ok, saved a.txt", "ok, saved b.txt"]
