"""What the walk knows of all files, where a request asks for the largest, the newest, or one by its name
alone: a small model gets the commands for that wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches

from tripletick.paths import PathInfo, PathRefused, Workspace
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import format_size, format_time
from tripletick.tools.file_walk import FileWalk, quote_name, shorten_names

SECONDS = 0.5
"""A walk ends after that: it is done before the model is asked."""
MOST = 2000
"""Files that are looked at one by one."""
SHOWN = 8
DATED = lazy_regex(r"(?<!\d)(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])(?!\d{3})")
"""A year and a month in a name."""
MISSPELLED, SHORTEST = 0.75, 4
"""How alike two names are of which one may mean the other, and the characters before their endings."""
LARGEST = 1 << 25
"""Bytes of all files together that are compared."""
AT_ONCE = 60
"""Seconds within which the files of a folder are copied or unpacked."""
CONTENT = lazy_regex(r"[^\W\d_]{4,}|\d{3,}")
STEM = lazy_regex(r"[^\W\d_]{4,}")
"""A word of a file's name."""
FUNCTION_WORDS = """
about after again also been before being best both came come could doe doing done each ever
every file find first from gave give goes going have having here into just know last left like
list long look made make many more most much must name need next only other please said same
say shall should show some such take tell than that their them then there these they thing
think thi those time used using very want well were what when where which while whose will with
word would write wrote your
"""
"""English words without their plural `s` that say nothing of what a request is about."""
PLURAL = lazy_regex(r"s(?=\.\w+$|$)")
QUOTED = lazy_regex(r"[\"'`“]([^\"'`“”\n]+ [^\"'`“”\n]+\.\w{1,6})[\"'`”]")
"""A file's name with blanks, as a request has it."""


def find_by_name(workspace: Workspace, *, deep: bool = True) -> dict[str, list[str]]:
    """Give the paths of files and folders by their names in lower case, as far as the walk comes; not `deep`:
    those that lie at most one below another, which takes no time in a large folder.
    """
    found: dict[str, list[str]] = {}
    hides = workspace.make_hidden_check()
    with suppress(PathRefused):
        for one in FileWalk(workspace, SECONDS):
            # the walk goes level by level
            if not deep and one.path.count("/") > 1:
                break
            if not hides(one.path):
                found.setdefault(one.entry.name.casefold(), []).append(one.path)
    return found


def iter_paths(workspace: Workspace, *, deep: bool = True) -> Iterator[str]:
    """Give the paths of `find_by_name`, those of one name together; nothing is walked before the first."""
    for paths in find_by_name(workspace, deep=deep).values():
        yield from paths


def list_by_size(workspace: Workspace) -> str:
    """Name the largest files and the smallest ones; "" where there are no files or too many."""
    files = sorted(_describe_files(workspace), key=lambda file: -file[1].size)
    rows = [f"{quote_name(path)} ({format_size(about.size)})" for path, about in files]
    return _format_ends(("Largest file", "Smaller files", "Smallest"), rows)


def list_empty(workspace: Workspace) -> str:
    """Name the files without content; "" where there are none, or too many files."""
    empty = [path for path, about in _describe_files(workspace) if not about.size]
    return f"Empty files: {', '.join(shorten_names(empty, SHOWN))}" if empty else ""


def list_identical(workspace: Workspace) -> str:
    """Name the files that hold the same, byte for byte; "" where there are none, or too many files."""
    by_size: dict[int, list[str]] = {}
    for path, about in _describe_files(workspace):
        by_size.setdefault(about.size, []).append(path)
    alike = {size: paths for size, paths in by_size.items() if len(paths) > 1 and 0 < size <= LARGEST}
    if sum(size * len(paths) for size, paths in alike.items()) > LARGEST:
        return ""
    by_content: dict[bytes, list[str]] = {}
    for size, paths in alike.items():
        for path in paths:
            with suppress(PathRefused):
                by_content.setdefault(workspace.read_bytes(path, size), []).append(path)
    groups = [" = ".join(map(quote_name, paths)) for paths in by_content.values() if len(paths) > 1]
    return f"Files with the same content: {', '.join(groups[:SHOWN])}" if groups else ""


def list_by_date(workspace: Workspace) -> str:
    """Name the newest files and the oldest ones; "" where there are no files or too many, and where that says
    nothing: their names have dates of their own, or all were copied here at once.
    """
    files = sorted(_describe_files(workspace), key=lambda file: -file[1].modified)
    span = files[0][1].modified - files[-1][1].modified if files else 0
    if span < AT_ONCE or any(DATED.search(path) for path, _ in files):
        return ""
    rows = [f"{quote_name(path)} ({format_time(about.modified)})" for path, about in files]
    return _format_ends(("Newest file", "Older files", "Oldest"), rows)


