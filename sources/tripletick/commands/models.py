"""The models that there are, another one fetched or chosen, and the small offline one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from tripletick import engines, places, wiring
from tripletick.commands.opening import load_settings
from tripletick.config import Config
from tripletick.errors import ServerUnreachableError, UsageError
from tripletick.firstrun import OFFLINE, SIZES, FirstRun, list_models, save_model
from tripletick.models import choice, failures, named, offline, open_model, parted, shelf
from tripletick.models.model import About
from tripletick.screens import Screen, open_screen
from tripletick.ui.columns import aligned

USAGE = "tripletick models [list|pull NAME|use NAME|show NAME|create offline]"
NO_CHAT = "{name} compares texts and cannot chat."
EMPTY = "The server has no model yet. Suggested for this machine: tripletick models pull {name}  ({size})"
MORE = "Fits is told by size against what is free: memory, or that of graphics cards by NVIDIA and AMD."
USED = "{name} from now on, saved to {path}"
OFFLINE_ROW = "simple chores only, needs no server"


@dataclass(frozen=True, slots=True)
class Work:
    """One call: the settings, where things lie, and the screen."""

    options: argparse.Namespace
    settings: Config
    places: places.Places
    screen: Screen

    @property
    def first(self) -> FirstRun:
        return FirstRun(self.settings, self.places, self.options.directory, self.screen)

    def tell(self, line: str) -> None:
        if not self.options.quiet:
            self.screen.say(line)


def models(options: argparse.Namespace, words: Sequence[str]) -> int:
    """List the models, or do what the words say with one."""
    name, *rest = words or ["list"]
    takes, act = ACTS.get(name, (-1, _list))
    if takes != len(rest) or (name == "create" and rest != ["offline"]):
        raise UsageError(
            f"models {' '.join(words)} is not understood.", "It lists, pulls, uses and shows models.", USAGE
        )
    found = places.find()
    settings = load_settings(options, found)
    screen = open_screen(options, settings)
    try:
        act(Work(options, settings, found, screen), *rest)
    finally:
        screen.close()
    return 0


def _list(work: Work) -> None:
    """Write the models to stdout; the offline one is told of even where no server answers."""
    kept = offline.present(work.places.cache)
    own = [(OFFLINE, choice.gigabytes(offline.SIZE), "", "", "", OFFLINE_ROW)] if kept else []
    try:
        seen = shelf.look(engines.reach(work.settings), engines.served(work.settings))
    except ServerUnreachableError as error:
        if not own:
            raise
        work.tell(error.what)
        _write(aligned(own, right=SIZES))
        return
    free = engines.free(seen, wiring.outside(work.options.directory.resolve()))
    work.tell(f"{seen.version} at {seen.where.url}")
    if not seen.models and engines.served(work.settings) == "openai":
        work.tell(" ".join(engines.EMPTY["openai"]))
    elif not seen.models:
        best = choice.suggested(free)[0]
        work.tell(EMPTY.format(name=best.name, size=choice.gigabytes(best.size)))
    _write([*list_models(seen.models, free.most), *aligned(own, right=SIZES)])
    if free.most and any(stock.listed.size for stock in seen.models):
        work.tell(MORE)


def _pull(work: Work, name: str) -> None:
    from tripletick import fetching

    fetching.fetch(_ollamas(name), engines.reach(work.settings), work.screen)
    work.tell(f"Use it: tripletick models use {name}")


def _use(work: Work, name: str) -> None:
    """Save a model as the person's, once it is sure that there is one."""
    host = ""
    if name != OFFLINE:
        about = _asked(work, name)
        if about.can and "completion" not in about.can:
            raise UsageError(NO_CHAT.format(name=name), "", "Another one: tripletick models list")
        if about.engine == "openai":
            name, host = f"openai:{about.name}", about.where
    save_model(work.places.user_config, name, host)
    work.tell(USED.format(name=name, path=work.places.user_config))


def _show(work: Work, name: str) -> None:
    """Write what the server tells of a model, a line each."""
    about = _asked(work, name)
    window = engines.window(work.settings, about)
    rows = (
        ("name", about.name),
        ("server", about.where),
        ("parameters", f"{about.parameters / 1e9:.1f} billion" if about.parameters else ""),
        ("context", f"{failures.grouped(about.context)} tokens" if about.context else ""),
        ("asked for", f"{failures.grouped(window)} tokens"),
        ("can", ", ".join(about.can)),
        *(_size(work, about.name) if about.engine == "ollama" else ()),
    )
    _write(aligned([row for row in rows if row[1]]))


def _size(work: Work, name: str) -> Iterator[tuple[str, str]]:
    seen = shelf.look(engines.reach(work.settings))
    whole = name if ":" in name.rpartition("/")[2] else f"{name}:latest"
    free = engines.free(seen, wiring.outside(work.options.directory.resolve())).most
    for stock in seen.models:
        if stock.name == whole:
            _, size, weights, _, fits, remark = next(choice.table([stock], free))
            yield from (("size", size), ("weights", weights), ("memory", fits), ("remark", remark))


def _create(work: Work, name: str) -> None:
    work.first.fetch_offline()
    work.tell(f"Use it: tripletick -m {OFFLINE}")


def _asked(work: Work, name: str) -> About:
    """Ask what a model is. Raises ModelError where there is none of that name."""
    chosen = named(name, work.settings.model.host)
    with closing(open_model(chosen, engines.reach(work.settings))) as model:
        return model.about()


def _ollamas(name: str) -> str:
    """Take Ollama's own name. Raises UsageError for a model of another engine."""
    engine, rest = parted(name)
    if engine != "ollama" or not rest.strip():
        raise UsageError(
            f"{name!r} is no model of an Ollama server.",
            "Only such a server has models to pull.",
            "For example: tripletick models pull qwen2.5-coder:7b",
        )
    return rest.strip()


def _write(lines: Sequence[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


ACTS: Mapping[str, tuple[int, Callable[..., None]]] = {
    "list": (0, _list),
    "pull": (1, _pull),
    "use": (1, _use),
    "show": (1, _show),
    "create": (1, _create),
}
"""How many words stand behind it, and what it does."""
