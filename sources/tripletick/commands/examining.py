"""What doctor finds beside the box: the server, the model and its context, the languages of this machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from tripletick import engines, languages, listing, places, platforms, ways, wiring
from tripletick.config import Config
from tripletick.dialects import choosing
from tripletick.errors import TripletickError
from tripletick.models import chat_templates, choice, failures, hosts, parted, shelf, spoken
from tripletick.models.model import About
from tripletick.sandbox.box import Box, untold
from tripletick.tools.check import drain
from tripletick.ui.safe import visible

SECONDS, LONGEST = 20.0, 120
"""For a language to tell its version, and characters of what it says."""
SILENT = "it says nothing"
SMALL_CONTEXT = 4096
"""Prompt, folder and a few results take half of it."""
NARROW = (
    "The model has {window} tokens of context, which is short: --ctx 8192, or [model] context in config.ini"
)
OTHER = (
    "The server gave the model {context} tokens of context, {window} are asked for: another program uses it"
)
TOO_LARGE = "Model {name} ({size}) may not fit into memory: a smaller one, tripletick models list"
NO_CHAT = "Model {name} compares texts and cannot chat: tripletick models use NAME"


@dataclass(frozen=True, slots=True)
class Engine:
    """The server and the model at work; "" and 0 where that is not known."""

    server: str = ""
    version: str = ""
    models: int = 0
    model: str = ""
    context: int = 0
    """The model's own."""
    window: int = 0
    """What is asked for."""
    loaded: str = ""
    wrong: str = ""
    """Why there is none."""
    remedies: tuple[str, ...] = ()
    dialect: str = ""
    """How it writes its calls, and why so."""
    chosen: str = ""
    """Why it is this one, where the settings name none."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One language: whether its blocks can run here, and the package that brings what lacks."""

    tag: str
    runs: bool
    package: str = ""
    wrong: str = ""
    """What it said where it is there and does not start."""


def examine(settings: Config, found: places.Places) -> tuple[Engine, Config]:
    """Ask the engine that the settings name, else the one that a request would get; give the settings with
    it. What is wrong is said, never raised.
    """
    lines: list[str] = []
    try:
        settings = ways.resolve(listing.serving(settings, lines.append), found, lines.append)
        if spoken(settings.model.name, settings.model.host) == "ollama":
            engine = _served(settings)
        else:
            with closing(engines.engine(settings, untold)) as model:
                engine = _own(model.about(), settings)
    except TripletickError as error:
        wrong = " ".join(filter(None, (error.what, error.why)))
        remedies = tuple(filter(None, [error.remedy]))
        engine = Engine(model=settings.model.name, wrong=wrong, remedies=remedies)
    return replace(engine, chosen="".join(lines)), settings


def _own(about: About, settings: Config) -> Engine:
    window = engines.window(settings, about)
    of_server = about.engine == "openai"
    return Engine(
        server=about.where if of_server else "",
        version=about.version if of_server else "",
        model=f"{about.engine}:{about.name}",
        context=about.context,
        window=window,
        remedies=(*_narrow(window), *_stale(settings)),
        dialect=_dialect(settings, about),
    )


def _served(settings: Config) -> Engine:
    from tripletick.models.ollama import Ollama

    chosen = engines.reach(settings)
    listed = engines.listed(settings)
    name = parted(settings.model.name)[1] or listed[0].name
    with closing(Ollama(name, chosen)) as model:
        about, loaded = model.about(), model.loaded()
    window = engines.window(settings, about)
    where = hosts.address(chosen.host)
    free = platforms.machine().available if where.loopback and not loaded else 0
    size = next((one.size for one in listed if one.name in (name, f"{name}:latest")), 0)
    rows = (
        (choice.fits(size, free) is False, TOO_LARGE.format(name=name, size=choice.gigabytes(size))),
        (bool(about.can) and "completion" not in about.can, NO_CHAT.format(name=name)),
        (about.untemplated, chat_templates.LACKS.format(name=name)),
        (
            loaded is not None and 0 < loaded.context < window,
            OTHER.format(context=loaded.context if loaded else 0, window=window),
        ),
    )
    held = loaded.placed if loaded else ""
    remedies = (*_narrow(window), *(line for applies, line in rows if applies))
    known = (where.url, about.version, len(listed), name, about.context, window, held, "", remedies)
    return Engine(*known, dialect=_dialect(settings, about))


def _dialect(settings: Config, about: About) -> str:
    return choosing.choose(settings.agent.dialect, about).said


def _narrow(window: int) -> list[str]:
    return [NARROW.format(window=window)] if 0 < window <= SMALL_CONTEXT else []


def _stale(settings: Config) -> list[str]:
    """Say where the offline model was trained on another wording than it gets."""
    from tripletick import trained

    told = trained.stale(settings, places.find()) if wiring.is_trained(settings) else ""
    return [told] if told else []


def list_languages(box: Box, folder: Path) -> Iterator[Spoken]:
    """Look for what each language needs on PATH, and where a box holds, start it in there."""
    look = wiring.outside(folder)
    for tag, row in languages.LANGUAGES.items():
        if row.runs:
            there = languages.installed(row, look)
            wrong = _started(row, box) if there and box.holds else ""
            yield Spoken(tag, there and not wrong, row.package, wrong)


def _started(row: languages.Language, box: Box) -> str:
    """Ask a language for its version; give what it says where that fails."""
    if not row.version:
        return ""
    words = languages.fill(row.version, {"interpreter": sys.executable})
    finished = drain(box.run(words, mode="read", timeout=SECONDS))
    lines = (finished.head + finished.tail).decode("utf-8", "replace").split("\n")
    said = next((line.strip() for line in lines if line.strip()), SILENT)
    return visible(said)[:LONGEST] if finished.status else ""


def tell(engine: Engine, spoken: tuple[Spoken, ...]) -> Iterator[str]:
    """Word it for a person."""
    if engine.server:
        count = f", {engine.models} model{'s' * (engine.models != 1)}" if engine.models else ""
        program = f"ollama {engine.version}" if engine.models else engine.version or shelf.UNTOLD
        yield f"server: {visible(program)} at {engine.server}{count}"
    elif engine.wrong or engine.chosen:
        yield "server: none"
    if engine.wrong:
        yield f"  {visible(engine.wrong)}"
    else:
        yield f"model: {visible(engine.model)}" + (f", in memory, {engine.loaded}" if engine.loaded else "")
        if engine.chosen:
            yield f"  {visible(engine.chosen)}"
        own = f", the model can have {failures.grouped(engine.context)}" if engine.context else ""
        yield f"dialect: {engine.dialect}"
        yield f"context: {failures.grouped(engine.window)} tokens asked for{own}"
    yield f"languages: {' '.join(one.tag for one in spoken if one.runs) or 'none'}"
    yield from (f"  does not start: {one.tag} ({one.wrong})" for one in spoken if one.wrong)
    if lacking := [f"{one.tag} ({one.package})" for one in spoken if not (one.runs or one.wrong)]:
        yield f"  not found: {', '.join(lacking)}; in brackets the package of Debian and Ubuntu"
