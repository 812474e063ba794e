"""The tag `edit`: SEARCH/REPLACE pairs applied to one file, all or none.

Line ends, BOM and bytes that are no UTF-8 stay as they are. It needs no reading before:
lines that are copied exactly have been seen.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from tripletick.checkpoint.comparing import difference
from tripletick.messages import Call, Result
from tripletick.paths import PathRefused
from tripletick.tools.pairs import Applied, PairsError, apply_pairs, quote, read_pairs, write_pair
from tripletick.tools.parameters import PATH, SWITCH, ArgumentsError, Form, Parameter, Parameters
from tripletick.tools.reading import is_binary
from tripletick.tools.saving import BOM, Diff, Draft, old_content, read_only, refuse, store
from tripletick.tools.tool import Bench, Running, Tool
from tripletick.tools.walking import closest

LARGEST = 8 << 20
OLD_NAMES = ("old", "old_str", "old_string", "old_text", "find", "before", "original")
NEW_NAMES = ("new", "new_str", "new_string", "new_text", "replacement", "after")
PLACES = 3
"""Changed places that the result shows."""


def edit(call: Call, bench: Bench) -> Running:
    """Apply the block's pairs to the file that its path names."""
    if not call.path:
        text = "Nothing was changed. Write the path so: edit:notes.md"
        return _failed("edit needs a path after the tag", text)
    if bench.mode == "read":
        return read_only()
    try:
        spot = bench.workspace.resolve(call.path, writing=True)
        draft = Draft(call, bench, spot.path, spot.note, old_content(spot.path, bench))
        return (yield from _edit(draft))
    except PathRefused as refused:
        return refuse(str(refused))


def _edit(draft: Draft) -> Running:
    from tripletick.tools.code import only_saved

    try:
        applied, data = _edited(draft)
    except PairsError as wrong:
        return _told(draft, wrong)
    saved = yield from store(draft, data)
    if isinstance(saved, Result):
        return saved
    if saved.unchanged:
        return Result("ok", f"ok, {saved.path} is {saved.note}", "SEARCH and REPLACE are the same.")
    result = yield from only_saved(saved, draft.bench)
    return dataclasses.replace(result, text="\n".join(filter(None, (result.text, _changes(applied)))))


def _called(tag: str, parameters: Parameters, given: Mapping[str, Any]) -> Call:
    """Write the pair that search and replace are. Raises ArgumentsError."""
    try:
        body = write_pair(given["search"], given["replace"])
    except PairsError as wrong:
        raise ArgumentsError(wrong.what) from None
    return Call(tag, body, given["path"], ("all",) if given.get("all") else ())


def _taken(parameters: Parameters, call: Call) -> dict[str, Any]:
    search, replace = read_pairs(call.body)[0].readings[0]
    every = {"all": True} if "all" in call.args else {}
    return {"path": call.path, "search": "\n".join(search), "replace": "\n".join(replace), **every}


FORM = Form(
    (
        PATH,
        Parameter("search", "whole lines, exactly as they stand there", others=OLD_NAMES),
        Parameter("replace", "the new lines", others=NEW_NAMES),
        Parameter("all", "replace every occurrence", SWITCH, "word", required=False, others=("replace_all",)),
    ),
    _called,
    _taken,
)
TOOL = Tool(
    "edit",
    "replaces lines of a file",
    edit,
    writes=True,
    one_file=True,
    example=Call("edit", "<<<<<<< SEARCH\nBuy milk.\n=======\nBuy oat milk.\n>>>>>>> REPLACE", "notes.md"),
    form=FORM,
)


def _edited(draft: Draft) -> tuple[Applied, bytes]:
    """Give the new lines and the new content. Raises PairsError."""
    old = draft.old or b""
    if is_binary(old) or len(old) > LARGEST:
        raise PairsError(f"{draft.path} is {'a binary file' if is_binary(old) else 'too large to be edited'}")
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


def proposed(call: Call, bench: Bench) -> Diff:
    """Give what the block's pairs would change of its file; nothing where they do not fit."""
    with suppress(PathRefused, PairsError):
        path = bench.workspace.resolve(call.path or "", writing=True).path
        if (old := old_content(path, bench)) is not None:
            _, data = _edited(Draft(call, bench, path, "", old))
            return tuple((line.tone, line.text) for line in difference(path, old, data))
    return ()


def _told(draft: Draft, wrong: PairsError) -> Result:
    if draft.old is None and wrong.missing:
        near = closest(draft.path, draft.bench.workspace)
        hint = f"There is: {', '.join(near)}." if near else "To make it, leave SEARCH empty."
        return _failed(f"{draft.path} does not exist", hint, missing=True)
    text = f"Nothing was changed in {draft.path}. {wrong.text}"
    return _failed(wrong.what, text, missing=wrong.missing)


def _failed(why: str, text: str, *, missing: bool = False) -> Result:
    flags = frozenset({"not-found"} if missing else ())
    return Result("failed", f"failed, {why}", text.strip(), flags=flags, tool="edit")


def _changes(applied: Applied) -> str:
    """Show the changed places as they are now."""
    shown = [quote(applied.lines, at, at + many - 1) for at, many in applied.places[:PLACES] if many]
    more = len(applied.places) - PLACES
    return "\n…\n".join(shown) + (f"\n… and {more} more places" if more > 0 else "")
