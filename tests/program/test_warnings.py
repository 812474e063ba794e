"""Every message of a long or troubled talk with a server, each caused by a server on a real socket."""

import inspect
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from tests.bad_server import AHEAD, STALL, BadServer, answer, done, line, stream
from tests.terminal import CTRL_C, opened
from tests.test_openai import CHAT, HELLO, PROPS, event, models

from tripletick.models import failures, hosts, server_monitor
from tripletick.turn import endings
from tripletick.ui import compaction_text, status_line

TAGS = answer(200, json.dumps({"models": [{"name": "qwen2.5-coder:3b"}, {"name": "llama3.2:1b"}]}))
VERSION = answer(200, json.dumps({"version": "0.12.9"}))
LOADED = answer(200, json.dumps({"done": True, "done_reason": "load"}))
SUMMARY = "Five parts of notes.txt were read."
DONE = stream(line("Done."), done(prompt_eval_count=900))


def served(*chat, context=8192):
    about = {"model_info": {"general.architecture": "a", "a.context_length": context}}
    acts: dict[str, Any] = {"show": [answer(200, json.dumps(about))], "tags": [TAGS], "version": [VERSION]}
    acts |= {"generate": [LOADED], "chat": chat}
    return BadServer({f"/api/{name}": act for name, act in acts.items()})


def block(text, **counts):
    return stream(line(f"```{text}\n```"), done(**counts))


