"""Chat completions as llama.cpp, vLLM, LM Studio and many others take them: the conversation in their words.

What they answer is read in completion_chunks.py; how it is sent is openai's and embedded's.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tripletick.messages import Message, Picture
from tripletick.models.model import Sampling


def encode_messages(said: Sequence[Message]) -> list[dict[str, Any]]:
    """Write a conversation; results of calls are messages of their own, before the text."""
    return [written for message in said for written in _encode_message(message)]


def build_request(said: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
    """Write what every such server is asked; None where something was not chosen."""
    return {
        "messages": encode_messages(said),
        "max_tokens": max(1, sampling.output),
        "temperature": sampling.temperature,
        "seed": sampling.seed,
        "stop": list(sampling.stop) or None,
        "response_format": _response_format(sampling.schema),
        "tools": list(sampling.tools) or None,
    }


def strip_pictures(said: Sequence[Message]) -> list[Message]:
    """Give a conversation for a model that cannot see: another one may have been shown pictures."""
    return [replace(message, pictures=()) if message.pictures else message for message in said]


def drop_unset(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what was not chosen."""
    return {name: value for name, value in fields.items() if value is not None}


def replace_surrogates(text: str) -> str:
    """A lone surrogate is no Unicode, and llama.cpp would refuse the whole request for it."""
    return text.encode("utf-8", "replace").decode("utf-8")


def encode_picture(picture: Picture) -> str:
    """Give a picture's bytes as base64."""
    return base64.b64encode(picture.data).decode("ascii")


def _encode_message(message: Message) -> Iterator[dict[str, Any]]:
    for result in message.results:
        yield {"role": "tool", "tool_call_id": result.id, "content": replace_surrogates(result.text)}
    if message.text or message.calls or not message.results:
        yield {"role": message.role, "content": _encode_content(message), **_encode_calls(message)}


def _encode_content(message: Message) -> str | list[dict[str, Any]]:
    text = replace_surrogates(message.text)
    seen = [picture for picture in message.pictures if picture.data]
    if not seen:
        return text
    urls = (f"data:{picture.kind};base64,{encode_picture(picture)}" for picture in seen)
    return [
        {"type": "text", "text": text},
        *({"type": "image_url", "image_url": {"url": url}} for url in urls),
    ]


def _encode_calls(message: Message) -> dict[str, Any]:
    made = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in message.calls
    ]
    return {"tool_calls": made} if made else {}


def _response_format(schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if schema is None:
        return None
    named = {"name": "answer", "strict": True, "schema": dict(schema)}
    return {"type": "json_schema", "json_schema": named}
