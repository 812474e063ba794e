"""What the model is told around a request and around results: the sentences of prompts/*/feedback.toml.

A personality's file takes the place of single sentences; one that is empty is left out. What a result itself
says is worded by the dialects, hints by repair and advice.
"""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from tripletick.errors import ConfigError
from tripletick.languages.registry import detect_language, names_other_language
from tripletick.system.lazy_regex import lazy_regex

FILE = "feedback.toml"
LONGEST = 600
"""Characters of a request that are said again behind results; of a longer one its head and its tail are."""
COMPUTES = "python"
"""The language in which data is worked on."""
_SHOWS = lazy_regex(r"(?i)\b(?:show|give|write|zeig\w*|gib|schreib\w*|montre\w*|donne\w*|muestra|mostra)\b")
_BANNED = lazy_regex(
    r"(?i)\b(?:do not|don.?t|never|without|nicht|how (?:do|can|could|would|should|to|is|i)|wie|comment|cómo"
    r"|come)\b(?: \w+){0,4}"
)
"""What is not to be done, or how something would be …"""
_FIXES = lazy_regex(
    r"(?i)\b(?:fix|mend|repair|correct|repariere?|korrigiere?|behebe?|corrige|répare|arregla|correggi|ripara)\b"
)
"""… and what asks for a repair."""
ACTIONS = ("makes", "alters", "adds", "sets", "ticks", "deletes", "sorts")
"""Kinds of words that say what is to be done; in a question they say what may have been."""
NAMES = lazy_regex(
    r"\"[^\"\n]{1,200}\"|(?<!\w)'[^'\n]{1,200}'(?!\w)|`[^`\n]{1,200}`|“[^”\n]{1,200}”"
    r"|(?<![\w./~+-])[\w./~+-]*[\w+-]\.[A-Za-z]\w{0,5}\b"
)
"""What a request quotes and the names of files: `sort.py` does not ask for sorting."""
NAME = "_"
HEAD_ALONE = lazy_regex(r"""(?ms)^[ \t]*def [^\n]*:\n\s+r?(\"{3}|'{3}).*?\1\s*(?:```)?\s*\Z""")
"""A request that ends with the head and the docstring of a function, in Python."""
COURTESY = lazy_regex(
    r"(?:(?P<mark>[,;.!?\n-])\s*(?:many )?"
    r"(?:thanks|thank you|thx|cheers|please|pls|plz|danke|bitte|merci|gracias|grazie)"
    r"|(?<!say)(?<!says)(?<!saying)(?<!word)(?<!print)(?<!to)(?<!with)(?<!write)\s(?:pls|plz|thx|please))"
    r"(?:,? (?:a lot|so much|very much|in advance|again))?\s*[.!]*\s*\Z",
    re.IGNORECASE,
)
"""The end of a request that a small model takes for a part of what it is to write; behind a colon it may
be one.
"""
POLITE = 80
"""Characters in which it is looked for."""
PLACES = {
    "folder": {"names"},
    "request": {"request", "files", "ending"},
    "part": {"tag", "path"},
    "repair": {"tag", "path"},
    "correct": {"tag", "path"},
    "make": {"tag", "path"},
    "compute": {"tag"},
    "changed": {"changes"},
    "done": {"request"},
    "unread": {"request"},
    "failed": {"request"},
    "mend": {"request", "tag", "path"},
    "same": {"request"},
    "bare": {"request", "tag", "path"},
    "nothing": {"request"},
    "unmatched": {"request"},
    "flawed": {"request"},
    "undone": {"request", "tag", "path"},
    "hollow": {"request", "tag", "path"},
    "lost": {"request", "tag", "path", "lines"},
    "absent": {"request", "tag", "path"},
    "program": {"request", "tag", "path"},
    "refused": {"request"},
    "check": {"request", "command", "output"},
    "doubt": {"request", "reasons"},
    "undone_claim": {"request", "reasons"},
    "rewrite": {"request", "tag", "path"},
    "last": {"request"},
}
"""What each sentence may take."""


