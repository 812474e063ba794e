"""The first start: no server, a server with models, a server that has to be started; and never a question
where nobody is there."""

import json
import os
import signal

import pytest
from tests.bad_server import HANG, BadServer, Trick, answer, done, line, stream
from tests.fetched import cache_of, put, put_all
from tests.program.alone import NOTE
from tests.program.test_cli import run
from tests.scenes import free_port, with_ollama
from tests.terminal import CTRL_C, CTRL_D, opened

from tripletick.models import catalog, probes
from tripletick.system.text import format_download_size

CLOSED = "http://127.0.0.1:9"
ABOUT = answer(
    200,
    json.dumps(
        {
            "model_info": {
                "general.architecture": "a",
                "a.context_length": 8192,
                "general.parameter_count": 7_600_000_000,
            },
            "capabilities": ["completion"],
        }
    ),
)
LOADED = answer(200, json.dumps({"done": True, "done_reason": "load"}))
VERSION = answer(200, json.dumps({"version": "0.12.9"}))
MODELS = [
    {"name": "alpha:7b", "size": 470_000_000, "details": {"quantization_level": "Q4_K_M"}},
    {"name": "beta:1b", "size": 130_000_000, "details": {}},
]


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


def served(*streams, models=MODELS):
    tags = answer(200, json.dumps({"models": models}))
    return BadServer(
        {"/api/show": [ABOUT], "/api/tags": [tags], "/api/version": [VERSION], "/api/chat": list(streams)}
    )


def settings(home):
    path = home / ".config" / "tripletick" / "config.ini"
    return path.read_text() if path.exists() else ""


def without_ollama(home):
    """A PATH with a folder of our own on it alone."""
    (home / "bin").mkdir()
    return str(home / "bin")


def test_without_a_server_the_ways_out_are_shown_and_the_chat_opens_all_the_same(home):
    with opened(home, "--host", CLOSED, PATH=without_ollama(home)) as terminal:
        terminal.wait("Your choice?")
        terminal.type("\r").wait("No model is set up yet.", "no model yet").wait_line("coder>")
        assert terminal.type(CTRL_D).end() == 0
    assert settings(home) == ""


@pytest.mark.parametrize("keys", ["n\r", "\r", CTRL_C])
def test_without_a_server_a_task_ends_with_exit_4(home, keys):
    with opened(home, "--host", CLOSED, "do this", PATH=without_ollama(home)) as terminal:
        terminal.wait("Your choice?").type(keys).wait("No model is set up yet.")
        assert terminal.end() == 4


def test_a_question_mark_explains_the_choice(home):
    with opened(home, "--host", CLOSED, PATH=without_ollama(home)) as terminal:
        terminal.wait("Your choice?").type("?\r").wait("o downloads the model from ")
        assert "serve" not in terminal.lines()[-2]


def test_the_model_that_suits_the_machine_is_taken_and_saved(home):
    put_all(home)
    suited = catalog.choose_best(cache_of(home))
    with opened(home, "--host", CLOSED, PATH=without_ollama(home)) as terminal:
        terminal.wait("Your choice?").type("o\r").wait("Saved to", "coder>")
        assert f"{suited.name} ({format_download_size(suited.size)})" in " ".join(terminal.text().split())
    assert settings(home) == f"[model]\nname = {suited.full_name}\n"


def best_of(home):
    put_all(home)
    best = catalog.choose_best_fetched(cache_of(home), home / "engines")
    assert best
    return best


def test_where_no_server_answers_the_best_model_that_was_fetched_goes_on(home):
    best = best_of(home)
    with opened(home, OLLAMA_HOST="127.0.0.1:9", PATH=without_ollama(home)) as terminal:
        terminal.wait(f"Model {best.full_name}, without a server", "coder>")
        assert "Your choice?" not in terminal.text()
    assert settings(home) == ""


def test_a_task_without_a_terminal_takes_the_best_model_that_was_fetched_and_says_so(home):
    best = best_of(home)
    done = run(home, "say hello", OLLAMA_HOST="127.0.0.1:9")
    # the files of these tests are no models
    assert (done.returncode, "cannot be used" in done.stderr) == (5, True)
    assert f"Model {best.full_name}, without a server (-m NAME chooses another).\n" in done.stderr


