"""A server of OpenAI's kind as a person meets it: found, listed, chosen, kept, and what goes wrong."""

import json

import pytest
from tests.bad_server import BadServer, answer, stream
from tests.fetched import put_all
from tests.program.test_cli import run
from tests.program.test_firstrun import CLOSED, settings, without_ollama
from tests.program.test_firstrun import served as ollama
from tests.terminal import CTRL_D, opened
from tests.test_openai import CHAT, HELLO, NO_LIST, event, models, refusal

LOOKS = """\
from tripletick.models import probes
probes.find_servers.__defaults__ = (({port},), ("127.0.0.1",))
probes.MOMENT = 60.0
"""
LIST = models({"id": "alpha", "max_model_len": 8192}, {"id": "beta", "max_model_len": 4096})


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


def served(*chat, listed=LIST):
    return BadServer({"/v1/models": [listed], CHAT: list(chat)})


def said(home, *words, **env):
    done = run(home, "--no-save", "-o", "json", *words, **env)
    return done.returncode, json.loads(done.stdout)


def test_a_task_is_done_on_such_a_server(home):
    with served(stream(*HELLO)) as server:
        code, told = said(home, "-m", "openai:alpha", "--host", server.url, "say hello")
    assert (code, told["answer"], told["model"]) == (0, "Hello", "openai:alpha")
    assert (told["usage"]["prompt"], told["usage"]["cached"], told["usage"]["output"]) == (9, 4, 2)


def test_blocks_are_run_and_their_results_go_back(home):
    with served(stream(event("```bash\necho 4$((1+1))\n```\n"), *HELLO[2:]), stream(*HELLO)) as server:
        code, _ = said(home, "-a", "coder", "-m", "openai:alpha", "--host", server.url, "-y", "do it")
        asked = [asked.body["messages"] for asked in server.asked if asked.path == CHAT]
    assert (code, "42" in asked[1][-1]["content"]) == (0, True)
    assert asked[1][: len(asked[0])] == asked[0]


def test_what_a_server_says_steers_no_terminal_and_stays_in_its_line(home):
    odd = "no \x1b]0;key\x07\nIgnore"
    with served(stream(event("a"), event(error={"message": odd})), listed=LIST) as server:
        late = run(home, "--no-save", "-m", "openai:alpha", "--host", server.url, "say hello").stderr
    with served(listed=refusal(401, odd)) as server:
        early = run(home, "-m", "openai:alpha", "--host", server.url, "models", "list").stderr
    for told in (late, early):
        assert "It says: no ␛]0;key␇ Ignore." in told


@pytest.mark.parametrize(
    ("act", "listed", "code", "words"),
    [
        (refusal(401, "no key"), refusal(401, "no key"), 7, "export OPENAI_API_KEY="),
        (refusal(404, "model not found"), NO_LIST, 5, "is not on this server"),
        (stream(b"data: rubbish\n\n"), LIST, 7, "cannot be parsed"),
        (stream(event("Hel")), LIST, 7, "stopped in the middle"),
        (answer(200, "<html>", "text/html"), LIST, 7, "is not an OpenAI-style server"),
    ],
)
def test_what_goes_wrong_has_the_exit_of_every_engine_and_a_remedy(home, act, listed, code, words):
    with served(act, listed=listed) as server:
        done = run(home, "--no-save", "-m", "openai:alpha", "--host", server.url, "say hello")
    assert (done.returncode, words in done.stderr) == (code, True)


def test_native_that_is_set_sends_functions_to_a_server_that_lists_none(home):
    with served(stream(*HELLO)) as server:
        env = {"TRIPLETICK_AGENT_DIALECT": "native"}
        done = run(home, "-a", "coder", "-m", "openai:beta", "--host", server.url, "say hello", **env)
        sent = next(asked.body for asked in server.asked if asked.path == CHAT)
    assert (done.returncode, bool(sent["tools"])) == (0, True)
    assert "does not list function calling for beta" in done.stderr


def test_a_server_that_refuses_functions_is_told_with_the_setting(home):
    told = refusal(500, "tools param requires --jinja flag")
    with served(told) as server:
        env = {"TRIPLETICK_AGENT_DIALECT": "native"}
        done = run(home, "-m", "openai:alpha", "--host", server.url, "-y", "say hello", **env)
    assert (done.returncode, "tripletick config set agent.dialect fence" in done.stderr) == (5, True)


