"""How many decimals a task wants numbers to have, and programs that leave out zeros at their end."""

from __future__ import annotations

import re

COUNTS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "ein": 1,
    "eine": 1,
    "zwei": 2,
    "drei": 3,
    "une": 1,
    "deux": 2,
    "un": 1,
    "dos": 2,
    "tres": 3,
    "due": 2,
    "tre": 3,
}
DECIMALS = re.compile(
    rf"\b(\d|{'|'.join(COUNTS)}) (?:decimals?\b|decimal places?"
    r"|(?:digits?|places?) (?:after|behind) the (?:decimal )?(?:point|comma)"
    r"|nachkommastellen?|dezimalstellen?|décimales?|decimales?|decimali?)",
    re.IGNORECASE,
)
_PRINTS = re.compile(
    r"\b(?:print|show|output|display|gib|zeig|affich|imprim|muestr|stamp|mostr|toon)", re.IGNORECASE
)
_OTHERWISE = re.compile(
    r"\b(?:functions?|returns?|funktion|fonction|función|funzione|functie|round\w*|gerundet|arrondi\w*|redonde\w*"
    r"|arrotond\w*|afgerond)\b",
    re.IGNORECASE,
)
"""What says that no zeros are needed, or nothing is printed."""
_ROUNDS = re.compile(r"\bround\(|\bMath\.round\(")
_WRITES = re.compile(r":[,<>^+]?\d*\.\d+[f%]|%\.\d+f|\.\d+f[\"']|toFixed\(|quantize\(|Decimal\(")
"""What writes a number with all of its decimals."""
UNPADDED = "round() leaves out a zero at the end (2.5): {how} writes {count} decimals"
HOW = {".py": "{{x:.{count}f}} in an f-string", ".js": "x.toFixed({count})"}


def find_decimals(task: str) -> int | None:
    """Give how many decimals a task wants, None where it says nothing of that."""
    found = DECIMALS.search(task)
    if not found:
        return None
    return int(found[1]) if found[1].isdigit() else COUNTS[found[1].casefold()]


def find_unpadded(task: str, path: str, source: str) -> str:
    """Say that a program, which is to print numbers with so many decimals, only rounds them; "" else."""
    count, how = find_decimals(task), HOW.get(f".{path.rpartition('.')[2]}")
    prints = _PRINTS.search(task) and not _OTHERWISE.search(task)
    if not count or not how or not prints or not _ROUNDS.search(source) or _WRITES.search(source):
        return ""
    return UNPADDED.format(how=how.format(count=count), count=count)