def test_doctor_takes_the_model_that_a_task_would_take(home):
    best = best_of(home)
    told = json.loads(run(home, "doctor", "--json", OLLAMA_HOST="127.0.0.1:9").stdout)["engine"]
    assert (told["model"], "without a server" in told["chosen"]) == (best.full_name, True)


def test_a_server_that_was_asked_for_is_not_replaced_by_a_model_of_this_machine(home):
    best_of(home)
    done = run(home, "--host", CLOSED, "say hello")
    assert (done.returncode, "No model server at http://127.0.0.1:9" in done.stderr) == (4, True)


def test_an_ollama_without_models_leaves_the_work_to_the_best_model_that_was_fetched(home):
    best = best_of(home)
    with served(models=[]) as server:
        done = run(home, "say hello", OLLAMA_HOST=server.url)
        with opened(home, "say hello", OLLAMA_HOST=server.url) as terminal:
            terminal.wait(f"Model {best.full_name}, without a server").end()
    assert f"Model {best.full_name}, without a server" in done.stderr


def test_an_ollama_that_is_installed_is_started_and_outlives_us(home):
    path = with_ollama(home, MODELS)
    host = f"http://127.0.0.1:{free_port()}"
    try:
        with opened(home, "--host", host, "do this", PATH=path) as terminal:
            terminal.wait("Ollama is installed: start it now?", "[Y/n/o/?]").type("\r")
            terminal.wait("Use [1]?").type("\r").wait("Saved to").end()
        with opened(home, "--host", host, PATH=path) as terminal:
            terminal.wait("coder>")
    finally:
        os.kill(int((home / "served").read_text()), signal.SIGKILL)
    assert settings(home) == "[model]\nname = alpha:7b\n"


def test_an_ollama_of_the_folder_is_not_started(home):
    path = f"{with_ollama(home / 'project', MODELS)}:{without_ollama(home)}"
    with opened(home, "--host", CLOSED, PATH=path) as terminal:
        terminal.wait("Ollama is not installed", "Your choice?")


def test_a_model_is_chosen_from_those_of_the_server(home):
    with (
        served(stream(line("Hello."), done())) as server,
        opened(home, "--host", server.url) as terminal,
    ):
        terminal.wait("Use [1]?")
        terminal.type("2\r").wait("Saved to").wait_line("coder>").send("hello").wait("Hello.")
        terminal.wait_line("coder>")
        assert server.last.body["model"] == "beta:1b"
    assert settings(home) == "[model]\nname = beta:1b\n"


def test_what_is_chosen_is_loaded_at_once_and_it_is_told_where_it_lies(home):
    lies = {"name": "alpha:7b", "size": 500, "size_vram": 260, "context_length": 8192}
    server = served(stream(line("Hello."), done()))
    server.acts |= {"/api/generate": [LOADED], "/api/ps": [answer(200, json.dumps({"models": [lies]}))]}
    with server, opened(home, "--host", server.url, "say hello") as terminal:
        terminal.wait("Use [1]?").type("\r").wait("default to 4096). Loading … ", "Hello.").end()
        assert " s, 52 % GPU, 48 % CPU" in " ".join(terminal.lines())
        loads = [asked.body for asked in server.asked if asked.path == "/api/generate"]
    assert {(body["model"], body["options"]["num_ctx"]) for body in loads} == {("alpha:7b", 8192)}


def test_ctrl_c_while_a_model_is_loaded_stops_the_server_and_keeps_the_choice(home):
    server = served()
    server.acts |= {"/api/generate": [[HANG]]}
    with server, opened(home, "--host", server.url, "do this") as terminal:
        terminal.wait("Use [1]?").type("\r").wait("Loading … ")
        assert terminal.type(CTRL_C).end() == 130
        assert server.hung_up.wait(60)
    assert settings(home) == "[model]\nname = alpha:7b\n"


