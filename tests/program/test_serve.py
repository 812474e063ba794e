"""`tripletick serve`: OpenAI's API for models and agents, spoken to by OpenAI's own client, and attacks."""

import asyncio
import http.client
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import threading
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

pytest.importorskip("acp")
pytest.importorskip("uvicorn")
pytest.importorskip("openai")
import openai
from tests import bad_server
from tests.asleep import is_running, make_sleep
from tests.served import PATIENCE, PROGRAM, open_server

from tripletick.errors import ServerFailedError
from tripletick.models.model import Sampling
from tripletick.serve.engines import EnginePool, Slot
from tripletick.system.cancellation import CancelToken

WRITES = "```write:hello.txt\nhello\n```"
SLEEP = make_sleep(4713)
SLEEPS = f"```bash\ntouch begun && {SLEEP}\n```"
CALL = {"text": "", "calls": [{"name": "weather", "arguments": {"city": "Graz"}}]}
TALK = {"role": "user", "content": "Hi"}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with open_server(tmp_path_factory.mktemp("served")) as server:
        yield server


@pytest.fixture(scope="module")
def client(served):
    return openai.OpenAI(base_url=f"{served.url}/v1", api_key=served.token, max_retries=0, timeout=PATIENCE)


@pytest.fixture
def talk(served, client):
    """Have an agent answer a conversation, the requests and answers by turns."""

    def ask(agent, *said, **more):
        messages = [
            {"role": ("user", "assistant")[number % 2], "content": text} for number, text in enumerate(said)
        ]
        return client.chat.completions.create(model=f"tripletick/{agent}", messages=messages, **more)

    return ask


@pytest.fixture
def plain(tmp_path):
    """Serve one model with these replies, each given once; gives OpenAI's client and the model's name."""

    def start(*replies):
        (tmp_path / "script.json").write_text(json.dumps(replies))
        opened = open_server(tmp_path, allow=False)
        server = opened.__enter__()
        stack.append(opened)
        own = openai.OpenAI(base_url=f"{server.url}/v1", api_key=server.token, max_retries=0)
        return own, f"scripted:{tmp_path / 'script.json'}"

    stack: list[Any] = []
    yield start
    for opened in stack:
        opened.__exit__(None, None, None)


def sessions(served):
    return sorted(
        (served.home / ".local/state/tripletick/sessions").glob("*.jsonl"),
        key=lambda path: path.stat().st_mtime_ns,
    )


def test_models_are_the_agents_and_what_the_settings_name(served, client):
    names = [model.id for model in client.models.list()]
    assert names[0] == "tripletick/auto"
    assert {"tripletick/coder", "tripletick/file"} < set(names)
    assert names[-1] == f"scripted:{served.home / 'script.json'}"


def test_a_model_answers_whole_and_in_pieces_with_its_thoughts_and_counts(plain):
    client, model = plain({"text": "Hello there.", "thought": "A greeting."}, "Second answer.")
    said = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Hi"}]
    whole = client.chat.completions.create(model=model, messages=said)
    assert whole.choices[0].message.content == "Hello there."
    assert whole.choices[0].message.reasoning_content == "A greeting."
    assert whole.choices[0].finish_reason == "stop"
    assert whole.usage.prompt_tokens > 0 < whole.usage.completion_tokens
    pieces = list(
        client.chat.completions.create(
            model=model, messages=said, stream=True, stream_options={"include_usage": True}
        )
    )
    texts = [piece.choices[0].delta.content or "" for piece in pieces if piece.choices]
    assert "".join(texts) == "Second answer."
    assert len(list(filter(None, texts))) > 1
    assert pieces[-2].choices[0].finish_reason == "stop"
    assert pieces[-1].usage.completion_tokens > 0


def test_functions_are_called_and_their_results_taken(plain):
    client, model = plain(CALL, "It is sunny in Graz.")
    said = [{"role": "user", "content": "Weather in Graz?"}]
    first = client.chat.completions.create(model=model, messages=said, tools=[TOOL]).choices[0]
    assert first.finish_reason == "tool_calls"
    (call,) = first.message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == ("weather", {"city": "Graz"})
    said += [first.message, {"role": "tool", "tool_call_id": call.id, "content": "sunny"}]
    assert client.chat.completions.create(model=model, messages=said).choices[0].message.content == (
        "It is sunny in Graz."
    )


