"""A function of the person's or of the workspace's as a tool like any other: a block calls it.

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
from tripletick.tools.code import time_limit
from tripletick.tools.output import clip, flags, verdict
from tripletick.tools.own import reading
from tripletick.tools.own.describing import Own, one_line
from tripletick.tools.own.places import Beside, Boxed, Came, Terms
from tripletick.tools.parameters import ArgumentsError, Form, Parameters
from tripletick.tools.saving import read_only, refuse
from tripletick.tools.tool import Bench, Running, Tool

NOT_CALLED = "{tag} was not run. Its block holds:\n{form}"
NO_RESULT = "failed, it ended without a result, exit {status}"
RAISED = "failed, {error}"
AT_LINE = "{error} (line {line} of {name})"
SUMMARY = "{says} ({at})"


def tool_of(own: Own) -> Tool:
    """Make the tool."""
    form = Form(own.parameters, place_arguments, lambda parameters, call: reading.read(call, parameters))
    says = SUMMARY.format(says=own.says or "says nothing of itself", at=own.at)
    unboxed = not isinstance(own.source.place, Boxed)
    return Tool(own.tag, says, partial(run, own), writes=own.writes, form=form, unboxed=unboxed)


def run(own: Own, call: Call, bench: Bench) -> Running:
    """Read the arguments and call the function."""
    if own.writes and bench.mode == "read":
        return read_only()
    place = _place(own, bench)
    try:
        given = reading.read(call, own.parameters)
        if not isinstance(place, Boxed):
            given = _within(own, given, bench.workspace)
    except ArgumentsError as wrong:
        return _misread(own, str(wrong))
    except PathRefused as refused:
        return refuse(str(refused))
    mode = bench.mode if own.writes else "read"
    terms = Terms(bench.limits, time_limit(call, bench), mode, bench.grant)
    ask = {"do": "call", "tool": own.name, "arguments": given, **own.source.ask}
    came = yield from place.run(ask, terms)
    return _worded(own, came, replace(bench, limits=replace(bench.limits, timeout=terms.seconds)))


def _place(own: Own, bench: Bench) -> Beside | Boxed:
    """Give the place of this bench: tasks that run side by side have boxes of their own."""
    if isinstance(own.source.place, Boxed):
        return replace(own.source.place, box=bench.box)
    return Beside(bench.workspace.root, bench.halt)


def place_arguments(tag: str, parameters: Parameters, given: Mapping[str, Any]) -> Call:
    """Write arguments so that they are read as the same: by their names, else the one value alone."""
    alone = list(given.values()) if len(given) == 1 else []
    bodies = [json.dumps(value, ensure_ascii=False) for value in (dict(given), *alone)]
    bodies += [value for value in alone if isinstance(value, str)]
    calls = [Call(tag, body) for body in bodies]
    return next((call for call in calls if _reads_as(call, parameters, given)), calls[0])


def _reads_as(call: Call, parameters: Parameters, given: Mapping[str, Any]) -> bool:
    try:
        return reading.read(call, parameters) == given
    except ArgumentsError:
        return False


def _misread(own: Own, why: str) -> Result:
    text = NOT_CALLED.format(tag=own.tag, form=reading.form(own.parameters) or "nothing")
    return Result("failed", f"failed, {why}", text)


def _within(own: Own, given: Mapping[str, Any], workspace: Workspace) -> dict[str, Any]:
    """Settle the paths among the arguments: they lie in the folder, as for every tool. Raises PathRefused."""
    schemas = {one.name: one.schema for one in own.parameters}
    return {name: _settled(value, schemas[name], workspace, own.writes) for name, value in given.items()}


def _settled(value: Any, schema: Mapping[str, Any], workspace: Workspace, writing: bool) -> Any:
    ways = schema.get("anyOf", [schema])
    if isinstance(value, str):
        if not any(way.get("format") == "path" for way in ways):
            return value
        return workspace.resolve(value, writing=writing and not value.endswith("/")).path
    for way in ways:
        if isinstance(value, list) and "items" in way:
            return [_settled(each, way["items"], workspace, writing) for each in value]
        if isinstance(value, dict) and ("properties" in way or "additionalProperties" in way):
            rows, others = way.get("properties", {}), way.get("additionalProperties", {})
            return {
                name: _settled(each, rows.get(name, others), workspace, writing)
                for name, each in value.items()
            }
    return value


def _worded(own: Own, came: Came, bench: Bench) -> Result:
    """Turn what came into the result: what the function returned, else what it printed."""
    told, finished = came.told or {}, came.finished
    printed = clip(finished, bench)
    if finished.struck or finished.signal:
        return _failed(own, verdict(finished, bench.limits), printed, finished)
    if "wrong" in told:
        return _misread(own, one_line(told["wrong"]))
    if "error" in told:
        said = _kept(_error(own, told), bench)
        text = "\n".join(filter(None, (printed, said)))
        return _failed(own, RAISED.format(error=one_line(told["error"])), text, finished)
    if "text" not in told:
        return _failed(own, NO_RESULT.format(status=finished.status), printed, finished)
    if told["text"] is None:
        return Result("ok", "ok", printed, exit=0)
    kept = _kept(str(told["text"]), bench)
    return Result("ok", "ok", kept, "\n".join(filter(None, (printed, kept))), exit=0)


def _kept(text: str, bench: Bench) -> str:
    return clip(Finished(0, text.encode("utf-8", "surrogatepass")), bench)


def _error(own: Own, told: Mapping[str, Any]) -> str:
    error, line = str(told["error"]), told.get("line")
    return AT_LINE.format(error=error, line=line, name=own.source.at) if line else error


def _failed(own: Own, how: str, text: str, finished: Finished) -> Result:
    # only in a box a status may mean that something was lacking which could be given
    status = finished.status if isinstance(own.source.place, Boxed) else None
    return Result("failed", how, text, exit=status, flags=flags(finished))
