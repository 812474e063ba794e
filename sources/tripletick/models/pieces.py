"""What the pieces of a streamed chat completion mean: those of xllamacpp, and of servers.

What is asked is in completions.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tripletick.messages import Chunk, Counts, Finish, Progress, ToolCall
from tripletick.models import answers
from tripletick.models.llamacpp import Piece

FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "tool_calls": "stop",
    "function_call": "stop",
    "length": "length",
}
REASONING = ("reasoning_content", "reasoning", "thinking")
"""Where servers put what the model thinks: llama.cpp and vLLM, Ollama and OpenRouter, some older ones."""
MILLI = 1e-3


def objects(piece: Piece) -> Iterator[Mapping[str, Any]]:
    """Give the objects of a piece, which is one, a list of them, or either as JSON."""
    if isinstance(piece, (str, bytes)):
        piece = json.loads(piece)
    for entry in piece if isinstance(piece, list) else [piece]:
        if isinstance(entry, dict):
            yield entry


def _choice(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    return next(iter(answers.entries(fields, "choices")), {})


def _said(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give what a piece adds; a server that does not stream gives all of it as one message."""
    choice = _choice(fields)
    return answers.fields(choice, "delta") or answers.fields(choice, "message")


def ended(fields: Mapping[str, Any]) -> str:
    """Give the word for the end of the reply, "" before it."""
    return answers.text(_choice(fields).get("finish_reason"))


def finish(fields: Mapping[str, Any]) -> Finish | None:
    return FINISHES.get(ended(fields))


def chunk(fields: Mapping[str, Any]) -> Chunk | None:
    delta = _said(fields)
    content = delta.get("content")
    thoughts = (answers.text(delta.get(name)) for name in REASONING)
    text, thought = _plain(content), next(filter(None, (*thoughts, _thought(content))), "")
    if text or thought:
        return Chunk(text=text, thought=thought)
    read = _progress(fields)
    return Chunk(progress=read) if read else None


def _progress(fields: Mapping[str, Any]) -> Progress | None:
    """Read llama.cpp's `prompt_progress`, in which `processed` and `total` count what was in the cache."""
    told = answers.fields(fields, "prompt_progress")
    cached = answers.number(told, "cache")
    done, total = (answers.number(told, name) - cached for name in ("processed", "total"))
    return Progress("reading", done, total) if total > 0 else None


def _plain(content: object) -> str:
    """Give content that is text, or has parts of it."""
    return answers.text(content) or "".join(map(answers.text, _parts(content, "text")))


def _thought(content: object) -> str:
    """Mistral's servers put thoughts among the parts."""
    return "".join(map(_plain, _parts(content, "thinking")))


def _parts(content: object, kind: str) -> Iterator[object]:
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == kind:
            yield part.get(kind)


def last(fields: Mapping[str, Any], ended: Finish, load_seconds: float) -> Chunk:
    rest = chunk(fields) or Chunk()
    return Chunk(text=rest.text, thought=rest.thought, finish=ended, counts=counts(fields, load_seconds))


def counts(fields: Mapping[str, Any], load_seconds: float = 0.0) -> Counts:
    """Read llama.cpp's `timings`, else `usage`.

    `prompt_n` counts what was read, `cache_n` what was there already: together they are the prompt.
    """
    timings = answers.fields(fields, "timings")
    if not timings:
        return _usage(answers.fields(fields, "usage"))
    cached = answers.number(timings, "cache_n")
    return Counts(
        prompt=answers.number(timings, "prompt_n") + cached,
        output=answers.number(timings, "predicted_n"),
        cached=cached,
        load_seconds=load_seconds,
        prompt_seconds=_milliseconds(timings, "prompt_ms"),
        output_seconds=_milliseconds(timings, "predicted_ms"),
    )


def _milliseconds(timings: Mapping[str, Any], name: str) -> float:
    value = timings.get(name)
    return value * MILLI if isinstance(value, (int, float)) else 0.0


def _usage(usage: Mapping[str, Any]) -> Counts:
    details = answers.fields(usage, "prompt_tokens_details")
    known = "cached_tokens" in details
    return Counts(
        prompt=answers.number(usage, "prompt_tokens"),
        output=answers.number(usage, "completion_tokens"),
        cached=answers.number(details, "cached_tokens") if known else None,
    )


@dataclass(slots=True)
class Calls:
    """The calls of one reply, each put together from its pieces: a name, then its arguments bit by bit."""

    parts: dict[int, list[str]] = field(default_factory=dict)
    """Id, name and arguments by the call's place."""

    def add(self, fields: Mapping[str, Any]) -> None:
        """Take what a piece holds of calls; one without a place begins a new one where it has a name."""
        for entry in answers.entries(_said(fields), "tool_calls"):
            made = answers.fields(entry, "function")
            name, arguments = answers.text(made.get("name")), made.get("arguments")
            whole = arguments if isinstance(arguments, str | None) else json.dumps(arguments)
            place = entry.get("index")
            if not isinstance(place, int):
                place = len(self.parts) - (not name and bool(self.parts))
            part = self.parts.setdefault(place, ["", "", ""])
            part[0] = part[0] or answers.text(entry.get("id"))
            part[1] = part[1] or name
            part[2] += answers.text(whole)

    def whole(self) -> tuple[ToolCall, ...]:
        """Give the calls; one without an id gets one, since its result must name it."""
        made = (self.parts[place] for place in sorted(self.parts))
        return tuple(
            ToolCall(name, arguments, key or f"call_{number}")
            for number, (key, name, arguments) in enumerate(made, 1)
            if name
        )
