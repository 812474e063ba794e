"""Numbers of a table that a Python program would compare as the texts that module csv gives: '9' > '10'.

Covered: min, max, sorted, .sort and < > of `row["column"]`, where the order of the column's texts is not that
of its numbers. What is converted, there or before, or read by another module, is right.
"""

from __future__ import annotations

import ast
import csv
import io
from collections.abc import Iterable, Iterator
from contextlib import suppress

from tripletick.paths import PathRefused
from tripletick.tools.data_summary import SEPARATED, detect_separator
from tripletick.tools.python_source import parse_program
from tripletick.tools.tool import ToolContext

LARGEST = 1 << 20
ORDERING = frozenset({"min", "max", "sorted", "sort"})
NUMBERS = frozenset({"int", "float", "Decimal", "Fraction"})
EVERY = "*"
WRONG = "failed, {column} would be compared as text"
INSTEAD = "Nothing was run. {found} is a text, and '9' comes after '10': write float({found}) there."


def find_text_comparison(source: str, context: ToolContext) -> tuple[str, str] | None:
    """Give verdict and text for a program that compares a column of a table that the request names as text;
    None where there is nothing to say.
    """
    if "csv" not in source or "pandas" in source or "QUOTE_NONNUMERIC" in source:
        return None
    with suppress(ValueError, RecursionError, MemoryError):
        compared = {column: found for found, column in _find_compared(parse_program(source))}
        wrong = next(_find_misordered(compared, context), "") if compared else ""
        return (WRONG.format(column=wrong), INSTEAD.format(found=compared[wrong])) if wrong else None
    return None


def _find_compared(tree: ast.AST | None) -> Iterator[tuple[str, str]]:
    """Give what is compared as it stands, as the program says it, and the column."""
    lists: dict[str, ast.expr] = {}
    nodes = list(ast.walk(tree)) if tree else []
    written = {name for node in nodes for name in _list_written(node)}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.ListComp):
            lists |= {name.id: node.value.elt for name in node.targets if isinstance(name, ast.Name)}
    for node in nodes:
        for each in _list_operands(node, lists):
            column = each.slice if isinstance(each, ast.Subscript) else None
            name = column.value if isinstance(column, ast.Constant) else None
            if isinstance(name, str) and not {name, EVERY} & written:
                yield ast.unparse(each), name


def _list_written(node: ast.AST) -> Iterator[str]:
    """Give the columns that a node writes, which may be numbers then; EVERY where it converts any."""
    if isinstance(node, ast.DictComp) and _converts(node.value):
        yield EVERY
    elif isinstance(node, ast.Dict):
        yield from (str(key.value) for key in node.keys if isinstance(key, ast.Constant))
    elif isinstance(node, ast.Call):
        yield from (word.arg for word in node.keywords if word.arg)
    elif isinstance(node, ast.Assign):
        for target in (each for each in node.targets if isinstance(each, ast.Subscript)):
            if isinstance(target.slice, ast.Constant):
                yield str(target.slice.value)
            elif _converts(node.value):
                yield EVERY


def _converts(value: ast.expr) -> bool:
    return any(isinstance(each, ast.Name) and each.id in NUMBERS for each in ast.walk(value))


def _list_operands(node: ast.AST, lists: dict[str, ast.expr]) -> Iterable[ast.expr]:
    """Give the expressions that a node orders."""
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        return (node.left, *node.comparators)
    if not isinstance(node, ast.Call):
        return ()
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name not in ORDERING:
        return ()
    keys = [word.value for word in node.keywords if word.arg == "key"]
    if keys:
        body = keys[0].body if isinstance(keys[0], ast.Lambda) else None
        return body.elts if isinstance(body, ast.Tuple) else filter(None, (body,))
    made = (lists.get(each.id, each) if isinstance(each, ast.Name) else each for each in node.args)
    return (each.elt if isinstance(each, ast.GeneratorExp | ast.ListComp) else each for each in made)


def _find_misordered(columns: Iterable[str], context: ToolContext) -> Iterator[str]:
    """Give the columns of the named tables that have numbers only, whose order as texts is another."""
    for path in sorted(context.ledger.named):
        with suppress(PathRefused, UnicodeError, csv.Error, ValueError):
            if path.lower().endswith(SEPARATED) and context.workspace.get_kind(path) == "file":
                text = context.workspace.read_shown(path, LARGEST).decode("utf-8-sig")
                rows = list(csv.DictReader(io.StringIO(text), delimiter=detect_separator(text)))
                for column in columns:
                    texts = [row[column] for row in rows if row.get(column)]
                    if sorted(texts) != sorted(texts, key=float):
                        yield column