def test_what_fits_a_graphics_card_alone_fits(home):
    large = [{"name": "alpha:70b", "size": 40_000_000_000_000, "details": {}}]
    program = home / "bin" / "nvidia-smi"
    path = without_ollama(home)
    program.write_text("#!/bin/sh\necho 80000000\n")
    program.chmod(0o755)
    with served(models=large) as server:
        with opened(home, "--host", server.url) as terminal:
            terminal.wait("too large", "← smallest")
        with opened(home, "--host", server.url, PATH=path) as terminal:
            terminal.wait("alpha:70b", "  fits  ", "Use [1]?")


@pytest.mark.parametrize("words", ["3", "0", "gamma", "-1", "1.0"])
def test_what_is_no_choice_is_asked_for_again(home, words):
    with served() as server, opened(home, "--host", server.url) as terminal:
        terminal.wait("Use [1]?").type(f"{words}\r").wait("Enter a number from 1 to 2")
        terminal.type("alpha:7b\r").wait("Saved to", "coder>")
    assert settings(home) == "[model]\nname = alpha:7b\n"


def test_the_rest_of_the_persons_config_stays(home):
    path = home / ".config" / "tripletick" / "config.ini"
    path.parent.mkdir(parents=True)
    path.write_text("# mine\n[ui]\nthinking = yes\n[model]\nhost = \n# its name\nname =\n")
    with served() as server, opened(home, "--host", server.url) as terminal:
        terminal.wait("Use [1]?").type("\r").wait("Saved to", "coder>")
    assert path.read_text() == (
        "# mine\n[ui]\nthinking = yes\n[model]\nhost = \n# its name\nname = alpha:7b\n"
    )


def test_nothing_is_asked_where_a_model_is_set(home):
    with served() as server, opened(home, "--host", server.url, "-m", "beta:1b") as terminal:
        terminal.wait("coder>")
        assert "Use [1]?" not in terminal.text()


def test_no_choice_saves_nothing_and_a_task_is_not_sent(home):
    with served() as server:
        with opened(home, "--host", server.url, "do this") as terminal:
            assert terminal.wait("Use [1]?").type(CTRL_C).wait("No model was chosen.").end() == 2
        assert all(asked.path != "/api/chat" for asked in server.asked)
    assert settings(home) == ""


def test_a_server_without_models_suggests_some_and_a_no_ends_with_what_to_type(home):
    with served(models=[]) as server, opened(home, "--host", server.url, "do this") as terminal:
        terminal.wait(" 3 qwen2.5-coder:", "Pull 1 (", "[Y/n/2/3/?]").type("n\r")
        assert terminal.wait("No model is set up yet.", "tripletick models pull").end() == 5
    assert settings(home) == ""


def test_an_embedding_model_is_no_choice(home):
    cannot = answer(200, json.dumps({"capabilities": ["embedding"]}))
    tags = answer(200, json.dumps({"models": MODELS[:1]}))
    with (
        BadServer({"/api/show": [cannot], "/api/tags": [tags], "/api/version": [VERSION]}) as server,
        opened(home, "--host", server.url, "do this") as terminal,
    ):
        assert terminal.wait("Pull 1 (").type("n\r").end() == 5


def test_a_suggestion_is_pulled_saved_and_used(home):
    part = {"status": "pulling a", "digest": "a", "total": 400_000_000}
    rows = [{**part, "completed": 100_000_000}, {**part, "completed": 400_000_000}, {"status": "success"}]
    pull = stream(*(json.dumps(row).encode() + b"\n" for row in rows))
    tags = answer(200, json.dumps({"models": []}))
    acts = {"/api/tags": [tags], "/api/version": [VERSION], "/api/show": [ABOUT], "/api/pull": [pull]}
    with BadServer(acts) as server, opened(home, "--host", server.url) as terminal:
        terminal.wait("Pull 1 (").type("2\r").wait("400 MB in", "Saved to", "coder>")
        name = next(asked.body["model"] for asked in server.asked if asked.path == "/api/pull")
    assert settings(home) == f"[model]\nname = {name}\n"


