"""Regular expressions that are compiled when they are first used.

Hundreds are loaded at the start and a turn needs few: to compile all was a quarter of a start.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _LazyPattern:
    """Stands for a `re.Pattern` and keeps its methods from their first use on."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        method = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, method)
        return method


def lazy_regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Give what behaves as `re.compile(pattern, flags)`; a wrong pattern raises re.error at its first use."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))
