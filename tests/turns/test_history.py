"""A conversation is rebuilt from its log as it was sent, whatever was done to it."""

import json
import time
from contextlib import closing

import pytest

from tripletick.config.config import Config
from tripletick.config.schema import AgentSection, ModelSection
from tripletick.event_log import session_log
from tripletick.event_log.session_log import SessionLog
from tripletick.history import history
from tripletick.history.transcript import joined, transcript
from tripletick.messages import DONE, Answer, Message
from tripletick.models.conversation import Conversation, ConversationEntry, TokenBudget
from tripletick.session.session import App
from tripletick.system import dirs

LONG = "```bash\nseq 1 400\n```"
FAILS = "```bash\necho no; exit 3\n```"
ODD = "```bash\nprintf 'a\\0b \\377 \\342\\200\\256 end'\n```"
ASKS = "REQUEST_CLARIFICATION Which one?"


@pytest.fixture
def life(tmp_path):
    """Live a session through some turns; gives what was sent and said last, and its log's records."""
    (tmp_path / "project").mkdir()

    def opened(replies, past=None, folder="project", window=16384):
        (tmp_path / "script.json").write_text(json.dumps(replies))
        name = f"scripted:{tmp_path / 'script.json'}"
        config = Config(agent=AgentSection("coder"), model=ModelSection(name, context=window))
        found = dirs.find_dirs()._replace(state=tmp_path / "state")
        log = SessionLog.open(
            found.sessions, workspace=tmp_path / folder, session_id=past.id if past else None
        )
        return App(config, found, tmp_path / folder, log, past=past)

    return opened


def play(app, *turns):
    for turn in turns:
        app.run_turn(turn, [], lambda question: Answer("y", "the first"))


def told(app):
    """All that the model has been sent and has said so far."""
    return app.loop.conversation.build_messages()


def past_of(app):
    return history.rebuild(session_log.read_records(app.log.path).records)


def agreed(line):
    return True


def two_agents(app):
    play(app, app.handle_request("first"))
    app.use_agent("casual")
    play(app, app.handle_request("second"))


def undone(app):
    play(app, app.handle_request("first"), app.undo_turns(1, agreed))


def stopped(app):
    def stop(event):
        if type(event).__name__ == "Text":
            raise KeyboardInterrupt

    app.run_turn(app.handle_request("first"), [stop], lambda question: Answer("y"))


LIVES = {
    "failures": ([FAILS, FAILS, "Sorry."], lambda app: play(app, app.handle_request("first"))),
    "odd bytes": ([ODD, "Done."], lambda app: play(app, app.handle_request("first \ud83d \0 \u202e"))),
    "a question": ([ASKS, "Good."], lambda app: play(app, app.handle_request("first"))),
    "two agents": ([LONG, "one", "two"], two_agents),
    "an undo": (["```text:a\nb\n```", "Done."], undone),
    "a retry": (["one", "two"], lambda app: play(app, app.handle_request("first"), app.retry_request())),
    "a new beginning": (
        ["one", "two"],
        lambda app: play(app, app.handle_request("a"), app.clear_conversation(), app.handle_request("b")),
    ),
    "a command by hand": (
        ["one"],
        lambda app: play(app, app.handle_request("first"), app.run_script("echo by hand")),
    ),
    "a stop": (["a long answer to be stopped " * 9], stopped),
    "a script without replies": (
        ["one"],
        lambda app: play(app, app.handle_request("first"), app.handle_request("second")),
    ),
}


@pytest.mark.parametrize("name", LIVES)
def test_what_is_sent_after_a_resume_begins_with_all_that_was_sent_and_said(life, name):
    replies, live = LIVES[name]
    with closing(life(replies)) as app:
        live(app)
        before = told(app)
    with closing(life(["Hello again."], past_of(app))) as again:
        play(again, again.handle_request("what follows"))
        (sent,) = again.loop.replies.model.asked
    whole = before[:-1] if before[-1].role == "user" else before
    assert sent[: len(whole)] == whole
    assert sent[-1].text.startswith(before[-1].text if before[-1].role == "user" else "[")
    assert "\nTask: what follows\n" in sent[-1].text


def test_what_was_compacted_comes_back_compacted(life):
    with closing(life([LONG, LONG, LONG, LONG, LONG, "Done."], window=2048)) as app:
        play(app, app.handle_request("count"))
        before = told(app)
    assert any("dropped to save room" in message.text for message in before)
    assert [entry.message for entry in past_of(app).entries] == before[1:]


def test_what_was_summed_up_comes_back_as_the_summary(life):
    with closing(life(["one", "two", "three", "All was counted."])) as app:
        play(app, *(app.handle_request(f"request {number} " + "x" * 900) for number in range(3)))
        play(app, app.loop.replies.compact_history())
        before = told(app)
    assert "All was counted." in [message.text for message in before]
    with closing(life(["Hello again."], past_of(app))) as again:
        play(again, again.handle_request("what follows"))
        assert again.loop.replies.model.asked[0][: len(before)] == before


def test_a_session_that_was_killed_while_the_model_wrote_has_what_was_sent(life):
    app = life(["one", "two " * 99])
    play(app, app.handle_request("first"))

    def killed(event):
        if type(event).__name__ == "Text":
            raise SystemExit

    with pytest.raises(SystemExit):
        app.run_turn(app.handle_request("second"), [killed], lambda question: Answer("y"))
    sent = app.loop.replies.model.asked[-1]
    assert [entry.message for entry in past_of(app).entries] == sent[1:]
    app.close()


