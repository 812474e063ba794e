"""Slash commands that give the user something: an output in full, a copy, an editor, the reasoning."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tripletick.chat.commands.chat_context import ChatContext
from tripletick.dialects.fence import parse_reply
from tripletick.dialects.fence.parse_options import ASKS
from tripletick.errors import TripletickError, UsageError
from tripletick.session import agent_models
from tripletick.system.dirs import make_private_folder
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import describe_os_error, parse_number
from tripletick.ui import clipboard, external_editor
from tripletick.ui.preview import CodeLine, FenceClosed, FenceOpened, ReplyPreview

NOT_YET = "The model has not answered yet."
NO_EDITOR = "No editor is set. To set one: EDITOR=nano tripletick"
COPIED = "Copied to the clipboard: {count} characters."
THROUGH_TMUX = (
    "Copied {count} characters through tmux and saved them to {path}. If they did not reach the "
    "clipboard: tmux set -g allow-passthrough on"
)
KEPT = (
    "The clipboard cannot be reached: wl-copy, xclip and pbcopy are missing, and the terminal does "
    "not support copying. Saved to {path} instead."
)
LAST = "last"
_ASKS = lazy_regex(f"^{ASKS.pattern}", re.MULTILINE)
NO_REASONING = "This chat has no reasoning yet."
THOUGHTS = {
    "yes": "Reasoning is on.",
    "no": "Reasoning is off.",
    "auto": "The model decides whether to reason.",
}


def show_output(desk: ChatContext, number: str) -> None:
    """Show a long output in full, by the number that its excerpt names."""
    numbers = desk.terminal.list_outputs()
    if (at := parse_number(number)) and desk.terminal.show_output(at):
        return
    there = (
        f"There are: {', '.join(map(str, numbers))}." if numbers else "No output has been shortened so far."
    )
    if number:
        raise UsageError(f"There is no output {number}.", there)
    desk.screen.say(f"{there} Show one: /show N" if numbers else there)


def copy_text(desk: ChatContext, number: str) -> None:
    """Copy the last answer, or a block of the last request's work, to the user's clipboard."""
    if not (said := find_last_replies(desk)):
        desk.screen.say(NOT_YET)
        return
    text = _find_block(said, number) if number else said[-1]
    far = any(map(os.environ.get, clipboard.REMOTE))
    # over ssh a program would fill the clipboard of the other computer
    by_program = not far and clipboard.copy_text(text, os.environ, desk.find_program)
    taken = by_program or desk.terminal.copy_to_clipboard(text)
    by_tmux = taken and not by_program and os.environ.get(clipboard.TMUX)
    told = THROUGH_TMUX if by_tmux else COPIED if taken else KEPT
    path = "" if told is COPIED else _save_copy(desk, text)
    desk.screen.say(told.format(count=len(text), path=path))


def open_editor(desk: ChatContext, rest: str) -> None:
    """Write the next request in the user's editor; it then stands in the line."""
    desk.draft = edit_text(desk, "") or ""


def edit_text(desk: ChatContext, text: str) -> str | None:
    """Give the text as the user edited it, None where there is no editor or they cancelled."""
    with desk.ahead.pause_capture():
        made = external_editor.edit_text(text, "md", str(desk.app.workspace.root), sys.stdin)
    if made is None:
        desk.screen.say(NO_EDITOR)
    return made.strip("\n") if made else None


def toggle_reasoning(desk: ChatContext) -> None:
    """Show the reasoning from now on, with the last one if that was folded, or fold it again."""
    said = desk.terminal.toggle_thinking()
    if desk.terminal.teller.wanted:
        desk.terminal.show_reasoning()
    desk.screen.say(said)


def set_reasoning(desk: ChatContext, word: str) -> None:
    """Show or fold the reasoning, or show the last one; with another word, have the model reason or not."""
    if not word:
        toggle_reasoning(desk)
        return
    if word == LAST:
        if not desk.terminal.show_reasoning():
            desk.screen.say(NO_REASONING)
        return
    if word not in THOUGHTS:
        raise UsageError(
            f"/think {word} is not understood.", "Expected last, yes, no or auto.", "/think last"
        )
    app = desk.app
    where = {**app.config.where, "model.think": "/think"}
    app.config = replace(app.config, model=replace(app.config.model, think=word), where=where)
    if app.loop:
        sampling = replace(app.loop.replies.sampling, think=agent_models.THINK[word])
        app.loop = replace(app.loop, replies=replace(app.loop.replies, sampling=sampling))
    cannot = (
        " This model is not known to support it."
        if word == "yes" and app.model_info and not app.model_info.thinks
        else ""
    )
    desk.screen.say(THOUGHTS[word] + cannot)


def find_last_replies(desk: ChatContext) -> list[str]:
    """Give what the model wrote on the last request, its questions without the word that marks them."""
    if not (loop := desk.app.loop):
        return []
    conversation = loop.conversation
    start = conversation.before.length if conversation.before else 0
    texts = [entry.message.text for entry in conversation.entries if entry.message.role == "assistant"]
    since = [
        entry.message.text for entry in conversation.entries[start:] if entry.message.role == "assistant"
    ]
    return [_strip_question_mark(text, tuple(loop.tools)) for text in since or texts[-1:]]


def _strip_question_mark(text: str, tags: Sequence[str]) -> str:
    question = parse_reply(text, tags).question
    for mark in _ASKS.finditer(text) if question else ():
        before, found, rest = text[mark.end() :].partition(question or "")
        if found and not before.strip():
            return text[: mark.start()] + found + rest.lstrip("*")
    return text


def _find_block(said: list[str], number: str) -> str:
    """Give a block by its number, counted from 1. Raises UsageError."""
    blocks: list[list[str]] = []
    for text in said:
        # the clipboard gets what was written, as with the whole answer
        preview = ReplyPreview(clean=str)
        for piece in (*preview.feed(text), *preview.close()):
            if isinstance(piece, FenceOpened):
                blocks.append([])
            elif isinstance(piece, CodeLine):
                blocks[-1].append(piece.text)
            elif isinstance(piece, FenceClosed):
                blocks[-1].append("")
    if (at := parse_number(number)) and at <= len(blocks):
        return "\n".join(blocks[at - 1])
    there = f"The last request produced {len(blocks) or 'no'} block{'s' * (len(blocks) != 1)}."
    raise UsageError(f"There is no block {number}.", there, "To copy the whole answer: /copy")


def _save_copy(desk: ChatContext, text: str) -> Path:
    """Write a text where only its owner reads it. Raises TripletickError."""
    data = text.encode("utf-8", "replace")
    try:
        if desk.app.folder_flags.keep:
            make_private_folder(desk.app.places.state)
            path = desk.app.places.state / "copied.md"
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        else:
            handle, name = tempfile.mkstemp(".md", "tripletick-")
            path = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except OSError as error:
        raise TripletickError("The copy could not be written.", f"{describe_os_error(error)}.") from error
    return path
