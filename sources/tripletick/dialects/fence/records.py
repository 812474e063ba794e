"""What the reader sees in one answer, as the record that `tripletick blocks` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tripletick import languages
from tripletick.dialects.fence.acting import read
from tripletick.dialects.fence.info import resolve
from tripletick.messages import Call


def blocks_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Read `id, answer, tags, finish_reason, think_prefilled, prompt_examples`; only `answer` must be there.

    Gives `id, blocks [{tag, path, content, line}], reasoning, problems [code]`. Without `tags` every tool and
    language is owned. Raises KeyError without an answer.
    """
    reading = read(
        record["answer"],
        _owned(record.get("tags")),
        record.get("finish_reason") or "stop",
        bool(record.get("think_prefilled")),
        tuple(record.get("prompt_examples") or ()),
    )
    return {
        "id": record.get("id"),
        "blocks": [_block(call) for call in reading.calls],
        "reasoning": reading.reasoning,
        "problems": [problem.code for problem in reading.problems],
    }


def _owned(tags: list[str] | None) -> list[str]:
    if tags is None:
        return [*dict.fromkeys([*languages.LANGUAGES, *languages.ALIASES.values()])]
    return [resolve(tag, ()) or tag.casefold().replace("-", "_") for tag in tags]


def _block(call: Call) -> dict[str, Any]:
    return {"tag": call.tool, "path": call.path, "content": call.body, "line": call.line}
