"""What each model did in `tripletick bench` here, for the list of models: its last whole run of a suite.

The runs themselves are files where the user keeps them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tripletick.system.dirs import make_private_folder, replace_file

FILE = Path("bench", "scores.json")
USUAL = "core"
"""The suite that is shown where a model has done several."""


def save_score(cache: Path, model: str, suite: str, solved: int, of: int) -> None:
    """Keep what a run came to, in the place of an earlier one. Raises OSError."""
    known = _read_scores(cache)
    done = known.setdefault(model, {})
    # the newest stands last
    done.pop(suite, None)
    done[suite] = [solved, of]
    path = cache / FILE
    make_private_folder(path.parent)
    replace_file(path, json.dumps(known).encode())


def load_scores(cache: Path) -> Mapping[str, str]:
    """Give by model what it did: `core 53 of 90`."""
    return {model: _format_score(done) for model, done in _read_scores(cache).items() if done}


def _format_score(done: Mapping[str, Any]) -> str:
    suite = USUAL if USUAL in done else list(done)[-1]
    solved, of = done[suite]
    return f"{Path(suite).name} {solved} of {of}"


def _read_scores(cache: Path) -> dict[str, dict[str, Any]]:
    with suppress(OSError, ValueError, TypeError, AttributeError):
        told = json.loads((cache / FILE).read_text("utf-8"))
        rows = [pair for done in told.values() for pair in done.values()]
        if all(len(pair) == 2 for pair in rows):
            return dict(told)
    return {}
