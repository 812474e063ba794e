"""Imports go down, modules stay short, only the rim knows other libraries: the architecture."""

import ast
import re
import sys
import tomllib
from collections import Counter
from functools import cache
from importlib.metadata import packages_distributions
from itertools import chain, pairwise
from pathlib import Path

import pytest
from tools.names import find_names
from tools.router.labelled import SOURCES

ROOT = Path(__file__).parents[1] / "sources" / "tripletick"
LAYERS = (
    {"errors", "messages", "languages"},
    {"events", "system", "router"},
    {"agents", "config", "event_log", "paths", "ui"},
    {"checkpoint", "models", "sandbox"},
    {"mcp", "trust", "web"},
    {"tools"},
    {"dialects", "permission"},
    {"hooks"},
    {"turn"},
    {"planner"},
    {"history"},
    {"session"},
    {"acp", "batch", "bench", "chat", "serve"},
    {"commands"},
    {"cli"},
)
AT_ROOT = {"__init__", "cli", "errors", "events", "messages"}
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
ONLY = {"ui": {"events", "messages"}}
RIM = {
    "acp": {"acp"},
    "batch": {"ray"},
    "mcp": {"anyio", "mcp", "mcp_types"},
    "serve": {"acp", "starlette", "uvicorn"},
    "models": {"requests", "urllib3", "ollama", "httpx", "xllamacpp"},
    "ui": {"rich", "pygments", "prompt_toolkit", "markdown_it"},
    "history": {"pygments", "markdown_it"},
    "system": {"platformdirs"},
    "checkpoint": {"pathspec"},
    "paths": {"pathspec"},
    "tools": {"docstring_parser"},
    "hooks": {"pluggy"},
    "web": {"certifi", "charset_normalizer", "ddgs", "playwright", "protego", "pypdf", "trafilatura"},
}
TASKS = (ROOT / "bench" / "tasks", ROOT / "bench" / "dialogue")
"""Programs that the bench has mended: data."""
MODULES = [
    path
    for path in sorted(ROOT.rglob("*.py"))
    if path != ROOT / "__init__.py" and not any(map(path.is_relative_to, TASKS))
]
PARTICIPLES = re.compile(
    "(begun|built|done|drawn|found|given|gone|held|kept|known|laid|left|made|meant|said|seen|sent|shown|spent|"
    "taken|told|tried|unseen|written|(?!embed|feed|need|seed|shed)[a-z]+ed)(_|$)"
)
"""What begins with one is no verb phrase."""


def part_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@cache
def tree_of(path):
    return ast.parse(path.read_text("utf-8"))


