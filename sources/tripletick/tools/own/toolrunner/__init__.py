"""A separate program that describes tools written as Python functions, and calls one of them."""

# it imports nothing else of tripletick, so that it runs in a box that has only Python

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