@dataclass(frozen=True, slots=True)
class Templates:
    """One sentence a field; prompts/base/feedback.toml says what each is for."""

    folder: str = "Folder: {names}"
    separator: str = " "
    request: tuple[str, ...] = ("{request}", "{files}")
    next: str = ""
    make: str = ""
    part: str = ""
    body: str = ""
    repair: str = ""
    correct: str = ""
    compute: str = ""
    tell: str = ""
    show: str = ""
    explain: str = ""
    question: str = ""
    changed: str = ""
    unchanged: str = ""
    done: str = ""
    unread: str = ""
    failed: str = ""
    mend: str = ""
    same: str = ""
    bare: str = ""
    nothing: str = ""
    unmatched: str = ""
    flawed: str = ""
    undone: str = ""
    hollow: str = ""
    lost: str = ""
    absent: str = ""
    program: str = ""
    refused: str = ""
    check: str = ""
    doubt: str = ""
    undone_claim: str = ""
    rewrite: str = ""
    last: str = ""
    words: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Regular expressions by name: what requests of a kind speak of."""

    def format_request(self, request: str, files: str, ending: str = "") -> str:
        """Word a request, without a courtesy at its end; a paragraph of which nothing is left is left out."""
        polite = COURTESY.search(request, max(0, len(request) - POLITE)) if ":" not in request else None
        if polite and request[: polite.start()].strip():
            request = request[: polite.start()] + (polite["mark"] or "").strip(",;-\n")
        filled = (part.format(request=request, files=files, ending=ending) for part in self.request)
        return "\n\n".join(filter(None, filled))

    def choose_ending(
        self,
        request: str,
        program: str = "",
        *,
        new: bool = False,
        several: bool = False,
        computes: bool = False,
    ) -> str:
        """Say what block a request wants. `program`: the path of the one program that it names, which is to
        be made (`new`, `several`: as others are) or went along; `computes`: data went along.
        """
        language = detect_language(program) if program else None
        if language and new:
            made = (((several or not language.is_runnable) and self.part) or self.make).format(
                tag=language.tag, path=program
            )
            return f"{made}\n{self.body}" if self.body and HEAD_ALONE.search(request) else made
        # a program that is not to be run may be one to fix
        fixes = language and _FIXES.search(_BANNED.sub(" ", request))
        if self.show and self.has_words("withheld", request) and not fixes:
            explains = self.has_words("explains", request) and not _SHOWS.search(request)
            return (explains and self.explain) or self.show
        if language and self.wants_repair(request, program):
            said = self.repair if language.is_runnable else self.correct
            return said.format(tag=language.tag, path=program)
        computes = self.has_words("counts", request) or (computes and not self.has_words("moves", request))
        if computes and not language and not names_other_language(request, COMPUTES):
            return self.compute.format(tag=COMPUTES)
        return self.next

    def wants_repair(self, request: str, program: str) -> bool:
        """Tell whether a request wants something repaired; of a `program` that is there also where it says
        what that should do: "a.py stops at 2. It should count down to 1".
        """
        language = detect_language(program) if program else None
        is_expected = language is not None and language.is_runnable and self.has_words("expects", request)
        return is_expected or self.has_words("repairs", request)

    def has_words(self, kind: str, request: str) -> bool:
        """Tell whether a request has one of the words of a kind; never where the kind has none, and for what
        is to be done never in a question: "is a.txt a copy of b.txt?".
        """
        if kind in ACTIONS and self.has_words("questions", request):
            return False
        words = self.words.get(kind, "")
        return bool(words) and bool(re.search(words, mask_names(request), re.IGNORECASE))

    def lacks_words(self, kind: str, request: str) -> bool:
        """Tell whether a request has none of the words of a kind; never where the kind has none."""
        return kind in self.words and not self.has_words(kind, request)

    def find_named_object(self, kind: str, request: str) -> str:
        """Give the file that the words of a kind are said of: `Fix settings.json`; "" where it says none."""
        words = self.words.get(kind, "")
        named = re.search(words, request, re.IGNORECASE) if words else None
        return (named[1] or "") if named and named.re.groups else ""

    def extract_search_words(self, request: str) -> str:
        """Give what a request looks for, without the words that say so; "" where it looks for no file."""
        if not self.has_words("finds", request) or self.has_words("counts", request):
            return ""
        return re.sub(self.words["finds"], " ", request, flags=re.IGNORECASE)

    def without_closings(self) -> Templates:
        """Give them without those that stand behind results."""
        return replace(
            self,
            done="",
            unread="",
            failed="",
            mend="",
            same="",
            bare="",
            nothing="",
            unmatched="",
            flawed="",
            undone="",
            hollow="",
            lost="",
            absent="",
            program="",
            refused="",
        )

    def format_closing(self, name: str, request: str, **places: str) -> str:
        """Fill a sentence that says the request again; "" where there is none."""
        return (
            getattr(self, name).format(request=shorten_request(request), **places)
            if getattr(self, name)
            else ""
        )


@lru_cache(maxsize=16)
def mask_names(request: str) -> str:
    """Give the user's own words of a request; one that is nothing but a quote is such words."""
    masked = NAMES.sub(NAME, request)
    return masked if masked.strip(f"{NAME} .!?") else request


