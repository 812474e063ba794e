"""Saving a file for the model without losing the user's work: the rules, in their order.

A file that was there before and has been neither read nor written in this session is not replaced; what seems
to leave lines out is asked for. Whether the content is right is not looked at here (check.py).
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass

from tripletick.checkpoint.diffs import count_lines as count_lines
from tripletick.checkpoint.diffs import diff_contents
from tripletick.events import Ask, Output
from tripletick.languages.registry import detect_language, is_foreign_path
from tripletick.messages import Answer, Call, FileChange, Result
from tripletick.paths import PathRefused
from tripletick.system.text import format_count, format_size
from tripletick.tools.content_loss import find_placeholders, find_shrinkage
from tripletick.tools.file_reader import is_binary, number_lines, split_lines
from tripletick.tools.tool import ToolContext

LARGEST = 64 << 20
"""Bytes of an old file that are looked at."""
FIRST_LINES = 20
LEAST = 0.6
"""The part of a file's lines that a block with the tag of something else must leave."""
BOM = b"\xef\xbb\xbf"

EDIT_FORM = """\
To change it, send edit:{path} with this body:
<<<<<<< SEARCH
the lines to replace, exactly as they stand in {path}
=======
the new lines
>>>>>>> REPLACE"""
ALL_SHOWN = "That is all of it: it counts as read, so a new version of the whole file can be saved now."
PART_SHOWN = "To replace it as a whole, read it first with a read block."
LEFT_OUT = "it has the line “{line}”, which seems to stand for lines that are left out"
SHRUNK = "{path} would shrink from {before} to {after} lines"
READ_ONLY = "read-only"
"""Marks what was not saved because blocks may only read."""
MISSING = 10
"""Lines that are named."""
LACKING = "{path} was not saved. Write all of its lines. These are missing:"
WHOLE = "{path} was not saved: {why}. Send all of its lines, or only the ones that change:\n{form}"


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file that holds what the model wrote; `note` is for the verdict. `unchanged`: it held that before."""

    path: str
    change: FileChange
    note: str = ""
    unchanged: bool = False

    @property
    def files(self) -> tuple[FileChange, ...]:
        """What was written: nothing where the file held that already."""
        return () if self.unchanged else (self.change,)


Diff = tuple[tuple[str, str], ...]
"""Lines, each with its tone."""
REPLACE = "Replace {path} (+{added} -{removed})?"
REPLACE_WHY = "[approval] diff = yes: each change to your files is shown before it is made."
NOBODY = "was not run: replacing {path} needs the person's yes, and nobody is there to ask"

Saving = Generator[Output | Ask, Answer | None, SavedFile | Result]


@dataclass(frozen=True, slots=True)
class FileDraft:
    """What shall be saved, and what lies there: `old` is None where nothing does."""

    call: Call
    context: ToolContext
    path: str
    note: str
    old: bytes | None

    @property
    def is_created(self) -> bool:
        return self.path in self.context.ledger.made

    @property
    def is_known(self) -> bool:
        return self.is_created or self.path in self.context.ledger.known

    @property
    def is_append(self) -> bool:
        return self.call.tool == "append" or "append" in self.call.args


def save_file(call: Call, context: ToolContext) -> Saving:
    """Save the body under the call's path, by the rules; a Result says why it was not saved."""
    if context.mode == "read":
        return make_read_only_result()
    try:
        spot = context.workspace.resolve_path(call.path or "", writing=True)
        draft = FileDraft(call, context, spot.path, spot.note, read_old_content(spot.path, context))
        data = _build_content(draft)
        if draft.old != data and (wrong := _find_refusal(draft)):
            return wrong
        return (yield from write_draft(draft, data))
    except PathRefused as refused:
        return make_refusal(str(refused))


def write_draft(draft: FileDraft, data: bytes) -> Saving:
    """Write `data`, after a question where lines seem to be lost. Raises PathRefused."""
    path, ledger = draft.path, draft.context.ledger
    if draft.old == data or (ledger.lacks_repair(path) and _differ_in_empty_lines(draft.old, data)):
        ledger.known.add(path)
        note = "; ".join(filter(None, ("unchanged", draft.note)))
        return SavedFile(path, FileChange(path, "changed"), note, unchanged=True)
    if losses := _describe_losses(draft, data):
        question, diff = f"{path}: {losses}. Save it anyway?", _make_diff(draft, data)
        answer = yield Ask(question, "yn?", losses, draft.call, diff=diff)
        if answer is None or answer.choice != "y":
            return _refuse_losses(draft, losses, answer)
    elif refused := (yield from _ask_to_replace(draft, data)):
        return refused
    change = draft.context.workspace.write_bytes(path, data)
    ledger.record_write(path, created=draft.old is None)
    if draft.call.tool != "edit" and not draft.is_append:
        ledger.record_shown(path, data)
    return SavedFile(path, change, draft.note)


