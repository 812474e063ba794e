"""Imports that a Python program lacks: small models use `csv` and `Counter` without them, and lose a reply.

Added is what a name can only mean: modules of Python's own that are used with a point behind them, and a few
names of these, where the program binds no such name anywhere. It would end in a NameError otherwise.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.python_source import parse_program

MODULES = """
argparse base64 calendar collections configparser csv datetime decimal difflib functools glob hashlib heapq
html itertools json logging math operator os pathlib random re shutil sqlite3 statistics string subprocess
sys tempfile textwrap time unicodedata unittest uuid zipfile
"""
NAMES = {
    "collections": ("Counter", "OrderedDict", "defaultdict", "deque", "namedtuple"),
    "datetime": ("timedelta",),
    "pathlib": ("Path",),
    "typing": (
        "Any",
        "Callable",
        "Dict",
        "Iterable",
        "List",
        "Optional",
        "Sequence",
        "Set",
        "Tuple",
        "Union",
    ),
}
OF_CLASS = frozenset({"now", "today", "strptime", "fromisoformat", "fromtimestamp", "utcnow", "combine"})
"""What is called on the class datetime and not on the module of that name."""
_BREAK = lazy_regex(r"\r\n?|\n")
"""What ends a line of Python; a form feed does not."""


def add_imports(source: str) -> str:
    """Give a program with the imports that it lacks, on lines of their own before its first statement."""
    tree = parse_program(source)
    if not tree or not (lines := list(_list_lacking(tree))):
        return source
    line = _find_line(tree)
    at = [0, *(found.end() for found in _BREAK.finditer(source))][line]
    return "".join([source[:at], *(f"{each}\n" for each in lines), source[at:]]) if line >= 0 else source


def _list_lacking(tree: ast.Module) -> Iterator[str]:
    nodes = list(ast.walk(tree))
    bound = {name for node in nodes for name in list_bound_names(node)}
    if "*" in bound:
        return
    read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    attributes: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            attributes.setdefault(node.value.id, set()).add(node.attr)
    for name in sorted((attributes.keys() & {*MODULES.split()} & read) - bound):
        is_class = name == "datetime" and attributes[name] <= OF_CLASS
        yield "from datetime import datetime" if is_class else f"import {name}"
    for module, names in NAMES.items():
        if lacking := sorted((read & {*names}) - bound):
            yield f"from {module} import {', '.join(lacking)}"


def list_bound_names(node: ast.AST) -> Iterator[str]:
    """Give the names that a node binds."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from (each.asname or each.name.partition(".")[0] for each in node.names)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names


def _find_line(tree: ast.Module) -> int:
    """Give the line, from 0, before which imports may stand; -1 where what must come first ends on it."""
    end = 0
    for statement in tree.body:
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not is_text and not is_future:
            above = [int(each.lineno) for each in getattr(statement, "decorator_list", ())]
            line = min([statement.lineno, *above])
            return line - 1 if line > end else -1
        end = statement.end_lineno or statement.lineno
    return -1
