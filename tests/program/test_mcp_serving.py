"""`tripletick mcp`: the program as a tool of others, spoken to by the SDK's own client."""

import asyncio
import os
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("mcp")
from mcp import Client, StdioServerParameters
from mcp_types import CallToolRequestParams

from tripletick.mcp.task_server import TaskTool

PROGRAM = ("-P", "-m", "tripletick.cli", "mcp")
SAVES = "```bash\necho hello > hello.txt\n```\n---\nIt is saved.\n"
ASKS = "REQUEST_CLARIFICATION Which one?\n"
HANGS = "```bash\nsleep 50\n```\n---\nDone.\n"


@pytest.fixture
def allowed(tmp_path):
    folder = tmp_path / "allowed"
    (folder / "inside").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    return folder


@pytest.fixture
def do(tmp_path, allowed):
    """Have the server do one task with a scripted model; gives the result and what was told meanwhile."""

    def do_it(replies, seconds=150, **arguments):
        script, told = tmp_path / "replies.md", []
        script.write_text(replies)
        words = [*PROGRAM, "--allow", str(allowed), "-m", f"scripted:{script}"]
        env = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"]}
        server = StdioServerParameters(command=sys.executable, args=words, env=env)

        async def note(progress, total, message):
            told.append(message)

        async def ask():
            async with Client(server) as client:
                given = {"task": "save a file", "folder": str(allowed), **arguments}
                return await asyncio.wait_for(client.call_tool("do", given, progress_callback=note), seconds)

        return asyncio.run(ask()), told

    return do_it


def test_a_task_gives_answer_files_and_exit_and_tells_how_it_goes(do, allowed):
    result, told = do(SAVES, agent="coder", timeout=100)
    assert not result.is_error
    assert result.structured_content["answer"] == "It is saved."
    assert result.structured_content["files"] == [{"path": "hello.txt", "action": "created"}]
    assert result.structured_content["exit"] == 0
    assert told[-2:] == ["bash", "bash: ok"]
    assert (allowed / "hello.txt").read_text() == "hello\n"


def test_a_task_works_in_a_folder_below_one_that_is_allowed(do, allowed):
    do(SAVES, folder=str(allowed / "inside"))
    assert (allowed / "inside" / "hello.txt").exists()


@pytest.mark.parametrize(
    "folder", ["/etc", "..", "", "{allowed}/missing", "{allowed}/../home", "{allowed}/link"]
)
def test_a_folder_elsewhere_is_refused(do, allowed, folder):
    (allowed / "link").symlink_to("/usr")
    result, told = do(SAVES, folder=folder.format(allowed=allowed))
    assert result.is_error
    assert result.structured_content["exit"] == 2
    assert told == []


def test_a_question_is_not_answered_and_the_exit_says_so(do):
    result, _ = do(ASKS)
    assert (result.is_error, result.structured_content["exit"]) == (True, 3)
    assert result.structured_content["answer"] == "Which one?"


def test_a_task_that_takes_too_long_is_ended(do):
    result, _ = do(HANGS, timeout=3)
    assert result.structured_content["exit"] == 124
    assert "time limit" in result.structured_content["error"]


def test_an_agent_that_does_not_exist_is_told(do):
    result, _ = do(SAVES, agent="nobody")
    assert "There is no agent 'nobody'" in result.structured_content["error"]


@pytest.mark.parametrize("task", ["--help", "-"])
def test_a_task_is_a_task_whatever_its_words(do, task):
    result, _ = do("Just words.\n", task=task)
    assert result.structured_content["answer"] == "Just words."


def test_a_task_too_long_for_a_command_line_reaches_the_model(do):
    result, _ = do("Just words.\n", task="x" * 140_000)
    assert "The conversation needs 48350 tokens" in result.structured_content["error"]


def test_a_task_that_cannot_be_started_is_told(allowed):
    tool = TaskTool([str(allowed / "absent")], [allowed])
    asked = CallToolRequestParams(name="do", arguments={"task": "do", "folder": str(allowed)})
    context: Any = None
    result = asyncio.run(tool.call_tool(context, asked))
    assert result.is_error
    assert "No such file" in result.structured_content["error"]


@pytest.mark.parametrize(
    ("words", "told"), [((), "--allow"), (("--allow", "/no/such/folder"), "is not a folder")]
)
def test_it_serves_no_folder_that_is_not_named(words, told):
    ended = subprocess.run(
        [sys.executable, *PROGRAM, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert ended.returncode == 2
    assert told in ended.stderr


def test_a_lesser_box_stands_in_the_result(do, tmp_path, monkeypatch):
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho no room here; exit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    result, _ = do(SAVES, agent="coder")
    if result.structured_content["exit"] == 3:
        pytest.skip("there is no second tier here")
    assert result.structured_content["notices"] == [
        "sandbox: using landlock, because a stronger tier does not work: no room here"
    ]
