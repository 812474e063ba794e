"""The faults of a bad model server, each through the program as it is run.

Whatever the server does: the exit code is that of the table, it is said what, why and what to type, nothing
of an unfinished answer runs, there is no traceback, and the log is whole.
"""

import gzip
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.bad_server import DRIP, RESET, STALL, BadServer, Trick, answer, done, line, stream, unmeasured

from tripletick.event_log import session_log

ABOUT = answer(200, json.dumps({"model_info": {"general.architecture": "a", "a.context_length": 8192}}))
TAGS = answer(200, json.dumps({"models": [{"name": "alpha:7b"}]}))
VERSION = answer(200, json.dumps({"version": "0.12.9"}))
BLOCK = line("```bash\ntouch made\n```\n")
THOUGHT = line(message={"content": "", "thinking": "hm, wait. "})
QUICK = "[model]\nfirst_timeout = 1\ntoken_timeout = 1\n"


@dataclass(frozen=True)
class Forever:
    """An act without an end: a head, then the same parts again and again."""

    head: bytes
    parts: tuple[bytes | Trick, ...]

    def __iter__(self) -> Iterator[bytes | Trick]:
        return itertools.chain([self.head], itertools.cycle(self.parts))


def headed(field, *pieces):
    return [f"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n{field}\r\n\r\n".encode(), *pieces]


