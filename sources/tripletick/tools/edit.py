"""The tag `edit`: SEARCH/REPLACE pairs applied to one file, all or none.

Line ends, BOM and bytes that are no UTF-8 stay as they are. It needs no reading before:
lines that are copied exactly have been seen.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from tripletick.checkpoint.diffs import diff_contents
from tripletick.messages import Call, Result
from tripletick.paths import PathRefused
from tripletick.tools.file_reader import is_binary
from tripletick.tools.file_walk import find_closest_paths
from tripletick.tools.file_writer import (
    BOM,
    Diff,
    FileDraft,
    make_read_only_result,
    make_refusal,
    read_old_content,
    write_draft,
)
from tripletick.tools.parameters import PATH, SWITCH, ArgumentsError, CallSchema, Parameter, Parameters
from tripletick.tools.search_replace import (
    AppliedPairs,
    SearchReplaceError,
    apply_pairs,
    quote_lines,
    read_pairs,
    write_pair,
)
from tripletick.tools.tool import Running, Tool, ToolContext

LARGEST = 8 << 20
OLD_NAMES = ("old", "old_str", "old_string", "old_text", "find", "before", "original")
NEW_NAMES = ("new", "new_str", "new_string", "new_text", "replacement", "after")
PLACES = 3
"""Changed places that the result shows."""


def edit_file(call: Call, context: ToolContext) -> Running:
    """Apply the block's pairs to the file that its path names."""
    if not call.path:
        text = "Nothing was changed. Write the path so: edit:notes.md"
        return _make_failure("edit needs a path after the tag", text)
    if context.mode == "read":
        return make_read_only_result()
    try:
        spot = context.workspace.resolve_path(call.path, writing=True)
        draft = FileDraft(call, context, spot.path, spot.note, read_old_content(spot.path, context))
        return (yield from _apply_edit(draft))
    except PathRefused as refused:
        return make_refusal(str(refused))


def _apply_edit(draft: FileDraft) -> Running:
    from tripletick.tools.code import check_saved_file

    try:
        applied, data = _compute_edit(draft)
    except SearchReplaceError as wrong:
        return _report_mismatch(draft, wrong)
    saved = yield from write_draft(draft, data)
    if isinstance(saved, Result):
        return saved
    if saved.unchanged:
        return Result("ok", f"ok, {saved.path} is {saved.note}", "SEARCH and REPLACE are the same.")
    result = yield from check_saved_file(saved, draft.context)
    return dataclasses.replace(result, text="\n".join(filter(None, (result.text, _format_changes(applied)))))


def _build_call(tag: str, parameters: Parameters, given: Mapping[str, Any]) -> Call:
    """Write the pair that search and replace are. Raises ArgumentsError."""
    try:
        body = write_pair(given["search"], given["replace"])
    except SearchReplaceError as wrong:
        raise ArgumentsError(wrong.what) from None
    return Call(tag, body, given["path"], ("all",) if given.get("all") else ())


def _extract_arguments(parameters: Parameters, call: Call) -> dict[str, Any]:
    search, replace = read_pairs(call.body)[0].readings[0]
    every = {"all": True} if "all" in call.args else {}
    return {"path": call.path, "search": "\n".join(search), "replace": "\n".join(replace), **every}


FORM = CallSchema(
    (
        PATH,
        Parameter("search", "whole lines, exactly as they stand there", others=OLD_NAMES),
        Parameter("replace", "the new lines", others=NEW_NAMES),
        Parameter("all", "replace every occurrence", SWITCH, "word", required=False, others=("replace_all",)),
    ),
    _build_call,
    _extract_arguments,
)
TOOL = Tool(
    "edit",
    "replaces lines of a file",
    edit_file,
    writes=True,
    one_file=True,
    example=Call("edit", "<<<<<<< SEARCH\nBuy milk.\n=======\nBuy oat milk.\n>>>>>>> REPLACE", "notes.md"),
    form=FORM,
)


def _compute_edit(draft: FileDraft) -> tuple[AppliedPairs, bytes]:
    """Give the new lines and the new content. Raises PairsError."""
    old = draft.old or b""
    if is_binary(old) or len(old) > LARGEST:
        raise SearchReplaceError(
            f"{draft.path} is {'a binary file' if is_binary(old) else 'too large to be edited'}"
        )
    # Bytes that are no UTF-8 come back as they were.
    text = old.removeprefix(BOM).decode("utf-8", "surrogateescape")
    ended = text.endswith("\n") or not text
    lines = text.removesuffix("\n").split("\n") if text else []
    body = draft.call.body.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    applied = apply_pairs(lines, read_pairs(body), every="all" in draft.call.args)
    joined = "\n".join(applied.lines)
    new = joined + "\n" if ended and applied.lines else joined.removesuffix("\r")
    data = new.encode("utf-8", "surrogateescape")
    return applied, (BOM + data if old.startswith(BOM) else data)


def preview_diff(call: Call, context: ToolContext) -> Diff:
    """Give what the block's pairs would change of its file; nothing where they do not fit."""
    with suppress(PathRefused, SearchReplaceError):
        path = context.workspace.resolve_path(call.path or "", writing=True).path
        if (old := read_old_content(path, context)) is not None:
            _, data = _compute_edit(FileDraft(call, context, path, "", old))
            return tuple((line.tone, line.text) for line in diff_contents(path, old, data))
    return ()


def _report_mismatch(draft: FileDraft, wrong: SearchReplaceError) -> Result:
    if draft.old is None and wrong.missing:
        near = find_closest_paths(draft.path, draft.context.workspace)
        hint = f"There is: {', '.join(near)}." if near else "To make it, leave SEARCH empty."
        return _make_failure(f"{draft.path} does not exist", hint, missing=True)
    text = f"Nothing was changed in {draft.path}. {wrong.text}"
    return _make_failure(wrong.what, text, missing=wrong.missing)


def _make_failure(why: str, text: str, *, missing: bool = False) -> Result:
    flags = frozenset({"not-found"} if missing else ())
    return Result("failed", f"failed, {why}", text.strip(), flags=flags, tool="edit")


def _format_changes(applied: AppliedPairs) -> str:
    """Show the changed places as they are now."""
    shown = [quote_lines(applied.lines, at, at + many - 1) for at, many in applied.places[:PLACES] if many]
    more = len(applied.places) - PLACES
    return "\n…\n".join(shown) + (f"\n… and {more} more places" if more > 0 else "")
