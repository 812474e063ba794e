"""Which of the user's own agents a request is meant for: the one whose sentence has its rare words.

Not covered: which of the shipped agents gets it (the package).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from tripletick.router.classifier import load_classifier
from tripletick.router.features import extract_excerpt, hash_word, strip_accents, tokenize_text

CLOSE = 0.32
"""From here on a request is taken; bench/router.py counts how many ordinary and how many meant ones."""
STEM, ENDING = 4, 3
"""Words are alike that begin with so many letters in common and then differ in at most so many."""
ALIKE = 0.9
ADDRESSED = 2.0
_ADDRESS = r"(?:^|\s)[@/]{0}(?![a-z0-9_-])|^\s*{0}\s*[,:،、]"


def find_closest_agent(request: str, sentences: Mapping[str, str]) -> tuple[str, float]:
    """Give the name of the agent that a request is nearest to, and how near, 0 to 1; `sentences` are by name.

    One that is addressed (`chef, …`, `@chef …`) is as near as can be. Without agents the name is empty.
    """
    text = normalize_text(request)
    words = set(extract_words(text))
    near = {name: _score_sentence(text, words, name, sentence) for name, sentence in sentences.items()}
    best = max(near, key=near.__getitem__, default="")
    return best, min(near.get(best, 0.0), 1.0)


def normalize_text(request: str) -> str:
    return strip_accents(unicodedata.normalize("NFKC", extract_excerpt(request)).casefold())


def extract_words(text: str) -> Iterator[str]:
    """Give the words of a plain text; of scripts without spaces, two characters at a time."""
    for word, run in tokenize_text(text):
        if run:
            yield from (word[at : at + 2] for at in range(max(len(word) - 1, 1)))
        else:
            yield word


def _score_sentence(text: str, words: Iterable[str], name: str, sentence: str) -> float:
    if re.search(_ADDRESS.format(re.escape(normalize_text(name))), text):
        return ADDRESSED
    meant: dict[str, list[str]] = {}
    for word in extract_words(normalize_text(f"{name} {sentence}".replace("_", " "))):
        meant.setdefault(word[:STEM], []).append(word)
    shared = sum(
        max((_compare_words(word, one) for one in meant.get(word[:STEM], ())), default=0.0) for word in words
    )
    return shared / math.sqrt(sum(map(compute_rarity, words)) or 1.0)


def compute_rarity(word: str) -> float:
    """Give 1 for a word that ordinary requests do not have, less the more of them do, 0 for one in four."""
    return 1 - math.log1p(load_classifier().common.get(hash_word(word), 0)) / math.log1p(255)


def _compare_words(one: str, two: str) -> float:
    """Give what two words share: `recipe` and `recipes` nearly all, `cook` and `cookbook` nothing."""
    weight = min(compute_rarity(one), compute_rarity(two))
    pairs = enumerate(zip(one, two, strict=False))
    same = next((at for at, (left, right) in pairs if left != right), min(len(one), len(two)))
    alike = same >= STEM and max(len(one), len(two)) - same <= ENDING
    return weight if one == two else ALIKE * weight * alike
