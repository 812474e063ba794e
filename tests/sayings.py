"""The texts of the sources, as a page quotes them: `…` stands for what is put in when they are said."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tripletick import errors

SOURCES = Path(__file__).parents[1] / "sources"
TASKS = SOURCES / "tripletick" / "bench" / "tasks"
USAGE = 2
"""The exit code of errors whose last line is the right form."""
ERRORS = {
    name
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.TripletickError) and kind.exit != USAGE
} | {"WorkspaceError"}
Names = Mapping[str, str]


def said() -> set[str]:
    """Give every text of the sources."""
    return {text(node, named) for nodes, named in _modules() for node in nodes} - {""}


def raised() -> set[str]:
    """Give the first line of each error that is not wrong usage, where it stands as a text."""
    return {
        text(node.args[node.func.id == "ErrorTemplate"], named)
        for nodes, named in _modules()
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args
        if node.func.id in {*ERRORS, "ErrorTemplate"}
    } - {""}


def text(node: ast.AST, named: Names) -> str:
    """Give the text that a node is, "" where it is none."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    if isinstance(node, ast.Name):
        return named.get(node.id, "")
    told = node.value if isinstance(node, ast.Constant) else ""
    return re.sub(r"\{[^{}]*\}", "…", told) if isinstance(told, str) else ""


@cache
def _modules() -> list[tuple[list[ast.AST], Names]]:
    """Give each module's nodes and the texts that it has names for."""
    paths = (path for path in SOURCES.rglob("*.py") if TASKS not in path.parents)
    return [_module(list(ast.walk(ast.parse(path.read_text("utf-8"))))) for path in paths]


def _module(nodes: list[ast.AST]) -> tuple[list[ast.AST], Names]:
    assigned = [(node.targets[0], node.value) for node in nodes if isinstance(node, ast.Assign)]
    return nodes, {name.id: text(value, {}) for name, value in assigned if isinstance(name, ast.Name)}
