"""The folders that a request wants left alone: "except in flyers/archive", "skip old"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tripletick.tools.file_walk import has_name

_SPARES = (
    r"(?:except|but not|other than|apart from|excluding|ignor(?:e|ing)|skip(?:ping)?|hands off"
    r"|(?:do not|don.?t|never|without|not) (?:touch|chang|delet|mov|renam)\w*"
    r"|außer|ausgenommen|sauf|excepté|excepto|salvo|tranne|behalve|laat)"
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
    """Give those of the folders that a request wants left alone: "except in flyers/archive"; none that it
    names elsewhere too, as what is to go from it may leave the folder itself.
    """
    return [folder for folder in folders if _is_spared(folder, request)]


def _is_spared(folder: str, request: str) -> bool:
    name = re.escape(folder)
    found = re.search(
        rf"(?i)\b{_SPARES}{_FILLER} [\"'`]?(?:\./)?{name}/?[\"'`]?(?![\w/-]|\.\w)"
        rf"|(?<![\w/.-]){name}/?{_BEHIND}\b",
        request,
    )
    rest = f"{request[: found.start()]} {request[found.end() :]}" if found else ""
    return found is not None and not has_name(rest, folder)