@pytest.fixture
def ask(home):
    """Do one task with this server; give what the person reads, and the exit code."""

    def run(server, *words, model="any", **env):
        kept = {name: os.environ[name] for name in ("PATH", "LC_ALL") if name in os.environ}
        command = [sys.executable, "-m", "tripletick.cli", "-m", model, "-a", "coder", "-C", "."]
        command += ["--host", server.url]
        ended = subprocess.run(
            [*command, *words, "do it"],
            cwd=home / "project",
            env={
                **kept,
                "HOME": str(home),
                "LANG": "C.UTF-8",
                "PYTHONWARNINGS": "error",
                "TRIPLETICK_AGENT": "coder",
                **env,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=150,
        )
        return ended.stderr, ended.returncode

    return run


def test_a_missing_model_names_the_closest_and_the_command_that_gets_it(ask):
    server = served()
    server.acts["/api/show"] = [answer(404, '{"error": "model not found"}')]
    with server:
        told, code = ask(server, model="qwen2.5-coder:7b")
    assert "Model 'qwen2.5-coder:7b' is not on this server. Closest: qwen2.5-coder:3b." in told
    assert "Download it: tripletick models pull qwen2.5-coder:7b" in told
    assert code == 5


def test_with_v_the_traceback_is_told_and_without_it_three_lines(ask):
    server = served()
    server.acts["/api/show"] = [answer(404, '{"error": "model not found"}')]
    with server:
        (told, _), (whole, _) = ask(server), ask(server, "-v")
    assert "Traceback" not in told and len(told.splitlines()) <= 3
    assert "Traceback (most recent call last)" in whole


def test_a_conversation_that_the_server_refuses_is_compacted_and_goes_on(ask, home):
    (home / "project" / "notes.txt").write_text("A line of notes.\n" * 2000)
    reads = [block(f"read\nnotes.txt:{at}-{at + 200}") for at in (1, 201, 401, 601, 801)]
    full = {
        "error": {"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 9012, "n_ctx": 4096}
    }
    refused = answer(400, json.dumps({"error": json.dumps(full)}))
    with served(*reads, refused, stream(line(SUMMARY), done()), DONE, context=4096) as server:
        told, code = ask(server)
        last = server.last.body["messages"]
    needs = (
        "The conversation needs 9 012 tokens, but the model's context is 4 096. Compacted to [0-9 ]+; "
        "continuing."
    )
    assert re.search(needs, told)
    assert "Dropped: the outputs of 3 old messages." in told
    assert f"old messages:\n  {SUMMARY}" in told
    assert (last[2]["content"], code) == (SUMMARY, 0)


def test_a_host_that_is_not_this_machine_is_named_before_anything_goes_there(ask):
    # it is reached through a proxy, which stands for the machine elsewhere
    server = served(DONE)
    server.acts = {f"http://models.example:80{path}": acts for path, acts in server.acts.items()}
    with server:
        told, code = ask(server, "--host", "http://models.example", http_proxy=server.url)
    assert "Files and messages are sent to models.example, which is not this machine." in told
    assert code == 0


def test_messages_that_the_server_dropped_are_told(ask):
    with served(block("bash\necho 1", prompt_eval_count=500), stream(line("Done."), done())) as server:
        told, code = ask(server)
    assert "The server silently dropped old messages. Update Ollama (0.12.4 or newer)." in told
    assert code == 0


def test_a_model_that_another_program_had_reloaded_is_told(ask):
    again = stream(line("Done."), done(load_duration=3_200_000_000))
    with served(block("bash\necho 1"), again) as server:
        told, _ = ask(server)
    assert "The model was reloaded (3.2 s) because another program uses it with other settings." in told


def test_giving_up_names_the_last_error_the_files_and_the_way_back(ask):
    replies = [block(f"bash\ntouch made-{n}; echo wrong {n}; exit {n}") for n in range(1, 6)]
    with served(*replies) as server:
        told, code = ask(server)
    assert "Gave up: 5 failures in a row, the last: bash failed, exit 5: wrong 5." in told
    # the fresh start after the third failure took back what was made before it
    assert "Changed: made-4, made-5. To restore the files: tripletick undo" in told
    assert code == 1


def test_a_long_wait_for_the_first_token_names_the_prompt_and_the_way_out(home):
    with (
        served([*stream(end=False), STALL]) as server,
        opened(home, "-m", "any", "--host", server.url, TRIPLETICK_UI_SLOW="0.3") as terminal,
    ):
        terminal.wait("coder>").send("do it").wait("Reading ", " prompt tokens … ", " s (Ctrl+C stops)")
        terminal.type(CTRL_C).wait("stopped").wait_line("coder>")


def test_loading_is_shown_until_the_model_is_there_then_reading(home):
    loaded, read = threading.Event(), threading.Event()

    def load():
        loaded.wait(60)
        yield from LOADED

    def reply():
        read.wait(60)
        yield from DONE

    server = served(reply())
    server.acts["/api/generate"] = [load()]
    with server, opened(home, "-m", "any", "--host", server.url, "do it") as terminal:
        terminal.wait("coder  loading ollama:any  ")
        loaded.set()
        terminal.wait("coder  reading ", " tokens  ")
        read.set()
        assert terminal.wait("Done.").end() == 0


def test_a_bar_shows_how_far_the_prompt_is_read_where_the_server_says_it(home):
    read = threading.Event()
    half = event(prompt_progress={"total": 2048, "cache": 1024, "processed": 1536})

    def reply():
        yield from stream(half, end=False)
        read.wait(60)
        yield from stream(*HELLO)[1:]

    props = answer(200, json.dumps(PROPS | {"default_generation_settings": {"n_ctx": 8192}}))
    acts = {"/v1/models": [models({"id": "m"})], "/props": [props], CHAT: [reply()]}
    with (
        BadServer(acts) as server,
        opened(home, "-m", "openai:m", "--host", server.url, "do it") as terminal,
    ):
        terminal.wait("coder  reading 1k tokens  [#####-----] 50 %")
        read.set()
        assert terminal.wait("Hello").end() == 0
    (log,) = (home / ".local" / "state" / "tripletick" / "sessions").glob("*.jsonl")
    assert "Progress" not in log.read_text()


def test_the_model_is_loaded_while_the_first_line_is_typed(home):
    with served(DONE) as server, opened(home, "-m", "any", "--host", server.url) as terminal:
        terminal.wait("coder>")
        server.wait_for("/api/generate")
        server.wait_for(AHEAD)
        terminal.send("do it").wait("Done.").wait_line("coder>")
        loads = [asked.body for asked in server.asked if asked.path == "/api/generate"]
        [ahead] = [asked.body["messages"] for asked in server.asked if asked.path == AHEAD]
        first = server.last.body["messages"]
    assert ahead == first[:-1]
    assert [(body["options"]["num_ctx"], "prompt" in body) for body in loads] == [(8192, False)]


def test_a_server_that_never_ends_loading_holds_nobody_up(home):
    server = served(DONE)
    server.acts["/api/generate"] = [[STALL]]
    with server, opened(home, "-m", "any", "--host", server.url) as terminal:
        terminal.wait("coder>").send("/exit")
        assert terminal.end() == 0


def test_the_folders_own_rules_are_asked_about_and_told_the_model(home):
    (home / "project" / "AGENTS.md").write_text("Use tabs.\n")
    with served(DONE) as server, opened(home, "-m", "any", "--host", server.url) as terminal:
        terminal.wait("This folder brings AGENTS.md (1 lines). Use it?").type("y\r")
        terminal.wait("coder>").send("do it").wait("Done.").wait_line("coder>")
        first = server.last.body["messages"][1]["content"]
    assert "The folder's AGENTS.md says:\nUse tabs.\n" in first
    assert first.index("Use tabs.") < first.index("do it")


def test_without_a_yes_the_folders_own_rules_are_not_told(ask, home):
    (home / "project" / "AGENTS.md").write_text("Use tabs.\n")
    with served(DONE) as server:
        told, _ = ask(server)
        sent = json.dumps(server.last.body)
    assert "AGENTS.md of this folder: not used, because not approved yet" in told
    assert "Use tabs." not in sent


def test_compact_shows_what_stands_for_what_went(home):
    talk = [
        stream(line(f"Answer {n}. " + "Some words. " * 40), done(prompt_eval_count=900)) for n in range(3)
    ]
    with (
        served(*talk, stream(line("Three questions."), done()), DONE) as server,
        opened(home, "-m", "any", "--host", server.url) as terminal,
    ):
        for number in range(3):
            terminal.wait_line("coder>").send(f"ask {number}").wait(f"Answer {number}.")
        terminal.wait_line("coder>").send("/compact").wait(
            "Summary replacing 3 old messages:", "Three questions."
        )
        terminal.wait_line("coder>").send("go on").wait("Done.")
        sent = [message["content"] for message in server.last.body["messages"]]
    assert sent[2] == "Three questions."
    assert "Answer 2." in sent[4]


CAUSED_BY: dict[str, Callable[..., None]] = {
    failures.MISSING.what: test_a_missing_model_names_the_closest_and_the_command_that_gets_it,
    failures.MISSING.remedy: test_a_missing_model_names_the_closest_and_the_command_that_gets_it,
    compaction_text.NEEDS: test_a_conversation_that_the_server_refuses_is_compacted_and_goes_on,
    server_monitor.DROPPED: test_messages_that_the_server_dropped_are_told,
    server_monitor.RELOADED: test_a_model_that_another_program_had_reloaded_is_told,
    status_line.READING: test_a_long_wait_for_the_first_token_names_the_prompt_and_the_way_out,
    endings.GAVE_UP: test_giving_up_names_the_last_error_the_files_and_the_way_back,
    endings.UNDO: test_giving_up_names_the_last_error_the_files_and_the_way_back,
    hosts.GOES_THERE: test_a_host_that_is_not_this_machine_is_named_before_anything_goes_there,
}
"""What a person is told when something is amiss, and the test that makes it happen."""


@pytest.mark.parametrize("message", CAUSED_BY)
def test_every_message_is_caused_by_a_test_that_reads_all_of_it(message):
    read = re.sub(r"\"\s+\"", "", inspect.getsource(CAUSED_BY[message]))
    assert all(part in read for part in re.split(r"\{.*?\}", message))
