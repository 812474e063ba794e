"""The separator of a table that a Python program reads with the comma that csv takes: a KeyError, or one
column, and a small model does not see why.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress

from tripletick.paths import PathRefused
from tripletick.tools.data_summary import SEPARATED, detect_separator
from tripletick.tools.python_source import parse_program
from tripletick.tools.tool import ToolContext

READERS = frozenset({"csv.reader", "csv.DictReader", "reader", "DictReader"})
NAMED = frozenset({"delimiter", "dialect"})
LARGEST = 1 << 18


def add_separators(source: str, context: ToolContext) -> str:
    """Give a program whose readers of tables name their separator, where all the tables that it names have
    the same one and no reader has any.
    """
    tree = parse_program(source) if "csv" in source else None
    calls = [*_list_readers(tree)] if tree else []
    separators = {*_list_separators(tree, context)} if tree and calls else set[str]()
    if len(separators) != 1 or "," in separators:
        return source
    lines = source.encode().splitlines(keepends=True)
    for call in sorted(
        calls, key=lambda each: (each.end_lineno or 0, each.end_col_offset or 0), reverse=True
    ):
        row, at = (call.end_lineno or 1) - 1, (call.end_col_offset or 1) - 1
        lines[row] = lines[row][:at] + f", delimiter={min(separators)!r}".encode() + lines[row][at:]
    return b"".join(lines).decode()


def _list_readers(tree: ast.Module) -> Iterator[ast.Call]:
    """Give the readers, none where one of them has a separator."""
    calls = [part for part in ast.walk(tree) if isinstance(part, ast.Call)]
    readers = [call for call in calls if call.args and ast.unparse(call.func) in READERS]
    if not any(word.arg in NAMED for call in readers for word in call.keywords):
        yield from readers


def _list_separators(tree: ast.Module, context: ToolContext) -> Iterator[str]:
    """Give the separators of the tables whose paths stand in a program."""
    texts = {part.value for part in ast.walk(tree) if isinstance(part, ast.Constant)}
    for path in texts:
        if isinstance(path, str) and path.lower().endswith(SEPARATED):
            with suppress(PathRefused, UnicodeError, ValueError):
                if context.workspace.get_kind(path) == "file":
                    yield detect_separator(context.workspace.read_bytes(path, LARGEST).decode())
