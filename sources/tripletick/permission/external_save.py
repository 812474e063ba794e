"""Saves a file outside the workspace that the user let in: the box writes it, so it can be no other one."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from tripletick.checkpoint.diffs import diff_contents
from tripletick.messages import FileChange, Result
from tripletick.permission.block import PendingBlock
from tripletick.permission.needs import format_path
from tripletick.permission.questions import Working
from tripletick.sandbox.box import Grant
from tripletick.sandbox.user import create_file, create_folder, remove
from tripletick.tools.file_writer import Diff
from tripletick.tools.output import clip_output
from tripletick.tools.syntax_check import drain_output

REPLACE = 'cat "$0" > "$1"'
APPEND = '[ -z "$(tail -c1 "$1")" ] || echo >> "$1"; cat "$0" >> "$1"'
SECONDS = 10.0
"""For a look at the file."""
FOLDER = "beyond"
"""In the session's folder: what is saved lies there until it is copied."""


def preview_diff(block: PendingBlock, path: Path) -> Diff:
    """Give what the block would change of the file; nothing of one that is too large."""
    bench, body = block.bench, f"{block.call.body}\n".encode("utf-8", "replace")
    with suppress(OSError):
        grant = Grant(write=(path,))
        there = drain_output(bench.box.run(["cat", str(path)], mode=bench.mode, timeout=SECONDS, grant=grant))
        if not (there.status or there.dropped):
            old = there.head + there.tail
            glue = b"\n" if old and not old.endswith(b"\n") else b""
            new = old + glue + body if block.tool.tag == "append" else body
            return tuple((line.tone, line.text) for line in diff_contents(path.name, old, new))
    return ()


def save_file(block: PendingBlock, path: Path) -> Working:
    """Write the body of a block to a path that it was granted, or append it there."""
    yield from ()
    bench, folder = block.bench, block.bench.box.home / FOLDER
    there, name = path.stat().st_size > 0, format_path(path)
    remove(folder)
    create_folder(folder)
    create_file(folder / "body", f"{block.call.body}\n".encode("utf-8", "replace"))
    body = str(bench.box.seen_home / FOLDER / "body")
    words = ["sh", "-c", APPEND if block.tool.tag == "append" else REPLACE, body, str(path)]
    finished = drain_output(
        bench.box.run(words, mode=bench.mode, timeout=bench.limits.timeout, grant=bench.grant)
    )
    remove(folder)
    if finished.status:
        return Result(
            "failed", f"failed, {name} was not saved", clip_output(finished, bench), exit=finished.status
        )
    return Result("ok", f"ok, saved {name}", files=(FileChange(name, "changed" if there else "created"),))
