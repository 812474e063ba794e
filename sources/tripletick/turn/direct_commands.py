"""The one command that a plain request amounts to, for a reply that finds no way."""

from __future__ import annotations

import shlex
from contextlib import suppress

from tripletick.models.conversation import Conversation
from tripletick.paths import PathRefused
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools import content_listing, file_listing
from tripletick.tools.data_summary import KNOWN, SEPARATED
from tripletick.tools.file_walk import has_name
from tripletick.tools.tool import ToolContext
from tripletick.turn import content_checks, rename_examples
from tripletick.turn.assignments import describe_assignment
from tripletick.turn.attempts import Results
from tripletick.turn.effects import COMPARED
from tripletick.turn.false_content import NO_FOLDERS
from tripletick.turn.file_kinds import list_kinds
from tripletick.turn.replacements import describe_replacement
from tripletick.turn.scope_checks import describe_copies
from tripletick.turn.table_joins import describe_join
from tripletick.turn.wanted_files import is_left_out

_NO_FOLDER = lazy_regex(
    r"(?m)^tar: ([\w./-]+): Cannot open: No such file or directory$"
    r"|^(?:cp|mv): (?:cannot (?:create regular file |move '[^'\n]+' to )|target )'([\w./-]+/?)':"
    r" (?:Not a directory|No such file or directory)$"
)
_UNIX = lazy_regex(r"(?i)\bto (?:the )?(?:unix|linux|lf)\b|\b(?:in|zu|nach|auf) (?:unix|linux|lf)\b")
_WINDOWS = lazy_regex(r"(?i)\bto (?:the )?(?:windows|dos|crlf)\b|\b(?:in|zu|nach|auf) (?:windows|dos|crlf)\b")
_LINE_ENDS = lazy_regex(
    r"(?i)\bline ?(?:-| )?end\w*|\bcrlf\b|\bzeilenende\w*|\bfins? de ligne|\bfin(?:es)? de línea"
)


def find_command(conversation: Conversation, context: ToolContext, *, changed: bool) -> str:
    """Give the command that takes the files which the request means by their content; where nothing was
    `changed` yet also the one that renames as it shows with one file, that replaces one text by another, that
    copies a file into several folders, that keeps each line of a text once, that joins two tables, that
    gives a text other line endings, that sets a value in a file of data, or that packs files of one kind.
    """
    room, asked, ledger = context.workspace, conversation.asked, context.ledger
    if ledger.withheld or ledger.untouched or conversation.templates.has_words("questions", asked):
        return ""
    if changed:
        return content_listing.describe_taking(asked, room)
    return (
        rename_examples.describe_shown_renaming(file_listing.iter_paths(room), asked)
        or describe_replacement(asked, room)
        or describe_copies(asked, room)
        or _describe_once(conversation, context)
        or _describe_join(conversation, context)
        or _describe_line_ends(conversation, context)
        or _describe_assignment(conversation, context)
        or _describe_packing(conversation, context)
        or content_listing.describe_taking(asked, room)
    )


def describe_missing_folder(results: Results, request: str) -> str:
    """Give the last block with the folder made first into which it failed to copy, move or unpack, and that a
    request names; "" of any other, and of several lines.
    """
    call, last = results[-1] if results else (None, None)
    found = _NO_FOLDER.search(last.text) if last and last.outcome == "failed" else None
    if not call or call.tool != "bash" or not found or last is None or last.files:
        return ""
    folder = next(filter(None, found.groups())).rstrip("/")
    body = call.body.strip()
    if "\n" in body or "mkdir" in body or folder.startswith("-") or "." in folder:
        return ""
    if not has_name(request, folder):
        return ""
    return f"mkdir -p {shlex.quote(folder)} && {body}"


def _read_named(context: ToolContext, endings: tuple[str, ...] = ("",)) -> dict[str, bytes]:
    """Read the files that the request names and that are there, by their paths; none where one cannot be."""
    paths = [path for path in sorted(context.ledger.named) if path.lower().endswith(endings)]
    with suppress(PathRefused):
        room = context.workspace
        return {path: room.read_bytes(path, COMPARED) for path in paths if room.get_kind(path) == "file"}
    return {}


def _read_texts(context: ToolContext, endings: tuple[str, ...] = ("",)) -> dict[str, str]:
    with suppress(UnicodeError):
        return {path: data.decode() for path, data in _read_named(context, endings).items()}
    return {}


def _describe_once(conversation: Conversation, context: ToolContext) -> str:
    asked, absent, texts = conversation.asked, context.ledger.absent, _read_texts(context)
    if len(texts) != 1 or len(absent) > 1 or conversation.templates.has_words("sorts", asked):
        return ""
    [(path, text)] = texts.items()
    if not content_checks.find_twice(path, text, asked):
        return ""
    return content_checks.describe_once(path, into="".join(absent), request=asked)


def _describe_join(conversation: Conversation, context: ToolContext) -> str:
    tables, absent = _read_texts(context, SEPARATED), context.ledger.absent
    return describe_join(tables, absent[0], conversation.asked) if len(absent) == 1 else ""


def _describe_packing(conversation: Conversation, context: ToolContext) -> str:
    """Give the command that packs the files of one kind that lie in a folder, for a request whose archive has
    no folders in it.
    """
    asked, room, kinds = conversation.asked, context.workspace, list_kinds(conversation.asked) - {"zip"}
    archives = [path for path in context.ledger.absent if path.endswith(".zip") and "/" not in path]
    folders = [
        name for name in room.list_names(".") if room.get_kind(name) == "folder" and has_name(asked, name)
    ]
    if len(archives) != 1 or len(folders) != 1 or len(kinds) != 1 or not NO_FOLDERS.search(asked):
        return ""
    packs = f"python3 -m zipfile -c {shlex.quote(f'../{archives[0]}')} *.{kinds.pop()}"
    return f"cd {shlex.quote(folders[0])} && {packs}"


def _describe_assignment(conversation: Conversation, context: ToolContext) -> str:
    texts = _read_texts(context, KNOWN)
    if len(texts) != 1:
        return ""
    [(path, text)] = texts.items()
    return describe_assignment(path, text, conversation.asked)


def _describe_line_ends(conversation: Conversation, context: ToolContext) -> str:
    asked = conversation.asked
    to_unix, to_windows = (bool(said.search(asked)) for said in (_UNIX, _WINDOWS))
    if not _LINE_ENDS.search(asked) or to_unix == to_windows:
        return ""
    marked = {path: b"\r\n" in data for path, data in _read_named(context).items()}
    paths = [path for path in marked if marked[path] == to_unix and not is_left_out(path, asked)]
    edit = r"s/\r$//" if to_unix else r"s/$/\r/"
    return shlex.join(["sed", "-i", edit, paths[0]]) if len(paths) == 1 else ""
