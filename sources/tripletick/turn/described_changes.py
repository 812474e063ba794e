"""Changes that a model describes and does not make: "the line `a + b` is wrong, it should be `(a + b)`".

A small model that was asked what is wrong often says so in words, and copies the old file when it is asked
for that. Only what names both the line and what it should be, each between backquotes, and of which there is
one in the file, is taken for a change.
"""

from __future__ import annotations

import re

_CHANGE = re.compile(
    r"`(?P<old>[^`\n]{3,200})`[^`\n]{0,160}?"
    r"\b(?:should|must|needs? to|has to|ought to|can) (?:instead )?(?:be|read|say|become)\b"
    r"[^`\n]{0,60}`(?P<new>[^`\n]{3,200})`"
    r"|(?:replac\w*|chang\w*|correct\w*) [^`\n]{0,60}`(?P<from>[^`\n]{3,200})`[^`\n]{0,40}"
    r"\b(?:with|by|to|into)\b[^`\n]{0,40}`(?P<to>[^`\n]{3,200})`",
    re.IGNORECASE,
)


def apply_described_change(answer: str, source: str) -> str:
    """Give a program with the change that an answer describes, "" where it describes none, or several places
    may be meant.
    """
    found = [(each["old"] or each["from"], each["new"] or each["to"]) for each in _CHANGE.finditer(answer)]
    changes = dict.fromkeys((old.strip(), new.strip()) for old, new in found)
    changed = source
    for old, new in changes:
        changed = _replace_once(changed, old, new) if old != new else ""
        if not changed:
            return ""
    return changed if changes and changed != source else ""


def _replace_once(source: str, old: str, new: str) -> str:
    """Replace a line, or else what stands in one place of one; "" where that is not to be found once."""
    lines = source.splitlines(keepends=True)
    at = [number for number, line in enumerate(lines) if line.strip() == old]
    if len(at) == 1:
        # what ends a statement is left out in words
        new += old[-1] if old[-1] in ";:{" and not new.endswith(old[-1]) else ""
        lines[at[0]] = lines[at[0]].replace(old, new)
        return "".join(lines)
    return source.replace(old, new) if source.count(old) == 1 else ""