def format_dates(paths: Iterable[str], workspace: Workspace) -> str:
    """Say when each of these files was changed last."""
    rows = (f"{quote_name(path)} ({format_time(workspace.describe_path(path).modified)})" for path in paths)
    return f"Last changed: {', '.join(rows)}"


def extract_content_words(text: str) -> set[str]:
    """Give the words that tell what a text is about, in lower case and the singular, and its numbers."""
    return {re.sub(r"(?<!s)s$", "", word) for word in CONTENT.findall(text.casefold())} - {
        *FUNCTION_WORDS.split()
    }


def has_word(name: str, words: Iterable[str]) -> bool:
    """Tell whether one of these words, which are in lower case, begins a word of a name."""
    return any(re.search(rf"(?<![^\W\d_]){re.escape(word)}", name.casefold()) for word in words)


def fit_words(path: str, words: Collection[str]) -> tuple[int, float]:
    """Count the words of a file's name that are among `words`, and tell their share of it; else, as a share
    alone, whether its ending is.
    """
    name, _, ending = path.rpartition("/")[2].casefold().rpartition(".")
    stem = STEM.findall(name)
    count = sum(word.removesuffix("s") in words for word in stem)
    return count, count / max(1, len(stem)) if count else float(ending in words)


def _format_ends(names: tuple[str, str, str], rows: Sequence[str]) -> str:
    """Name the first of the rows alone, then those behind it, and the last ones: of a mere list a small model
    gives any.
    """
    first, behind, last = names
    said = [f"{first}: {rows[0]}"] if rows else []
    said += [f"{behind}: {', '.join(rows[1:SHOWN])}"] if len(rows) > 1 else []
    return "\n".join([*said, *([f"{last}: {', '.join(reversed(rows[-2:]))}"] if len(rows) > SHOWN else [])])


def _describe_files(workspace: Workspace) -> list[tuple[str, PathInfo]]:
    walk, hides = FileWalk(workspace, SECONDS), workspace.make_hidden_check()
    with suppress(PathRefused):
        files = (one for one in walk if one.entry.kind == "file" and not one.entry.name.startswith("."))
        paths = [one.path for one in files if not hides(one.path)]
        if len(paths) <= MOST and not walk.stopped:
            return [(path, workspace.describe_path(path)) for path in paths]
    return []


LISTINGS: dict[str, Callable[[Workspace], str]] = {
    "twins": list_identical,
    "sizes": list_by_size,
    "empties": list_empty,
    "dates": list_by_date,
}
"""What is said of all files, by the kind of words with which a request asks for it."""


def suggest_paths(name: str, workspace: Workspace, request: str = "") -> str:
    """Name what may be meant by a name that does not exist: the same under another folder, with other signs
    between its words, in the singular or plural, or a name, also one that the request quotes, of which it is
    one word; "" where there is nothing like it.
    """
    wanted = name.strip("'\"/").rpartition("/")[2].casefold()
    if not wanted or any(sign in wanted for sign in "*?$"):
        return ""
    paths = {each.casefold(): [each] for each in QUOTED.findall(request)} | find_by_name(workspace)
    same = {each for each in paths if normalize_name(each) == normalize_name(wanted)}
    part = {each for each in paths if " " in each and wanted in each.split(" ")}
    alike = {each for each in paths if PLURAL.sub("", each) == PLURAL.sub("", wanted)}
    near = same or part or alike or find_misspelled(wanted, paths)
    found = [path for each in sorted(near) for path in paths[each] if path != name]
    return ", ".join(shorten_names(found, 2)) if 0 < len(found) <= 2 else ""


def find_misspelled(wanted: str, names: Iterable[str]) -> set[str]:
    """Give the name of a file that is spelled nearly like one that is not there, and ends in the same way."""
    stem, dot, ending = wanted.rpartition(".")
    numbers = re.findall(r"\d+", wanted)
    there = [each for each in names if each.endswith(f".{ending}") and re.findall(r"\d+", each) == numbers]
    long = dot and len(stem) >= SHORTEST
    return set(get_close_matches(wanted, there, 1, MISSPELLED)) if long else set()


def normalize_name(name: str) -> str:
    """Give a name without the signs that stand between words."""
    return name.replace(" ", "").replace("_", "").replace("-", "")
