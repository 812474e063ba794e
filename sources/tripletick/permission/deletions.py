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
from tripletick.system.text import format_count

MANY = 10
"""As many files are worth a question; fewer are ordinary work."""
MOST = 10_000
"""Where the counting stops."""
NAMED, LONGEST = 3, 60
"""Names in a sentence, and characters of one."""
_ODD = re.compile(r"[^\w./~*$@%+,={}\[\]-]|\w\.$")
CACHES = {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".git", ".tripletick"}
CACHED = (".pyc", ".pyo", ".DS_Store")
SCRATCH = ("/tmp", "/var/tmp", "/dev")
_LITERAL = re.compile(r"""\s*[rbuf]?(["'`])([^"'`{$]*)\1\s*""")


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
        if patterns == ["*"] or not path.is_relative_to(root):
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


def _expand_paths(root: Path, folder: str, word: ShellWord) -> Iterator[Path]:
    """Give the paths that a plain word means, its globs matched."""
    text = word.text
    if text.startswith("~"):
        yield Path(text)
        return
    whole = posixpath.join(root, folder, text)
    if word.glob and not text.startswith("/"):
        yield from (Path(posixpath.normpath(path)) for path in glob.glob(whole))  # noqa: PTH207 - the word is a pattern of a shell
        if posixpath.normpath(text) in ("*", "*/*"):
            yield Path(posixpath.normpath(posixpath.join(root, folder)))
        return
    yield Path(posixpath.normpath(whole))


def _add_path(root: Path, path: Path, losses: DeletionEstimate, *, deep: bool = True) -> None:
    if root.is_relative_to(path):
        losses.whole = True
        losses.outside = losses.outside or path != root
        losses.count = max(losses.count, _count_files(root) if deep else 0)
    elif not path.is_relative_to(root):
        losses.outside = losses.outside or not str(path).startswith(SCRATCH)
    elif not losses.whole and (deep or not path.is_dir()):
        losses.count += _count_files(path)


def _count_files(path: Path) -> int:
    """Count the files below a path, caches not, links not followed."""
    if path.name in CACHES or path.name.endswith(CACHED):
        return 0
    if path.is_symlink() or not path.is_dir():
        return int(os.path.lexists(path))
    count = 0
    for _, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name not in CACHES]
        count += sum(not name.endswith(CACHED) for name in names)
        if count >= MOST:
            return MOST
    return count


def _find_by_name(start: Path, pattern: str) -> Iterator[Path]:
    for top, folders, names in os.walk(start):
        folders[:] = [name for name in folders if name not in CACHES]
        found = [name for name in [*folders, *names] if fnmatch.fnmatch(name, pattern)]
        folders[:] = [name for name in folders if name not in found]
        yield from (Path(top, name) for name in found)


def _parse_name_patterns(tests: Sequence[str]) -> list[str]:
    """Give the name patterns of a find; all names where another test decides."""
    names = [text for test, text in pairwise(tests) if test in ("-name", "-iname")]
    return ["*"] if not names or {"!", "-not"} & set(tests) else names
