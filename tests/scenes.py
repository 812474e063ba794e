"""What people do with the program at a terminal: each scene is played on the real one and gives its screen.

tests/program/test_screens.py compares the screens as text, tools/record.py makes pictures of them.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.bad_server import HANG, BadServer, answer, done, line, stream
from tests.fetched import put_all
from tests.terminal import CTRL_C, PASTE, TAB, Terminal, opened

PROMPT = "coder>"
CLOSED = "http://127.0.0.1:9"
DOUBTED = """\
```bash
cp notes.txt backup.txt
```
---
I copied notes.txt to backup.txt successfully.
---
I have copied the file.
"""
REPAIR = """\
I look.

```bash
cat nothing.txt
```
---
It was not there, so I make it.

```text:nothing.txt
something
```

```bash
cat nothing.txt
```
---
The file holds **something**.
"""
WIDE = """\
| 名前 | what | 🐙 |
|---|---|---|
| 漢字 | two cells a letter | yes |
| naïve | one | ✅ |

- 天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏这是一个很长的句子它必须在窗口的边缘处断开。
- A flag 🇩🇪, a cat 🐈 and an é of two parts (é) in one line.

```text:名前.txt
一二三
```
---
All of it is there.
"""
PLAN: list[dict[str, Any]] = [
    {
        "text": """\
```json
{"tasks": [
 {"id": 1, "agent": "coder", "task": "Write count.py, which counts the words of a file.", "needs": []},
 {"id": 2, "agent": "reviewer", "task": "Try count.py on a file.", "needs": [1]},
 {"id": 3, "agent": "file", "task": "Write notes.md, two lines on count.py.", "needs": [1]}
]}
```"""
    },
    {
        "to": "Write count.py",
        "text": """\
```python:count.py
import sys
print(len(open(sys.argv[1] if len(sys.argv) > 1 else __file__).read().split()))
```""",
    },
    {"to": "Write count.py", "text": "count.py counts the words of a file, or its own."},
    {
        "to": "Try count.py",
        "text": "```bash\nwc -w missing.txt\n```",
    },
    {"to": "Try count.py", "text": "```bash\npython3 count.py\n```"},
    {"to": "Try count.py", "text": "It counts its own words as it should."},
    {"to": "Write notes.md", "text": "```markdown:notes.md\n# count.py\nCounts words.\n```"},
    {"to": "Write notes.md", "text": "notes.md has two lines on it."},
]
MODELS = [
    {"name": "qwen-coder:3b", "size": 1_900_000_000, "details": {"quantization_level": "Q4_K_M"}},
    {"name": "llama3.2:3b", "size": 1_300_000_000, "details": {"quantization_level": "Q8_0"}},
    {"name": "模型:70b", "size": 40_000_000_000_000, "details": {"quantization_level": "Q4_0"}},
]
ABOUT = {"general.architecture": "a", "a.context_length": 32768, "general.parameter_count": 3_100_000_000}
LIES = {"size": 500, "size_vram": 500, "context_length": 16384}


OLLAMA = """\
#!{python}
import http.server, json, os, pathlib, sys
assert sys.argv[1:] == ["serve"]
pathlib.Path(os.environ["HOME"], "served").write_text(str(os.getpid()))
class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        told = {{"models": {models!r}, "version": "0.32.0", "model_info": {about!r}}}
        body = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()
    def log_message(self, *words):
        pass
