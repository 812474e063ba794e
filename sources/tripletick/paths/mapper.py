"""What a path means that the model wrote: small models invent roots for the folder they work in.

Nothing is opened here, and links are not followed; whether the place may be used is said in paths.py.
"""

from __future__ import annotations

import posixpath
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path

from tripletick.paths.dirfd import MISSING
from tripletick.system.lazy_regex import lazy_regex

INVENTED = (
    ("usr", "src", "app"),
    ("path", "to", "your"),
    ("path", "to"),
    ("home", "user"),
    ("home", "username"),
    ("home", "ubuntu"),
    ("mnt", "data"),
    ("workspace",),
    ("workdir",),
    ("app",),
    ("project",),
    ("repo",),
    ("sandbox",),
)
"""Roots that models invent for the folder they work in; longer ones first."""
_HOME = lazy_regex(r"~|(?:\$HOME|\$\{HOME\}|%USERPROFILE%|%HOME%)(?=[/\\]|$)")
_OWN_HOME = lazy_regex(rf"(?:{_HOME.pattern})(?=[/\\]|$)")
_HERE = lazy_regex(r"^(?:\$PWD|\$\{PWD\}|\$\(pwd\)|%CD%)[/\\]+")
_DRIVE = lazy_regex(r"[A-Za-z]:[/\\]")
BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class PathRefused(ValueError):  # noqa: N818 - what happened, not what broke
    """A path that may not be used so; its text is a sentence for the model."""


def clean_path(written: str) -> str:
    """Take quotes and blanks off a path. Raises PathRefused for what no file should be called."""
    text = written.strip()
    if len(text) > 2 and text[0] == text[-1] and text[0] in "'\"`":
        text = text[1:-1].strip()
    if not text:
        raise PathRefused("A path is missing")
    if any(unicodedata.category(sign) in ("Cc", "Cs") or sign in BIDI for sign in text):
        raise PathRefused("The path holds control characters; use a plain name")
    return _HERE.sub("", text)


def expand_home(text: str, home: Path) -> str:
    """Put the user's home for `~` and `$HOME`; another's home stays as it was written."""
    return _HOME.sub(lambda _: home.as_posix(), text, count=1) if _OWN_HOME.match(text) else text


def refuse_home(text: str) -> None:
    """Raise PathRefused for a path in a home."""
    if _HOME.match(text):
        raise PathRefused(
            f"{text} is in the person's home, outside this folder; write the path from this folder"
        )


class PathMapper:
    """Where the workspace lies, by each of its absolute paths."""

    def __init__(self, root: Path, *others: str) -> None:
        self._name = root.name
        # of `/` nothing is left, and each path begins with it and a slash all the same
        self._root = root.as_posix().rstrip("/")
        self._roots = {self._root, *(other.rstrip("/") for other in others)}
        self.literal = False
        """Invented roots are not looked for."""

    def map_path(self, text: str, there: Callable[[list[str]], bool]) -> tuple[list[str], bool]:
        """Give the components meant by a path, and whether they are not what was written.

        `there` tells whether something lies below the workspace. Raises PathRefused for what lies outside.
        """
        if ("\\" in text or _DRIVE.match(text)) and not there([text]):
            return self._map_windows(text, there)
        if not text.startswith("/"):
            return self._map_relative(text, there)
        if (inside := self.get_relative_parts(text)) is not None:
            return inside, False
        parts = [part for part in posixpath.normpath(text).split("/") if part]
        certain = self.literal or _may_exist(text)
        if (mapped := None if certain else self._map_invented_root(parts, there)) is not None:
            return mapped, True
        raise PathRefused(
            f"{text} is outside this folder; write the path from this folder, without the first /"
        )

    def get_relative_parts(self, text: str) -> list[str] | None:
        """Give the components below the workspace of an absolute path, None where it lies outside."""
        path = posixpath.normpath(text)
        for root in self._roots:
            if path == (root or "/") or path.startswith(f"{root}/"):
                return [part for part in path[len(root) :].split("/") if part]
        return None

    def _map_relative(self, text: str, there: Callable[[list[str]], bool]) -> tuple[list[str], bool]:
        parts = [part for part in text.split("/") if part not in ("", ".")]
        if parts[:2] == ["path", "to"] and not self.literal and not there(parts[:1]):
            return parts[2:], True
        if not _leads_outside(parts):
            return parts, False
        if (inside := self.get_relative_parts(f"{self._root}/{text}")) is not None:
            return inside, False
        raise PathRefused(f"{text} is outside this folder; only paths inside it can be used")

    def _map_windows(self, text: str, there: Callable[[list[str]], bool]) -> tuple[list[str], bool]:
        if _DRIVE.match(text) or text.startswith("\\"):
            raise PathRefused(f"{text} is outside this folder; write the path from this folder, with /")
        return self.map_path(text.replace("\\", "/"), there)[0], True

    def _map_invented_root(self, parts: list[str], there: Callable[[list[str]], bool]) -> list[str] | None:
        """Find what an absolute path that does not exist means here."""
        for root in (*INVENTED, (self._name,)):
            if tuple(parts[: len(root)]) == root:
                rest = parts[len(root) :]
                named = len(rest) > 1 and rest[0] == self._name and not there(rest[:1])
                return rest[1:] if named else rest
        return next((parts[n:] for n in range(len(parts)) if there(parts[n:])), None)


def _leads_outside(parts: Iterable[str]) -> bool:
    depth = 0
    for part in parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False


def _may_exist(path: str) -> bool:
    """True unless it is certain that nothing lies there."""
    try:
        Path(path).lstat()
    except OSError as error:
        return error.errno not in MISSING
    return True
