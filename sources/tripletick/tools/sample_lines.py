"""A line of output that a task shows: "one per line like this: 7 x 3 = 21".

A program that prints the same words and signs in another order, `3 x 7 = 21`, has not the form that was asked
for. Nothing else is held against it: the line may be one for other data. A task that has words changed places
says nothing, for what it shows may be what is read. Of "should print Seat 1 to Seat 12" all must be there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.output_match import normalize_spaces

LEAST = 3
"""Words and signs of a line that shows a form."""
_LIKE = lazy_regex(
    r"\b(?:like(?: (?:this|so|that))?|for (?:example|instance)|e\.g\.,?|(?:form(?:at)?|shape|style)"
    r"|so|wie(?: folgt)?|zum beispiel|z\. ?b\.|comme(?: ceci| ça)?|par exemple|como(?: esto)?|por ejemplo"
    r"|così|come|per esempio|zoals|bijvoorbeeld)\s*:?\s*",
    re.IGNORECASE,
)
_SHOWN = lazy_regex(r"[\"'`](?P<quoted>[^\"'`\n]+)[\"'`]|(?P<rest>[^\n]+)")
_CLAUSE = lazy_regex(r"[,;(]|\.(?:\s|$)")
_REORDERS = lazy_regex(
    r"\b(?:swap|revers|turn|convert|into\b|instead|flip|rotat|tausch|umdreh|inverse|échang|intercambi|scambi"
    r"|random|shuffl|zufäll|mélang|aleator|casual)",
    re.IGNORECASE,
)
_SPAN = lazy_regex(
    r"\b(?:should|must|has to|is to|shall|soll|sollte|muss) (?:print|show|list|output|ausgeben|zeigen)?\s*"
    r"(?P<word>[A-Z]\w*) (?P<first>\d{1,9}) (?:to|through|until|up to|bis) (?P=word) (?P<last>\d{1,9})\b"
)
"""The first and the last of lines that are counted through."""
_ENDS = lazy_regex(
    r"\b(?:prints?|shows?|outputs?|lists?|writes?|lines?)\b[^.;\n\"'`]{0,60}"
    r"\bfrom [\"'`](?P<first>[^\"'`\n]{3,80})[\"'`] (?:to|through|up to) "
    r"[\"'`](?P<last>[^\"'`\n]{3,80})[\"'`]"
)
"""The first and the last of lines, as they are printed."""
EITHER = lazy_regex(
    r"(?i)\b(?:prints?|says?|shows?|outputs?|stampa|gibt|zeigt|affiche|imprime|muestra)"
    r" (?P<mark>[\"'`]?)(?P<one>\w{1,20})(?P=mark) (?:if|when|se|wenn|si|cuando|als)\b[^.;\n]{3,120}?[ ,]"
    r"(?:otherwise|else|altrimenti|sonst|sinon|si no|de lo contrario|anders) (?:prints? )?"
    r"(?P<sign>[\"'`]?)(?P<two>\w{1,20})(?P=sign)(?!\w)"
)
"""Two words one of which is printed."""
WORDED, TELLING = 8, 4
"""Words of a line of which one is meant alone, and the letters of that: no stands in many lines."""
_ONE_OF = lazy_regex(
    r"(?i)\b(?:prints?|says?|shows?|outputs?|stampa|gibt|zeigt|affiche|imprime|muestra)"
    r" (?P<mark>[\"'`]?)(?P<one>\w{1,20})(?P=mark) (?:or|oder|ou|o)"
    r" (?P<sign>[\"'`]?)(?P<two>\w{1,20})(?P=sign)(?=[,;.]|\s*$| if\b| when\b| by\b| depending\b|:)"
)
_OR_ELSE = lazy_regex(
    r"(?i)\bprints?\b[^.;\n]{0,80}, (?:or|oder|ou|o) (?:prints? )?"
    r"(?P<mark>[\"'`]?)(?P<one>\w{1,20}(?: \w{1,20}){0,2})(?P=mark)"
    r"(?=[.;]|\s*$| if\b| when\b)"
)
"""What is printed where nothing else can be: prints the price, or not found."""
_CAPITALS = lazy_regex(
    r"(?i)capital|upper ?-?case|title ?case|großge|groß ge|großbuch|majuscul|mayúscul|maiuscol"
)
"""What says that words are wanted in other letters than they have in the task."""
_PRINTED_WORD = lazy_regex(
    r"(?:\bprint\(|\becho |\bconsole\.log\(|\bputs |\breturn |\belse )[ ]?"
    r"[\"'`](\w{1,20}(?: \w{1,20}){0,2})[\"'`](?=\)|;|\s*$|\s+(?:if|else)\b)",
    re.MULTILINE,
)
NO_LINE = "it prints no {line!r}, and the task wants {wanted}"
MOST_COUNTED = 200
_PART = lazy_regex(r"\w+|[^\w\s]")


def find_misprint(task: str, printed: str) -> tuple[str, str] | None:
    """Give a line that was printed and the line of the task whose parts it has in another order."""
    lines = [*map(normalize_spaces, printed.splitlines())]
    if _REORDERS.search(task):
        return None
    for sample in _find_samples(task):
        parts = _PART.findall(sample)
        same = [line for line in lines if sorted(_PART.findall(line)) == sorted(parts)]
        if len(parts) >= LEAST and same and all(_PART.findall(line) != parts for line in same):
            return same[0], sample
    return None


def find_missing_line(task: str, printed: str, misprinted: str = "") -> str:
    """Say that one of what is counted through was not printed, or what a try before had in another order;
    "" where the task speaks of none.
    """
    ends = _ENDS.search(task)
    if wanted := [*(ends.groups() if ends else ()), *filter(None, [misprinted])]:
        shown = {*map(normalize_spaces, printed.splitlines())}
        lacking = [each for each in wanted if normalize_spaces(each) not in shown]
        return NO_LINE.format(line=lacking[0], wanted="that line") if lacking and printed.strip() else ""
    if not (span := _SPAN.search(task)):
        return ""
    word, first, last = span.groups()
    lines = (f"{word} {number}" for number in range(int(first), int(last) + 1)[:MOST_COUNTED])
    missing = next((each for each in lines if not re.search(rf"(?<!\w){each}(?!\w)", printed)), "")
    return NO_LINE.format(line=missing, wanted=f"{word} {first} to {word} {last}") if missing else ""


def find_other_case(task: str, printed: str, source: str = "") -> dict[str, str]:
    """Give what a program prints, or has to print, that is one of two words of a task with other capitals or
    with more words around it, with the word that is meant.
    """
    if _CAPITALS.search(task):
        return {}
    words = [
        word
        for pattern in (EITHER, _ONE_OF, _OR_ELSE)
        for found in pattern.finditer(task)
        for name, word in found.groupdict().items()
        if name in ("one", "two")
    ]
    known = {word.casefold(): word for word in words}
    lines = [*(line.strip() for line in printed.splitlines()), *_PRINTED_WORD.findall(source)]
    meant = dict[str, str]()
    for line in lines:
        said = [word for word in re.findall(r"\w+", line.casefold())[:WORDED] if word in known]
        is_meant = len(said) == 1 and (line.casefold() == said[0] or len(said[0]) >= TELLING)
        if line not in words and is_meant:
            meant[line] = known[said[0]]
    return meant


def _find_samples(task: str) -> Iterator[str]:
    """Give what may be a line of output, with and without the clause behind it."""
    for like in _LIKE.finditer(task):
        if shown := _SHOWN.match(task, like.end()):
            text = normalize_spaces(shown["quoted"] or shown["rest"])
            yield from dict.fromkeys((text, text.rstrip(".!"), _CLAUSE.split(text)[0].strip()))
