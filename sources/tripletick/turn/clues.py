"""What goes along with a request beside its files: how a task of a list reads that is done, and for a program
that is to be repaired the files that it reads, and numbers that it orders as texts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tripletick.languages.registry import is_program_path
from tripletick.tools.python_source import parse_program

MOST = 2
"""Files that are shown."""
LITERAL = re.compile(r"[\"']((?:\./)?[\w][\w ./-]*\.\w{1,6})[\"']")
TEXTS = "In {path}, {name} is a text where it is put in order: '9' comes after '10'. int({name}) is a number."
OPEN_TASK = re.compile(r"(?m)^[ \t]*[-*+] \[ \] (.+?)[ \t]*$")
TICKED = "“- [ ] {task}” becomes “- [x] {task}” when it is done."
ORDERS = frozenset({"sort", "sorted", "min", "max"})


def show_ticked(shown: str, request: str) -> str:
    """Say how the open task that a request speaks of reads when it is done; "" of none or several."""
    asked = request.casefold()
    tasks = [task for task in OPEN_TASK.findall(shown) if task.casefold() in asked]
    return TICKED.format(task=tasks[0]) if len(tasks) == 1 else ""


def find_inputs(source: str) -> list[str]:
    """Give the files that a program names and that are no programs, the first ones."""
    found = dict.fromkeys(name.removeprefix("./") for name in LITERAL.findall(source))
    return [name for name in found if not is_program_path(name)][:MOST]


def describe_ordered_texts(path: str, source: str, data: str) -> str:
    """Say that a Python program orders pieces of its lines as texts, where the data have numbers of several
    lengths; "" where it does not.
    """
    lengths = {len(number) for number in re.findall(r"(?<![\w.])\d+(?![\w.])", data)}
    if not path.endswith(".py") or len(lengths) < 2:
        return ""
    tree = parse_program(source)
    name = next(_find_ordered_pieces(tree), "") if tree else ""
    return TEXTS.format(path=path, name=name) if name else ""


def _find_ordered_pieces(tree: ast.AST) -> Iterator[str]:
    """Give the names of pieces of a `split()` that come first in what is put in order, and are no numbers."""
    nodes = list(ast.walk(tree))
    pieces = {name for node in nodes if isinstance(node, ast.Assign) for name in _list_pieces(node)}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    named = [
        call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        for call in calls
    ]
    if not ORDERS.intersection(named):
        return
    for call, name in zip(calls, named, strict=True):
        for value in call.args if name in ("append", "add", "insert") else ():
            first = value.elts[0] if isinstance(value, ast.Tuple | ast.List) and value.elts else value
            if isinstance(first, ast.Name) and first.id in pieces:
                yield first.id


def _list_pieces(node: ast.Assign) -> Iterator[str]:
    """Give the names that get the pieces of a text as they are."""
    value = node.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "split":
        for target in node.targets:
            yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))