@pytest.mark.parametrize(
    ("arguments", "given"),
    [("", {}), (None, {}), ({"a": 1}, {"a": 1}), ('{"a": 1}', {"a": 1}), ("{", None), (5, None)],
)
def test_arguments_of_earlier_calls_reach_ollama_however_a_client_writes_them(tmp_path, arguments, given):
    paths = {
        "/api/tags": [bad_server.answer(200, json.dumps({"models": [{"name": "m:latest"}]}))],
        "/api/show": [bad_server.answer(200, json.dumps({"capabilities": ["completion", "tools"]}))],
        "/api/chat": [bad_server.stream(bad_server.line("Hello"), bad_server.done())],
    }
    function = {"name": "weather", "arguments": arguments}
    said = [
        TALK,
        {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": function}]},
        {"role": "tool", "tool_call_id": "a", "content": "sunny"},
    ]
    with (
        bad_server.BadServer(paths) as ollama,
        open_server(tmp_path, "-m", "ollama:m:latest", OLLAMA_HOST=ollama.url) as server,
    ):
        body = {"model": "ollama:m:latest", "messages": said}
        reply = server.ask("POST", "/v1/chat/completions", body)
        assert reply.status_code == (400 if given is None else 200), reply.text
        if given is not None:
            sent = ollama.last.body["messages"][1]["tool_calls"][0]["function"]
            assert sent == {"name": "weather", "arguments": given}


def test_a_defect_of_an_engine_ends_the_reply():
    class Broken:
        def stream(self, messages, sampling):
            raise ValueError("no such word")

    async def read():
        model: Any = Broken()
        reply = EnginePool(model, [Slot(model, CancelToken())]).start_reply([], Sampling(output=8))
        async with asyncio.timeout(10):
            return [chunk async for chunk in reply.read()]

    with pytest.raises(ServerFailedError, match="no such word"):
        asyncio.run(read())


def test_an_error_of_the_model_is_a_status_and_in_a_stream_an_event(plain):
    client, model = plain()
    said = [{"role": "user", "content": "Hi"}]
    with pytest.raises(openai.NotFoundError, match="no reply left"):
        client.chat.completions.create(model=model, messages=said)
    with pytest.raises(openai.APIError, match="no reply left"):
        list(client.chat.completions.create(model=model, messages=said, stream=True))


@pytest.mark.parametrize(
    "name", ["nothing", "scripted:/etc/passwd", "embedded:/etc/passwd", "tripletick/none"]
)
def test_a_model_that_is_not_listed_is_not_opened(client, name):
    with pytest.raises(openai.NotFoundError, match="There is no"):
        client.chat.completions.create(model=name, messages=[{"role": "user", "content": "Hi"}])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"model": None}, "`model`"),
        ({"messages": []}, "`messages`"),
        ({"messages": ["hi"]}, "`messages`"),
        ({"messages": [{"role": "assistant", "content": "hi"}]}, "the last of them"),
        ({"messages": [{"role": "wizard", "content": "hi"}]}, "wizard"),
        ({"messages": [{"role": "user", "content": 5}]}, "`content`"),
        (
            {
                "messages": [
                    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://x/"}}]}
                ]
            },
            "data: URL",
        ),
        ({"n": 2}, "`n` must be 1"),
        ({"temperature": "hot"}, "`temperature` must be a number"),
        ({"max_tokens": 0}, "`max_tokens` must be a whole number of 1 or more"),
        ({"stop": [1]}, "`stop`"),
        ({"tools": "all"}, "`tools`"),
        ({"response_format": "json"}, "`response_format`"),
    ],
)
def test_a_wrong_request_is_refused_with_a_sentence(served, change, why):
    right = {
        "model": f"scripted:{served.home / 'script.json'}",
        "messages": [{"role": "user", "content": "Hi"}],
    }
    answer = served.ask("POST", "/v1/chat/completions", {**right, **change})
    assert answer.status_code == 400
    assert why in answer.json()["error"]["message"]


@pytest.mark.parametrize("body", [b"", b"[", b"[]", b"{" * 100_000, b"\xff"])
def test_what_is_no_json_object_is_refused(served, body):
    answer = served.ask("POST", "/v1/chat/completions", data=body)
    assert answer.status_code == 400
    assert "not a JSON object" in answer.json()["error"]["message"]


