"""What the SDK's values mean for us: the tools that a server offers, and what came of a call."""

from __future__ import annotations

import base64
import binascii
import json
import mimetypes
from collections.abc import Callable, Mapping
from typing import Any

import mcp_types as types

from tripletick.mcp.values import CallResult, McpTool, ResultFile

LINKED = "{name}: {uri}"


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
        except ValueError:
            said = text
        if structured in (said, {"result": said}):
            return True
    return False


def _decode_file(kind: str, data: str) -> str | ResultFile:
    try:
        whole = base64.b64decode(data, validate=True)
    except binascii.Error:
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
