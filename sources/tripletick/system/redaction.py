"""Secrets that are known, and the one place that takes them out of text: what is drawn and what is logged.

Known are keys of the environment and the settings, the userinfo of addresses that were given, and values of
hidden files. What only looks like a secret is left alone, and so is a plain word: nobody could read the rest.
Not covered: what the model is sent.
"""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tripletick.system.lazy_regex import lazy_regex

HIDDEN = "[hidden]"
"""Stands for a secret; nothing in it must be written otherwise in JSON."""
SHORTEST, PHRASE = 6, 16
"""Characters of a secret, and of one that is a plain word."""
WITHHELD = 4096
"""Characters of a stream that are held back at most."""
LOOKED_BACK = 2
"""Characters before a secret that decide whether it is one."""
MOST, LARGEST = 2000, 1 << 16
"""Secrets that are kept; bytes of a file that is looked through."""
_SECRET_NAME = lazy_regex(
    r"(?i)(?:(?:^|[^a-z])(?:pass|pwd|auth|dsn|salt|pin)|key|token|secret|passw(?:or)?d|passphrase|credentials?)s?"
    r"(?:[_-]?(?:base|id|prod|production|dev|test|staging|live|[0-9]+))?$"
)
_PLACE = r"~/|/(?:[A-Za-z]+/|[a-z]+$)|[\w.-]+/[\w./-]*\.\w{1,5}$|\.\.?/|[A-Za-z]:\\|[a-z][a-z0-9+.-]*://"
"""How a path or an address begins."""
_ASSIGNED = r"""(?m)^\s*(?:export\s+|set\s+)?["']?([\w.-]+)["']?\s*[=:]\s*(.*?),?\s*$"""
_MIXED = r"(?=.*\d)(?=.*[A-Za-z])[\w+/=-]{16,}"
"""What is a key whatever it is called."""
_CODE = r"[A-Za-z_][\w.]*[\[(].*"
"""What is called or indexed in a source, and no value."""
_USERINFO = lazy_regex(r"://([^\s/@?#]+)@")
_TYPED = lazy_regex(r"(?:--[\w-]+=)?(?:[a-z][\w+.-]*://)?([^\s@]+)@[^\s@]+", re.IGNORECASE)
_PORT = r"[^:]*:[0-9]{1,5}/"
_PLAIN = (
    r"[a-z]+(?:[._][a-z]+)*|[A-Z]?[a-z]+|[0-9.:]+|[\W_]+|"
    r"(?i:password|secret|token|not_?set|change_?me|null|your_\w+)"
)


_BEGINS = lazy_regex(r"(?:(?<!\w)|(?<=\\[nrt]))")
"""Where a secret may begin."""


class Known:
    """The secrets of this run."""

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self._sorted: list[str] = []
        self._longest = 0
        self._new = False
        """Whether the pattern lacks some: files bring many at once."""
        self._files: set[tuple[int, int, int]] = set()

    def learn(self, *values: str) -> None:
        """Take secrets as they are."""
        new = {form for value in values if value for form in _forms(value)} - self._values
        if new and len(self._values) < MOST:
            self._values |= new
            self._new = True

    def learn_keys(self, values: Iterable[str]) -> None:
        """Take what was named as a key; a stand-in such as `none` is not one."""
        self.learn(*(value for value in values if _is_telling(value) and not re.match(_PLACE, value)))

    def learn_words(self, words: Iterable[str]) -> None:
        """Take the userinfo of the addresses in a command line."""
        for word in words:
            typed = _TYPED.fullmatch(word)
            if typed and ("://" in word or ":" in typed[1]):
                self.learn(*_of_userinfo(typed[1].rpartition("://")[2]))

    def learn_named(self, named: Mapping[str, str]) -> None:
        """Take what variables or settings hold whose names say so, and the userinfo of any address."""
        for name, value in named.items():
            self.learn(*_of_value(name, value))

    def learn_file(self, path: str) -> None:
        """Take the values of a hidden file; one that has not changed is not read again."""
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            mark = status.st_ino, status.st_mtime_ns, status.st_size
            if stat.S_ISREG(status.st_mode) and mark not in self._files:
                self._files.add(mark)
                text = file.read(LARGEST).decode("utf-8", "replace")
                for name, value in re.findall(_ASSIGNED, text):
                    bare = value.strip().strip("\"'")
                    if bare == value.strip() and re.fullmatch(_CODE, bare):
                        continue
                    self.learn(*_of_value(name, bare), *([bare] if re.fullmatch(_MIXED, bare) else []))

    def redact(self, text: str, start: int = 0) -> str:
        """Give the text from `start` on, without the secrets."""
        pattern = self._compiled()
        secrets = [found.span() for found in pattern.finditer(text, start)] if pattern else []
        ends, begins = [start, *(end for _, end in secrets)], [*(begin for begin, _ in secrets), len(text)]
        return HIDDEN.join(text[end:begin] for end, begin in zip(ends, begins, strict=True))

    def settled(self, text: str, start: int = 0) -> int:
        """Give how much of a text that goes on is whole: no secret lies across its end or has begun there.

        The first `start` characters are only looked back at.
        """
        pattern = self._compiled()
        if not pattern:
            return len(text)
        first = max(start, len(text) - min(self._longest, WITHHELD))
        begun = (
            at for at in range(first, len(text)) if _BEGINS.match(text, at) and self._is_begun(text[at:])
        )
        end = next(begun, len(text))
        return next(
            (found.start() for found in pattern.finditer(text, start) if found.start() < end < found.end()),
            end,
        )

    def _compiled(self) -> re.Pattern[str] | None:
        if self._new:
            longest_first = "|".join(map(re.escape, sorted(self._values, key=len, reverse=True)))
            # Not within another word; an escape of JSON before it is none.
            self._pattern = re.compile(rf"{_BEGINS.pattern}(?:{longest_first})(?!\w)")
            self._sorted, self._longest = sorted(self._values), max(map(len, self._values))
            self._new = False
        return self._pattern

    def _is_begun(self, text: str) -> bool:
        at = bisect_left(self._sorted, text)
        return at < len(self._sorted) and self._sorted[at].startswith(text)