def test_an_agent_does_its_work_in_the_allowed_folder_and_tells_how_it_goes(served, talk):
    served.script(WRITES, "It is written.")
    pieces = list(talk("coder", "Write hello.txt", stream=True))
    deltas = [piece.choices[0].delta for piece in pieces]
    thoughts = "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas)
    assert thoughts.splitlines()[0] == "agent coder"
    assert "write: ok, saved hello.txt" in thoughts
    assert "".join(delta.content or "" for delta in deltas) == "It is written.\n\n> hello.txt created"
    assert (served.project / "hello.txt").read_text() == "hello\n"


def test_a_conversation_goes_on_in_its_session(served, talk):
    served.script("The first answer.")
    before = len(sessions(served))
    first = talk("casual", "What is one?")
    served.script("The second answer.")
    talk("casual", "What is one?", first.choices[0].message.content, "And two?")
    assert len(sessions(served)) == before + 1
    log = sessions(served)[-1].read_text()
    assert "The first answer." in log
    assert "The second answer." in log


def test_of_two_conversations_that_begin_alike_each_goes_on_in_its_own(served, talk):
    for colour in ("Blue.", "Red."):
        served.script(colour)
        talk("casual", "Pick a colour")
    count = len(sessions(served))
    served.script("It is calm.")
    talk("casual", "Pick a colour", "Blue.", "Why?")
    assert len(sessions(served)) == count
    log = sessions(served)[-1].read_text()
    assert "Blue." in log
    assert "Red." not in log


def test_an_answer_with_its_receipt_is_found_again(served, talk):
    served.script(WRITES.replace("hello.txt", "again.txt"), "It is there.")
    text = talk("coder", "Write again.txt").choices[0].message.content
    assert text == "It is there.\n\n> again.txt created"
    count = len(sessions(served))
    served.script("Yes.")
    talk("coder", "Write again.txt", text, "Sure?")
    assert len(sessions(served)) == count


def test_a_conversation_that_was_held_elsewhere_is_known_to_the_model(served, talk):
    served.script("You said blue.")
    talk("casual", "My colour is blue.", "I will remember.", "What is my colour?")
    log = sessions(served)[-1].read_text()
    assert '"text":"My colour is blue."' in log
    assert '"text":"I will remember."' in log
    assert "You said blue." in log


def test_a_task_that_gives_up_says_so_in_its_answer(served, talk):
    served.script(*["```bash\nfalse\n```"] * 8)
    answer = talk("coder", "Do what fails")
    assert answer.model_extra["tripletick"]["outcome"] == "gave up"
    assert "> " in answer.choices[0].message.content


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_goes_away_ends_its_task(served, stream):
    served.script(SLEEPS, "Slept.")
    said = {"model": "tripletick/coder", "messages": [{"role": "user", "content": "Sleep"}], "stream": stream}
    wire = http.client.HTTPConnection(served.url.removeprefix("http://"), timeout=PATIENCE)
    headers = {"Authorization": f"Bearer {served.token}"}
    wire.request("POST", "/v1/chat/completions", json.dumps(said), headers)
    _wait_until(_is_asleep)
    wire.close()
    _wait_until(lambda: not _is_asleep())


def test_the_token_is_shown_once_and_kept_for_its_owner_alone(tmp_path):
    with open_server(tmp_path) as first:
        assert first.token in first.told
        assert first.told.count(first.token) == 1
    kept = tmp_path / ".local/state/tripletick/serve-token"
    assert kept.stat().st_mode & 0o777 == 0o600
    with open_server(tmp_path) as second:
        assert second.token == first.token
        assert second.token not in second.told
    kept.chmod(0o644)
    with pytest.raises(AssertionError, match="Others can read or replace it"), open_server(tmp_path):
        pass


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_what_is_at_work(tmp_path, number):
    with open_server(tmp_path) as served:
        served.script(SLEEPS, "Slept.")
        body = {"model": "tripletick/coder", "messages": [{"role": "user", "content": "Sleep"}]}

        def ask():
            with pytest.raises(Exception, match=r"Connection|closed|aborted|Server"):
                served.ask("POST", "/v1/chat/completions", body).raise_for_status()

        thread = threading.Thread(target=ask)
        thread.start()
        _wait_until(_is_asleep)
        served.process.send_signal(number)
        assert served.process.wait(PATIENCE) == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
        thread.join()
    _wait_until(lambda: not _is_asleep())


@pytest.fixture
def queue(tmp_path):
    """Serve a model whose replies come in large pieces, one request at a time."""
    with open_server(tmp_path, "--parallel", "1", allow=False, TRIPLETICK_MODEL_CHUNK="65536") as server:
        yield server


