"""What commands share: settings with the flags over them, and a session that is opened and closed."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tripletick import config, places
from tripletick.errors import TripletickError, WorkspaceError
from tripletick.screens import Screen, open_screen, profiled

if TYPE_CHECKING:
    from tripletick.app import App
    from tripletick.library.history import Past
    from tripletick.trust import Trusted

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
    options: argparse.Namespace, found: places.Places, workspace: Iterable[config.Given] = ()
) -> config.Config:
    """Read the config with the flags over it; `workspace` is what the folder may set."""
    flags = {key: getattr(options, name) for name, key in FLAGS.items() if getattr(options, name) is not None}
    if options.think is not None:
        flags["model.think"] = THINK[options.think]
    return config.load([found.shipped_config, found.user_config], os.environ, flags, workspace)


@contextmanager
def session(
    options: argparse.Namespace, past: Past | None = None
) -> Iterator[tuple[App, Screen, TripletickError | None]]:
    """Open what works in a folder, and close it; the error says why the user has chosen no model, where so.

    `past` is the session that is gone on with.
    """
    from tripletick import retention, ways
    from tripletick.app import App
    from tripletick.firstrun import FirstRun
    from tripletick.session import Log
    from tripletick.trust import Said

    found, why = places.find(), None
    settings = load_settings(options, found)
    folder = options.directory.expanduser().resolve()
    screen = open_screen(options, settings)
    try:
        brought, told = bring(options, found, settings, screen)
        if brought.settings:
            settings = load_settings(options, found, brought.settings)
        asks, lines = screen.person and not options.quiet, list[str]()
        try:
            first = FirstRun(settings, found, folder, screen)
            if ways.is_unsure(settings):
                from tripletick import listing

                settings = listing.serving(settings, lines.append)
                first = replace(first, settings=settings)
            settings = first.prepare() if asks else ways.resolve(settings, found, lines.append)
        except TripletickError as error:
            why = error
        said = Said(options.given, options.yes, tuple(options.read), not options.no_save)
        by = "flag" if options.agent else "config"
        with retention.at_work(found, settings.data, save=said.keep) as there:
            log = Log.open(
                there.sessions, workspace=folder, session_id=past.id if past else None, save=said.keep
            )
            screen = _measured(screen, options, log.path)
            app = App(
                settings, there, folder, log, by, screen.person, told, said, brought, past, options.verbose
            )
            app.notices.extend(lines)
            if not asks:
                # raised by the first turn, which says it in the form that was asked for
                app.absent, why = why, None
            try:
                yield app, screen, why
            finally:
                app.close()
    finally:
        screen.close()


def bring(
    options: argparse.Namespace, found: places.Places, settings: config.Config, screen: Screen
) -> tuple[Trusted, list[str]]:
    """Give what the folder brings and the person said yes to; a folder that is refused brings nothing."""
    from tripletick import trust, wiring
    from tripletick.paths import Workspace

    folder = options.directory.expanduser()
    if not any((folder / name).exists() for name in trust.BROUGHT):
        return trust.Trusted(), []
    try:
        workspace = Workspace(folder, ours=found.ours, state=found.private)
    except WorkspaceError:
        # told by the first turn
        return trust.Trusted(), []
    memory = trust.Memory(found.state, save=not options.no_save)
    base = config.load([found.shipped_config, found.user_config], {}, {})
    bounds = wiring.bounds(base, settings, found)
    brought, told = trust.bring(workspace, bounds, memory, screen.ask if screen.person else None)
    return brought, [*told, *memory.problems]


def _measured(screen: Screen, options: argparse.Namespace, log: Path | None) -> Screen:
    """Measure the turns if the person wants to know where their time goes."""
    if not options.profile and options.profile_to is None:
        return screen
    from tripletick.profile import SUFFIX

    kept = options.profile_to or (log and log.with_suffix(SUFFIX))
    return profiled(screen, kept, drawn=options.profile and not options.quiet and options.output == "text")
