"""Files that a request wants to have moved, and that were copied: they are still where they were."""

from __future__ import annotations

import re
import shlex
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from tripletick.checkpoint.values import Change
from tripletick.system.lazy_regex import lazy_regex

COPIED = (
    "It copied {path}, and the task wants it moved.",
    "This moves all: mkdir -p {folder} && mv {paths} {folder}",
)
_MOVES = lazy_regex(
    r"\b(?:move|put|sort|tidy|gather|collect|file|verschieb\w*|leg\w*|räum\w*|pack\w*|met(?:s|tez|tre|ti|tere)|rang\w+"
    r"|déplac\w*|pon\w*|mueve\w*|muev\w*|spost\w*|zet|verplaats\w*)\b(?:[^.\n]|\.(?=\w)){0,80}?"
    r"\b(?:in(?:to)?|to|under|inside|nach|dans|en|nella?|naar)\b",
    re.IGNORECASE,
)
_COPIES = lazy_regex(
    r"(?i)\b(?:cop(?:y|ies|ied)|duplic\w*|back ?up\w*|kopi\w*|sicher\w*|copi\w*|sauvegard\w*|respald\w*"
    r"|keep\w*|also|too|as well|leav\w+|both|stays?|snapshot\w*|(?:in|into|to) (?:each|every|all))\b"
)
LARGEST = 1_000_000
"""Bytes of a file that is compared."""
MOST = 20
"""Files that one command moves."""


def find_copied_only(
    code: str, changes: Sequence[Change], request: str, root: Path
) -> tuple[str, str] | None:
    """Say that a file is still where it was, and also in the folder into which a request wants it moved; and
    the command that moves all of these.
    """
    if not re.search(r"\bcp\b|copy", code) or not _MOVES.search(request) or _COPIES.search(request):
        return None
    pairs = [*_list_copied(changes, root)]
    copied = dict(pairs)
    folders = {path.rpartition("/")[0] for path in copied.values()}
    # what is wanted in several places, or under that path, is to be there
    wanted = len(copied) < len(pairs) or any(path in request for path in copied.values())
    if not copied or len(folders) > 1 or "" in folders or wanted:
        return None
    said, how = COPIED
    few = len(copied) <= MOST
    moves = how.format(folder=shlex.quote(min(folders)), paths=shlex.join(copied)) if few else ""
    return said.format(path=min(copied)), moves


def _list_copied(changes: Sequence[Change], root: Path) -> Iterator[tuple[str, str]]:
    """Give each file that is there twice now, at the top of the folder or in one above, and its new path."""
    for change in changes:
        if not change.left or change.was or not stat.S_ISREG(change.left[0]):
            continue
        parts = change.path.split("/")
        for above in range(len(parts) - 1):
            path = "/".join((*parts[:above], parts[-1]))
            if _is_same(root / path, root / change.path):
                yield path, change.path
                break


def _is_same(one: Path, other: Path) -> bool:
    with suppress(OSError):
        sizes = {path.lstat().st_size for path in (one, other) if not path.is_symlink() and path.is_file()}
        return len(sizes) == 1 and 0 < max(sizes) <= LARGEST and one.read_bytes() == other.read_bytes()
    return False