def start_stream(served):
    """Send a request for a stream; gives the answer once it has its place in the queue."""
    body = {
        "model": f"scripted:{served.home / 'script.json'}",
        "messages": [{"role": "user", "content": "Hi"}],
        "stream": True,
    }
    answer = served.ask("POST", "/v1/chat/completions", body, stream=True)
    answer.lines = answer.iter_lines()
    assert b'"role":"assistant"' in next(answer.lines)
    return answer


def read_stream(answer):
    with answer:
        pieces = [json.loads(line[6:]) for line in answer.lines if line.startswith(b"data: {")]
    return "".join(choice["delta"].get("content", "") for piece in pieces for choice in piece["choices"])


def test_twenty_clients_get_their_turns_in_order(queue):
    queue.script({"text": "reply 0", "seconds": 2}, *(f"reply {number}" for number in range(1, 20)))
    answers = [start_stream(queue) for _ in range(20)]
    assert [read_stream(answer) for answer in answers] == [f"reply {number}" for number in range(20)]


def test_a_client_that_reads_nothing_holds_nobody_up(queue):
    long = "x" * (16 << 20)
    queue.script(long, "short")
    slow = start_stream(queue)
    assert read_stream(start_stream(queue)) == "short"
    assert len(read_stream(slow)) == len(long)


def test_a_client_that_goes_away_gives_its_turn_to_the_next(queue):
    queue.script({"text": "never", "seconds": 600}, "next")
    first, second = start_stream(queue), start_stream(queue)
    first.close()
    assert read_stream(second) == "next"


def test_it_speaks_tls_with_a_certificate(tmp_path):
    if not shutil.which("openssl"):
        pytest.skip("needs openssl")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
    )
    more = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)]
    subprocess.run([*command.split(), *more], check=True, capture_output=True)
    with open_server(tmp_path, "--tls-cert", str(cert), "--tls-key", str(key)) as served:
        assert served.url.startswith("https://")
        origin = {"Origin": served.url}
        assert served.ask("GET", "/about", headers=origin, verify=str(cert)).status_code == 200


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--allow", "missing"], "missing is not a folder"),
        (["--allow", "loop"], "loop is not a folder"),
        (["--listen", "my..host"], "Cannot listen on my..host"),
        (["--port", "70000"], "'70000' is not a port"),
        (["--parallel", "0"], "'0' is not a number from 1 to 64"),
        (["--tls-cert", "some.pem"], "--tls-cert and --tls-key go together"),
        (["--tls-cert", "some.pem", "--tls-key", "some.pem"], "The certificate cannot be used"),
        (["--listen", "192.0.2.1"], "Cannot listen on 192.0.2.1"),
        (["what"], "unrecognized arguments: what"),
    ],
)
def test_what_cannot_be_served_is_a_usage_error(tmp_path, words, says):
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    (tmp_path / "loop").symlink_to("loop")
    ended = subprocess.run(
        [*PROGRAM, "--port", "0", *words],
        capture_output=True,
        text=True,
        env=env,
        cwd=tmp_path,
        timeout=PATIENCE,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert says in ended.stderr
    assert "Traceback" not in ended.stderr


# attacks


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/models"),
        ("POST", "/v1/chat/completions"),
        ("GET", "/about"),
        ("POST", "/acp"),
        ("POST", "/acp/some"),
        ("GET", "/acp/some/events"),
        ("POST", "/markdown"),
        ("GET", "/nothing"),
    ],
)
@pytest.mark.parametrize("said", [None, "Bearer wrong", "Bearer ", "Basic dTpw", "Bearer \xff"])
def test_nothing_is_answered_without_the_token(served, method, path, said):
    headers = {"Authorization": said.encode("latin-1")} if said else {"Authorization": None}
    answer = served.ask(method, path, {}, headers=headers)
    assert answer.status_code == 401
    assert served.token not in answer.text


@pytest.mark.parametrize(
    "cookie", ["{name}=", "{name}=wrong", "{name}={token}", "other={token}", "={token};;,"]
)
def test_a_cookie_that_was_not_given_out_opens_nothing(served, cookie):
    name = f"tripletick-{served.url.rpartition(':')[2]}"
    said = cookie.format(name=name, token=served.token)
    answer = served.ask("GET", "/about", headers={"Authorization": None, "Cookie": said})
    assert answer.status_code == 401


