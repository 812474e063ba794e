"""The tag `browse`: a page that a program draws, in a real browser that runs in a box of its own.

One step a line; a path after the tag takes a picture of the last page. Nothing of a visit stays: the next
block begins with a new profile. What the steps do in the browser is web/browser_worker.py's.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tripletick.messages import OUTSIDE, Call, FileChange, Result
from tripletick.paths import PathRefused
from tripletick.sandbox.box import Finished, Grant, RunRequest
from tripletick.sandbox.net import PORT
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools import output
from tripletick.tools.code import stream_output
from tripletick.tools.parameters import PATH_NAMES, TEXT, CallSchema, Parameter
from tripletick.tools.tool import Running, Tool, ToolContext
from tripletick.tools.web import HEAD
from tripletick.web import address
from tripletick.web.address import FetchError, WebAddress
from tripletick.web.sanitize import sanitize_text

PROGRAM = Path(address.__file__).with_name("browser_worker.py")
MARK = "\x1e"
MOST_STEPS = 20
NO_BOX = "was not run: the browser needs a box with network ({sentence})"
NO_STEP = "failed, line {number} is no step"
STEPS_ARE = (
    "One step a line, the first opens a page: open ADDRESS, click NAME OF A LINK OR BUTTON, "
    "fill FIELD = VALUE, press KEY (such as Enter)."
)
NO_PICTURE = "failed, a picture is a .png: browse:page.png"
CUT = "… {count} characters more"
_STEP = lazy_regex(r"(?:\d+[.)]\s*|[-*]\s+)?(?P<step>open|click|fill|press)\s+(?P<rest>\S.*)", re.IGNORECASE)
_FIELD = lazy_regex(r"(?P<name>.+?)\s*(?:=|:)\s*(?P<value>.*)")

Steps = list[list[str]]


def browse_pages(call: Call, context: ToolContext) -> Running:
    """Take the steps and tell what is on the page then."""
    steps, picture = read_steps(call.body), _resolve_picture(call, context)
    if isinstance(steps, Result):
        return steps
    if isinstance(picture, Result):
        return picture
    if not context.box.holds:
        return Result("forbidden", NO_BOX.format(sentence=context.box.sentence))
    told = {
        "path": sys.path,
        "steps": steps,
        "picture": str(picture) if call.path else "",
        "most": context.clip,
        "patience": context.web.timeout,
        "proxy": f"http://127.0.0.1:{PORT}",
    }
    # seeing that file alone of the folder, which need not be there
    allowed = frozenset(context.web.allow.lower().split())
    grant = Grant(network=True, reach=allowed, only=(picture,))
    words = [sys.executable, "-I", "-S", "-c", PROGRAM.read_text("utf-8"), json.dumps(told)]
    request = RunRequest(words, timeout=context.limits.timeout, grant=grant)
    finished = yield from stream_output(context.box.run(request))
    return _build_result(finished, call, context)


def read_steps(body: str) -> Steps | Result:
    """Read one step a line; an address alone opens it."""
    steps: Steps = []
    for number, line in enumerate(filter(None, map(str.strip, body.splitlines())), 1):
        step = _parse_step(line)
        if step is None or len(steps) == MOST_STEPS or (not steps and step[0] != "open"):
            return Result("failed", NO_STEP.format(number=number), STEPS_ARE, tool="browse")
        steps.append(step)
    return steps or Result("failed", NO_STEP.format(number=1), STEPS_ARE, tool="browse")


def list_addresses(call: Call) -> Sequence[WebAddress]:
    """Give the addresses that the steps open."""
    steps = read_steps(call.body)
    opened = [step[1] for step in steps if step[0] == "open"] if isinstance(steps, list) else []
    return [address.parse_address(where) for where in opened]


def _parse_step(line: str) -> list[str] | None:
    found = _STEP.fullmatch(line)
    if not found and "." not in line:
        return None
    step, rest = (found["step"].lower(), found["rest"].strip()) if found else ("open", line)
    if step == "fill":
        field = _FIELD.fullmatch(rest)
        return [step, _strip_quotes(field["name"]), _strip_quotes(field["value"])] if field else None
    if step != "open":
        return [step, _strip_quotes(rest)]
    try:
        return [step, str(address.parse_address(rest))]
    except FetchError:
        return None


def _strip_quotes(text: str) -> str:
    """Take off the quotes around a name."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`" else text


def _resolve_picture(call: Call, context: ToolContext) -> Path | Result:
    """Give where the picture goes; a name that is not there where none is wanted."""
    try:
        spot = context.workspace.resolve_path(call.path or ".no-picture.png", writing=True)
    except PathRefused as refused:
        return Result("failed", f"failed, refused: {refused}", flags=frozenset({"refused"}))
    if not spot.path.lower().endswith(".png"):
        return Result("failed", NO_PICTURE, tool="browse")
    return context.workspace.root / spot.path


def _build_result(finished: Finished, call: Call, context: ToolContext) -> Result:
    said = (finished.head + finished.tail).decode("utf-8", "replace")
    try:
        seen = json.loads(said.rpartition(MARK)[2])
    except ValueError:
        verdict = output.format_verdict(finished, context.limits)
        how = verdict if verdict != "ok" else "failed, the browser said nothing"
        text = sanitize_text(said)[-800:]
        context.outside.add_page(list_addresses(call)[0].host_port, text)
        return Result("failed", how, text, flags=output.collect_flags(finished) | {OUTSIDE})
    if "address" not in seen:
        return Result("forbidden", f"was not run: {seen['problem']}")
    text = _format_page(seen)
    context.outside.add_page(seen["address"], text)
    flags, files = frozenset({OUTSIDE}), _list_saved_files(call, context)
    if seen["problem"]:
        return Result("failed", f"failed, {seen['problem']}", text, flags=flags, files=files, tool="browse")
    saved = f", saved {call.path}" if files else ""
    return Result("ok", f"ok{saved}", text, flags=flags, files=files)


def _list_saved_files(call: Call, context: ToolContext) -> tuple[FileChange, ...]:
    if not call.path:
        return ()
    path = context.workspace.resolve_path(call.path).path
    return (FileChange(path, "created"),) if context.workspace.get_kind(path) == "file" else ()


def _format_page(seen: Mapping[str, Any]) -> str:
    links = [f"- {name}: {where}" for name, where in seen["links"]]
    parts = [
        HEAD.format(address=seen["address"]),
        seen["said"],
        seen["title"] and f"# {seen['title']}",
        seen["text"],
        CUT.format(count=seen["more"]) if seen["more"] else "",
        "\n".join(["Links:", *links]) if links else "",
        f"Fields: {', '.join(seen['fields'])}" if seen["fields"] else "",
    ]
    return sanitize_text("\n".join(filter(None, parts)))


TOOL = Tool(
    "browse",
    "opens pages in a browser, one step a line: open, click, fill, press; a path saves a picture",
    browse_pages,
    writes=True,
    reaches=list_addresses,
    example=Call("browse", "open https://example.org/library\nfill Title = Rye\nclick Search"),
    form=CallSchema(
        (
            Parameter(
                "steps", "one a line: open ADDRESS, click NAME, fill FIELD = VALUE, press KEY", many=True
            ),
            Parameter("path", "a .png to save a picture as", TEXT, "path", required=False, others=PATH_NAMES),
        )
    ),
)
