"""`@path` in a request: the file goes along, as the tool `read` shows it, through the workspace guard.

A word that names nothing here stays a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from tripletick import pictures
from tripletick.errors import UsageError
from tripletick.loop import Loop
from tripletick.paths import PathRefused
from tripletick.slash.desk import Desk
from tripletick.tools.reading import Shown, show
from tripletick.ui.gauge import short

SHARE = 4
"""All files of a request together take at most this part of the context."""
STOPS = ".,;:!?)"
"""What may stand behind a path in a sentence."""
NOT_HERE = "@{path}: there is no such file here, so it goes as it is written."
REMEDY = "A blank after the @ leaves it a word."
MENTION = re.compile(r'(?<!\S)@(?:"(?P<quoted>[^"\n]+)"|(?P<bare>[^\s"@]+))')


def request(desk: Desk, text: str, agent: str = "") -> None:
    """Send a request with the files that it mentions, to this agent, "": as ever. Raises UsageError where a
    file is kept from the model.
    """
    loop = desk.opened() if MENTION.search(text) else None
    if loop is None:
        desk.play(desk.app.turn(text, agent=agent))
        return
    # a picture goes along by itself
    files = (one for one in MENTION.finditer(text) if not pictures.is_meant(one[0], loop.bench.workspace))
    found = {match[0]: _shown(loop, match) for match in files}
    for path, shown in found.values():
        if shown:
            desk.screen.say(f"+ {path}: {tokens(loop, len(shown.text))}")
        elif set(path) & set("./"):
            desk.screen.say(NOT_HERE.format(path=path))
    piped = "\n\n".join(shown.text for _, shown in found.values() if shown)
    sent = {mention for mention, (_, shown) in found.items() if shown}
    # the model is told the path without its sign
    words = MENTION.sub(lambda match: match[0][match[0] in sent :], text)
    desk.play(desk.app.turn(words, piped=piped, agent=agent))


def is_there(desk: Desk, name: str) -> bool:
    """Tell whether a name is a file or folder of the workspace."""
    loop = desk.opened()
    return bool(loop and _size(loop, name) is not None)


def cost(desk: Desk, text: str) -> str:
    """Word what the files that a line mentions add to the request, "" where it mentions none."""
    loop = desk.app.loop
    sizes = list(_sizes(loop, text)) if loop else []
    return f"+{tokens(loop, sum(sizes))}" if loop and sizes else ""


def tokens(loop: Loop, characters: int) -> str:
    """Estimate the tokens of so many characters, as the budget does."""
    budget = loop.replies.budget
    return f"{short(min(int(characters * budget.rate), budget.window // SHARE))} tokens"


def _sizes(loop: Loop, text: str) -> Iterator[int]:
    for match in MENTION.finditer(text):
        sizes = (_size(loop, path) for path in _candidates(match))
        yield from [size for size in sizes if size is not None][:1]


def _size(loop: Loop, path: str) -> int | None:
    with suppress(PathRefused):
        workspace = loop.bench.workspace
        look = workspace.look(workspace.resolve(path).path)
        return None if look.kind == "missing" else look.size
    return None


def _candidates(match: re.Match[str]) -> list[str]:
    if match["quoted"]:
        return [match["quoted"]]
    return list(dict.fromkeys((match["bare"], match["bare"].rstrip(STOPS))))


def _shown(loop: Loop, match: re.Match[str]) -> tuple[str, Shown | None]:
    """Give the path as it was meant, and what is sent of it. Raises UsageError."""
    budget = loop.replies.budget
    most = int(budget.window / SHARE / budget.rate)
    for path in filter(None, _candidates(match)):
        shown = show(path, loop.bench, most)
        if shown.flag == "refused":
            raise UsageError(f"{path} is not sent.", f"{shown.text}.", REMEDY)
        if not shown.outcome:
            return path, shown
    return match["quoted"] or match["bare"], None
