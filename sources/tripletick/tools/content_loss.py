"""What a new version of a file would lose: lines that stand for what is not there, and a file that shrinks.

A line counts only if it is nothing but words of losing.toml: in a comment, in brackets or beside an ellipsis.
It decides when to ask, never what is possible; a file that is wrong but whole is not seen.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tripletick.system.lazy_regex import lazy_regex

LINES = 20
"""Shorter files may shrink as they like."""
LEAST = 0.6
"""The part of a file's lines that must be left."""
PROSE = frozenset({"", ".md", ".markdown", ".txt", ".rst", ".adoc"})
"""Files in which `#`, `-` and `*` are no comment signs."""

LONGEST = 80
"""Characters; a longer line says more than that something is missing."""

_SIGNS = lazy_regex(r"^(?:pass|return|continue)?\s*(//+|/\*+|#+|--+|;+|%+|<!--|\{/\*|\*|\"{3}|'{3})")
_BRACKETS = lazy_regex(r"^[\s*_>-]*[\[(<{].*[\])>}][\s*_]*$")
_ELLIPSIS = lazy_regex(r"\.\.\.|…|\[\s*\.\.\s*\]")
_WORD = lazy_regex(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def find_placeholders(old: str, new: str, path: str) -> list[str]:
    """Give the lines of `new` that stand for something left out, and did not stand in `old`."""
    before = {line.strip() for line in old.splitlines()}
    prose = PurePosixPath(path).suffix.lower() in PROSE
    lines = (line.strip() for line in new.splitlines())
    return [line for line in lines if line not in before and _is_placeholder(line, prose)]


def find_shrinkage(old: str, new: str) -> tuple[int, int] | None:
    """Give the lines before and after where too few are left, None where all is well."""
    before, after = len(old.splitlines()), len(new.splitlines())
    return (before, after) if before >= LINES and after < before * LEAST else None


def _is_placeholder(line: str, prose: bool) -> bool:
    if not line or len(line) > LONGEST:
        return False
    sign = _SIGNS.match(line)
    commented = sign is not None and not (prose and sign[1][0] in "#-*%;'\"")
    dotted = bool(_ELLIPSIS.search(line))
    if not (commented or dotted or _BRACKETS.match(line)):
        return False
    said = line[sign.end() :] if sign else line
    return any(phrase in said for phrase in _load_words().phrases) or _has_placeholder_words(
        said, dotted, commented
    )


def _has_placeholder_words(said: str, dotted: bool, commented: bool) -> bool:
    """True for `… rest unchanged …` and `# existing code`; also for a comment that is only an ellipsis."""
    words = {word.casefold() for word in _WORD.findall(said)}
    if not words:
        return dotted and commented
    table = _load_words()
    keys = table.keys | table.weak if dotted else table.keys
    known = words <= table.keys | table.weak | table.fillers
    return known and (dotted or len(words) > 1) and not keys.isdisjoint(words)


@dataclass(frozen=True, slots=True)
class PlaceholderWords:
    """One of `keys` is needed (of `weak` beside an ellipsis), and only `fillers` with it; or a phrase."""

    keys: frozenset[str]
    weak: frozenset[str]
    fillers: frozenset[str]
    phrases: tuple[str, ...]


@functools.cache
def _load_words() -> PlaceholderWords:
    table = tomllib.loads(Path(__file__).with_name("content_loss.toml").read_text("utf-8"))
    keys, weak, fillers = (frozenset(table[name].split()) for name in ("keys", "weak", "fillers"))
    return PlaceholderWords(keys, weak, fillers, tuple(table["phrases"]))
