"""The tag `mcp`: `describe` says what servers offer, `SERVER.TOOL` calls a tool with a JSON object.

What a server says is marked as from outside. Who is asked before a call is approval's; how servers are
started and spoken to is mcp/'s.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import Any

from tripletick import extras
from tripletick.events import Output
from tripletick.mcp import PACKAGE, describing
from tripletick.mcp.values import Part, ServerFailedError
from tripletick.messages import OUTSIDE, Call, Result
from tripletick.sandbox.box import Finished
from tripletick.tools import output
from tripletick.tools.parameters import Form, Parameter, Parameters
from tripletick.tools.tool import Bench, Running, Tool

TAG = "mcp"
DESCRIBE = "describe"
LACKING = "was not run: it needs mcp, which is not installed; the person may type: {command}"
NO_OBJECT = "failed, the body is no JSON object"
NO_TOOL = "failed, no tool was named"
NAMELESS = "Name it behind the tag, SERVER.TOOL; `describe` says what there is."
SAVED = "{kind} of {size}, saved as {path}"
UNSAVED = "{kind} of {size}, which could not be saved"
TAKES = "What it takes:\n{words}"


def run(call: Call, bench: Bench) -> Running:
    """Describe or call; what goes wrong with a server is a failed result."""
    yield from ()
    if not extras.present("mcp"):
        return Result("forbidden", LACKING.format(command=extras.ask_for(PACKAGE)))
    name, tool, rest = target(call)
    try:
        if name == DESCRIBE and not tool:
            return _described(rest, bench)
        if not tool:
            return Result("failed", NO_TOOL, _overview(name, bench) or NAMELESS, tool=TAG)
        return (yield from _called(name, tool, rest, bench))
    except ServerFailedError as failure:
        strange = frozenset({OUTSIDE} if failure.said else ())
        return Result("failed", f"failed, {failure}", failure.said, flags=strange, tool=TAG)


def target(call: Call) -> tuple[str, str, str]:
    """Give server, tool and the body; words behind `describe` are its body."""
    first, *more = call.args or (call.path or "",)
    name, _, tool = first.partition(".")
    return name, tool, call.body if call.body.strip() else " ".join(more)


def _described(words: str, bench: Bench) -> Result:
    what, *rest = words.split() or [""]
    name, _, tool = what.partition(".")
    if not name:
        return Result("ok", "ok", bench.servers.overview())
    if tool:
        one = bench.servers.tool(name, tool, bench.mode, bench.halt)
        text = describing.whole(name, one)
    else:
        text = describing.listed(name, bench.servers.tools(name, bench.mode, bench.halt), rest)
    return Result("ok", f"ok, {what}", _clipped(text, bench), flags=frozenset({OUTSIDE}))


def _overview(name: str, bench: Bench) -> str:
    return describing.listed(name, bench.servers.tools(name, bench.mode, bench.halt), ()) if name else ""


def _called(name: str, tool: str, body: str, bench: Bench) -> Running:
    servers = bench.servers
    one = servers.tool(name, tool, bench.mode, bench.halt)
    arguments = _arguments(body)
    if arguments is None:
        return Result("failed", NO_OBJECT, describing.whole(name, one), flags=frozenset({OUTSIDE}), tool=TAG)
    if host := servers.host(name):
        yield Output(f"network: {host}\n")
    said = servers.call(name, one, arguments, bench.mode, bench.halt)
    text = _clipped(
        "\n".join(filter(None, (said.text, *(_saved(part, bench) for part in said.parts)))), bench
    )
    if servers.is_strange(name, one):
        bench.outside.read(f"{TAG}://{name}", text)
    if said.failed:
        text = f"{text}\n{TAKES.format(words=describing.whole(name, one))}"
        return Result("failed", f"failed, {name}.{tool}", text, flags=frozenset({OUTSIDE}), tool=TAG)
    return Result("ok", f"ok, {name}.{tool}", text, flags=frozenset({OUTSIDE}))


def _arguments(body: str) -> dict[str, Any] | None:
    """Read the body; nothing is no argument, and what Python reads the same way is as certain as JSON."""
    given: Any = {}
    for read in (json.loads, ast.literal_eval) if body.strip() else ():
        try:
            given = read(body.strip())
            break
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            given = None
    return given if isinstance(given, dict) and all(isinstance(key, str) for key in given) else None


def _saved(part: Part, bench: Bench) -> str:
    """Save what is no text; give the line that names it."""
    bench.ledger.outputs += 1
    number = bench.ledger.outputs
    kept = bench.workspace.keep_output(bench.session, number, part.data, part.extension)
    return (SAVED if kept else UNSAVED).format(kind=part.kind, size=output.size(len(part.data)), path=kept)


def _clipped(text: str, bench: Bench) -> str:
    return output.clip(Finished(0, text.encode("utf-8", "replace")), bench)


def _place(tag: str, parameters: Parameters, given: Mapping[str, Any]) -> Call:
    arguments = given.get("arguments", "")
    body = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return Call(tag, body, None, tuple(str(given["tool"]).removeprefix(f"{TAG}:").split()))


def _taken(parameters: Parameters, call: Call) -> dict[str, Any]:
    name, tool, body = target(call)
    given = _arguments(body)
    return {"tool": f"{name}.{tool}" if tool else name, "arguments": body if given is None else given}


TOOL = Tool(
    TAG,
    "calls a tool of a server of yours, SERVER.TOOL with a JSON object; describe says what there is",
    run,
    writes=True,
    example=Call(TAG, '{"name": "value"}', None, ("server.tool",)),
    form=Form(
        (
            Parameter("tool", "SERVER.TOOL, or describe", others=("name", "tool_name", "server_tool")),
            Parameter(
                "arguments",
                "an object; for describe the text SERVER or SERVER.TOOL",
                {},
                required=False,
                others=("args", "input", "parameters", "params", "body"),
            ),
        ),
        _place,
        _taken,
    ),
)
