"""The models there are, on a server and on this machine; another one is fetched, chosen or mended."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from tripletick import engines, places, wiring
from tripletick.commands.opening import load_settings
from tripletick.config import Config
from tripletick.errors import ModelError, ServerUnreachableError, UsageError
from tripletick.firstrun import FirstRun, save_model
from tripletick.listing import Listing, locate
from tripletick.models import catalog, choice, failures, named, open_model, parted, shelf
from tripletick.models.catalog import Entry
from tripletick.models.model import About
from tripletick.screens import Screen, open_screen
from tripletick.ui.columns import aligned
from tripletick.ui.safe import write
from tripletick.ways import describe, is_fixed

USAGE = "tripletick models [list|pull NAME|use NAME|show NAME|create [NAME] [--ollama]|template NAME]"
NO_CHAT = "{name} compares texts and cannot chat."
USED = "{name} from now on, saved to {path}"
SUITED = (
    "{name} suits this machine: {size}, {good_for}, about {seconds} s an answer. Another one: "
    "tripletick models create NAME; tripletick config set model.name NAME keeps one"
)
USE = "Use it: tripletick -m {name}; from now on: tripletick models use {name}"
REGISTERED = "{name} is on the server at {where}."
MENDED = "{name} has the chat template {template} now."
OLLAMA = "--ollama"


@dataclass(frozen=True, slots=True)
class Work:
    """One call: the settings, where things lie, and the screen."""

    options: argparse.Namespace
    settings: Config
    places: places.Places
    screen: Screen
    flags: frozenset[str] = frozenset()

    @property
    def first(self) -> FirstRun:
        return FirstRun(self.settings, self.places, self.options.directory, self.screen)

    def tell(self, line: str) -> None:
        if not self.options.quiet:
            self.screen.say(line)


def models(options: argparse.Namespace, words: Sequence[str]) -> int:
    """List the models, or do what the words say with one."""
    flags = [word for word in words if word.startswith("--")]
    name, *rest = [word for word in words if word not in flags] or ["list"]
    row = ACTS.get(name)
    if row is None or len(rest) not in row.takes or not row.flags.issuperset(flags):
        raise UsageError(
            f"models {' '.join(words)} is not understood.", "It lists, fetches and chooses models.", USAGE
        )
    found = places.find()
    settings = load_settings(options, found)
    screen = open_screen(options, settings)
    try:
        row.act(Work(options, settings, found, screen, frozenset(flags)), *rest)
    finally:
        screen.close()
    return 0


def _list(work: Work) -> None:
    """Write the models to stdout, a line each."""
    look = wiring.outside(work.options.directory)
    _write(Listing(work.settings, work.places, look, work.tell).lines())


def _pull(work: Work, name: str) -> None:
    from tripletick import fetching

    fetching.fetch(_ollamas(name), engines.reach(work.settings), work.screen)
    work.tell(f"Use it: tripletick models use {name}")


def _use(work: Work, name: str) -> None:
    """Save a model as the person's, once it is sure that there is one."""
    host, entry = None, _in_catalog(name)
    if entry:
        catalog.files(entry, work.places.cache)
    else:
        model = replace(work.settings.model, host=locate(work.settings, name))
        work = replace(work, settings=replace(work.settings, model=model))
        name, host = _on_server(work, name)
    save_model(work.places.user_config, name, host)
    work.tell(USED.format(name=name, path=work.places.user_config))


def _in_catalog(name: str) -> Entry | None:
    """Give the row that `embedded:NAME` means, None where it is no row's."""
    engine, rest = parted(name)
    return catalog.get(rest) if engine == catalog.ENGINE else None


def _on_server(work: Work, name: str) -> tuple[str, str | None]:
    """Give a model's name and its server's address as `save_model` takes them; one that was fetched to this
    machine counts where no server has it.
    """
    try:
        about = _asked(work, name)
    except (ServerUnreachableError, ModelError):
        entry = catalog.get(name)
        if entry is None:
            raise
        catalog.files(entry, work.places.cache)
        return entry.model, None
    if about.can and "completion" not in about.can:
        raise UsageError(NO_CHAT.format(name=name), "", "Another one: tripletick models list")
    if about.engine == "openai":
        return f"openai:{about.name}", about.where
    # an address of the command line is for this once
    return name, "" if is_fixed(work.settings) else work.settings.model.host


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
    free = engines.free(seen, wiring.outside(work.options.directory)).most
    for stock in seen.models:
        if stock.name == whole:
            _, size, weights, _, fits, remark = next(choice.table([stock], free))
            yield from (("size", size), ("weights", weights), ("memory", fits), ("remark", remark))


def _create(work: Work, name: str = "") -> None:
    """Fetch a model of the catalog, without a name the one that the user keeps, else the one that suits."""
    kept = catalog.entry(name) if name else _in_catalog(work.settings.model.name)
    entry, quiet = kept or catalog.best(work.places.cache), bool(work.options.quiet)
    if not kept and not (quiet and catalog.present(entry, work.places.cache)):
        work.screen.say(describe(entry, SUITED))
    if OLLAMA in work.flags:
        _register(work, entry)
    else:
        work.first.fetch(entry, quiet=quiet)
        work.tell(USE.format(name=entry.model))


def _register(work: Work, entry: Entry) -> None:
    """Fetch a model and give it to the Ollama server; without a server nothing is fetched."""
    from tripletick import fetching
    from tripletick.models import registration

    reach = engines.reach(work.settings)
    seen = shelf.look(reach)
    path = fetching.fetch_file(entry, work.places.cache, work.screen, quiet=True)
    registration.register(entry, path, reach)
    work.tell(REGISTERED.format(name=entry.name, where=seen.where.url))
    work.tell(USE.format(name=entry.name))


def _template(work: Work, name: str) -> None:
    from tripletick.models import chat_templates

    name = _ollamas(name)
    chosen = chat_templates.add(name, engines.reach(work.settings))
    work.tell(MENDED.format(name=name, template=chosen.name))


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
    write(sys.stdout, "".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


@dataclass(frozen=True, slots=True)
class Act:
    """What one word does: how many words may stand behind it, and which flags."""

    act: Callable[..., None]
    takes: tuple[int, ...] = (1,)
    flags: frozenset[str] = frozenset()


ACTS: Mapping[str, Act] = {
    "list": Act(_list, (0,)),
    "pull": Act(_pull),
    "use": Act(_use),
    "show": Act(_show),
    "create": Act(_create, (0, 1), frozenset({OLLAMA})),
    "template": Act(_template),
}