def _differ_in_empty_lines(old: bytes | None, new: bytes) -> bool:
    """Tell whether two versions have the same lines, but for empty ones and blanks at their ends."""
    lines = [[line.rstrip() for line in data.splitlines() if line.strip()] for data in (old or b"", new)]
    return lines[0] == lines[1] != []


def preview_diff(call: Call, context: ToolContext) -> Diff:
    """Give what a block would change of a file that is there already; nothing for one that would be new, or
    that cannot be written at all.
    """
    with suppress(PathRefused):
        path = context.workspace.resolve_path(call.path or "", writing=True).path
        if (old := read_old_content(path, context)) is not None:
            draft = FileDraft(call, context, path, "", old)
            return _make_diff(draft, _build_content(draft))
    return ()


def _make_diff(draft: FileDraft, data: bytes) -> Diff:
    return tuple((line.tone, line.text) for line in diff_contents(draft.path, draft.old or b"", data))


def _ask_to_replace(draft: FileDraft, data: bytes) -> Generator[Output | Ask, Answer | None, Result | None]:
    """Show the user what becomes of a file of theirs and ask, where they want that; None for a yes."""
    context = draft.context
    if not context.diff or context.agreed or context.ledger.replaces or draft.old is None or draft.is_created:
        return None
    added, removed = count_lines(lines := diff_contents(draft.path, draft.old, data))
    diff = tuple((line.tone, line.text) for line in lines)
    question = REPLACE.format(path=draft.path, added=added, removed=removed)
    answer = yield Ask(question, "yns?", REPLACE_WHY, draft.call, diff=diff)
    if answer is None or not answer.there:
        return Result("forbidden", NOBODY.format(path=draft.path), flags=frozenset({"refused"}))
    context.ledger.replaces = answer.choice == "s"
    if answer.choice in ("y", "s"):
        return None
    words = f": {answer.text}" if answer.text else ""
    return Result("denied", f"refused by the person{words}", flags=frozenset({"refused"}))


def read_old_content(path: str, context: ToolContext) -> bytes | None:
    """Give what a file holds, None where there is none. Raises PathRefused for what is no file."""
    kind = context.workspace.get_kind(path)
    if kind == "missing":
        return None
    if kind != "file":
        what = "a folder" if kind == "folder" else "no regular file"
        raise PathRefused(f"{path} is {what}; write the file's whole path")
    return context.workspace.read_shown(path, LARGEST)


def encode_text(text: str, path: str, old: bytes | None) -> bytes:
    """Encode a whole file, with BOM and line ends of the one that it replaces; where no program of its
    language works with Windows line ends, without these.
    """
    language = detect_language(path)
    keeps_ends = not (language and language.unix)
    data = text.replace("\0", "\ufffd").encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()
    if data and not data.endswith(b"\n"):
        data += b"\n"
    if keeps_ends and old and b"\n" in old and old.count(b"\n") == old.count(b"\r\n"):
        data = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    return BOM + data if old and old.startswith(BOM) and not data.startswith(BOM) else data


def make_refusal(why: str, text: str = "", *flags: str, tool: str = "") -> Result:
    """Word a refusal by our own rules."""
    return Result("failed", f"failed, refused: {why}", text, flags=frozenset(("refused", *flags)), tool=tool)


def make_read_only_result() -> Result:
    line = "needs leave to write in this folder, which is off"
    return Result("forbidden", line, flags=frozenset({READ_ONLY}))


def format_edit_form(path: str) -> str:
    return EDIT_FORM.format(path=path)


def _build_content(draft: FileDraft) -> bytes:
    if not draft.is_append or draft.old is None:
        return encode_text(draft.call.body, draft.path, draft.old)
    if len(draft.old) == LARGEST:
        raise PathRefused(f"{draft.path} is too large to be added to here; use a bash block")
    glue = b"" if draft.old.endswith(b"\n") or not draft.old else b"\n"
    return draft.old + glue + encode_text(draft.call.body, draft.path, draft.old).removeprefix(BOM)


