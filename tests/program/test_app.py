"""What the chat asks of a session, without a terminal."""

import json
from itertools import pairwise

import pytest

from tripletick.config.config import Config
from tripletick.config.schema import AgentSection, ModelSection
from tripletick.event_log.session_log import SessionLog
from tripletick.events import (
    Answered,
    Event,
    GaveUp,
    Interrupted,
    Loading,
    Notice,
    Output,
    Returned,
    TakenBack,
)
from tripletick.messages import Answer
from tripletick.session.session import App
from tripletick.system import dirs

SAVE = "```python:hello.py\nprint('hello')\n```"


@pytest.fixture
def talk(tmp_path):
    """Open a session on scripted replies; `play` gives a turn's events."""
    (tmp_path / "project").mkdir()
    opened = []

    def open_session(*replies, **model):
        (tmp_path / "script.json").write_text(json.dumps(replies))
        engine = ModelSection(f"scripted:{tmp_path / 'script.json'}", **model)
        config = Config(agent=AgentSection("coder"), model=engine)
        found = dirs.find_dirs()._replace(state=tmp_path / "state")
        log = SessionLog.open(found.sessions, workspace=tmp_path / "project")
        opened.append(App(config, found, tmp_path / "project", log))
        return opened[-1]

    yield open_session
    for app in opened:
        app.close()


def play(app, turn):
    events: list[Event] = []
    app.run_turn(turn, [events.append], lambda question: Answer("y"))
    return events


def only(events, kind):
    return [event for event in events if isinstance(event, kind)]


def sent(app):
    """The messages of the last request, without the system prompt."""
    return [message.text for message in app.loop.replies.model.asked[-1][1:]]


def test_requests_to_several_agents_are_one_growing_conversation(talk):
    app = talk("one", "two", "three")
    for name, words in (("coder", "a"), ("casual", "b"), ("coder", "c")):
        app.use_agent(name)
        play(app, app.handle_request(words))
    asked = app.loop.replies.model.asked
    assert all(later[: len(sooner)] == sooner for sooner, later in pairwise(asked))
    assert [message.text for message in asked[-1][2::2]] == ["one", "two"]
    assert "\nTask: c\n" in sent(app)[-1]


def test_the_folders_names_are_told_once_in_the_first_request_with_tools(talk):
    app = talk("one", "two", "three")
    (app.folder / "data.csv").write_text("1\n")
    for name in ("casual", "coder", "file"):
        app.use_agent(name)
        play(app, app.handle_request("do it"))
    assert ["Files here: data.csv" in text for text in sent(app)[::2]] == [False, True, False]


def test_what_a_request_names_is_no_more_at_work_in_the_next(talk):
    app = talk("one", "two")
    for name, words, asked in (("coder", "Write names.py.", "names.py"), ("casual", "hello", "")):
        app.use_agent(name)
        play(app, app.handle_request(words))
        ledger = app.loop.context.ledger
        assert (ledger.asked, asked in ledger.named) == (asked, bool(asked))


def test_an_unknown_agent_changes_nothing(talk):
    app = talk("one")
    with pytest.raises(Exception, match="Available: casual, coder, executor"):
        app.use_agent("nobody")
    assert app.config.agent.name == "coder"


def test_a_retry_asks_the_same_again_warmer_with_the_history_cut_back(talk):
    app = talk("zero", SAVE, "one", "two")
    play(app, app.handle_request("first"))
    play(app, app.handle_request("second"))
    events = play(app, app.retry_request())
    model = app.loop.replies.model
    assert (only(events, TakenBack), only(events, Answered)) == (
        [TakenBack("request")],
        [Answered("two")],
    )
    assert model.asked[-1] == model.asked[1]
    assert [sampling.temperature for sampling in model.samplings] == [0.0, 0.0, 0.0, 0.4]


def test_what_follows_a_retry_is_as_warm_as_before(talk):
    app = talk("one", "two", "three", temperature=1.9)
    for turn in (app.handle_request("first"), app.retry_request(), app.handle_request("second")):
        play(app, turn)
    assert [each.temperature for each in app.loop.replies.model.samplings] == [1.9, 2.0, 1.9]


def test_a_retry_of_a_request_that_grew_an_unanswered_message_keeps_that_message(talk):
    app = talk("one", "two")
    play(app, app.run_script("echo before"))
    play(app, app.handle_request("first"))
    first = sent(app)
    play(app, app.retry_request())
    assert sent(app) == first
    assert "before" in first[0]


def test_a_retry_without_a_request_says_so(talk):
    app = talk()
    (end,) = only(play(app, app.retry_request()), GaveUp)
    assert "nothing to retry" in end.reason


