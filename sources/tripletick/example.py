"""A small request that was done, as the messages that stand before the first one.

Its words are a prompt file of four parts: the request, the reply as fences, what came of its block, the
answer. Each dialect gets it in its own form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from tripletick.dialects.dialect import Dialect
from tripletick.dialects.fence import Fence
from tripletick.messages import Call, Chunk, Message, Result, ToolCall
from tripletick.tools.tool import Tool

_PART = re.compile(r"^---\n", re.MULTILINE)
_ID = "call_1"


def block(text: str, tools: Mapping[str, Tool]) -> Call:
    """Give the call of an example."""
    reader = Fence().reader(tuple(tools))
    for _ in reader.feed(Chunk(text=_PART.split(text)[1])):
        pass
    return reader.close().calls[0]


def messages(text: str, line: str, dialect: Dialect, tools: Mapping[str, Tool]) -> tuple[Message, ...]:
    """Give the example as a dialect has it; `line` names the agent that is asked."""
    request, _, verdict, answer = (part.strip() for part in _PART.split(text))
    call, said = block(text, tools), tuple[ToolCall, ...]()
    if dialect.schemas:
        call = replace(call, id=_ID)
        arguments = json.dumps(tools[call.tool].form.arguments(call), ensure_ascii=False)
        said = (ToolCall(call.tool, arguments, _ID),)
    return (
        Message("user", f"{line}\n{request}"),
        Message("assistant", "" if said else dialect.write(call), said),
        dialect.feedback([(call, Result("ok", verdict))], ()),
        Message("assistant", answer),
    )
