"""An editor of the tests: the SDK's own client, which speaks to the program over its standard streams."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from acp import RequestError, schema, text_block
from acp.stdio import spawn_agent_process

PROGRAM = (sys.executable, "-P", "-m", "tripletick.cli", "acp")
SECONDS = 100


class Editor:
    """What a user sees and answers in one session."""

    def __init__(self) -> None:
        self.agent: Any = None
        self._more = asyncio.Condition()
        self.prepare()

    def prepare(self, *answers: str, buffers: dict[str, str] | None = None, forms: bool = False) -> None:
        """Say what is answered: option ids, in their order, then the first that is offered.

        `buffers` hold what is not saved, by absolute path; with them the editor offers its files.
        """
        self.answers, self.buffers, self.forms = list(answers), buffers, forms
        self.told: list[dict[str, Any]] = []
        self.asked: list[tuple[str, list[str]]] = []
        self.previews: list[dict[str, Any]] = []
        self.read: list[str] = []
        self.session = ""

    async def request_permission(self, session_id: str, tool_call: Any, options: Any, **_: Any) -> Any:
        self.asked.append((tool_call.title, [option.kind for option in options]))
        self.previews += [each.model_dump(exclude_none=True) for each in tool_call.content or ()]
        await self._notify()
        answer = self.answers.pop(0) if self.answers else options[0].option_id
        if answer == "wait":
            await asyncio.sleep(SECONDS)
        outcome = schema.AllowedOutcome(outcome="selected", option_id=answer)
        return schema.RequestPermissionResponse(outcome=outcome)

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        if self.session not in ("", session_id):
            return
        self.told.append(update.model_dump(mode="json", by_alias=True, exclude_none=True))
        await self._notify()

    async def read_text_file(self, session_id: str, path: str, **_: Any) -> Any:
        self.read.append(path)
        if self.buffers is None or path not in self.buffers:
            return schema.ReadTextFileResponse(content=Path(path).read_text())
        return schema.ReadTextFileResponse(content=self.buffers[path])

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> None:
        assert self.buffers is not None
        self.buffers[path] = content
        Path(path).write_text(content)

    async def create_elicitation(self, message: str, mode: Any, **_: Any) -> Any:
        self.asked.append((message, ["form"]))
        return schema.AcceptElicitationResponse(action="accept", content={"answer": self.answers.pop(0)})

    def on_connect(self, conn: Any) -> None:
        self.agent = conn

    async def _notify(self) -> None:
        async with self._more:
            self._more.notify_all()

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait for what an update or a question brings."""
        async with self._more:
            await asyncio.wait_for(self._more.wait_for(holds), SECONDS)

    def list_updates(self, kind: str) -> list[dict[str, Any]]:
        return [each for each in self.told if each["sessionUpdate"] == kind]

    @property
    def words(self) -> str:
        """All that the agent has said."""
        return "".join(each["content"]["text"] for each in self.list_updates("agent_message_chunk"))

    @property
    def calls(self) -> dict[str, dict[str, Any]]:
        """The calls as they stand now, by their ids."""
        known: dict[str, dict[str, Any]] = {}
        for each in self.told:
            if each["sessionUpdate"].startswith("tool_call"):
                known.setdefault(each["toolCallId"], {}).update(each)
        return known

    async def begin(self, folder: Path, servers: Sequence[Any] = ()) -> Any:
        """Open a session in a folder, with tool servers of the editor's; gives what may be chosen."""
        able = schema.ClientCapabilities()
        if self.buffers is not None:
            able.fs = schema.FileSystemCapabilities(read_text_file=True, write_text_file=True)
        if self.forms:
            able.elicitation = schema.ElicitationCapabilities(form=schema.ElicitationFormCapabilities())
        await self.agent.initialize(protocol_version=1, client_capabilities=able)
        begun = await self.agent.new_session(cwd=str(folder), mcp_servers=[*servers])
        self.session = begun.session_id
        return begun

    async def choose(self, option: str, value: str) -> dict[str, str]:
        """Choose something for what follows; gives what is chosen now."""
        given = await self.agent.set_config_option(config_id=option, session_id=self.session, value=value)
        return {one.id: one.current_value for one in given.config_options}

    async def send(self, *blocks: Any, seconds: float = SECONDS) -> str:
        """Send a request; gives why its turn stopped."""
        prompt = [text_block(block) if isinstance(block, str) else block for block in blocks]
        asked = self.agent.prompt(session_id=self.session, prompt=prompt)
        return str((await asyncio.wait_for(asked, seconds)).stop_reason)

    async def fail(self, *blocks: Any) -> RequestError:
        """Send a request that is answered with an error."""
        try:
            await self.send(*blocks)
        except RequestError as error:
            return error
        raise AssertionError("it was done")


def make_environment(home: Path) -> dict[str, str]:
    kept = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    return {**kept, "TRIPLETICK_APPROVAL_DIFF": "yes"}


@asynccontextmanager
async def opened(home: Path, editor: Editor, *words: str) -> AsyncIterator[Editor]:
    """Start the program for an editor; it ends with the editor, of itself."""
    command = (*PROGRAM, "-m", f"scripted:{home / 'script.json'}", *words)
    more: dict[str, Any] = {"limit": 64 << 20, "stderr": None, "shutdown_timeout": SECONDS}
    starting = spawn_agent_process(
        cast("Any", editor),
        *command,
        env=make_environment(home),
        cwd=home,
        transport_kwargs=more,
        use_unstable_protocol=True,
    )
    async with starting as (agent, process):
        editor.agent = agent
        yield editor
    assert process.returncode == 0


class RawEditor:
    """An editor that may send anything."""

    def __init__(self, home: Path, *words: str) -> None:
        command = (*PROGRAM, "-m", f"scripted:{home / 'script.json'}", *words)
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=make_environment(home), cwd=home
        )

    def write(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def ask(self, name: int, method: str, **params: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "id": name, "method": method, "params": params}).encode())
        self.write(b"\n")

    def read(self) -> dict[str, Any]:
        """Give the next message; all that stands on standard output is one."""
        assert self.process.stdout
        message = json.loads(self.process.stdout.readline())
        assert message.pop("jsonrpc") == "2.0"
        return dict(message)

    def read_answer(self, name: int | str | None) -> dict[str, Any]:
        """Give the answer to a request; a question on the way is answered with yes."""
        while True:
            message = self.read()
            if message.get("method") == "session/request_permission":
                outcome = {"outcome": {"outcome": "selected", "optionId": "y"}}
                self.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": outcome}).encode())
                self.write(b"\n")
            elif "method" not in message and message["id"] == name:
                return message
