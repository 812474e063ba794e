"""Python programs of models, parsed to be looked at."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable
from contextlib import suppress
from typing import Any


def parse_program(source: str) -> ast.Module | None:
    """Parse a program, None where it cannot be; what Python warns of in it stays out of the terminal."""
    tree: ast.Module | None = _compile(source, ast.PyCF_ONLY_AST)
    return tree


def is_program(source: str) -> bool:
    """Tell whether a source can be run, which a `return` outside a function cannot, although it parses."""
    return _compile(source) is not None


def _compile(source: str, flags: int = 0) -> Any:
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(source, "<unknown>", "exec", flags, dont_inherit=True)
    return None


def list_definitions(tree: ast.Module | None) -> list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Give the functions and classes at the top of a program; none of one that could not be parsed."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [part for part in tree.body if isinstance(part, kinds)] if tree else []


def wrap_calls(source: str, nodes: Iterable[ast.expr], function: str) -> str:
    """Give a program in which each of these parts of a line is what a function is called with."""
    lines = source.encode().splitlines(keepends=True)
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        line, start, end = lines[node.lineno - 1], node.col_offset, node.end_col_offset or 0
        wrapped = b"".join((function.encode(), b"(", line[start:end], b")"))
        lines[node.lineno - 1] = line[:start] + wrapped + line[end:]
    return b"".join(lines).decode()
