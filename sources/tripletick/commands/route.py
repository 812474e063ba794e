"""Which agent would get a request, for people and for other programs; no model is asked."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from tripletick.commands.piped import standard_input
from tripletick.errors import UsageError


def route(_: argparse.Namespace, words: Sequence[str]) -> int:
    """Say who would get a request, or each of the requests a line. 2 where a line was no request."""
    parser = argparse.ArgumentParser("tripletick route", allow_abbrev=False)
    parser.add_argument(
        "text", nargs="*", default=["-"], help="the request, or with --jsonl nothing; - is stdin"
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="one object")
    shape.add_argument("--jsonl", action="store_true", help="a record a line in, a record a line out")
    options = parser.parse_args(words)
    request = standard_input() if options.text == ["-"] else " ".join(options.text)
    if options.jsonl:
        return _lines(request)
    if not request.strip():
        raise UsageError("There is no request.", "", 'tripletick route "find my tax pdf"')
    told = _routed({"request": request})
    sys.stdout.write(json.dumps(told) + "\n" if options.json else _worded(told))
    return 0


def _lines(text: str) -> int:
    code = 0
    for told in _records(text):
        code = 2 if "error" in told else code
        sys.stdout.write(json.dumps(told, ensure_ascii=False) + "\n")
    return code


def _records(text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            told = _routed(json.loads(line))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            told = {"line": number, "error": f"no record with a request: {error}"}
        yield told


def _routed(record: Any) -> dict[str, Any]:
    """Read `request, history`; give `agent, confidence, by, sure`. Raises KeyError and TypeError."""
    from tripletick.router import guess

    request, history = record["request"], record.get("history") or []
    if not isinstance(request, str) or not all(isinstance(agent, str) for agent in history):
        raise TypeError("request is a string, history a list of agents")
    found = guess(request, history)
    told = {
        "agent": found.agent,
        "confidence": round(found.confidence, 4),
        "by": "router",
        "sure": found.sure,
    }
    return {"id": record["id"], **told} if "id" in record else told


def _worded(told: dict[str, Any]) -> str:
    unsure = "" if told["sure"] else ", unsure"
    return f"{told['agent']}  {told['confidence']:.2f}  by the router{unsure}\n"
