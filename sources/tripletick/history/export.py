"""A session as Markdown and as JSON, and the file that an export is written to; its HTML is in page.py."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path

from tripletick.dialects.fence.feedback import wrap_in_fence
from tripletick.dialects.fence.lines import track_open_fence
from tripletick.errors import UsageError
from tripletick.event_log.session_log import Record
from tripletick.history import page
from tripletick.history.history import rebuild
from tripletick.history.transcript import Part, Transcript, joined, transcript
from tripletick.system.text import describe_os_error


def markdown(records: Sequence[Record]) -> str:
    """Give a session as Markdown: requests quoted, replies as they were written, results below them."""
    told = transcript(records)
    parts = [text for part in told.parts if (text := WRITTEN[part.kind](part))]
    return "\n\n".join([f"# {told.title or told.id}", about(told), *parts]) + "\n"


def as_json(records: Sequence[Record]) -> str:
    """Give a session as one JSON object: what it was, the messages of its conversation, its events."""
    told, past = transcript(records), rebuild(records)
    whole = {
        "session": told.id,
        "workspace": told.workspace,
        "started": told.started,
        "model": told.model,
        "title": told.title,
        "messages": [{"role": one.message.role, "text": one.message.all_text} for one in past.entries],
        "events": list(joined(records)),
    }
    try:
        return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
    except UnicodeEncodeError:
        return json.dumps(whole, indent=1) + "\n"


def html(records: Sequence[Record]) -> str:
    """Give a session as one page that needs nothing beside it."""
    told = transcript(records)
    return page.written(told, about(told))


FORMATS: dict[str, Callable[[Sequence[Record]], str]] = {"md": markdown, "html": html, "json": as_json}
"""By the ends of file names."""


def about(told: Transcript) -> str:
    """Give one line on a session."""
    started = told.started.replace("T", " ").replace("+00:00", " UTC")
    return " · ".join(filter(None, (told.id, started, told.model, told.workspace)))


def save(path: Path, text: str) -> None:
    """Write a new file of the user's. Raises UsageError where one is there, or it cannot be written."""
    try:
        with path.open("x", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except FileExistsError as error:
        why = "Existing files are not overwritten."
        raise UsageError(
            f"{path} already exists.", why, "Choose another name, or remove that file."
        ) from error
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written.", f"{describe_os_error(error)}.", "Choose another location."
        ) from error


def _quoted(part: Part) -> str:
    lines = part.text.rstrip("\n").split("\n")
    head = f"## @{part.title}" if part.title else "##"
    return "\n".join([head, "", *(f"> {line}".rstrip() for line in lines)])


def _fenced(part: Part, tag: str) -> str:
    return wrap_in_fence(part.text.rstrip("\n"), tag)


def _closed(part: Part) -> str:
    """Give a reply, with the fence closed that it may have left open."""
    text = part.text.strip("\n")
    fence = reduce(track_open_fence, text.split("\n"), "")
    return f"{text}\n{fence}" if fence else text


def _result(part: Part) -> str:
    head = f"*{part.title}*"
    return f"{head}\n\n{_fenced(part, 'output')}" if part.text.strip() else head


WRITTEN: dict[str, Callable[[Part], str]] = {
    "request": _quoted,
    "reply": _closed,
    "thought": lambda part: "",
    "command": lambda part: f"## !\n\n{_fenced(part, 'bash')}",
    "result": _result,
    "plan": lambda part: f"**{part.title}**\n\n{_fenced(part, 'text')}",
    "task": lambda part: f"### {part.title}: {' '.join(part.text.split())}",
    "note": lambda part: f"*{part.text}*",
    "end": lambda part: f"**{part.text}**",
}
