"""How files and folders are shown to the model: whole where they are short, else by their beginning; tables
by their columns and first rows.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from contextlib import suppress

from tripletick.dialects.fence.feedback import wrap_in_fence
from tripletick.languages.registry import detect_language
from tripletick.paths import PathRefused
from tripletick.system.text import format_count
from tripletick.tools import data_summary
from tripletick.tools.file_reader import is_binary
from tripletick.tools.file_walk import list_names, shorten_names
from tripletick.tools.tool import ToolContext

LARGEST = 1 << 20
"""Bytes; of a larger file nothing goes along."""
TABLE = 1500
"""Characters; a larger table goes along by its first rows."""
ENTRIES = 20
"""Names of a folder."""
WHOLE = "{path}, {lines}:"
PART = "{path}, the first {shown} of {lines}:"
TABLED = "{path} has {said}; read or change it in a python block, with {reader}. It begins:"
DATA, READ = ", {said}", "; read or change it in a python block, with {reader}"
HOLDS = "{path}/ holds: {names}"


def format_folder(path: str, context: ToolContext) -> str:
    with suppress(PathRefused):
        names = shorten_names(list_names(path, context.workspace), ENTRIES)
        return HOLDS.format(path=path, names=", ".join(names) or "nothing")
    return ""


def format_file(path: str, context: ToolContext, room: int) -> str:
    """Show a file, "" where it was shown as it is, cannot be or is no text."""
    with suppress(PathRefused):
        data = context.workspace.read_shown(path, LARGEST + 1)
        if len(data) > LARGEST or is_binary(data) or not data.strip() or context.ledger.has_shown(path, data):
            return ""
        text = data.decode("utf-8", "replace").lstrip("\ufeff")
        reader = data_summary.suggest_reader(path, text, marked=data.startswith(BOM_UTF8))
        lines, (name,) = text.splitlines(), shorten_names([path], 1)
        if (told := data_summary.summarize_data(path, text)) and len(text) > min(TABLE, room):
            return format_fenced(
                TABLED.format(path=name, said=told[0], reader=reader),
                told[1][: room // 2],
            )
        if len(text) <= room:
            context.ledger.record_shown(path, data)
            form = DATA if context.ledger.as_whole else DATA + READ
            said = form.format(said=told[0], reader=reader) if told else ""
            return format_fenced(
                WHOLE.format(path=name + said, lines=format_count(len(lines), "line")), text, path
            )
        kept = text[: room // 2].splitlines()[:-1]
        return format_fenced(
            PART.format(path=name, shown=len(kept), lines=format_count(len(lines), "line")),
            "\n".join(kept),
            path,
        )
    return ""


def format_fenced(head: str, text: str, path: str = "") -> str:
    language = detect_language(path) if path else None
    return f"{head}\n{wrap_in_fence(text.rstrip(), language.tag if language else 'text')}"
