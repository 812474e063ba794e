"""A model for each agent: which one a turn goes to, what wins, and what is said of it."""

import json

import pytest
from tests.bad_server import BadServer, stream
from tests.planners import made, plan
from tests.program.test_cli import run
from tests.terminal import opened
from tests.test_openai import CHAT, HELLO, models

RELOADS = "Changing models takes time"


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


@pytest.fixture
def server():
    listed = models({"id": "alpha", "max_model_len": 8192}, {"id": "beta", "max_model_len": 4096})
    with BadServer({"/v1/models": [listed], CHAT: [stream(*HELLO)]}) as server:
        yield server


def configure(home, server, text):
    path = home / ".config" / "tripletick" / "config.ini"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"[model]\nname = openai:alpha\nhost = {server.url}\n{text}")


def asked(server):
    """The requests for replies, as they were sent."""
    return [asked.body for asked in server.asked if asked.path == CHAT]


def test_the_turn_of_an_agent_goes_to_its_model_and_the_conversation_goes_along(home, server):
    configure(home, server, "[model.casual]\nname = openai:beta\n")
    with opened(home, "-a", "coder") as terminal:
        terminal.wait_line("coder>").send("one").wait("Hello").wait_line("coder>")
        terminal.send("@casual two").wait("casual uses its own model, openai:beta", RELOADS)
        terminal.wait_line("coder>").send("@coder three").wait("Switched to openai:alpha")
        terminal.wait_line("coder>")
        assert terminal.scrolled().count(RELOADS) == 1
    assert [body["model"] for body in asked(server)] == ["alpha", "beta", "alpha"]
    assert [len(body["messages"]) for body in asked(server)] == [2, 4, 6]


def test_the_chat_names_the_models_of_the_server_as_they_are_chosen(home, server):
    configure(home, server, "")
    with opened(home, "-a", "casual") as terminal:
        terminal.wait_line("casual>").send("/model").wait("openai:beta", "Current model: openai:alpha")
        terminal.wait_line("casual>").type("/model openai:be\t").wait("> /model openai:beta").type("\r")
        terminal.wait("Switched to openai:beta")


def test_what_is_chosen_in_the_chat_is_for_all(home, server):
    configure(home, server, "[model.casual]\nname = openai:beta\n")
    with opened(home, "-a", "casual") as terminal:
        terminal.wait_line("casual>").send("/model openai:alpha").wait("Switched to openai:alpha")
        terminal.wait_line("casual>").send("one").wait("Hello").wait_line("casual>")
    assert asked(server)[-1]["model"] == "alpha"


@pytest.mark.parametrize(
    ("words", "env", "model"),
    [
        ((), {}, "beta"),
        (("-m", "openai:alpha"), {}, "alpha"),
        ((), {"TRIPLETICK_MODEL": "openai:alpha"}, "alpha"),
        (("-a", "coder"), {}, "alpha"),
    ],
)
def test_a_flag_and_a_variable_win_over_the_section_of_an_agent(home, server, words, env, model):
    configure(home, server, "[model.casual]\nname = openai:beta\n")
    assert run(home, "-a", "casual", *words, "say hello", **env).returncode == 0
    assert asked(server)[-1]["model"] == model


def test_what_is_only_sampled_otherwise_is_the_same_model(home, server):
    configure(home, server, "temperature = 0.25\n[model.reviewer]\ntemperature = 0.75\noutput = 100\n")
    done = run(home, "-a", "reviewer", "say hello")
    assert (asked(server)[-1]["temperature"], asked(server)[-1]["max_tokens"]) == (0.75, 100)
    assert "model of its own" not in done.stderr


def test_a_section_of_nobody_is_told_with_its_line_and_the_nearest_agent(home, server):
    configure(home, server, "[model.codr]\nname = openai:beta\n")
    done = run(home, "-a", "coder", "say hello")
    assert (
        "config.ini:5: no agent is named 'codr' (did you mean coder?); its model is ignored." in done.stderr
    )


def test_a_model_that_is_missing_ends_that_turn_alone(home, server):
    configure(home, server, "[model.casual]\nname = openai:gamma\n")
    with opened(home, "-a", "coder") as terminal:
        terminal.wait_line("coder>").send("one").wait("Hello").wait_line("coder>")
        terminal.send("@casual two").wait("Model 'gamma' is not on this server").wait_line("coder>")
        terminal.send("@coder three").wait("Hello").wait_line("coder>")
    assert [body["model"] for body in asked(server)] == ["alpha", "alpha"]


def test_an_agent_of_the_folder_names_a_model_that_the_server_has(home, server):
    folder = home / "project" / ".tripletick" / "agents"
    folder.mkdir(parents=True)
    for name, model in (("poet", "openai:beta"), ("bard", "openai:gamma")):
        (folder / f"{name}.md").write_text(f"---\nwhen = Verse.\nmodel = {model}\n---\nYou rhyme.\n")
    configure(home, server, "")
    with opened(home, "-a", "poet", "say one") as terminal:
        terminal.wait("bard.md (no tags, openai:gamma)", "[y/n/?]").send("y")
        terminal.wait("openai:gamma is ignored", "Hello").end()
    assert asked(server)[-1]["model"] == "beta"


def test_a_session_goes_on_with_the_model_of_its_agent(home, server):
    configure(home, server, "[model.casual]\nname = openai:beta\n")
    run(home, "-a", "casual", "say one")
    with opened(home, "-a", "casual", "resume") as terminal:
        terminal.wait_line("casual>").send("two").wait("Hello").wait_line("casual>")
        assert "conversation again" not in terminal.scrolled()
    first, second = asked(server)
    assert (second["model"], second["messages"][: len(first["messages"])]) == ("beta", first["messages"])


def test_the_tasks_of_a_plan_go_to_the_models_of_their_agents(home, server):
    whole = [plan(("1", "coder", "make a"), ("2", "file", "make b", "1")), *made("a")]
    (home / "plan.json").write_text(json.dumps(whole))
    (home / "file.json").write_text(json.dumps(made("b")))
    configure(home, server, "")
    config = home / ".config" / "tripletick" / "config.ini"
    plan_s, file_s = (f"name = scripted:{home / name}" for name in ("plan.json", "file.json"))
    config.write_text(f"[model]\n{plan_s}\n[model.file]\n{file_s}\n")
    assert run(home, "-y", "-a", "planner", "do it all").returncode == 0
    assert (home / "project" / "b.txt").read_text() == "b\n"