def test_a_missing_model_is_exit_5_and_a_missing_server_exit_4(home):
    with served() as server:
        done = run(home, "-m", "openai:alfa", "--host", server.url, "say hello")
    assert (done.returncode, "Closest: alpha." in done.stderr) == (5, True)
    assert run(home, "-m", "openai:alpha", "--host", CLOSED, "say hello").returncode == 4
    assert run(home, "-m", "openai:alpha", "say hello", OPENAI_BASE_URL="").returncode == 2


def test_the_key_is_in_no_file_and_no_output(home):
    with served(stream(*HELLO)) as server:
        env = {"OPENAI_API_KEY": "sk-secret"}
        done = run(home, "-v", "-m", "openai:alpha", "--host", server.url, "say hello", **env)
        assert server.last.headers["authorization"] == "Bearer sk-secret"
    files = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert done.returncode == 0
    assert not any(b"sk-secret" in data for data in [*files, (done.stdout + done.stderr).encode()])


def test_the_key_variable_is_the_persons_to_name_and_not_the_folders(home):
    (home / "project" / ".tripletick").mkdir()
    config = home / "project" / ".tripletick" / "config.ini"
    with served(stream(*HELLO)) as server:
        config.write_text(f"[model]\nkey_env = HOME\nhost = {server.url}\n")
        done = run(home, "-m", "openai:alpha", "--host", server.url, "say hello", OPENAI_API_KEY="")
        assert "authorization" not in server.last.headers
    assert "a workspace cannot set it" in done.stderr


@pytest.mark.parametrize("path", ["", "/v1"])
def test_the_first_run_offers_its_models_and_keeps_name_and_address(home, path):
    with served(stream(*HELLO)) as server:
        with opened(home, "-a", "coder", "--host", f"{server.url}{path}") as terminal:
            terminal.wait("vLLM at 127.0.0.1", "Use [1]?").type("2\r").wait("Saved to").wait_line("coder>")
            assert terminal.type(CTRL_D).end() == 0
        assert settings(home) == f"[model]\nname = openai:beta\nhost = {server.url}/v1\n"
        with opened(home, "say hello") as terminal:
            assert terminal.wait("Hello").end() == 0
        assert server.last.body["model"] == "beta"


@pytest.fixture
def found(home):
    """A server at a port where one is looked for, with no Ollama and a model of this machine beside it.

    It is looked for at a port of its own, and for longer: other tests find nobody at the usual ones.
    """
    put_all(home)
    with served(stream(*HELLO)) as server:
        (home / "site").mkdir()
        (home / "site" / "sitecustomize.py").write_text(LOOKS.format(port=server.url.rpartition(":")[2]))
        server.env = {"OLLAMA_HOST": "127.0.0.1:9", "PATH": without_ollama(home)}
        server.env |= {"PYTHONPATH": str(home / "site")}
        yield server


def test_one_that_was_found_is_a_numbered_choice_and_is_kept(home, found):
    with opened(home, "say hello", **found.env) as terminal:
        terminal.wait(f" - Found an OpenAI-style server at {found.url} [1]", "Enter: 1 [1/o/n/?]")
        terminal.type("?\r").wait("a number selects that server;").type("1\r")
        terminal.wait("Use [1]?").type("2\r").wait("Hello")
        assert terminal.end() == 0
    assert settings(home) == f"[model]\nname = openai:beta\nhost = {found.url}/v1\n"


def test_one_that_was_found_can_be_left_for_a_model_of_this_machine(home, found):
    with opened(home, **found.env) as terminal:
        terminal.wait("Enter: 1").type("o\r").wait("Saved to").wait_line("coder>")
    assert "embedded:" in settings(home)


def test_without_a_terminal_the_first_one_that_was_found_is_taken_and_said_and_gets_no_key(home, found):
    env = {**found.env, "OPENAI_API_KEY": "sk-secret"}
    done = run(home, "-C", ".", "say hello", **env)
    assert (done.returncode, done.stdout) == (0, "Hello\n")
    assert f"Model openai:alpha at {found.url}/v1 (--host URL chooses another).\n" in done.stderr
    assert not any("authorization" in asked.headers for asked in found.asked)


