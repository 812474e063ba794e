"""The command that upgrades tripletick, by the way in which it was installed. Nothing is contacted."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tripletick import __version__
from tripletick.errors import UsageError
from tripletick.system import optional_deps

CAME = "tripletick {version}, installed with {way}. To upgrade it, run:\n"


def run_upgrade(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Write the command; nothing is run."""
    if words:
        raise UsageError(f"upgrade {' '.join(words)} is not understood.", "", "tripletick upgrade")
    way = optional_deps.find_way(Path(sys.prefix), optional_deps.installer())
    if not options.quiet:
        sys.stderr.write(CAME.format(version=__version__, way=way.name))
    sys.stdout.write(f"{optional_deps.upgrade(way, optional_deps.metadata('direct_url.json'))}\n")
    return 0
