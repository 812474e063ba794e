"""What a Python program can read once and reads again: a second loop over a csv reader gets nothing, and no
error says so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tripletick.tools.python_source import parse_program

MADE_BY = frozenset({"csv.reader", "csv.DictReader", "map", "filter", "zip", "enumerate", "reversed"})
TAKEN_BY = frozenset(
    {"all", "any", "dict", "enumerate", "len", "list", "max", "min", "set", "sorted", "sum", "tuple"}
)
"""What reads to its end what it is given."""


def keep_items(source: str) -> str:
    """Give a program that keeps in a list what it reads several times, each time from the start."""
    tree = parse_program(source) if any(maker in source for maker in MADE_BY) else None
    for name, made in _list_made(tree) if tree else ():
        if tree and made.end_lineno == made.lineno and _is_read_again(tree, name):
            lines = source.encode().splitlines(keepends=True)
            line, start, end = lines[made.lineno - 1], made.col_offset, made.end_col_offset or 0
            lines[made.lineno - 1] = line[:start] + b"list(" + line[start:end] + b")" + line[end:]
            return keep_items(b"".join(lines).decode())
    return source


def _list_made(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Give the names that are assigned once, and what makes what they stand for."""
    nodes = list(ast.walk(tree))
    stored = [node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Call):
            [target] = node.targets
            is_maker = ast.unparse(node.value.func) in MADE_BY
            if is_maker and isinstance(target, ast.Name) and stored.count(target.id) == 1:
                yield target.id, node.value


def _is_read_again(tree: ast.Module, name: str) -> bool:
    """Tell whether a name is read several times, each time to its end: what is left by `break`, and what
    `next` has taken, goes on where it was.
    """
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension)]
    taken = [node.iter for node in loops]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in TAKEN_BY:
            taken += node.args[:1]
    over = [loop for loop in loops if isinstance(loop, ast.For) and _is_name(loop.iter, name)]
    leaves = any(isinstance(part, ast.Break | ast.Return) for loop in over for part in ast.walk(loop))
    read = sum(_is_name(node, name) for node in ast.walk(tree)) - 1
    return not leaves and 1 < read == sum(_is_name(each, name) for each in taken)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
