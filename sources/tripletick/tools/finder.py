"""The tag `file_finder`: files by name, glob or words; where no name fits, by what stands in them.

Ignored folders and what the user hides are left out (walking.py); it ends after two seconds and says so.
"""

from __future__ import annotations

import contextlib
import fnmatch
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tripletick.messages import Call, Result
from tripletick.paths import PathRefused
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import format_size, format_time, join_names
from tripletick.tools.file_reader import is_binary, show_path, split_lines, to_printable
from tripletick.tools.file_walk import FileWalk, WalkEntry, find_closest_paths
from tripletick.tools.parameters import CallSchema, Parameter
from tripletick.tools.tool import Running, Tool, ToolContext

NAMES = 100
"""Paths shown."""
HITS = 40
"""Lines shown that hold the words."""
HITS_A_FILE = 5
WIDEST = 160
"""Characters shown of such a line."""
LARGEST = 1 << 20
"""Bytes of a file that is searched."""
SHOWN = 5
"""Files whose content is shown."""
GLOB = frozenset("*?[{")
BRACES = lazy_regex(r"\{([^{}]*)\}")
MODES = frozenset({"read", "info"})


@dataclass(slots=True)
class FinderQuery:
    """What is looked for, and what was found of it."""

    query: str
    named: list[WalkEntry] = field(default_factory=list)
    hits: list[tuple[str, int, str]] = field(default_factory=list)
    """Path, line number and line."""


def find_files(call: Call, context: ToolContext) -> Running:
    """Look for each line of the body."""
    yield from ()
    modes = MODES.intersection(call.args)
    lines = [call.path or "", *(line.strip() for line in call.body.splitlines())]
    searches = [FinderQuery(line) for line in dict.fromkeys(filter(None, lines))]
    if not searches:
        return Result(
            "failed",
            "failed, nothing to look for",
            "Write one name, glob or word a line.",
            tool="file_finder",
        )
    walk = FileWalk(context.workspace)
    try:
        files = list(walk)
        _search_names(searches, files, walk.workspace.expand_home)
        _search_contents(searches, files, walk)
    except PathRefused as refused:
        return Result("failed", f"failed, refused: {refused}", flags=frozenset({"refused"}))
    parts = [_format_matches(search, context, modes) for search in searches]
    parts += filter(None, [_format_limits(walk)])
    found = any(search.named or search.hits for search in searches)
    verdict = "ok" if found else "ok, nothing was found"
    return Result("ok", verdict, "\n".join(parts), flags=frozenset(() if found else {"not-found"}))


TOOL = Tool(
    "file_finder",
    "finds files by name, glob or words; read shows them, info says size, type and date",
    find_files,
    example=Call("file_finder", "*.md\nshopping list"),
    form=CallSchema(
        (
            Parameter(
                "name",
                "a name, glob or words",
                others=("query", "pattern", "names", "glob", "words", "search", "filename", "path"),
                many=True,
            ),
            Parameter(
                "show",
                "read shows them, info tells size, type, dates",
                {"type": "string", "enum": sorted(MODES)},
                "word",
                required=False,
                others=("mode",),
            ),
        )
    ),
)


def _search_names(searches: list[FinderQuery], files: list[WalkEntry], spelled: Callable[[str], str]) -> None:
    for search in searches:
        query = spelled(search.query).casefold().removeprefix("./").strip("/")
        fits = _make_glob_ranker(query) if GLOB.intersection(query) else _make_name_ranker(query)
        ranked = sorted((rank, found.path, found) for found in files if (rank := fits(found)))
        search.named += [found for _, _, found in ranked]


def _make_glob_ranker(query: str) -> Callable[[WalkEntry], int]:
    """Match as a shell does: without a slash the name alone; `**` spans folders, `{a,b}` is either."""
    patterns = [tuple(pattern.split("/")) for pattern in _expand_braces(query)]

    def rank(found: WalkEntry) -> int:
        parts = tuple(found.path.casefold().strip("/").split("/"))
        return int(
            any(_match_parts(pattern, parts if len(pattern) > 1 else parts[-1:]) for pattern in patterns)
        )

    return rank


def _expand_braces(pattern: str) -> list[str]:
    """Give the first patterns that one with `{a,b}` stands for."""
    found, left = list[str](), [pattern]
    while left and len(found) < NAMES:
        each = left.pop()
        if inner := BRACES.search(each):
            words = inner[1].split(",")
            left += [each[: inner.start()] + word + each[inner.end() :] for word in reversed(words)]
        else:
            found.append(each)
    return found


