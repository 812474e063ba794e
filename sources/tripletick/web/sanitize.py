"""Text from outside, made safe for the model: invisible characters are written out or removed.

Tags of Unicode, zero-width signs and bidi overrides can carry orders that a page does not show.
"""

from __future__ import annotations

import re
import unicodedata

from tripletick.system.lazy_regex import lazy_regex

DROPPED = lazy_regex("[\u00ad\ufe00-\ufe0f]")
"""Soft hyphens and the shapes of signs: they mean nothing to a model."""
_JOINED = lazy_regex("(?<=[^\x00-\x7f\u200b-\u200f])[\u200c\u200d](?=[^\x00-\x7f\u200b-\u200f])")
"""Between letters of Persian and Hindi and parts of an emoji these two are part of the spelling."""
_SUSPECT = lazy_regex("[^\n\t -~\u00a1-\u024f\u0370-\u052f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")
_BLANKS = lazy_regex(r"(?<![^\S\n])[^\S\n]+$", re.MULTILINE)
"""Tried once a run: from each blank of a long one it would take minutes."""
_GAPS = lazy_regex(r"\n{3,}")


def sanitize_text(text: str) -> str:
    """Give a text with each invisible character written out (`\\u200b`), blank lines and ends of lines
    tidied.
    """
    kept = DROPPED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    joins = {match.start() for match in _JOINED.finditer(kept)}
    whole = _SUSPECT.sub(
        lambda found: found[0] if found.start() in joins else _escape_character(found[0]), kept
    )
    return _GAPS.sub("\n\n", _BLANKS.sub("", whole)).strip("\n")


def _escape_character(sign: str) -> str:
    kind = unicodedata.category(sign)
    if kind == "Zs":
        return " "
    if kind in ("Zl", "Zp"):
        return "\n"
    if kind[0] != "C" and sign not in "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5":
        return sign
    code = ord(sign)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
