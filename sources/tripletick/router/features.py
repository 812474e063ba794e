"""What the router sees in a request: words, pieces of words, meanings, their order, and marks, as hashes.

Meanings come from a table in the weights file: `delete`, `lösch…` and `删除` are one of them, so that what
the requests of one language teach holds in all. Scripts without spaces are read by their characters.

Not covered: what a feature weighs (classifier), which words mean what (tools/router/words.txt).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise
from zlib import crc32

HEAD, TAIL = 800, 500
"""Characters of a long request that are read at its beginning and at its end."""
FENCES, FENCED = 40, 160
"""Of so many fences, so many characters of what stands between them."""
ALONE = re.compile(r"\n\n([^\n]{8,240})(?=\n\n)")
"""A short paragraph in the middle of a paste: somebody may ask there."""
LONGEST = 1500
WORD, NO_WORD = 24, 60
"""So many characters of a word count; what is longer than the second is data."""
KNOWN = 20
"""Meanings of which pairs are made."""

WORDS, PIECES, MEANINGS, ORDER, MARKS = BLOCKS = range(5)
"""The kinds of features; each kind has a length of its own."""
STEMS = 5
"""The kind of a word's beginning in the table of meanings."""
FIRST_MARK = 224
"""Meanings are numbered from 1 and below it, marks from it on."""

# Thai to Khmer, Japanese, Chinese.
_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3006\u3040-\u9fff"
# Marks of vowels belong to words and are not \w, so that what parts words is named.
_PARTING = (
    r"\s!-/:-@\[-`{-~\u00a1-\u00bf\u060c\u061b\u061f\u06d4\u0964\u0965\u2000-\u206f\u20a0-\u2bff\u3000-\u303f"
)
_TOKEN = re.compile(f"([{_SPACELESS}]+)|[^{_PARTING}{_SPACELESS}]+")
_ACCENTS = re.compile("[\u0300-\u036f\u0640\u064b-\u065f\u0670]")
_LETTERS = str.maketrans("łđıøىة", "ldioيه")  # noqa: RUF001 - as people type them
_ARTICLE = re.compile(r"(?<!\w)[وفبك]?ال(?=\w\w)|(?<!\w)لل(?=\w\w)")
_ENDING = re.compile(r"\.[a-z][a-z0-9]{0,5}(?!\w)")
_MARKS = tuple(
    re.compile(pattern)
    for pattern in (
        r"https?://|\bwww\.",
        r"(?:^|[\s'\"(])(?:~|\.{1,2})?/[\w.~-]|\w/[\w.*-]|\b[A-Za-z]:\\",
        r"\*\.\w|\*\*/",
        r"\w\.(?:py|js|ts|java|c|cpp|h|rs|go|rb|php|sh|sql|html|css|ipynb|kt|swift|tsx|jsx)\b",
        r"\w\.[A-Za-z][A-Za-z0-9]{1,4}\b",
        r"[{}]|;\s?$|=>|->|==|!=|::|\w\(\w*\)|&&|\|\||</",
        r"`",
        r"Traceback|\w(?:Error|Exception)\b|\berror:|\bat \S+:\d|line \d+,|panic",
        r"[a-z0-9]_[a-z]|[a-z][A-Z][a-z]",
        r"(?:^|\s)--?[A-Za-z]",
        r"\d\s?[-+*/\u00d7\u00f7^%]\s?\(?\d",
        r"\d",
        r"\b(?:19|20)\d\d\b",
        r"\d\s?(?:km|cm|mm|kg|mg|ml|lbs?|mph|°|%|miles?|inch(?:es)?|feet|ft)",
        r"[$€£¥₹₽]|\b(?:EUR|USD|CHF|GBP|JPY)\b",
        r"[\"“„«「『”]|(?:^|\s)'[^'\n]*'",
        r":\s?[\"“„«「『'\n]",
        r"\?\s?$|؟\s?$",
        r"[?؟]",
        r"!",
        r"[\U0001f300-\U0001faff☀-➿]",
        r"\n[ \t]?(?:[-*•]|\d{1,2}[.)])\s",
    )
)

Meanings = Mapping[int, int]
"""The hash of a word, or of a word's beginning, to the number of what it means."""


def extract_features(request: str, meanings: Meanings) -> tuple[set[int], ...]:
    """Give the hashes of each kind, in the order of BLOCKS."""
    text = unicodedata.normalize("NFKC", extract_excerpt(request))[:LONGEST]
    cased = text.casefold()[:LONGEST]
    plain = strip_accents(cased)
    tokens = tokenize_text(plain)
    read = list(_read_meanings(tokens, meanings))
    known = list(dict.fromkeys(meaning for _, meaning in read if meaning))
    marks = [FIRST_MARK + at for at, mark in enumerate(_MARKS) if mark.search(text)]
    words = [word for word, run in tokens if not run]
    accented = [] if cased == plain else [word for word, run in tokenize_text(cased) if not run]
    return (
        {*_hash_words(words, [*accented, *_ENDING.findall(plain)]), *_hash_runs(tokens)},
        {piece for word in set(words) for piece in _hash_pieces(word)},
        set(_hash_meanings(known[:KNOWN], marks)),
        set(_hash_order([f"{meaning}" if meaning else word for word, meaning in read])),
        {crc32(bytes((mark,)), MARKS) for mark in (*marks, *_bucket_sizes(text, tokens))},
    )