def test_logging_in_gives_a_cookie_that_no_other_page_can_use(served):
    assert served.ask("POST", "/login", {"token": "wrong"}).status_code == 401
    answer = served.ask("POST", "/login", {"token": served.token}, headers={"Authorization": None})
    assert answer.status_code == 204
    said = answer.headers["set-cookie"]
    assert "HttpOnly" in said
    assert "SameSite=strict" in said
    assert served.token not in said
    own = {"Authorization": None, "Cookie": said.partition(";")[0]}
    assert served.ask("GET", "/about", headers=own).json()["folders"] == [str(served.project)]


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:1", "https://{host}", "http://{host}.evil.example"],
)
def test_a_foreign_page_is_refused_also_with_the_token(served, origin):
    host = served.url.removeprefix("http://")
    answer = served.ask("GET", "/v1/models", headers={"Origin": origin.format(host=host)})
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil", ""]
)
def test_a_name_that_was_bound_to_this_address_is_refused(served, host):
    port = served.url.rpartition(":")[2]
    answer = served.ask("GET", "/", headers={"Host": host.format(port=port)})
    assert answer.status_code in (400, 421)


def test_its_own_names_are_answered(served):
    port = served.url.rpartition(":")[2]
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", "127.0.0.1"):
        headers = {"Host": host, "Origin": f"http://{host}"}
        assert served.ask("GET", "/about", headers=headers).status_code == 200


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/login", "/acp/some", "/markdown"])
def test_a_body_of_a_gigabyte_is_refused_before_it_is_read(served, path):
    for head in ("Content-Length: 1073741824", "Transfer-Encoding: chunked"):
        with socket.create_connection(("127.0.0.1", int(served.url.rpartition(":")[2]))) as wire:
            wire.settimeout(PATIENCE)
            wire.sendall(
                f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{head}\r\n"
                f"Authorization: Bearer {served.token}\r\n\r\n".encode()
            )
            answer = _send_until_answered(wire, chunked="chunked" in head)
        assert b" 413 " in answer or (path == "/acp/some" and b" 404 " in answer), answer


def _send_until_answered(wire, *, chunked):
    piece = b"100000\r\n" + bytes(1 << 20) + b"\r\n" if chunked else bytes(1 << 20)
    wire.setblocking(False)
    sent = 0
    while sent < 1 << 30:
        readable, writable, _ = select.select([wire], [wire], [], PATIENCE)
        if readable:
            wire.settimeout(PATIENCE)
            return wire.recv(100)
        assert writable
        left = memoryview(piece)
        while left:
            try:
                left = left[wire.send(left) :]
            except BlockingIOError:
                if select.select([wire], [], [], 0)[0]:
                    break
                select.select([wire], [wire], [], PATIENCE)
            except ConnectionError:
                # what it said before it hung up is still there
                return wire.recv(100)
        sent += len(piece)
    return b"all of it was taken"


@pytest.mark.parametrize(
    "folder",
    ["/etc", "..", "{project}/..", "{project}/link", "{project}/missing", "\0", "~", "/" + "a" * 5000],
)
def test_an_agent_works_in_no_folder_that_is_not_allowed(served, folder):
    link = served.project / "link"
    if not link.is_symlink():
        link.symlink_to("/usr")
    body = {
        "model": "tripletick/coder",
        "messages": [{"role": "user", "content": "Hi"}],
        "folder": folder.format(project=served.project),
    }
    for stream in (False, True):
        answer = served.ask("POST", "/v1/chat/completions", {**body, "stream": stream})
        assert answer.status_code == 403
        assert "not a folder in which" in answer.json()["error"]["message"]


@pytest.fixture
def open_page():
    """Open pages of servers, which are closed at the end of the test."""
    with ExitStack() as stack:
        yield lambda server: stack.enter_context(Page(server))


def test_a_page_has_no_session_of_another_folder(served, talk, open_page):
    served.script("A secret answer.")
    talk("casual", "A secret request")
    name = sessions(served)[-1].stem
    elsewhere = served.home / "other"
    elsewhere.mkdir()
    with open_server(served.home, "--allow", str(elsewhere), allow=False) as other:
        page = open_page(other)
        assert page.call("session/list")["result"]["sessions"] == []
        for cwd in (elsewhere, served.project):
            loaded = page.call("session/load", sessionId=name, cwd=str(cwd), mcpServers=[])
            assert "There is no session" in loaded["error"]["message"]
        refused = page.call("session/new", cwd=str(served.project), mcpServers=[])
        assert "not in a folder that is allowed" in refused["error"]["message"]