@cache
def imported(path):
    """Every (module, name) that a file imports, at the top or inside; what lies beside it does not count."""
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and not node.level:
            found |= {(node.module or "", alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names}
    return found


def targets(path):
    for module, name in imported(path):
        if module == "tripletick":
            yield name
        elif module.startswith("tripletick."):
            yield module.split(".")[1]


def test_imports_go_down():
    wrong = []
    for path in MODULES:
        part = part_of(path)
        for target in set(targets(path)) - {"__version__", part}:
            if RANK[target] > RANK[part] or target not in ONLY.get(part, {target}):
                wrong.append(f"{path.relative_to(ROOT)} imports {target}")
    assert wrong == []


def test_modules_of_one_rank_import_each_other_without_a_cycle():
    edges: dict[str, set[str]] = {part_of(path): set() for path in MODULES}
    for path in MODULES:
        edges[part_of(path)] |= {t for t in targets(path) if t in RANK} - {part_of(path)}
    while free := {part for part, needed in edges.items() if not needed & edges.keys()}:
        edges = {part: needed for part, needed in edges.items() if part not in free}
    assert not edges


def libraries(path):
    own = sys.stdlib_module_names | {"tripletick"}
    return {module.split(".")[0] for module, _ in imported(path)} - own


def test_only_the_rim_knows_other_libraries():
    foreign = {path: libraries(path) for path in MODULES}
    assert [
        (path, names) for path, names in foreign.items() if not names <= RIM.get(part_of(path), set())
    ] == []


def test_every_library_is_declared():
    project = tomllib.loads((ROOT.parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    required = chain(project["dependencies"], *project["optional-dependencies"].values())
    declared = {re.split("[<>=]", each)[0].lower() for each in required}
    owners = packages_distributions()
    assert [
        name
        for name in sorted(set().union(*map(libraries, MODULES)))
        if declared.isdisjoint(owner.lower() for owner in owners.get(name, ()))
    ] == []


def test_no_module_is_long():
    assert [path for path in MODULES if len(path.read_text("utf-8").splitlines()) > 400] == []


def test_every_module_says_what_it_is_for():
    assert [
        path for path in MODULES if path.read_text("utf-8") and not ast.get_docstring(tree_of(path))
    ] == []


def test_the_root_holds_what_everything_else_builds_on():
    assert {path.stem for path in ROOT.glob("*.py")} == AT_ROOT


def functions():
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef):
                yield node


def test_functions_are_short():
    lengths = sorted(node.end_lineno - node.lineno + 1 for node in functions())
    assert lengths[len(lengths) // 2] <= 10
    assert lengths[len(lengths) * 95 // 100] <= 40


def test_names_say_something():
    found = [name for path in MODULES for name in find_names(path)]
    classes = Counter(name.name for name in found if name.is_class)
    empty = ("Manager", "Handler", "Helper", "Util", "Service", "Base")
    assert [name for name, count in classes.items() if count > 1 or name.endswith(empty)] == []
    functions = [name for name in found if not name.is_class and not name.in_protocol]
    assert sum(len(name.words) for name in functions) >= 1.8 * len(functions)
    assert sum(len(name.words) == 1 for name in functions) <= 0.3 * len(functions)


@pytest.mark.parametrize("folder", ["bench", "tools", "training"])
def test_names_beside_the_package_say_something(folder):
    top = ROOT.parents[1] / folder
    # deeper lie the start files of tasks
    paths = {*top.glob("*.py"), *top.glob("*/*.py")}
    # the text of SOURCES is hashed into the router's weights: a new name there means training it again
    found = [name for path in sorted(paths.difference(SOURCES)) for name in find_names(path)]
    functions = [name for name in found if not name.is_class]
    assert [name for name in functions if PARTICIPLES.match(name.name.lstrip("_"))] == []
    assert sum(len(name.words) for name in functions) >= 1.8 * len(functions)
    # most of them are `main`
    assert sum(len(name.words) == 1 for name in functions) <= 0.25 * len(functions)


def test_what_runs_without_the_package_imports_nothing_of_it():
    alone = [
        path
        for path in MODULES
        if "imports nothing of" in " ".join((ast.get_docstring(tree_of(path)) or "").split())
    ]
    assert len(alone) >= 6
    assert [path.name for path in alone if any(targets(path))] == []


def test_no_home_is_filled_in_where_that_raises():
    # `Path.expanduser` raises RuntimeError for `~nobody`; system.dirs has what does not
    assert [
        path.name for path in MODULES if re.search(r"(?<!os\.path)\.expanduser\(", path.read_text("utf-8"))
    ] == []


def test_the_ranks_are_those_of_the_map():
    assert all(upper.isdisjoint(lower) for upper, lower in pairwise(LAYERS))
    assert {part_of(path) for path in MODULES} <= RANK.keys()


def test_training_and_bench_import_nothing_of_each_other():
    top = ROOT.parents[1]
    # deeper lie the start files of tasks
    assert [
        (path.relative_to(top), module)
        for own, other in (("training", "bench"), ("bench", "training"))
        for path in chain((top / own).glob("*.py"), (top / own).glob("*/*.py"))
        for module, _ in imported(path)
        if module.split(".")[0] == other
    ] == []
