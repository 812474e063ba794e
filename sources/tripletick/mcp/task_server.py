"""The other way: a server whose one tool does a task in a folder, for programs that know the protocol.

Each task is a tripletick of its own, with nobody to ask: its events become notes of progress, its end the
result. Which folders there are is the user's to say.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

from tripletick import __version__
from tripletick.system.dirs import expand_user
from tripletick.system.job import PATIENCE, JobOutcome, build_flags, format_progress
from tripletick.system.text import describe_os_error

NAME = "do"
SAYS = (
    "Have a local model do a task in a folder: write and run programs, work with files. What it runs is kept "
    "in that folder; questions are answered with no."
)
FOLDERS = "The folder to work in: one of these or below it: {folders}"
INSTRUCTIONS = "Each call stands for itself: say in the task all that it takes."
TEXT, NUMBER = {"type": "string"}, {"type": "number", "exclusiveMinimum": 0}
OUTPUT: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "answer": TEXT,
        "files": {"type": "array", "items": {"type": "object", "properties": {"path": TEXT, "action": TEXT}}},
        "exit": {"type": "integer", "description": "0: done; others as tripletick --help says"},
        "error": TEXT,
        "notices": {"type": "array", "items": TEXT},
    },
    "required": ["answer", "files", "exit"],
}
LACKING = "`{name}` must be a text that says something."
NO_NUMBER = "`timeout` is a number of seconds above 0."
NOT_ALLOWED = "{folder} is no folder in which tasks are allowed. There are: {folders}"
NO_TOOL = "There is no tool {name!r}; there is: do"
LONGEST = 64 << 20
Context = ServerRequestContext[Any, Any]


class InvalidCallError(Exception):
    """A call that cannot be done, in one sentence."""


def build_result(outcome: JobOutcome) -> types.CallToolResult:
    """Give what came of a task as the protocol has it."""
    said = "\n".join(filter(None, (outcome.answer, outcome.error))) or f"It ended with exit {outcome.exit}."
    held = {
        "answer": outcome.answer,
        "files": list(outcome.files.values()),
        "exit": outcome.exit,
        "error": outcome.error,
        "notices": outcome.notices,
    }
    return types.CallToolResult(
        content=[types.TextContent(text=said)], structured_content=held, is_error=outcome.exit != 0
    )


@dataclass(frozen=True, slots=True)
class TaskTool:
    """Does tasks by a command, to which folder and task are added, in the folders that are allowed."""

    command: Sequence[str]
    allowed: Sequence[Path]

    async def list_tools(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """Offer the one tool."""
        folders = FOLDERS.format(folders=self._format_folders())
        schema = {
            "type": "object",
            "properties": {
                "task": {**TEXT, "description": "what to do"},
                "folder": {**TEXT, "description": folders},
                "agent": {**TEXT, "description": "who does it, such as coder or file"},
                "timeout": {**NUMBER, "description": "seconds that it may take"},
            },
            "required": ["task", "folder"],
        }
        hints = types.ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)
        tool = types.Tool(
            name=NAME, description=SAYS, input_schema=schema, output_schema=dict(OUTPUT), annotations=hints
        )
        return types.ListToolsResult(tools=[tool])

    async def call_tool(self, context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        """Do a task to its end; stopped by the client it is ended."""
        try:
            if asked.name != NAME:
                raise InvalidCallError(NO_TOOL.format(name=asked.name))
            task, words = self._build_command(asked.arguments or {})
            return build_result(await _do_task(words, task, context))
        except InvalidCallError as refused:
            return build_result(JobOutcome(error=str(refused), exit=2))
        except OSError as error:
            return build_result(JobOutcome(error=f"{describe_os_error(error)}.", exit=1))

    def _build_command(self, given: Mapping[str, Any]) -> tuple[str, list[str]]:
        """Give a task and its command line. Raises InvalidCallError."""
        task, folder, agent, timeout = (given.get(key) for key in ("task", "folder", "agent", "timeout"))
        for name, value in (("task", task), ("folder", folder), ("agent", "-" if agent is None else agent)):
            if not isinstance(value, str) or not value.strip() or "\0" in value:
                raise InvalidCallError(LACKING.format(name=name))
        if timeout is not None and (not isinstance(timeout, int | float) or not 0 < timeout < 1e9):
            raise InvalidCallError(NO_NUMBER)
        flags = build_flags(self._resolve_folder(str(folder)), agent or "", timeout)
        return str(task), [*self.command, *flags, "-"]

    def _resolve_folder(self, name: str) -> Path:
        """Give the real path of a folder that is allowed. Raises InvalidCallError."""
        folder = expand_user(name)
        if folder.is_absolute():
            real = folder.resolve()
            if real.is_dir() and any(real.is_relative_to(one) for one in self.allowed):
                return real
        raise InvalidCallError(NOT_ALLOWED.format(folder=name, folders=self._format_folders()))

    def _format_folders(self) -> str:
        return ", ".join(map(str, self.allowed))


async def _do_task(words: Sequence[str], task: str, context: Context) -> JobOutcome:
    """Do a task to its end and report how it goes. Raises OSError where it cannot be started."""
    outcome, count = JobOutcome(), 0
    async with _start_process(words, task) as process:
        assert process.stdout
        assert process.stderr
        complaint = asyncio.create_task(process.stderr.read())
        async for line in process.stdout:
            record = json.loads(line)
            outcome.add_record(record)
            if told := format_progress(record):
                count += 1
                await context.session.report_progress(count, None, told)
        outcome.exit = await process.wait()
        said = (await complaint).decode("utf-8", "replace").strip()
        outcome.error = outcome.error or (said if outcome.exit else "")
    return outcome


@asynccontextmanager
async def _start_process(words: Sequence[str], task: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a task, in a session of its own so that no terminal is asked; end it with the block.

    The task comes by a file: a command line has room for 128 KiB, and others can read it.
    """
    pipe = asyncio.subprocess.PIPE
    with tempfile.TemporaryFile() as request:
        request.write(task.encode("utf-8", "replace"))
        request.seek(0)
        process = await asyncio.create_subprocess_exec(
            *words, stdin=request, stdout=pipe, stderr=pipe, limit=LONGEST, start_new_session=True
        )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            with anyio.move_on_after(PATIENCE, shield=True):
                await process.wait()
        if process.returncode is None:
            process.kill()


async def serve_stdio(tasks: TaskTool) -> None:
    """Serve over standard input and output until the client hangs up."""
    server: Server[Any] = Server(
        "tripletick",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=tasks.list_tools,
        on_call_tool=tasks.call_tool,
    )
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