port = int(os.environ["OLLAMA_HOST"].rpartition(":")[2])
http.server.HTTPServer(("127.0.0.1", port), Answers).serve_forever()
"""


def free_port() -> int:
    """Give a port for a program that is told which; none of those that the system gives to whoever asks."""
    while True:
        port = random.SystemRandom().randrange(12_000, 30_000)
        with suppress(OSError), BadServer({}, port=port):
            return port


def with_ollama(home: Path, models: Any) -> str:
    """Give a PATH with nothing on it but a program that serves as Ollama does."""
    (home / "bin").mkdir()
    program = home / "bin" / "ollama"
    program.write_text(OLLAMA.format(python=sys.executable, models=models, about=ABOUT))
    program.chmod(0o755)
    return str(home / "bin")


def served(*streams: Any, models: Any = MODELS) -> BadServer:
    """A server with these models, all of one kind, that says these things."""
    told: dict[str, Any] = {
        "tags": {"models": models},
        "version": {"version": "0.32.0"},
        "show": {"model_info": ABOUT, "capabilities": ["completion"]},
        "generate": {"done": True, "done_reason": "load"},
        "ps": {"models": [{**model, **LIES} for model in models]},
    }
    acts: dict[str, Any] = {f"/api/{name}": [answer(200, json.dumps(body))] for name, body in told.items()}
    return BadServer({**acts, "/api/chat": streams})


def said(*replies: str) -> list[Any]:
    return [stream(*(line(word + " ") for word in reply.split(" ")), done()) for reply in replies]


def script(home: Path, replies: str) -> tuple[str, ...]:
    (home / "script.md").write_text(replies, encoding="utf-8")
    return ("-a", "coder", "-m", "scripted:../script.md")


def first_run(home: Path, models: Any = MODELS, **how: Any) -> Terminal:
    """A server with models, one of which is chosen."""
    with (
        served(*said("Hello. What shall we do?"), models=models) as server,
        opened(home, "-a", "coder", "--host", server.url, **how) as terminal,
    ):
        terminal.wait("Use [1]?").type("1\r").wait("GPU").wait_line(PROMPT)
        terminal.send("hello").wait("shall we do?").wait_line(PROMPT)
    return terminal


@contextmanager
def one_core() -> Iterator[None]:
    """Let what is started see one core, so that the same model suits every machine that runs the tests."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def no_server(home: Path, **how: Any) -> Terminal:
    """Nothing answers; what can be done is shown, and nothing of it is wanted."""
    (home / "bin").mkdir()
    with one_core(), opened(home, "--host", CLOSED, "do this", PATH=str(home / "bin"), **how) as terminal:
        terminal.wait("Your choice?").type("?\r").wait("nothing.").type("n\r").end()
    return terminal


def started(home: Path, **how: Any) -> Terminal:
    """Ollama is installed and does not run: it is started, and goes on running."""
    path, host = with_ollama(home, MODELS), f"http://127.0.0.1:{free_port()}"
    try:
        with one_core(), opened(home, "-a", "coder", "--host", host, PATH=path, **how) as terminal:
            terminal.wait("Your choice?").type("\r").wait("Use [1]?").type("\r").wait_line(PROMPT)
    finally:
        os.kill(int((home / "served").read_text()), signal.SIGKILL)
    return terminal


def offline(home: Path, **how: Any) -> Terminal:
    """Nothing answers, and the model that suits is taken; it lies there already."""
    put_all(home)
    (home / "bin").mkdir()
    with (
        one_core(),
        opened(home, "-a", "coder", "--host", CLOSED, PATH=str(home / "bin"), **how) as terminal,
    ):
        terminal.wait("Your choice?").type("o\r").wait_line(PROMPT)
    return terminal


def no_models(home: Path, **how: Any) -> Terminal:
    """A server without models; a pull is begun and stopped."""
    row = {"status": "pulling a", "digest": "a", "total": 4_700_000_000, "completed": 1_175_000_000}
    server = served(models=[])
    server.acts = {
        **server.acts,
        "/api/pull": [[*stream(json.dumps(row).encode() + b"\n", end=False), HANG]],
    }
    with server, opened(home, "--host", server.url, "do this", **how) as terminal:
        terminal.wait("Pull 1 (").type("\r").wait("25 %").type(CTRL_C).end()
    return terminal


def repair(home: Path, **how: Any) -> Terminal:
    """A task that goes wrong at first."""
    with opened(home, *script(home, REPAIR), **how) as terminal:
        terminal.wait(PROMPT).send("show nothing.txt").wait("tokens").wait_line(PROMPT)
    return terminal


