"""Reads servers' JSON with caution: a field may be absent, null, of another type, or not JSON at all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

LARGEST = 1e18
"""What is not below is no count and no duration; neither is NaN, which Python's JSON reads."""


def parse_object(data: bytes) -> dict[str, Any]:
    """Read one JSON object; empty where the bytes are anything else."""
    try:
        parsed = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def get_number(fields: Mapping[str, Any], name: str) -> int:
    """Give a count or a duration, 0 where it is absent or no number."""
    value = fields.get(name)
    return int(value) if isinstance(value, (int, float)) and 0 <= value < LARGEST else 0


def clean_text(value: object) -> str:
    """A lone surrogate, which JSON can spell, could be neither written nor sent back."""
    whole = value if isinstance(value, str) else ""
    return whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def get_object(tree: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Give the object in a field, an empty one where there is none."""
    inner = tree.get(name)
    return inner if isinstance(inner, dict) else {}


def get_list(tree: Mapping[str, Any], name: str) -> Sequence[Any]:
    """Give the list in a field, an empty one where there is none."""
    inner = tree.get(name)
    return inner if isinstance(inner, list) else []


def get_objects(tree: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Give the objects of the list in a field."""
    return [entry for entry in get_list(tree, name) if isinstance(entry, dict)]
