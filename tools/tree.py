"""Print the tree with a line a file, as the README shows it: each module's own first sentence.

With --write it is put into the README.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

TOP = Path(__file__).parents[1]
PACKAGE = TOP / "sources" / "tripletick"


def lines(folder: Path, indent: str = "") -> list[str]:
    """Give the lines of a folder: its modules, then its folders."""
    found = []
    for path in sorted(folder.glob("*.py")):
        said = ast.get_docstring(ast.parse(path.read_text("utf-8")))
        if said and path.name != "__init__.py":
            found.append(f"{indent}{path.name:<15} {said.split(chr(10) * 2)[0].replace(chr(10), ' ')}")
    for inner in sorted(path for path in folder.iterdir() if any(path.glob("*.py"))):
        found += [f"{indent}{inner.name}/", *lines(inner, indent + "  ")]
    return found


def put(readme: Path, tree: str) -> None:
    """Replace the tree in the README: the block that begins with its first word."""
    text = readme.read_text("utf-8")
    start = text.index(f"```text\n{tree.split()[0]} ") + len("```text\n")
    readme.write_text(text[:start] + tree + text[text.index("```", start) :], "utf-8")


if __name__ == "__main__":
    whole = "\n".join(lines(PACKAGE)) + "\n"
    if "--write" in sys.argv:
        put(TOP / "README.md", whole)
    else:
        sys.stdout.write(whole)
