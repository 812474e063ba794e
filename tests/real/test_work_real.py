"""Requests that a real model works on, through the product; how well it does is reported, not judged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
import requests

from tripletick.agents import definitions
from tripletick.config.config import Config
from tripletick.event_log.session_log import SessionLog
from tripletick.events import Answered, Called, Event, Returned, Usage
from tripletick.messages import Message
from tripletick.models import EngineSettings
from tripletick.models.model import Sampling
from tripletick.models.ollama import Ollama
from tripletick.session.session import App
from tripletick.system import dirs

ONE = Sampling(output=1)
REPAIRS = {
    "python": ("print(undefined)", "print('mended')"),
    "javascript": ("console.log(missing)", "console.log('mended')"),
    "c": ("int main(void) { return x; }", '#include <stdio.h>\nint main(void) { puts("mended"); }'),
    "go": (
        "package main\n\nfunc main() { println(x) }",
        'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("mended") }',
    ),
    "java": (
        "class Main { public static void main(String[] a) { x(); } }",
        'class Main { public static void main(String[] a) { System.out.println("mended"); } }',
    ),
}


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


def run(home, *words):
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-m", "tripletick.cli", "-C", ".", "-o", "json", *words],
        cwd=home / "project",
        # what a request says in these tests is not what the script does
        env={**kept, "HOME": str(home), "TRIPLETICK_AGENT": "coder"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def unload(ollama):
    """Make the server forget what it has read: other sessions begin with the same prompt."""
    told = {"model": ollama.model, "messages": [], "keep_alive": 0}
    requests.post(f"{ollama.host}/api/chat", json=told, timeout=60).raise_for_status()


def logged(home):
    (log,) = (home / ".local/state/tripletick/sessions").glob("*.jsonl")
    return [json.loads(line) for line in log.read_text().splitlines()]


@pytest.fixture
def app(ollama, home):
    config = Config()
    config = replace(
        config,
        model=replace(config.model, name=ollama.model, host=ollama.host, context=2048, output=60),
        agent=replace(config.agent, name="casual"),
    )
    found = dirs.find_dirs()._replace(state=home / "state")
    app = App(config, found, home / "project", SessionLog.open(found.sessions, workspace=home / "project"))
    yield app
    app.close()


def test_a_block_of_the_real_model_is_run_and_its_real_result_sent_back(ollama, home, report):
    done = run(home, "-m", ollama.model, "--host", ollama.host, "--ctx", "2048", "What is 17*23? Use python.")
    told, events = json.loads(done.stdout), logged(home)
    results = [event["result"] for event in events if event["event"] == "Returned"]
    assert told["blocks"] >= 1, told
    assert any(result["exit"] is not None for result in results)
    assert told["steps"] >= 2
    right = "391" in json.dumps(results) + str(told["answer"])
    report(f"17*23 by {ollama.model}: {'right' if right else 'wrong'}, {told['blocks']} blocks run")


def test_later_prompts_of_a_conversation_are_not_read_again(ollama, app):
    unload(ollama)
    counted = []
    for request in ("Tell me about the sea.", "And about rivers?", "And about lakes?"):
        events: list[Event] = []
        app.run_turn(app.handle_request(request), [events.append], lambda ask: pytest.fail(ask.question))
        assert isinstance(events[-1], Answered)
        counted += [event.counts for event in events if isinstance(event, Usage)]
    cold, *later = counted
    assert len(later) == 2
    for before, now in zip(counted, later, strict=False):
        assert now.prompt > before.prompt
        assert now.prompt_seconds / now.prompt < cold.prompt_seconds / cold.prompt / 2


@pytest.mark.parametrize("voice", ["base", "teacher"])
def test_the_prompts_are_as_short_as_they_must_be(ollama, report, voice):
    model = Ollama(ollama.model, EngineSettings(host=ollama.host))
    model.set_context(4096)
    base = dirs.find_dirs().prompts
    prompts = definitions.load_prompts(base, *definitions.find_personality_folders(base, voice))

    def tokens(*messages):
        *_, end = model.stream(messages, ONE)
        assert end.counts
        return end.counts.prompt

    bare = tokens(Message("system", ""), Message("user", "x"))
    system = prompts.format_system_prompt(system="Debian 12, bash, python 3.11", folder="my-project")
    sizes = {"system": tokens(Message("system", system), Message("user", "x")) - bare}
    for agent in prompts.agents.values():
        card = f"{agent.format_line(('c', 'go', 'java', 'javascript'))}\n{agent.card}\n{agent.forms}\nx"
        sizes[agent.name] = tokens(Message("system", ""), Message("user", card)) - bare
    report(f"tokens of {voice}: {', '.join(f'{name} {size}' for name, size in sizes.items())}")
    assert sizes.pop("system") < 250
    assert max(sizes.values()) < 140


@pytest.mark.parametrize("language", REPAIRS)
def test_a_failing_program_is_repaired(home, language):
    broken, mended = REPAIRS[language]
    replies = [f"```{language}\n{broken}\n```", f"Mended:\n```{language}\n{mended}\n```", "It works."]
    (home / "script.json").write_text(json.dumps(replies))
    told = json.loads(run(home, "-m", f"scripted:{home / 'script.json'}", "make it work").stdout)
    first, second = (event["result"] for event in logged(home) if event["event"] == "Returned")
    assert (first["outcome"], second["outcome"], second["text"].strip()) == ("failed", "ok", "mended")
    assert (told["exit"], told["attempts"], told["answer"]) == (0, 1, "It works.\n\nOutput: mended")


def test_a_missing_model_and_a_too_long_prompt_have_their_exit_codes(ollama, home):
    missing = run(home, "-m", "smoll", "--host", ollama.host, "do it")
    assert (missing.returncode, "Closest: smol" in missing.stderr) == (5, True)
    long = run(home, "-m", ollama.model, "--host", ollama.host, "--ctx", "1024", "word " * 3000)
    assert (long.returncode, json.loads(long.stdout)["error"]["code"]) == (6, "context")


def test_without_a_name_the_newest_model_is_taken_and_said(ollama, home):
    done = run(home, "--host", ollama.host, "-a", "casual", "--ctx", "1024", "Say hi.")
    assert json.loads(done.stdout)["model"] == "ollama:smol:latest"
    assert "smol:latest" in done.stderr


def test_stopping_in_mid_answer_keeps_the_text_and_frees_the_server(app):
    turn = app.handle_request("Tell me a very long story.")
    events = []

    def stop(event):
        events.append(event)
        if type(event).__name__ == "Text" and len(events) > 8:
            raise KeyboardInterrupt

    app.run_turn(turn, [stop], lambda ask: pytest.fail(ask.question))
    assert type(events[-1]).__name__ == "Interrupted"
    assert "(interrupted by the person)" in app.loop.conversation.build_messages()[-1].text
    app.run_turn(app.handle_request("Say hi."), [events.append], lambda ask: pytest.fail(ask.question))
    assert isinstance(events[-1], Answered)
    assert not any(isinstance(event, Called | Returned) for event in events)
