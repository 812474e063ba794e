"""How much a command would delete: the files below its arguments are counted, nothing is opened.

A guess for a question's sentence: what only the run can tell counts as unknown.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tripletick.permission.shell_parser import ShellWord
from tripletick.system import platforms
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import format_count

MANY = 10
"""As many files are worth a question; fewer are ordinary work."""
MOST = 10_000
"""Where the counting stops."""
NAMED, LONGEST = 3, 60
"""Names in a sentence, and characters of one."""
_ODD = lazy_regex(r"[^\w./~*$@%+,={}\[\]-]|\w\.$")
ALL = fnmatch.translate("*")
CACHES = {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".git", ".tripletick"}
CACHED = (".pyc", ".pyo", ".DS_Store")
MOST_BRACED = 200
"""Words that the braces of one are written out to."""
SCRATCH = ("/tmp", "/var/tmp", "/dev")
_BRACES = lazy_regex(r"\{([^{},]*(?:,[^{},]*)+)\}")
_LITERAL = lazy_regex(r"""\s*[rbuf]?(["'`])([^"'`{$]*)\1\s*""")


@dataclass(slots=True)
class DeletionEstimate:
    """What would go, as far as it can be told."""

    count: int = 0
    names: tuple[str, ...] = ()
    unknown: bool = False
    outside: bool = False
    whole: bool = False

    @property
    def is_significant(self) -> bool:
        return self.unknown or self.outside or self.count >= (1 if self.whole else MANY)

    def __str__(self) -> str:
        names = ", ".join(map(_quote_name, self.names[:NAMED])) + (" …" if len(self.names) > NAMED else "")
        if self.unknown:
            return f"whatever {names} expands to when it runs"
        if self.outside:
            return f"{names}, which is not in this folder"
        more = "more than " if self.count >= MOST else ""
        return f"{names} ({more}{format_count(self.count, 'file')})"


def _quote_name(name: str) -> str:
    """Give a name that a question can hold: short, and in quotes where it could be read as words of ours."""
    short = name if len(name) <= LONGEST else f"{name[:LONGEST]}…"
    return f"“{short}”" if _ODD.search(name) else short


def count_arguments(
    root: Path, folder: str, words: Sequence[ShellWord], *, deep: bool = True
) -> DeletionEstimate:
    """Count the files in what `rm` is given; `deep` where it takes folders too."""
    targets = [word for word in words if not word.text.startswith("-")]
    losses = DeletionEstimate(names=tuple(word.text for word in targets))
    for word in targets:
        if not word.plain:
            losses.unknown = losses.unknown or deep
            continue
        for path in _expand_paths(root, folder, word):
            _add_path(root, path, losses, deep=deep)
    return losses


def count_find_matches(root: Path, folder: str, words: Sequence[ShellWord]) -> DeletionEstimate:
    """Count the files that `find` would give, from above where its tests are not names."""
    texts = [word.text for word in words]
    tests = next((n for n, text in enumerate(texts) if text.startswith(("-", "(", "!"))), len(texts))
    starts = words[:tests] or [ShellWord(".")]
    losses = DeletionEstimate(names=(" ".join(texts[:tests] or ["."]),))
    if "-empty" in texts:
        return losses
    if not all(word.plain for word in starts):
        losses.unknown = True
        return losses
    patterns = _parse_name_patterns(texts[tests:])
    for path in (path for word in starts for path in _expand_paths(root, folder, word)):
        if patterns == [ALL] or not path.is_relative_to(root):
            _add_path(root, path, losses)
        else:
            found = (one for name in patterns for one in _find_by_name(path, name))
            losses.count += sum(_count_files(one) for one in found)
    losses.whole = False
    return losses


def count_literal(root: Path, source: str) -> DeletionEstimate:
    """Count what a program's argument names, where it is a text that stands there."""
    match = _LITERAL.fullmatch(source)
    if not match:
        return DeletionEstimate(names=(source.strip() or "a variable",), unknown=True)
    return count_arguments(root, ".", [ShellWord(match[2] or ".")])


def is_folder(root: Path, folder: str) -> bool:
    """Tell whether a script that stands in the workspace can go there; of the home nothing is known."""
    return folder.startswith("~") or os.path.isdir(root / folder)  # noqa: PTH112 - Path.is_dir raises for a long name


def _expand_paths(root: Path, folder: str, word: ShellWord) -> Iterator[Path]:
    """Give the paths that a plain word means, its globs matched."""
    text = word.text
    if text.startswith("~") or (folder.startswith("~") and not text.startswith("/")):
        yield Path(text if text.startswith("~") else posixpath.join(folder, text))
        return
    start = posixpath.join(root, folder)
    if word.glob and not text.startswith("/"):
        for pattern in _expand_braces(text):
            found = glob.glob(posixpath.join(start, pattern))  # noqa: PTH207 - the word is a pattern of a shell
            yield from (Path(posixpath.normpath(path)) for path in found)
        if posixpath.normpath(text) in ("*", "*/*"):
            yield Path(posixpath.normpath(start))
        return
    yield Path(posixpath.normpath(posixpath.join(start, text)))


def _expand_braces(text: str) -> list[str]:
    """Give the words that `{a,b}` makes of one."""
    words, at = [text], 0
    while at < len(words) < MOST_BRACED:
        if found := _BRACES.search(words[at]):
            head, tail = words[at][: found.start()], words[at][found.end() :]
            words[at : at + 1] = [f"{head}{one}{tail}" for one in found[1].split(",")]
        else:
            at += 1
    return words


def _add_path(root: Path, path: Path, losses: DeletionEstimate, *, deep: bool = True) -> None:
    if root.is_relative_to(path):
        losses.whole = True
        losses.outside = losses.outside or path != root
        losses.count = max(losses.count, _count_files(root) if deep else 0)
    elif not path.is_relative_to(root):
        losses.outside = losses.outside or not any(map(path.is_relative_to, SCRATCH))
    elif not losses.whole and (deep or not os.path.isdir(path)):  # noqa: PTH112 - Path.is_dir raises for a long name
        losses.count += _count_files(path)


def _count_files(path: Path) -> int:
    """Count the files below a path, caches not, links not followed."""
    if path.name in CACHES or path.name.endswith(CACHED):
        return 0
    if os.path.islink(path) or not os.path.isdir(path):  # noqa: PTH112, PTH114 - Path raises for a long name
        return int(os.path.lexists(path))
    count = 0
    for _, folders, names in platforms.walk_tree(str(path)):
        folders[:] = [name for name in folders if name not in CACHES]
        count += sum(not name.endswith(CACHED) for name in names)
        if count >= MOST:
            return MOST
    return count


def _find_by_name(start: Path, pattern: str) -> Iterator[Path]:
    matches = re.compile(pattern).match
    for top, folders, names in platforms.walk_tree(str(start)):
        folders[:] = [name for name in folders if name not in CACHES]
        found = [name for name in [*folders, *names] if matches(name)]
        folders[:] = [name for name in folders if name not in found]
        yield from (Path(top, name) for name in found)


def _parse_name_patterns(tests: Sequence[str]) -> list[str]:
    """Give the name patterns of a find; all names where another test decides."""
    flags = {"-name": "", "-iname": "(?i)"}
    names = [flags[test] + fnmatch.translate(text) for test, text in pairwise(tests) if test in flags]
    return [ALL] if not names or {"!", "-not"} & set(tests) else names
