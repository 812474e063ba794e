"""The tags that read and save whole files: `read`, `write`, `append`.

`write` also serves every tag that carries a path and is no program (`markdown:README.md`).
"""

from __future__ import annotations

from dataclasses import replace

from tripletick.messages import Call, Result
from tripletick.tools.file_reader import READ
from tripletick.tools.file_writer import save_file
from tripletick.tools.parameters import CONTENT
from tripletick.tools.tool import Running, Tool, ToolContext


def write_file(call: Call, context: ToolContext) -> Running:
    """Save the body under the path, then say what is wrong with it as a program or as data."""
    from tripletick.tools.code import check_saved_file

    if not call.path:
        why = f"failed, {call.tool} needs a path after the tag"
        return Result(
            "failed",
            why,
            f"Nothing was saved. Write the path so: {call.tool}:notes.md",
            tool="append" if call.tool == "append" else "write",
        )
    saved = yield from save_file(call, context)
    if isinstance(saved, Result):
        return saved
    if saved.unchanged:
        return Result("ok", f"ok, {saved.path} is {saved.note}")
    return (yield from check_saved_file(saved, context))


WRITE = Tool(
    "write",
    "saves the body as the file named after the tag",
    write_file,
    writes=True,
    one_file=True,
    example=Call("write", "# Notes\n\nBuy milk.", "notes.md"),
    form=replace(CONTENT, says="saves a file"),
)
APPEND = Tool(
    "append",
    "adds the body to a file that this turn made",
    write_file,
    writes=True,
    one_file=True,
    example=Call("append", "Buy bread.", "notes.md"),
    form=replace(CONTENT, says="adds to a file that this turn made"),
)
TOOLS = (READ, WRITE, APPEND)
