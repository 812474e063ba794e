"""What a Python program lacks that reads a table: a reader where it takes lines for rows, and the separator
where it takes the comma of csv. A TypeError, a KeyError or one column, and a small model does not see why.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress

from tripletick.paths import PathRefused
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.data_summary import SEPARATED, detect_separator
from tripletick.tools.python_source import parse_program, wrap_calls
from tripletick.tools.tool import ToolContext

READERS = frozenset({"csv.reader", "csv.DictReader"})
NAMED = frozenset({"delimiter", "dialect", None})
"""What says the separator, also in a dictionary."""
OPENED = (ast.Name, ast.Call)
_CHANGES = lazy_regex(r"\.replace\(|\bStringIO\b|\.splitlines\(")
"""What makes another text of a table."""
LARGEST = 1 << 18


def add_separators(source: str, context: ToolContext) -> str:
    """Give a program whose only reader of tables names their separator, where all the tables that it names
    have the same one.
    """
    tree = parse_program(source) if "csv" in source else None
    calls = [*_list_readers(tree)] if tree else []
    separators = {*_list_separators(tree, context)} if tree and calls else set[str]()
    if len(separators) != 1 or "," in separators or len(calls) != 1 or _CHANGES.search(source):
        return source
    text, [call] = source.encode(), calls
    lines = text.splitlines(keepends=True)[: (call.end_lineno or 1) - 1]
    at = len(b"".join(lines)) + (call.end_col_offset or 1) - 1
    before = text[:at].rstrip()
    comma = b" " if before.endswith(b",") else b", "
    right = (before + comma + f"delimiter={min(separators)!r}".encode() + text[at:]).decode()
    return right if parse_program(right) else source


def read_rows(source: str) -> str:
    """Give a program with a csv reader in the place of an open table of which it takes each line for a row
    with columns by name.
    """
    tree = parse_program(source) if ".csv" in source or ".tsv" in source else None
    opened = {*_list_opened(tree)} if tree else set[str]()
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For)] if tree and opened else []
    tables = [
        loop.iter
        for loop in loops
        if isinstance(loop.iter, ast.Name) and loop.iter.id in opened and _has_columns(loop)
    ]
    return wrap_calls(source, tables, "csv.DictReader") if tables else source


def _list_opened(tree: ast.Module) -> Iterator[str]:
    """Give the names of tables that are opened by their path."""
    for node in ast.walk(tree):
        pairs = [(node.context_expr, node.optional_vars)] if isinstance(node, ast.withitem) else []
        pairs += [(node.value, node.targets[0])] if isinstance(node, ast.Assign) else []
        for call, name in pairs:
            path = call.args[0] if isinstance(call, ast.Call) and call.args else None
            known = isinstance(path, ast.Constant) and str(path.value).lower().endswith(SEPARATED)
            if known and isinstance(name, ast.Name) and ast.unparse(call).startswith("open("):
                yield name.id


def _has_columns(loop: ast.For) -> bool:
    """Tell whether what a loop goes over is read by the names of columns."""
    parts = (part for line in loop.body for part in ast.walk(line) if isinstance(part, ast.Subscript))
    name = loop.target.id if isinstance(loop.target, ast.Name) else ""
    return any(
        isinstance(part.value, ast.Name)
        and part.value.id == name
        and isinstance(part.slice, ast.Constant)
        and isinstance(part.slice.value, str)
        for part in parts
    )


def _list_readers(tree: ast.Module) -> Iterator[ast.Call]:
    """Give the readers, none where one of them has a separator."""
    calls = [part for part in ast.walk(tree) if isinstance(part, ast.Call)]
    readers = [call for call in calls if ast.unparse(call.func) in READERS]
    if not any(word.arg in NAMED for call in readers for word in call.keywords):
        yield from (call for call in readers if len(call.args) == 1 and isinstance(call.args[0], OPENED))


def _list_separators(tree: ast.Module, context: ToolContext) -> Iterator[str]:
    """Give the separators of the tables whose paths stand in a program, or in the request of one that takes
    arguments.
    """
    texts = {part.value for part in ast.walk(tree) if isinstance(part, ast.Constant)}
    if "argv" in {part.attr for part in ast.walk(tree) if isinstance(part, ast.Attribute)}:
        texts |= context.ledger.named
    for path in texts:
        if isinstance(path, str) and path.lower().endswith(SEPARATED):
            with suppress(PathRefused, UnicodeError, ValueError):
                if context.workspace.get_kind(path) == "file":
                    yield detect_separator(context.workspace.read_bytes(path, LARGEST).decode())
