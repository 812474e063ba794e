"""Show which agent would handle a request, as text or JSON; no model is asked."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tripletick.agents import definitions
from tripletick.agents.definitions import Agent
from tripletick.commands.flags import FlagParser
from tripletick.commands.stdin import read_stdin
from tripletick.config.config import load_config
from tripletick.errors import UsageError
from tripletick.session import routing
from tripletick.system import dirs
from tripletick.ui.sanitize import write_json, write_text

BY = {
    "router": "by the router",
    "when": "by its description",
    "mention": "by its name",
    "server": "by the server named",
}


def run_route(_: argparse.Namespace, words: Sequence[str]) -> int:
    """Say who would get a request, or each of the requests a line. 2 where a line was no request."""
    parser = FlagParser("tripletick route", allow_abbrev=False)
    parser.add_argument(
        "text", nargs="*", default=["-"], help="the request; none with --jsonl; - reads from standard input"
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON object")
    shape.add_argument("--jsonl", action="store_true", help="read and write one JSON record per line")
    options = parser.parse_args(words)
    request = read_stdin() if options.text == ["-"] else " ".join(options.text)
    found = dirs.find_dirs()
    shipped = definitions.load_prompts(found.prompts)
    config = load_config([found.shipped_config, found.user_config], os.environ, {})
    own, servers = definitions.load_user_agents(found.agents)[0], tuple(config.servers)
    guide = RoutePreview({**shipped.lacking, **shipped.agents}, own, servers)
    if options.jsonl:
        return _write_routes(guide, request)
    if not request.strip():
        raise UsageError("No request given.", "", 'tripletick route "find my tax pdf"')
    told = guide.route_request({"request": request})
    write_text(sys.stdout, json.dumps(told) + "\n" if options.json else _format_route(told))
    return 0


@dataclass(frozen=True, slots=True)
class RoutePreview:
    """Says who gets requests, of those that ship and the user's own."""

    shipped: Mapping[str, Agent]
    own: Mapping[str, Agent]
    servers: Sequence[str]
    """The names of the user's MCP servers."""

    def route_request(self, record: Any) -> dict[str, Any]:
        """Read `request, history`; give `agent, confidence, by, sure`, and `then`, the agent that
        takes over, where there is one. Raises KeyError and TypeError."""
        request, history = record["request"], record.get("history") or []
        known = isinstance(history, list) and all(isinstance(agent, str) for agent in history)
        if not isinstance(request, str) or not known:
            raise TypeError("request is a string, history a list of agents")
        name, words = routing.split_mention(request, {*self.shipped, *self.own})
        chosen = routing.decide_agent(words, history, self.own, self.servers, Path())
        said = routing.AgentChoice(name, "mention") if name else chosen
        confidence = 1.0 if said.confidence is None else round(said.confidence, 4)
        told = {"agent": said.agent, "confidence": confidence, "by": said.by, "sure": said.sure}
        told |= {"then": said.names[1]} if len(said.names) > 1 else {}
        return {"id": record["id"], **told} if "id" in record else told


def _write_routes(guide: RoutePreview, text: str) -> int:
    code = 0
    for told in _route_records(guide, text):
        code = 2 if "error" in told else code
        write_json(sys.stdout, told)
    return code


def _route_records(guide: RoutePreview, text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            told = guide.route_request(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            told = {"line": number, "error": f"not a record with a request: {error}"}
        yield told


def _format_route(told: dict[str, Any]) -> str:
    unsure = "" if told["sure"] else ", unsure"
    then = f", then {told['then']}" if "then" in told else ""
    return f"{told['agent']}{then}  {told['confidence']:.2f}  {BY[told['by']]}{unsure}\n"
