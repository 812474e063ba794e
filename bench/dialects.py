"""Which dialect a model does best with: the ten chores of the tests under each, and its row of measured.toml.

Run: python -m bench.dialects MODEL [OPTIONS OF TRIPLETICK]. Ten chores are few: a lead of one is no lead, and
then fences stay. Nothing is written; the row is printed for sources/tripletick/dialects/measured.toml.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from tests import chores

from tripletick.dialects import DIALECTS
from tripletick.dialects.selection import choose_dialect, parse_family
from tripletick.models import open_model, split_name

LEAD, SECONDS = 2, 300.0
NO_MODEL = (2, 4, 5)
KEPT_VARIABLES = ("OLLAMA_HOST", "XDG_CACHE_HOME")


def count_solved(dialect: str, top: Path, words: list[str]) -> int:
    """Count the chores that are done in a dialect."""
    done = 0
    for number, chore in enumerate(chores.CHORES, 1):
        folder = top / dialect / str(number) / "project"
        folder.mkdir(parents=True)
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        env = {**kept, "HOME": str(folder.parent), "TRIPLETICK_AGENT_DIALECT": dialect}
        try:
            told = chores.do(chore, folder, env, *words, seconds=SECONDS)
            if told["exit"] in NO_MODEL:
                sys.exit(told["error"]["message"])
            done += chores.is_done(chore["check"], told, folder)
        except (subprocess.TimeoutExpired, ValueError):
            print(f"{dialect}, chore {number}: no answer", file=sys.stderr)
    return done


def list_usable_dialects(model: str) -> list[str]:
    """Name the dialects that the model can do; the others would fall back to fences."""
    with closing(open_model(model)) as opened:
        about = opened.get_info()
    return [dialect for dialect in DIALECTS if choose_dialect(dialect, about).name == dialect]


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    model = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="tripletick-") as name:
        done = {
            dialect: count_solved(dialect, Path(name), ["-m", *sys.argv[1:]])
            for dialect in list_usable_dialects(model)
        }
    best = max(done, key=lambda dialect: done[dialect])
    if done[best] < done["fence"] + LEAD:
        best = "fence"
    counted = ", ".join(f"{dialect} = {number}" for dialect, number in done.items())
    family = parse_family(split_name(model)[1])
    print(f'[[model]]\nname = "{family}"\ndialect = "{best}"\ndone = {{ {counted} }}')
    return 0


if __name__ == "__main__":
    sys.exit(main())
