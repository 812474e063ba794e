"""Which file of a request is still wanted: one that is not there, was left empty, has lost lines, or is as it
was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from tripletick.languages.registry import is_document, is_program_path
from tripletick.models.conversation import Conversation
from tripletick.paths import PathRefused
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.data_summary import SEPARATED
from tripletick.tools.file_listing import normalize_name
from tripletick.tools.file_walk import shorten_names
from tripletick.tools.tool import ToolContext
from tripletick.turn.attempts import Attempts, Results
from tripletick.turn.claims import is_stated
from tripletick.turn.effects import REWRITTEN, Effects
from tripletick.turn.file_mentions import PLACE, is_named_after
from tripletick.turn.losses import INTO
from tripletick.turn.rename_examples import iter_shown_renames

_ASIDE = lazy_regex(r"(?i)(?<=\w) (?:when|where|since|how) (?:I|we|you|he|she|it|they)\b[^.,;!?\n]{0,80}")
"""What tells how something came to be, and asks nothing."""
AS_FOLDER = "{path} (a file, not a folder)"
_LEAVES_OUT = (
    r"(?i)(?:(?:n.t|\b(?:not|never))(?: (?:include|use|take|touch|change|read|copy|move|delete|add))\b"
    r"|\b(?:without|except|exclud\w*|ignor\w*|skip\w*|nicht|ohne|außer|sans|sauf|sin|salvo|senza|tranne|zonder)\b)"
)
"""What says that a file is not to be taken."""


def find_wanted_file(
    conversation: Conversation, context: ToolContext, results: Results, changed: Effects, tries: Attempts
) -> tuple[str, str] | None:
    """Give the sentence that asks for a file, and the file: one that the request names was left empty or is
    not there yet, or a new program wants arguments of which the request says nothing.
    """
    said, last = conversation.templates, results[-1][1] if results else None
    if spoiled := _find_spoiled_text(conversation, context, changed):
        context.ledger.wanted = spoiled[1]
        return spoiled
    if last and last.files and "arguments" in last.flags and said.lacks_words("given", conversation.asked):
        path = last.files[-1].path
        if path in context.ledger.made and not _shows_arguments(path, conversation.asked):
            return "bare", path
    lacking = _find_missing_files(conversation, context, changed)
    if last and last.ok and lacking and not tries.reminded:
        tries.reminded = True
        if not is_program_path(lacking[0]) and lacking[0] != context.ledger.asked:
            return "absent", lacking[0]
        context.ledger.wanted = lacking[0]
        return "program", lacking[0]
    looked = last and last.ok and (last.text or tries.changed) and changed.text
    if looked and (path := _find_untouched(conversation, context, changed, tries)):
        return "undone", shorten_names([path], 1)[0]
    return None


def find_unmade_text(conversation: Conversation, context: ToolContext, results: Results) -> str:
    """Give the text that is to be made, where a command has looked for that first, and in vain; none that is
    worked out from data.
    """
    if context.ledger.computes:
        return ""
    told = [result.text for _, result in results if result.outcome == "failed"]
    missing = re.search(rf"'?({PLACE.pattern})'?: No such file", told[0]) if told else None
    lacking = find_lacking(conversation, context, "") if missing else ()
    return next((path for path in lacking if missing and path == missing[1] and is_document(path)), "")


def find_only_text(conversation: Conversation, context: ToolContext) -> str:
    """Give the one short file that the request names, that the model has seen, and that is to be changed."""
    said, ledger = conversation.templates, context.ledger
    other = any(said.has_words(kind, conversation.asked) for kind in ("moves", "deletes"))
    if ledger.absent or ledger.untouched or other:
        return ""
    named = [path for path in ledger.named if context.workspace.get_kind(path) == "file"]
    known = [path for path in named if path in ledger.known and not path.lower().endswith(SEPARATED)]
    short = [path for path in known if context.workspace.describe_path(path).size <= REWRITTEN]
    return short[0] if len(named) == len(short) == 1 else ""


def find_lacking(conversation: Conversation, context: ToolContext, written: str) -> Iterator[str]:
    """Give the files that the request wants made and that are not there, with a word where a folder has their
    name; `written` names what was made: one that lies in a folder is there if the request speaks of that.
    """
    for path in _find_named_outputs(conversation, context):
        with suppress(PathRefused):
            kind = context.workspace.get_kind(path)
            if kind == "folder":
                yield AS_FOLDER.format(path=path)
            elif kind == "missing" and not _lies_where_asked(path, written, conversation):
                yield path


def _find_spoiled_text(
    conversation: Conversation, context: ToolContext, changed: Effects
) -> tuple[str, str] | None:
    """Give the sentence for a file that was left empty, or that has lost lines, and the file."""
    blank = conversation.templates.lacks_words("blank", conversation.asked)
    hollow = changed.emptied[0] if changed.emptied and blank else ""
    if hollow in context.ledger.named:
        return "hollow", hollow
    losses = (flaw.path for flaw in changed.flaws if flaw.lost)
    spoiled = next(losses, "")
    return ("lost", spoiled) if spoiled in context.ledger.named | context.ledger.known else None


def _shows_arguments(path: str, request: str) -> bool:
    """Tell whether a request shows the program with arguments: `python3 table.py 7`, `table.py FILE`."""
    name = re.escape(path.rpartition("/")[2])
    started = rf"(?:\b(?:python3?|node|bash|sh|ruby|perl|php)|\./)[ ]*(?:\S*/)?{name}[ ]+[^\s.,;:!?)\"'`]"
    return bool(re.search(rf"{started}|{name}[ ]+(?:[-+]?\d|[\"'<\[-]|[A-Z]{{2,}}|[A-Z]\b)", request))


def _find_named_outputs(conversation: Conversation, context: ToolContext) -> Sequence[str]:
    """Give the files that were not there and that the request wants made; where it has no word for making,
    the program, text or table that a statement of it names: "the mean of b.csv in mean.txt, one digit".
    """
    said, asked, absent = conversation.templates, conversation.asked, context.ledger.absent
    if absent and (olds := {old for old, _ in iter_shown_renames(asked, absent)}):
        absent = tuple(path for path in absent if path not in olds)
    absent = tuple(path for path in absent if not is_left_out(path, asked))
    if said.has_words("withheld", asked):
        return ()
    if said.has_words("makes", asked):
        return absent
    if not all(said.lacks_words(kind, asked) for kind in ("makes", "moves", "finds", "repairs")):
        return ()
    wanted = (path for path in absent if is_document(path) or path == context.ledger.asked)
    return [path for path in wanted if is_stated(path.rpartition("/")[2], asked)]


def is_left_out(path: str, request: str) -> bool:
    """Tell whether a request names a file as one that is not to be taken: "don't include a.txt"."""
    name = re.escape(path.rpartition("/")[2])
    return bool(re.search(rf"{_LEAVES_OUT}[^.;\n]{{0,40}}?(?<![\w.-]){name}(?![\w-]|\.\w)", request))


def _find_missing_files(conversation: Conversation, context: ToolContext, changed: Effects) -> Sequence[str]:
    """Give the files that the request wants made and that neither are there nor were made in a folder."""
    if not conversation.templates.has_words("makes", conversation.asked):
        return ()  # it may be one that is to be read, and would be made up
    return list(find_lacking(conversation, context, changed.text))


def _lies_where_asked(path: str, written: str, conversation: Conversation) -> bool:
    """Tell whether what was written has a file of this name in a folder that the request speaks of, or at the
    end of a name with blanks.
    """
    asked = conversation.asked.casefold()
    spots = [found[1] for found in re.finditer(rf"(?:([^\s,]+)/| ){re.escape(path)}\b", written)]
    if None in spots or (spots and conversation.templates.has_words("folders", asked)):
        return True
    folders = (folder for spot in spots for folder in spot.casefold().split("/"))
    return any(re.search(rf"\b(?:{INTO}) {re.escape(folder)}\b", asked) for folder in folders)


def _find_untouched(
    conversation: Conversation, context: ToolContext, changed: Effects, tries: Attempts
) -> str:
    """Give the file or folder that a request names and wants changed, where nothing was yet, or one of nearly
    the same name was made in its place; once a turn.
    """
    said, asked = conversation.templates, conversation.asked
    told = _ASIDE.sub(" ", asked)
    wants = said.has_words("alters", asked) and not any(
        said.has_words(kind, told) for kind in ("tells", "withheld")
    )
    if tries.sent_back or not wants or context.ledger.untouched:
        return ""
    made = {normalize_name(path): path for path in changed.created}
    kinds = {path: context.workspace.get_kind(path) for path in context.ledger.named if path != "."}
    there = [path for path, kind in kinds.items() if kind in ("file", "folder")]
    named = [path for path in there if not tries.changed or made.get(normalize_name(path), path) != path]
    if not named and len(there) == len(made) == 1 and said.lacks_words("copies", asked):
        [new] = made.values()
        named = there if is_named_after(new, there[0]) and new not in asked else []
    tries.sent_back = bool(named)
    return min(named, key=asked.find, default="")