def test_clear_begins_anew_with_the_same_system_prompt(talk):
    app = talk(SAVE, "one", "two")
    play(app, app.handle_request("first"))
    assert only(play(app, app.clear_conversation()), TakenBack) == [TakenBack("start")]
    play(app, app.handle_request("second"))
    asked = app.loop.replies.model.asked
    assert asked[-1][0] == asked[0][0]
    (again,) = sent(app)
    assert "You write and run programs" in again
    assert "first" not in again
    assert app.loop.context.ledger.known == set()


def test_a_command_of_the_persons_runs_in_the_box_and_its_output_is_read_with_the_next_request(talk):
    app = talk("I see.")
    app.use_agent("casual")
    (back,) = only(play(app, app.run_script("echo $((6 * 7)) | tee made")), Returned)
    play(app, app.handle_request("what is it"))
    assert (back.result.outcome, back.result.text.strip()) == ("ok", "42")
    (message,) = sent(app)
    assert message.startswith("The person ran this script, not you:\necho $((6 * 7))")
    assert "```output\n42\n```" in message
    assert message.endswith("what is it")


def test_what_a_command_of_the_persons_changed_can_be_undone(talk, tmp_path):
    app = talk()
    play(app, app.run_script("echo x > made"))
    play(app, app.undo_turns(1, lambda line: True))
    assert not (tmp_path / "project" / "made").exists()


def test_an_undo_is_told_to_the_model(talk, tmp_path):
    app = talk(SAVE, "one", "two")
    play(app, app.handle_request("write it"))
    (notice,) = only(play(app, app.undo_turns(1, lambda line: True)), Notice)
    play(app, app.handle_request("and now"))
    assert not (tmp_path / "project" / "hello.py").exists()
    assert "Removed: hello.py." in notice.text
    assert "The person undid your work on “write it”.\nRemoved: hello.py.\n\n[coder" in sent(app)[-1]


def test_a_redo_is_told_to_the_model(talk, tmp_path):
    app = talk(SAVE, "one", "two")
    play(app, app.handle_request("write it"))
    play(app, app.undo_turns(1, lambda line: True))
    play(app, app.redo_turns(1, lambda line: True))
    play(app, app.handle_request("and now"))
    assert (tmp_path / "project" / "hello.py").exists()
    assert "your work is there again.\nRestored: hello.py.\n\n[coder" in sent(app)[-1]


def test_an_undo_that_leaves_everything_is_not_told_to_the_model(talk, tmp_path):
    app = talk(SAVE, "one", "two")
    play(app, app.handle_request("write it"))
    (tmp_path / "project" / "hello.py").write_text("edited")
    play(app, app.undo_turns(1, lambda line: False))
    play(app, app.handle_request("and now"))
    assert "undid" not in sent(app)[-1]


def test_an_interrupted_command_that_left_what_runs_later_is_told(talk):
    app = talk("one")
    turn = app.run_script("echo > .envrc; echo there; sleep 50")
    for event in turn:
        if isinstance(event, Output):
            break
    told = [turn.throw(KeyboardInterrupt), *turn]
    assert any(isinstance(event, Notice) and ".envrc" in event.text for event in told)


def test_an_undo_of_nothing_is_not_told_to_the_model(talk):
    app = talk("one", "two")
    play(app, app.handle_request("talk"))
    play(app, app.undo_turns(1, lambda line: True))
    play(app, app.handle_request("go on"))
    assert "undid" not in sent(app)[-1]


def test_another_model_reads_the_whole_conversation(talk, tmp_path):
    app = talk("one")
    play(app, app.handle_request("first"))
    sooner, old = sent(app), app.loop.replies.model
    (tmp_path / "other.md").write_text("two")
    events = play(app, app.use_model(f"scripted:{tmp_path / 'other.md'}"))
    play(app, app.handle_request("second"))
    assert (
        len(only(events, Loading)),
        "read the whole conversation again" in only(events, Notice)[-1].text,
    ) == (1, True)
    assert app.loop.replies.model is not old
    assert sent(app)[:2] == [*sooner, "one"]


def test_a_model_that_cannot_be_opened_leaves_the_old_one_at_work(talk):
    app = talk("one", "two")
    play(app, app.handle_request("first"))
    (end,) = only(play(app, app.use_model("scripted:nowhere.md")), GaveUp)
    assert end.exit == 5
    assert only(play(app, app.handle_request("second")), Answered) == [Answered("two")]


def test_an_interrupted_command_is_an_event_and_no_block_is_left(talk):
    app = talk()
    events = []

    def stop(event):
        events.append(event)
        if type(event).__name__ == "Output":
            raise KeyboardInterrupt

    app.run_turn(app.run_script("echo begun; sleep 613.5"), [stop], lambda question: Answer("n"))
    assert only(events, Interrupted)
    assert "interrupted by the person" in app.loop.conversation.entries[-1].message.text
