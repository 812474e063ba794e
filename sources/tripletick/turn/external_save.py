"""Saves a file outside the workspace that the user let in: the box writes it, so it can be no other one."""

from __future__ import annotations

from pathlib import Path

from tripletick.messages import Call, FileChange, Result
from tripletick.permission.needs import format_path
from tripletick.sandbox.box import RunRequest
from tripletick.sandbox.user import create_file, create_folder, remove
from tripletick.tools.output import clip_output
from tripletick.tools.syntax_check import drain_output
from tripletick.tools.tool import Running, ToolContext

REPLACE = 'cat "$0" > "$1"'
APPEND = '[ -z "$(tail -c1 "$1")" ] || echo >> "$1"; cat "$0" >> "$1"'
FOLDER = "tripletick-save"
"""In the session's folder: what is saved lies there until it is copied."""


def save_file(call: Call, context: ToolContext, path: Path, *, append: bool) -> Running:
    """Write the body of a call to a path that it was granted, or append it there."""
    yield from ()
    folder = context.box.home / FOLDER
    there, name = path.stat().st_size > 0, format_path(path)
    remove(folder)
    create_folder(folder)
    create_file(folder / "body", f"{call.body}\n".encode("utf-8", "replace"))
    body = str(context.box.seen_home / FOLDER / "body")
    words = ["sh", "-c", APPEND if append else REPLACE, body, str(path)]
    request = RunRequest(words, context.mode, context.limits.timeout, grant=context.grant)
    finished = drain_output(context.box.run(request))
    remove(folder)
    if finished.status:
        return Result(
            "failed", f"failed, {name} was not saved", clip_output(finished, context), exit=finished.status
        )
    return Result("ok", f"ok, saved {name}", files=(FileChange(name, "changed" if there else "created"),))
