"""Python programs of models, parsed to be looked at."""

from __future__ import annotations

import ast
import warnings
from contextlib import suppress


def parse_program(source: str) -> ast.Module | None:
    """Parse a program, None where it cannot be; what Python warns of in it stays out of the terminal."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)
    return None
