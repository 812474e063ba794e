"""A session that is gone on with, told again: what was asked, said and run, from its log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acp import helpers

from tripletick.acp.updates import KINDS, make_text
from tripletick.acp.wire import Update
from tripletick.event_log.session_log import Record, clean_text
from tripletick.history.transcript import Part, transcript


def replay_session(records: Iterable[Record]) -> Iterator[Update]:
    """Give the updates that tell a session from its beginning."""
    for number, part in enumerate(transcript(records).parts, 1):
        yield from _replay_part(part, f"past-{number}")


def _replay_part(part: Part, name: str) -> Iterator[Update]:
    text = clean_text(part.text)
    match part.kind:
        case "request":
            yield helpers.update_user_message_text(text)
        case "thought":
            yield helpers.update_agent_thought_text(text)
        case "reply":
            yield helpers.update_agent_message_text(f"{text}\n\n")
        case "result" | "command":
            tool, _, verdict = part.title.partition(" ")
            ok = part.kind == "command" or verdict.startswith("ok")
            yield helpers.start_tool_call(
                name,
                clean_text(part.title) or "command",
                kind=KINDS.get(tool, "execute"),
                status="completed" if ok else "failed",
                content=[make_text(text)] if text.strip() else None,
            )
        case _:
            quoted = "\n".join(filter(None, (clean_text(part.title), text))).strip().replace("\n", "\n> ")
            yield helpers.update_agent_message_text(f"\n\n> {quoted}\n\n")