@pytest.fixture
def page(served, open_page):
    """Give what opens a session in a folder: a function that sends a text and gives all that comes back.

    Questions are answered with their first choice.
    """
    page = open_page(served)

    def start(folder):
        name = page.call("session/new", cwd=str(folder), mcpServers=[])["result"]["sessionId"]

        def prompt(text):
            page.post({"id": "ask", "method": "session/prompt", "params": _make_prompt(name, text)})
            told = []
            while (message := page.read()).get("id") != "ask" or "method" in message:
                if message.get("method") == "session/request_permission":
                    chosen = message["params"]["options"][0]["optionId"]
                    outcome = {"outcome": {"outcome": "selected", "optionId": chosen}}
                    page.post({"id": message["id"], "result": outcome})
                told.append(json.dumps(message))
            return "".join(told) + json.dumps(message)

        return prompt

    return start


def _make_prompt(session, text):
    return {"sessionId": session, "prompt": [{"type": "text", "text": text}]}


@pytest.mark.parametrize("command", ["/save", "/export"])
def test_a_page_saves_files_in_its_folder_alone(served, page, command):
    served.script("An answer.")
    prompt = page(served.project)
    prompt("Hi")
    link = served.project / "out"
    link.unlink(missing_ok=True)
    link.symlink_to(served.home)
    for name in (f"{served.home}/free.md", "../free.md", "~/free.md", "out/free.md"):
        assert "was not saved" in prompt(f"{command} {name}")
    assert not (served.home / "free.md").exists()
    own = f"own-{command[1:]}.md"
    assert "Saved" in prompt(f"{command} {own}")
    kept = (served.project / own).read_text()
    assert "An answer." in kept
    assert "already exists" in prompt(f"{command} {own}")


def test_a_page_opens_no_model_that_is_not_listed(served, page):
    served.script("An answer.", "Another.")
    secret = served.home / "secret.md"
    secret.write_text("a secret")
    prompt = page(served.project)
    assert "There is no model" in prompt(f"/model scripted:{secret}")
    assert "a secret" not in prompt("Hi")


@pytest.fixture
def victim(served):
    """Give a folder that is not allowed, and one below the allowed one."""
    victim, below = served.home / "victim", served.project / "below"
    victim.mkdir(exist_ok=True)
    (victim / "kept.txt").write_text("a secret")
    if below.is_symlink():
        below.unlink()
    below.mkdir(exist_ok=True)
    return victim, below


def _put_link(victim, below):
    shutil.rmtree(below)
    below.symlink_to(victim)


def test_a_session_ends_where_a_link_takes_the_place_of_its_folder(served, page, victim):
    prompt = page(victim[1])
    prompt("!true")
    _put_link(*victim)
    told = prompt("!cat kept.txt; touch broken")
    assert "not in a folder that is allowed" in told
    assert "a secret" not in told
    assert [path.name for path in victim[0].iterdir()] == ["kept.txt"]


def test_a_task_that_waited_does_not_follow_a_link_in_the_place_of_its_folder(tmp_path):
    victim, below = tmp_path / "victim", tmp_path / "project/below"
    for folder in (victim, below):
        folder.mkdir(parents=True)
    said = {"model": "tripletick/coder", "messages": [TALK], "stream": True}
    with open_server(tmp_path, "--parallel", "1") as served:
        served.script(SLEEPS, "Slept.")
        first = served.ask("POST", "/v1/chat/completions", said, stream=True)
        _wait_until(_is_asleep)
        served.script("```bash\ntouch broken\n```", "Done.")
        second = served.ask("POST", "/v1/chat/completions", {**said, "folder": str(below)}, stream=True)
        lines = second.iter_lines()
        assert b'"role":"assistant"' in next(lines)
        _put_link(victim, below)
        first.close()
        assert b"not a folder in which" in b"".join(lines)
    assert list(victim.iterdir()) == []


