"""What doctor finds besides the sandbox: server, model, context, and the languages of this machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from tripletick.config.config import Config
from tripletick.dialects import selection
from tripletick.errors import TripletickError
from tripletick.languages import registry
from tripletick.models import (
    chat_templates,
    choice,
    hosts,
    resolve_engine,
    server_models,
    split_name,
)
from tripletick.models.model import ModelInfo
from tripletick.sandbox.box import Box, RunRequest, ignore_notice
from tripletick.session import builder, model_discovery, model_list, model_selection
from tripletick.system import dirs, platforms
from tripletick.system.text import format_count, format_download_size, format_thousands
from tripletick.tools.syntax_check import drain_output
from tripletick.ui.sanitize import escape_controls

SECONDS, LONGEST = 20.0, 120
"""For a language to tell its version, and characters of what it says."""
SILENT = "no output"
SMALL_CONTEXT = 4096
"""Prompt, folder and a few results take half of it."""
NARROW = (
    "The context of {window} tokens is small. To enlarge it: --ctx 8192, or [model] context in config.ini"
)
OTHER = (
    "The server loaded the model with {context} tokens of context instead of {window}: another "
    "program is using it"
)
TOO_LARGE = "Model {name} ({size}) may not fit into memory. To find a smaller one: tripletick models list"
NO_CHAT = "Model {name} is an embedding model and cannot chat. To choose another: tripletick models use NAME"


@dataclass(frozen=True, slots=True)
class EngineReport:
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
class LanguageStatus:
    """One language: whether its blocks can run here, and the package that brings what lacks."""

    tag: str
    runs: bool
    package: str = ""
    wrong: str = ""
    """What it said where it is there and does not start."""


def examine_engine(config: Config, found: dirs.AppDirs) -> tuple[EngineReport, Config]:
    """Ask the engine that the settings name, else the one that a request would get; give the settings with
    it. What is wrong is said, never raised.
    """
    lines: list[str] = []
    try:
        config = model_discovery.resolve_model(
            model_list.with_serving_host(config, lines.append), found, lines.append
        )
        if resolve_engine(config.model.name, config.model.host) == "ollama":
            engine = _report_ollama(config)
        else:
            with closing(model_selection.open_configured_model(config, ignore_notice)) as model:
                engine = _report_own_engine(model.get_info(), config)
    except TripletickError as error:
        wrong = " ".join(filter(None, (error.what, error.why)))
        remedies = tuple(filter(None, [error.remedy]))
        engine = EngineReport(model=config.model.name, wrong=wrong, remedies=remedies)
    return replace(engine, chosen="".join(lines)), config


def _report_own_engine(about: ModelInfo, config: Config) -> EngineReport:
    window = model_selection.choose_context(config, about)
    of_server = about.engine == "openai"
    return EngineReport(
        server=about.where if of_server else "",
        version=about.version if of_server else "",
        model=f"{about.engine}:{about.name}",
        context=about.context,
        window=window,
        remedies=(*_warn_small_context(window), *_warn_stale_training(config)),
        dialect=_describe_dialect(config, about),
    )


def _report_ollama(config: Config) -> EngineReport:
    from tripletick.models.ollama import Ollama

    chosen = model_selection.make_engine_settings(config)
    listed = model_selection.list_models(config)
    name = split_name(config.model.name)[1] or listed[0].name
    with closing(Ollama(name, chosen)) as model:
        about, loaded = model.get_info(), model.find_loaded()
    window = model_selection.choose_context(config, about)
    where = hosts.resolve_address(chosen.host)
    free = platforms.read_machine_memory().available if where.is_loopback and not loaded else 0
    size = next((one.size for one in listed if one.name in (name, f"{name}:latest")), 0)
    rows = (
        (
            choice.fits_memory(size, free) is False,
            TOO_LARGE.format(name=name, size=format_download_size(size)),
        ),
        (bool(about.can) and "completion" not in about.can, NO_CHAT.format(name=name)),
        (about.untemplated, chat_templates.LACKS.format(name=name)),
        (
            loaded is not None and 0 < loaded.context < window,
            OTHER.format(context=loaded.context if loaded else 0, window=window),
        ),
    )
    held = loaded.placement if loaded else ""
    remedies = (*_warn_small_context(window), *(line for applies, line in rows if applies))
    known = (where.url, about.version, len(listed), name, about.context, window, held, "", remedies)
    return EngineReport(*known, dialect=_describe_dialect(config, about))


def _describe_dialect(config: Config, about: ModelInfo) -> str:
    return selection.choose_dialect(config.agent.dialect, about).description


def _warn_small_context(window: int) -> list[str]:
    return [NARROW.format(window=window)] if 0 < window <= SMALL_CONTEXT else []


def _warn_stale_training(config: Config) -> list[str]:
    """Say where the offline model was trained on another wording than it gets."""
    from tripletick.session import prompt_fingerprint

    told = (
        prompt_fingerprint.describe_mismatch(config, dirs.find_dirs()) if builder.is_trained(config) else ""
    )
    return [told] if told else []


def list_languages(box: Box, folder: Path) -> Iterator[LanguageStatus]:
    """Look for what each language needs on PATH, and where a box holds, start it in there."""
    look = builder.make_program_lookup(folder)
    for tag, row in registry.LANGUAGES.items():
        if row.is_runnable:
            there = registry.is_installed(row, look)
            wrong = _check_start(row, box) if there and box.holds else ""
            yield LanguageStatus(tag, there and not wrong, row.package, wrong)


def _check_start(row: registry.Language, box: Box) -> str:
    """Ask a language for its version; give what it says where that fails."""
    if not row.version:
        return ""
    words = registry.fill_command(row.version, {"interpreter": sys.executable})
    finished = drain_output(box.run(RunRequest(words, "read", SECONDS)))
    lines = (finished.head + finished.tail).decode("utf-8", "replace").split("\n")
    said = next((line.strip() for line in lines if line.strip()), SILENT)
    return escape_controls(said)[:LONGEST] if finished.status else ""


def format_engine_report(engine: EngineReport, spoken: tuple[LanguageStatus, ...]) -> Iterator[str]:
    """Word it for a person."""
    if engine.server:
        count = f", {format_count(engine.models, 'model')}" if engine.models else ""
        program = f"ollama {engine.version}" if engine.models else engine.version or server_models.UNTOLD
        yield f"server: {escape_controls(program)} at {engine.server}{count}"
    elif engine.wrong or engine.chosen:
        yield "server: none"
    if engine.wrong:
        yield f"  {escape_controls(engine.wrong)}"
    else:
        yield f"model: {escape_controls(engine.model)}" + (
            f", in memory, {engine.loaded}" if engine.loaded else ""
        )
        if engine.chosen:
            yield f"  {escape_controls(engine.chosen)}"
        own = f", the model supports {format_thousands(engine.context)}" if engine.context else ""
        yield f"dialect: {engine.dialect}"
        yield f"context: {format_thousands(engine.window)} tokens requested{own}"
    yield f"languages: {' '.join(one.tag for one in spoken if one.runs) or 'none'}"
    yield from (f"  does not start: {one.tag} ({one.wrong})" for one in spoken if one.wrong)
    if lacking := [f"{one.tag} ({one.package})" for one in spoken if not (one.runs or one.wrong)]:
        yield f"  not found: {', '.join(lacking)}; the Debian and Ubuntu package is in brackets"