(HEAD,) = unmeasured()
CUT = "stopped in the middle"
GARBLED = "cannot be parsed"
SILENT = "has sent nothing for 1 s"
NOT_OLLAMA = "is not Ollama"
FAULTS = {
    "reset before the answer": ([RESET], 7, "closed the connection"),
    "closed before the answer": ([], 7, "closed the connection"),
    "reset in the answer": ([*stream(BLOCK, end=False), RESET], 7, CUT),
    "closed in the answer": (stream(BLOCK, end=False), 7, CUT),
    "silence before the head": ([STALL], 7, SILENT),
    "silence before the first token": ([*stream(end=False), STALL], 7, SILENT),
    "silence between two tokens": ([*stream(BLOCK, end=False), STALL], 7, SILENT),
    "silence inside a line": ([*stream(BLOCK, done()[:9], end=False), STALL], 7, SILENT),
    "a web page": (answer(200, "<html>Welcome</html>", "text/html"), 7, NOT_OLLAMA),
    "a web page that says it is JSON": (answer(200, "<html>Welcome</html>"), 7, GARBLED),
    "400": (answer(400, '{"error": "bad options"}'), 7, "bad options"),
    "400 context": (answer(400, '{"error": "the input length exceeds the context length"}'), 6, "--ctx"),
    "401": (answer(401, '{"error": "unauthorized"}'), 7, "ollama signin"),
    "403": (answer(403), 7, "OLLAMA_HOST"),
    "404 model": (answer(404, '{"error": "model not found"}'), 5, "models pull"),
    "500": (answer(500, '{"error": "boom"}'), 7, "boom"),
    "502": (answer(502, "Bad Gateway", "text/plain"), 7, "502 Bad Gateway"),
    "204": ([b"HTTP/1.1 204 No Content\r\n\r\n"], 7, "204"),
    "redirection": ([b"HTTP/1.1 307 Moved\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"], 7, "307"),
    "last line cut": (stream(BLOCK, done()[:30]), 7, GARBLED),
    "malformed line": (stream(BLOCK, b"{oops\n", done()), 7, GARBLED),
    "two objects on a line": (stream(BLOCK, line("a").rstrip() + line("b"), done()), 7, GARBLED),
    "NUL bytes": (stream(BLOCK, b"\0\0\0\n", done()), 7, GARBLED),
    "no UTF-8": (stream(BLOCK, b"\xff\xfe\n", done()), 7, GARBLED),
    "nested too deep": (stream(BLOCK, b"[" * 100_000 + b"\n", done()), 7, GARBLED),
    "a number too long": (stream(BLOCK, b'{"done":true,"eval_count":' + b"9" * 5000 + b"}\n"), 7, GARBLED),
    "no done": (stream(BLOCK), 7, CUT),
    "done is a word": (stream(BLOCK, done().replace(b"true", b'"yes"')), 7, CUT),
    "an unknown reason": (stream(BLOCK, done(done_reason="sleepy")), 7, CUT),
    "an error in the answer": (stream(BLOCK, b'{"error": "runner died"}\n', done()), 7, "runner died"),
    "an object as error": (stream(BLOCK, b'{"error": {"message": "boom"}}\n'), 7, "boom"),
    "content-length too long": (headed(f"Content-Length: {len(BLOCK) + 99}", BLOCK), 7, CUT),
    "content-length too short": (headed(f"Content-Length: {len(BLOCK)}", BLOCK, done()), 7, CUT),
    "broken chunks": (headed("Transfer-Encoding: chunked", b"zz\r\n" + BLOCK), 7, CUT),
    "a chunk too short": (headed("Transfer-Encoding: chunked", b"fff\r\n" + BLOCK), 7, CUT),
    "gzip": (headed("Content-Encoding: gzip", gzip.compress(BLOCK + done())), 7, GARBLED),
    "a huge header": ([b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n"], 7, NOT_OLLAMA),
    "too many headers": ([b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 500 + b"\r\n"], 7, NOT_OLLAMA),
    "not HTTP": ([b"SSH-2.0-OpenSSH_9.2\r\n"], 7, NOT_OLLAMA),
    "no head": ([BLOCK, done()], 7, NOT_OLLAMA),
    "a status that is none": ([b"HTTP/1.1 abc OK\r\n\r\n"], 7, NOT_OLLAMA),
    "a line without an end": (Forever(HEAD, (b"a" * 65536,)), 7, ""),
    "bytes one by one": (Forever(HEAD, (b"{", DRIP)), 7, SILENT),
    "lines without text for ever": (Forever(HEAD, (line() * 50,)), 7, "does not end"),
    "empty lines for ever": (Forever(HEAD, (b"\n" * 500,)), 7, "does not end"),
    "other words for ever": (
        Forever(HEAD, (b"".join(line(f"w{n} ") for n in range(3000)),)),
        7,
        "does not end",
    ),
    "the same line for ever": (Forever(HEAD, (line("the same\n"),)), 1, "again and again"),
    "the same thought for ever": (Forever(HEAD, (THOUGHT,)), 1, "again and again"),
    "the same block for ever": (Forever(HEAD, (BLOCK,)), 1, "again and again"),
    "content that is no text": (
        stream(line(message={"content": [1]}), done()),
        1,
        "answered with nothing",
    ),
    "nothing but done": (stream(done()), 1, "answered with nothing"),
}


@pytest.fixture
def ask(tmp_path):
    """Do one task with a server that answers so; give how it ended, and the log's records."""
    (tmp_path / "project").mkdir()
    (tmp_path / ".config" / "tripletick").mkdir(parents=True)
    (tmp_path / ".config" / "tripletick" / "config.ini").write_text(QUICK)

    def run(server, *words):
        kept = {name: os.environ[name] for name in ("PATH", "LC_ALL") if name in os.environ}
        command = [sys.executable, "-m", "tripletick.cli", "-m", "any", "--host", server.url, "-C", "."]
        ended = subprocess.run(
            [*command, *words, "do it"],
            cwd=tmp_path / "project",
            env={
                **kept,
                "HOME": str(tmp_path),
                "LANG": "C.UTF-8",
                "PYTHONWARNINGS": "error",
                "TRIPLETICK_AGENT": "coder",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=150,
        )
        (log,) = (tmp_path / ".local" / "state" / "tripletick" / "sessions").glob("*.jsonl")
        return ended, session_log.read_records(log)

    return run


def served(*acts):
    return BadServer(
        {"/api/show": [ABOUT], "/api/tags": [TAGS], "/api/version": [VERSION], "/api/chat": acts}
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_said_and_nothing_of_the_answer_runs(ask, fault, tmp_path):
    act, exit, words = FAULTS[fault]
    with served(act) as server:
        ended, found = ask(server)
    assert (ended.returncode, ended.stdout) == (exit, "")
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr
    assert list((tmp_path / "project").iterdir()) == []
    assert (found.skipped, found.records[-1]["event"]) == (0, "GaveUp")
    assert found.records[-1]["reason"] and found.records[-1]["hint"]


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (503, "is busy (status 503)"),
        (429, "rate-limiting requests"),
        (502, "that cannot reach Ollama (status 502)"),
    ],
)
def test_a_busy_server_is_asked_four_times(ask, status, told):
    body = ("<html><h1>502 Bad Gateway</h1></html>", "text/html") if status == 502 else ('{"error": "wait"}',)
    with served(answer(status, *body)) as server:
        ended, _ = ask(server)
    assert ended.returncode == 7
    assert told in ended.stderr
    assert [asked.path for asked in server.asked].count("/api/chat") == 4


@pytest.mark.parametrize(
    "act",
    [stream(BLOCK, end=False), stream(BLOCK, b"{oops\n"), [RESET], answer(500, '{"error": "boom"}')],
    ids=["cut", "malformed", "reset", "500"],
)
def test_a_fault_that_does_not_come_twice_costs_nothing(ask, act, tmp_path):
    with served(act, stream(line("All is well."), done())) as server:
        ended, found = ask(server)
    assert (ended.returncode, ended.stdout) == (0, "All is well.\n")
    assert list((tmp_path / "project").iterdir()) == []
    assert found.records[-1]["text"] == "All is well."


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (stream(line("Fine."), done(), BLOCK, done()), "Fine."),
        (stream(line("Fine."), done(), done()), "Fine."),
        (stream(line("Fine."), done(eval_count=-5, prompt_eval_count="x", eval_duration=1e300)), "Fine."),
        (stream(b'{"message": {"content": "a\\ud800b\\u0000"}}\n', done()), "a\ufffdb"),
        (stream(*(bytes([byte]) for byte in line("é€😀")), done()), "é€😀"),
        (stream(*(bytes([b]) for b in '{"message": {"content": "é€😀"}}\n'.encode()), done()), "é€😀"),
    ],
    ids=["data after done", "done twice", "strange counts", "surrogate and NUL", "escapes", "split UTF-8"],
)
def test_what_can_be_read_is_read(ask, act, text):
    with served(act) as server:
        ended, found = ask(server)
    assert ended.returncode == 0
    assert ended.stdout.replace("\0", "").strip() == text
    assert found.skipped == 0


def test_a_fault_in_json_is_one_object_with_its_code(ask):
    with served(stream(BLOCK, end=False)) as server:
        ended, _ = ask(server, "-o", "json")
    told = json.loads(ended.stdout)
    assert (told["ok"], told["exit"], told["error"]["code"]) == (False, 7, "cut")
    assert told["error"]["message"] and told["error"]["hint"]
