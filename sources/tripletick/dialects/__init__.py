"""The ways a model can write tool calls, by name; each is imported when it is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module

from tripletick.dialects.dialect import Dialect
from tripletick.errors import UsageError
from tripletick.tools.tool import Tool

DIALECTS = {
    "fence": "tripletick.dialects.fence:make_dialect",
    "xml": "tripletick.dialects.xml:XmlDialect",
    "native": "tripletick.dialects.native:NativeDialect",
}
NO_TOOLS: Mapping[str, Tool] = {}


def open_dialect(name: str, tools: Mapping[str, Tool] = NO_TOOLS, offered: Sequence[str] = ()) -> Dialect:
    """Give the dialect of that name for these tools, of which `offered` are those that the model is told.

    Raises UsageError, which lists what there is.
    """
    if name not in DIALECTS:
        raise UsageError(f"There is no dialect {name}.", remedy=f"Dialects: {', '.join(sorted(DIALECTS))}.")
    module, _, attribute = DIALECTS[name].partition(":")
    dialect: Dialect = getattr(import_module(module), attribute)(tools, offered)
    return dialect
