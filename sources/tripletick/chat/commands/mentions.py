"""`@path` in a request: the file is attached, as the tool `read` shows it, through the workspace guard.

A word that names nothing here stays a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from tripletick.chat.commands.chat_context import ChatContext
from tripletick.errors import UsageError
from tripletick.models.conversation import PICTURE
from tripletick.paths import PathRefused
from tripletick.session import images
from tripletick.tools.file_reader import FileView, show_path
from tripletick.turn.loop import Loop
from tripletick.ui.status_line import format_tokens

SHARE = 4
"""All files of a request together take at most this part of the context."""
STOPS = ".,;:!?)"
"""What may stand behind a path in a sentence."""
NOT_HERE = "@{path}: no such file here; sent as plain text."
BLIND = "{model} cannot see pictures and only gets the path. To switch models: /model NAME."
ANYWAY = "Send it anyway?"
REMEDY = "To send it as plain text, put a space after the @."
MENTION = re.compile(r'(?<!\S)@(?:"(?P<quoted>[^"\n]+)"|(?P<bare>[^\s"@]+))')


def send_request(desk: ChatContext, text: str, agent: str = "") -> None:
    """Send a request with the files that it mentions, to this agent, "": as ever. Raises UsageError where a
    file is kept from the model.
    """
    attached, desk.attached = desk.attached, ""
    loop = desk.open_loop() if MENTION.search(text) else None
    if loop is None:
        desk.run_turn(desk.app.handle_request(text, piped=attached, agent=agent))
        return
    why = describe_unseen_pictures(desk, text)
    if why and why != desk.warned and not desk.ask_yes_no(f"{why} {ANYWAY}"):
        desk.draft = f"@{agent} {text}" if agent else text
        return
    desk.warned = why or desk.warned
    mentions = list(MENTION.finditer(text))
    seen = {one[0] for one in mentions if images.is_image_mention(one[0], loop.context.workspace)}
    # a picture goes along by itself
    files = (one for one in mentions if one[0] not in seen)
    found = {match[0]: _read_mention(loop, match) for match in files}
    for path, shown in found.values():
        if shown:
            desk.screen.say(f"+ {path}: {format_size(loop, len(shown.text))}")
        elif set(path) & set("./"):
            desk.screen.say(NOT_HERE.format(path=path))
    parts = [attached, *(shown.text for _, shown in found.values() if shown)]
    piped = "\n\n".join(filter(None, parts))
    sent = {mention for mention, (_, shown) in found.items() if shown} | (seen if why else set())
    # the model is told the path without its sign
    words = MENTION.sub(lambda match: match[0][match[0] in sent :], text)
    desk.run_turn(desk.app.handle_request(words, piped=piped, agent=agent))


def describe_unseen_pictures(desk: ChatContext, text: str) -> str:
    """Say that the model at work cannot see the pictures that a request mentions, "" where it is not so."""
    about, loop = desk.app.model_info, desk.app.loop
    if loop is None or about is None or about.has_vision:
        return ""
    found = (
        match for match in MENTION.finditer(text) if images.is_image_mention(match[0], loop.context.workspace)
    )
    return BLIND.format(model=about.name) if any(found) else ""


def is_workspace_path(desk: ChatContext, name: str) -> bool:
    """Tell whether a name is a file or folder of the workspace."""
    loop = desk.open_loop()
    return bool(loop and _file_size(loop, name) is not None)


def format_mention_cost(desk: ChatContext, text: str) -> str:
    """Word what the files that a line mentions add to the request, "" where it mentions none."""
    loop, about = desk.app.loop, desk.app.model_info
    sizes = list(_mention_sizes(loop, text, sees=bool(about and about.has_vision))) if loop else []
    return f"+{format_size(loop, sum(sizes))}" if loop and sizes else ""


def format_size(loop: Loop, characters: int) -> str:
    """Estimate the tokens of so many characters, as the budget does."""
    budget = loop.replies.budget
    return f"{format_tokens(min(int(characters * budget.rate), budget.window // SHARE))} tokens"


def _mention_sizes(loop: Loop, text: str, *, sees: bool) -> Iterator[int]:
    for match in MENTION.finditer(text):
        if images.is_image_mention(match[0], loop.context.workspace):
            yield from [PICTURE] * sees
            continue
        sizes = (_file_size(loop, path) for path in _candidate_paths(match))
        yield from [size for size in sizes if size is not None][:1]


def _file_size(loop: Loop, path: str) -> int | None:
    with suppress(PathRefused):
        workspace = loop.context.workspace
        look = workspace.describe_path(workspace.resolve_path(path).path)
        return None if look.kind == "missing" else look.size
    return None


def _candidate_paths(match: re.Match[str]) -> list[str]:
    if match["quoted"]:
        return [match["quoted"]]
    return list(dict.fromkeys((match["bare"], match["bare"].rstrip(STOPS))))


def _read_mention(loop: Loop, match: re.Match[str]) -> tuple[str, FileView | None]:
    """Give the path as it was meant, and what is sent of it. Raises UsageError."""
    budget = loop.replies.budget
    most = int(budget.window / SHARE / budget.rate)
    for path in filter(None, _candidate_paths(match)):
        shown = show_path(path, loop.context, most)
        if shown.flag == "refused":
            raise UsageError(f"{path} was not sent.", f"{shown.text}.", REMEDY)
        if not shown.outcome:
            return path, shown
    return match["quoted"] or match["bare"], None
