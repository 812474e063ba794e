"""Says a family's replies in the forms that the product teaches models without training.

The families write what the offline model's cards name: a blank behind a tag, `edit`, `read`, `write`. What
other models are told is one block, with a whole file where a file changes; what they were shown they need
not look at. Not covered: what a reply does (the same in both).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from training.scene import quote_text
from tripletick.dialects.fence import format_call
from tripletick.messages import Call, Message
from tripletick.tools.search_replace import SearchReplaceError, apply_pairs, read_pairs

WHOLE = 25
"""Lines up to which a changed file is written as a whole."""
SEEN = 0.7
"""The share of a result's lines that stood before, from which nothing was learnt by looking."""
PROGRAMS = {".py": "python", ".sh": "bash"}
RUNS = {"python": "python3", "bash": "bash"}
_BLOCK = re.compile(r"^(`{3,})(\w+)(?:: ?\"?([^\"\n]*)\"?)?\n((?s:.*?))\n?\1$", re.M)


def convert_reply(reply: str, root: Path) -> str:
    """Give a reply in these forms; the files in `root` are as they were when it was written."""
    saved: list[Call] = []

    def convert(found: re.Match[str]) -> str:
        call = _convert_call(Call(found[2], found[4], found[3] or None), root)
        if any(_is_run_of(call, one) for one in saved):
            return ""
        saved.append(call)
        return format_call(call)

    return _BLOCK.sub(convert, reply).strip("\n")


def _is_run_of(call: Call, saved: Call) -> bool:
    """Tell whether a block only runs a program that was saved before it, which ran by that."""
    runs = f"{RUNS[saved.tool]} {quote_text(saved.path)}" if saved.path and saved.tool in RUNS else ""
    return call.tool == "bash" and call.body.strip() == runs


def _convert_call(call: Call, root: Path) -> Call:
    path, end = call.path or "", Path(call.path or "").suffix
    if call.tool == "read" and path and not call.body.strip():
        return Call("bash", f"cat {quote_text(path)}")
    if call.tool == "write":
        return Call("text", call.body, path)
    if call.tool == "edit" and (root / path).is_file():
        lines = (root / path).read_text("utf-8").splitlines()
        try:
            new = apply_pairs(lines, read_pairs(call.body)).lines
        except SearchReplaceError:
            return call
        if max(len(lines), len(new)) <= WHOLE:
            return Call(PROGRAMS.get(end, "text"), "\n".join(new), path)
    return call


def drop_looks(messages: Sequence[Message], taught: Sequence[bool]) -> list[bool]:
    """Say which messages stay: a look at what had been shown, which another block follows, goes with what it
    gave.
    """
    stay = [True] * len(messages)
    for at in range(2, len(messages) - 2):
        one, given, after = messages[at : at + 3]
        if one.role != "assistant" or not taught[at] or "\n```" not in f"\n{after.text}":
            continue
        if _is_result(given) and _is_repeated(given.text, "\n".join(each.text for each in messages[:at])):
            stay[at] = stay[at + 1] = False
    return stay


def _is_result(message: Message) -> bool:
    return message.text.startswith("[result 1:")


def _is_repeated(given: str, before: str) -> bool:
    """Tell whether nearly all that was printed stood in the conversation."""
    printed = re.search(r"^(`{3,})output\n((?s:.*?))\n\1$", given, re.M)
    lines = [line.strip() for line in printed[2].splitlines() if line.strip()] if printed else []
    return bool(lines) and sum(line in before for line in lines) >= SEEN * len(lines)
