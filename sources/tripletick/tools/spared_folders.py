"""The folders that a request wants left alone: "except in flyers/archive", "skip old"."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SPARES = (
    r"(?:except|but not|other than|apart from|excluding|ignor(?:e|ing)|skip(?:ping)?|hands off"
    r"|(?<!n.t )(?<!not )(?<!nothing )leave"
    r"|(?:do not|don.?t|never|without|not) (?:touch|chang|delet|mov|renam)\w*"
    r"|außer|ausgenommen|lass\w*|sauf|excepté|excepto|salvo|tranne|behalve|laat)"
)
_FILLER = (
    r"(?:(?: (?:for|in|inside|under|below|those|ones|files?|everything|anything|all|any|that|what|is|are|the"
    r"|my|our|folder|directory|die|den|dem|im|ordner|dateien|dans|les?|la|dossier|en|el|carpeta|nella?|cartella"
    r"|map|de|het)){0,6})"
)
_BEHIND = (
    r"(?:(?: folder| directory)? (?:alone|untouched|as (?:it|they) (?:is|are|was|were)|out)| = hands off)"
)


def list_spared_folders(request: str, folders: Iterable[str]) -> list[str]:
    """Give those of the folders that a request wants left alone: "except in flyers/archive"."""
    return [
        folder
        for folder in folders
        if re.search(
            rf"(?i)\b{_SPARES}{_FILLER} [\"'`]?(?:\./)?{re.escape(folder)}/?[\"'`]?(?![\w/-]|\.\w)"
            rf"|(?<![\w/.-]){re.escape(folder)}/?{_BEHIND}\b",
            request,
        )
    ]
