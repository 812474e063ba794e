"""Whether a request is about the files of the folder: what it names, and what only has its words."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from tripletick.languages.registry import is_document
from tripletick.paths import PathRefused, Workspace
from tripletick.tools.file_listing import extract_content_words
from tripletick.turn.attachments import FEW, SHORT
from tripletick.turn.file_mentions import find_blank_names, is_file_name, split_words


def names_file(request: str, folder: Path) -> bool:
    """Tell whether a request names a file of the folder, or one below it by its path."""
    with suppress(OSError, ValueError):
        if find_blank_names(request, (path.name for path in folder.iterdir())):
            return True
        named = (word for word in split_words(request) if is_file_name(word) and ".." not in word)
        return any((folder / word.lstrip("/")).is_file() for word in named)
    return False


def concerns_files(request: str, folder: Path) -> bool:
    """Tell whether a request names a file of the folder, a folder there or a kind of its files, or has a word
    of the name of a text there or, where there are only a few short ones, of what they say.
    """
    if names_file(request, folder):
        return True
    words = extract_content_words(request)
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
        if words & {word for name in names for word in extract_content_words(name.rpartition(".")[0])}:
            return True
        if len(names) <= FEW and sum(workspace.get_size(name) for name in names) <= SHORT:
            said = b"\n".join(workspace.read_shown(name, SHORT) for name in names)
            return bool(words & extract_content_words(said.decode("utf-8", "replace")))
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
