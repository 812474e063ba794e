"""What the names in sources look like: words in a function's name, one-word names, doubles, modules in -ing.

`python -m tools.names` prints the figures, `python -m tools.names FOLDER…` the functions of these folders
with one word each. Dunders and the methods of a Protocol do not count.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1] / "sources" / "tripletick"
DATA = (ROOT / "bench" / "tasks", ROOT / "bench" / "dialogue")
GERUNDS = {"logging", "caching", "routing", "packing", "scheduling", "sampling", "streaming"}


@dataclass(frozen=True)
class Name:
    """A function or class where it is defined; `owner` is the class around it, or ""."""

    path: Path
    line: int
    owner: str
    name: str
    is_class: bool
    in_protocol: bool

    @property
    def words(self) -> list[str]:
        return [word for word in self.name.split("_") if word]


def find_modules(root: Path = ROOT) -> list[Path]:
    """Give the modules of the package; the bench's tasks are data."""
    return [path for path in sorted(root.rglob("*.py")) if not any(map(path.is_relative_to, DATA))]


def find_names(path: Path) -> Iterator[Name]:
    """Give the functions and classes that a module defines, nested ones too."""

    def walk(node: ast.AST, owner: str, in_protocol: bool) -> Iterator[Name]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                if not child.name.startswith("__"):
                    yield Name(path, child.lineno, owner, child.name, False, in_protocol)
                yield from walk(child, owner, False)
            elif isinstance(child, ast.ClassDef):
                yield Name(path, child.lineno, owner, child.name, True, False)
                yield from walk(child, child.name, "Protocol" in map(ast.unparse, child.bases))
            else:
                yield from walk(child, owner, in_protocol)

    yield from walk(ast.parse(path.read_text("utf-8")), "", False)


def main(folders: list[str]) -> None:
    """Print the figures, or the one-word names under some folders."""
    modules = find_modules()
    names = [name for path in modules for name in find_names(path)]
    functions = [name for name in names if not name.is_class and not name.in_protocol]
    short = [name for name in functions if len(name.words) == 1]
    if folders:
        for name in short:
            if any(name.path.is_relative_to(folder) for folder in map(Path.resolve, map(Path, folders))):
                print(
                    f"{name.path.relative_to(ROOT)}:{name.line} {name.owner}.{name.name}".replace(" .", " ")
                )
        return
    classes = Counter(name.name for name in names if name.is_class)
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in modules)
    doing = [path.stem for path in modules if path.stem.endswith("ing") and path.stem not in GERUNDS]
    print(f"modules                     {len(modules)}, {lines:,} lines")
    print(f"modules at the root         {len(list(ROOT.glob('*.py')))}")
    print(f"functions                   {len(functions)}")
    print(f"words in a function's name  {sum(len(name.words) for name in functions) / len(functions):.2f}")
    print(f"one-word names              {len(short) / len(functions):.0%}")
    print(f"class names used twice      {sum(count > 1 for count in classes.values())}")
    print(f"modules in -ing             {len(doing)}")
    print(
        "most used:",
        ", ".join(f"{name} {count}" for name, count in Counter(n.name for n in short).most_common(12)),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
