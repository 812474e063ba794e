"""What a block wrote into `~`, which is a home of its own and not the user's: it goes with the session, so
the block has failed, and needs.toml has the question whether it may write there.

Only paths that the block's text names are looked at, dotted ones left out: caches are meant to lie there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from tripletick.event_log.session_log import clean_name

MOST = 40
"""Names of one block that are looked at."""
MODEL = (
    "({paths} was written in the home folder of the blocks, which goes with the session; the person's own is "
    "out of reach. To keep it, write it in this folder.)"
)
FAILED = "failed, what it wrote is not in this folder"
PERSON = "{paths} is in the home folder of the blocks, not in yours, and is deleted with the session."
_NAMED = re.compile(
    r"""(?:(?<![\w/.~])~/|\$HOME/|\$\{HOME\}/|Path\.home\(\)\s*/\s*["'])(?P<path>\w[\w.@%+-]*(?:/[\w.@%+-]+)*)"""
)

State = Mapping[str, tuple[int, int, int]]


def scan_home(home: Path, script: str) -> State:
    """Look at what a script names in `~`; `home` is what blocks have in its place."""
    paths = (match["path"] for match in _NAMED.finditer(script))
    return dict(
        _stat_paths(home, dict.fromkeys(one for path in paths for one in (path, path.partition("/")[0])))
    )


def _stat_paths(home: Path, paths: Iterable[str]) -> Iterator[tuple[str, tuple[int, int, int]]]:
    real = os.path.realpath(home)
    for path in list(paths)[:MOST]:
        spot = Path(real, path)
        with suppress(OSError):
            # A link of the block's would lead out of it.
            if os.path.realpath(spot.parent) == str(spot.parent):
                status = spot.lstat()
                yield path, (status.st_ino, status.st_mtime_ns, status.st_size)


def format_changes(was: State, now: State) -> str:
    """Name what is new or changed, "" where nothing is; a file stands for the folders that hold it."""
    fresh = [path for path, state in now.items() if was.get(path) != state]
    named = [path for path in fresh if not any(other.startswith(f"{path}/") for other in fresh)]
    return ", ".join(f"~/{clean_name(path)}" for path in named)
