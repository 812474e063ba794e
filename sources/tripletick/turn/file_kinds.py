"""The kinds of files of which a request speaks: ".pdf", "PDFs"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tripletick.system.lazy_regex import lazy_regex

FOLDER = "folder|directory|dir|ordner|verzeichnis|dossier|répertoire|carpeta|directorio|cartella|map"
KINDS = (
    "pdf png jpeg jpg gif webp svg mp3 mp4 wav flac csv tsv txt docx xlsx json xml html md log tmp bak zip"
)
"""Kinds of files that people name without a point."""
ELSE = lazy_regex(
    r"\b(?:else|others?|rest|remaining|everything|anything|all files(?! (?:ending|that end))|director\w+"
    r"|(?:text|picture|photo|image|document|song|video|script|program|note|spreadsheet|table|archive|backup)s?"
    r"|music|\w{0,20}(?:bild|foto|dokument|musi[kq]|tabelle)\w*|im[aá]gen\w*|immagin\w+|word|excel|powerpoint"
    r"|(?<!in )(?<!in the )(?<!its )(?<!their )(?<!in all )(?:subfolders?|folders)|etc|and so on|organi[sz]e"
    r"|by (?:file )?(?:type|kind|extension|format)s?)\b"
)
"""What may be files of any kind."""
KEPT = lazy_regex(r"\b(?:leave|keep|not|n't|nothing|without)\b[^.;,\n]*")


def list_kinds(request: str) -> set[str]:
    """Give the endings of the files of which a request speaks; none where it speaks of others too."""
    plain = request.casefold()
    kinds = set(re.findall(r"(?<!\w)\*?\.([a-z][a-z0-9]{1,4})\b(?![./])", plain))
    folders = {*re.findall(rf"\b(?:{FOLDER}) (\w+)", plain), *re.findall(r"(?<![\w./])(\w+)/", plain)}
    named = "|".join(folders & {*KINDS.split()}) or FOLDER  # the folder log is log alone too
    words = re.sub(rf"\S\.\w+|\b(?:\w+ )?(?:{FOLDER})\b(?: \w+)?|\b(?:{named})\b", " ", plain)
    kinds |= set(re.findall(rf"\b({KINDS.replace(' ', '|')})s?\b", words))
    kinds |= {"jpg", "jpeg"} if kinds & {"jpg", "jpeg"} else set()
    return set() if ELSE.search(re.sub(r"(?<!\w)\*?\.[a-z]\w{1,4}\b", " ", KEPT.sub(" ", plain))) else kinds


def filter_other_kinds(paths: Sequence[str], kinds: set[str], request: str) -> list[str]:
    """Give the files of other kinds that the request does not name."""
    names = {path: path.rpartition("/")[2].casefold() for path in paths}
    other = [path for path, name in names.items() if kinds.isdisjoint(name.split("."))]
    return [path for path in other if "." in names[path][1:] and not is_named(path, request)]


def is_named(path: str, request: str) -> bool:
    """Tell whether a request has a file's name, or what stands in it before the first point: the readme."""
    name, request = path.rpartition("/")[2].casefold(), request.casefold()
    stem = name.lstrip(".").partition(".")[0]
    return name in request or (len(stem) > 1 and bool(re.search(rf"\b{re.escape(stem)}\b", request)))