def test_a_session_is_resumed_twice_and_a_third_time(life):
    app = life(["one"])
    for number in range(3):
        play(app, app.handle_request(f"request {number}"))
        before = told(app)
        app.close()
        app = life([f"answer {number}"], past_of(app))
    with closing(app):
        play(app, app.handle_request("last"))
        assert told(app)[: len(before)] == before


def test_the_estimate_of_tokens_goes_on_where_it_was(life):
    with closing(life(["one"])) as app:
        play(app, app.handle_request("first"))
        budget = app.loop.replies.budget
    with closing(life(["two"], past_of(app))) as again:
        play(again, again.open_session())
        assert again.loop.replies.budget == budget


def test_the_last_request_of_a_session_that_was_resumed_can_be_asked_again(life):
    with closing(life(["zero", "one"])) as app:
        play(app, app.handle_request("first"), app.handle_request("second"))
        asked = app.loop.replies.model.asked[-1]
    with closing(life(["two"], past_of(app))) as again:
        play(again, again.retry_request())
        assert again.loop.replies.model.asked == [asked]


def test_in_another_folder_the_model_reads_all_anew_and_the_person_is_told(life, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    with closing(life(["one"])) as app:
        play(app, app.handle_request("first"))
        before = told(app)
    lines = []
    with closing(life(["two"], past_of(app), folder="elsewhere")) as again:
        again.run_turn(
            again.handle_request("second"),
            [lambda event: lines.append(str(event))],
            lambda asked: Answer("y"),
        )
        sent = told(again)
    assert sent[1:3] == before[1:]
    assert any("read the whole conversation again" in line for line in lines)


def test_where_a_record_of_the_conversation_is_missing_requests_and_answers_are_taken_up(life):
    with closing(life([LONG, "one", "two"])) as app:
        play(app, app.handle_request("first"), app.handle_request("second"))
    records = list(session_log.read_records(app.log.path).records)
    numbers = [at for at, record in enumerate(records) if record["event"] == history.EVENT]
    del records[numbers[1]]
    past = history.rebuild(records)
    assert not past.exact
    assert [entry.message.text for entry in past.entries] == ["first", "one", "second", "two"]


@pytest.mark.parametrize(
    "damage",
    [
        {"keep": 9},
        {"keep": "1"},
        {"entries": 5},
        {"entries": ["x"]},
        {"entries": [{"message": "x"}]},
        {"before": {"length": float("inf"), "last": None, "introduced": []}},
        {"system": None},
        {"budget": {}},
        {"before": 3},
        {"number": "x"},
    ],
)
def test_a_damaged_record_is_never_believed(damage):
    conversation = Conversation("system", entries=[ConversationEntry(Message("user", "hi"))])
    record = history.Written().changes(conversation, TokenBudget(100), model="m")
    assert record
    assert history.rebuild([record]).exact
    assert not history.rebuild([{**record, **damage}]).exact


@pytest.mark.parametrize(
    "damaged",
    [
        {"event": "Changed", "files": [{"file": {"path": "a", "action": "created", "newer": 1}}]},
        {"event": "Changed", "files": [1]},
        {"event": "Answered", "receipt": {"ran": 1}},
        {"event": "Answered", "receipt": {"files": [], "newer": 1}},
        {"event": "Answered", "receipt": {"files": [], "saved": [1]}},
        {"event": "GaveUp", "reason": "", "exit": "x"},
        {"event": "InTask", "task": "1", "inner": {"event": "Changed", "files": [1]}},
    ],
)
def test_a_record_that_is_damaged_or_of_another_version_is_passed_over(damaged):
    asked = [
        {"event": "Requested", "text": "Hi"},
        {"event": "Text", "text": "Hel"},
        {"event": "Text", "text": "lo"},
    ]
    told = transcript([*asked, damaged])
    assert (told.requests, told.answer) == (["Hi"], "Hello")
    assert told.outcome == DONE or damaged["event"] != "Answered"


def test_the_pieces_of_a_long_output_are_joined_at_once():
    pieces = [{"event": "Output", "text": "x" * 80 + "\n"}] * 50_000
    begun = time.process_time()
    (whole,) = joined(pieces)
    assert whole["text"] == ("x" * 80 + "\n") * 50_000
    assert time.process_time() - begun < 5


def test_a_conversation_that_has_not_changed_is_not_written_again():
    written, conversation = (
        history.Written(),
        Conversation("system", entries=[ConversationEntry(Message("user", "hi"))]),
    )
    assert written.changes(conversation, TokenBudget(100))
    assert written.changes(conversation, TokenBudget(100)) is None
    conversation.add_reply("there")
    more = written.changes(conversation, TokenBudget(100)) or {}
    assert (more["number"], more["keep"], more["entries"][0]["message"]["text"]) == (1, 1, "there")
    assert "system" not in more


def test_a_mention_says_nothing_of_who_gets_what_follows():
    decided = [("coder", "flag"), ("casual", "mention"), ("file", ["damaged"])]
    past = history.rebuild([{"event": "Routed", "agent": agent, "by": by} for agent, by in decided])
    assert (past.agent, past.worked) == ("coder", ["coder", "casual", "file"])


def test_steps_are_missed_only_where_a_reply_came():
    past = history.Past(exact=False, entries=[ConversationEntry(Message("user", "hi"))])
    assert list(past.take_up(Conversation(""), TokenBudget(4096), past.workspace, "")) == []
    past.entries.append(ConversationEntry(Message("assistant", "Hello.")))
    assert list(past.take_up(Conversation(""), TokenBudget(4096), past.workspace, "")) == [history.INEXACT]
