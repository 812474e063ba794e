"""Worked examples that give values alone for the places of a usage: of `pace.py KM TIME`, "10 and 52:30 give
5:15"; "for 3300 it prints: 6 jars".
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress

from tripletick.languages.registry import Language
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.command_examples import OTHERWISE, compile_call
from tripletick.tools.function_examples import speaks_of_fault
from tripletick.tools.new_program import OF_PARTS, STDIN

_PLACE = lazy_regex(r"[ ]+(?:<\w[\w -]*>|[A-Z]{2,}(?:_[A-Z]+)*|[B-HJ-Z])(?![\w'.])")
_FILLED = lazy_regex(r" +(?:-?\d|[\"'])")
"""An argument as it is typed: the capitals before it are one too, and no place."""
_SENTENCE = lazy_regex(r"\n|(?<=[.;!?])\s+(?=[A-ZÄÖÜ(\"'`0-9])|;\s+")
_VALUE = lazy_regex(r"\"([^\"\n]+)\"|'([^'\n]+)'|`([^`\n]+)`|(?<![\w.:+-])(-?\d+(?:[.:]\d+)*)(?![\w+])")
_BOUND = lazy_regex(
    r"(?i)\b(?:above|over|under|below|before|after|than|multiples of|there (?:are|is)|reads?|über|unter|vor"
    rf"|nach|als|plus de|moins de|más de|menos de|più di|meno di) (?:{_VALUE.pattern})"
)
"""A value that is not the one which is given."""
_VERB = lazy_regex(
    r"(?:[ ,]+(?:(?:it|this|that|the (?:program|script|output|result)|you|which) )?"
    r"(?:(?:should|must|will|would|shall|soll(?:te)?) )?(?:then )?"
    r"(?:prints?|gives?|shows?|outputs?|returns?|displays?|means?|makes?|gibt|ergibt|ergeben|zeigt|donnent?"
    r"|affiche|dan|danno|muestra|stampa|mostra)\b|\s*(?:->|=>|→))\s*(?P<colon>:?)\s*"
)
_OUTPUT_FOR = lazy_regex(
    r"(?i)(?:output|result|ausgabe|ergebnis|sortie|salida|resultado|risultato)\s+(?:for|with|bei|für|mit|pour|avec"
    r"|para|con|per)\s+(?P<values>[^:\n]{1,80}):\s*"
)
_RIGHT = (
    r"(?:\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`|-?\d+(?:\.\d+)?(?![\w.]*\d)|[A-Z][\w-]*(?: [A-Z][\w-]*)?)"
    r"(?=[.!)]?(?:\s*$|\s+[A-Z(])|[,;])"
)
_FOR_ONE = lazy_regex(
    r"(?:^|(?<=[.;:(] )|(?<=\n))(?:(?:[Ff]or|[Ww]ith|[Ff]ür|[Bb]ei|[Pp]our|[Pp]ara|[Pp]er) (?:the file )?"
    r"[\"'`]?(?P<given>[\w/-]+\.[a-z]\w{0,4}|-?\d[\d.:]*)[\"'`]?,? (?:(?:that|this|it|the \w+|das|es|ça) )?"
    r"(?:is|are|would be|should be|(?:wäre|ist)(?: das| es)?|c.est|est|es|è|(?:it |must )?(?:prints?|gives?))"
    r"|(?P<count>\d+) [a-z]+s?:|(?P<file>[\w/-]+\.[a-z]\w{0,4}):)"
    rf" (?P<right>{_RIGHT})"
)
"""One value and what is printed for it: for laps.csv that is Ewa; 12 rolls: 4.32."""
_ONE = r"(?:\"[^\"\n]+\"|'[^'\n]+'|-?\d[\w:.+/-]*|[A-Za-z][\w-]*)"
_BARE = lazy_regex(
    r"(?:^|[,;:(] |\. |\b(?:so|like|e\.g\.?|eg|for example|with|bei|con|avec|from) )"
    rf"(?P<values>(?!(?:so|like|e\.?g|for|and|or|then|if|with|it|this|that)\b){_ONE}(?: {_ONE}){{0,4}})"
    r"(?P<verb> (?:->|=>|\u2192) | (?:gives?(?: me)?|makes|should (?:be|give|print|show)|comes to|viene|gibt"
    r"|ergibt|donne) )"
    r"(?:(?P<quoted>\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`)|(?P<plain>-?[\w#][\w.:#-]*(?: [A-Z\d][\w.:#-]*){0,6}))"
    r"(?=[.,;!)]?(?:\s*$|\s+(?:and|but|or|so|nothing|if|as|because)\b|[.,;!)]\s))",
    re.MULTILINE,
)
_TAKES = lazy_regex(r"(?i)\bargs?\b|\bargument|\bgive\b|\btakes?\b|\btype\b|\bgiven\b")
_OF_FILES = lazy_regex(
    r"(?i)\b(?:files?|folders?|director\w+|renam\w+|replac\w+|datei\w*|ordner)\b|\w\.(?:csv|json|txt|tsv)\b"
)
"""What says that values may be those of a file."""
_CALL = lazy_regex(r"\b[a-z]\w*\([\w, ]*\)")
_QUOTED = lazy_regex(r"\"([^\"\n]+)\"|'([^'\n]+)'|`([^`\n]+)`")
_NUMBER = lazy_regex(r"-?[$€£]?\d+(?:[.:]\d+)*(?=[.,;!)]?(?:$|\s+(?:and|because|since|as|but|\()))")


def find_placeholder_examples(task: str, path: str, language: Language) -> list[tuple[str, str]]:
    """Find `(command, what it prints)` for the program at `path`, whose usage has places to be filled in."""
    if any(part.search(task) for part in (OF_PARTS, STDIN, _CALL)) or speaks_of_fault(task):
        return []
    usage = next(
        (found for call in compile_call(path, language).finditer(task) if (found := _read_usage(task, call))),
        None,
    )
    start, count = usage or (f"{next(iter(language.starts), '')} {shlex.quote(path)}", 0)
    if not usage and not language.starts:
        return []
    shown = (*_find_values(task, path), *_find_ones(task)) if usage else _find_bare(task)
    shown = (each for each in shown if each[1] and (not usage or len(each[0]) == count))
    return [*dict.fromkeys((f"{start} {shlex.join(values)}", right) for values, right in shown)]


def _find_ones(task: str) -> Iterator[tuple[list[str], str]]:
    """Give the one argument that sentences name with what is printed for it."""
    for found in _FOR_ONE.finditer(task):
        given = found["given"] or found["count"] or found["file"]
        yield [given.rstrip(".:")], found["right"].strip("\"'`")


def _find_bare(task: str) -> Iterator[tuple[list[str], str]]:
    """Give arguments that stand by themselves in front of what is printed for them: `1000 8 20 gives 42`."""
    for found in _BARE.finditer(task) if not _OF_FILES.search(task) else ():
        with suppress(ValueError):
            values = shlex.split(found["values"])
            words = [value for value in values if value.isalpha()]
            is_shown = not words or ("->" in found["verb"] and len(words) < 2)
            is_sure = is_shown and (len(values) > 1 or _TAKES.search(task))
            if "should" in found["verb"] and not found["quoted"] and not found["plain"][:1].isdigit():
                continue
            if is_sure and not any(" " in value and re.search(r"\.\w{2,3} ", value) for value in values):
                yield values, (found["quoted"] or found["plain"]).strip("\"'` .,;")


def _read_usage(task: str, call: re.Match[str]) -> tuple[str, int] | None:
    """Give what starts a program, and how many places stand behind it."""
    at, count = call.end(), 0
    while place := _PLACE.match(task, at):
        at, count = place.end(), count + 1
    return (call[0], count) if count and not _FILLED.match(task, at) else None


def _find_values(task: str, path: str) -> Iterator[tuple[list[str], str]]:
    """Give the values that sentences have in front of what is printed for them, and that."""
    for sentence in _SENTENCE.split(task):
        usage = re.search(rf"{re.escape(path)}(?:{_PLACE.pattern})*(?!.*{re.escape(path)})", sentence)
        sentence = sentence[usage.end() :] if usage else sentence
        if said := _OUTPUT_FOR.search(sentence):
            yield _list_values(said["values"]), _read_result(sentence[said.end() :], whole=True)
        elif (first := _VALUE.search(sentence)) and (said := _VERB.search(sentence, first.end())):
            given = sentence[: said.start()]
            if not _BOUND.search(given):
                yield _list_values(given), _read_result(sentence[said.end() :], whole=bool(said["colon"]))


def _list_values(text: str) -> list[str]:
    return [next(filter(None, groups)) for groups in _VALUE.findall(text)]


def _read_result(rest: str, *, whole: bool) -> str:
    """Give what is printed: a quoted text, a number at the end, or, behind a colon, all that follows."""
    if quoted := _QUOTED.match(rest):
        return "" if OTHERWISE.match(rest, quoted.end()) else str(quoted[quoted.lastindex or 0])
    if whole:
        return rest.strip().rstrip(".") if len(rest) < 120 else ""
    number = _NUMBER.match(rest)
    return number[0] if number else ""
