"""The sentences for what could not be read, from problems.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tripletick.dialects.fence.blocks import FencedBlock
from tripletick.messages import Problem

SHOWN_TAGS = 8


@cache
def load_sentences() -> dict[str, dict[str, str]]:
    """Give the shipped sentences by code."""
    text = Path(__file__).with_name("problems.toml").read_text("utf-8")
    return tomllib.loads(text)


def make_problem(code: str, line: int, tags: Sequence[str], *, form: str = "text", **fields: str) -> Problem:
    """Word one problem; `tags` are those that the agent owns."""
    words = {"tag": "", "path": "", "info": "", "what": "", "fence": "```", "longer": "````", **fields}
    first = next((tag for tag in tags if tag != "write"), "bash")
    shown = ", ".join(tags[:SHOWN_TAGS])
    text = load_sentences()[code][form].format(line=line, tags=shown, first=first, **words)
    return Problem(code, line, text, words["tag"])


def make_block_problem(
    code: str, block: FencedBlock, tags: Sequence[str], *, form: str = "text", what: str = ""
) -> Problem:
    """Word what is wrong with one block, in a form of its sentence that it has."""
    named = "path" if block.info.path and code == "ambiguous-nesting" else "text"
    fence = block.mark.shape.char * block.mark.shape.run
    return make_problem(
        code,
        block.mark.line + 1,
        tags,
        form=form if form in load_sentences()[code] and form != "text" else named,
        tag=block.info.tag,
        path=block.info.path or "",
        info=":".join(filter(None, (block.info.tag, block.info.path))),
        what=what or "literal",
        fence=fence,
        longer=fence + block.mark.shape.char,
    )
