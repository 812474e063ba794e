"""The separator of a table that a Python program reads with the comma that csv takes: a KeyError, or one
column, and a small model does not see why.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress

from tripletick.paths import PathRefused
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.data_summary import SEPARATED, detect_separator
from tripletick.tools.python_source import parse_program
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
