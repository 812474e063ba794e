"""The tag `mcp`: `describe` says what servers offer, `SERVER.TOOL` calls a tool with a JSON object.

What a server says is marked as from outside. Who is asked before a call is approval's; how servers are
started and spoken to is mcp/'s.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Mapping
from typing import Any

from tripletick.event_log.session_log import to_json_value
from tripletick.events import Output
from tripletick.mcp import PACKAGE, tool_descriptions
from tripletick.mcp.values import McpServerError, ResultFile
from tripletick.messages import OUTSIDE, Call, Result
from tripletick.sandbox.box import Finished
from tripletick.system import optional_deps
from tripletick.system.text import format_size
from tripletick.tools import output
from tripletick.tools.parameters import CallSchema, Parameter, Parameters
from tripletick.tools.tool import Running, Tool, ToolContext

TAG = "mcp"
DESCRIBE = "describe"
LACKING = "was not run: it needs mcp, which is not installed; the person may type: {command}"
NO_OBJECT = "failed, the body is no JSON object"
NO_TOOL = "failed, no tool was named"
NAMELESS = "Name it behind the tag, SERVER.TOOL; `describe` says what there is."
SAVED = "{kind} of {size}, saved as {path}"
UNSAVED = "{kind} of {size}, which could not be saved"
TAKES = "What it takes:\n{words}"


def run(call: Call, context: ToolContext) -> Running:
    """Describe or call; what goes wrong with a server is a failed result."""
    yield from ()
    if not optional_deps.present("mcp"):
        return Result("forbidden", LACKING.format(command=optional_deps.ask_for(PACKAGE)))
    name, tool, rest = parse_target(call)
    try:
        if name == DESCRIBE and not tool:
            return _describe_target(rest, context)
        if not tool:
            return Result("failed", NO_TOOL, _list_server_tools(name, context) or NAMELESS, tool=TAG)
        return (yield from _call_tool(name, tool, rest, context))
    except McpServerError as failure:
        strange = frozenset({OUTSIDE} if failure.said else ())
        return Result("failed", f"failed, {failure}", failure.said, flags=strange, tool=TAG)


def parse_target(call: Call) -> tuple[str, str, str]:
    """Give server, tool and the body; words behind `describe` are its body."""
    first, *more = call.args or (call.path or "",)
    name, _, tool = first.partition(".")
    return name, tool, call.body if call.body.strip() else " ".join(more)


def _describe_target(words: str, context: ToolContext) -> Result:
    what, *rest = words.split() or [""]
    name, _, tool = what.partition(".")
    if not name:
        return Result("ok", "ok", context.servers.describe_all())
    if tool:
        one = context.servers.get_tool(name, tool, context.mode, context.halt)
        text = tool_descriptions.format_tool(name, one)
    else:
        text = tool_descriptions.format_tool_list(
            name, context.servers.list_tools(name, context.mode, context.halt), rest
        )
    return Result("ok", f"ok, {what}", _clip_text(text, context), flags=frozenset({OUTSIDE}))


def _list_server_tools(name: str, context: ToolContext) -> str:
    return (
        tool_descriptions.format_tool_list(
            name, context.servers.list_tools(name, context.mode, context.halt), ()
        )
        if name
        else ""
    )


def _call_tool(name: str, tool: str, body: str, context: ToolContext) -> Running:
    servers = context.servers
    one = servers.get_tool(name, tool, context.mode, context.halt)
    arguments = _parse_arguments(body)
    if arguments is None:
        return Result(
            "failed",
            NO_OBJECT,
            tool_descriptions.format_tool(name, one),
            flags=frozenset({OUTSIDE}),
            tool=TAG,
        )
    if host := servers.remote_host(name):
        yield Output(f"network: {host}\n")
    said = servers.call_tool(name, one, arguments, context.mode, context.halt)
    text = _clip_text(
        "\n".join(filter(None, (said.text, *(_save_part(part, context) for part in said.parts)))), context
    )
    if servers.is_untrusted(name, one):
        context.outside.add_page(f"{TAG}://{name}", text)
    if said.failed:
        text = f"{text}\n{TAKES.format(words=tool_descriptions.format_tool(name, one))}"
        return Result("failed", f"failed, {name}.{tool}", text, flags=frozenset({OUTSIDE}), tool=TAG)
    return Result("ok", f"ok, {name}.{tool}", text, flags=frozenset({OUTSIDE}))


def _parse_arguments(body: str) -> dict[str, Any] | None:
    """Read the body; nothing is no argument, and what Python reads the same way is as certain as JSON."""
    given: Any = {}
    for read in (json.loads, ast.literal_eval) if body.strip() else ():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                given = read(body.strip())
            break
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            given = None
    known = isinstance(given, dict) and all(isinstance(key, str) for key in given)
    return _convert_arguments(given) if known else None


def _convert_arguments(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Give what JSON says of them, half a character replaced; None for Python's bytes and the like."""
    try:
        whole: dict[str, Any] = to_json_value(given)
        json.dumps(whole)
    except (TypeError, RecursionError):
        return None
    return whole


def _save_part(part: ResultFile, context: ToolContext) -> str:
    """Save what is no text; give the line that names it."""
    context.ledger.outputs += 1
    number = context.ledger.outputs
    kept = context.workspace.save_output(context.session, number, part.data, part.extension)
    return (SAVED if kept else UNSAVED).format(kind=part.kind, size=format_size(len(part.data)), path=kept)


def _clip_text(text: str, context: ToolContext) -> str:
    return output.clip_output(Finished(0, text.encode("utf-8", "replace")), context)


def _build_call(tag: str, parameters: Parameters, given: Mapping[str, Any]) -> Call:
    arguments = given.get("arguments", "")
    body = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return Call(tag, body, None, tuple(str(given["tool"]).removeprefix(f"{TAG}:").split()))


def _extract_arguments(parameters: Parameters, call: Call) -> dict[str, Any]:
    name, tool, body = parse_target(call)
    given = _parse_arguments(body)
    return {"tool": f"{name}.{tool}" if tool else name, "arguments": body if given is None else given}


TOOL = Tool(
    TAG,
    "calls a tool of a server of yours, SERVER.TOOL with a JSON object; describe says what there is",
    run,
    writes=True,
    example=Call(TAG, '{"name": "value"}', None, ("server.tool",)),
    form=CallSchema(
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
        _build_call,
        _extract_arguments,
    ),
)
