"""Python programs of models, parsed to be looked at."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Mapping
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


def replace_number(source: str, number: str, expression: str) -> str:
    """Give a program with `int` of an expression in each place of a whole number, and with the expression
    itself in texts; "" of one that cannot be parsed. Comments are lost.
    """
    tree = parse_program(source)
    return (
        ast.unparse(ast.fix_missing_locations(_NumberReplacer(number, expression).visit(tree)))
        if tree
        else ""
    )


class _NumberReplacer(ast.NodeTransformer):
    def __init__(self, number: str, expression: str) -> None:
        self.number, self.expression = number, expression
        self.word = re.compile(rf"(?<![\w.]){re.escape(number)}(?!\w|\.\d)")

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if isinstance(node.value, str) and self.word.search(node.value):
            return ast.JoinedStr(self._split(node))
        is_it = type(node.value) is int and str(node.value) == self.number
        return self._parse(f"int({self.expression})") if is_it else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        node.values = [part for value in node.values for part in self._split(value)]
        return node

    def _split(self, value: ast.expr) -> list[ast.expr]:
        if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
            return [self.visit(value)]
        first, *rest = self.word.split(value.value)
        parts: list[ast.expr] = [ast.Constant(first)]
        for text in rest:
            parts += [ast.FormattedValue(self._parse(self.expression), -1), ast.Constant(text)]
        return parts

    def _parse(self, expression: str) -> ast.expr:
        return ast.parse(expression, mode="eval").body


def keep_rows(source: str, conditions: Mapping[str, str]) -> str:
    """Give a program whose one loop or comprehension over the rows of a table takes those alone that have
    these values in these columns; "" of any other. Comments are lost.
    """
    tree = parse_program(source)
    kinds = (ast.For, ast.comprehension)
    loops = [node for node in ast.walk(tree) if isinstance(node, kinds)] if tree else []
    names = [loop.target.id for loop in loops if isinstance(loop.target, ast.Name)]
    taken = {
        part.value.id
        for part in ast.walk(tree or ast.Module([], []))
        if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name) and _is_text(part.slice)
    }
    if len(loops) != 1 or len(names) != 1 or names[0] not in taken or not tree:
        return ""
    tests = [f"{names[0]}[{column!r}] == {value!r}" for column, value in conditions.items()]
    test = ast.parse(" and ".join(tests), mode="eval").body
    loop = loops[0]
    if isinstance(loop, ast.For):
        loop.body = [ast.If(test, loop.body, [])]
    else:
        loop.ifs.append(test)
    return ast.unparse(ast.fix_missing_locations(tree))


def _is_text(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and isinstance(part.value, str)
