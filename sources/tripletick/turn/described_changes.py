"""Changes that a model describes and does not make: "the line `a + b` is wrong, it should be `(a + b)`".

A small model that was asked what is wrong often says so in words, and copies the old file when it is asked
for that. Only what names the line that it should be between backquotes, and of which the place is known, is
taken for a change: a line of the file that stands before it, or the one that is most like it.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from tripletick.system.lazy_regex import lazy_regex

_SPAN = lazy_regex(r"`(?P<code>[^`\n]{2,200})`")
_NEW = lazy_regex(
    r"(?i)\b(?:(?:should|must|needs? to|has to|ought to) (?:instead )?(?:be|read|say|become)"
    r"|(?:corrected|correct|right|fixed) (?:line|code|version|statement) (?:is|would be)"
    r"|(?:replaced?|chang(?:e|ed)|corrected) (?:it )?(?:with|by|to|into)|(?:with|by|to|into))\b[^`\n]{0,60}$"
)
"""What stands before a line as it should be."""
_STATED = lazy_regex(
    r"(?i)\b(?:should|must|needs? to|has to|ought to|correct\w*|right|fixed|replac\w*|chang\w*)\b"
)
ALIKE, CLEARLY = 0.6, 0.1
"""How much a line must be like the one that it should be, and by how much more than any other."""
MOST = 500
"""Lines of a program of which one is sought by likeness."""
SHORTEST = 4
"""Characters of a piece of a line that can be told from others."""


def apply_described_change(answer: str, source: str) -> str:
    """Give a program with the change that an answer describes, "" where it describes none, or several places
    may be meant.
    """
    spans = list(_SPAN.finditer(answer))
    for at, span in enumerate(spans):
        before = answer[spans[at - 1].end() if at else 0 : span.start()]
        said = answer[: span.start()].rpartition("\n")[2]
        if not _NEW.search(before) or not _STATED.search(said):
            continue
        new, old = span["code"].strip(), [each["code"].strip() for each in spans[:at]]
        return _change(source, old, new)
    return ""


def _change(source: str, named: list[str], new: str) -> str:
    """Put what should be in the place of a named line, of the piece that was named last, or of the line that
    is most like it.
    """
    lines = source.splitlines(keepends=True)
    stripped = [line.strip() for line in lines]
    if new in stripped:
        return ""
    whole = [each for each in reversed(named) if stripped.count(each) == 1]
    if whole:
        return _replace_line(lines, stripped.index(whole[0]), new)
    piece = named[-1] if named else ""
    if len(piece) >= SHORTEST and source.count(piece) == 1:
        return source.replace(piece, new) if new not in source else ""
    if len(lines) > MOST:
        return ""
    best = sorted(
        ((SequenceMatcher(None, line, new).ratio(), at) for at, line in enumerate(stripped)), reverse=True
    )
    clear = best and best[0][0] >= ALIKE and (len(best) == 1 or best[0][0] >= best[1][0] + CLEARLY)
    return _replace_line(lines, best[0][1], new) if clear else ""


def _replace_line(lines: list[str], at: int, new: str) -> str:
    """Replace a line; what ends a statement is left out in words."""
    old = lines[at].strip()
    end = old[-1] if old[-1:] in (";", ":", "{") and not new.endswith(old[-1]) else ""
    lines[at] = lines[at].replace(old, f"{new}{end}")
    return "".join(lines)
