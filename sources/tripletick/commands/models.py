"""The models on servers and on this machine: list, download, choose, or add a chat template."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from tripletick.chat.frontend import Screen, open_screen
from tripletick.commands.onboarding import Onboarding, save_model
from tripletick.commands.session_setup import load_settings
from tripletick.config.config import Config
from tripletick.errors import ModelError, ServerUnreachableError, UsageError
from tripletick.models import catalog, choice, open_model, qualify_name, server_models, split_name
from tripletick.models.catalog import CatalogEntry
from tripletick.models.model import ModelInfo
from tripletick.session import builder, model_selection
from tripletick.session.model_discovery import describe_model, is_host_given
from tripletick.session.model_list import ModelListing, find_host
from tripletick.system import dirs
from tripletick.system.text import format_thousands
from tripletick.ui.columns import align_rows
from tripletick.ui.sanitize import write_lines

USAGE = "tripletick models [list|pull NAME|use NAME|show NAME|create [NAME] [--ollama]|template NAME]"
NO_CHAT = "{name} is an embedding model and cannot chat."
USED = "Default model: {name}, saved to {path}"
SUITED = (
    "{name} suits this machine: {size}, {good_for}, about {seconds} s per answer. To download "
    "another: tripletick models create NAME; to make one the default: tripletick config set "
    "model.name NAME"
)
USE = "To use it once: tripletick -m {name}; as the default: tripletick models use {name}"
REGISTERED = "{name} was added to the server at {where}."
MENDED = "{name} now has the chat template {template}."
OLLAMA = "--ollama"


@dataclass(frozen=True, slots=True)
class ModelsContext:
    """One call: the settings, where things lie, and the screen."""

    options: argparse.Namespace
    config: Config
    places: dirs.AppDirs
    screen: Screen
    flags: frozenset[str] = frozenset()

    @property
    def onboarding(self) -> Onboarding:
        return Onboarding(self.config, self.places, self.options.directory, self.screen)

    def print_notice(self, line: str) -> None:
        if not self.options.quiet:
            self.screen.say(line)


def run_models(options: argparse.Namespace, words: Sequence[str]) -> int:
    """List the models, or do what the words say with one."""
    flags = [word for word in words if word.startswith("--")]
    name, *rest = [word for word in words if word not in flags] or ["list"]
    row = ACTS.get(name)
    if row is None or len(rest) not in row.takes or not row.flags.issuperset(flags):
        raise UsageError(
            f"models {' '.join(words)} is not understood.",
            "models lists, downloads and chooses models.",
            USAGE,
        )
    found = dirs.find_dirs()
    config = load_settings(options, found)
    screen = open_screen(options, config)
    try:
        row.act(ModelsContext(options, config, found, screen, frozenset(flags)), *rest)
    finally:
        screen.close()
    return 0


def _list_models(work: ModelsContext) -> None:
    """Write the models to stdout, a line each."""
    look = builder.make_program_lookup(work.options.directory)
    write_lines(sys.stdout, ModelListing(work.config, work.places, look, work.print_notice).format_lines())


def _pull_model(work: ModelsContext, name: str) -> None:
    from tripletick.commands import pull_progress

    pull_progress.pull_with_progress(
        _parse_ollama_name(name), model_selection.make_engine_settings(work.config), work.screen
    )
    work.print_notice(f"Use it: tripletick models use {name}")


def _use_model(work: ModelsContext, name: str) -> None:
    """Save a model as the user's, once it is sure that there is one."""
    host, entry = None, _find_in_catalog(name)
    if entry:
        catalog.locate_files(entry, work.places.cache)
    else:
        model = replace(work.config.model, host=find_host(work.config, name))
        work = replace(work, config=replace(work.config, model=model))
        name, host = _find_on_server(work, name)
    save_model(work.places.user_config, name, host)
    work.print_notice(USED.format(name=name, path=work.places.user_config))


def _find_in_catalog(name: str) -> CatalogEntry | None:
    """Give the row that `embedded:NAME` means, None where it is no row's."""
    engine, rest = split_name(name)
    return catalog.find_entry(rest) if engine == catalog.ENGINE else None


def _find_on_server(work: ModelsContext, name: str) -> tuple[str, str | None]:
    """Give a model's name and its server's address as `save_model` takes them; one that was fetched to this
    machine counts where no server has it.
    """
    try:
        about = _request_info(work, name)
    except (ServerUnreachableError, ModelError):
        entry = catalog.find_entry(name)
        if entry is None:
            raise
        catalog.locate_files(entry, work.places.cache)
        return entry.full_name, None
    if about.can and "completion" not in about.can:
        raise UsageError(NO_CHAT.format(name=name), "", "To see the others: tripletick models list")
    if about.engine == "openai":
        return f"openai:{about.name}", about.where
    # an address of the command line is for this once
    return name, "" if is_host_given(work.config) else work.config.model.host


