"""`@path` in the chat: what is asked before files go along, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from tripletick.chat.commands.chat_context import ChatContext
from tripletick.models.conversation import PICTURE
from tripletick.paths import PathRefused
from tripletick.session import images
from tripletick.session.mentioned_files import (
    MENTION,
    STOPS,
    drop_signs,
    format_size,
    is_picture,
    list_candidate_paths,
    read_mentions,
)
from tripletick.turn.loop import Loop

BLIND = "{model} cannot see pictures and only gets the path. To switch models: /model NAME."
ANYWAY = "Send it anyway?"


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
    found = read_mentions(loop, text)
    for line in found.lines:
        desk.screen.say(line)
    piped = "\n\n".join(filter(None, (attached, *found.texts)))
    seen = {one[0] for one in MENTION.finditer(text) if is_picture(loop, one)} if why else set[str]()
    words = drop_signs(text, found.mentions | seen)
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


def is_path(desk: ChatContext, name: str) -> bool:
    """Tell whether a name has the form of a path, or is a file or folder of the workspace."""
    if name.startswith('"') or set(name.rstrip(STOPS)) & set("./"):
        return True
    loop = desk.open_loop()
    return bool(loop and _file_size(loop, name) is not None)


def format_mention_cost(desk: ChatContext, text: str) -> str:
    """Word what the files that a line mentions add to the request, "" where it mentions none."""
    loop, about = desk.app.loop, desk.app.model_info
    sizes = list(_mention_sizes(loop, text, sees=bool(about and about.has_vision))) if loop else []
    return f"+{format_size(loop, sum(sizes))}" if loop and sizes else ""


def _mention_sizes(loop: Loop, text: str, *, sees: bool) -> Iterator[int]:
    for match in MENTION.finditer(text):
        if images.is_image_mention(match[0], loop.context.workspace):
            yield from [PICTURE] * sees
            continue
        sizes = (_file_size(loop, path) for path in list_candidate_paths(match))
        yield from [size for size in sizes if size is not None][:1]


def _file_size(loop: Loop, path: str) -> int | None:
    with suppress(PathRefused):
        workspace = loop.context.workspace
        place = workspace.resolve_path(path).path
        look = workspace.describe_path(place)
        if look.kind == "folder":
            return sum(len(each) + 1 for each in workspace.list_names(place))
        return None if look.kind == "missing" else look.size
    return None
