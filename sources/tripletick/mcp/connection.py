"""A conversation with one server, by the SDK; all of it runs in the event loop's thread.

Not covered: when one is begun, started over or given up (servers).
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import mimetypes
import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.message import SessionMessage

from tripletick import __version__
from tripletick.mcp.server_process import ServerProcess
from tripletick.mcp.values import CallResult, McpTool, ResultFile

LONGEST = 64 << 20
"""Bytes of one message."""
MOST_RUBBISH = 100
"""Lines that are no messages."""
MOST_TOOLS = 5000
PATIENCE = 2.0
"""Seconds that the end of a conversation may take."""
NO_MESSAGE = "it answers with what is no message of the protocol"
TOO_LONG = f"it sent a line of more than {LONGEST >> 20} MiB"

Incoming = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]

LINKED = "{name}: {uri}"


class McpConnection:
    """One conversation, from its first word to its end."""

    def __init__(self, transport: AbstractAsyncContextManager[Any]) -> None:
        self._transport = transport
        self._over = asyncio.Event()
        self._live: asyncio.Task[None] | None = None
        self._client: Client | None = None

    @property
    def is_closed(self) -> bool:
        return self._live is None or self._live.done()

    async def open(self) -> tuple[McpTool, ...]:
        """Begin; gives the tools there are. Raises what the SDK raises."""
        began: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._live = asyncio.create_task(self._keep_open(began))
        # An error that nobody asks for any more is not to be logged.
        self._live.add_done_callback(lambda task: task.cancelled() or task.exception())
        either: set[asyncio.Future[Any]] = {self._live, began}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not began.done():
            await self._live
        self._client = began.result()
        return await self._list_tools(self._client)

    async def call_tool(self, tool: str, arguments: Mapping[str, Any]) -> CallResult:
        """Call a tool. Raises what the SDK raises."""
        assert self._client
        result = await self._client.session.call_tool(tool, dict(arguments))
        return convert_result(result)

    async def close(self) -> None:
        """End it in good order where that is quick."""
        self._over.set()
        if self._live:
            await asyncio.wait({self._live}, timeout=PATIENCE)
            self._live.cancel()

    async def _keep_open(self, began: asyncio.Future[Client]) -> None:
        ours = types.Implementation(name="tripletick", version=__version__)
        async with Client(self._transport, cache=None, client_info=ours) as client:
            began.set_result(client)
            await self._over.wait()

    @staticmethod
    async def _list_tools(client: Client) -> tuple[McpTool, ...]:
        found: list[types.Tool] = []
        cursor: str | None = None
        while len(found) < MOST_TOOLS:
            page = await client.session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
            found += page.tools
            if not page.tools or page.next_cursor in (None, cursor):
                break
            cursor = page.next_cursor
        return tuple(convert_tool(tool) for tool in found[:MOST_TOOLS])


def silence_logging() -> None:
    """Keep what the SDK logs from the user's screen: what matters of it is raised."""
    for name in ("mcp", "httpx2", "httpx", "asyncio"):
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False


@asynccontextmanager
async def connect_http(url: str, token: str) -> AsyncGenerator[Any, None]:
    """Speak to a server at an address."""
    headers = {"Authorization": f"Bearer {token}"} if token else None
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(create_mcp_http_client(headers=headers))
        yield await stack.enter_async_context(streamable_http_client(url, http_client=client))


@asynccontextmanager
async def connect_pipes(program: ServerProcess) -> AsyncGenerator[Streams, None]:
    """Speak to a program through its pipes, a message a line."""
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader(limit=LONGEST)
    ends = os.fdopen(program.reading, "rb", 0), os.fdopen(program.writing, "wb", 0)
    coming, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), ends[0])
    going, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, ends[1])
    to_us, read = anyio.create_memory_object_stream[Incoming](0)
    write, from_us = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as group:
        group.start_soon(_receive_messages, reader, to_us, program)
        group.start_soon(_send_messages, from_us, going)
        try:
            yield read, write
        finally:
            group.cancel_scope.cancel()
            going.close()
            coming.close()


async def _receive_messages(
    reader: asyncio.StreamReader, to_us: MemoryObjectSendStream[Incoming], program: ServerProcess
) -> None:
    rubbish = 0
    async with to_us:
        while rubbish < MOST_RUBBISH and (line := await _read_line(reader, program)):
            try:
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                rubbish += bool(line.strip())
                program.broke = program.broke or NO_MESSAGE
                program.rubbish = program.rubbish or line.decode("utf-8", "replace").strip()[:80]
            else:
                await to_us.send(SessionMessage(message))


async def _read_line(reader: asyncio.StreamReader, program: ServerProcess) -> bytes:
    try:
        return await reader.readline()
    except ValueError:
        program.broke = TOO_LONG
        return b""


async def _send_messages(
    from_us: MemoryObjectReceiveStream[SessionMessage], going: asyncio.WriteTransport
) -> None:
    async with from_us:
        async for message in from_us:
            going.write(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")


def convert_tool(tool: types.Tool) -> McpTool:
    """Give a tool as we keep it."""
    hints = tool.annotations or types.ToolAnnotations()
    return McpTool(
        tool.name,
        (tool.description or tool.title or "").strip(),
        tool.input_schema,
        hints.read_only_hint,
        hints.destructive_hint,
        hints.idempotent_hint,
        hints.open_world_hint,
    )


def convert_result(result: types.CallToolResult) -> CallResult:
    """Give what came of a call; what is no text becomes files."""
    found = [_READERS[block.type](block) for block in result.content]
    texts = [each for each in found if isinstance(each, str)]
    structured = result.structured_content
    if structured is not None and not _is_redundant(texts, structured):
        texts.append(json.dumps(structured, ensure_ascii=False, indent=1))
    return CallResult(
        "\n".join(filter(None, texts)),
        tuple(each for each in found if isinstance(each, ResultFile)),
        bool(result.is_error),
    )


def _is_redundant(texts: list[str], structured: Any) -> bool:
    """Tell whether the texts say already what the structured content says."""
    for text in ["\n".join(texts), *texts]:
        try:
            said = json.loads(text)
        except (ValueError, RecursionError):
            said = text
        if structured in (said, {"result": said}):
            return True
    return False


def _decode_file(kind: str, data: str) -> str | ResultFile:
    try:
        whole = base64.b64decode(data, validate=True)
    except ValueError:
        return f"({kind} that cannot be decoded)"
    return ResultFile(whole, mimetypes.guess_extension(kind) or ".bin", kind)


def _convert_resource(block: types.EmbeddedResource) -> str | ResultFile:
    held = block.resource
    if isinstance(held, types.TextResourceContents):
        return f"{held.uri}\n{held.text}"
    return _decode_file(held.mime_type or "application/octet-stream", held.blob)


_READERS: Mapping[str, Callable[[Any], str | ResultFile]] = {
    "text": lambda block: block.text,
    "image": lambda block: _decode_file(block.mime_type, block.data),
    "audio": lambda block: _decode_file(block.mime_type, block.data),
    "resource": _convert_resource,
    "resource_link": lambda block: LINKED.format(name=block.name, uri=block.uri),
}
