"""Small requests that were done, as the messages that stand before the first one.

A model below a billion parameters follows an example where it does not follow a description. Their words are
a prompt file: examples parted by lines of `===`, each of five parts: the request, the reply as a fence, what
came of its block with its output below, what it changed, the answer. Each dialect gets its own form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tripletick.agents.templates import Templates
from tripletick.dialects.dialect import Dialect
from tripletick.dialects.fence import FenceDialect
from tripletick.messages import Call, Chunk, Message, Result, ToolCall
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.tool import Tool

_EXAMPLE, _PART = lazy_regex(r"^===\n", re.MULTILINE), lazy_regex(r"^---\n", re.MULTILINE)


def parse_calls(text: str, tools: Mapping[str, Tool]) -> list[Call]:
    """Give the calls of the examples."""
    return [_parse_call(_PART.split(example)[1], tools) for example in _EXAMPLE.split(text)]


def build_messages(
    text: str, line: str, dialect: Dialect, tools: Mapping[str, Tool], said: Templates
) -> tuple[Message, ...]:
    """Give the examples as a dialect has them; `line` names the agent that is asked."""
    given: list[Message] = []
    for number, one in enumerate(_EXAMPLE.split(text), 1):
        asked, *more = _build_example(one, f"call_{number}", dialect, tools, said)
        given += [replace(asked, text=f"{line}\n{asked.text}"), *more]
    return tuple(given)


def _build_example(
    text: str, name: str, dialect: Dialect, tools: Mapping[str, Tool], said: Templates
) -> Iterator[Message]:
    request, reply, came, changed, answer = (part.strip() for part in _PART.split(text))
    call, sent = _parse_call(f"{reply}\n", tools), tuple[ToolCall, ...]()
    if dialect.schemas:
        call = replace(call, id=name)
        arguments = json.dumps(tools[call.tool].form.get_arguments(call), ensure_ascii=False)
        sent = (ToolCall(call.tool, arguments, call.id),)
    verdict, _, output = came.partition("\n")
    told = dialect.build_feedback([(call, Result("ok", verdict, output, exit=0))], ())
    closing = "\n\n".join(filter(None, (said.changed and changed, said.format_closing("done", request))))
    ending = said.choose_ending(request, call.path or "", new=bool(call.path))
    yield Message("user", said.format_request(request, "", ending))
    yield Message("assistant", "" if sent else dialect.format_call(call), sent)
    yield replace(told, text="\n\n".join(filter(None, (told.text, closing))))
    yield Message("assistant", answer)


def _parse_call(text: str, tools: Mapping[str, Tool]) -> Call:
    reader = FenceDialect().make_reader(tuple(tools))
    for _ in reader.feed(Chunk(text=text)):
        pass
    return reader.close().calls[0]