def doubted(home: Path, **how: Any) -> Terminal:
    """A model that says twice that it has done what failed."""
    with opened(home, *script(home, DOUBTED), **how) as terminal:
        terminal.wait(PROMPT).send("copy notes.txt to backup.txt").wait("in doubt:")
        terminal.wait("tokens").wait_line(PROMPT)
    return terminal


def plan(home: Path, **how: Any) -> Terminal:
    """A large request, parted into tasks for three agents."""
    (home / "script.json").write_text(json.dumps(PLAN), encoding="utf-8")
    with opened(home, "-a", "planner", "-m", "scripted:../script.json", **how) as terminal:
        terminal.wait("planner>").send("a word counter").wait("Run this plan")
        terminal.send("y").wait("tokens").wait_line("planner>")
    return terminal


def wide(home: Path, **how: Any) -> Terminal:
    """An answer in letters that take two cells."""
    with opened(home, *script(home, WIDE), **how) as terminal:
        terminal.wait(PROMPT).send("schreibe 漢字 und 🐙").wait("tokens").wait_line(PROMPT)
    return terminal


def stopped(home: Path, **how: Any) -> Terminal:
    """The model is stopped in the middle of its answer, and asked something else."""
    half = [*stream(line("This will be\n\na very long"), end=False), HANG]
    with (
        served(half, *said("Shorter, then.")) as server,
        opened(home, "-a", "coder", "-m", "any", "--host", server.url, **how) as terminal,
    ):
        terminal.wait(PROMPT).send("tell me").wait("will be").type(CTRL_C).wait("stopped")
        terminal.wait_line(PROMPT)
        terminal.send("shorter").wait("Shorter, then.").wait_line(PROMPT)
    return terminal


def resumed(home: Path, **how: Any) -> Terminal:
    """Yesterday's work is gone on with."""
    with opened(home, *script(home, REPAIR), "show nothing.txt") as terminal:
        terminal.end()
    with opened(home, *script(home, "It held **something**."), "resume", **how) as terminal:
        terminal.wait_line(PROMPT).send("what did it hold").wait("It held", "tokens").wait_line(PROMPT)
    return terminal


def undone(home: Path, **how: Any) -> Terminal:
    """What a turn changed is looked at, taken back, and brought back."""
    (home / "project" / "poem.txt").write_text("Roses are red,\nviolets are green.\n")
    reply = "```text:poem.txt\nRoses are red,\nviolets are blue.\n```\n---\nMended."
    with opened(home, *script(home, "```read\npoem.txt\n```\n---\n" + reply), **how) as terminal:
        terminal.wait(PROMPT).send("mend the poem").wait("Mended.", "tokens").wait_line(PROMPT)
        for typed, told in (("/diff", "+violets are blue."), ("/undo", "Restored"), ("/redo", "Restored")):
            terminal.send(typed).wait(told).wait_line(PROMPT)
    return terminal


def completed(home: Path, **how: Any) -> Terminal:
    """Commands, agents and paths are completed."""
    for name in ("notes.txt", "名前.txt"):
        (home / "project" / name).write_text("some words\n" * 40)
    with opened(home, *script(home, "Read."), **how) as terminal:
        terminal.wait(PROMPT).type(f"/co{TAB}").wait("/copy").wait_line(f"{PROMPT} /co").type(CTRL_C)
        terminal.wait_line(PROMPT).type(f"@c{TAB}").wait("casual").wait_line(f"{PROMPT} @c").type(CTRL_C)
        terminal.wait_line(PROMPT)
        terminal.type(f"see @{TAB}").wait_line(f"{PROMPT} see @").type(f"no{TAB}").wait("+137 tokens")
    return terminal


def pasted(home: Path, **how: Any) -> Terminal:
    """Two hundred lines are pasted."""
    lines = "".join(f"line {number} of it\n" for number in range(200))
    with opened(home, *script(home, "Read."), **how) as terminal:
        terminal.wait(PROMPT).type("sum up ").type(PASTE.format(lines)).wait("200 lines]")
        terminal.type(" in a word\r").wait("Read.", "tokens").wait_line(PROMPT)
    return terminal
