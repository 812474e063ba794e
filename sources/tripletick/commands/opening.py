"""What commands share: settings with the flags over them, and a session that is opened and closed."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tripletick import config, places
from tripletick.errors import TripletickError
from tripletick.screens import Screen, open_screen

if TYPE_CHECKING:
    from tripletick.app import App
    from tripletick.firstrun import FirstRun

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
}
"""Flags that set a value of config.ini, by their names in the options."""
THINK = {True: "yes", False: "no"}


def load_settings(options: argparse.Namespace, found: places.Places) -> config.Config:
    """Read the config with the flags over it."""
    flags = {key: getattr(options, name) for name, key in FLAGS.items() if getattr(options, name) is not None}
    if options.think is not None:
        flags["model.think"] = THINK[options.think]
    return config.load([found.shipped_config, found.user_config], os.environ, flags)


@contextmanager
def session(options: argparse.Namespace) -> Iterator[tuple[App, Screen, TripletickError | None]]:
    """Open what works in a folder, and close it; the error tells why the person has no model, where so."""
    from tripletick.app import App
    from tripletick.firstrun import FirstRun
    from tripletick.session import Log

    found, why = places.find(), None
    settings = load_settings(options, found)
    folder = options.directory.expanduser().resolve()
    screen = open_screen(options, settings)
    try:
        if not options.quiet:
            settings, why = _prepared(FirstRun(settings, found, folder, screen))
        log = Log.open(found.sessions, workspace=folder, save=not options.no_save)
        app = App(settings, found, folder, log, "flag" if options.agent else "config", screen.person)
        try:
            yield app, screen, why
        finally:
            app.close()
    finally:
        screen.close()


def _prepared(first: FirstRun) -> tuple[config.Config, TripletickError | None]:
    try:
        return first.prepare(), None
    except TripletickError as error:
        return first.settings, error