def _find_refusal(draft: FileDraft) -> Result | None:
    """Give the first rule that is broken, None where a file may be written."""
    path = draft.path
    if not draft.old or draft.is_created:
        return _refuse_abridged(draft, draft.old) if draft.old else None  # nothing is lost
    if draft.call.timid:
        why = f"{path} exists, and a path in the first comment can only create a file"
        return make_refusal(why, f"Write the path after the tag to replace it: {draft.call.tool}:{path}")
    if draft.context.ledger.only_asks:
        why = f"{path} is there, and the task asks for no change of it"
        return make_refusal(why, "To run it, or to look at it, begin the block with ```bash")
    if draft.is_append:
        why = f"{path} was not made in this turn, so nothing can be appended to it"
        return make_refusal(why, format_edit_form(path))
    if why := _find_foreign_loss(draft, draft.old):
        return make_refusal(
            why, f"To save other text there, write it under text:{path}, with all of its lines."
        )
    known = draft.is_known or not draft.context.trial.known_files
    return None if known else _refuse_unread(draft, draft.old)


def _refuse_abridged(draft: FileDraft, old: bytes) -> Result | None:
    """Refuse a rewrite of what this turn made that has words in the place of lines; name what is missing."""
    if draft.is_append:
        return None
    before, body = old.decode("utf-8", "replace"), draft.call.body
    if not (left_out := find_placeholders(before, body, draft.path)):
        return None
    kept = {line.strip() for line in body.splitlines()}
    missing = [line for line in before.splitlines() if line.strip() and line.strip() not in kept]
    if not missing:
        return None
    more = [f"… and {len(missing) - MISSING} more lines"] if len(missing) > MISSING else []
    text = "\n".join((LACKING.format(path=draft.path), *missing[:MISSING], *more))
    return make_refusal(LEFT_OUT.format(line=left_out[0]), text, tool=draft.call.tool)


def _find_foreign_loss(draft: FileDraft, old: bytes) -> str:
    """Say why a program's tag must not replace a file that is none of it: most of its lines would be lost."""
    if not is_foreign_path(draft.call.tool, draft.path):
        return ""
    before = {line for line in split_lines(old) if line.strip()}
    kept = before.intersection(draft.call.body.splitlines())
    if len(kept) >= len(before) * LEAST:
        return ""
    lost = len(before) - len(kept)
    return f"{draft.path} would lose {lost} of its {len(before)} lines to a {draft.call.tool} block"


def _refuse_unread(draft: FileDraft, old: bytes) -> Result:
    """Refuse to replace what nobody has looked at, and show it; shown as a whole it counts as read."""
    path, why = draft.path, f"{draft.path} exists and has not been read"
    if is_binary(old):
        return make_refusal(
            why, f"{path} is a binary file, {format_size(len(old))}. Save under another name."
        )
    lines = split_lines(old)
    shown = number_lines(lines[:FIRST_LINES], 1, draft.context.clip // 2)
    whole = len(shown) == len(lines) and not any("characters more" in row for row in shown)
    if whole:
        draft.context.ledger.known.add(path)
    rest = ":" if whole else f", the first {len(shown)} are:"
    head = f"{path} was not replaced. It has {format_count(len(lines), 'line')}{rest}"
    return make_refusal(
        why, "\n".join((head, *shown, format_edit_form(path), ALL_SHOWN if whole else PART_SHOWN))
    )


def _describe_losses(draft: FileDraft, data: bytes) -> str:
    """Say what the new content seems to lose, "" where nothing or where this turn made the file."""
    if draft.old is None or draft.is_created or draft.is_append:
        return ""
    old, new = (each.decode("utf-8", "replace") for each in (draft.old, data))
    said = [LEFT_OUT.format(line=line) for line in find_placeholders(old, new, draft.path)[:1]]
    if draft.call.tool != "edit" and (lines := find_shrinkage(old, new)):
        said.append(SHRUNK.format(path=draft.path, before=lines[0], after=lines[1]))
    return "; ".join(said)


def _refuse_losses(draft: FileDraft, losses: str, answer: Answer | None) -> Result:
    text = WHOLE.format(path=draft.path, why=losses, form=format_edit_form(draft.path))
    if answer is None or not answer.there:
        verdict = "refused: lines seem to be lost, and no person is there to agree"
        return Result("forbidden", verdict, text, flags=frozenset({"refused"}))
    verdict = f"refused by the person: {answer.text or 'lines would be lost'}"
    return Result("denied", verdict, text, flags=frozenset({"refused"}))