def test_doctor_tells_of_the_one_that_was_found(home, found):
    told = run(home, "doctor", **found.env).stdout
    assert f"server: vLLM at {found.url}/v1\nmodel: openai:alpha\n" in told


def test_the_models_of_one_that_was_found_are_listed_and_can_be_chosen(home, found):
    listed = run(home, "models", **found.env).stdout.splitlines()
    assert ["openai:beta", "context", "4k", "at", f"{found.url}/v1"] in [line.split() for line in listed]
    (home / "script.md").write_text("Hi.")
    env = {**found.env, "OPENAI_API_KEY": "sk-secret"}
    with opened(home, "-m", f"scripted:{home / 'script.md'}", **env) as terminal:
        terminal.wait("coder>").send("/model openai:beta").wait("Switched to openai:beta").wait_line("coder>")
        terminal.send("hello").wait("Hello").wait_line("coder>")
    # nobody has said that it may have the key
    assert not any("authorization" in asked.headers for asked in found.asked)
    used = run(home, "models", "use", "openai:beta", **found.env)
    assert used.returncode == 0
    assert settings(home) == f"[model]\nname = openai:beta\nhost = {found.url}/v1\n"


def test_a_model_without_a_named_server_is_served_by_the_one_that_was_found(home, found):
    done = run(home, "-C", ".", "-m", "openai:beta", "say hello", **found.env, OPENAI_API_KEY="sk-secret")
    assert (done.returncode, done.stdout) == (0, "Hello\n")
    assert f"Model openai:beta at {found.url}/v1" in done.stderr
    assert not any("authorization" in asked.headers for asked in found.asked)
    refused = run(home, "-C", ".", "-m", "openai:gamma", "say hello", **found.env)
    assert (refused.returncode, f"The server at {found.url}/v1 does not list it." in refused.stderr) == (
        2,
        True,
    )
    listed = run(home, "-m", "openai:gamma", "models", **found.env)
    assert (listed.returncode, "openai:beta" in listed.stdout) == (0, True)


def test_the_server_that_the_environment_names_is_listed_once_and_ollamas_beside_it(home, found):
    address = found.url.replace("127.0.0.1", "localhost")
    with ollama() as other:
        env = {**found.env, "OPENAI_BASE_URL": f"{address}/v1", "OLLAMA_HOST": other.url}
        told = run(home, "-m", "openai:alpha", "models", **env).stdout
    assert (told.count("openai:alpha"), told.count("alpha:7b")) == (1, 1)


def test_without_a_terminal_another_kind_of_server_at_the_address_is_taken_as_what_it_is(home):
    with served(stream(*HELLO)) as server:
        done = run(home, "-C", ".", "--host", server.url, "say hello")
    assert (done.returncode, done.stdout) == (0, "Hello\n")


def test_the_list_tells_context_and_the_choice_is_kept(home):
    with served() as server:
        listed = run(home, "--host", f"{server.url}/v1", "models")
        used = run(home, "--host", server.url, "models", "use", "openai:beta")
        shown = run(home, "models", "show", "openai:alpha")
    assert listed.stdout.splitlines()[0].split() == ["openai:alpha", "context", "8k"]
    assert used.returncode == 0
    assert settings(home) == f"[model]\nname = openai:beta\nhost = {server.url}/v1\n"
    assert "8 192 tokens" in shown.stdout


def test_one_without_models_says_so(home):
    with served(listed=models()) as server:
        done = run(home, "--host", f"{server.url}/v1", "models")
        asked = run(home, "--host", f"{server.url}/v1", "say hello")
    assert (done.returncode, done.stdout, "no model is loaded" in done.stderr) == (0, "", True)
    assert asked.returncode == 5


def test_the_window_is_all_that_the_server_gives(home):
    with served(stream(*HELLO), listed=models({"id": "alpha", "max_model_len": 65536})) as server:
        done = run(home, "-o", "jsonl", "-m", "openai:alpha", "--host", server.url, "say hello")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert next(event["context"] for event in events if event["event"] == "Loading") == 65536
