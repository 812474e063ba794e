"""`@picture.png` in a request: the picture is sent to a model that can see, through the workspace guard.

A model that cannot see gets the path as text. Which pictures a conversation holds stands in its log by path
and sha256, not their bytes: they are read again where the session is gone on with. What a picture costs a
model in tokens is only guessed (messages).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator, Iterator
from dataclasses import replace

from tripletick.events import Event, Notice, Reply
from tripletick.messages import Message, Picture
from tripletick.models.conversation import Conversation, ConversationEntry
from tripletick.models.model import ModelInfo
from tripletick.paths import PathRefused, Workspace
from tripletick.system.lazy_regex import lazy_regex
from tripletick.turn.loop import Loop

KINDS: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    ("image/png", lazy_regex(rb"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", lazy_regex(rb"\xff\xd8\xff")),
    ("image/gif", lazy_regex(rb"GIF8[79]a")),
    ("image/webp", lazy_regex(rb"RIFF....WEBP", re.DOTALL)),
)
"""Media types by how their files begin; the name is the user's, the content decides."""
MENTION = lazy_regex(
    r'(?<!\S)@(?:"(?P<quoted>[^"\n]+\.(?:png|jpe?g|webp|gif))"'
    r'|(?P<bare>[^\s"@]+\.(?:png|jpe?g|webp|gif))(?=[.,;:!?)]*(?:\s|$)))',
    re.IGNORECASE,
)
LARGEST = 8 << 20
"""Bytes of one picture; engines hold it three times over, as bytes, base64 and JSON."""
MOST = 8
"""Pictures of one request."""
SENT = "+ {path}: a picture, {size} kB"
BLIND = "{model} cannot see pictures, so only the path of {path} is sent."
REFUSED = "{path} is not sent: {why}."
TOO_LARGE = f"it is larger than {LARGEST >> 20} MB"
TOO_MANY = f"a request can have at most {MOST} pictures"
NO_PICTURE = "it is not a PNG, JPEG, WebP or GIF"
OTHER = "{path} has changed, so the model no longer sees it."


def attach_images(words: str, loop: Loop, about: ModelInfo | None) -> Generator[Event, Reply, str]:
    """Have the pictures that a request mentions go along; gives the words, with paths without the @."""
    workspace, found = loop.context.workspace, dict[str, Picture]()
    for path in dict.fromkeys(match["quoted"] or match["bare"] for match in MENTION.finditer(words)):
        if not _file_exists(workspace, path):
            continue
        if about and not about.has_vision:
            yield Notice(BLIND.format(model=about.name, path=path))
            continue
        try:
            if len(found) == MOST:
                raise PathRefused(TOO_MANY)
            found[path] = picture = read_image(workspace, path)
        except PathRefused as error:
            yield Notice(REFUSED.format(path=path, why=error))
            continue
        yield Notice(SENT.format(path=path, size=-(-len(picture.data) // 1000)))
    loop.conversation.pictures = tuple(found.values())
    return MENTION.sub(lambda match: _strip_at_sign(match, workspace), words)


def reload_images(conversation: Conversation, workspace: Workspace) -> Iterator[str]:
    """Read the pictures of a conversation that is gone on with; says which are no longer what they were."""
    for at, entry in enumerate(conversation.entries):
        if entry.message.pictures:
            pictures = [_reload_image(workspace, picture) for picture in entry.message.pictures]
            conversation.entries[at] = _replace_in_entry(entry, tuple(pictures))
            yield from (OTHER.format(path=picture.path) for picture in pictures if not picture.data)


def is_image_mention(mention: str, workspace: Workspace) -> bool:
    """Tell whether a word such as `@a.png` names a picture that is there."""
    match = MENTION.match(mention)
    return match is not None and _file_exists(workspace, match["quoted"] or match["bare"])


def read_image(workspace: Workspace, path: str) -> Picture:
    """Read a picture. Raises PathRefused where it is none, too large, or kept from the model."""
    data = workspace.read_bytes(workspace.resolve_path(path).path, LARGEST + 1)
    if len(data) > LARGEST:
        raise PathRefused(TOO_LARGE)
    kind = detect_media_type(data)
    if not kind:
        raise PathRefused(NO_PICTURE)
    return Picture(path, hashlib.sha256(data).hexdigest(), kind, data)


def detect_media_type(data: bytes) -> str:
    """Give the media type of a picture by its content, "" where it is none."""
    return next((kind for kind, begins in KINDS if begins.match(data)), "")


def _reload_image(workspace: Workspace, picture: Picture) -> Picture:
    try:
        now = read_image(workspace, picture.path)
    except PathRefused:
        return picture
    return now if now == picture else picture


def _replace_in_entry(entry: ConversationEntry, pictures: tuple[Picture, ...]) -> ConversationEntry:
    return replace(
        entry,
        message=_replace_in_message(entry.message, pictures),
        short=entry.short and _replace_in_message(entry.short, pictures),
    )


def _replace_in_message(message: Message, pictures: tuple[Picture, ...]) -> Message:
    return replace(message, pictures=pictures if message.pictures else ())


def _file_exists(workspace: Workspace, path: str) -> bool:
    """Tell whether there is such a file; what is kept from the model is told when it is read."""
    try:
        return workspace.describe_path(workspace.resolve_path(path).path).kind != "missing"
    except PathRefused:
        return True


def _strip_at_sign(match: re.Match[str], workspace: Workspace) -> str:
    path = match["quoted"] or match["bare"]
    return match[0][1:] if _file_exists(workspace, path) else match[0]
