"""`/paste`: save the picture in the clipboard to the folder and attach it to a request.

It is sent as any `@picture.png` is, and blocks can work on it. Pasting text is the terminal's own work.
"""

from __future__ import annotations

import os
import sys
from itertools import count
from pathlib import Path

from tripletick.chat.commands import mentions
from tripletick.chat.commands.chat_context import ChatContext
from tripletick.errors import UsageError
from tripletick.session import images
from tripletick.system.text import describe_os_error
from tripletick.ui import clipboard

ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/gif": "gif"}
SAVED = "Saved: {name}, {size} kB"
NO_WAY = "The clipboard cannot be reached from here."
REMEDIES = {
    "SSH_CONNECTION": (
        "It is on the computer you connected from.",
        "Copy picture.png to this folder with scp, then type: @picture.png",
    ),
    "WAYLAND_DISPLAY": ("wl-paste is not installed.", "sudo apt install wl-clipboard"),
    "DISPLAY": ("xclip is not installed.", "sudo apt install xclip"),
}
"""By the variable that tells where the clipboard is: why, and what to type."""
ON_A_MAC = ("pngpaste is not installed.", "brew install pngpaste")
NO_DESKTOP = (
    "This machine has no desktop session.",
    ("Save the picture in this folder, then type: @picture.png"),
)
EMPTY = (
    "There is no picture in the clipboard.",
    "",
    "To paste text, use your terminal, for example Ctrl+Shift+V.",
)
LARGE = ("The picture was not pasted.", f"In the clipboard {images.TOO_LARGE}.", "Crop it and copy it again.")


def paste_picture(desk: ChatContext, text: str) -> None:
    """Save the clipboard's picture; it stands in the next line, or goes along with the text to a model that
    sees. Raises UsageError.
    """
    loop = desk.open_loop()
    if loop is None:
        return
    if not clipboard.find_programs(clipboard.READERS, os.environ, desk.find_program):
        raise UsageError(NO_WAY, *_find_remedy())
    found = clipboard.read_contents(ENDINGS, os.environ, desk.find_program)
    data = next((one for one in found if images.detect_media_type(one)), b"")
    if not data:
        raise UsageError(*EMPTY)
    if len(data) > images.LARGEST:
        raise UsageError(*LARGE)
    name = save_picture(loop.context.workspace.root, data)
    desk.screen.say(SAVED.format(name=name, size=-(-len(data) // 1000)))
    request = f"@{name} {text}".rstrip()
    if text and not mentions.describe_unseen_pictures(desk, request):
        mentions.send_request(desk, request)
        return
    if blind := mentions.describe_unseen_pictures(desk, request):
        desk.screen.say(blind)
        desk.warned = blind
    desk.draft = request if text else f"{request} "


def save_picture(folder: Path, data: bytes) -> str:
    """Write a new file; gives its name."""
    for number in count(1):
        name = f"pasted-{number}.{ENDINGS[images.detect_media_type(data)]}"
        try:
            with (folder / name).open("xb") as file:
                file.write(data)
        except FileExistsError:
            continue
        except OSError as error:
            raise UsageError(
                f"{name} cannot be written.", f"{describe_os_error(error)}.", "ls -ld ."
            ) from error
        return name
    raise AssertionError


def _find_remedy() -> tuple[str, str]:
    if sys.platform == "darwin":
        return ON_A_MAC
    return next((remedy for name, remedy in REMEDIES.items() if os.environ.get(name)), NO_DESKTOP)