def test_a_pull_that_is_stopped_says_how_to_go_on(home):
    row = {"status": "pulling a", "digest": "a", "total": 400_000_000, "completed": 100_000_000}
    pull: list[bytes | Trick] = [*stream(json.dumps(row).encode() + b"\n", end=False), HANG]
    tags = answer(200, json.dumps({"models": []}))
    with (
        BadServer({"/api/tags": [tags], "/api/version": [VERSION], "/api/pull": [pull]}) as server,
        opened(home, "--host", server.url, "do this") as terminal,
    ):
        terminal.wait("Pull 1 (").type("\r").wait("25 %  100 MB of 400 MB").type(CTRL_C)
        assert terminal.wait("keeps the partial download", "To resume: tripletick models pull").end() == 5
        assert server.hung_up.wait(60)
    assert settings(home) == ""


def test_without_a_terminal_nothing_is_asked(home):
    assert run(home, "--host", CLOSED, "do this").returncode == 4
    with served(stream(line("Hello."), done())) as server:
        told = run(home, "--host", server.url, "do this", text="y\n")
    assert (told.returncode, told.stdout) == (0, "Hello.\n")
    assert settings(home) == ""


def test_quiet_asks_nothing(home):
    with opened(home, "--host", CLOSED, "-q", "do this") as terminal:
        assert terminal.wait("No model server").end() == 4


def test_probes_tell_servers_by_what_they_answer(monkeypatch):
    monkeypatch.setattr(probes, "MOMENT", 60.0)
    openai = {"/v1/models": [answer(200, '{"object": "list", "data": []}')]}
    both = {"/api/version": [VERSION], **openai}
    html = {"/api/version": [answer(200, "<html>", "text/html")], "/v1/models": [answer(404, '{"data": []}')]}
    with BadServer(openai) as one, BadServer(both) as two, BadServer(html) as three:
        ports = [int(server.url.rpartition(":")[2]) for server in (one, two, three)]
        found = probes.find_servers([*ports, 9])
    assert found == (probes.FoundServer(one.url, "openai"), probes.FoundServer(two.url, "ollama"))


def test_every_port_is_asked_at_the_same_time(monkeypatch):
    monkeypatch.setattr(probes, "MOMENT", 60.0)
    last = BadServer({"/api/version": [VERSION]})

    def once_the_last_was_asked():
        last.wait_for("/api/version")
        yield from VERSION

    with last, BadServer({"/api/version": [once_the_last_was_asked()]}) as first:
        found = probes.find_servers([int(server.url.rpartition(":")[2]) for server in (first, last)])
    assert [each.url for each in found] == [first.url, last.url]


def test_a_connection_that_was_refused_is_not_tried_again(home):
    (home / "site").mkdir()
    (home / "site" / "sitecustomize.py").write_text(NOTE)
    contacts = home / "contacts"
    env = {"PYTHONPATH": str(home / "site"), "CONTACTS": str(contacts), "PATH": without_ollama(home)}
    with opened(home, "--host", "127.0.0.1:8000", "do this", **env) as terminal:
        assert terminal.wait("Your choice?").type("n\r").end() == 4
    asked = [line for line in contacts.read_text().splitlines() if line.startswith("127.0.0.1:")]
    assert sorted(asked) == sorted(f"127.0.0.1:{port}" for port in probes.PORTS)


def test_models_create_offline_says_where_the_model_is(home):
    kept = put(catalog.get_entry("offline"), cache_of(home))
    done = run(home, "models", "create", "offline")
    assert (done.returncode, f"~/{kept.relative_to(home)}" in done.stderr) == (0, True)
    assert "tripletick -m embedded:offline" in done.stderr


def test_without_the_engine_the_offline_model_is_no_choice_and_its_command_is_named(home):
    site = home / "site"
    site.mkdir()
    # A module finder that knows no xllamacpp, as in an installation without the extra.
    (site / "sitecustomize.py").write_text(
        "import importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'xllamacpp' else find(name, *rest)\n"
    )
    with opened(home, "--host", CLOSED, PATH=without_ollama(home), PYTHONPATH=str(site)) as terminal:
        terminal.wait("install llama.cpp").wait("xllamacpp").wait_line("coder>")
        assert "[o]" not in "\n".join(terminal.lines())
        assert terminal.type(CTRL_D).end() == 0