class Page:
    """What a page does: posts messages, and reads what comes back."""

    def __init__(self, served):
        self.served = served
        self.name = served.ask("POST", "/acp", {}).json()["name"]
        self._stack = ExitStack()
        self.events = self._stack.enter_context(self.listen())
        self.count = 0
        self.call("initialize", protocolVersion=1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stack.close()

    @contextmanager
    def listen(self, after=0):
        headers = {"Last-Event-ID": str(after)}
        with self.served.ask("GET", f"/acp/{self.name}/events", stream=True, headers=headers) as answer:
            yield answer.iter_lines()

    def post(self, message):
        assert self.served.ask("POST", f"/acp/{self.name}", {"jsonrpc": "2.0", **message}).status_code == 202

    def read(self):
        return next(json.loads(line[6:]) for line in self.events if line.startswith(b"data: "))

    def call(self, method, **params):
        self.count += 1
        name = f"own-{self.count}"
        self.post({"id": name, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == name and "method" not in message:
                return message


def test_a_page_that_is_loaded_again_is_told_all_of_it(served, open_page):
    served.script("Hello.")
    page = open_page(served)
    session = page.call("session/new", cwd=str(served.project), mcpServers=[])["result"]["sessionId"]
    page.call("session/prompt", sessionId=session, prompt=[{"type": "text", "text": "Hi"}])
    told: list[str] = []
    with page.listen() as again:
        while not any("stopReason" in line for line in told):
            told.append(next(again).decode())
    assert any('"method":"session/prompt"' in line and '"text":"Hi"' in line for line in told)
    assert any("agent_message_chunk" in line for line in told)
    numbers = [int(line[4:]) for line in told if line.startswith("id: ")]
    assert numbers == list(range(1, len(numbers) + 1))
    with page.listen(numbers[-2]) as later:
        assert next(later).decode() == f"id: {numbers[-1]}"


def test_a_page_that_is_closed_ends_its_work(served, open_page):
    served.script(SLEEPS, "Slept.")
    page = open_page(served)
    session = page.call("session/new", cwd=str(served.project), mcpServers=[])["result"]["sessionId"]
    prompt = {"sessionId": session, "prompt": [{"type": "text", "text": "@coder Sleep"}]}
    page.post({"id": "p", "method": "session/prompt", "params": prompt})
    while (asked := page.read()).get("method") != "session/request_permission":
        pass
    outcome = {"outcome": {"outcome": "selected", "optionId": "y"}}
    page.post({"id": asked["id"], "result": outcome})
    _wait_until(_is_asleep)
    assert served.ask("DELETE", f"/acp/{page.name}").status_code == 204
    _wait_until(lambda: not _is_asleep())
    assert served.ask("GET", f"/acp/{page.name}/events").status_code == 404


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b'{"method":5}'])
def test_what_is_no_message_is_refused(served, line, open_page):
    page = open_page(served)
    answer = served.ask("POST", f"/acp/{page.name}", data=line)
    assert answer.status_code == (202 if not line else 400)


def test_closed_pages_make_room_for_new_ones(served, open_page):
    kept = open_page(served)
    for _ in range(60):
        assert served.ask("POST", "/acp", {}).status_code == 200
    assert kept.call("session/list")["result"]["sessions"] is not None


@pytest.mark.parametrize("number", ["9" * 5000, "-1", "x", ""])
def test_an_odd_number_of_the_last_event_tells_from_the_beginning(served, open_page, number):
    with open_page(served).listen(number) as told:
        assert next(told) == b"id: 1"


def test_lone_surrogates_break_no_answer(served, plain):
    client, model = plain("a\ud800b")
    said = [{"role": "user", "content": "\udfff"}]
    answer = client.chat.completions.with_raw_response.create(model=model, messages=[TALK])
    assert json.loads(answer.text)["choices"][0]["message"]["content"] == "a\ud800b"
    assert served.ask("POST", "/markdown", {"text": "a\ud800b"}).status_code == 200
    body = {"model": "tripletick/\ud800", "messages": said}
    assert served.ask("POST", "/v1/chat/completions", body).status_code == 404


def test_no_other_machine_can_connect_unless_that_is_asked_for(served, tmp_path):
    port = int(served.url.rpartition(":")[2])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire:
        wire.connect(("192.0.2.1", 9))
        own = wire.getsockname()[0]
    if not own.startswith("127."):
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((own, port), timeout=PATIENCE)
    with open_server(tmp_path, "--listen", "0.0.0.0") as loud:
        assert "nothing is encrypted" in loud.told
    assert "encrypted" not in served.told


def _is_asleep():
    return is_running(SLEEP)


def _wait_until(holds):
    ended = threading.Event()
    for _ in range(PATIENCE * 20):
        if holds():
            return
        ended.wait(0.05)
    raise AssertionError("it did not come to that")
