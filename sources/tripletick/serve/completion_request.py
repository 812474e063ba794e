"""A request of OpenAI's chat completions, read into what our engines take.

What is not known is ignored, as other local servers do; what is known and wrong is refused with a sentence.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tripletick.messages import Message, Picture, ToolCall, ToolResult
from tripletick.models.model import HOTTEST, Sampling
from tripletick.serve.guard import RefusedError
from tripletick.session import images

ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
NO_OBJECT = "The body is not a JSON object."
NO_MODEL = "`model` must name a model. GET /v1/models lists them."
NO_MESSAGES = "`messages` must be a list of objects with `role` and `content`, the last of them no answer."
NO_CONTENT = "`content` must be a text, or a list of parts of the types text and image_url."
NO_PICTURE = "A picture must be a data: URL with base64 of a PNG, JPEG, GIF or WebP."
NO_ROLE = "There is no role {role!r}."
ONE_ANSWER = "`n` must be 1."
WRONG = "`{name}` must be {what}."

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """What a client asks for."""

    model: str
    messages: tuple[Message, ...]
    stream: bool
    reports_usage: bool
    """The stream ends with a piece that has the token counts."""
    fields: Fields

    def make_sampling(self, usual: Sampling) -> Sampling:
        """Say how the model is asked; what the client does not choose is as the settings have it. Raises
        RefusedError.
        """
        given = self.fields
        output = _read_number(given, "max_completion_tokens", int, 1) or _read_number(
            given, "max_tokens", int, 1
        )
        temperature = _read_number(given, "temperature", float, 0)
        seed = _read_number(given, "seed", int)
        return replace(
            usual,
            output=int(output) if output else usual.output,
            temperature=usual.temperature if temperature is None else min(float(temperature), HOTTEST),
            seed=usual.seed if seed is None else int(seed),
            stop=_read_stop(given.get("stop")),
            schema=_read_schema(given.get("response_format")),
            tools=_read_tools(given.get("tools")),
        )


def parse_request(body: bytes) -> CompletionRequest:
    """Read a request. Raises RefusedError."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, NO_OBJECT) from error
    if not isinstance(given, dict):
        raise RefusedError(400, NO_OBJECT)
    model, said = given.get("model"), given.get("messages")
    if not isinstance(model, str) or not model.strip():
        raise RefusedError(400, NO_MODEL)
    if not isinstance(said, list) or not all(isinstance(one, dict) for one in said):
        raise RefusedError(400, NO_MESSAGES)
    messages = tuple(_read_messages(said))
    if not messages or messages[-1].role != "user":
        raise RefusedError(400, NO_MESSAGES)
    if given.get("n") not in (None, 1):
        raise RefusedError(400, ONE_ANSWER)
    options = given.get("stream_options")
    reports = isinstance(options, dict) and options.get("include_usage") is True
    return CompletionRequest(model.strip(), messages, given.get("stream") is True, reports, given)


def _read_messages(said: Sequence[Fields]) -> Iterator[Message]:
    """Read a conversation; the results of calls are one message, as our engines take them."""
    results: list[ToolResult] = []
    names: dict[str, str] = {}
    for one in said:
        if one.get("role") == "tool":
            name = str(one.get("tool_call_id", ""))
            results.append(ToolResult(name, names.get(name, ""), _read_content(one.get("content"))[0]))
            continue
        if results:
            yield Message("user", "", results=tuple(results))
            results = []
        message = _read_message(one)
        names |= {call.id: call.name for call in message.calls}
        yield message
    if results:
        yield Message("user", "", results=tuple(results))


def _read_message(one: Fields) -> Message:
    role = ROLES.get(str(one.get("role")))
    if role is None:
        raise RefusedError(400, NO_ROLE.format(role=one.get("role")))
    calls = tuple(_read_calls(one.get("tool_calls") or ()))
    content = one.get("content")
    text, pictures = ("", ()) if content is None and calls else _read_content(content)
    return Message(role, text, calls, pictures=pictures)  # type: ignore[arg-type]


def _read_calls(calls: Any) -> Iterator[ToolCall]:
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise RefusedError(400, WRONG.format(name="tool_calls", what="a list of function calls"))
        arguments = _read_arguments(function.get("arguments"))
        yield ToolCall(function["name"], arguments, str(call.get("id", "")))


def _read_arguments(given: Any) -> str:
    """Give the arguments of a call as the text of a JSON object; none at all are an empty one."""
    text = json.dumps(given) if isinstance(given, dict) else given or "{}"
    try:
        whole = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        whole = None
    if not isinstance(whole, dict):
        raise RefusedError(400, WRONG.format(name="arguments", what="a JSON object, or the text of one"))
    return str(text)


def _read_content(content: Any) -> tuple[str, tuple[Picture, ...]]:
    if isinstance(content, str):
        return content, ()
    if not isinstance(content, list):
        raise RefusedError(400, NO_CONTENT)
    texts, pictures = list[str](), list[Picture]()
    for part in content:
        match part:
            case {"type": "text", "text": str(text)}:
                texts.append(text)
            case {"type": "image_url", "image_url": {"url": str(url)}}:
                pictures.append(_read_picture(url))
            case _:
                raise RefusedError(400, NO_CONTENT)
    return "\n".join(texts), tuple(pictures)


def _read_picture(url: str) -> Picture:
    """Read a picture that is sent along; none is fetched."""
    head, _, encoded = url.partition(",")
    try:
        data = base64.b64decode(encoded, validate=True) if head.endswith(";base64") else b""
    except binascii.Error:
        data = b""
    kind = images.detect_media_type(data)
    if not url.startswith("data:") or not kind:
        raise RefusedError(400, NO_PICTURE)
    return Picture("", hashlib.sha256(data).hexdigest(), kind, data)


def _read_number(given: Fields, name: str, kind: type, least: float | None = None) -> float | None:
    value = given.get(name)
    if value is None:
        return None
    fits = isinstance(value, int | float if kind is float else int) and not isinstance(value, bool)
    if not fits or (least is not None and not least <= value < 1e9):
        what = "a whole number" if kind is int else "a number"
        raise RefusedError(
            400, WRONG.format(name=name, what=f"{what} of {least} or more" if least is not None else what)
        )
    return float(value) if kind is float else int(value)


def _read_stop(stop: Any) -> tuple[str, ...]:
    words = [stop] if isinstance(stop, str) else stop or []
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise RefusedError(400, WRONG.format(name="stop", what="a text or a list of texts"))
    return tuple(words)


def _read_schema(wanted: Any) -> Mapping[str, Any] | None:
    match wanted:
        case {"type": "json_schema", "json_schema": {"schema": dict(schema)}}:
            return schema
        case {"type": "json_object"}:
            return {"type": "object"}
        case None | {"type": "text"}:
            return None
    raise RefusedError(
        400, WRONG.format(name="response_format", what="of the type text, json_object or json_schema")
    )


def _read_tools(tools: Any) -> tuple[Mapping[str, Any], ...]:
    if tools is None:
        return ()
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise RefusedError(400, WRONG.format(name="tools", what="a list of functions"))
    return tuple(tools)
