"""The line of a text that a question asks about, and whether an answer tells another one.

A small model that has "Thursday 20:00 Tango for beginners" before it, and is asked on which day that is, may
give that of another line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from tripletick.system.lazy_regex import lazy_regex

SAYS = "{path} says: {line}"
LONGEST, MOST = 200, 200
"""Characters of a line, and lines of all texts, among which one is looked for."""
_ASKS = lazy_regex(
    r"(?i)\b(?:who(?:se|m)?|when|where|which|what|how (?:long|old|far|late|early|often)|wer|wem|wessen|wann"
    r"|wo|was|welche\w*|qui|quand|où|quel\w*|qui[eé]n|cu[aá]ndo|d[oó]nde|qu[eé]|cu[aá]l|chi|quando|dove|quale|wie"
    r"|waar|wanneer|welke?)\b[^?]*\?"
)
_SEVERAL = lazy_regex(
    r"(?i)\b(?:all|every|each|both|list|lines?|names|how (?:many|much)|most|least|fewest|first|last|next"
    r"|total|sum|average|more|less|fewer|other|between|before|after|until|since|than|not|without"
    r"|(?!(?:rest|west|guest|test|request|interest|forest|harvest)\b)\w{2,}est|alle\w*|jede\w*|meisten?|wenigsten"
    r"|erste\w*|letzte\w*|nach|vor|ohne|nicht|tous|toutes|chaque|plus|moins|premi\w+|derni\w+|avant|après|sans"
    r"|todos|todas|cada|más|menos|primer\w*|[uú]ltim\w*|antes|después|sin|tutt\w+|ogni|più|meno|prim\w+|dopo"
    r"|senza)\b"
)
"""What asks for something else than what stands in one line."""
_WORD = lazy_regex(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class AskedLine:
    """A line, the words that it alone has to tell, and those of other lines; casefolded."""

    path: str
    line: str
    own: frozenset[str]
    others: frozenset[str]

    def find_contradiction(self, answer: str) -> str:
        """Say what stands there where an answer has words of other lines and none of this one's; else ""."""
        words = {*_split_words(answer)}
        tells_other = not words & self.own and bool(words & self.others)
        return SAYS.format(path=self.path, line=self.line) if tells_other else ""


def find_asked_line(request: str, texts: Mapping[str, str]) -> AskedLine | None:
    """Find the only line of some texts that has the most words in a row of a question, and two at least that
    say something; None where the request asks for more than one line.
    """
    lines = [
        (path, line.strip()) for path, text in texts.items() for line in text.splitlines() if line.strip()
    ]
    if not _ASKS.search(request) or _SEVERAL.search(request) or not 1 < len(lines) <= MOST:
        return None
    asked = _split_words(request)
    runs = [_measure_run(asked, _split_words(line[:LONGEST])) for _, line in lines]
    best = max(runs)
    if best[0] < 2 or runs.count(best) > 1:
        return None
    path, line = lines[runs.index(best)]
    own = _pick_telling(line) - {*asked}
    others = frozenset(word for each in lines for word in _pick_telling(each[1])) - {
        *asked,
        *_split_words(line),
    }
    return AskedLine(path, line, own, others) if own and others else None


def _measure_run(asked: list[str], words: list[str]) -> tuple[int, int]:
    """Give how many words that say something, and how many in all, a line has in a row as the question."""
    found = SequenceMatcher(None, asked, words, autojunk=False).find_longest_match()
    run = asked[found.a : found.a + found.size]
    return sum(len(word) > 3 or word.isdigit() for word in run), found.size


def _pick_telling(line: str) -> frozenset[str]:
    """Give the words of a line that may be an answer: names, numbers, long ones."""
    words: Iterable[str] = _WORD.findall(line[:LONGEST])
    return frozenset(word.casefold() for word in words if re.match(r"[A-ZÄÖÜÉ\d]", word) or len(word) > 4)


def _split_words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