def _match_parts(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    reached = {0}
    for each in pattern:
        if each == "**":
            reached = set(range(min(reached), len(parts) + 1))
        else:
            fits = (at for at in reached if at < len(parts) and fnmatch.fnmatchcase(parts[at], each))
            reached = {at + 1 for at in fits}
        if not reached:
            return False
    return len(parts) in reached


def _make_name_ranker(query: str) -> Callable[[WalkEntry], int]:
    """Rank a name: 1 is it, 2 its stem, 3 a part of it, 4 all words somewhere in the path; 0 is none."""
    words = query.split()

    def rank(found: WalkEntry) -> int:
        path, name = found.path.casefold().strip("/"), found.entry.name.casefold()
        rows = (
            query in (name, path),
            query == name.partition(".")[0],
            query in (path if "/" in query else name),
            len(words) > 1 and all(word in path for word in words),
        )
        return next((n for n, true in enumerate(rows, 1) if true), 0)

    return rank


def _search_contents(searches: list[FinderQuery], files: list[WalkEntry], walk: FileWalk) -> None:
    """Look into the files for the words that no name holds."""
    left = [search for search in searches if not search.named and not GLOB.intersection(search.query)]
    if not left:
        return
    hides = walk.workspace.make_hidden_check()
    for found in files:
        if walk.is_exhausted():
            return
        if found.entry.kind == "file" and not hides(found.path):
            _search_file(left, found, walk)


def _search_file(searches: list[FinderQuery], found: WalkEntry, walk: FileWalk) -> None:
    with contextlib.suppress(PathRefused):
        if walk.workspace.get_size(found.path) > LARGEST:
            return
        data = walk.workspace.read_bytes(found.path, LARGEST)
        if is_binary(data):
            return
        folded = data.decode("utf-8", "replace").casefold()
        for search in searches:
            words = search.query.casefold().split()
            if len(search.hits) < HITS and all(word in folded for word in words):
                search.hits += list(_find_lines(found.path, split_lines(data), words))[:HITS_A_FILE]


def _find_lines(path: str, lines: list[str], words: list[str]) -> Iterator[tuple[str, int, str]]:
    for number, line in enumerate(lines, 1):
        if all(word in line.casefold() for word in words):
            yield path, number, line.strip()[:WIDEST]


def _format_matches(search: FinderQuery, context: ToolContext, modes: frozenset[str]) -> str:
    """Word what was found for one line of the body."""
    if search.named:
        rows = [_format_row(found, modes, context) for found in search.named[:NAMES]]
        more = len(search.named) - NAMES
        rows += [f"… {more} more; ask for less"] if more > 0 else []
        paths = [found.path for found in search.named if found.entry.kind == "file"]
    elif search.hits:
        shown = search.hits[:HITS]
        rows = [f"No name fits {search.query}; it stands in:"]
        rows += [f"{path}:{number}: {line}" for path, number, line in shown]
        paths = list(dict.fromkeys(path for path, _, _ in shown))
    else:
        near = find_closest_paths(search.query, context.workspace)
        hint = f" Names like it: {', '.join(near)}." if near else ""
        return f"Nothing is called {search.query}, and no file holds it.{hint}"
    if "read" in modes:
        budget = context.clip // max(min(len(paths), SHOWN), 1)
        rows += ["", *(show_path(path, context, budget).text for path in paths[:SHOWN])]
    return "\n".join(map(to_printable, rows))


def _format_row(found: WalkEntry, modes: frozenset[str], context: ToolContext) -> str:
    if "info" not in modes:
        return f"{found.path}/" if found.entry.kind == "folder" else found.path
    entry = context.workspace.describe_path(found.path)
    kind = "folder" if entry.kind == "folder" else _guess_type(found.entry.name)
    return f"{found.path}  {format_size(entry.size)}  {kind}  changed {format_time(entry.modified)}"


def _guess_type(name: str) -> str:
    import mimetypes

    return mimetypes.guess_type(name)[0] or "unknown type"


def _format_limits(walk: FileWalk) -> str:
    """Say what was not looked at."""
    said = []
    if walk.stopped:
        said.append(f"Stopped after {walk.bound}; there may be more. Ask for a folder: notes/**/*.md")
    if walk.left_out:
        said.append(f"Not searched: {join_names(walk.left_out, SHOWN)}")
    return "\n".join(said)
