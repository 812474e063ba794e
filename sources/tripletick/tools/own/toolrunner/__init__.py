"""A program of its own: describes tools that are functions, and calls one (running).

Here is their mark, `@tool`. It imports nothing of ours, so that it runs in a box that has only Python; there
this folder is a package by itself.
"""

from __future__ import annotations

from typing import Any

MARK = "__tripletick_tool__"
NAME = "tripletick.tools.own.toolrunner"


def tool(function: Any = None, /, *, name: str = "", writes: bool = False) -> Any:
    """Make a function a tool: `@tool`, or `@tool(writes=True)` for one that changes files of the folder."""

    def mark(marked: Any) -> Any:
        setattr(marked, MARK, {"name": name, "writes": writes})
        return marked

    return mark if function is None else mark(function)
