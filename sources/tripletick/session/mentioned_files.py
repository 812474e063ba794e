"""`@path` in a request: the file is attached, as the tool `read` shows it, through the workspace guard.

A word that names nothing here stays a word. What the chat asks and completes is in chat/commands/mentions.py.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from tripletick.agents import definitions
from tripletick.errors import UsageError
from tripletick.events import Notice
from tripletick.session import images
from tripletick.session.session import App
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import find_close_match
from tripletick.tools.file_reader import FileView, show_path
from tripletick.turn.loop import Loop, Turn
from tripletick.ui.status_line import format_tokens

SHARE = 4
"""All files of a request together take at most this part of the context."""
STOPS = ".,;:!?)"
"""What may stand behind a path in a sentence."""
NOT_HERE = "@{path}: no such file here; sent as plain text."
CLOSE = "Did you mean @{name}?"
REMEDY = "To send it as plain text, put a space after the @."
NAME = lazy_regex(r"@([\w-]+)(?:\s+|$)")
"""What may name the agent, at the beginning."""
MENTION = lazy_regex(r'(?<!\S)@(?:"(?P<quoted>[^"\n]+)"|(?P<bare>[^\s"@]+))')


@dataclass(frozen=True, slots=True)
class MentionedFiles:
    """The files that a request mentions: what is sent of them, lines for the user, and the mentions."""

    texts: list[str]
    lines: list[str]
    mentions: set[str]


def handle_request(app: App, text: str, piped: str) -> Turn:
    """Work on a request of the command line with the files that it mentions. Raises UsageError where its
    first word names no agent and no file, or a file is kept from the model.
    """
    named = NAME.match(text)
    if named and named[1] in app.prompts.agents:
        head, rest = text[: named.end()], text[named.end() :]
    else:
        head, rest = "", text
        if named and not (app.folder / named[1]).exists():
            _refuse_name(app, named[1])
    if MENTION.search(rest):
        yield from app.open_session()
    if app.loop:
        found = read_mentions(app.loop, rest)
        yield from map(Notice, found.lines)
        rest, piped = drop_signs(rest, found.mentions), "\n\n".join(filter(None, (piped, *found.texts)))
    yield from app.handle_request(head + rest, piped=piped)


def _refuse_name(app: App, name: str) -> None:
    """Say that there is no such agent. Raises UsageError."""
    try:
        definitions.find_agent(app.prompts, name)
    except UsageError as error:
        if name in {*app.prompts.lacking, *app.prompts.broken}:
            raise
        close = find_close_match(name, app.prompts.agents)
        why = CLOSE.format(name=close) if close else error.why
        raise UsageError(error.what, why, REMEDY) from error


def read_mentions(loop: Loop, text: str) -> MentionedFiles:
    """Read the files that a request mentions; a picture goes along by itself. Raises UsageError where a file
    is kept from the model.
    """
    files = [match for match in MENTION.finditer(text) if not is_picture(loop, match)]
    read = {match[0]: _read_mention(loop, match) for match in files}
    found = MentionedFiles([], [], set())
    for mention, (path, shown) in read.items():
        if shown:
            found.texts.append(shown.text)
            found.mentions.add(mention)
            found.lines.append(f"+ {path}: {format_size(loop, len(shown.text))}")
        elif set(path) & set("./"):
            found.lines.append(NOT_HERE.format(path=path))
    return found


def drop_signs(text: str, mentions: Collection[str]) -> str:
    """Give a request as the model is told it: paths without their sign."""
    return MENTION.sub(lambda match: match[0][match[0] in mentions :], text)


def format_size(loop: Loop, characters: int) -> str:
    """Estimate the tokens of so many characters, as the budget does."""
    budget = loop.replies.budget
    return f"{format_tokens(min(int(characters * budget.rate), budget.window // SHARE))} tokens"


def is_picture(loop: Loop, match: re.Match[str]) -> bool:
    return images.is_image_mention(match[0], loop.context.workspace)


def list_candidate_paths(match: re.Match[str]) -> list[str]:
    if match["quoted"]:
        return [match["quoted"]]
    return list(dict.fromkeys((match["bare"], match["bare"].rstrip(STOPS))))


def _read_mention(loop: Loop, match: re.Match[str]) -> tuple[str, FileView | None]:
    """Give the path as it was meant, and what is sent of it. Raises UsageError."""
    budget = loop.replies.budget
    most = int(budget.window / SHARE / budget.rate)
    for path in filter(None, list_candidate_paths(match)):
        shown = show_path(path, loop.context, most)
        if shown.flag == "refused":
            raise UsageError(f"{path} was not sent.", f"{shown.text}.", REMEDY)
        if not shown.outcome:
            return path, shown
    return match["quoted"] or match["bare"], None
