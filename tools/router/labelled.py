"""What the router is trained from: the requests of data/*.txt, what stands around some, and what words mean.

data/LANGUAGE.txt: `## label`, then a request a line; `\\n` breaks the line, `{a|b|c}` are alternatives.
wraps.txt: a language, then politeness or a paste around `{}`, the request.
words.txt: `## meaning`, then its words; `delet*` is how words begin, `look_up` two words in a row.

Not covered: fitting (tools/train_router.py). Nothing here needs more than Python.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from zlib import crc32

from tripletick.router import FOLLOW
from tripletick.router.features import STEMS, hash_word, strip_accents

HERE = Path(__file__).parent
TOP = HERE.parents[1]
SOURCES = (
    *sorted((HERE / "data").glob("*.txt")),
    HERE / "words.txt",
    HERE / "wraps.txt",
    HERE / "labelled.py",
    TOP / "tools/train_router.py",
    TOP / "sources/tripletick/router/features.py",
)
MOST = 3
"""Alternatives of a line that are used."""
WRAPPED = 3
_PLACE = re.compile(r"(?<!\\)\{([^{}]*)(?<!\\)\}")
_PROCLITICS = ("", "و", "ب", "ل")
"""What is written in one with an Arabic word, beside the article."""
_ARABIC = re.compile("[\u0600-\u06ff]")


@dataclass(frozen=True, slots=True)
class Request:
    """One labelled request; `line` numbers the line of the data that it is from."""

    text: str
    label: str
    language: str
    line: int


def fingerprint() -> bytes:
    """Give the hash of all that the weights come from."""
    whole = hashlib.sha256()
    for path in SOURCES:
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.digest()


def requests() -> list[Request]:
    """Read all data, a few alternatives of each line."""
    rows: list[Request] = []
    number = 0
    for path in sorted((HERE / "data").glob("*.txt")):
        label = ""
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("## "):
                label = line[3:].strip()
            elif line.strip() and not line.startswith("#"):
                number += 1
                rows += [Request(text, label, path.stem, number) for text in alternatives(line)]
    return rows


def alternatives(line: str) -> list[str]:
    """Give up to MOST forms of a line, the alternatives of its places taken in turn."""
    parts = [part.split("|") if at % 2 else [part] for at, part in enumerate(_PLACE.split(line))]
    forms = (
        "".join(part[(turn + at // 2) % len(part)] for at, part in enumerate(parts)) for turn in range(MOST)
    )
    plain = (form.replace(r"\n", "\n").replace(r"\{", "{").replace(r"\}", "}") for form in forms)
    return list(dict.fromkeys(plain))


def wrapped(row: Request) -> str | None:
    """Give the request with politeness or a paste around it: one in WRAPPED, a hash says which and how."""
    seed = crc32(row.text.encode())
    if row.label == FOLLOW or seed % WRAPPED:
        return None
    around = _wraps()[row.language]
    return around[seed // WRAPPED % len(around)].replace("{}", row.text)


@cache
def _wraps() -> dict[str, list[str]]:
    wraps: dict[str, list[str]] = {}
    for line in (HERE / "wraps.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            language, _, words = line.replace(r"\n", "\n").partition(" ")
            wraps.setdefault(language, []).append(words)
    return wraps


def meanings() -> dict[int, int]:
    """Give the hash of each word and beginning with the number of what it means; what comes first holds."""
    table: dict[int, int] = {}
    number = 0
    for line in (HERE / "words.txt").read_text("utf-8").splitlines():
        number += line.startswith("## ")
        if not line.startswith("#"):
            for key in (key for word in line.split() for key in _keys(word)):
                table.setdefault(key, number)
    return table


def _keys(word: str) -> Iterator[int]:
    kind = STEMS if word.endswith("*") else 0
    for form in _forms(word.rstrip("*").replace("_", " ").replace("'", " ").strip()):
        yield hash_word(strip_accents(unicodedata.normalize("NFKC", form).casefold()), kind)


def _forms(word: str) -> list[str]:
    if _ARABIC.match(word):
        return [before + word for before in _PROCLITICS]
    spelt = word.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    return list(dict.fromkeys((word, spelt)))
