"""Print the packages of tripletick, one per line with the sentence of its `__init__`.

With --write they are put into docs/architecture.md.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).parents[1]
ROOT = TOP / "sources" / "tripletick"
DATA = ROOT / "bench" / "tasks"
PAGE = TOP / "docs" / "architecture.md"
HEADING, OPENS = "\n## Packages\n", "```text\n"


def describe_packages() -> Iterator[str]:
    """Give a line per package, sorted by path."""
    for path in sorted(ROOT.rglob("__init__.py")):
        if path.parent != ROOT and not path.is_relative_to(DATA):
            sentence = ast.get_docstring(ast.parse(path.read_text("utf-8")))
            yield f"{path.parent.relative_to(ROOT)}/".ljust(23) + f"{sentence}\n"


def replace_list(text: str, packages: str) -> str:
    """Replace the list of packages in the text of the page."""
    start = text.index(OPENS, text.index(HEADING)) + len(OPENS)
    return f"{text[:start]}{packages}{text[text.index('```', start) :]}"


if __name__ == "__main__":
    packages = "".join(describe_packages())
    if "--write" in sys.argv:
        PAGE.write_text(replace_list(PAGE.read_text("utf-8"), packages), "utf-8")
    else:
        sys.stdout.write(packages)
