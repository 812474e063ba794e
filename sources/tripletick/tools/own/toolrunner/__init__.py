"""A program of its own: describes tools that are functions, and calls one (running).

Here is their mark, `@tool`. It imports nothing of ours, so that it runs in a box that has only Python; there
this folder is a package by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

MARK = "__tripletick_tool__"
Function = TypeVar("Function", bound=Callable[..., Any])
NAME = "tripletick.tools.own.toolrunner"


@overload
def tool(function: Function, /) -> Function: ...
@overload
def tool(*, name: str = "", writes: bool = False) -> Callable[[Function], Function]: ...
def tool(function: Any = None, /, *, name: str = "", writes: bool = False) -> Any:
    """Make a function a tool: `@tool`, or `@tool(writes=True)` for one that changes files of the folder."""

    def mark(marked: Any) -> Any:
        setattr(marked, MARK, {"name": name, "writes": writes})
        return marked

    return mark if function is None else mark(function)