def shorten_request(request: str) -> str:
    """Give a request as it is said again."""
    if len(request) <= LONGEST:
        return request
    return f"{request[: LONGEST * 3 // 4]} … {request[-LONGEST // 4 :]}"


def load_templates(*folders: Path) -> Templates:
    """Read the sentences; those of a later folder win. Raises ConfigError, naming file and sentence.

    The patterns of the first folder, the product's own, are checked by tests: to compile them slows a start.
    """
    said: dict[str, Any] = {}
    for path in (folder / FILE for folder in folders):
        own = path.parent == folders[0]
        try:
            said |= _read_version(path, path.stat().st_mtime_ns, own) if path.exists() else {}
        except (OSError, ValueError) as error:
            why = f"{str(error).rstrip('.')}."
            raise ConfigError(f"{path} cannot be read.", why, "Fix the file.") from error
    return Templates(**said)


@lru_cache(maxsize=16)
def _read_version(path: Path, _changed_at: int, is_own: bool) -> dict[str, Any]:
    """Read one version of a file, which a session asks for with each request.

    Raises ValueError for a sentence or a place that there is not.
    """
    said = tomllib.loads(path.read_text("utf-8-sig"))
    known = {each.name: PLACES.get(each.name, set()) for each in fields(Templates)}
    for name, text in said.items():
        if name not in known:
            raise ValueError(f"unknown key {name!r}; known: {', '.join(known)}")
        if name == "words":
            if not is_own:
                _check_patterns(text)
            continue
        parts = text if isinstance(text, list) else [text]
        if (name == "request") != isinstance(text, list) or not all(isinstance(each, str) for each in parts):
            raise ValueError(f"{name} takes {'a list of texts' if name == 'request' else 'a text'}")
        if strange := {place for part in parts for place in _find_places(part)} - known[name]:
            raise ValueError(f"{name} has a place {{{strange.pop()}}}; allowed: {known[name] or 'none'}")
    return {name: tuple(text) if isinstance(text, list) else text for name, text in said.items()}


def _check_patterns(words: object) -> None:
    """Raise ValueError where these are no regular expressions by name."""
    if not isinstance(words, dict) or not all(isinstance(each, str) for each in words.values()):
        raise ValueError("words must be a table of strings")
    for name, text in words.items():
        try:
            re.compile(text)
        except re.error as wrong:
            raise ValueError(f"words.{name} is not a regular expression: {wrong}") from wrong


def _find_places(text: str) -> list[str]:
    """Give the places of a text as they are written, with what they say of their form."""
    found = string.Formatter().parse(text)
    return [
        f"{place}{f'!{how}' * bool(how)}{f':{form}' * bool(form)}"
        for _, place, form, how in found
        if place is not None
    ]
