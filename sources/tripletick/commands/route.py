"""Which agent would get a request, for people and for other programs; no model is asked."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tripletick import agents, config, places, routing
from tripletick.agents import Agent
from tripletick.commands.piped import standard_input
from tripletick.errors import UsageError
from tripletick.ui.safe import write, write_json

BY = {
    "router": "by the router",
    "when": "by what it is for",
    "mention": "by its name",
    "server": "by the server it names",
}


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
    found = places.find()
    shipped = agents.load(found.prompts)
    settings = config.load([found.shipped_config, found.user_config], os.environ, {})
    own, servers = agents.load_own(found.agents), tuple(settings.servers)
    guide = Guide({**shipped.lacking, **shipped.agents}, own, servers)
    if options.jsonl:
        return _lines(guide, request)
    if not request.strip():
        raise UsageError("There is no request.", "", 'tripletick route "find my tax pdf"')
    told = guide.told({"request": request})
    write(sys.stdout, json.dumps(told) + "\n" if options.json else _worded(told))
    return 0


@dataclass(frozen=True, slots=True)
class Guide:
    """Says who gets requests, of those that ship and the person's own."""

    shipped: Mapping[str, Agent]
    own: Mapping[str, Agent]
    servers: Sequence[str]
    """The names of the person's MCP servers."""

    def told(self, record: Any) -> dict[str, Any]:
        """Read `request, history`; give `agent, confidence, by, sure`, and `then`, the agent that
        takes over, where there is one. Raises KeyError and TypeError."""
        request, history = record["request"], record.get("history") or []
        known = isinstance(history, list) and all(isinstance(agent, str) for agent in history)
        if not isinstance(request, str) or not known:
            raise TypeError("request is a string, history a list of agents")
        name, words = routing.named(request, {**self.shipped, **self.own})
        chosen = routing.decide(words, history, self.own, self.servers)
        said = routing.Choice(name, "mention") if name else chosen
        confidence = 1.0 if said.confidence is None else round(said.confidence, 4)
        told = {"agent": said.agent, "confidence": confidence, "by": said.by, "sure": said.sure}
        told |= {"then": said.names[1]} if len(said.names) > 1 else {}
        return {"id": record["id"], **told} if "id" in record else told


def _lines(guide: Guide, text: str) -> int:
    code = 0
    for told in _records(guide, text):
        code = 2 if "error" in told else code
        write_json(sys.stdout, told)
    return code


def _records(guide: Guide, text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            told = guide.told(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            told = {"line": number, "error": f"no record with a request: {error}"}
        yield told


def _worded(told: dict[str, Any]) -> str:
    unsure = "" if told["sure"] else ", unsure"
    then = f", then {told['then']}" if "then" in told else ""
    return f"{told['agent']}{then}  {told['confidence']:.2f}  {BY[told['by']]}{unsure}\n"
