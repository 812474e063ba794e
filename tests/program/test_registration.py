"""A fetched model given to an Ollama server; one that has no chat template, seen and mended."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.bad_server import STALL, BadServer, answer, done, line, stream
from tests.fetched import cache_of, put
from tests.program.test_cli import run

from tripletick.errors import ServerFailedError
from tripletick.models import EngineSettings, catalog, chat_templates, registration

MENDS = "tripletick models template bare:1b"
SHOWN = {
    "template": "{{ .Prompt }}",
    "capabilities": ["completion"],
    "model_info": {
        "general.architecture": "qwen2",
        "qwen2.context_length": 8192,
        "tokenizer.ggml.tokens": ["<|im_start|>", "<|im_end|>"],
    },
}
CLOSED = "http://127.0.0.1:9"


class Registry(BaseHTTPRequestHandler):
    """What a server does with files and models that it is given, without keeping them."""

    def do_GET(self):
        self.reply({"models": []})

    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.came.append((self.path, data))  # type: ignore[attr-defined]
        self.server.keys.add(self.headers["Authorization"])  # type: ignore[attr-defined]
        refuses = getattr(self.server, "refuses", "")
        self.reply({"error": refuses} if refuses else {"status": "success"}, 500 if refuses else 200)

    def reply(self, tree, status=200):
        body = json.dumps(tree).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


@pytest.fixture
def registry():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    server.came, server.keys = [], set()  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF and more")
    return path


def host(server):
    return f"http://127.0.0.1:{server.server_address[1]}"


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def test_the_server_gets_file_adapter_template_and_stop(registry, model, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", CLOSED)
    entry = catalog.get_entry("offline")
    registration.register_model(entry, model, EngineSettings(host=host(registry)))
    sent, (adapter,) = dict(registry.came), entry.adapters
    assert sent[f"/api/blobs/{digest(b'GGUF and more')}"] == b"GGUF and more"
    assert sent[f"/api/blobs/{digest(adapter.read_bytes())}"] == adapter.read_bytes()
    body, form = json.loads(sent["/api/create"]), chat_templates.get_template("chatml")
    assert (body["model"], body["files"]) == ("offline", {"tiny.gguf": digest(b"GGUF and more")})
    assert body["adapters"] == {adapter.name: digest(adapter.read_bytes())}
    assert (body["template"], body["parameters"]) == (form.text, {"stop": list(form.stop)})


def test_a_model_without_an_adapter_is_given_none(registry, model):
    registration.register_model(
        catalog.get_entry("qwen2.5-coder-1.5b"), model, EngineSettings(host=host(registry))
    )
    assert "adapters" not in json.loads(dict(registry.came)["/api/create"])


def test_what_the_server_says_against_it_is_passed_on(registry, model):
    registry.refuses = "no space left on device"
    with pytest.raises(ServerFailedError, match="no space left on device"):
        registration.register_model(catalog.get_entry("offline"), model, EngineSettings(host=host(registry)))


def test_no_key_of_the_environment_is_sent(registry, model, monkeypatch):
    monkeypatch.setenv("OLLAMA_API_KEY", "secret")
    registration.register_model(catalog.get_entry("offline"), model, EngineSettings(host=host(registry)))
    assert registry.keys == {None}


def test_a_server_that_falls_silent_is_not_waited_for_without_end(model):
    # this server reads every body as JSON
    model.write_text("{}")
    blob = f"/api/blobs/{digest(b'{}')}"
    listed = answer(200, '{"models": []}')
    with BadServer({"/api/tags": [listed], blob: [answer(200)], "/api/create": [[STALL]]}) as server:
        settings = EngineSettings(host=server.url, first_timeout=0.2)
        with pytest.raises(ServerFailedError, match=r"has sent nothing for 0\.2 s"):
            registration.register_model(catalog.get_entry("qwen2.5-coder-1.5b"), model, settings)


def test_without_a_server_nothing_is_fetched_and_the_way_to_start_one_is_told(home):
    words = ("--host", CLOSED, "models", "create", "qwen2.5-coder-0.5b", "--ollama")
    done = run(home, *words, HTTPS_PROXY=CLOSED)
    assert (done.returncode, "ollama serve" in done.stderr) == (4, True)
    assert "Fetching" not in done.stderr


def served(*talk, shown=SHOWN, create=()):
    told = {"tags": {"models": [{"name": "bare:1b", "size": 1000}]}, "version": {"version": "0.17.4"}}
    told |= {"show": shown, "ps": {"models": []}}
    acts = {f"/api/{name}": [answer(200, json.dumps(body))] for name, body in told.items()}
    return BadServer({**acts, "/api/chat": list(talk), "/api/create": list(create)})


def test_a_model_without_a_template_is_told_of_once_with_what_mends_it(home):
    with served(stream(line("Hello."), done())) as server:
        told = run(home, "--host", server.url, "-m", "bare:1b", "-C", ".", "-a", "casual", "say hello")
    assert told.stdout == "Hello.\n", told.stderr
    assert told.stderr.count(MENDS) == 1


def test_a_model_with_a_template_is_not_spoken_of(home):
    with served(stream(line("Hello."), done()), shown=SHOWN | {"template": "{{ .System }}"}) as server:
        told = run(home, "--host", server.url, "-m", "bare:1b", "-C", ".", "-a", "casual", "say hello")
    assert "template" not in told.stderr


def test_doctor_names_the_command_that_mends_it(home):
    with served() as server:
        assert MENDS in run(home, "--host", server.url, "doctor", "--host", server.url).stdout


def test_the_command_mends_it(home):
    with served(create=[answer(200, '{"status": "success"}')]) as server:
        told = run(home, "--host", server.url, "models", "template", "bare:1b")
        body = next(asked.body for asked in server.asked if asked.path == "/api/create")
    assert (told.returncode, body["from"]) == (0, "bare:1b")
    assert "bare:1b now has the chat template chatml." in told.stderr


def test_a_fetched_model_is_given_by_the_command(home):
    entry = catalog.get_entry("qwen2.5-coder-0.5b")
    path = put(entry, cache_of(home))
    assert run(home, "--host", CLOSED, "models", "create", entry.name, "--ollama").returncode == 4
    assert path.stat().st_size == entry.size
