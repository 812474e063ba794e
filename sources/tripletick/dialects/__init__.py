"""The ways to write calls down, by name; each is imported when it is chosen."""

from __future__ import annotations

from importlib import import_module

from tripletick.dialects.dialect import Dialect
from tripletick.errors import UsageError

DIALECTS = {"fence": "tripletick.dialects.fence:Fence"}


def open_dialect(name: str) -> Dialect:
    """Give the dialect of that name. Raises UsageError, which lists what there is."""
    if name not in DIALECTS:
        raise UsageError(f"There is no dialect {name}.", remedy=f"Dialects: {', '.join(sorted(DIALECTS))}.")
    module, _, attribute = DIALECTS[name].partition(":")
    dialect: Dialect = getattr(import_module(module), attribute)()
    return dialect
