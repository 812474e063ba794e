"""Saves a file outside the workspace that the user let in: the box writes it, so it can be no other one."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from tripletick.approval.block import Block
from tripletick.approval.needs import shown
from tripletick.approval.questions import Working
from tripletick.checkpoint.comparing import difference
from tripletick.messages import FileChange, Result
from tripletick.sandbox.box import Grant
from tripletick.sandbox.user import remove
from tripletick.tools.check import drain
from tripletick.tools.code import own_file, own_folder
from tripletick.tools.output import clip
from tripletick.tools.saving import Diff

REPLACE = 'cat "$0" > "$1"'
APPEND = '[ -z "$(tail -c1 "$1")" ] || echo >> "$1"; cat "$0" >> "$1"'
SECONDS = 10.0
"""For a look at the file."""
FOLDER = "beyond"
"""In the session's folder: what is saved lies there until it is copied."""


def proposed(block: Block, path: Path) -> Diff:
    """Give what the block would change of the file; nothing of one that is too large."""
    bench, body = block.bench, f"{block.call.body}\n".encode("utf-8", "replace")
    with suppress(OSError):
        grant = Grant(write=(path,))
        there = drain(bench.box.run(["cat", str(path)], mode=bench.mode, timeout=SECONDS, grant=grant))
        if not (there.status or there.dropped):
            old = there.head + there.tail
            glue = b"\n" if old and not old.endswith(b"\n") else b""
            new = old + glue + body if block.tool.tag == "append" else body
            return tuple((line.tone, line.text) for line in difference(path.name, old, new))
    return ()


def save(block: Block, path: Path) -> Working:
    """Write the body of a block to a path that it was granted, or append it there."""
    yield from ()
    bench, folder = block.bench, block.bench.box.home / FOLDER
    there, name = path.stat().st_size > 0, shown(path)
    remove(folder)
    own_folder(folder)
    own_file(folder / "body", f"{block.call.body}\n".encode("utf-8", "replace"))
    body = str(bench.box.seen_home / FOLDER / "body")
    words = ["sh", "-c", APPEND if block.tool.tag == "append" else REPLACE, body, str(path)]
    finished = drain(bench.box.run(words, mode=bench.mode, timeout=bench.limits.timeout, grant=bench.grant))
    remove(folder)
    if finished.status:
        return Result("failed", f"failed, {name} was not saved", clip(finished, bench), exit=finished.status)
    return Result("ok", f"ok, saved {name}", files=(FileChange(name, "changed" if there else "created"),))
