"""Every command of the pages, typed as a person would in a terminal, against a server with a script."""

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pexpect
import pyte
import pytest
from tests.bad_server import BadServer, answer, done, line, stream
from tests.pages import PAGES, TOP, shown

REPLIES = TOP / "tests" / "data" / "docs"
HEIGHT, WIDTH, SECONDS = 400, 200, 150
MODEL = {"name": "qwen2.5-coder:7b", "size": 4_700_000_000, "details": {"quantization_level": "Q4_K_M"}}
ABOUT = {
    "model_info": {
        "general.architecture": "qwen2",
        "general.parameter_count": 7_600_000_000,
        "qwen2.context_length": 32768,
    },
    "capabilities": ["completion", "tools"],
}
TOLD = {"tags": {"models": [MODEL]}, "show": ABOUT, "version": {"version": "0.12.9"}, "ps": {"models": []}}
PULLED = stream(b'{"status": "pulling manifest"}\n', b'{"status": "success"}\n')
RUN = [page for page in PAGES if shown(page)]


def server(page):
    """Give a server that answers with the replies of a page, in their order."""
    script = REPLIES / page.name
    replies = re.split(r"^---$\n", script.read_text("utf-8"), flags=re.MULTILINE) if script.exists() else []
    told = {
        "tags": {"models": [MODEL]},
        "show": ABOUT,
        "version": {"version": "0.12.9"},
        "ps": {"models": []},
    }
    acts = {f"/api/{name}": [answer(200, json.dumps(body))] for name, body in told.items()}
    chat = [stream(line(reply), done()) for reply in replies]
    return BadServer(acts | {"/api/chat": chat, "/api/pull": [PULLED]} if chat else acts)


def typed(command, home, env):
    """Type a command at a terminal, answer what it asks; give its exit code and what stands on the screen."""
    where = home / "where"
    there = where.read_text().strip() if where.exists() else str(home / "work")
    # jobs as in a shell that is typed at: one in the background outlives its command's terminal
    script = f"set -m\ncd {there}\n{command.typed}\ncode=$?; pwd > {where}; exit $code"
    program: Any = pexpect.spawn("bash", ["-c", script], env=env, dimensions=(HEIGHT, WIDTH), timeout=SECONDS)
    screen = pyte.Screen(WIDTH, HEIGHT)
    paper = pyte.ByteStream(screen)
    for question, word in command.answers:
        program.expect_exact(f"{question.rpartition('…')[2]} ")
        paper.feed(program.before + program.after)
        program.sendline(word)
    paper.feed(program.read())
    program.close()
    return program.exitstatus, "\n".join(row.rstrip() for row in screen.display).strip("\n")


@pytest.fixture
def home(tmp_path, page):
    """A home with a folder to work in; but on the first page the model was chosen already."""
    for name in ("work", "bin", ".config/tripletick"):
        (tmp_path / name).mkdir(parents=True)
    if page.stem != "first-hour":
        (tmp_path / ".config/tripletick/config.ini").write_text(f"[model]\nname = {MODEL['name']}\n")
    program = tmp_path / "bin" / "tripletick"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m tripletick.cli "$@"\n')
    program.chmod(0o755)
    return tmp_path


@pytest.mark.timeout(600)
@pytest.mark.skipif(not shutil.which("bwrap"), reason="the pages' blocks run in a box")
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_every_command_of_a_page_does_what_the_page_says(page, home):
    env = {"HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8", "EDITOR": "true"}
    # a script answers requests, not the question who shall do one
    env["TRIPLETICK_ROUTER_ASK"] = "never"
    env["PATH"] = f"{home / 'bin'}:{os.environ['PATH']}"
    with server(page) as at:
        for command in shown(page):
            code, output = typed(command, home, env | {"OLLAMA_HOST": at.url})
            assert code == command.exit, f"{command.typed}\n{output}"
            assert command.is_like(output), f"{command.typed}\n{output}"


def test_every_script_of_replies_belongs_to_a_page():
    assert {path.name for path in REPLIES.iterdir()} <= {Path(page).name for page in RUN}
