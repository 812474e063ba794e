"""What the user is asked before the first request: which model, and what to do where no server answers.

Only where somebody is there to be asked; what is chosen is saved in the user's config. How a model is
pulled is in pull_progress.py, loaded in load_progress.py; what is taken without asking, and the lines for
where no server answers, are in session/model_discovery.py.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tripletick import __version__
from tripletick.chat.frontend import Screen
from tripletick.config import ini
from tripletick.config.config import Config, save_value
from tripletick.errors import (
    ConfigError,
    ModelError,
    ServerFailedError,
    ServerUnreachableError,
    TripletickError,
    UsageError,
)
from tripletick.events import Ask
from tripletick.models import hosts, resolve_engine
from tripletick.session import model_selection
from tripletick.session.model_discovery import (
    ENGINE,
    LOCAL,
    find_nearby_servers,
    format_options,
    with_fetched_model,
    with_server,
)
from tripletick.system import optional_deps
from tripletick.system.dirs import AppDirs, abbreviate_home
from tripletick.system.text import format_download_size
from tripletick.ui.columns import align_rows

if TYPE_CHECKING:
    from tripletick.models.catalog import CatalogEntry
    from tripletick.models.choice import FreeMemory
    from tripletick.models.model import ModelInfo
    from tripletick.models.probes import FoundServer
    from tripletick.models.server_models import AvailableModel, ModelCatalog

START_SECONDS = 20.0
POLL_SECONDS = 0.2
EMPTY = "The server has no model that can chat. Suggested for this machine:"
PULLS = (
    "y: the server at {where} downloads it from its library (registry.ollama.ai); Ctrl+C stops and "
    "keeps the partial download."
)
SIZES = (1,)
"""The column of the sizes, which stand at its right end."""
TITLE = "tripletick {us} · {server} at {where}"
SUGGESTED, SMALLEST = "suggested", "smallest"
START, CREATE = "Start a server: ollama serve", "Get a model: tripletick models create"
NO_MODEL = "No model is set up yet."
CONTEXT = "Context: {window} of {most} (most servers default to 4096)."
CHOICE, FIRST = "Your choice?", "Your choice? Enter: 1"
NUMBERED = "a number selects that server; "
STARTS = "y starts `ollama serve`, which keeps running; "
FETCHES = "o downloads the model from {sources}; "
CHANGES = "n changes nothing."
NUMBERS = "Enter a number from 1 to {count} or a name; Ctrl+C to cancel."


@dataclass(slots=True)
class Onboarding:
    """One start of the program: the config as it was read, and the user at the screen."""

    config: Config
    places: AppDirs
    folder: Path
    screen: Screen
    moved: bool = False
    """The server is one that was found: its address is saved with the model."""

    def ensure_model(self) -> None:
        """Set a model that can be talked to in `config`, as far as the user wants one.

        Raises ServerUnreachableError and UsageError where the user chose none, else what the engines raise.
        """
        name, engine = self.config.model.name, self._engine
        if name and engine != "ollama":
            return
        try:
            if engine == "ollama":
                model_selection.list_models(self.config)
        except ServerUnreachableError as error:
            self._choose_fallback(error)
        except (ModelError, ServerFailedError) as error:
            if name:
                # the request itself tells more than the list does
                return
            if isinstance(error, ServerFailedError) and self._try_openai_server():
                self._choose_model()
            else:
                self._choose_fallback(error)
        else:
            if not name:
                self._choose_model()

    def fetch_model(self, entry: CatalogEntry, *, quiet: bool = False) -> Path:
        """Fetch a model that runs here. Raises UsageError where its engine is missing, ModelError."""
        from tripletick.commands import pull_progress

        optional_deps.need(ENGINE, "embedded")
        return pull_progress.fetch_model_file(entry, self.places.cache, self.screen, quiet=quiet)

    @property
    def _engine(self) -> str:
        return resolve_engine(self.config.model.name, self.config.model.host)

    def _try_openai_server(self) -> bool:
        """Continue with a server of OpenAI's kind where that is what answers at the address."""
        from tripletick.models import probes

        found = probes.probe_server(hosts.resolve_address(self.config.model.host).url)
        if found is None or found.kind != "openai":
            return False
        self._use_server(found)
        return True

    def _use_server(self, found: FoundServer) -> None:
        self.config, self.moved = with_server(self.config, found, key=True), True

    def _choose_fallback(self, error: TripletickError) -> None:
        """Go on where the server failed with `error`: with one that was found, if the user wants it, else
        with the best model of this machine. Raises what fails, and ServerUnreachableError for a no.
        """
        found = find_nearby_servers(self.config)
        if not found:
            if local := with_fetched_model(self.config, self.places):
                self.screen.say(LOCAL.format(name=local.model.name))
                self.config = local
                return
            if isinstance(error, ServerFailedError):
                raise error
            if isinstance(error, ModelError):
                self._choose_model()
                return
        self._ask_for_fallback(error, found)

    def _ask_for_fallback(self, error: TripletickError, found: Sequence[FoundServer]) -> None:
        """Say what can be done, and do what the user chooses."""
        from tripletick.models import catalog

        suited, up = catalog.choose_best(self.places.cache), not isinstance(error, ServerUnreachableError)
        here = hosts.resolve_address(self.config.model.host)
        from tripletick.session.builder import make_program_lookup

        look = make_program_lookup(self.folder)
        ollama = look("ollama") if here.is_loopback and not up else None
        self.screen.say("\n".join([error.what, *format_options(here, ollama, suited, found, up=up)]))
        numbers, o = (
            "".join(str(number) for number in range(1, len(found) + 1)),
            "o" * optional_deps.present(ENGINE),
        )
        letters = numbers + (f"yn{o}" if ollama else f"{o}n")
        if letters == "n":
            raise ServerUnreachableError(NO_MODEL, "", START if look("ollama") else CREATE)
        fetching = FETCHES.format(sources=suited.sources)
        rows = ((numbers, NUMBERED), (ollama, STARTS), (o, fetching), (letters, CHANGES))
        why = "".join(words for there, words in rows if there)
        default = letters[0] if letters[0] in "1y" else "n"
        answer = self.screen.ask(Ask(FIRST if found else CHOICE, letters, why, default=default)).choice
        if answer.isdecimal():
            self._use_server(found[int(answer) - 1])
            self._choose_model()
        elif answer == "y" and ollama:
            self._start_ollama(ollama, here)
            if not self.config.model.name:
                self._choose_model()
        elif answer == "o":
            self.fetch_model(suited)
            self._save_choice(suited.full_name)
        else:
            raise ServerUnreachableError(NO_MODEL, "", START if look("ollama") else CREATE)

    def _start_ollama(self, ollama: str, here: hosts.ServerAddress) -> None:
        """Start the server in a session of its own, where it outlives us, and wait until it answers."""
        command = ["/bin/sh", "-c", '"$0" serve </dev/null >/dev/null 2>&1 &', ollama]
        env = os.environ | {"OLLAMA_HOST": here.url}
        subprocess.run(command, env=env, start_new_session=True, check=False)
        self.screen.status(lambda: "Ollama is starting")
        until = time.monotonic() + START_SECONDS
        try:
            while not self._is_server_up():
                if time.monotonic() > until:
                    raise ServerUnreachableError(
                        "Ollama did not start.",
                        f"Nothing answers at {here.url} after {START_SECONDS:.0f} s.",
                        "To see why: ollama serve",
                    )
                time.sleep(POLL_SECONDS)
        finally:
            self.screen.close()

    def _is_server_up(self) -> bool:
        try:
            model_selection.list_models(self.config)
        except ServerUnreachableError:
            return False
        except ModelError:
            # it is up and has no model
            return True
        return True

    def _choose_model(self) -> None:
        """Let the user choose one of the server's models, or one to pull where it has none.

        Raises UsageError and ModelError where they choose none.
        """
        from tripletick.models import choice, server_models
        from tripletick.session.builder import make_program_lookup

        seen = server_models.query_server(model_selection.make_engine_settings(self.config), self._engine)
        free = model_selection.find_free_memory(seen, make_program_lookup(self.folder))
        models = choice.sort_models(seen.models, free.largest)
        self.screen.say(
            TITLE.format(us=__version__, server=seen.version, where=f"{seen.where.host}:{seen.where.port}")
        )
        if self._engine == "openai" and not models:
            raise ModelError(NO_MODEL, *model_selection.EMPTY["openai"])
        about = self._ask_for_model(models, free.largest) if models else self._ask_to_pull(seen, free)
        self._use_model(about)

    def _ask_for_model(self, models: Sequence[AvailableModel], free: int) -> ModelInfo:
        self.screen.say("\n".join(format_models(models, free, numbered=True)))
        while True:
            answer = self.screen.ask(Ask("Use [1]?", "", default="1"))
            if answer.choice != "y":
                raise UsageError("No model was chosen.", "", "To choose one: tripletick -m NAME")
            if name := _parse_choice(answer.text, [model.name for model in models]):
                return next(model.about for model in models if model.name == name)
            self.screen.say(NUMBERS.format(count=len(models)))

    def _ask_to_pull(self, seen: ModelCatalog, free: FreeMemory) -> ModelInfo:
        """Suggest what to pull, and have the server pull what the user says. Raises ModelError."""
        from tripletick.commands import pull_progress
        from tripletick.models import choice, server_models

        rows = choice.suggest_pulls(free)
        cells = [(row.name, format_download_size(row.size), row.says) for row in rows]
        self.screen.say("\n".join([EMPTY, *align_rows(cells, numbered=True, right=SIZES)]))
        question = f"Pull 1 ({format_download_size(rows[0].size)})?"
        letters = "yn" + "".join(str(number) for number in range(2, len(rows) + 1))
        answer = self.screen.ask(Ask(question, letters, PULLS.format(where=seen.where.url), default="y"))
        if answer.choice == "n":
            raise ModelError(NO_MODEL, "", f"To download one: tripletick models pull {rows[0].name}")
        name = rows[0 if answer.choice == "y" else int(answer.choice) - 1].name
        try:
            pull_progress.pull_with_progress(
                name, model_selection.make_engine_settings(self.config), self.screen
            )
        except KeyboardInterrupt:
            # how to go on was said
            raise ModelError(NO_MODEL) from None
        return server_models.query_model(name, model_selection.make_engine_settings(self.config))

    def _use_model(self, about: ModelInfo) -> None:
        """Save the choice, and load the model with the context that is asked for from now on."""
        if about.engine == "openai":
            # its context is not ours to ask for, and its server loads by itself
            self._save_choice(f"openai:{about.name}", about.where)
            return
        from tripletick.commands import load_progress

        self._save_choice(about.name, self.config.model.host if self.moved else "")
        window = model_selection.choose_context(self.config, about)
        words = CONTEXT.format(window=window, most=about.context) if about.context else ""
        load_progress.load_model(
            about.name, model_selection.make_engine_settings(self.config), window, self.screen, words
        )

    def _save_choice(self, name: str, host: str = "") -> None:
        """Save the choice, where it can be saved, with the server's address where the name needs it."""
        try:
            save_model(self.places.user_config, name, host or None)
            self.screen.say(f"Saved to {abbreviate_home(self.places.user_config)}")
        except ConfigError as error:
            self.screen.say(str(error))
        model = replace(self.config.model, name=name, host=host or self.config.model.host)
        self.config = replace(self.config, model=model)


def save_model(path: Path, name: str, host: str | None) -> None:
    """Save a model as the user's, with its server's address: "" takes the one away that was saved, None
    leaves it. Raises ConfigError.
    """
    save_value(path, "model", "name", name)
    saved = any((section, key) == ("model", "host") for section, key, *_ in ini.read_values(path))
    if host or (host is not None and saved):
        save_value(path, "model", "host", host)


def format_models(models: Sequence[AvailableModel], free: int, *, numbered: bool = False) -> list[str]:
    """Word the models of a server in columns; the first one is suggested where they have numbers."""
    from tripletick.models import choice

    rows = [list(row) for row in choice.format_rows(models, free)]
    for number, row in enumerate(rows if numbered else ()):
        why = SMALLEST if choice.FITS[False] in row else row[-1] or SUGGESTED
        row[-1] = f"  {row[-1]}" if number else f"← {why}"
    return align_rows(rows, numbered=numbered, right=SIZES)


def _parse_choice(words: str, names: list[str]) -> str:
    if words.isdecimal() and 1 <= int(words) <= len(names):
        return names[int(words) - 1]
    return words if words in names else ""
