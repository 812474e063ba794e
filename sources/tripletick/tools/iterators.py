"""What a Python program can read once and reads again: a second loop over a csv reader gets nothing, and no
error says so.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from tripletick.tools.python_source import parse_program, wrap_calls

MADE_BY = frozenset({"csv.reader", "csv.DictReader", "map", "filter", "zip", "enumerate", "reversed"})
TAKEN_BY = frozenset({"dict", "len", "list", "max", "min", "set", "sorted", "sum", "tuple"})
"""What reads to its end what it is given; `any` and `all` may stop before that."""


def keep_items(source: str) -> str:
    """Give a program that keeps in a list what it reads several times, each time from the start."""
    tree = parse_program(source) if any(maker in source for maker in MADE_BY) else None
    made = [*_list_made_again([*ast.walk(tree)])] if tree else []
    return wrap_calls(source, made, "list") if made else source


def _list_made_again(nodes: Sequence[ast.AST]) -> Iterator[ast.Call]:
    """Give what makes the values of names that are assigned once and read several times, each time to the
    end: what is left by `break`, and what `next` has taken, goes on where it was.
    """
    names = [node for node in nodes if isinstance(node, ast.Name)]
    reads = Counter(node.id for node in names if isinstance(node.ctx, ast.Load))
    stored = Counter(node.id for node in names if not isinstance(node.ctx, ast.Load))
    stored.update(node.arg for node in nodes if isinstance(node, ast.arg))
    taken, left = _count_taken(nodes)
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            call, name = node.value, _get_name(node.targets[0])
            known = len(node.targets) == 1 and stored[name] == 1 and name not in left
            again = 1 < reads[name] == taken[name]
            if known and again and _get_name(call.func) in MADE_BY and call.lineno == call.end_lineno:
                yield call


def _count_taken(nodes: Sequence[ast.AST]) -> tuple[Counter[str], set[str]]:
    """Count how often each name is read to its end, and give those of which a loop may leave some."""
    taken: Counter[str] = Counter()
    left = set()
    for node in nodes:
        if isinstance(node, ast.For):
            name = _get_looped(node.iter)
            within = [part for line in (*node.body, *node.orelse) for part in ast.walk(line)]
            # a loop within goes on where this one is
            if any(isinstance(part, ast.Break | ast.Return) or _get_name(part) == name for part in within):
                left.add(name)
            taken[name] += 1
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp):
            taken.update(_get_name(each.iter) for each in node.generators)
        elif isinstance(node, ast.Call) and node.args and _get_name(node.func) in TAKEN_BY:
            [first, *_] = node.args
            items = first.generators[0].iter if isinstance(first, ast.GeneratorExp) else first
            taken[_get_name(items)] += 1
    return taken, left


def _get_looped(items: ast.expr) -> str:
    """Give the name of what a loop goes over, also where it counts."""
    if isinstance(items, ast.Call) and items.args and _get_name(items.func) == "enumerate":
        return _get_name(items.args[0])
    return _get_name(items)


def _get_name(node: ast.AST) -> str:
    """Give the name that a part of a program is, as `rows` or `csv.reader`, "" where it is none."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
