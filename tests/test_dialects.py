"""Which dialect a session has, that it keeps it, and that the person is told."""

import json
from contextlib import closing
from dataclasses import replace

import pytest

from tripletick.agents import definitions
from tripletick.config.config import Config
from tripletick.config.schema import AgentSection, ModelSection
from tripletick.dialects import selection
from tripletick.event_log import session_log
from tripletick.event_log.session_log import SessionLog
from tripletick.events import Answered, Loading, Notice
from tripletick.history import history
from tripletick.messages import Answer
from tripletick.models.model import ModelInfo
from tripletick.session.session import App
from tripletick.system import dirs

CAN, CANNOT = (
    ModelInfo("m", "ollama", can=("completion", "tools")),
    ModelInfo("m", "ollama", can=("completion",)),
)
LS = {"text": "", "calls": [{"name": "bash", "arguments": {"command": "echo one"}}]}
TAGS = '<tool>bash(command="echo one")</tool>'


@pytest.fixture
def life(tmp_path):
    (tmp_path / "project").mkdir()

    def opened(dialect, replies, past=None):
        script = tmp_path / "script.json"
        script.write_text(json.dumps(replies))
        config = Config(
            agent=AgentSection("coder", dialect=dialect),
            model=ModelSection(f"scripted:{script}", context=16384),
        )
        found = dirs.find_dirs()._replace(state=tmp_path / "state")
        log = SessionLog.open(
            found.sessions, workspace=tmp_path / "project", session_id=past.id if past else None
        )
        return App(config, found, tmp_path / "project", log, past=past)

    return opened


def play(app, turn):
    events: list[object] = []
    app.run_turn(turn, [events.append], lambda question: Answer("y"))
    return events


def past_of(app):
    return history.rebuild(session_log.read_records(app.log.path).records)


@pytest.mark.parametrize("wanted", ["fence", "xml", "native"])
def test_a_dialect_that_is_set_is_the_session_s(wanted):
    assert selection.choose_dialect(wanted, CAN) == selection.DialectChoice(wanted, "as set")


def test_native_that_is_set_is_used_where_the_server_lists_no_function_calling_and_that_is_said():
    chosen = selection.choose_dialect("native", CANNOT)
    assert chosen.name == "native"
    assert chosen.notice.startswith("The server does not list function calling for m.")


def test_auto_is_what_was_measured_of_the_model_and_fences_where_nothing_was():
    assert selection.choose_dialect("auto", CAN) == selection.DialectChoice(
        "fence", "auto: this model has not been measured"
    )
    for name, dialect in selection.load_measured().items():
        assert dialect in ("fence", "xml", "native")
        assert selection.choose_dialect("auto", replace(CAN, name=f"hf.co/owner/{name}:8b")).name == dialect


@pytest.mark.parametrize(("dialect", "reply"), [("xml", TAGS), ("native", LS)])
def test_a_session_that_is_gone_on_with_keeps_its_dialect_byte_for_byte(life, dialect, reply):
    with closing(life(dialect, [reply, "Done."])) as app:
        assert isinstance(play(app, app.handle_request("first"))[-1], Answered)
        before = app.loop.conversation.build_messages()
    with closing(life("fence", [reply, "Again."], past_of(app))) as again:
        play(again, again.handle_request("second"))
        assert again.loop.replies.dialect.name == dialect
        assert again.loop.conversation.build_messages()[: len(before)] == before


def test_another_model_of_another_dialect_reads_calls_as_words(life, tmp_path):
    with closing(life("native", [LS, "Done."])) as app:
        play(app, app.handle_request("first"))
        (tmp_path / "other.json").write_text(json.dumps(["Fine."]))
        app.config = replace(app.config, agent=replace(app.config.agent, dialect="xml"))
        events = play(app, app.use_model(f"scripted:{tmp_path / 'other.json'}"))
        assert any(
            isinstance(event, Notice) and "read the whole conversation again" in event.text
            for event in events
        )
        system, _, called, told, *_ = app.loop.conversation.build_messages()
    assert "<answer>" in system.text
    assert (called.text, called.calls) == (TAGS, ())
    assert told.text.startswith("[result 1: bash ok]")
    assert told.results == ()


def test_a_model_that_cannot_is_said_when_it_is_loaded(life):
    with closing(life("native", ["Hi."])) as app:
        told = list(selection.choose_with_notice("native", CANNOT))
        events = play(app, app.handle_request("first"))
    assert [type(event) for event in told] == [Notice]
    assert any(isinstance(event, Loading) for event in events)


def test_every_dialect_has_its_system_prompt_filled():
    prompts = definitions.load_prompts(dirs.find_dirs().prompts)
    for dialect in ("xml", "native"):
        said = prompts.format_system_prompt(dialect, system="Debian", folder="f", tools="read(path)")
        assert said.endswith("System: Debian. Folder: f.")
        assert "```" not in said
    assert "Tools: read(path)\n" in prompts.format_system_prompt(
        "xml", system="", folder="", tools="read(path)"
    )