def without_secrets(named: Mapping[str, str]) -> dict[str, str]:
    """Give the variables without those whose names say that they hold keys."""
    return {name: value for name, value in named.items() if not _SECRET_NAME.search(name)}


def _of_value(name: str, value: str) -> Iterator[str]:
    for userinfo in _USERINFO.findall(value):
        yield from _of_userinfo(userinfo)
    if _SECRET_NAME.search(name) and not re.match(_PLACE, value) and _is_telling(value):
        yield value


def _of_userinfo(userinfo: str) -> Iterator[str]:
    """Give name and password together, and what of them is a secret by itself."""
    from urllib.parse import unquote

    name, colon, password = userinfo.partition(":")
    if re.match(_PORT, userinfo):
        return
    if not colon:
        yield from (name,) if re.fullmatch(_MIXED, name) else ()
        return
    yield from dict.fromkeys((userinfo, unquote(userinfo)))
    yield from (each for each in dict.fromkeys((password, unquote(password))) if _is_telling(each))


def _is_telling(value: str) -> bool:
    """Tell a secret from a word or a number that stands in many a text."""
    return len(value) >= (PHRASE if re.fullmatch(_PLAIN, value) else SHORTEST)


def _forms(value: str) -> Iterator[str]:
    """Give a secret as it is, and as it stands in JSON."""
    import json

    yield value
    yield from (json.dumps(value, ensure_ascii=ascii_)[1:-1] for ascii_ in (False, True))


KNOWN = Known()


class Stream:
    """A text that comes in pieces, given on without secrets as soon as it is known to hold none."""

    def __init__(self, known: Known = KNOWN) -> None:
        self._known = known
        self._before = self._held = ""

    def feed(self, piece: str) -> str:
        """Take a piece; give what can be shown."""
        text = self._before + self._held + piece
        return self._shown(text, self._known.settled(text, len(self._before)))

    def close(self) -> str:
        """Give what was held back."""
        text = self._before + self._held
        return self._shown(text, len(text))

    def _shown(self, text: str, end: int) -> str:
        shown = self._known.redact(text[:end], len(self._before))
        self._held, self._before = text[end:], text[max(0, end - LOOKED_BACK) : end]
        return shown


class Redacted(io.TextIOWrapper):
    """A stream of text that no known secret passes."""

    def write(self, text: str, /) -> int:
        super().write(KNOWN.redact(text))
        return len(text)


def guard_streams() -> None:
    """Let all that this program says pass through here."""
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name)
        if type(stream) is io.TextIOWrapper:
            kept = {
                each: getattr(stream, each)
                for each in ("encoding", "errors", "line_buffering", "write_through")
            }
            stream.flush()
            redacted = Redacted(stream.detach(), **kept)
            setattr(sys, name, redacted)
            setattr(sys, f"__{name}__", redacted)
