"""What the pieces of a reply of llama.cpp's mean: its chat completions, as they are streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tripletick.messages import Chunk, Counts, Finish
from tripletick.models import failures
from tripletick.models.llamacpp import Piece

FINISHES: Mapping[str, Finish] = {"stop": "stop", "length": "length", "tool_calls": "stop"}
MILLI = 1e-3


def objects(piece: Piece) -> Iterator[Mapping[str, Any]]:
    """Give the objects of a piece, which is one, a list of them, or either as JSON."""
    if isinstance(piece, (str, bytes)):
        piece = json.loads(piece)
    for entry in piece if isinstance(piece, list) else [piece]:
        if isinstance(entry, dict):
            yield entry


def _choice(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = fields.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}


def finish(fields: Mapping[str, Any]) -> Finish | None:
    return FINISHES.get(str(_choice(fields).get("finish_reason")))


def chunk(fields: Mapping[str, Any]) -> Chunk | None:
    delta = _choice(fields).get("delta") or {}
    text, thought = delta.get("content") or "", delta.get("reasoning_content") or ""
    return Chunk(text=text, thought=thought) if text or thought else None


def last(fields: Mapping[str, Any], ended: Finish, load_seconds: float) -> Chunk:
    rest = chunk(fields) or Chunk()
    return Chunk(text=rest.text, thought=rest.thought, finish=ended, counts=counts(fields, load_seconds))


def counts(fields: Mapping[str, Any], load_seconds: float) -> Counts:
    """`prompt_n` counts what was read, `cache_n` what was there already: together they are the prompt."""
    timings = fields.get("timings") or {}
    cached = failures.number(timings, "cache_n")
    return Counts(
        prompt=failures.number(timings, "prompt_n") + cached,
        output=failures.number(timings, "predicted_n"),
        cached=cached,
        load_seconds=load_seconds,
        prompt_seconds=float(timings.get("prompt_ms") or 0) * MILLI,
        output_seconds=float(timings.get("predicted_ms") or 0) * MILLI,
    )
