"""What commands share: settings with flags applied, and opening and closing a session."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tripletick.chat.frontend import Screen, open_screen, with_profiling
from tripletick.config.config import Config, SettingValue, load_config
from tripletick.errors import TripletickError, WorkspaceError
from tripletick.system import dirs
from tripletick.system.cancellation import CancelToken

if TYPE_CHECKING:
    from tripletick.history.history import Past
    from tripletick.session.session import App
    from tripletick.trust import TrustedContent

FLAGS = {
    "agent": "agent.name",
    "model": "model.name",
    "host": "model.host",
    "ctx": "model.context",
    "temperature": "model.temperature",
    "seed": "model.seed",
    "sandbox": "sandbox.mode",
    "max_attempts": "agent.max_attempts",
    "max_steps": "agent.max_steps",
    "check": "agent.check",
}
"""Flags that set a value of config.ini, by their names in the options."""
THINK = {True: "yes", False: "no"}


def load_settings(
    options: argparse.Namespace, found: dirs.AppDirs, workspace: Iterable[SettingValue] = ()
) -> Config:
    """Read the config with the flags over it; `workspace` is what the folder may set."""
    flags = {key: getattr(options, name) for name, key in FLAGS.items() if getattr(options, name) is not None}
    if options.think is not None:
        flags["model.think"] = THINK[options.think]
    config = load_config([found.shipped_config, found.user_config], os.environ, flags, workspace)
    # an editor's; the user's own of the same name is used instead
    passed = getattr(options, "servers", {})
    return replace(config, named={**passed, **config.named}) if passed else config


@contextmanager
def open_session(
    options: argparse.Namespace, past: Past | None = None, *, screen: Screen | None = None, name: str = ""
) -> Iterator[tuple[App, Screen, TripletickError | None]]:
    """Open what works in a folder, and close it; the error says why the user has chosen no model, where so.

    `past` is the session that is gone on with, `screen` where it is shown, None: as the flags say; `name` is
    the id of a new session.
    """
    from tripletick.session import model_lookup

    found, why = dirs.find_dirs(), None
    config = load_settings(options, found)
    folder = dirs.expand_user(options.directory).resolve()
    screen = screen or open_screen(options, config)
    try:
        brought, told = None, list[str]()
        if _has_workspace_files(options):
            brought, told = load_workspace_files(options, found, config, screen)
        if brought and brought.settings:
            config = load_settings(options, found, brought.settings)
        asks, lines = screen.person and not options.quiet, list[str]()
        try:
            config = _resolve_model(config, found, folder, screen if asks else None, lines.append)
        except TripletickError as error:
            why = error
        # what takes long to import comes after the server was asked
        halt = CancelToken()
        lookup = model_lookup.start_lookup(config, told.append, halt) if why is None else None
        from tripletick.event_log.session_log import SessionLog
        from tripletick.history import retention
        from tripletick.session.session import App
        from tripletick.trust import FolderFlags, TrustedContent

        brought = brought or TrustedContent()
        said = FolderFlags(options.given, options.yes, tuple(options.read), not options.no_save)
        by = "flag" if options.agent else "config"
        with retention.open_state(found, config.data, save=said.keep) as there:
            log = SessionLog.open(
                there.sessions,
                workspace=folder,
                session_id=past.id if past else name or None,
                save=said.keep,
            )
            screen = _add_profiling(screen, options, log.path)
            rest = (screen.person, told, said, brought, past, options.verbose)
            app = App(config, there, folder, log, by, *rest, halt=halt, lookup=lookup)
            app.notices.extend(lines)
            if not asks:
                # raised by the first turn, which says it in the form that was asked for
                app.model_error, why = why, None
            try:
                yield app, screen, why
            finally:
                if app.lookup:
                    app.lookup.close()
                app.close()
    finally:
        screen.close()


def _resolve_model(
    config: Config, found: dirs.AppDirs, folder: Path, screen: Screen | None, say: Callable[[str], None]
) -> Config:
    """Give the config with a model; the user is asked on `screen`, nobody where that is None."""
    from tripletick.session import model_discovery

    if model_discovery.is_host_uncertain(config):
        from tripletick.session import model_list

        config = model_list.with_serving_host(config, say)
    if screen is None:
        return model_discovery.resolve_model(config, found, say)
    from tripletick.commands.onboarding import Onboarding

    onboarding = Onboarding(config, found, folder, screen)
    onboarding.ensure_model()
    return onboarding.config


def load_workspace_files(
    options: argparse.Namespace, found: dirs.AppDirs, config: Config, screen: Screen
) -> tuple[TrustedContent, list[str]]:
    """Give what the folder brings and the user said yes to; a folder that is refused brings nothing."""
    from tripletick import trust
    from tripletick.paths import Workspace

    if not _has_workspace_files(options):
        return trust.TrustedContent(), []
    folder = dirs.expand_user(options.directory)
    try:
        workspace = Workspace(folder, ours=found.protected_paths, state=found.private_dirs)
    except WorkspaceError:
        # told by the first turn
        return trust.TrustedContent(), []
    from tripletick.session import builder

    memory = trust.AnswerStore(found.state, save=not options.no_save)
    base = load_config([found.shipped_config, found.user_config], {}, {})
    bounds = builder.make_bounds(base, config, found)
    brought, told = trust.load_trusted_content(
        workspace, bounds, memory, screen.ask if screen.person else None
    )
    return brought, [*told, *memory.problems]


def _has_workspace_files(options: argparse.Namespace) -> bool:
    folder = dirs.expand_user(options.directory)
    return any((folder / name).exists() for name in dirs.BROUGHT)


def _add_profiling(screen: Screen, options: argparse.Namespace, log: Path | None) -> Screen:
    """Measure the turns if the user wants to know where their time goes."""
    if not options.profile and options.profile_to is None:
        return screen
    from tripletick.session.profile import SUFFIX

    kept = options.profile_to or (log and log.with_suffix(SUFFIX))
    return with_profiling(
        screen, kept, drawn=options.profile and not options.quiet and options.output == "text"
    )
