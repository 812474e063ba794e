"""Imports go down, modules stay short, only the rim knows other libraries: the architecture."""

import ast
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "sources" / "tripletick"
LAYERS = (
    {"errors", "extras", "halting", "messages", "platforms", "redaction"},
    {
        "events",
        "config",
        "sections",
        "techniques",
        "languages",
        "paths",
        "agents",
        "templates",
        "places",
        "inifile",
        "installed",
        "errands",
    },
    {"mcp", "models", "sandbox", "web"},
    {
        "tools",
        "advice",
        "repair",
        "router",
        "context",
        "session",
        "checkpoint",
        "approval",
        "trust",
        "pieces",
        "profile",
        "repeats",
        "retention",
        "hooks",
    },
    {"dialects"},
    {
        "aside",
        "attachments",
        "claims",
        "receipts",
        "effects",
        "clock",
        "compaction",
        "feedback",
        "fresh",
        "replies",
        "shift",
        "loop",
    },
    {"planner"},
    {"ui"},
    {
        "attaching",
        "batch",
        "engines",
        "example",
        "sizing",
        "seats",
        "pictures",
        "wiring",
        "standing",
        "staffing",
        "wording",
        "planning",
        "library",
        "bench",
        "telling",
        "trained",
        "routing",
        "byhand",
        "git_commit",
        "equipping",
        "app",
    },
    {"commands", "chat", "slash", "fetching", "firstrun", "listing", "loading", "screens", "ways"},
    {"cli"},
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
ONLY = {"ui": {"events", "messages"}}
RIM = {
    "batch": {"pathspec", "ray"},
    "mcp": {"anyio", "mcp", "mcp_types"},
    "models": {"requests", "urllib3", "ollama", "httpx", "xllamacpp"},
    "ui": {"rich", "pygments", "prompt_toolkit"},
    "library": {"pygments", "markdown_it"},
    "places": {"platformdirs"},
    "sandbox": {"pathspec"},
    "checkpoint": {"pathspec"},
    "paths": {"pathspec"},
    "tools": {"pathspec", "docstring_parser"},
    "hooks": {"pluggy"},
    "web": {"certifi", "charset_normalizer", "ddgs", "playwright", "pypdf", "trafilatura"},
}
TASKS = (ROOT / "bench" / "tasks", ROOT / "bench" / "dialogue")
"""Programs that the bench has mended: data."""
MODULES = [
    path
    for path in sorted(ROOT.rglob("*.py"))
    if path != ROOT / "__init__.py" and not any(map(path.is_relative_to, TASKS))
]


def part_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(path):
    """Every (module, name) that a file imports, at the top or inside; what lies beside it does not count."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def targets(path):
    for module, name in imported(path):
        if module == "tripletick":
            yield name
        elif module.startswith("tripletick."):
            yield module.split(".")[1]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down(path):
    part = part_of(path)
    for target in set(targets(path)) - {"__version__"}:
        assert target == part or RANK[target] <= RANK[part], f"{part} must not import {target}"
        if part in ONLY:
            assert target == part or target in ONLY[part], f"{part} may import only {ONLY[part]}"


def test_modules_of_one_rank_import_each_other_without_a_cycle():
    edges: dict[str, set[str]] = {part_of(path): set() for path in MODULES}
    for path in MODULES:
        edges[part_of(path)] |= {t for t in targets(path) if t in RANK} - {part_of(path)}
    while free := {part for part, needed in edges.items() if not needed & edges.keys()}:
        edges = {part: needed for part, needed in edges.items() if part not in free}
    assert not edges


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_rim_knows_other_libraries(path):
    roots = {module.split(".")[0] for module, _ in imported(path)}
    assert roots - sys.stdlib_module_names - {"tripletick"} <= RIM.get(part_of(path), set())


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_is_long(path):
    assert len(path.read_text("utf-8").splitlines()) <= 400


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_is_for(path):
    source = path.read_text("utf-8")
    assert not source or ast.get_docstring(ast.parse(source))


def functions():
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                yield node


def test_functions_are_short():
    lengths = sorted(node.end_lineno - node.lineno + 1 for node in functions())
    assert lengths[len(lengths) // 2] <= 10
    assert lengths[len(lengths) * 95 // 100] <= 40


def test_names_say_something():
    empty = ("Manager", "Handler", "Helper", "Util", "Service", "Base")
    names = [
        n.name for p in MODULES for n in ast.walk(ast.parse(p.read_text())) if isinstance(n, ast.ClassDef)
    ]
    assert [name for name in names if name.endswith(empty)] == []


def test_the_ranks_are_those_of_the_map():
    assert all(upper.isdisjoint(lower) for upper, lower in pairwise(LAYERS))
    assert {part_of(path) for path in MODULES} <= RANK.keys()
