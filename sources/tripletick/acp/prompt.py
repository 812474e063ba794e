"""What an editor sends as a request: words, files by their address or with their text, pictures.

It becomes what the user would have typed in the chat: a file of the folder is `@path`, which is read through
the guard. A file that is kept from the model is refused, however it comes.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from acp import schema

from tripletick.chat.commands.chat_context import ChatContext
from tripletick.chat.commands.paste import save_picture
from tripletick.errors import UsageError
from tripletick.event_log.session_log import clean_name, clean_text
from tripletick.paths import PathRefused
from tripletick.session import builder, images
from tripletick.system.lazy_regex import lazy_regex

Block = (
    schema.TextContentBlock
    | schema.ImageContentBlock
    | schema.AudioContentBlock
    | schema.ResourceContentBlock
    | schema.EmbeddedResourceContentBlock
)
LARGEST = 16 << 20
REMEDY = "Leave it out of the request."
SOUND = ("The request was not sent.", "It has sound, which is not understood.", REMEDY)
BINARY = "It is no text and no picture."
LINES = lazy_regex(r"L?(\d+)(?:[:-]L?(\d+))?")


def read_prompt(blocks: Sequence[Block], desk: ChatContext) -> str:
    """Give the words of a request; the texts of its files go along in `attached`. Raises UsageError."""
    words, attached = "", list[str]()
    for block in blocks:
        said, *texts = _read_block(block, desk)
        gap = " " if words and said and not words[-1].isspace() and not said[0].isspace() else ""
        words += gap + said
        attached += texts
    desk.attached = "\n\n".join(attached)
    return clean_text(words).strip()


def _read_block(block: Block, desk: ChatContext) -> Iterator[str]:
    """Give the words for a block, then what goes along."""
    match block:
        case schema.TextContentBlock():
            yield block.text
        case schema.ResourceContentBlock():
            yield _name_file(block.uri, desk)
        case schema.ImageContentBlock():
            yield _take_picture(block.data, block.uri or "", desk)
        case schema.EmbeddedResourceContentBlock(resource=schema.TextResourceContents() as resource):
            yield from _take_text(resource, desk)
        case schema.EmbeddedResourceContentBlock(resource=schema.BlobResourceContents() as resource):
            yield _take_picture(resource.blob, resource.uri, desk)
        case _:
            raise UsageError(*SOUND)


def _name_file(uri: str, desk: ChatContext) -> str:
    """Give the words for a file that is not sent itself: `@path` in the folder, else its path or address."""
    path = _find_path(uri)
    if path is None:
        return uri
    inside = _find_inside(path, desk)
    if inside is None:
        return str(path)
    return f'@"{inside}"' if re.search(r"\s", inside) else f"@{inside}"


def _take_text(resource: schema.TextResourceContents, desk: ChatContext) -> Iterator[str]:
    """Give the words for a text that is sent; one that is as its file is read there."""
    path, text = _find_path(resource.uri), clean_text(resource.text)
    if path is None:
        yield resource.uri
        yield f"{clean_name(resource.uri)}:\n{text}"
        return
    inside = _find_inside(path, desk)
    lines = LINES.search(urlsplit(resource.uri).fragment)
    if inside is not None and not lines and _read_shown(inside, desk) == text.rstrip("\n"):
        yield _name_file(resource.uri, desk)
        return
    name = inside or str(path)
    place = f"{name}, lines {lines[1]} to {lines[2] or lines[1]}" if lines else name
    yield place
    yield f"{clean_name(place)}, as it stands in the editor:\n{text}"


def _take_picture(data: str, uri: str, desk: ChatContext) -> str:
    """Give the mention of a picture, which is saved in the folder as a pasted one is. Raises UsageError."""
    path = _find_path(uri)
    inside = _find_inside(path, desk) if path else None
    if inside is not None:
        return _name_file(uri, desk)
    try:
        picture = base64.b64decode(data, validate=True)
    except ValueError:
        picture = b""
    if not images.detect_media_type(picture):
        raise UsageError("The request was not sent.", BINARY, REMEDY)
    if len(picture) > images.LARGEST:
        raise UsageError("The request was not sent.", f"A picture of it: {images.TOO_LARGE}.", REMEDY)
    return f"@{save_picture(desk.app.workspace.workspace.root, picture)}"


def _find_path(uri: str) -> Path | None:
    """Give the path that an address names, None where it names no file of this machine."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    text = unquote(parts.path) if parts.scheme == "file" else uri if uri.startswith("/") else ""
    return Path(text) if text.startswith("/") and "\0" not in text else None


def _find_inside(path: Path, desk: ChatContext) -> str | None:
    """Give a path of the folder as it is written there, None for one outside. Raises UsageError where it is
    kept from the model.
    """
    workspace = desk.app.workspace.workspace
    folder = next((one for one in (desk.app.folder, workspace.root) if path.is_relative_to(one)), None)
    what = f"{clean_name(str(path))} was not sent."
    if folder is None:
        # a text may belong to a file that is not there yet
        why = builder.explain_refusal(path.resolve(), desk.app.places) if _is_there(path) else ""
        if why:
            raise UsageError(what, f"{why[:1].upper()}{why[1:]}.", REMEDY)
        return None
    inside = path.relative_to(folder).as_posix()
    try:
        workspace.resolve_path(inside)
    except PathRefused as refused:
        raise UsageError(what, f"{refused}.", REMEDY) from refused
    return inside


def _is_there(path: Path) -> bool:
    """Tell whether there is such a file; one that cannot be looked at counts as there."""
    try:
        return path.exists()
    except OSError:
        return True


def _read_shown(inside: str, desk: ChatContext) -> str | None:
    workspace = desk.app.workspace.workspace
    with suppress(PathRefused, UnicodeDecodeError):
        data = workspace.read_shown(workspace.resolve_path(inside).path, LARGEST)
        return data.decode("utf-8").rstrip("\n")
    return None
