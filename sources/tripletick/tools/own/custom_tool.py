"""A function of the user's or of the workspace's as a tool like any other: a block calls it.

Not covered: how the block's body becomes arguments (reading), where the function runs (places).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from tripletick.messages import Call, Result
from tripletick.paths import PathRefused, Workspace
from tripletick.sandbox.box import Finished
from tripletick.tools.code import parse_time_limit
from tripletick.tools.file_writer import make_read_only_result, make_refusal
from tripletick.tools.output import clip_output, collect_flags, format_verdict
from tripletick.tools.own import arguments
from tripletick.tools.own.discovery import CustomTool, to_one_line
from tripletick.tools.own.runners import HostRunner, RunnerOptions, RunnerReply, SandboxRunner
from tripletick.tools.parameters import ArgumentsError, CallSchema, Parameters
from tripletick.tools.tool import Running, Tool, ToolContext

NOT_CALLED = "{tag} was not run. Its block holds:\n{form}"
NO_RESULT = "failed, it ended without a result, exit {status}"
RAISED = "failed, {error}"
AT_LINE = "{error} (line {line} of {name})"
SUMMARY = "{says} ({at})"


def make_tool(own: CustomTool) -> Tool:
    """Make the tool."""
    form = CallSchema(
        own.parameters, build_call, lambda parameters, call: arguments.parse_arguments(call, parameters)
    )
    says = SUMMARY.format(says=own.says or "says nothing of itself", at=own.location)
    unboxed = not isinstance(own.source.place, SandboxRunner)
    return Tool(own.tag, says, partial(call_function, own), writes=own.writes, form=form, unboxed=unboxed)


def call_function(own: CustomTool, call: Call, context: ToolContext) -> Running:
    """Read the arguments and call the function."""
    if own.writes and context.mode == "read":
        return make_read_only_result()
    place = _choose_runner(own, context)
    try:
        given = arguments.parse_arguments(call, own.parameters)
        if not isinstance(place, SandboxRunner):
            given = _resolve_paths(own, given, context.workspace)
    except ArgumentsError as wrong:
        return _make_argument_failure(own, str(wrong))
    except PathRefused as refused:
        return make_refusal(str(refused))
    mode = context.mode if own.writes else "read"
    terms = RunnerOptions(context.limits, parse_time_limit(call, context), mode, context.grant)
    ask = {"do": "call", "tool": own.name, "arguments": given, **own.source.ask}
    came = yield from place.run(ask, terms)
    return _to_result(own, came, replace(context, limits=replace(context.limits, timeout=terms.seconds)))


def _choose_runner(own: CustomTool, context: ToolContext) -> HostRunner | SandboxRunner:
    """Give the place of this context: tasks that run side by side have boxes of their own."""
    if isinstance(own.source.place, SandboxRunner):
        return replace(own.source.place, box=context.box)
    return HostRunner(context.workspace.root, context.halt)


def build_call(tag: str, parameters: Parameters, given: Mapping[str, Any]) -> Call:
    """Write arguments so that they are read as the same: by their names, else the one value alone."""
    alone = list(given.values()) if len(given) == 1 else []
    bodies = [json.dumps(value, ensure_ascii=False) for value in (dict(given), *alone)]
    bodies += [value for value in alone if isinstance(value, str)]
    calls = [Call(tag, body) for body in bodies]
    return next((call for call in calls if _parses_to(call, parameters, given)), calls[0])


def _parses_to(call: Call, parameters: Parameters, given: Mapping[str, Any]) -> bool:
    try:
        return arguments.parse_arguments(call, parameters) == given
    except ArgumentsError:
        return False


def _make_argument_failure(own: CustomTool, why: str) -> Result:
    text = NOT_CALLED.format(tag=own.tag, form=arguments.format_usage(own.parameters) or "nothing")
    return Result("failed", f"failed, {why}", text)


def _resolve_paths(own: CustomTool, given: Mapping[str, Any], workspace: Workspace) -> dict[str, Any]:
    """Settle the paths among the arguments: they lie in the folder, as for every tool. Raises PathRefused."""
    schemas = {one.name: one.schema for one in own.parameters}
    return {
        name: _resolve_value(value, schemas[name], workspace, own.writes) for name, value in given.items()
    }


def _resolve_value(value: Any, schema: Mapping[str, Any], workspace: Workspace, writing: bool) -> Any:
    ways = schema.get("anyOf", [schema])
    if isinstance(value, str):
        if not any(way.get("format") == "path" for way in ways):
            return value
        return workspace.resolve_path(value, writing=writing and not value.endswith("/")).path
    for way in ways:
        if isinstance(value, list) and "items" in way:
            return [_resolve_value(each, way["items"], workspace, writing) for each in value]
        if isinstance(value, dict) and ("properties" in way or "additionalProperties" in way):
            rows, others = way.get("properties", {}), way.get("additionalProperties", {})
            return {
                name: _resolve_value(each, rows.get(name, others), workspace, writing)
                for name, each in value.items()
            }
    return value


def _to_result(own: CustomTool, came: RunnerReply, context: ToolContext) -> Result:
    """Turn what came into the result: what the function returned, else what it printed."""
    told, finished = came.told or {}, came.finished
    printed = clip_output(finished, context)
    if finished.struck or finished.signal:
        return _make_failure(own, format_verdict(finished, context.limits), printed, finished)
    if "wrong" in told:
        return _make_argument_failure(own, to_one_line(told["wrong"]))
    if "error" in told:
        said = _clip_text(_format_error(own, told), context)
        text = "\n".join(filter(None, (printed, said)))
        return _make_failure(own, RAISED.format(error=to_one_line(told["error"])), text, finished)
    if "text" not in told:
        return _make_failure(own, NO_RESULT.format(status=finished.status), printed, finished)
    if told["text"] is None:
        return Result("ok", "ok", printed, exit=0)
    kept = _clip_text(str(told["text"]), context)
    return Result("ok", "ok", kept, "\n".join(filter(None, (printed, kept))), exit=0)


def _clip_text(text: str, context: ToolContext) -> str:
    return clip_output(Finished(0, text.encode("utf-8", "surrogatepass")), context)


def _format_error(own: CustomTool, told: Mapping[str, Any]) -> str:
    error, line = str(told["error"]), told.get("line")
    return AT_LINE.format(error=error, line=line, name=own.source.at) if line else error


def _make_failure(own: CustomTool, how: str, text: str, finished: Finished) -> Result:
    # only in a box a status may mean that something was lacking which could be given
    status = finished.status if isinstance(own.source.place, SandboxRunner) else None
    return Result("failed", how, text, exit=status, flags=collect_flags(finished))