def compute_norm(hashes: set[int]) -> float:
    """Give what the weights of a kind are divided by; it keeps the few features of a short request small."""
    return math.sqrt(len(hashes) + 4)


def extract_excerpt(request: str) -> str:
    """Give what of a long request is read: both ends, and what stands by itself between them."""
    parts = request.strip().split("```", FENCES)
    parts[1::2] = [part[:FENCED] for part in parts[1::2]]
    text = "```".join(parts)
    if len(text) <= HEAD + TAIL:
        return text
    alone = ALONE.findall(text, HEAD, len(text) - TAIL)[:3]
    return "\n".join((text[:HEAD], *alone, text[-TAIL:]))


def strip_accents(text: str) -> str:
    """Take accents off letters, and articles off Arabic words; what makes another syllable (か, が) stays."""
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return _ARTICLE.sub("", unicodedata.normalize("NFC", bare).translate(_LETTERS))


def tokenize_text(text: str) -> list[tuple[str, bool]]:
    """Give the words in their order; with True, runs of a script that has no spaces."""
    tokens = ((found[0], bool(found[1])) for found in _TOKEN.finditer(text))
    return [(token if run else token[:WORD], run) for token, run in tokens if run or len(token) <= NO_WORD]


def hash_word(word: str, kind: int = WORDS) -> int:
    """Give 32 bits of a word, the same on every machine."""
    return crc32(_encode_word(word), kind)


def _encode_word(word: str) -> bytes:
    """Two bytes a character: a slice of them is a slice of the word."""
    return word.encode("utf-16-le", "surrogatepass")


def _hash_words(words: list[str], more: list[str]) -> Iterator[int]:
    yield from map(hash_word, {*words, *more})
    yield from (hash_word(f"{one} {two}") for one, two in pairwise(words))


def _hash_runs(tokens: list[tuple[str, bool]]) -> Iterator[int]:
    """One to three characters at a time; where the run ends is where Japanese has its verb."""
    runs = [_encode_word(run) for run, spaceless in tokens if spaceless]
    for size in (2, 4, 6):
        for run in runs:
            yield from (crc32(run[at : at + size]) for at in range(0, len(run) - size + 1, 2))
    if runs:
        yield from (crc32(runs[0][:size], ORDER) for size in (2, 4))
        yield from (crc32(runs[-1][-size:], MARKS) for size in (2, 4, 6))


def _hash_pieces(word: str) -> Iterator[int]:
    """Three to five characters at a time."""
    data = _encode_word(f"<{word}>")
    for size in (6, 8, 10):
        yield from (crc32(data[at : at + size], PIECES) for at in range(0, len(data) - size + 1, 2))


def _hash_meanings(known: list[int], marks: list[int]) -> Iterator[int]:
    yield from (crc32(bytes((one,)), MEANINGS) for one in known)
    pairs = combinations((*sorted(known), *marks), 2)
    yield from (crc32(bytes(pair), MEANINGS) for pair in pairs if pair[0] < FIRST_MARK)


def _hash_order(read: list[str]) -> Iterator[int]:
    """Two and three in a row, each a meaning or else the word itself."""
    read = ["^", *read, "$"]
    yield from (
        hash_word(" ".join(read[at : at + size]), ORDER)
        for size in (2, 3)
        for at in range(len(read) - size + 1)
    )


def _read_meanings(tokens: list[tuple[str, bool]], meanings: Meanings) -> Iterator[tuple[str, int]]:
    """Give words with what they mean, 0 for nothing known; two words may mean something together."""
    before = ""
    for word, run in tokens:
        if run:
            yield from _read_run(_encode_word(word), meanings)
        else:
            together = meanings.get(hash_word(f"{before} {word}"), 0)
            if together:
                yield "", together
            yield word, _find_meaning(_encode_word(word), meanings)
        before = word


def _find_meaning(word: bytes, meanings: Meanings) -> int:
    """Look up the word, then its beginnings, the longest first."""
    found, size = meanings.get(crc32(word), 0), len(word)
    while not found and size > 2:
        found = meanings.get(crc32(word[:size], STEMS), 0)
        size -= 2
    return found


def _read_run(run: bytes, meanings: Meanings) -> Iterator[tuple[str, int]]:
    """Read characters from the left, the longest known word first; what is unknown stays together."""
    at = since = 0
    while at < len(run):
        size, found = _match_longest(run, at, meanings)
        if found:
            if since < at:
                yield run[since:at].decode("utf-16-le", "surrogatepass")[:WORD], 0
            yield "", found
            since = at + size
        at += size
    if since < at:
        yield run[since:].decode("utf-16-le", "surrogatepass")[:WORD], 0


def _match_longest(run: bytes, at: int, meanings: Meanings) -> tuple[int, int]:
    for size in range(min(12, len(run) - at), 0, -2):
        found = meanings.get(crc32(run[at : at + size]), 0)
        if found:
            return size, found
    return 2, 0


def _bucket_sizes(text: str, tokens: list[tuple[str, bool]]) -> Iterator[int]:
    """Number words and lines by how often they can be halved."""
    words = sum(len(word) // 2 if run else 1 for word, run in tokens)
    yield 16 + min(words.bit_length(), 8)
    yield 32 + min(text.count("\n").bit_length(), 5)
