"""The families' tables (tables.toml): programs, commands and how their results are worded."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".toml")


@cache
def read_tables() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text("utf-8"))


def get_rows(name: str) -> list[Any]:
    """Give a table's rows."""
    found: list[Any] = read_tables()[name]
    return found
