"""Models for those who have none: the small offline one is fetched."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tripletick import places
from tripletick.commands.opening import load_settings
from tripletick.errors import UsageError
from tripletick.screens import open_screen


def models(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Fetch the small offline model."""
    from tripletick.firstrun import OFFLINE, FirstRun

    if list(words) != ["create", "offline"]:
        raise UsageError(
            f"models {' '.join(words)}".strip() + " is not understood.",
            "It can fetch the small offline model.",
            "tripletick models create offline",
        )
    found = places.find()
    settings = load_settings(options, found)
    screen = open_screen(options, settings)
    FirstRun(settings, found, options.directory, screen).fetch_offline()
    if not options.quiet:
        screen.say(f"Use it: tripletick -m {OFFLINE}")
    return 0
