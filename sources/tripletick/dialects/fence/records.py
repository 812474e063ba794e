"""What the reader sees in one answer, as the record that `tripletick blocks` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tripletick.dialects.fence.info_string import resolve_tag
from tripletick.dialects.fence.reply_parser import parse_reply
from tripletick.languages import registry
from tripletick.messages import Call


def build_blocks_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Read `id, answer, tags, finish_reason, think_prefilled, prompt_examples`; only `answer` must be there.

    Gives `id, blocks [{tag, path, content, line}], reasoning, problems [code]`. Without `tags` every tool and
    language is owned. Raises KeyError without an answer.
    """
    reading = parse_reply(
        record["answer"],
        _resolve_tags(record.get("tags")),
        record.get("finish_reason") or "stop",
        bool(record.get("think_prefilled")),
        tuple(record.get("prompt_examples") or ()),
    )
    return {
        "id": record.get("id"),
        "blocks": [_call_to_json(call) for call in reading.calls],
        "reasoning": reading.reasoning,
        "problems": [problem.code for problem in reading.problems],
    }


def _resolve_tags(tags: list[str] | None) -> list[str]:
    if tags is None:
        return [*dict.fromkeys([*registry.LANGUAGES, *registry.ALIASES.values()])]
    return [resolve_tag(tag, ()) or tag.casefold().replace("-", "_") for tag in tags]


def _call_to_json(call: Call) -> dict[str, Any]:
    return {"tag": call.tool, "path": call.path, "content": call.body, "line": call.line}
