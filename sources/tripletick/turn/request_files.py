"""Whether a request is about the files of the folder: what it names, and what only has its words."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from tripletick.languages.registry import is_document
from tripletick.paths import PathRefused, Workspace
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.data_summary import KNOWN
from tripletick.tools.file_listing import extract_content_words
from tripletick.turn.attachments import FEW, SHORT
from tripletick.turn.file_mentions import find_blank_names, is_file_name, split_words

_OWN = lazy_regex(
    r"(?i)\b(?:my|mine|our|ours|me|us|mein\w*|mir|uns\w*|mon|ma|mes|notre|nos|mis?|nuestr\w*|miei|mi[oa]|nostr\w*"
    r"|mijn|ons|onze|мо[йяие]\w*|наш\w*|notes?|lists?|files?|documents?|notiz\w*|listen?|datei\w*|fichiers?)\b"
)
"""What says that the user speaks of things of their own; others ask what anybody may know."""
_COURTESY = lazy_regex(
    r"(?i)\b(?:tell|give|show|explain to|help|remind|ask\w*|told|sag\w*|erklär\w*) (?:me|us|mir|uns)\b"
)
_SENTENCE_END = lazy_regex(r"[.!?;:\n]+(?=\s|$)")


def names_file(request: str, folder: Path) -> bool:
    """Tell whether a request names a file of the folder, or one below it by its path."""
    with suppress(OSError, ValueError):
        if find_blank_names(request, (path.name for path in folder.iterdir())):
            return True
        named = (word for word in split_words(request) if is_file_name(word) and ".." not in word)
        return any((folder / word.lstrip("/")).is_file() for word in named)
    return False


def concerns_files(request: str, folder: Path) -> bool:
    """Tell whether a request names a file of the folder, a folder there or a kind of its files, or speaks of
    the user's own things with a word of the name of a text there or, where there are only a few short ones,
    of what they say. A table's name is enough.
    """
    if names_file(request, folder):
        return True
    words = extract_content_words(request)
    owned = filter(_OWN.search, _SENTENCE_END.split(_COURTESY.sub(" ", request)))
    own = extract_content_words(" ".join(owned))
    with suppress(OSError, PathRefused):
        workspace = Workspace(folder)
        names = [name for name in workspace.list_names(".") if not name.startswith(".")]
        # a folder may hold thousands: only what the request can speak of is looked at
        asked = request.casefold()
        near = (name for name in names if name.rpartition(".")[2].casefold() in asked)
        mentions = (_make_mention(name, workspace.get_kind(name)) for name in near)
        if any(re.search(mention, request, re.IGNORECASE) for mention in mentions):
            return True
        names = list(filter(is_document, names))
        for name in names:
            meant = words if name.lower().endswith(KNOWN) else own
            if meant & extract_content_words(name.rpartition(".")[0]):
                return True
        if own and len(names) <= FEW and sum(workspace.get_size(name) for name in names) <= SHORT:
            said = b"\n".join(workspace.read_shown(name, SHORT) for name in names)
            return bool(own & extract_content_words(said.decode("utf-8", "replace")))
    return False


def _make_mention(name: str, kind: str) -> str:
    """Give the pattern by which a request speaks of a folder, or of files of the kind of this one. A folder's
    name that may be a word of any sentence stands behind one that says where.
    """
    if kind != "folder":
        ending = re.escape(name.rpartition(".")[2])
        return rf"\b{ending}[ -](?:files?|datei\w*|bestand\w*)\b|\b(?:fichiers?|archivos?|file) {ending}\b"
    bare = re.escape(name)
    if re.search(r"\W|\d|_", name):
        return rf"(?<![\w-]){bare}(?![\w-])"
    return rf"\b(?:in|inside|into|from|under|folder|directory) (?:the |my |folder |directory )?{bare}\b"
