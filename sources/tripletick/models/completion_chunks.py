"""What the pieces of a streamed chat completion mean: those of xllamacpp, and of servers.

What is asked is in completions.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tripletick.messages import Chunk, Counts, Finish, Progress, ToolCall
from tripletick.models import json_fields
from tripletick.models.llamacpp import Piece

FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "stop_sequence": "stop",
    "end_turn": "stop",
    "tool_calls": "stop",
    "function_call": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
}
REASONING = ("reasoning_content", "reasoning", "thinking")
"""Where servers put what the model thinks: llama.cpp and vLLM, Ollama and OpenRouter, some older ones."""
MILLI = 1e-3


def parse_objects(piece: Piece) -> Iterator[Mapping[str, Any]]:
    """Give the objects of a piece, which is one, a list of them, or either as JSON."""
    if isinstance(piece, (str, bytes)):
        piece = json.loads(piece)
    for entry in piece if isinstance(piece, list) else [piece]:
        if isinstance(entry, dict):
            yield entry


def _first_choice(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    return next(iter(json_fields.get_objects(fields, "choices")), {})


def _get_delta(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give what a piece adds; a server that does not stream gives all of it as one message."""
    choice = _first_choice(fields)
    return json_fields.get_object(choice, "delta") or json_fields.get_object(choice, "message")


def get_finish_reason(fields: Mapping[str, Any]) -> str:
    """Give the word for the end of the reply, "" before it."""
    return json_fields.clean_text(_first_choice(fields).get("finish_reason"))


def parse_finish(fields: Mapping[str, Any]) -> Finish | None:
    return FINISHES.get(get_finish_reason(fields))


def parse_chunk(fields: Mapping[str, Any]) -> Chunk | None:
    delta = _get_delta(fields)
    content = delta.get("content")
    thoughts = (json_fields.clean_text(delta.get(name)) for name in REASONING)
    text, thought = _join_text(content), next(filter(None, (*thoughts, _join_thoughts(content))), "")
    if text or thought:
        return Chunk(text=text, thought=thought)
    read = _parse_progress(fields)
    return Chunk(progress=read) if read else None


def _parse_progress(fields: Mapping[str, Any]) -> Progress | None:
    """Read llama.cpp's `prompt_progress`, in which `processed` and `total` count what was in the cache."""
    told = json_fields.get_object(fields, "prompt_progress")
    cached = json_fields.get_number(told, "cache")
    done, total = (json_fields.get_number(told, name) - cached for name in ("processed", "total"))
    return Progress("reading", done, total) if total > 0 else None


def _join_text(content: object) -> str:
    """Give content that is text, or has parts of it."""
    return json_fields.clean_text(content) or "".join(
        map(json_fields.clean_text, _select_parts(content, "text"))
    )


def _join_thoughts(content: object) -> str:
    """Mistral's servers put thoughts among the parts."""
    return "".join(map(_join_text, _select_parts(content, "thinking")))


def _select_parts(content: object, kind: str) -> Iterator[object]:
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == kind:
            yield part.get(kind)


def parse_last(fields: Mapping[str, Any], ended: Finish, load_seconds: float) -> Chunk:
    rest = parse_chunk(fields) or Chunk()
    return Chunk(
        text=rest.text, thought=rest.thought, finish=ended, counts=parse_counts(fields, load_seconds)
    )


def parse_counts(fields: Mapping[str, Any], load_seconds: float = 0.0) -> Counts:
    """Read llama.cpp's `timings`, else `usage`.

    `prompt_n` counts what was read, `cache_n` what was there already: together they are the prompt.
    """
    timings = json_fields.get_object(fields, "timings")
    if not timings:
        return _parse_usage(json_fields.get_object(fields, "usage"))
    cached = json_fields.get_number(timings, "cache_n")
    return Counts(
        prompt=json_fields.get_number(timings, "prompt_n") + cached,
        output=json_fields.get_number(timings, "predicted_n"),
        cached=cached,
        load_seconds=load_seconds,
        prompt_seconds=_read_seconds(timings, "prompt_ms"),
        output_seconds=_read_seconds(timings, "predicted_ms"),
    )


def _read_seconds(timings: Mapping[str, Any], name: str) -> float:
    value = timings.get(name)
    return value * MILLI if isinstance(value, (int, float)) and 0 <= value < json_fields.LARGEST else 0.0


def _parse_usage(usage: Mapping[str, Any]) -> Counts:
    details = json_fields.get_object(usage, "prompt_tokens_details")
    known = "cached_tokens" in details
    return Counts(
        prompt=json_fields.get_number(usage, "prompt_tokens"),
        output=json_fields.get_number(usage, "completion_tokens"),
        cached=json_fields.get_number(details, "cached_tokens") if known else None,
    )


@dataclass(slots=True)
class CallPieces:
    """One call as far as it has come; `place` is None where the server counts its calls by their ids."""

    place: int | None
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class ToolCallBuilder:
    """The calls of one reply, each put together from its pieces: a name, then its arguments bit by bit."""

    calls: list[CallPieces] = field(default_factory=list)

    def add_piece(self, fields: Mapping[str, Any]) -> None:
        """Take what a piece holds of calls."""
        for entry in json_fields.get_objects(_get_delta(fields), "tool_calls"):
            made = json_fields.get_object(entry, "function")
            name, arguments = json_fields.clean_text(made.get("name")), made.get("arguments")
            whole = arguments if isinstance(arguments, str | None) else json.dumps(arguments)
            key, place = json_fields.clean_text(entry.get("id")), entry.get("index")
            call = self._find_call(key, name, place if isinstance(place, int) else None)
            call.id = call.id or key
            call.name = call.name or name
            call.arguments += json_fields.clean_text(whole)

    def _find_call(self, key: str, name: str, place: int | None) -> CallPieces:
        """Give the call that a piece goes on with, else a new one.

        Some servers put all calls at place 0, some name no place, and some give each piece another id: what
        has an id and a name that are new begins a call.
        """
        there = [call for call in self.calls if place is None or call.place == place]
        same = [call for call in there if key and call.id == key]
        if place is None:
            same = [call for call in same if name in ("", call.name)]
        begins = not there or (name and (place is None or (key and there[-1].id)))
        if same or not begins:
            return (same or there)[-1]
        self.calls.append(CallPieces(place))
        return self.calls[-1]

    def build_calls(self) -> tuple[ToolCall, ...]:
        """Give the calls; one without an id gets one, since its result must name it."""
        return tuple(
            ToolCall(call.name, call.arguments, call.id or f"call_{number}")
            for number, call in enumerate(self.calls, 1)
            if call.name
        )
