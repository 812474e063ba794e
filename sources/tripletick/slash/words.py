"""What Tab makes of a line: commands and what they take, agents, models, and paths with their cost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice

from tripletick.agents import AUTO
from tripletick.paths import PathRefused
from tripletick.slash import files
from tripletick.slash.desk import Desk
from tripletick.slash.giving import edited, fold
from tripletick.slash.row import Names, Slash
from tripletick.ui.line import Choice, Keyboard
from tripletick.ui.safe import visible

MOST = 200
_WORD = re.compile(r'(?<!\S)(?P<sign>@?)(?P<quote>"?)(?P<start>[^\s"@]*)$')


def board(desk: Desk, commands: Mapping[str, Slash]) -> Keyboard:
    """Give what the keys of a line can reach."""
    return Keyboard(
        lambda so_far: filter(_harmless, _choices(desk, commands, so_far)),
        lambda text: files.cost(desk, text),
        lambda: fold(desk),
        lambda text: edited(desk, text),
    )


def agents(desk: Desk, start: str) -> Iterator[Choice]:
    """Give the agents whose names begin so."""
    return _begun((*desk.app.prompts.agents, AUTO), start)


def models(desk: Desk, start: str) -> Iterator[Choice]:
    """Give the models of the server, which is asked once, and of this machine."""
    from tripletick import listing

    desk.models = desk.models or listing.names(desk.app.config, desk.app.places.cache)
    return _begun(desk.models, start)


def outputs(desk: Desk, start: str) -> Iterator[Choice]:
    """Give the numbers of the long outputs."""
    return _begun(map(str, desk.terminal.numbers()), start)


def one_of(*words: str) -> Names:
    """Give what offers these words."""
    return lambda desk, start: _begun(words, start)


def paths(desk: Desk, start: str, quote: str = "") -> Iterator[Choice]:
    """Give what lies in the workspace and may be shown to the model, files with their tokens."""
    loop = desk.app.loop
    if loop is None:
        return
    folder, slash, name = start.rpartition("/")
    workspace = loop.bench.workspace
    with suppress(PathRefused):
        place = workspace.resolve(folder or ".").path
        hides, below = workspace.hides(), "" if place == "." else f"{place}/"
        fitting = (each for each in workspace.names(place).items() if each[0].startswith(name))
        for each, kind in islice(fitting, MOST):
            end = {"folder": "/", "file": ""}.get(kind)
            if end is None or hides(f"{below}{each}{end}"):
                continue
            if each.startswith(".") and not name:
                continue
            whole = f"{folder}{slash}{each}{end}"
            whole = f'"{whole}"' if quote or " " in whole else whole
            size = 0 if end else workspace.size(below + each)
            shown = f"{each}{end}" if end else f"{each} ({files.tokens(loop, size)})"
            yield Choice(whole, len(start) + len(quote), shown)


def _choices(desk: Desk, commands: Mapping[str, Slash], so_far: str) -> Iterator[Choice]:
    typed, blank, rest = so_far.partition(" ")
    if so_far.startswith("/") and not blank:
        yield from _begun((f"/{name}{' ' * bool(row.takes)}" for name, row in commands.items()), so_far)
    elif so_far.startswith("/"):
        row = commands.get(typed[1:])
        yield from row.names(desk, rest) if row and row.names else ()
    elif (word := _WORD.search(so_far)) and (word["sign"] or so_far.startswith("!")):
        if word.start() == 0 and not word["quote"]:
            yield from (Choice(f"{one.text} ", one.back) for one in agents(desk, word["start"]))
        yield from paths(desk, word["start"], word["quote"])


def _harmless(choice: Choice) -> bool:
    """False for a name that would not show as what it is: servers and folders bring any."""
    return visible(choice.text) == choice.text and choice.text.isprintable()


def _begun(words: Iterable[str], start: str) -> Iterator[Choice]:
    return (Choice(word, len(start)) for word in words if word.startswith(start))