def _show_model(work: ModelsContext, name: str) -> None:
    """Write what the server tells of a model, a line each."""
    about = _request_info(work, name)
    window = model_selection.choose_context(work.config, about)
    rows = (
        ("name", about.name),
        ("server", about.where),
        ("parameters", f"{about.parameters / 1e9:.1f} billion" if about.parameters else ""),
        ("context", f"{format_thousands(about.context)} tokens" if about.context else ""),
        ("requested", f"{format_thousands(window)} tokens"),
        ("supports", ", ".join(about.can)),
        *(_size_rows(work, about.name) if about.engine == "ollama" else ()),
    )
    write_lines(sys.stdout, align_rows([row for row in rows if row[1]]))


def _size_rows(work: ModelsContext, name: str) -> Iterator[tuple[str, str]]:
    seen = server_models.query_server(model_selection.make_engine_settings(work.config))
    whole = name if ":" in name.rpartition("/")[2] else f"{name}:latest"
    free = model_selection.find_free_memory(seen, builder.make_program_lookup(work.options.directory)).largest
    for stock in seen.models:
        if stock.name == whole:
            _, size, weights, _, fits, remark = next(choice.format_rows([stock], free))
            yield from (("size", size), ("weights", weights), ("memory", fits), ("remark", remark))


def _create_model(work: ModelsContext, name: str = "") -> None:
    """Fetch a model of the catalog, without a name the one that the user keeps, else the one that suits."""
    kept = catalog.get_entry(name) if name else _find_in_catalog(work.config.model.name)
    entry, quiet = kept or catalog.choose_best(work.places.cache), bool(work.options.quiet)
    if not kept and not (quiet and catalog.is_fetched(entry, work.places.cache)):
        work.screen.say(describe_model(entry, SUITED))
    if OLLAMA in work.flags:
        _register_model(work, entry)
    else:
        work.onboarding.fetch_model(entry, quiet=quiet)
        work.print_notice(USE.format(name=entry.full_name))


def _register_model(work: ModelsContext, entry: CatalogEntry) -> None:
    """Fetch a model and give it to the Ollama server; without a server nothing is fetched."""
    from tripletick.commands import pull_progress
    from tripletick.models import registration

    reach = model_selection.make_engine_settings(work.config)
    seen = server_models.query_server(reach)
    path = pull_progress.fetch_model_file(entry, work.places.cache, work.screen, quiet=True)
    registration.register_model(entry, path, reach)
    work.print_notice(REGISTERED.format(name=entry.name, where=seen.where.url))
    work.print_notice(USE.format(name=entry.name))


def _add_template(work: ModelsContext, name: str) -> None:
    from tripletick.models import chat_templates

    name = _parse_ollama_name(name)
    chosen = chat_templates.add_template(name, model_selection.make_engine_settings(work.config))
    work.print_notice(MENDED.format(name=name, template=chosen.name))


def _request_info(work: ModelsContext, name: str) -> ModelInfo:
    """Ask what a model is. Raises ModelError where there is none of that name."""
    chosen = qualify_name(name, work.config.model.host)
    with closing(open_model(chosen, model_selection.make_engine_settings(work.config))) as model:
        return model.get_info()


def _parse_ollama_name(name: str) -> str:
    """Take Ollama's own name. Raises UsageError for a model of another engine."""
    engine, rest = split_name(name)
    if engine != "ollama" or not rest.strip():
        raise UsageError(
            f"{name!r} is not a model of an Ollama server.",
            "Models can only be pulled to an Ollama server.",
            "For example: tripletick models pull qwen2.5-coder:7b",
        )
    return rest.strip()


@dataclass(frozen=True, slots=True)
class ModelAction:
    """What one word does: how many words may stand behind it, and which flags."""

    act: Callable[..., None]
    takes: tuple[int, ...] = (1,)
    flags: frozenset[str] = frozenset()


ACTS: Mapping[str, ModelAction] = {
    "list": ModelAction(_list_models, (0,)),
    "pull": ModelAction(_pull_model),
    "use": ModelAction(_use_model),
    "show": ModelAction(_show_model),
    "create": ModelAction(_create_model, (0, 1), frozenset({OLLAMA})),
    "template": ModelAction(_add_template),
}
