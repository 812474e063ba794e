"""An agent for local language models, which act by writing Markdown code fences."""

from __future__ import annotations

# not typing's own, which takes longer to import than all else that `--version` needs
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tripletick.hooks import hook as hook
    from tripletick.tools.own.toolrunner import tool as tool

__version__ = "0.1.0"
_PUBLIC = {"tool": "tripletick.tools.own.toolrunner", "hook": "tripletick.hooks"}


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PUBLIC[name]), name)
