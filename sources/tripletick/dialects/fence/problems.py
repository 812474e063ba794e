"""The sentences for what could not be read, from problems.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tripletick.dialects.fence.blocks import Block
from tripletick.messages import Problem

SHOWN_TAGS = 8


@cache
def wordings() -> dict[str, dict[str, str]]:
    """Give the shipped sentences by code."""
    text = Path(__file__).with_name("problems.toml").read_text("utf-8")
    return tomllib.loads(text)


def problem(code: str, line: int, tags: Sequence[str], *, form: str = "text", **fields: str) -> Problem:
    """Word one problem; `tags` are those that the agent owns."""
    words = {"tag": "", "path": "", "info": "", "what": "", "fence": "```", "longer": "````", **fields}
    first = next((tag for tag in tags if tag != "write"), "bash")
    shown = ", ".join(tags[:SHOWN_TAGS])
    text = wordings()[code][form].format(line=line, tags=shown, first=first, **words)
    return Problem(code, line, text, words["tag"])


def block_problem(
    code: str, block: Block, tags: Sequence[str], *, form: str = "text", what: str = ""
) -> Problem:
    """Word what is wrong with one block, in a form of its sentence that it has."""
    named = "path" if block.info.path and code == "ambiguous-nesting" else "text"
    fence = block.mark.shape.char * block.mark.shape.run
    return problem(
        code,
        block.mark.line + 1,
        tags,
        form=form if form in wordings()[code] and form != "text" else named,
        tag=block.info.tag,
        path=block.info.path or "",
        info=":".join(filter(None, (block.info.tag, block.info.path))),
        what=what or "literal",
        fence=fence,
        longer=fence + block.mark.shape.char,
    )
